package dsl_test

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
)

// failer is what tests and properties have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameText holds the fast encoder to the general one.
func sameText(t failer, v any) []byte {
	t.Helper()
	want, wantErr := dsl.GeneralCanonical(v)
	got, gotErr := dsl.Canonical(v)
	if !bytes.Equal(got, want) || (gotErr == nil) != (wantErr == nil) {
		t.Fatalf("%+v is written\n%s (%v), in general\n%s (%v)", v, got, gotErr, want, wantErr)
	}
	return want
}

// sameTx holds the fast decoder to the general one: what it takes by itself the
// general one takes too, as the same value.
func sameTx(t failer, b []byte) {
	t.Helper()
	var want dsl.Tx
	wantErr := dsl.GeneralDecode(b, &want)
	if got, ok := dsl.ScanTx(b); ok && (wantErr != nil || !reflect.DeepEqual(*got, want)) {
		t.Fatalf("%q is taken as\n%+v\nin general it is (%v)\n%+v", b, *got, wantErr, want)
	}
	checked, checkedErr := dsl.GeneralDecodeTx(b)
	got, gotErr := dsl.DecodeTx(b)
	if (gotErr == nil) != (checkedErr == nil) || gotErr != nil && gotErr.Error() != checkedErr.Error() || !reflect.DeepEqual(got, checked) {
		t.Fatalf("%q is decoded as %+v (%v), in general as %+v (%v)", b, got, gotErr, checked, checkedErr)
	}
}

// bent changes a text a little: a byte, a stretch left out, one put in.
func bent(t *rapid.T, b []byte) []byte {
	at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
	switch rapid.IntRange(0, 3).Draw(t, "how") {
	case 0:
		b = bytes.Clone(b)
		b[at] = rapid.SampledFrom([]byte("0129\",:{}[]\\un.-eZT \x00\xff")).Draw(t, "byte")
		return b
	case 1:
		end := min(len(b), at+rapid.IntRange(1, 40).Draw(t, "length"))
		return append(bytes.Clone(b[:at]), b[end:]...)
	case 2:
		piece := rapid.SampledFrom([]string{`,"x":1`, `"`, `\u0008`, `\u001f`, `\/`, ` `, `0`, `.0`, `e0`, `-`, `{"p":""}`, `[]`, `null`, `,"ref":""`, `"kind":"`}).Draw(t, "piece")
		return append(append(bytes.Clone(b[:at]), piece...), b[at:]...)
	}
	return b[:at]
}

func TestFastCoders(t *testing.T) {
	t.Run("transaction", rapid.MakeCheck(func(t *rapid.T) {
		tx := transactions.Draw(t, "transaction")
		if rapid.IntRange(0, 3).Draw(t, "settings") > 0 {
			tx.Settings = nil // they are left to the general coders
		}
		b := sameText(t, &tx)
		sameTx(t, b)
		sameTx(t, bent(t, b))
	}))
	t.Run("turn", rapid.MakeCheck(func(t *rapid.T) {
		turn := turns.Draw(t, "turn")
		b := sameText(t, &turn)
		for _, b := range [][]byte{b, bent(t, b)} {
			var want dsl.Turn
			err := dsl.GeneralDecode(b, &want)
			if got, ok := dsl.ScanTurn(b); ok && (err != nil || !reflect.DeepEqual(*got, want)) {
				t.Fatalf("%q is taken as\n%+v\nin general it is (%v)\n%+v", b, *got, err, want)
			}
		}
	}))
	t.Run("candidates", rapid.MakeCheck(func(t *rapid.T) {
		sameText(t, rapid.SliceOfN(candidates, 0, 3).Draw(t, "candidates"))
	}))
}

// TestFastCodersAreUsed: what the log holds in daily use is not left to the
// general coders.
func TestFastCodersAreUsed(t *testing.T) {
	txs, lines := chain(t)
	for i, line := range lines {
		if txs[i].Settings != nil {
			continue
		}
		if _, ok := dsl.ScanTx(line); !ok {
			t.Errorf("the scanner leaves %s", line)
		}
		if b, ok := dsl.Print(&txs[i]); !ok || !bytes.Equal(b, line) {
			t.Errorf("the printer leaves %s", line)
		}
	}
}

// TestOddValuesHaveOneText: what has no text by the fast encoder has the general
// one's, or its error.
func TestOddValuesHaveOneText(t *testing.T) {
	far := dsl.Interval{Start: dsl.Forever, End: dsl.Beginning}
	for _, v := range []any{
		&dsl.Turn{ID: "\xff"}, &dsl.Turn{TS: dsl.Beginning}, (*dsl.Turn)(nil), (*dsl.Tx)(nil),
		&dsl.Tx{Operations: []dsl.Op{{Valid: &far}}}, &dsl.Tx{Operations: []dsl.Op{{Confidence: 1e-9}, {Confidence: -1}}},
		&dsl.Tx{Seq: 1 << 60}, []dsl.Candidate(nil), []dsl.Candidate{{Confidence: 1e300}, {Confidence: 5e-324}},
	} {
		sameText(t, v)
	}
}

func FuzzFastTx(f *testing.F) {
	_, lines := chain(f)
	for _, line := range lines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameTx(t, b) })
}

func BenchmarkDecodeTx(b *testing.B) {
	_, lines := chain(b)
	line := lines[1]
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dsl.DecodeTx(line); err != nil {
			b.Fatal(err)
		}
	}
}
