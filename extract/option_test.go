package extract

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
)

func TestFateOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Fate
	}{
		{nil, Taken},
		{fmt.Errorf("no: %w", ErrMalformed), Malformed},
		{fmt.Errorf("no: %w", ErrNonsense), Nonsense},
		{ErrTooLong, TooLong},
		{fmt.Errorf("asked: %w", context.DeadlineExceeded), Late},
		{fmt.Errorf("asked: %w", os.ErrDeadlineExceeded), Late}, // a net.Error of a connection
		{context.Canceled, Failed},
		{errors.New("500"), Failed},
	} {
		if got := FateOf(c.err); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
		if a := (Answer{Fate: FateOf(c.err)}); a.FellBack() != (c.err != nil) {
			t.Errorf("%v: fell back %t", c.err, a.FellBack())
		}
	}
}
