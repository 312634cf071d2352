// Package tagger finds names of persons, organisations, places and works in
// English and Chinese text with a linear-chain conditional random field. It is
// the part of extract's entities that is learnt; extract's rules overrule it.
//
// [Tag] splits the text into tokens (a token is a character in Chinese), marks
// those that can belong to a name at all, gives each of them features (its form,
// shape, affixes and neighbours, what gazetteers and a word list know) and finds
// the best row of labels. All arithmetic is on integers: weights have eight bits,
// so that a text has the same names on every machine. The cost is linear in the
// length of the text.
//
// The weights and lists are in the folder data, whose README.md tells of what
// they were made, under which licences, and by which command: the program
// cmd/taggertrain, which uses this package's own features, so that the
// trained and the running tagger cannot differ. A golden file of features guards
// against a change here without a new training.
package tagger
