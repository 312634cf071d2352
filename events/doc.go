// Package events builds layer 2: events from the changes of facts that a
// transaction makes, and episodes from the events of a view. It is pure: what it
// gives is a function of the view, the input and the options, without a clock,
// randomness or the order of a map.
//
// # Events
//
// An event says what happened: a summary for people, the time it spans in the
// world, who took part in which role, the facts it is made of and the turns it
// rests on. Build gives the operations of one transaction, which follow its
// layer-1 operations; the view is the memory just before the transaction.
//
// A write of the triggers "strong", "salience" and "backfill" makes an event of
// changes, whose evidence is the turn and all evidence of the facts. A write of
// any other trigger (a summary: "periodic", "session_end", "reflect") makes one
// event of the facts it is given, whose evidence is the fewest of the turns it is
// given that support every fact.
//
// An event gets at most one version a transaction. Every event of which a fact is
// corrected, closed, retracted or archived gets a version of what still stands,
// whether or not anything is written about the change.
//
// # Rules
//
// Time span: where facts have a time as their value (an appointment), the hull of
// the times that these denote in the zone of the turn that said so; otherwise the
// hull of the valid intervals. A start that nobody knows is the time of the turn.
//
// Status, the first that fits: "merged" (another event has taken it in, a LINK of
// kind event says which), "retired" (none of its facts stands), "corrected" (a
// fact was put right), "ended" (everything it says has ended), "planned" (its span
// begins after the turn), "occurred". A status is that of the version's own
// transaction: nothing is written because time passes.
//
// Roles: "speaker" and "listener" of the turn; "subject"; "place",
// "organization" or "object" for values that are entities.
//
// A fact stands when a version of it is open and not archived. One that does not
// stays in includes_fact, where it shows as retired, but nothing of it is left in
// the summary. A merged or retired event has no summary, so no search finds it; it
// keeps its last span.
//
// # Merging
//
// A write joins an event of its neighbourhood that tells of the same: their
// similarity is at least MergeSimilarity, they share a participant (aliases as of
// the view are one), and their spans overlap or adjoin. Similarity is the greater
// of two cosines, of the sets of analysed words of the summaries and of the sets
// of facts. The oldest such event gets a version with the facts, people and
// evidence of both; any other event that this version is like is taken in too: it
// gets a last version of status "merged" and a LINK of kind event to the one that
// goes on. Older views still see them apart. The neighbourhood is bounded: the
// events of the write's facts and the newest of its participants; an event that
// would have more than 16 facts takes nothing in.
//
// # What is measured
//
// Closure: an event version has a complete evidence closure when each turn of its
// evidence is recorded, and each included fact that stands rests on at least one
// of them; on all of its turns, as of the version, if the version's transaction
// made the fact or a change of it and the event is no summary. Purity: the share of an
// event's standing facts that are about its main subject (the entity that most of
// them have as subject or value, the first of equals) or of its main topic (the
// predicate, up to its first dot, that most of them have). Purity of a set is the
// mean over its facts.
package events
