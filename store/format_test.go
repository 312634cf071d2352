package store

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

// formatClasses reads the table of classes from FORMAT.md: the columns of each.
func formatClasses(t *testing.T, page string) map[byte][]string {
	t.Helper()
	classes := map[byte][]string{}
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 6 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if c := strings.Trim(cells[0], "`"); len(c) == 1 && cells[0] != c {
			if classes[c[0]] != nil {
				t.Errorf("FORMAT.md lists class %s twice", c)
			}
			classes[c[0]] = cells
		}
	}
	return classes
}

// constantClasses reads the constants of keys.go that begin with cl.
func constantClasses(t *testing.T) map[byte]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	classes := map[byte]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 || !regexp.MustCompile(`^cl[A-Z]`).MatchString(v.Names[0].Name) {
			return true
		}
		c, _, _, err := strconv.UnquoteChar(strings.Trim(v.Values[0].(*ast.BasicLit).Value, "'"), '\'')
		if err != nil {
			t.Fatal(err)
		}
		if classes[byte(c)] != "" {
			t.Errorf("%s and %s are one class", v.Names[0].Name, classes[byte(c)])
		}
		classes[byte(c)] = v.Names[0].Name
		return true
	})
	return classes
}

// TestFormatPage holds FORMAT.md to the code.
func TestFormatPage(t *testing.T) {
	b, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(b)), " ")
	told, have := formatClasses(t, string(b)), constantClasses(t)
	if len(have) < 20 {
		t.Fatalf("only %d classes were found in keys.go", len(have))
	}
	for c, name := range have {
		cells := told[c]
		if cells == nil {
			t.Errorf("FORMAT.md lacks class %c (%s)", c, name)
			continue
		}
		if cells[1] != classNames[c] {
			t.Errorf("class %c is a %q row in FORMAT.md and a %q row in messages", c, cells[1], classNames[c])
		}
		if isLogical(c) != (cells[5] == "logical") {
			t.Errorf("class %c is %s in FORMAT.md; it enters the digest: %t", c, cells[5], isLogical(c))
		}
		sum := 1
		for _, n := range regexp.MustCompile(` (\d+)`).FindAllStringSubmatch(cells[3], -1) {
			k, _ := strconv.Atoi(n[1])
			sum += k
		}
		want := strconv.Itoa(keyLengths[c])
		if c == clPosting {
			want = "n + 12"
		} else if sum != keyLengths[c] {
			t.Errorf("the fields of class %c take %d bytes in FORMAT.md, keys have %d", c, sum, keyLengths[c])
		}
		if cells[2] != want {
			t.Errorf("keys of class %c have length %s in FORMAT.md, want %s", c, cells[2], want)
		}
	}
	for c := range told {
		if have[c] == "" {
			t.Errorf("FORMAT.md lists class %c, keys.go has none", c)
		}
	}
	if tiers != [...]int{65536, 4096, ChunkDocs} {
		t.Errorf("tiers are %v", tiers)
	}
	for _, want := range []string{
		fmt.Sprintf("Format version %d.", FormatVersion),
		fmt.Sprintf("`testdata/golden/store-v%d.tar.zst`", FormatVersion),
		fmt.Sprintf("| `%02x %02x` | u32 format version", keyFormat[0], keyFormat[1]),
		fmt.Sprintf("| `%02x %02x` | u64: stream sequence", keyApplied[0], keyApplied[1]),
		fmt.Sprintf("| `%02x`, hash8 of a space's name | the name |", tableSpace),
		fmt.Sprintf("| `%02x`, hash8 of a space's name, class, rest |", tableData),
		fmt.Sprintf("Fields are `%c` (turns), `%c` (fact versions), `%c` (event versions)", TurnField, FactField, EventField),
		fmt.Sprintf("kinds of name are `%c` (sessions), `%c` (speakers)", nameSession, nameSpeaker),
		"transaction kinds " + list(txKinds), "op kinds " + list(opKinds), "link kinds " + list(linkKinds), "node kinds " + list(dsl.NodeKinds),
		fmt.Sprintf("%d open: sized(time); %d close; %d archive; %d evidence: str turn, float confidence; %d forget: str turn, float confidence left or 0",
			chOpen, chClose, chArchive, chEvidence, chForget),
		fmt.Sprintf("Body 1: %d none; %d entries: var count and as many sized(time), the open versions of a leaf, by valid start, then by opening; %d children:", bodyNone, bodyEntries, bodyKids),
		fmt.Sprintf("reach 1: %d within; %d diff(time); %d ∞", reachWithin, reachInstant, reachForever),
		fmt.Sprintf("more than %d open versions is cut into ⌈n / %d⌉", rowShape.leafMax, rowShape.leafFill),
		fmt.Sprintf("more than %d children into ⌈n / %d⌉", rowShape.kidsMax, rowShape.kidsFill),
		fmt.Sprintf("bit %d archived, %d confidence 1, %d valid from −∞, %d valid to ∞, %d a relation follows, %d a source, %d evidence, %d valid from the instant",
			bit(fArchived), bit(fSure), bit(fFromAlways), bit(fForever), bit(fRelation), bit(fSource), bit(fEvidence), bit(fSameInstant)),
		"number at least 4 + ⌊n/4⌋",
		fmt.Sprintf("each %d into a segment of tier 2, 16 of those into one of tier 1 (4,096), 16 of those into one of tier 0 (65,536)", ChunkDocs),
		fmt.Sprintf("parts of %d blocks, a part into blocks of %d postings", partBlocks, blockSize),
		fmt.Sprintf("1 to %d, if the block holds at least %d postings", maxImpacts, plainBlock),
		fmt.Sprintf("%d × tf + %d × context, and %d × length + %d × length of the context", OwnWeight, ContextWeight, OwnWeight, ContextWeight),
		fmt.Sprintf("code %d is tf 1 and context 0, %d is tf 0 and context 1, %d is tf 0 and context 2, %d is followed", codeOwn, codeOnce, codeTwice, codeOther),
		fmt.Sprintf("`%c`: the vectors of the tokens of one document", vecTokens),
		fmt.Sprintf("`%c`: the vector of one document, float32 little-endian, until %d are full. `%c`", vecTail, vectorChunk, vecFloat),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("FORMAT.md does not say %q", want)
		}
	}
}

func list[T ~string](names []T) string {
	var s []string
	for _, n := range names {
		s = append(s, string(n))
	}
	return strings.Join(s, ", ")
}

// bit gives the number of the only bit of a flag.
func bit(flag int) int { return slices.Index([]int{1, 2, 4, 8, 16, 32, 64, 128}, flag) }

// TestWholeNodeRule holds the rule to what FORMAT.md says.
func TestWholeNodeRule(t *testing.T) {
	for n := range 40 {
		leaf := treeNode{leaf: true, entries: make([]entry, n)}
		for !leaf.due() {
			leaf.since++
		}
		if leaf.since != 4+n/4 {
			t.Errorf("with %d open versions a whole leaf is due after %d changes, want %d", n, leaf.since, 4+n/4)
		}
	}
}

// TestDigestDefinition computes a digest by the words of FORMAT.md.
func TestDigestDefinition(t *testing.T) {
	var acc accumulator
	acc.add([]byte("nkey"), []byte("value"))
	acc.add([]byte("f"), nil)
	a, b := dsl.Sum([]byte("\x04nkeyvalue")), dsl.Sum([]byte("\x01f"))
	want := accumulator(a)
	want.addHash(b)
	if acc != want || acc.sub(accumulator(a)) != accumulator(b) {
		t.Errorf("the accumulator is %x, want %x", acc, want)
	}
	text := append([]byte("asof digest 1\n\x00\x00\x00\x00\x00\x00\x00\x07"), acc[:]...)
	if got := acc.digest(7); got != dsl.Sum(text) {
		t.Errorf("the digest is %s, want %s", got, dsl.Sum(text))
	}
	// Addition wraps modulo 2^256 and does not depend on order.
	var full accumulator
	for i := range full {
		full[i] = 0xff
	}
	one := dsl.Hash{31: 1}
	if full.addHash(one); full != (accumulator{}) {
		t.Errorf("2^256 − 1 and 1 give %x", full)
	}
}
