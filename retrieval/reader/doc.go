// Package reader answers questions from evidence packs. A reader gets a frozen
// pack and nothing else of the memory, so that readers can be swapped over the
// same packs, and every answer names the turns that it rests on.
//
// # Readers
//
// Extractive needs no model: it takes the pack's sentences and facts apart, finds
// those that say what the question asks of, and cuts the answer out of them. Dates
// are resolved against the day of their turn, spans of time are computed, numbers
// are taken from what was stated last, several things are listed. Where the pack
// does not hold the answer it abstains and says why.
//
// Model puts the pack before a language model, with a prompt by the type of the
// question, which is read from the question alone (package question). It may
// abstain too.
//
// A Recorder keeps every call of a model, and answers the same call again from
// what it keeps, without the model.
//
// Both are functions of the pack, the question and the instant that it is asked
// at; neither reads a clock.
package reader
