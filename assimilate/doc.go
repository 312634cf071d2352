// Package assimilate turns candidates into operations by reading before it
// updates, and checks operations that are written directly. Both are pure
// functions of a view of the memory as recorded, the input and the policy: no
// clock, no randomness, no map order, so that an audit can make every decision
// again and compare.
//
// # What a statement claims
//
// A statement about (src, rel) made at turn time τ speaks of an interval N: its
// own, or [τ, ∞) where it names none. A bounded N is claimed whole. An
// open-ended N = [s, ∞) is claimed firmly up to max(s, τ); after that it merely
// persists, until the next change that is already known: the start of the next
// version, the known end of the same value, or a later turn that said the
// present value again. A late turn therefore changes its own time only, and
// turns that name no time give the same timeline in whatever order they arrive.
// An open-ended statement that starts at or before the start of an open-ended
// version of another value ends there, however late it was made. What is left
// of N is the claim; an empty claim changes nothing.
//
// # Rules
//
// The value of a version is its dst, aliases followed, and its relation. Within
// its claim the newer statement wins; outside, nothing changes.
//
//   - The value is known for the whole claim: SKIP. The turn becomes evidence of
//     the version, which raises its confidence; if it was, nothing happens.
//   - Else the value is written where it is not yet known (INSERT), as facts of
//     their own: nothing already known of the same value is rewritten, and the
//     valid start of an open version never falls.
//   - For a functional relation the versions of other values give up what the
//     claim takes (REPLACE): RETRO_CORRECT to what is left; where both ends are
//     left, a further version of the same fact holds the second; where nothing is
//     left, the version is retracted. For a many-valued relation another value is
//     another fact.
//   - An ending stops the version that holds at the stated time (the end of its
//     interval, else the start, else τ) there: CLOSE. If none holds then, nothing
//     of the value began before, and one that began by τ holds at τ, the
//     ending precedes all that was known: that version is retracted.
//   - A denial (polarity −) takes its claim away from the versions of its own
//     value: CLOSE.
//   - An ending or denial of what is not known is NONE.
//   - A correction rewrites one version in place (RETRO_CORRECT): the one that
//     corrects names, else, of a functional relation, the one that the statement
//     contradicts. Without a time of its own it takes over the version's
//     interval. With one, the same value gets this interval; another value gets
//     its claim, and what the corrected version holds outside stays. With nothing
//     to correct it is a plain statement. A denied correction withdraws what it
//     names.
//   - Confidence below Policy.WMMin: HOLD.
//
// A candidate that says that two names are one (extract.AliasOf) becomes a LINK
// alias_of, later candidates of the turn follow it, and one that denies or ends it
// closes the link; a merge that would break I7 is NONE (alias/conflict). An edit of
// the turn leaves the link.
//
// Four rules beside these:
//
//   - Other words. An ending, a denial, a correction and a statement of the opposite
//     mean a version of a many-valued relation whose value says the same but for the
//     words of its sort: "books about modernism" and "reading about modernism", 周杰伦
//     and 周杰伦的歌; sorts that differ (classical books, classical music) keep values
//     apart. An ending or a denial of a like means all relations that have an opposite
//     in common with its own. Of things owned, used or been, a short name means the
//     one believed that has its head ("the bike", a red mountain bike), if there is
//     one only.
//   - Opposites. Relations that the registry calls opposite contradict each other
//     for the same value: a statement of one takes its claim away from the other
//     (assert/opposite), as a newer value does for a functional relation.
//   - One's own word (Policy.OwnWord). What the subject said of itself is firm up
//     to when it last said so. Of that time a plain statement, ending or denial of
//     another speaker takes nothing away (assert, end, deny/own-word); what comes
//     after is news, whoever brings it, and a correction counts.
//   - Near values (Policy.Fuzzy). Where no value of the candidate's own name, or an
//     alias of it, is believed of (src, rel), it is taken for the believed one whose
//     name is nearest, if near enough; the reason says for which and how alike.
//
// # Edits
//
// A turn that replaces another is assimilated after what the replaced one did is
// taken back, in the same transaction. The turns that go are the one that stands in
// the place of the turn named, and those that stood there before.
//
//   - A candidate that says the same of the same time as the old turn did is SKIP
//     (edit/same): what the old turn made or ended stands, with the new turn as
//     evidence.
//   - Other versions lose the old turn as evidence (LINK with retract), and the
//     confidence that it gave. Those that nobody else says are retracted; facts that
//     were written directly need no turn.
//   - What only the old turn had ended holds again, by a new version of the same
//     fact, where what was left of it still ends there and nobody has said anything
//     else since. So later news stands.
//
// A turn is a witness of a fact by opening it or by a LINK with a confidence above
// 0; one that came to the evidence by cutting a version is none.
//
// Successors of a version that is cut keep its value, confidence, source and
// evidence, and gain the turn as evidence: it says why they end.
//
// Later candidates of a turn see what the earlier ones did, so a version may be
// opened and closed by one transaction; its record interval is then empty.
//
// # Portions
//
// A RETRO_CORRECT that is written directly may name a portion of the valid time
// (FOR PORTION OF in SQL:2011). Every open version that overlaps the portion, or
// the one that is named, then gives way to its parts: the corrected one, if it is
// not retracted, and those before and behind it, which say what they said. All are
// versions of the same fact, and archived where the version was.
//
// # Layer 2
//
// Take assimilates what a turn says and lets layer 2 decide about what came of
// it, in the same transaction. What it decides is told by a
// dsl.TriggerDecision with its reason; what it remembers is the transaction's
// dsl.Memory, which the next decision reads from its view, so that an audit makes
// all of it again. No change of a fact that the rules accept is withheld: quotas,
// cool-down and budget govern events, summaries and what waits.
//
// Working memory holds candidates of too little confidence and changes that have
// no event yet, Layer2.Capacity of both. A candidate is promoted by mentions from
// other turns that say the same of times that may be the same, once their joint
// confidence (dsl.FoldConfidence) suffices; its turns are then evidence too. What
// waited for Layer2.Window turns is let go of, and over capacity the least
// salient (of candidates, the least sure), of equals the oldest. A fact whose
// change is let go of stands: only no event tells of it.
//
//   - Strong changes are written, one event a turn: updates (REPLACE),
//     corrections, endings, appointments (scheduled_for), facts that begin after
//     the turn, and preferences for good (prefers; likes and dislikes where the
//     turn says "always", 一直 …). At most StrongQuota a session.
//   - The others are scored (Weights): at or above Keep an event is written,
//     unless the last write was less than Cooldown turns ago; at or below Archive
//     a new fact leaves the working set in the transaction that brings it; between
//     it waits. Said again, what waits is scored with the feature repetition.
//     Archiving hides a fact from views that do not ask for all, so the weights of
//     the built-in profile let it happen to trifles alone: see DefaultWeights.
//   - What waits is summed up in one event when a turn of another session comes,
//     at a border between topics (TopicCosine), or when Reflect changes have
//     gathered. At most PeriodicQuota a session; a session that is taken up again
//     goes on with the counts that it had.
//   - Tokens of the canonical text of facts and of summaries are counted
//     (Tokenizer). From one half of Budget × sessions on, Keep rises to 1 as the
//     rest runs out; an event that would go beyond is withheld, strong ones last.
//     What a quota or the budget withholds waits for the next summary.
//   - With Rewrite a language model may word the summaries of events that are
//     written (Said.Rewrite): the text alone, at most about twice as long as the
//     template's, which stands where the model fails. Its words are in the
//     operation with the agent that said them, so replay and audit read them
//     there.
//
// # Gaps
//
// AskOf takes a query that fell short apart: whom it names, which relations its
// words ask for, in English and Chinese, and which of entity, relation and time
// the memory lacks. Candidates that fit come from earlier turns, or from working
// memory as they are; Take assimilates them with their turns as evidence, and one
// event tells of what they change.
package assimilate
