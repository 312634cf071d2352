package dsl_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/analyze"
)

// described are the objects of FORMAT.md.
var described = map[string]reflect.Type{
	"Transaction": reflect.TypeFor[dsl.Tx](),
	"Turn":        reflect.TypeFor[dsl.Turn](),
	"Attachment":  reflect.TypeFor[dsl.Attachment](),
	"Candidate":   reflect.TypeFor[dsl.Candidate](),
	"Span":        reflect.TypeFor[dsl.Span](),
	"Decision":    reflect.TypeFor[dsl.Decision](),
	"VersionRef":  reflect.TypeFor[dsl.VersionRef](),
	"Operation":   reflect.TypeFor[dsl.Op](),
	"Participant": reflect.TypeFor[dsl.Participant](),
	"Node":        reflect.TypeFor[dsl.Node](),
	"Settings":    reflect.TypeFor[dsl.Settings](),
	"Trigger":     reflect.TypeFor[dsl.TriggerDecision](),
	"Feature":     reflect.TypeFor[dsl.Feature](),
	"HeldRef":     reflect.TypeFor[dsl.HeldRef](),
	"Memory":      reflect.TypeFor[dsl.Memory](),
	"Held":        reflect.TypeFor[dsl.Held](),
	"Pending":     reflect.TypeFor[dsl.Pending](),
	"Gap":         reflect.TypeFor[dsl.Gap](),
}

// enumerations are the words of FORMAT.md; inChain are those that the golden
// chain must hold.
var enumerations = []struct {
	name           string
	words, inChain []string
}{
	{"kind of a transaction", list(dsl.TxTurn, dsl.TxCandidates, dsl.TxOps, dsl.TxDrop, dsl.TxBackfill), list(dsl.TxTurn, dsl.TxCandidates, dsl.TxOps, dsl.TxDrop, dsl.TxBackfill)},
	{"op", list(dsl.UpsertEdge, dsl.ArchiveEdge, dsl.RetroCorrectOp, dsl.UpsertEvent, dsl.Link), list(dsl.UpsertEdge, dsl.ArchiveEdge, dsl.RetroCorrectOp, dsl.UpsertEvent, dsl.Link)},
	{"kind of a link", list(dsl.AliasOf, dsl.MentionLink, dsl.EvidenceLink, dsl.EventLink), list(dsl.AliasOf, dsl.MentionLink, dsl.EvidenceLink, dsl.EventLink)},
	{"kind of a node", list(dsl.NodeKinds...), nil},
	{"polarity", list(dsl.Positive, dsl.Negative), list(dsl.Positive, dsl.Negative)},
	{"change", list(dsl.Assert, dsl.Correct, dsl.End), nil},
	{"action", list(dsl.Skip, dsl.Insert, dsl.Replace, dsl.Close, dsl.RetroCorrect, dsl.Hold, dsl.None), nil},
	{"trigger", list(dsl.Triggers...), nil},
	{"action of a trigger", list(dsl.TriggerActions...), nil},
	{"kind of a gap", list(dsl.GapKinds...), nil},
}

func list[T ~string](words ...T) []string {
	var s []string
	for _, w := range words {
		s = append(s, string(w))
	}
	return s
}

type member struct {
	name     string
	optional bool
}

// members gives the members of an object in the order of its fields.
func members(typ reflect.Type) []member {
	var list []member
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		list = append(list, member{name, options != ""})
	}
	return list
}

func formatPage(t *testing.T) string {
	t.Helper()
	return string(noErr(os.ReadFile("FORMAT.md"))(t))
}

// section gives the part of the page under a heading of the third level.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n### "+heading+"\n")
	if !ok {
		t.Fatalf("FORMAT.md has no section %q", heading)
	}
	if i := strings.Index(rest, "\n#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// TestFormatMembers holds the tables of members to the structs: every member, in
// order, marked where it may be absent.
func TestFormatMembers(t *testing.T) {
	page := formatPage(t)
	row := regexp.MustCompile("(?m)^\\| `([^`]+)`(\\?)? \\|")
	for name, typ := range described {
		var got []member
		for _, m := range row.FindAllStringSubmatch(section(t, page, name), -1) {
			got = append(got, member{m[1], m[2] == "?"})
		}
		want := members(typ)
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s:\nthe struct has %v\nthe page has  %v", name, want, got)
		}
		for i := 1; i < len(want); i++ {
			if want[i-1].name >= want[i].name {
				t.Errorf("%s: %s stands before %s: members are written in the order of the fields", name, want[i-1].name, want[i].name)
			}
		}
	}
}

func TestFormatWords(t *testing.T) {
	page := formatPage(t)
	for _, e := range enumerations {
		line := "| " + e.name + " | `" + strings.Join(e.words, "` `") + "` |"
		if !strings.Contains(page, line+"\n") {
			t.Errorf("FORMAT.md lacks the line\n%s", line)
		}
	}
}

func TestFormatConstants(t *testing.T) {
	page := formatPage(t)
	for what, value := range map[string]any{
		"version of the format":            dsl.FormatVersion,
		"name of a space, bytes":           dsl.MaxSpaceName,
		"id, bytes":                        dsl.MaxID,
		"name of a node or speaker, bytes": dsl.MaxName,
		"free text, bytes":                 dsl.MaxText,
		"attachments of a turn":            dsl.MaxAttachments,
		"operations of a transaction":      dsl.MaxOperations,
		"position":                         uint64(dsl.MaxSeq),
		"first instant, µs since 1970":     int64(dsl.MinInstant),
		"last instant, µs since 1970":      int64(dsl.MaxInstant),
		"first instant":                    dsl.MinInstant,
		"last instant":                     dsl.MaxInstant,
		"namespace of derived ids":         dsl.Namespace,
	} {
		line := fmt.Sprintf("| %s | `%v` |", what, value)
		if !strings.Contains(page, line+"\n") {
			t.Errorf("FORMAT.md lacks the line\n%s", line)
		}
	}
}

// TestFormatExamples holds the worked examples of the page.
func TestFormatExamples(t *testing.T) {
	page := formatPage(t)
	for _, c := range []struct{ input, id string }{
		{"4:node7:default6:entity4:anna", dsl.NodeID("default", dsl.Entity, "Anna")},
		{"4:fact7:default2:121:0", dsl.FactID("default", 12, 0)},
		{"5:event7:default2:121:3", dsl.EventID("default", 12, 3)},
		{"4:link7:default8:alias_of1:a1:b", dsl.LinkID("default", dsl.AliasOf, "a", "b")},
	} {
		if line := "| `" + c.input + "` | `" + c.id + "` |"; !strings.Contains(page, line+"\n") {
			t.Errorf("FORMAT.md lacks the line\n%s", line)
		}
	}
	if key := analyze.NormalizeName("Anna"); key != "anna" {
		t.Errorf("the key of Anna is %q", key)
	}
	if !strings.Contains(page, analyze.Version) {
		t.Errorf("FORMAT.md does not name the analysis %s", analyze.Version)
	}
	if !strings.Contains(page, "](ledger/FORMAT.md)") {
		t.Error("FORMAT.md does not link to the page of the log's messages")
	}
}

// TestFormatExport reads the page's example of an export as the page says.
func TestFormatExport(t *testing.T) {
	body := section(t, formatPage(t), "Example of an export")
	_, body, ok := strings.Cut(body, "```\n")
	if !ok {
		t.Fatal("no example")
	}
	body, _, _ = strings.Cut(body, "\n```")
	lines := strings.Split(body, "\n")
	entry := regexp.MustCompile(`^\{"entry":(\{.*\}),"sha256":"([0-9a-f]{64})"\}$`)
	var prev dsl.Hash
	var last *dsl.Tx
	for _, line := range lines[:len(lines)-1] {
		m := entry.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no entry: %s", line)
		}
		sum := sha256.Sum256([]byte(m[1]))
		if hex.EncodeToString(sum[:]) != m[2] {
			t.Errorf("the entry hashes to %x, the line says %s", sum, m[2])
		}
		tx, err := dsl.DecodeTx([]byte(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		if tx.Prev != prev {
			t.Errorf("%s does not follow", tx.Seq)
		}
		prev, last = dsl.Hash(sum), tx
		isCanonical(t, line)
	}
	head := fmt.Sprintf(`{"hash":"%s","position":%d,"space":"%s"}`, prev, last.Seq, last.Space)
	if got := lines[len(lines)-1]; got != head {
		t.Errorf("the head line is\n%s\nwant\n%s", got, head)
	}
	isCanonical(t, head)
}

func isCanonical(t *testing.T, line string) {
	t.Helper()
	if c, err := dsl.CanonicalValue([]byte(line)); err != nil || !bytes.Equal(c, []byte(line)) {
		t.Errorf("not canonical: %s (%v)", line, err)
	}
}
