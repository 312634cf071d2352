package dsl_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

var update = flag.Bool("update", false, "write the golden files anew")

const goldenChain = "testdata/chain.golden.jsonl"

// TestGolden holds the canonical text byte for byte: a change of it is a change
// of format.
func TestGolden(t *testing.T) {
	txs, lines := chain(t)
	got := append(bytes.Join(lines, []byte("\n")), '\n')
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(goldenChain), 0o755), os.WriteFile(goldenChain, got, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want := noErr(os.ReadFile(goldenChain))(t)
	if !bytes.Equal(got, want) {
		t.Fatalf("the canonical text changed; want\n%s\ngot\n%s", want, got)
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(want, []byte("\n")), []byte("\n")) {
		tx, err := dsl.DecodeTx(line)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*tx, txs[i]) {
			t.Errorf("entry %d reads as\n%+v\nand was\n%+v", i, *tx, txs[i])
		}
		if i > 0 && tx.Prev != dsl.Sum(lines[i-1]) {
			t.Errorf("entry %d is not chained", i)
		}
		if again := noErr(tx.Encode())(t); !bytes.Equal(again, line) {
			t.Errorf("entry %d is written again as\n%s", i, again)
		}
	}
}

// TestVersionOneIsRead: an entry that a build before layer 2 wrote reads as it
// did, and is written again with the same bytes.
func TestVersionOneIsRead(t *testing.T) {
	file := noErr(os.ReadFile("testdata/chain.v1.golden.jsonl"))(t)
	for i, line := range bytes.Split(bytes.TrimSuffix(file, []byte("\n")), []byte("\n")) {
		tx, err := dsl.DecodeTx(line)
		if err != nil {
			t.Fatal(err)
		}
		if tx.Version != 1 || tx.Memory != nil || tx.Triggers != nil {
			t.Errorf("entry %d reads as version %d with layer 2", i, tx.Version)
		}
		if again := noErr(tx.Encode())(t); !bytes.Equal(again, line) {
			t.Errorf("entry %d is written again as\n%s", i, again)
		}
	}
}

// TestGoldenHasEverything tells when a new member or operation is missing from
// the golden chain.
func TestGoldenHasEverything(t *testing.T) {
	golden := string(noErr(os.ReadFile(goldenChain))(t))
	for name, typ := range described {
		for _, m := range members(typ) {
			if !strings.Contains(golden, `"`+m.name+`":`) {
				t.Errorf("no entry has %s.%s", name, m.name)
			}
		}
	}
	for _, list := range enumerations {
		for _, word := range list.inChain {
			if !strings.Contains(golden, `"`+word+`"`) {
				t.Errorf("no entry has %q", word)
			}
		}
	}
}

// TestDecodeRefuses changes single things of good entries.
func TestDecodeRefuses(t *testing.T) {
	_, lines := chain(t)
	first, second, third, last, gap := string(lines[0]), string(lines[1]), string(lines[2]), string(lines[3]), string(lines[4])
	for _, c := range []struct{ name, line, old, new string }{
		{"space before", first, `{"candidates"`, ` {"candidates"`},
		{"space within", first, `"kind":"turn"`, `"kind": "turn"`},
		{"line feed behind", first, `"v":2}`, "\"v\":2}\n"},
		{"something behind", first, `"v":2}`, `"v":2}{}`},
		{"cut", first, `"v":2}`, `"v":2`},
		{"unknown member", last, `"v":2}`, `"v":2,"w":1}`},
		{"unknown member of a turn", first, `"zone":`, `"yes":1,"zone":`},
		{"unknown member of an operation", third, `"op":"ARCHIVE_EDGE"`, `"op":"ARCHIVE_EDGE","p":1`},
		{"duplicate member", last, `"v":2}`, `"v":2,"v":2}`},
		{"other case", last, `"space":`, `"Space":`},
		{"other order", last, `"space":"default","time":"2023-11-15T22:13:20Z"`, `"time":"2023-11-15T22:13:20Z","space":"default"`},
		{"escape", first, `"Anna"`, `"\u0041nna"`},
		{"escaped slash", first, `rules/1`, `rules\/1`},
		{"HTML escape", first, `<today>`, `\u003ctoday>`},
		{"capital hex", first, `\u0001`, `\u0001\u000B`},
		{"long number", first, `"confidence":0.9`, `"confidence":0.90`},
		{"number with exponent", third, `"version":2`, `"version":2e0`},
		{"minus zero", second, `"confidence":0`, `"confidence":-0`},
		{"no number", first, `"confidence":0.9`, `"confidence":"0.9"`},
		{"huge position", second, `"position":2`, `"position":18014398509481984`},
		{"written default", third, `"op":"ARCHIVE_EDGE"`, `"op":"ARCHIVE_EDGE","retract":false`},
		{"empty list", last, `"kind":"drop"`, `"kind":"drop","nodes":[]`},
		{"empty list of an operation", third, `"id":`, `"evidence_id":[],"id":`},
		{"null list", last, `"kind":"drop"`, `"kind":"drop","nodes":null`},
		{"null turn", last, `"v":2}`, `"turn":null,"v":2}`},
		{"empty text", third, `"op":"ARCHIVE_EDGE"`, `"op":"ARCHIVE_EDGE","reason":{"p":""}`},
		{"text without envelope", first, `{"p":"a move"}`, `"a move"`},
		{"time with an offset", last, `2023-11-15T22:13:20Z`, `2023-11-15T22:13:20+00:00`},
		{"time with zeros", last, `2023-11-15T22:13:20Z`, `2023-11-15T22:13:20.000Z`},
		{"no time", last, `"time":"2023-11-15T22:13:20Z"`, `"time":null`},
		{"hash in capitals", last, `"prev":"`, `"prev":"F`},
		{"no hash", last, `"prev":"`, `"prev":"0`},
		{"other version", last, `"v":2}`, `"v":3}`},
		{"version 0", last, `"v":2}`, `"v":0}`},
		{"layer 2 in version 1", first, `"v":2}`, `"v":1}`},
		{"gap in version 1", gap, `"v":2}`, `"v":1}`},
		{"gap in operations", gap, `"kind":"backfill"`, `"kind":"ops"`},
		{"backfill without its gap", gap, gap[strings.Index(gap, `"gap":`):strings.Index(gap, `"kind":"backfill"`)], ``},
		{"candidate of no turn", gap, `,"turn":"t1"`, ``},
		{"gap of no kind", gap, `"kind":"empty"`, `"kind":"full"`},
		{"gap from turn 0", gap, `"from":1`, `"from":0`},
		{"gap turned around", gap, `"to":21`, `"to":0`},
		{"trigger of no kind", first, `"trigger":"salience"`, `"trigger":"whim"`},
		{"trigger without action", first, `"action":"wait"`, `"action":"sit"`},
		{"trigger with a missing operation", first, `"operations":[3]`, `"operations":[4]`},
		{"salience above 1", first, `"salience":0.75`, `"salience":1.75`},
		{"salience written as 0", first, `"salience":0.75`, `"salience":0`},
		{"feature below 0", first, `"value":0.5`, `"value":-0.5`},
		{"tokens below 0", first, `"tokens":12`, `"tokens":-12`},
		{"candidate held of position 2", first, `{"candidate":0,"position":1}`, `{"candidate":0,"position":2}`},
		{"held of position 0", first, `"position":1,"turn":1`, `"position":0,"turn":1`},
		{"memory before any session", first, `"sessions":2`, `"sessions":0`},
		{"memory since turn 0", first, `"since":3`, `"since":0`},
		{"memory with a negative count", first, `"strong":1`, `"strong":-1`},
		{"pending version 0", first, `"turn":1,"version":1`, `"turn":1,"version":0`},
		{"no space", last, `"space":"default"`, `"space":""`},
		{"control character in the space", last, `"space":"default"`, `"space":"de\tfault"`},
		{"other kind", last, `"kind":"drop"`, `"kind":"dropp"`},
		{"operations in a drop", third, `"kind":"ops"`, `"kind":"drop"`},
		{"turn in operations", first, `"kind":"turn"`, `"kind":"ops"`},
		{"candidates without their turn", second, `,"turn_id":"t1"`, ``},
		{"other turn", first, `I moved`, `I mowed`},
		{"other turn id", first, `"id":"t1"`, `"id":"t2"`},
		{"other candidates", first, `"confidence":0.9,`, `"confidence":0.8,`},
		{"other settings", first, `"analyzer":"a/1"`, `"analyzer":"a/2"`},
		{"settings out of order", first, `"config":{"k":[1,2.5]}`, `"config":{"k":[1,2.50]}`},
		{"first without settings", first, first[strings.Index(first, `"settings":`):strings.Index(first, `"settings_hash"`)], ``},
		{"first with a previous one", first, `"prev":"0`, `"prev":"1`},
		{"second without a previous one", second, second[strings.Index(second, `"prev":`):strings.Index(second, `,"settings_hash"`)], `"prev":"` + strings.Repeat("0", 64) + `"`},
		{"position 0", last, `"position":4`, `"position":0`},
		{"decision about nothing", first, `"candidate":0`, `"candidate":1`},
		{"decision with a missing operation", first, `"operations":[0,2]`, `"operations":[0,4]`},
		{"decision with operation -1", first, `"operations":[0,2]`, `"operations":[-1,2]`},
		{"no decision", second, second[strings.Index(second, `"decisions":`):strings.Index(second, `"kind":"cand`)], ``},
		{"operation without id", third, `"id":"` + dsl.FactID("default", 1, 0) + `","op":"ARCHIVE_EDGE"`, `"id":"","op":"ARCHIVE_EDGE"`},
		{"confidence above 1", third, `"confidence":1,`, `"confidence":1.5,`},
		{"interval turned around", third, `["2023-11-14T22:13:20Z","2023-11-15T22:13:20Z"]`, `["2023-11-15T22:13:20Z","2023-11-14T22:13:20Z"]`},
		{"node of no kind", first, `"kind":"entity","name"`, `"kind":"thing","name"`},
		{"node without a name", first, `{"p":"Berlin"}}`, `{"p":""}}`},
		{"a surrogate", first, `I moved`, `\ud800 moved`},
		{"invalid UTF-8", first, `I moved`, "\xff moved"},
	} {
		if strings.Count(c.line, c.old) == 0 {
			t.Errorf("%s: the entry has no %s", c.name, c.old)
			continue
		}
		bad := strings.Replace(c.line, c.old, c.new, 1)
		want := dsl.ErrCorrupt
		if strings.Contains(c.name, "version 0") && c.line == last || c.name == "other version" {
			want = dsl.ErrUnsupportedFormat
		}
		if _, err := dsl.DecodeTx([]byte(bad)); !errors.Is(err, want) {
			t.Errorf("%s: want %v, got %v", c.name, want, err)
		}
	}
}

// TestDecodeFindsEveryFlippedBit flips every bit of an entry whose hash is
// known: each flip is refused or seen in the hash.
func TestDecodeFindsEveryFlippedBit(t *testing.T) {
	_, lines := chain(t)
	line := lines[1]
	for i := range line {
		for bit := range 8 {
			bad := bytes.Clone(line)
			bad[i] ^= 1 << bit
			tx, err := dsl.DecodeTx(bad)
			if err != nil {
				continue
			}
			if again := noErr(tx.Encode())(t); dsl.Sum(again) != dsl.Sum(bad) || dsl.Sum(again) == dsl.Sum(line) {
				t.Errorf("byte %d, bit %d: reads as another entry", i, bit)
			}
		}
	}
}

func TestTooManyOperations(t *testing.T) {
	txs, _ := chain(t)
	tx := txs[2]
	tx.Operations = make([]dsl.Op, dsl.MaxOperations+1)
	for i := range tx.Operations {
		tx.Operations[i] = dsl.Op{Kind: dsl.ArchiveEdge, ID: "f"}
	}
	if _, err := dsl.DecodeTx(noErr(tx.Encode())(t)); !errors.Is(err, dsl.ErrCorrupt) {
		t.Errorf("%d operations: %v", len(tx.Operations), err)
	}
	tx.Operations = tx.Operations[1:]
	if _, err := dsl.DecodeTx(noErr(tx.Encode())(t)); err != nil {
		t.Errorf("%d operations: %v", len(tx.Operations), err)
	}
}

func TestEncodeRefuses(t *testing.T) {
	txs, _ := chain(t)
	for name, change := range map[string]func(*dsl.Tx){
		"invalid UTF-8":         func(tx *dsl.Tx) { tx.Space = "\xff" },
		"invalid UTF-8 in text": func(tx *dsl.Tx) { tx.Operations[0].Reason = dsl.Plain("a\xc3") },
		"invalid UTF-8 in key":  func(tx *dsl.Tx) { tx.Operations[0].Reason = dsl.Sealed("\xff", nil) },
		"time without text":     func(tx *dsl.Tx) { tx.Time = dsl.MaxInstant + 1 },
		"interval at no end":    func(tx *dsl.Tx) { tx.Operations[0].Valid = &dsl.Interval{Start: dsl.Forever, End: dsl.Forever} },
	} {
		tx := txs[2]
		tx.Operations = append([]dsl.Op(nil), tx.Operations...)
		change(&tx)
		if b, err := tx.Encode(); err == nil {
			t.Errorf("%s is written as %s", name, b)
		}
	}
}
