package retrieval

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

var update = flag.Bool("update", false, "rewrite testdata/conformance.golden from this machine's results")

// corpus reads testdata/conformance.txt, one transaction a line: a turn is
// "session | speaker | text", a fact "+ src | rel | dst".
func corpus(t testing.TB) *book {
	t.Helper()
	f, err := os.Open("testdata/conformance.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := new(book)
	lastTurn := ""
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line := sc.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fact := strings.HasPrefix(line, "+ ")
		part := strings.Split(strings.TrimPrefix(line, "+ "), " | ")
		if len(part) != 3 {
			t.Fatalf("bad line %q", line)
		}
		if fact {
			b.fact(fmt.Sprintf("f%02d", len(b.txs)), part[0], part[1], part[2], dsl.Since(minute(len(b.txs))), lastTurn)
			continue
		}
		lastTurn = fmt.Sprintf("t%02d", len(b.txs))
		b.turn(lastTurn, part[0], part[1], part[2])
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestConformance holds the exact bits of scores, on every processor: it is
// what the emulated one must pass too.
func TestConformance(t *testing.T) {
	const path = "testdata/conformance.golden"
	b := corpus(t)
	var out strings.Builder
	out.WriteString("# position, kinds, question; then kind, id, version, bits of the score\n")
	half := dsl.Seq(len(b.txs) / 2)
	for _, seq := range []dsl.Seq{half, dsl.Seq(len(b.txs))} {
		v := b.at(t, seq)
		for _, query := range []string{
			"Where does Ines keep the spare key?", "What did Tomasz plant in the garden?", "tomatoes", "when is the concert",
			"who", "Ines Tomasz 小雨", "小雨在哪里上班？", "谁喜欢爬山", "演唱会 concert ticket 票", "the boat's engine doesn't start",
			"Tomasz 的生日 and the cake", "unheard-of words only", "钥匙 key garden 花园 boat 船 2024",
		} {
			for _, kinds := range []string{"turn", "session", "fact", "turn,fact,event,session"} {
				list, err := ParseKinds(kinds)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%s %s %s\n", seq, kinds, query)
				for _, h := range find(t, v, Query{Text: query, Kinds: list, K: 8}).Hits {
					fmt.Fprintf(&out, "\t%s %s %d %016x\n", h.Kind, h.ID, h.Version, math.Float64bits(h.Score))
				}
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(out.String(), "\n"), strings.Split(string(golden), "\n")
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("line %d is\n%s\nwant\n%s\nif scores are meant to change, raise Version and run go test -run Conformance -update", i+1, got[i], want[i])
		}
	}
}
