package dsl_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/asof-db/asof/dsl"
)

// accepted holds what must be true of bytes that a decoder took: they are the
// one canonical text of what it read.
func accepted(t *testing.T, b []byte, v any) {
	t.Helper()
	if again := noErr(dsl.Canonical(v))(t); !bytes.Equal(again, b) {
		t.Fatalf("%q was taken and is written %q", b, again)
	}
	if c := noErr(dsl.CanonicalValue(b))(t); !bytes.Equal(c, b) {
		t.Fatalf("%q was taken, RFC 8785 has %q", b, c)
	}
}

func FuzzDecodeTx(f *testing.F) {
	_, lines := chain(f)
	for _, line := range lines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tx, err := dsl.DecodeTx(b)
		if err != nil {
			if !errors.Is(err, dsl.ErrCorrupt) && !errors.Is(err, dsl.ErrUnsupportedFormat) {
				t.Fatalf("refused without a sentinel: %v", err)
			}
			return
		}
		accepted(t, b, tx)
	})
}

func fuzzDecode[T any](f *testing.F, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v T
		if err := dsl.Decode(b, &v); err == nil {
			accepted(t, b, v)
		} else if !errors.Is(err, dsl.ErrCorrupt) {
			t.Fatalf("refused without a sentinel: %v", err)
		}
	})
}

func FuzzText(f *testing.F) {
	fuzzDecode[dsl.Text](f, `{"p":"x"}`, `{"c":"AA==","k":"key"}`, `{"p":"x","":"y"}`, `{"ck":"x"}`)
}

func FuzzInstant(f *testing.F) {
	fuzzDecode[dsl.Instant](f, `"2023-05-08T00:00:00Z"`, `"0001-01-01T00:00:00.000001Z"`, `"2023-05-08T00:00:00,5Z"`, `null`)
}

func FuzzInterval(f *testing.F) {
	fuzzDecode[dsl.Interval](f, `[null,null]`, `["2023-05-08T00:00:00Z",null]`, `[null,"9999-12-31T23:59:59.999999Z"]`, `[null]`)
}
