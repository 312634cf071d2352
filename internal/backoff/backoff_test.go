package backoff

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	different := map[time.Duration]bool{}
	for i := range 20 {
		request := fmt.Append(nil, "request ", i)
		for try := 1; try <= 12; try++ {
			got := Pause(request, try)
			if got != Pause(request, try) {
				t.Fatalf("request %d, try %d: two pauses", i, try)
			}
			low, high := min(Most, First/2<<min(try-1, 10)), min(Most, First*3/2<<min(try-1, 10))
			if got < low || got > high {
				t.Errorf("request %d, try %d: %s, want %s to %s", i, try, got, low, high)
			}
			if try == 1 {
				different[got] = true
			}
		}
	}
	if len(different) < 15 {
		t.Errorf("20 requests come again after %d different pauses", len(different))
	}
	if got := Pause(nil, 0); got < First/2 {
		t.Errorf("before the first try: %s", got)
	}
}

func TestAsked(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "99999999999": Most, "3600": Most, "-1": 0, "Mon, 30 Nov 2026 10:00:00 GMT": 0,
	} {
		if got := Asked(http.Header{"Retry-After": {value}}); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
