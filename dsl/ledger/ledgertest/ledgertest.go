// Package ledgertest is the conformance suite of ledgers: what every implementation must do, run over each of them.
package ledgertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/asof-db/asof/dsl/ledger"
)

// Run runs the suite. open gives an empty ledger of 4 or more partitions; the suite closes it.
func Run(t *testing.T, open func(t *testing.T) ledger.Ledger) {
	t.Helper()
	for _, c := range []struct {
		name string
		run  func(t *testing.T, l ledger.Ledger)
	}{
		{"Empty", testEmpty},
		{"AppendRead", testAppendRead},
		{"CompareAndSet", testCompareAndSet},
		{"OneWinner", testOneWinner},
		{"Groups", testGroups},
		{"GroupOwners", testGroupOwners},
		{"Refusals", testRefusals},
		{"Sizes", testSizes},
		{"ReadFrom", testReadFrom},
		{"CallersError", testCallersError},
		{"CancelledContext", testCancelled},
		{"Follow", testFollow},
		{"FollowEndsAtClose", testFollowClose},
		{"Intake", testIntake},
		{"Closed", testClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			defer func() {
				if err := l.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			c.run(t, l)
		})
	}
}

// SpaceOf gives the n-th space name, from 0, whose partition is p of a log with the given number of partitions.
func SpaceOf(p, partitions, n int) string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("space-%d", i)
		if ledger.Partition(name, partitions) == p {
			if n == 0 {
				return name
			}
			n--
		}
	}
}

// Collect reads the whole log from a sequence on.
func Collect(ctx context.Context, l ledger.Ledger, from uint64) ([]ledger.Message, error) {
	var all []ledger.Message
	err := l.Read(ctx, from, func(m ledger.Message) error {
		all = append(all, m)
		return nil
	})
	return all, err
}

func one(space string, seq uint64, data string) []ledger.Record {
	return []ledger.Record{{Space: space, Seq: seq, Data: []byte(data)}}
}

func mustAppend(t *testing.T, l ledger.Ledger, p int, expect uint64, recs []ledger.Record) uint64 {
	t.Helper()
	seq, err := l.Append(t.Context(), p, expect, recs)
	if err != nil {
		t.Fatalf("append to %d after %d: %v", p, expect, err)
	}
	return seq
}

func wantLast(t *testing.T, l ledger.Ledger, want map[int]uint64, wantLast uint64) {
	t.Helper()
	per, last, err := l.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(per) != l.Partitions() || last != wantLast {
		t.Fatalf("Last: %d partitions and last %d, want %d and %d", len(per), last, l.Partitions(), wantLast)
	}
	for p, seq := range per {
		if seq != want[p] {
			t.Errorf("partition %d ends at %d, want %d", p, seq, want[p])
		}
	}
}

func testEmpty(t *testing.T, l ledger.Ledger) {
	if l.Partitions() < 4 {
		t.Fatalf("the suite needs 4 partitions, not %d", l.Partitions())
	}
	wantLast(t, l, nil, 0)
	for _, from := range []uint64{0, 1, 7} {
		if all, err := Collect(t.Context(), l, from); err != nil || len(all) != 0 {
			t.Errorf("an empty log read from %d gives %d messages, %v", from, len(all), err)
		}
	}
}

func testAppendRead(t *testing.T, l ledger.Ledger) {
	n := l.Partitions()
	a, b, c := SpaceOf(1, n, 0), SpaceOf(1, n, 1), SpaceOf(3, n, 0)
	batch := []ledger.Record{
		{Space: a, Seq: 1, Data: []byte("a1")},
		{Space: b, Seq: 7, Data: nil},
		{Space: a, Seq: 2, Data: []byte{0, 255, 10}},
	}
	sent := append([]ledger.Record(nil), batch...)
	sent[0].Data = []byte("a1") // so that what the ledger keeps can be told from what we change below
	s1 := mustAppend(t, l, 1, 0, sent)
	sent[0].Data[0] = 'X'
	s2 := mustAppend(t, l, 3, 0, one(c, 1, "c1"))
	s3 := mustAppend(t, l, 1, s1, one(a, 3, "a3"))
	if s1 != 1 || s2 != 2 || s3 != 3 {
		t.Errorf("sequences %d, %d, %d, want 1, 2, 3", s1, s2, s3)
	}
	wantLast(t, l, map[int]uint64{1: s3, 3: s2}, s3)
	got, err := Collect(t.Context(), l, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []ledger.Message{
		{Seq: s1, Partition: 1, Prev: 0, Records: batch},
		{Seq: s2, Partition: 3, Prev: 0, Records: one(c, 1, "c1")},
		{Seq: s3, Partition: 1, Prev: s1, Records: one(a, 3, "a3")},
	}
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d", len(got), len(want))
	}
	for i := range want {
		if !equalMessage(got[i], want[i]) {
			t.Errorf("message %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func equalRecord(a, b ledger.Record) bool {
	return a.Space == b.Space && a.Seq == b.Seq && bytes.Equal(a.Data, b.Data)
}

func testCompareAndSet(t *testing.T, l ledger.Ledger) {
	s := SpaceOf(2, l.Partitions(), 0)
	for _, expect := range []uint64{1, 99} {
		if _, err := l.Append(t.Context(), 2, expect, one(s, 1, "x")); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("append after %d to an empty partition: %v, want ErrConflict", expect, err)
		}
	}
	first := mustAppend(t, l, 2, 0, one(s, 1, "x"))
	other := mustAppend(t, l, 0, 0, one(SpaceOf(0, l.Partitions(), 0), 1, "y")) // another partition does not matter
	second := mustAppend(t, l, 2, first, one(s, 2, "x"))
	for _, expect := range []uint64{0, first, other, second + 1} {
		if _, err := l.Append(t.Context(), 2, expect, one(s, 3, "x")); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("append after %d: %v, want ErrConflict", expect, err)
		}
	}
	// The same bytes again are no duplicate to be swallowed: only the expectation decides.
	again := mustAppend(t, l, 2, second, one(s, 2, "x"))
	wantLast(t, l, map[int]uint64{0: other, 2: again}, again)
}

func testOneWinner(t *testing.T, l ledger.Ledger) {
	const owners = 8
	s := SpaceOf(1, l.Partitions(), 0)
	var last uint64
	for round := range 5 {
		var wg sync.WaitGroup
		seqs, errs := make([]uint64, owners), make([]error, owners)
		for i := range owners {
			wg.Go(func() {
				seqs[i], errs[i] = l.Append(t.Context(), 1, last, one(s, uint64(round)+1, fmt.Sprint(i)))
			})
		}
		wg.Wait()
		won := 0
		for i, err := range errs {
			switch {
			case err == nil:
				won++
				last = seqs[i]
			case !errors.Is(err, ledger.ErrConflict):
				t.Errorf("owner %d: %v", i, err)
			}
		}
		if won != 1 {
			t.Fatalf("round %d has %d winners", round, won)
		}
	}
	if all, err := Collect(t.Context(), l, 1); err != nil || len(all) != 5 {
		t.Errorf("%d messages after 5 rounds, %v", len(all), err)
	}
}

// testGroups appends messages of several partitions between those of one.
func testGroups(t *testing.T, l ledger.Ledger) {
	n := l.Partitions()
	a, b, c := SpaceOf(1, n, 0), SpaceOf(2, n, 0), SpaceOf(3, n, 0)
	group := []ledger.Record{{Space: b, Seq: 1, Data: []byte("b1")}, {Space: a, Seq: 2, Data: []byte("a2")}, {Space: b, Seq: 2}}
	if !l.Groups() {
		if _, err := l.Append(t.Context(), ledger.Several, 0, group); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("a ledger without groups takes one: %v", err)
		}
		wantLast(t, l, nil, 0)
		return
	}
	if _, err := l.Append(t.Context(), ledger.Several, 0, []ledger.Record{{Space: a, Seq: 1}, {Space: b, Seq: 1}, {Space: a, Seq: 3}}); !errors.Is(err, ledger.ErrInvalid) {
		t.Errorf("positions that jump: %v, want ErrInvalid", err)
	}
	s1 := mustAppend(t, l, 1, 0, one(a, 1, "a1"))
	for _, expect := range []uint64{0, s1 + 1} {
		if _, err := l.Append(t.Context(), ledger.Several, expect, group); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("a group after %d: %v, want ErrConflict", expect, err)
		}
	}
	s2 := mustAppend(t, l, ledger.Several, s1, group)
	every := map[int]uint64{}
	for p := range n {
		every[p] = s2
	}
	wantLast(t, l, every, s2)
	// It is the last message of every partition, of those too that it has no record of.
	for p, expect := range map[int]uint64{1: s1, 2: 0, 3: 0} {
		if _, err := l.Append(t.Context(), p, expect, one(SpaceOf(p, n, 0), 3, "x")); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("partition %d after %d: %v, want ErrConflict", p, expect, err)
		}
	}
	s3 := mustAppend(t, l, 3, s2, one(c, 1, "c1"))
	if _, err := l.Append(t.Context(), ledger.Several, s2, one(a, 3, "x")); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("a group that does not know of the last message: %v, want ErrConflict", err)
	}
	s4 := mustAppend(t, l, ledger.Several, s3, one(a, 3, "a3"))
	s5 := mustAppend(t, l, 2, s4, one(b, 3, "b3"))
	every[2] = s5
	for p := range n {
		if p != 2 {
			every[p] = s4
		}
	}
	wantLast(t, l, every, s5)
	want := []ledger.Message{
		{Seq: s1, Partition: 1, Prev: 0, Records: one(a, 1, "a1")},
		{Seq: s2, Partition: ledger.Several, Prev: s1, Records: group},
		{Seq: s3, Partition: 3, Prev: s2, Records: one(c, 1, "c1")},
		{Seq: s4, Partition: ledger.Several, Prev: s3, Records: one(a, 3, "a3")},
		{Seq: s5, Partition: 2, Prev: s4, Records: one(b, 3, "b3")},
	}
	for from := range len(want) {
		got, err := Collect(t.Context(), l, uint64(from+1))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want[from:], equalMessage) {
			t.Errorf("from %d: %+v, want %+v", from+1, got, want[from:])
		}
	}
}

func equalMessage(a, b ledger.Message) bool {
	return a.Seq == b.Seq && a.Partition == b.Partition && a.Prev == b.Prev && slices.EqualFunc(a.Records, b.Records, equalRecord)
}

// testGroupOwners has owners append groups and single messages at once, each by what it last saw: what is stored is in order,
// and nothing that was acknowledged is missing.
func testGroupOwners(t *testing.T, l ledger.Ledger) {
	if !l.Groups() {
		t.Skip("this ledger has no messages of several partitions")
	}
	const owners, rounds = 4, 12
	n := l.Partitions()
	acked := make([][]uint64, owners)
	var wg sync.WaitGroup
	for i := range owners {
		wg.Go(func() {
			for done := 0; done < rounds; {
				per, last, err := l.Last(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				p, expect := i%3+1, per[i%3+1]
				recs := one(SpaceOf(p, n, 0), uint64(done+1), fmt.Sprint(i))
				if (i+done)%2 == 0 {
					p, expect = ledger.Several, last
					recs = append(recs, one(SpaceOf((i+1)%3+1, n, 1), 1, fmt.Sprint(i))...)
				}
				seq, err := l.Append(t.Context(), p, expect, recs)
				switch {
				case err == nil:
					acked[i] = append(acked[i], seq)
					done++
				case !errors.Is(err, ledger.ErrConflict):
					t.Errorf("owner %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	all, err := Collect(t.Context(), l, 1)
	if err != nil || len(all) != owners*rounds {
		t.Fatalf("%d messages, %v, want %d", len(all), err, owners*rounds)
	}
	for i, seqs := range acked {
		for _, seq := range seqs {
			if got := string(all[seq-1].Records[0].Data); got != fmt.Sprint(i) {
				t.Errorf("message %d is of owner %s, acknowledged to %d", seq, got, i)
			}
		}
	}
}

func testRefusals(t *testing.T, l ledger.Ledger) {
	n := l.Partitions()
	s, other := SpaceOf(1, n, 0), SpaceOf(2, n, 0)
	for _, c := range []struct {
		name string
		p    int
		recs []ledger.Record
	}{
		{"negative partition", -2, one(s, 1, "x")},
		{"partition out of range", n, one(s, 1, "x")},
		{"no records", 1, nil},
		{"position 0", 1, one(s, 0, "x")},
		{"another partition's space", 1, one(other, 1, "x")},
		{"no space", ledger.Partition("", n), one("", 1, "x")},
		{"space not UTF-8", ledger.Partition("\xff", n), one("\xff", 1, "x")},
		{"space with a newline", ledger.Partition("a\nb", n), one("a\nb", 1, "x")},
		{"space too long", 1, one(strings.Repeat("x", ledger.MaxSpaceBytes+1), 1, "x")},
		{"positions that jump", 1, append(one(s, 1, "x"), one(s, 3, "x")...)},
		{"a position twice", 1, append(one(s, 1, "x"), one(s, 1, "x")...)},
		{"positions that jump around another space", 1,
			append(append(one(s, 1, "x"), one(SpaceOf(1, n, 1), 5, "x")...), one(s, 3, "x")...)},
	} {
		if _, err := l.Append(t.Context(), c.p, 0, c.recs); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", c.name, err)
		}
	}
	wantLast(t, l, nil, 0)
}

func testSizes(t *testing.T, l ledger.Ledger) {
	s := SpaceOf(1, l.Partitions(), 0)
	limit := l.MaxBatchBytes()
	fit := ledger.Record{Space: s, Seq: 1}
	fit.Data = bytes.Repeat([]byte{'x'}, limit-ledger.EncodedSize(fit))
	over := ledger.Record{Space: s, Seq: 1, Data: append(bytes.Clone(fit.Data), 'x')}
	_, err := l.Append(t.Context(), 1, 0, []ledger.Record{over})
	if !errors.Is(err, ledger.ErrTooLarge) || !strings.Contains(err.Error(), fmt.Sprint(limit)) ||
		!strings.Contains(err.Error(), fmt.Sprint(limit+1)) {
		t.Errorf("a record one byte too large: %v, want ErrTooLarge with both sizes", err)
	}
	if _, err := l.Append(t.Context(), 1, 0, []ledger.Record{fit, {Space: s, Seq: 2}}); !errors.Is(err, ledger.ErrTooLarge) {
		t.Errorf("a batch too large: %v, want ErrTooLarge", err)
	}
	mustAppend(t, l, 1, 0, []ledger.Record{fit})
	all, err := Collect(t.Context(), l, 1)
	if err != nil || len(all) != 1 || !bytes.Equal(all[0].Records[0].Data, fit.Data) {
		t.Errorf("the largest record did not come back: %d messages, %v", len(all), err)
	}
}

func testReadFrom(t *testing.T, l ledger.Ledger) {
	const count = 2500 // more than one batch of any implementation
	n := l.Partitions()
	last := make([]uint64, n)
	pos := make([]uint64, n)
	for i := range count {
		p := (i * 7) % n
		pos[p]++
		last[p] = mustAppend(t, l, p, last[p], one(SpaceOf(p, n, 0), pos[p], fmt.Sprint(i)))
	}
	for _, from := range []uint64{0, 1, 2, 1024, 1025, count, count + 1} {
		all, err := Collect(t.Context(), l, from)
		if err != nil {
			t.Fatalf("from %d: %v", from, err)
		}
		first := max(from, 1)
		if want := count + 1 - int(first); len(all) != want {
			t.Fatalf("from %d: %d messages, want %d", from, len(all), want)
		}
		for i, m := range all {
			if want := first + uint64(i); m.Seq != want || string(m.Records[0].Data) != fmt.Sprint(want-1) {
				t.Fatalf("from %d: message %d has sequence %d and data %q", from, want, m.Seq, m.Records[0].Data)
			}
		}
	}
}

func testCallersError(t *testing.T, l ledger.Ledger) {
	s := SpaceOf(1, l.Partitions(), 0)
	first := mustAppend(t, l, 1, 0, one(s, 1, "x"))
	mustAppend(t, l, 1, first, one(s, 2, "x"))
	mine := errors.New("mine")
	for name, read := range map[string]func(context.Context, uint64, func(ledger.Message) error) error{"Read": l.Read, "Follow": l.Follow} {
		seen := 0
		err := read(t.Context(), 1, func(ledger.Message) error { seen++; return mine })
		if err != mine || seen != 1 { //nolint:errorlint // it must be the very same
			t.Errorf("%s gives %v after %d calls, want the caller's own after 1", name, err, seen)
		}
	}
}

func testCancelled(t *testing.T, l ledger.Ledger) {
	s := SpaceOf(1, l.Partitions(), 0)
	mustAppend(t, l, 1, 0, one(s, 1, "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Append(ctx, 1, 1, one(s, 2, "x")); !errors.Is(err, context.Canceled) || !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Append: %v, want context.Canceled and ErrUnavailable, since nothing was sent", err)
	}
	if _, _, err := l.Last(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Last: %v, want context.Canceled", err)
	}
	none := func(ledger.Message) error { return nil }
	if err := l.Read(ctx, 1, none); !errors.Is(err, context.Canceled) {
		t.Errorf("Read: %v, want context.Canceled", err)
	}
	if err := l.Follow(ctx, 1, none); !errors.Is(err, context.Canceled) {
		t.Errorf("Follow: %v, want context.Canceled", err)
	}
	wantLast(t, l, map[int]uint64{1: 1}, 1)
}

func testFollow(t *testing.T, l ledger.Ledger) {
	s := SpaceOf(1, l.Partitions(), 0)
	var last uint64
	for i := range 3 {
		last = mustAppend(t, l, 1, last, one(s, uint64(i)+1, fmt.Sprint(i)))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := make(chan ledger.Message)
	ended := make(chan error, 1)
	go func() {
		ended <- l.Follow(ctx, 2, func(m ledger.Message) error {
			got <- m
			return nil
		})
	}()
	want := func(seq uint64) {
		t.Helper()
		select {
		case m := <-got:
			if m.Seq != seq || string(m.Records[0].Data) != fmt.Sprint(seq-1) {
				t.Fatalf("message %d with %q, want %d", m.Seq, m.Records[0].Data, seq)
			}
		case err := <-ended:
			t.Fatalf("Follow ended before message %d: %v", seq, err)
		}
	}
	want(2)
	want(3)
	for i := uint64(3); i < 20; i++ {
		last = mustAppend(t, l, 1, last, one(s, i+1, fmt.Sprint(i)))
		want(i + 1)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Follow ended with %v, want context.Canceled", err)
	}
}

func testFollowClose(t *testing.T, l ledger.Ledger) {
	mustAppend(t, l, 1, 0, one(SpaceOf(1, l.Partitions(), 0), 1, "x"))
	began := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- l.Follow(t.Context(), 1, func(ledger.Message) error {
			close(began)
			return nil
		})
	}()
	<-began
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ledger.ErrClosed) {
		t.Errorf("Follow ended with %v, want ErrClosed", err)
	}
}

func testIntake(t *testing.T, l ledger.Ledger) {
	in := l.Intake()
	pending := func() (seqs []uint64, items []ledger.Item) {
		t.Helper()
		if err := in.Pending(t.Context(), func(seq uint64, it ledger.Item) error {
			seqs, items = append(seqs, seq), append(items, it)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return seqs, items
	}
	if seqs, _ := pending(); len(seqs) != 0 {
		t.Fatalf("a new intake holds %d", len(seqs))
	}
	spaces := []string{"default", "a.b", "with space", "记忆", "=ZGVmYXVsdA", "*", ">", strings.Repeat("é", ledger.MaxSpaceBytes/2)}
	var put []uint64
	for i, s := range spaces {
		seq, err := in.Put(t.Context(), ledger.Item{Space: s, Kind: "turn", Data: []byte(fmt.Sprint(i))})
		if err != nil {
			t.Fatal(err)
		}
		if len(put) > 0 && seq <= put[len(put)-1] {
			t.Errorf("sequence %d after %d", seq, put[len(put)-1])
		}
		put = append(put, seq)
	}
	seqs, items := pending()
	if !slices.Equal(seqs, put) {
		t.Fatalf("pending %v, put %v", seqs, put)
	}
	for i, it := range items {
		if it.Space != spaces[i] || it.Kind != "turn" || string(it.Data) != fmt.Sprint(i) {
			t.Errorf("item %d is %+v", i, it)
		}
	}
	for _, step := range []struct{ done, left []uint64 }{
		{[]uint64{put[3]}, []uint64{put[0], put[1], put[2], put[4], put[5], put[6], put[7]}}, // from the middle
		{[]uint64{put[1], put[0], put[1]}, []uint64{put[2], put[4], put[5], put[6], put[7]}}, // from the head, in disorder
		{[]uint64{put[0], put[3], put[7] + 100}, []uint64{put[2], put[4], put[5], put[6], put[7]}},
		{[]uint64{put[2], put[4], put[5], put[7]}, []uint64{put[6]}},
		{[]uint64{put[6]}, nil},
	} {
		if err := in.Done(t.Context(), step.done...); err != nil {
			t.Fatalf("done %v: %v", step.done, err)
		}
		if seqs, _ := pending(); !slices.Equal(seqs, step.left) {
			t.Fatalf("after done %v there are %v, want %v", step.done, seqs, step.left)
		}
	}
	for _, bad := range []ledger.Item{{Space: "", Kind: "turn"}, {Space: "s", Kind: ""}, {Space: "s", Kind: "a.b"}, {Space: "s", Kind: "Turn"}} {
		if _, err := in.Put(t.Context(), bad); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("%+v: %v, want ErrInvalid", bad, err)
		}
	}
	big := ledger.Item{Space: "s", Kind: "turn", Data: make([]byte, l.MaxBatchBytes())}
	if _, err := in.Put(t.Context(), big); !errors.Is(err, ledger.ErrTooLarge) {
		t.Errorf("a large item: %v, want ErrTooLarge", err)
	}
	if _, err := in.Put(t.Context(), ledger.Item{Space: "s", Kind: "turn"}); err != nil {
		t.Fatal(err)
	}
	mine := errors.New("mine")
	if err := in.Pending(t.Context(), func(uint64, ledger.Item) error { return mine }); err != mine { //nolint:errorlint // the very same
		t.Errorf("Pending gives %v, want the caller's own", err)
	}
	wantLast(t, l, nil, 0) // the intake is not the log
}

func testClosed(t *testing.T, l ledger.Ledger) {
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, appendErr := l.Append(t.Context(), 1, 0, one(SpaceOf(1, l.Partitions(), 0), 1, "x"))
	_, _, lastErr := l.Last(t.Context())
	_, putErr := l.Intake().Put(t.Context(), ledger.Item{Space: "s", Kind: "turn"})
	none := func(ledger.Message) error { return nil }
	for name, err := range map[string]error{
		"Append": appendErr, "Last": lastErr, "Put": putErr,
		"Read": l.Read(t.Context(), 1, none), "Follow": l.Follow(t.Context(), 1, none),
		"Pending": l.Intake().Pending(t.Context(), func(uint64, ledger.Item) error { return nil }),
		"Done":    l.Intake().Done(t.Context(), 1),
	} {
		if !errors.Is(err, ledger.ErrClosed) {
			t.Errorf("%s on a closed ledger: %v, want ErrClosed", name, err)
		}
	}
}
