// Package question reads a question without a model: its language, the parts
// that are asked and those that are said beside them, the names in it and
// whether what they said or what is said of them is wanted, the time it speaks
// of, what kind of answer it is after, and whether the first or the last of
// several is. It knows English and Chinese, and both in one text.
//
// Everything here is a pure function of the text, the instant at which it is
// asked and what the caller's lookup knows. What is found is a cue, never a
// filter: a question that is read wrongly must still find its answer.
package question

// Version names the analysis. It changes whenever any question could be read
// otherwise.
const Version = "question/1"
