// Package extract turns a conversation turn into candidates: sentences,
// mentions, entities, times and relations, in English and Chinese, mixed in one
// turn. It is a function of the turn, the turns before it and what the space
// already knows; it reads no clock and no store.
//
// # Pipeline
//
// A [Pipeline] runs six stages in the order of DESIGN §5, each behind a small
// interface, each chosen by a key of the configuration:
//
//	Splitter       preprocess.rule   sentences
//	EntityFinder   ner.mode          ExtractEntities: names and their types
//	AliasFinder    alias.*           which of the turn's names are one
//	CorefResolver  coref.mode        ResolveCoref: pronouns and whom they mean
//	TimeFinder     time.rule         time expressions and what they denote
//	RelationFinder relation.mode     ExtractRelations: candidates
//
// The plan's entry points are the methods of these: ExtractEntities of an
// [EntityFinder], ResolveCoref of a [CorefResolver], ExtractRelations of a
// [RelationFinder]. [Pipeline.ExtractEntities], [Pipeline.ResolveCoref] and
// [Pipeline.ExtractRelations] run the stages up to theirs.
//
// A stage reads the [Document] and what the stages before it wrote there. Option A of
// each is made of rules, and for names of a small tagger. The rules prefer silence to
// error: a wrong fact poisons the graph, a missed one can be said again.
//
// # Options
//
// The other options work with [Parts]: token-classification networks (B of ner and of
// preprocess), a CoreNLP server (B' of ner, B of coref and time, relation.parse) and a
// language model with a JSON schema (C). New refuses an option whose
// part is missing and says what to configure. An option that fails, is late, or answers
// what is malformed or cannot be true leaves the turn to the cheaper one; the result
// tells so ([Result].Answers), and whoever calls counts it. Of what a language model
// says only that is taken which stands in the text: names, quotes and values are looked
// up there, types, relations and times checked one by one.
//
//	ner         B  names by a network for each script; addresses and numbers by rules
//	            B' names by a CoreNLP server where the rules have none
//	            C  names by a language model; falls back to B where there is one, else A
//	preprocess  B  sentences by a network that labels their begins or ends
//	time        B  times by a CoreNLP server where the grammar has none
//	            C  a language model reads what the grammar is in doubt of, and nothing else
//	coref       B  pronouns by a CoreNLP server where the rules leave them alone
//	          A+C  a language model votes where two resolvers differ, and only there
//	relation    C  candidates by a language model, with "llm:NAME" as their source
//
// # What becomes a candidate
//
// Asserted statements about the speaker, a named person, a relative of the
// speaker ("Anna/sister") or, for where they live, work and study, the
// listener; an answer in a few words to the question of the turn before; an event
// with the time set for it. Questions, wishes, hypotheticals, plans without a
// time, courtesies, quotations and what unnamed others say are none. Of a sentence
// that ends in a question only what stands before the question is read.
//
// That something is over is a candidate too, however it is said ("sold", "no longer",
// "gave up", 卖了, 不再, 戒了), and so is what is put right ("not Thursday, Friday",
// 不是…是…). An event that was called off without its date ends with the value [Past];
// of tasks that are done only those that the space knows (Memory) are told.
//
// A candidate's valid interval is the widest that its clause allows: from the start
// of the time that it names ("moved last month"), to the end of it ("until 2019"); an
// ending that is told as past never lies after the turn.
//
// All offsets are bytes of the turn's text, half-open; the command line prints
// code points ([Result.JSON]). No input, valid UTF-8 or not, makes a stage
// panic or cost more than time linear in its length.
//
// Names come from rules and lists first, and from the tagger of package
// extract/tagger where these are silent; a name whose type the space knows
// ([Memory]) keeps it. A [Reading] gives a file of turns such a memory of its own
// ([Seen]).
//
// # Pronouns
//
// A third-person pronoun goes to the most salient of what was named before it, in
// the turn or else in the three turns before, that agrees with it: subjects, near
// ones, names and what was spoken of before come first (the weights are in
// coref_score.go). A referent is a name, a relative or somebody else without one, a
// pet, a thing, or several; a given name, a title or the noun beside a name tells
// its gender. An "it" of the weather, or whose clause follows, stands for nothing,
// and what may follow its pronoun is left alone. A fact is built on a pronoun only
// where its referent leads clearly (Coref.Subject). Left-out Chinese subjects are
// the relations' matter.
//
// # Names that are one
//
// With alias.jw, alias.token_set or alias.nickname on, a name that the space meets
// for the first time is compared with known ones that share a word with it, with the
// two who speak and with the turn's other names (a [NameMemory] finds them; its cost
// does not grow with the space): equal but for title, legal form or script; a short
// form of a given name; the given name of a full name just said; a slip of letters.
// Two who stand side by side, with other surnames, titles, types or numbers, or two
// spellings that are both names of their own, stay apart, and so does a name that
// may be several. The link is a candidate with the relation [AliasOf], of which
// assimilation makes a LINK.
//
// The word lists are in the folder lexicon; given.txt is written by given.py out of
// public-domain and MIT lists, nick.txt and person.txt are ours; wordnet.txt is written by wordnet.py
// out of WordNet, whose licence lies beside it.
//
// The package owns the predicate registry.
package extract
