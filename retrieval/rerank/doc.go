// Package rerank orders the best of what a search found anew.
//
// Everything here is a function of values: the scores that the candidates came
// with, what is known of each, and the answers of a model where there is one. So
// a search that gives the same candidates gives the same order.
//
//   - MMR (Carbonell and Goldstein 1998) takes turns that say something new first.
//   - Rank adds signals to the score that a candidate came with: a linear ranker of
//     few, scale-free signals, each of which can only help (or only hurt), with
//     weights that stand in a text file.
//   - Blend puts the scores of a model, such as a cross-encoder, together with the
//     order that was there, by the mean of their z-scores.
//
// Each gives an order, as a list of places in the list that it was given. Places
// turns an order into scores: the n-th place has the n-th best of the scores that
// were there, so that hits of several kinds can still be put in one list.
//
// # Weights
//
// A ranker trained freely on one data set is worse than none on another. So every
// weight has a sign and a bound beforehand, and is pulled towards one value that
// all share: what the data say of a signal moves its weight, what they do not say
// leaves it. Train does that, and weights.txt names the command.
package rerank
