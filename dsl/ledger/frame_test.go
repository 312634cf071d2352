package ledger

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// sample is a message of a log of 4 partitions, with the records that it holds.
func sample() (p int, prev uint64, recs []Record) {
	p = Partition("ann", 4)
	other := ""
	for i := 0; other == ""; i++ {
		if s := fmt.Sprintf("s%d", i); Partition(s, 4) == p {
			other = s
		}
	}
	return p, 7, []Record{
		{Space: "ann", Seq: 1, Data: []byte(`{"a":1}`)},
		{Space: other, Seq: 258, Data: nil},
		{Space: "ann", Seq: 2, Data: []byte{0, 1, 2}},
	}
}

// group are records of several partitions of 4.
func group() []Record {
	return []Record{{Space: "ann", Seq: 3, Data: []byte("x")}, {Space: "eve", Seq: 1, Data: []byte("y")},
		{Space: "ann", Seq: 4, Data: nil}, {Space: "记忆", Seq: 9, Data: []byte("z")}}
}

// TestGolden holds the encoding to bytes that were written once and must never change.
func TestGolden(t *testing.T) {
	p, prev, recs := sample()
	for name, b := range map[string][]byte{"message.hex": encodeMessage(p, prev, recs), "group.hex": encodeMessage(Several, 8, group()), "item.hex": encodeItem([]byte("{}"))} {
		want, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(b); got != strings.TrimSpace(string(want)) {
			t.Errorf("%s: the encoding is\n%s\nand was\n%s", name, got, want)
		}
	}
}

func TestPartition(t *testing.T) {
	// The first 16 digits of printf default | sha256sum and of printf 记忆 | sha256sum, modulo P.
	for _, c := range []struct {
		space      string
		partitions int
		sum        uint64
	}{
		{"default", 16, 0x37a8eec1ce19687d},
		{"default", 7, 0x37a8eec1ce19687d},
		{"default", 1, 0x37a8eec1ce19687d},
		{"记忆", 16, 0x7a6335b379b9a161},
		{"记忆", 1000, 0x7a6335b379b9a161},
	} {
		if got := Partition(c.space, c.partitions); uint64(got) != c.sum%uint64(c.partitions) {
			t.Errorf("Partition(%q, %d) = %d", c.space, c.partitions, got)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	p, prev, recs := sample()
	roundTrip(t, p, prev, recs)
	if m := roundTrip(t, Several, 8, group()); Partition("ann", 4) == Partition("eve", 4) {
		t.Errorf("%+v is of one partition", m)
	}
}

func roundTrip(t *testing.T, p int, prev uint64, recs []Record) Message {
	t.Helper()
	m, err := decodeMessage(9, encodeMessage(p, prev, recs), 4)
	if err != nil {
		t.Fatal(err)
	}
	if m.Seq != 9 || m.Partition != p || m.Prev != prev || len(m.Records) != len(recs) {
		t.Fatalf("%+v", m)
	}
	for i, r := range m.Records {
		if r.Space != recs[i].Space || r.Seq != recs[i].Seq || !bytes.Equal(r.Data, recs[i].Data) {
			t.Errorf("record %d is %+v", i, r)
		}
	}
	// A record owns its data: appending to one must not write into the next.
	_ = append(m.Records[0].Data, "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"...)
	if m.Records[1].Space != recs[1].Space || !bytes.Equal(m.Records[2].Data, recs[2].Data) {
		t.Error("appending to a record's data changed another record")
	}
	return m
}

// TestEveryByteCounts changes each byte and cuts at each place: no such message may be taken.
func TestEveryByteCounts(t *testing.T) {
	p, prev, recs := sample()
	everyByteCounts(t, encodeMessage(p, prev, recs))
	everyByteCounts(t, encodeMessage(Several, 8, group()))
	item := encodeItem([]byte("data"))
	for i := range item {
		bad := bytes.Clone(item)
		bad[i] ^= 1
		if _, err := decodeItem(bad); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupportedFormat) {
			t.Fatalf("item byte %d flipped: %v", i, err)
		}
		if _, err := decodeItem(item[:i]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("item cut at %d: %v", i, err)
		}
	}
}

func everyByteCounts(t *testing.T, good []byte) {
	t.Helper()
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			if _, err := decodeMessage(9, bad, 4); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupportedFormat) {
				t.Fatalf("byte %d, bit %d flipped: %v", i, bit, err)
			}
		}
		if _, err := decodeMessage(9, good[:i], 4); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if _, err := decodeMessage(9, append(bytes.Clone(good), 0), 4); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a byte behind the last record: %v", err)
	}
}

// TestRefusesWhatIsNeverWritten gives the decoder messages with right checksums that the encoder would not make.
func TestRefusesWhatIsNeverWritten(t *testing.T) {
	p, prev, recs := sample()
	wrong := (p + 1) % 4
	count := encodeMessage(p, prev, recs)
	binary.BigEndian.PutUint32(count[18:], 1<<20)
	count = appendCRC(count[:22:22], 0)
	for name, c := range map[string]struct {
		b    []byte
		want error
		text string
	}{
		"another version":          {append([]byte("asoflog3"), encodeMessage(p, prev, recs)[8:]...), ErrUnsupportedFormat, `version '3'`},
		"a group of one partition": {resum(append([]byte("asoflog2"), encodeMessage(p, 8, recs)[8:]...)), ErrCorrupt, "partition "},
		"several in version 1":     {resum(append([]byte("asoflog1"), encodeMessage(Several, 8, recs)[8:]...)), ErrCorrupt, "partition 65535 of 4"},
		"a group after a gap":      {encodeMessage(Several, 7, recs), ErrCorrupt, "follows message 7"},
		"a jump in a group":        {encodeMessage(Several, 8, []Record{{Space: "ann", Seq: 1}, {Space: "eve", Seq: 1}, {Space: "ann", Seq: 3}}), ErrCorrupt, "from position 1 to 3"},
		"never ours":               {append([]byte("ASOFLOG1"), encodeMessage(p, prev, recs)[8:]...), ErrCorrupt, "begins with"},
		"empty":                    {nil, ErrCorrupt, "too few"},
		"no records":               {encodeMessage(p, prev, nil), ErrCorrupt, "0 records"},
		"a count beyond bytes":     {count, ErrCorrupt, "1048576 records in 26 bytes"},
		"partition too high":       {encodeMessage(4, prev, recs), ErrCorrupt, "partition 4 of 4"},
		"a space of another":       {encodeMessage(wrong, prev, recs), ErrCorrupt, "is of partition"},
		"follows itself":           {encodeMessage(p, 9, recs), ErrCorrupt, "follows message 9"},
		"position 0":               {encodeMessage(p, prev, []Record{{Space: "ann"}}), ErrCorrupt, "position 0"},
		"a jump":                   {encodeMessage(p, prev, []Record{{Space: "ann", Seq: 1}, {Space: "ann", Seq: 3}}), ErrCorrupt, "from position 1 to 3"},
		"no name":                  {encodeMessage(Partition("", 4), prev, []Record{{Seq: 1, Data: []byte("x")}}), ErrCorrupt, "no name"},
		"a control character":      {encodeMessage(Partition("a\x00", 4), prev, []Record{{Space: "a\x00", Seq: 1}}), ErrCorrupt, "control character"},
		"not UTF-8":                {encodeMessage(Partition("\xff", 4), prev, []Record{{Space: "\xff", Seq: 1}}), ErrCorrupt, "UTF-8"},
	} {
		_, err := decodeMessage(9, c.b, 4)
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) || !strings.Contains(fmt.Sprint(err), "message 9, byte ") {
			t.Errorf("%s: %v, want %v, its place and %q", name, err, c.want, c.text)
		}
	}
}

// resum puts a right checksum behind a changed header.
func resum(b []byte) []byte {
	copy(b, appendCRC(b[:messageHeaderSize-crcSize:messageHeaderSize-crcSize], 0))
	return b
}

func TestTokens(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("abcXYZ019_-=. *>é记\u200b/$")
	seen := map[string]string{}
	for i := range 5000 {
		name := make([]rune, 1+rnd.IntN(6))
		for k := range name {
			name[k] = alphabet[rnd.IntN(len(alphabet))]
		}
		space := string(name)
		if i == 0 {
			space = strings.Repeat("x", 65)
		}
		token := spaceToken(space)
		if other, ok := seen[token]; ok && other != space {
			t.Fatalf("%q and %q share the token %q", space, other, token)
		}
		seen[token] = space
		if strings.ContainsAny(token, ". *>\t\r\n") {
			t.Fatalf("%q has the token %q, which is none", space, token)
		}
		s := subjectsOf("ASOF")
		got, kind, err := s.parseItem(s.item(space, "turn"))
		if err != nil || got != space || kind != "turn" {
			t.Fatalf("%q comes back as %q, %q, %v", space, got, kind, err)
		}
	}
	for _, bad := range []string{"asof.in.=.turn", "asof.in.=YQ.turn", "asof.in.=YR.turn", "asof.in.a b.turn", "asof.in.a.Turn", "asof.in.a",
		"asof.in.a.turn.x", "asof.log.00", "other.in.a.turn", "asof.in.=_w.turn"} {
		if _, _, err := subjectsOf("ASOF").parseItem(bad); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q is taken: %v", bad, err)
		}
	}
	for _, bad := range []string{"asof.log.0", "asof.log.000", "asof.log.-1", "asof.log.+1", "asof.log.1.2", "x.log.01", "asof.log.", "asof.log.All", "x.log.all"} {
		if _, err := subjectsOf("ASOF").partition(bad); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q is taken: %v", bad, err)
		}
	}
	if p, err := subjectsOf("ASOF").partition("asof.log.123"); err != nil || p != 123 {
		t.Errorf("partition 123 comes back as %d, %v", p, err)
	}
}

func TestOptionsFaultsAllAtOnce(t *testing.T) {
	err := Options{Dir: "d", URL: "nowhere", CredsFile: "/does/not/exist", Stream: "low", Partitions: -1, Replicas: 9, MaxPayload: 1,
		Timeout: -1}.EnsureDefaults().Validate()
	for _, want := range []string{"exactly one", "nats://", "CredsFile", "Stream", "Partitions", "Replicas", "MaxPayload", "Timeout"} {
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
	if err := (Options{Dir: "d"}).EnsureDefaults().Validate(); err != nil {
		t.Error(err)
	}
	if err := (Options{Dir: "d", Replicas: 3}).EnsureDefaults().Validate(); !errors.Is(err, ErrInvalid) {
		t.Errorf("three replicas of an embedded log: %v", err)
	}
}

// FuzzDecodeMessage: whatever decodes encodes to the same bytes again.
func FuzzDecodeMessage(f *testing.F) {
	p, prev, recs := sample()
	f.Add(encodeMessage(p, prev, recs), true)
	f.Add(encodeMessage(p, prev, recs[:1]), false)
	f.Add(encodeMessage(Several, 1<<60-1, group()), true)
	f.Add([]byte("asoflog1"), false)
	f.Fuzz(func(t *testing.T, b []byte, repair bool) {
		if repair { // so that the fuzzer gets past the checksums
			b = repaired(b)
		}
		m, err := decodeMessage(1<<60, b, 4)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupportedFormat) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		if err := validBatch(m.Partition, 4, m.Records); err != nil {
			t.Fatalf("Append would refuse it: %v", err)
		}
		if again := encodeMessage(m.Partition, m.Prev, m.Records); !bytes.Equal(again, b) {
			t.Fatalf("%x decodes and encodes to %x", b, again)
		}
	})
}

// repaired puts right checksums where the lengths in b say they are.
func repaired(b []byte) []byte {
	b = bytes.Clone(b)
	fix := func(from, end int) {
		sum := appendCRC(bytes.Clone(b[from:end-crcSize]), 0)
		copy(b[end-crcSize:end], sum[len(sum)-crcSize:])
	}
	if len(b) < messageHeaderSize {
		return b
	}
	fix(0, messageHeaderSize)
	for off := messageHeaderSize; len(b)-off >= recordOverhead; {
		size := recordOverhead + int(binary.BigEndian.Uint32(b[off:])) + int(binary.BigEndian.Uint16(b[off+4:]))
		if size > len(b)-off {
			return b
		}
		fix(off, off+size)
		off += size
	}
	return b
}

// FuzzDecodeItem: whatever decodes encodes to the same bytes again.
func FuzzDecodeItem(f *testing.F) {
	f.Add(encodeItem([]byte("{}")))
	f.Add(encodeItem(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		data, err := decodeItem(b)
		if err == nil && !bytes.Equal(encodeItem(data), b) {
			t.Fatalf("%x decodes to %x and encodes otherwise", b, data)
		}
	})
}

// FuzzSubject: whatever is taken as a subject is spelled as we spell it.
func FuzzSubject(f *testing.F) {
	f.Add("asof.in.default.turn")
	f.Add("asof.in.=6K6w5b-G.ops")
	f.Add("asof.log.07")
	f.Add("asof.log.all")
	f.Fuzz(func(t *testing.T, subject string) {
		s := subjectsOf("ASOF")
		if space, kind, err := s.parseItem(subject); err == nil && s.item(space, kind) != subject {
			t.Fatalf("%q is taken for %q", subject, s.item(space, kind))
		}
		if p, err := s.partition(subject); err == nil && s.of(p) != subject {
			t.Fatalf("%q is taken for %q", subject, s.of(p))
		}
	})
}
