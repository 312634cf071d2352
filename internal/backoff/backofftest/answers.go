// Package backofftest has what a server may answer to tests of clients that try again.
package backofftest

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
)

// Answer is what a server says to one try.
type Answer func(http.ResponseWriter)

// Says answers well.
func Says(body string) Answer {
	return func(w http.ResponseWriter) { fmt.Fprint(w, body) }
}

// Fails answers with a status, and wants to be left alone for so many seconds; 0 says nothing of that.
func Fails(code int, body string, seconds int) Answer {
	return func(w http.ResponseWriter) {
		if seconds > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(seconds))
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// Cut promises more than it sends.
func Cut(begin string) Answer {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, begin)
	}
}

// InTurn gives one answer a try; the last is given again and again.
type InTurn struct {
	Answers []Answer
	tries   atomic.Int32
}

// Answer answers the next try.
func (t *InTurn) Answer(w http.ResponseWriter) {
	t.Answers[min(int(t.tries.Add(1)), len(t.Answers))-1](w)
}

// Tries is how many were answered.
func (t *InTurn) Tries() int { return int(t.tries.Load()) }
