package storetest

import (
	"fmt"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// cases are worked out by hand: what they expect does not come from the model,
// which they test as well.
var cases = []struct {
	name string
	test func(*bench)
}{
	{"a space that is not there is empty", testEmpty},
	{"record time is half-open", testRecordTime},
	{"valid time is half-open", testValidTime},
	{"correcting, ending, retracting", testCorrections},
	{"archiving", testArchive},
	{"two open versions of one fact", testOpenVersions},
	{"opened and closed in one transaction", testWithinOne},
	{"order of facts", testOrder},
	{"evidence and confidence", testEvidence},
	{"names", testNames},
	{"ids", testIDs},
	{"positions, settings, content keys", testPositions},
	{"aliases", testAliases},
	{"events", testEvents},
	{"events never fall back", testEventsMonotone},
	{"text of turns", testTurnText},
	{"text of facts and events", testFactText},
	{"spaces share nothing", testSpaces},
	{"drop", testDrop},
}

func testEmpty(b *bench) {
	for _, v := range []store.View{b.at(0), b.atTime(dsl.Beginning), b.atTime(noon), b.atTime(dsl.Forever)} {
		b.want("basis", fmt.Sprint(store.Basis{Space: b.Space, Time: dsl.Beginning}), fmt.Sprint(v.Basis()))
		b.want("facts", "", b.facts(v, store.FactQuery{All: true}))
		b.want("events", "", b.events(v, true))
		b.want("changes", "", b.changes(v, 0))
		b.want("postings", "", b.postings(v, store.TurnField, "a"))
		_, err := v.Node("x")
		b.absent("node", err)
		_, err = v.Turn("x")
		b.absent("turn", err)
		_, err = v.Fact("x")
		b.absent("fact", err)
		_, err = v.Event("x")
		b.absent("event", err)
		_, err = v.PositionAt(0)
		b.absent("position 0", err)
		_, err = v.TurnDoc(0)
		b.absent("document", err)
		_, err = v.SettingsAt(dsl.Hash{})
		b.absent("settings", err)
	}
	_, err := b.a.At(b.Space, 1)
	b.absent("position 1", err)
}

func testRecordTime(b *bench) {
	anna, berlin, paris := b.entity("Anna"), b.entity("Berlin"), b.entity("Paris")
	b.apply(b.say("t1", noon, "", Upsert("f", 1, anna, "lives_in", berlin, dsl.Always, 1)))
	b.apply(b.say("t2", noon+10*dsl.Second, "", Correct("f", 1, 2, paris, dsl.Always, 1)))
	b.apply(b.Ops(noon+20*dsl.Second, Retract("f", 2)))
	all := store.FactQuery{All: true}
	open1, open2 := "f/1 Anna→Berlin open [0 -)", "f/2 Anna→Paris open [10 -)"
	closed1, closed2 := "f/1 Anna→Berlin closed [0 10)", "f/2 Anna→Paris closed [10 20)"
	for _, c := range []struct {
		at        dsl.Instant
		seq       dsl.Seq
		now, then string
	}{
		{dsl.Beginning, 0, "", ""},
		{noon - 1, 0, "", ""},
		{noon, 1, open1, open1},
		{noon + 1, 1, open1, open1},
		{noon + 10*dsl.Second - 1, 1, open1, open1},
		{noon + 10*dsl.Second, 2, open2, closed1 + "; " + open2},
		{noon + 10*dsl.Second + 1, 2, open2, closed1 + "; " + open2},
		{noon + 20*dsl.Second - 1, 2, open2, closed1 + "; " + open2},
		{noon + 20*dsl.Second, 3, "", closed1 + "; " + closed2},
		{dsl.MaxInstant, 3, "", closed1 + "; " + closed2},
		{dsl.Forever, 3, "", closed1 + "; " + closed2},
	} {
		v := b.atTime(c.at)
		what := fmt.Sprint("at ", span(dsl.Since(c.at)))
		b.want(what+" position", fmt.Sprint(c.seq), fmt.Sprint(v.Basis().Seq))
		b.want(what+" open", c.now, b.facts(v, store.FactQuery{}))
		b.want(what+" all", c.then, b.facts(v, all))
		b.want(what+" is position", c.then, b.facts(b.at(c.seq), all))
	}
}

func testValidTime(b *bench) {
	anna, berlin := b.entity("Anna"), b.entity("Berlin")
	add := func(id string, valid dsl.Interval) dsl.Op { return Upsert(id, 1, anna, "likes", berlin, valid, 1) }
	b.apply(b.Ops(noon,
		add("bounded", dsl.Interval{Start: 1000, End: 2000}), add("empty", dsl.Interval{Start: 1500, End: 1500}),
		add("from", dsl.Since(2000)), add("until", dsl.Interval{Start: dsl.Beginning, End: 1000}),
		add("ends", dsl.Interval{Start: dsl.MinInstant, End: dsl.MaxInstant}), add("always", dsl.Always)))
	for _, c := range []struct {
		at   dsl.Instant
		want string
	}{
		{dsl.Beginning, "until always"},
		{dsl.MinInstant, "until ends always"},
		{999, "until ends always"},
		{1000, "bounded ends always"},
		{1500, "bounded ends always"},
		{1999, "bounded ends always"},
		{2000, "from ends always"},
		{dsl.MaxInstant - 1, "from ends always"},
		{dsl.MaxInstant, "from always"},
		{dsl.Forever, ""},
	} {
		var ids []string
		for f, err := range b.head().Facts(store.FactQuery{Valid: &c.at}) {
			if err != nil {
				b.t.Fatal(err)
			}
			ids = append(ids, f.ID)
		}
		b.want(fmt.Sprintf("valid at %d", int64(c.at)), c.want, strings.Join(ids, " "))
	}
}

func testCorrections(b *bench) {
	anna, berlin, paris := b.entity("Anna"), b.entity("Berlin"), b.entity("Paris")
	because := func(op dsl.Op, why string) dsl.Op {
		op.Reason = dsl.Plain(why)
		return op
	}
	until := dsl.Interval{Start: 1000, End: 5000}
	later := dsl.Interval{Start: 2000, End: 5000}
	b.apply(b.say("t1", noon, "", because(Upsert("f", 1, anna, "lives_in", berlin, dsl.Since(1000), 0.5, "t1"), "said")))
	b.apply(b.say("t2", noon+1*dsl.Second, "", because(Correct("f", 1, 2, berlin, until, 0.6, "t1", "t2"), "over")))
	b.apply(b.say("t3", noon+2*dsl.Second, "", because(Correct("f", 2, 3, berlin, later, 0.6), "began later")))
	b.apply(b.say("t4", noon+3*dsl.Second, "", because(Correct("f", 3, 4, paris, dsl.Interval{Start: 2000, End: 4000}, 0.6), "was Paris")))
	b.apply(b.say("t5", noon+4*dsl.Second, "", because(Correct("f", 4, 5, paris, dsl.Interval{Start: 2000, End: 4000}, 0.9), "surer")))
	b.apply(b.say("t6", noon+5*dsl.Second, "", because(Retract("f", 5), "never")))
	b.apply(b.say("t7", noon+6*dsl.Second, "", Upsert("f", 6, anna, "lives_in", berlin, dsl.Always, 1)))
	v := b.head()
	b.want("changes", "#1 learned >f/1; #2 closed f/1 >f/2; #3 corrected f/2 >f/3; #4 corrected f/3 >f/4; #5 corrected f/4 >f/5; "+
		"#6 retracted f/5; #7 learned >f/6", b.changes(v, 0))
	b.want("changes after 5", "#6 retracted f/5; #7 learned >f/6", b.changes(v, 5))
	b.want("changes after the head", "", b.changes(v, 7))
	b.want("changes in the past", "#2 closed f/1 >f/2", b.changes(b.at(2), 1))
	b.want("history", `f/1 Anna→Berlin closed [0 1) by UPSERT_EDGE, until RETRO_CORRECT in "t2" because over; `+
		`f/2 Anna→Berlin closed [1 2) by RETRO_CORRECT, until RETRO_CORRECT in "t3" because began later; `+
		`f/3 Anna→Berlin closed [2 3) by RETRO_CORRECT, until RETRO_CORRECT in "t4" because was Paris; `+
		`f/4 Anna→Paris closed [3 4) by RETRO_CORRECT, until RETRO_CORRECT in "t5" because surer; `+
		`f/5 Anna→Paris closed [4 5) by RETRO_CORRECT, until RETRO_CORRECT in "t6" because never; `+
		`f/6 Anna→Berlin open [6 -) by UPSERT_EDGE`, b.fact(v, "f"))
	b.want("history in the past", `f/1 Anna→Berlin open [0 -) by UPSERT_EDGE`, b.fact(b.at(1), "f"))
	for c, err := range v.Changes(1) {
		if err != nil {
			b.t.Fatal(err)
		}
		b.want("the ending", "t2 over 1 closed open [t1] [t1 t2]", fmt.Sprint(c.Turn, " ", c.Reason, " ", float64(c.At-noon)/1e6, " ",
			c.Before.Status, " ", c.After.Status, " ", c.Before.Evidence, " ", c.After.Evidence))
		break
	}
}

func testArchive(b *bench) {
	anna, tea, mate := b.entity("Anna"), b.entity("tea"), b.entity("mate")
	b.apply(b.Ops(noon, Upsert("f", 1, anna, "likes", tea, dsl.Always, 1)))
	b.apply(b.Ops(noon+1*dsl.Second, Archive("f")))
	b.apply(b.Ops(noon+2*dsl.Second, Archive("f"))) // once more changes nothing
	b.apply(b.Ops(noon+3*dsl.Second, Correct("f", 1, 2, mate, dsl.Since(1000), 1)))
	b.apply(b.Ops(noon+4*dsl.Second, Upsert("f", 3, anna, "likes", tea, dsl.Interval{Start: 0, End: 1000}, 1)))
	b.apply(b.Ops(noon+5*dsl.Second, Archive("f"), Retract("f", 3)))
	q, all := store.FactQuery{}, store.FactQuery{All: true}
	b.want("before", "f/1 Anna→tea open [0 -)", b.facts(b.at(1), q))
	b.want("archived", "", b.facts(b.at(2), q))
	b.want("archived, all", "f/1 Anna→tea archived [0 -)", b.facts(b.at(2), all))
	b.want("its successor", "f/1 Anna→tea closed [0 3); f/2 Anna→mate archived [3 -)", b.facts(b.at(4), all))
	b.want("another version", "f/3 Anna→tea open [4 -)", b.facts(b.at(5), q))
	b.want("at the end", "f/1 Anna→tea closed [0 3); f/2 Anna→mate archived [3 -); f/3 Anna→tea closed [4 5)", b.facts(b.at(6), all))
	b.want("changes", "#1 learned >f/1; #2 archived f/1; #4 corrected f/1 >f/2; #5 learned >f/3; #6 archived f/3; #6 retracted f/3",
		b.changes(b.head(), 0))
	for seq, want := range []uint64{1, 0, 0, 0, 1, 0} {
		p, err := b.head().PositionAt(dsl.Seq(seq + 1))
		b.want(fmt.Sprintf("open at #%d", seq+1), fmt.Sprint(want, nil), fmt.Sprint(p.Open, err))
	}
}

func testOpenVersions(b *bench) {
	anna, berlin, paris := b.entity("Anna"), b.entity("Berlin"), b.entity("Paris")
	b.apply(b.Ops(noon,
		Upsert("f", 1, anna, "lives_in", berlin, dsl.Interval{Start: 0, End: 1000}, 1),
		Upsert("f", 2, anna, "lives_in", paris, dsl.Since(1000), 1)))
	b.apply(b.Ops(noon+1*dsl.Second, Retract("f", 1)))
	b.want("one is closed", "f/2 Anna→Paris open [0 -)", b.facts(b.head(), store.FactQuery{}))
	b.apply(b.Ops(noon+2*dsl.Second, Correct("f", 2, 3, berlin, dsl.Always, 1)))
	b.want("all", "f/1 Anna→Berlin closed [0 1); f/2 Anna→Paris closed [0 2); f/3 Anna→Berlin open [2 -)",
		b.facts(b.head(), store.FactQuery{All: true}))
}

func testWithinOne(b *bench) {
	anna, berlin, paris := b.entity("Anna"), b.entity("Berlin"), b.entity("Paris")
	b.apply(b.Ops(noon,
		Upsert("f", 1, anna, "lives_in", berlin, dsl.Always, 1), Archive("f"), Correct("f", 1, 2, paris, dsl.Always, 1),
		Upsert("g", 1, anna, "lives_in", berlin, dsl.Always, 1), Retract("g", 1)))
	v := b.head()
	b.want("all", "f/1 Anna→Berlin closed [0 0); f/2 Anna→Paris archived [0 -); g/1 Anna→Berlin closed [0 0)",
		b.facts(v, store.FactQuery{All: true}))
	b.want("changes", "#1 learned >f/1; #1 archived f/1; #1 corrected f/1 >f/2; #1 learned >g/1; #1 retracted g/1", b.changes(v, 0))
}

func testOrder(b *bench) {
	anna, bob, x, y := b.entity("Anna"), b.entity("Bob"), b.entity("x"), b.entity("y")
	b.apply(b.Ops(noon,
		Upsert("z", 1, bob, "likes", x, dsl.Always, 1), Upsert("y", 1, anna, "likes", x, dsl.Always, 1),
		Upsert("x", 1, bob, "likes", y, dsl.Always, 1), Upsert("w", 1, bob, "owns", x, dsl.Always, 1)))
	b.apply(b.Ops(noon+1*dsl.Second,
		Upsert("b", 1, anna, "likes", y, dsl.Always, 1), Correct("z", 1, 2, y, dsl.Always, 1), Upsert("a", 1, anna, "owns", x, dsl.Always, 1)))
	const (
		z1, x1, z2 = "z/1 Bob→x closed [0 1)", "x/1 Bob→y open [0 -)", "z/2 Bob→y open [1 -)"
		y1, b1     = "y/1 Anna→x open [0 -)", "b/1 Anna→y open [1 -)"
		w1, a1     = "w/1 Bob→x open [0 -)", "a/1 Anna→x open [1 -)"
	)
	join := func(s ...string) string { return strings.Join(s, "; ") }
	v := b.head()
	b.want("all", join(z1, x1, z2, y1, b1, w1, a1), b.facts(v, store.FactQuery{All: true}))
	b.want("open", join(x1, z2, y1, b1, w1, a1), b.facts(v, store.FactQuery{}))
	b.want("of Anna", join(y1, b1, a1), b.facts(v, store.FactQuery{Src: []string{anna}}))
	b.want("of Anna and Bob", join(x1, z2, y1, b1), b.facts(v, store.FactQuery{Src: []string{anna, bob}, Rel: "likes"}))
	b.want("named twice", join(y1, b1, a1), b.facts(v, store.FactQuery{Src: []string{anna, anna}}))
	b.want("to x", join(z1, y1, w1, a1), b.facts(v, store.FactQuery{Dst: []string{x}, All: true}))
	b.want("to x and y", join(x1, z2, y1, b1), b.facts(v, store.FactQuery{Dst: []string{y, x}, Rel: "likes"}))
	b.want("from and to", join(x1, z2), b.facts(v, store.FactQuery{Src: []string{bob}, Dst: []string{y}}))
	b.want("relation", join(w1, a1), b.facts(v, store.FactQuery{Rel: "owns"}))
	b.want("before", join("z/1 Bob→x open [0 -)", x1, y1, w1), b.facts(b.at(1), store.FactQuery{All: true}))
}

func testEvidence(b *bench) {
	anna, tea := b.entity("Anna"), b.entity("tea")
	show := func(seq dsl.Seq, id string) string {
		b.t.Helper()
		versions, err := b.at(seq).Fact(id)
		if err != nil {
			b.t.Fatal(err)
		}
		var lines []string
		for _, x := range versions {
			lines = append(lines, fmt.Sprintf("%v %v", x.Confidence, x.Evidence))
		}
		return strings.Join(lines, "; ")
	}
	link := func(turn string, confidence float64) dsl.Op { return Evidence(b.Space, turn, "f", confidence) }
	b.apply(b.say("t1", noon, "", Upsert("f", 1, anna, "likes", tea, dsl.Always, 0.5, "t1")))
	b.apply(b.say("t2", noon+1*dsl.Second, "", link("t2", 0.5)))
	b.apply(b.say("t3", noon+2*dsl.Second, "", link("t2", 0.5))) // again: surer, but no other witness
	b.apply(b.say("t4", noon+3*dsl.Second, "", Unlink(link("t1", 0))))
	b.apply(b.say("t5", noon+4*dsl.Second, "", Correct("f", 1, 2, tea, dsl.Since(0), 0.25, "t5")))
	b.apply(b.say("t6", noon+5*dsl.Second, "", link("t1", 0.5), Archive("f")))
	b.apply(b.say("t7", noon+6*dsl.Second, "", link("t7", 0)))
	for seq, want := range []string{
		"0.5 [t1]", "0.75 [t1 t2]", "0.875 [t1 t2]", "0.875 [t2]", "0.875 [t2]; 0.25 [t5]",
		"0.875 [t2]; 0.625 [t5 t1]", "0.875 [t2]; 0.625 [t5 t1 t7]",
	} {
		b.want(fmt.Sprintf("at #%d", seq+1), want, show(dsl.Seq(seq+1), "f"))
	}
	by := func(seq dsl.Seq, turn string) string {
		b.t.Helper()
		facts, err := b.at(seq).FactsByEvidence(turn)
		if err != nil {
			b.t.Fatal(err)
		}
		var lines []string
		for i := range facts {
			lines = append(lines, factText(&facts[i]))
		}
		return strings.Join(lines, "; ")
	}
	b.want("t1 at first", "f/1 Anna→tea open [0 -)", by(1, "t1"))
	b.want("t1 taken back", "", by(4, "t1"))
	b.want("t1 again, of the successor alone", "f/2 Anna→tea archived [4 -)", by(7, "t1"))
	b.want("t2 of a closed version", "f/1 Anna→tea closed [0 4)", by(7, "t2"))
	b.want("t2 before it was said", "", by(1, "t2"))
	b.want("changes", "#1 learned >f/1; #5 corrected f/1 >f/2; #6 archived f/2", b.changes(b.head(), 0))
}
