package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asof-db/asof"
)

// asideLines reads what was set aside.
func asideLines(t *testing.T, file string) (out []asideLine) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		var l asideLine
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
}

// TestBadBytes sets lines aside that no text file holds: invalid UTF-8, and more
// than a line may have.
func TestBadBytes(t *testing.T) {
	dir := t.TempDir()
	turn := func(id, text string) string {
		return fmt.Sprintf(`{"id":%q,"speaker":"A","ts":"2024-01-01T10:00:00Z","text":"%s"}`, id, text) + "\n"
	}
	in := turn("1", "fine") + turn("2", "bad \xff byte") + turn("3", strings.Repeat("x", 1<<20)) + turn("4", "fine") +
		strings.TrimSuffix(turn("5", "the last, without its end"), "\n")
	file := filepath.Join(dir, "aside.jsonl")
	code, out, errOut := call(in, "ingest", "--dir", filepath.Join(dir, "m.db"), "--skip-bad", file, "--json")
	if code != 0 || !strings.Contains(out, `"turns":3,"new":3,`) || !strings.Contains(out, `"skipped":2`) {
		t.Fatalf("status %d, %s%s", code, out, errOut)
	}
	bad := asideLines(t, file)
	if len(bad) != 2 || bad[0].Line != 2 || bad[1].Line != 3 {
		t.Fatalf("set aside: %+v", bad)
	}
	if want := strings.TrimSuffix(turn("2", "bad \xff byte"), "\n"); string(bad[0].Base64) != want || bad[0].Text != "" {
		t.Errorf("the bytes of line 2 were not kept: %+v", bad[0])
	}
	if l := bad[1]; !l.Cut || l.Text == "" || len(l.Text) > 1<<16 || !strings.Contains(l.Reason, "1048576") {
		t.Errorf("line 3: cut %t, %d bytes, %q", l.Cut, len(l.Text), l.Reason)
	}
}

// TestLongRefusedTransaction holds that a transaction that is refused does not
// pile up in memory, and that the one after it is taken.
func TestLongRefusedTransaction(t *testing.T) {
	const long = 5*shedLines + 7
	var in strings.Builder
	for i := range long {
		fmt.Fprintf(&in, `{"tx":"long","at":"2024-01-0%dT00:00:00Z","op":"UPSERT_EDGE","src":"A","rel":"likes","dst":"x%d","valid":[null,null]}`+"\n", 1+min(i, 1), i)
	}
	in.WriteString(`{"tx":"short","at":"2024-01-03T00:00:00Z","op":"UPSERT_EDGE","src":"A","rel":"likes","dst":"y","valid":[null,null]}` + "\n")

	s := &lineSource{lines: asof.NewLines(strings.NewReader(in.String()), 1<<20), format: asof.FormatOps, opt: asof.ParseOptions{Space: "s"}}
	lines, entries := 0, []entry{}
	for e := range s.transactions {
		if len(e.lines) > shedLines || len(e.item.Ops) > 1 {
			t.Errorf("an entry of %d lines and %d operations is held", len(e.lines), len(e.item.Ops))
		}
		lines += len(e.lines)
		entries = append(entries, e)
	}
	if last := entries[len(entries)-1]; lines != long+1 || last.fault != nil || last.item.Ref != "short" {
		t.Errorf("%d lines, the last entry is %+v", lines, last)
	}
	for _, e := range entries[:len(entries)-1] {
		if e.fault == nil {
			t.Errorf("a part of the refused transaction is an item: lines %d…", e.lines[0].number)
		}
	}

	dir := t.TempDir()
	file := filepath.Join(dir, "aside.jsonl")
	code, out, errOut := call(in.String(), "ingest", "--format", "ops", "--dir", filepath.Join(dir, "m.db"), "--skip-bad", file, "--json")
	if code != 0 || !strings.Contains(out, `"new":1,`) || !strings.Contains(out, fmt.Sprintf(`"skipped":%d`, long)) {
		t.Fatalf("status %d, %s%s", code, out, errOut)
	}
	for i, l := range asideLines(t, file) {
		if want := i == 1; l.Line != i+1 || strings.Contains(l.Reason, "is not the") != want {
			t.Fatalf("line %d set aside as %+v", i+1, l)
		}
	}
}
