// Package backoff says how long to wait before a request is tried again. It waits for nothing itself,
// and uses neither clock nor randomness: the jitter comes from the request.
package backoff

import (
	"hash/fnv"
	"net/http"
	"strconv"
	"time"
)

// First is the middle of the pause before the second try, Most the longest pause.
const (
	First = 500 * time.Millisecond
	Most  = 30 * time.Second
)

// Pause gives the pause after a try, counted from 1. It grows by doubling from one half to three halves
// of First, and is at most Most: where in that range depends on the request, so that many callers do not
// come again all at once.
func Pause(request []byte, try int) time.Duration {
	h := fnv.New32a()
	h.Write(request)
	h.Write([]byte{byte(try)})
	jitter := time.Duration(h.Sum32() % uint32(First/time.Microsecond))
	return min(Most, (First/2+jitter*time.Microsecond)<<min(max(try-1, 0), 10))
}

// Asked reads how many seconds a server wants to be left alone, at most Most; 0 where it does not say.
// Dates are not honoured, for they would need a clock.
func Asked(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return min(Most, time.Duration(min(n, 3600))*time.Second)
}
