// Package retrieval finds what a memory holds about a question (EAGLE): it
// ranks the turns, facts, events and sessions of one view of one space.
//
// # Documents
//
// A turn is a document together with the two turns before it in its session,
// which count contextWeight of their own terms: an answer rarely repeats the
// words of the question that it answers. A fact version, an event version and a
// session (the sum of its turns so far) are documents of their own kind.
// A turn that was edited stays in every statistic; from the edit on it is no
// hit, no evidence, no part of its session's score, and in no context of later
// turns.
//
// # Scores
//
// Each kind is ranked by BM25 with k1 = 0.9 and b = 0.4. Document frequency,
// number and mean length are those of the kind's documents in the view, turns
// with their context: a view is a prefix of the index in record order, so a
// longer log changes no score of an earlier view. Closed versions count in the
// statistics, as they did when they were open, and are passed over before the
// best are chosen. Valid time chooses among documents and changes no statistic.
//
// Two cues are added. Stop words of the question are left out, unless there is
// nothing else in it. And where the question names a speaker of the space, the
// turns of that speaker count twice; the name itself counts little, because
// those who say a name are mostly the others.
//
// A score of full text is divided by the best that any document of the kind could
// reach for the question, so it lies in [0, 1], reads as "how much of the question
// is in here, weighted by rarity", and can be compared between kinds. Equal scores
// are ordered by id.
//
// # Channels
//
// Full text is one channel, and with it alone its score is that of the hit.
// Channels of vectors (Options.Dense) say how alike a document and the question
// are; the next channel (Options.Next) gives a turn the words of the turn after it.
// Each hands on its best documents, a fixed number of them, whatever number is
// asked for; every channel then scores all that any of them found, and one score
// is made of theirs. In the weighted sum full text and next count as a share of
// their best, a cosine by how many standard deviations it lies above the mean of
// the view's, less one. So where no document stands out by meaning, full text is
// left to itself. The best document of a kind then has the weighted mean of what
// its channels say in their own measures, and the others their part of that.
//
// A channel of late interaction has a vector for each token of a document; its
// measure is MaxSim, the products of the question's tokens with those of the document
// that are most like them, on average.
//
// The vector of a turn holds something of the two turns before it, as its words
// do, and nothing of those replaced by then; it depends on no later turn. A session
// is ranked by its three best turns, its words, and what its turns say on average;
// where the ranker of signals orders turns, what that gives the best of them counts
// most (sessions.go).
//
// Not every document is scored: blocks of postings say what they can add at
// most, and what cannot be among the best is passed over (prune.go). That
// changes no hit and no score. Sessions are the exception, and cost what the
// view holds.
//
// A view of which a model has not embedded all is embedded first, up to a bound, or
// the search says ErrNotReady; a search that takes a part says in its basis which.
//
// # Expansion
//
// What was found is never moved by an expansion (expand_add.go), which looks for what
// stands near it and adds turns behind: words of the best hits (pseudo-relevance),
// names of entities that facts link to what is named, words that mean nearly what the
// question's do, and the evidence of facts beside those of the best hits. Each source
// is bounded, and all of it is of the view. A query that asks for K gets no more than
// K, unless it leaves room behind them. Links between facts and events (expand.go) are
// another matter: they raise turns among those found.
//
// # Cues
//
// What a question says of itself is read by the package question, and orders what
// the channels found anew (cues.go): the time it speaks of, who is spoken of and
// who spoke, what an answer of its kind has to have, turns that only ask, the
// session of a turn. Other names of what it names and words that mean nearly the
// same are looked for beside its own. Several questions in one text are looked for
// one by one. No cue keeps anything out, and all are computed in the view.
//
// Options weigh the context and the speaker otherwise.
//
// The arithmetic is the same on every processor: counts and lengths are whole
// numbers, products are rounded before they are added, logarithms come from
// internal/num. Version names all of this.
package retrieval

// Version names the scoring. It changes whenever any score could.
const Version = "eagle/4"
