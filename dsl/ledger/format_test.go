package ledger

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestFormatPage holds FORMAT.md to the constants: each line below must stand in it as it is.
func TestFormatPage(t *testing.T) {
	b, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	const s, n = 100, 1000 // lengths for which the symbolic offsets are checked
	rec := RecordSize(Record{Space: strings.Repeat("x", s), Data: make([]byte, n)})
	if rec != recordHeaderSize+s+n+crcSize {
		t.Fatalf("a record of %d and %d bytes takes %d", s, n, rec)
	}
	sub := subjectsOf(DefaultStream)
	for _, want := range []string{
		fmt.Sprintf("Header, %d bytes:", messageHeaderSize),
		fmt.Sprintf("| 0 | %d | magic `%s`;", magicSize, messageMagic),
		"| 8 | 2 | partition,",
		"| 10 | 8 | stream sequence",
		fmt.Sprintf("| 18 | 4 | number of records, 1 to %d |", MaxRecords),
		fmt.Sprintf("| %d | %d | checksum of bytes 0 to %d |", messageHeaderSize-crcSize, crcSize, messageHeaderSize-crcSize-1),
		fmt.Sprintf("A record, %d bytes and its space and data:", recordOverhead),
		"| 0 | 4 | length of the data, n |",
		fmt.Sprintf("| 4 | 2 | length of the space's name, s, 1 to %d |", MaxSpaceBytes),
		"| 6 | 8 | the space's position, from 1 |",
		fmt.Sprintf("| %d | s | the space's name:", recordHeaderSize),
		fmt.Sprintf("| %d+s | n | the data,", recordHeaderSize),
		fmt.Sprintf("| %d+s+n | %d | checksum of bytes 0 to %d+s+n of the record |", recordHeaderSize, crcSize, recordHeaderSize-1),
		fmt.Sprintf("| 0 | %d | magic `%s`;", magicSize, itemMagic),
		fmt.Sprintf("| %d | n | the data,", itemHeaderSize),
		fmt.Sprintf("| %d+n | %d | checksum of bytes 0 to %d+n |", itemHeaderSize, crcSize, itemHeaderSize-1),
		fmt.Sprintf("%d bytes by default, of which %d are left", DefaultMaxPayload, headersReserve),
		fmt.Sprintf("| `%s` | `%s` |", DefaultStream, sub.allLog()),
		fmt.Sprintf("| `%s` | `%s` |", DefaultStream+intakeSuffix, sub.allItems()),
		fmt.Sprintf("`%s`, `%s`, `%s`", sub.log(0), sub.log(7), sub.log(123)),
		fmt.Sprintf("1 ≤ P ≤ %d, %d by default", MaxPartitions, DefaultPartitions),
		fmt.Sprintf("**Kind**: 1 to %d of", MaxKindBytes),
		fmt.Sprintf("`%s` = `%s`, `%s` = P", metaFormat, formatVersion, metaPartitions),
		fmt.Sprintf("duplicate window %d ms", duplicateWindow.Milliseconds()),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("FORMAT.md does not say %q", want)
		}
	}
	for _, space := range []string{"default", "a.b", "记忆"} {
		if want := fmt.Sprintf("`%s` → `%s`", space, spaceToken(space)); !strings.Contains(page, want) {
			t.Errorf("FORMAT.md does not say %q", want)
		}
	}
}
