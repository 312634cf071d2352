package storetest

import (
	"fmt"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

func testNames(b *bench) {
	named := func(v store.View, name string) string {
		b.t.Helper()
		nodes, err := v.NodesNamed(name)
		if err != nil {
			b.t.Fatal(err)
		}
		var lines []string
		for _, n := range nodes {
			lines = append(lines, fmt.Sprintf("%s %s", n.Kind, n.Name))
		}
		return strings.Join(lines, "; ")
	}
	b.Node(dsl.TimeInstant, "anna")
	b.Node(dsl.Literal, "ANNA")
	b.entity("Anna")
	b.Node(dsl.Document, "ＡＮＮＡ")
	b.apply(b.Ops(noon))
	b.entity("anna") // known already: the first form stays
	b.entity("St. Mary’s")
	b.entity("José")
	b.entity("北京")
	b.entity("a")
	b.apply(b.Ops(noon + 1*dsl.Second))
	v := b.head()
	b.want("anna", "document ＡＮＮＡ; entity Anna; literal ANNA; time anna", named(v, " aNNa "))
	b.want("apostrophes", "entity St. Mary’s", named(v, "st.  mary's"))
	b.want("accents", "entity José", named(v, "JOSÉ"))
	b.want("no accents", "", named(v, "Jose"))
	b.want("Chinese", "entity 北京", named(v, "北京"))
	b.want("part of a name", "", named(v, "ann"))
	b.want("one letter", "entity a", named(v, "A"))
	b.want("no name", "", named(v, ""))
	b.want("not yet", "", named(b.at(1), "北京"))
	_, err := b.at(1).Node(dsl.NodeID(b.Space, dsl.Entity, "北京"))
	b.absent("a node before it was written", err)
	n, err := v.Node(dsl.NodeID(b.Space, dsl.Entity, "ANNA"))
	b.want("node", "Anna <nil>", fmt.Sprint(n.Name, " ", err))
}

// testIDs uses ids that are prefixes of one another, long, and like UUIDs.
func testIDs(b *bench) {
	anna, x := b.entity("Anna"), b.entity("x")
	ids := []string{
		"a", "ab", "a/", "a/b", "a\u00a0", strings.Repeat("i", 300), strings.Repeat("i", 299), strings.Repeat("长", 100),
		"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6ba7b8109dad11d180b400c04fd430c8",
		"00000000-0000-0000-0000-000000000000",
	}
	for i, id := range ids {
		b.apply(b.say(id, noon+dsl.Instant(i)*dsl.Second, "",
			Upsert(id, 1, anna, "likes", x, dsl.Always, 1, id), Event(id, 1, id, dsl.Always, []string{id}, []string{id})))
	}
	v := b.head()
	for i, id := range ids {
		facts, err := v.Fact(id)
		if err != nil || len(facts) != 1 || facts[0].ID != id || facts[0].Opened != dsl.Seq(i+1) {
			b.t.Errorf("fact %q: got %v, %v", id, facts, err)
		}
		by, err := v.FactsByEvidence(id)
		if err != nil || len(by) != 1 || by[0].ID != id {
			b.t.Errorf("evidence %q: got %v, %v", id, by, err)
		}
		events, err := v.Event(id)
		if err != nil || len(events) != 1 || events[0].ID != id {
			b.t.Errorf("event %q: got %v, %v", id, events, err)
		}
		turn, err := v.Turn(id)
		if err != nil || turn.ID != id || turn.Doc != i {
			b.t.Errorf("turn %q: got %v, %v", id, turn, err)
		}
	}
}

func testPositions(b *bench) {
	anna, tea := b.entity("Anna"), b.entity("tea")
	first := must(b.settings.Hash())
	tx1 := b.say("t1", noon, "", Upsert("f", 1, anna, "likes", tea, dsl.Always, 1))
	tx2 := b.Candidates(noon, "t1", dsl.Candidate{
		Change: dsl.Assert, Polarity: dsl.Positive, Rel: "likes", Src: dsl.Plain("Anna"), Dst: dsl.Plain("mate"), DstKind: dsl.Entity,
	})
	b.Configure(`{"k":1}`)
	second := must(b.settings.Hash())
	tx3 := b.Ops(noon+1*dsl.Second, Event("e", 1, "", dsl.Always, nil, nil), Retract("f", 1))
	b.Configure(`{}`) // back to the first
	tx4 := b.say("t2", noon-dsl.Day, "late")
	b.apply(tx1, tx2, tx3, tx4)
	v := b.head()
	for _, c := range []struct {
		tx   *dsl.Tx
		want string
	}{
		{tx1, "#1 [0 -) turn t1 1 1 0 1"},
		{tx2, "#2 [1e-06 -) candidates t1 1 1 0 1"},
		{tx3, "#3 [1 -) ops  1 1 1 0"},
		{tx4, "#4 [1.000001 -) turn t2 2 1 1 0"},
	} {
		p, err := v.PositionAt(c.tx.Seq)
		if err != nil || p.Entry != Entry(c.tx) || p.Settings != c.tx.SettingsHash {
			b.t.Errorf("position %s: got %+v, %v", c.tx.Seq, p, err)
		}
		b.want("position", c.want, fmt.Sprintf("%s %s %s %s %d %d %d %d", p.Seq, span(dsl.Since(p.Time)), p.Kind, p.Turn, p.Turns, p.Facts, p.Events, p.Open))
	}
	_, err := b.at(3).PositionAt(4)
	b.absent("a later position", err)
	for _, c := range []struct {
		at   dsl.Seq
		hash dsl.Hash
		want string
	}{{1, first, "{}"}, {1, second, ""}, {3, first, "{}"}, {3, second, `{"k":1}`}, {4, second, `{"k":1}`}} {
		s, err := b.at(c.at).SettingsAt(c.hash)
		if c.want == "" {
			b.absent("later settings", err)
		} else if err != nil || string(s.Config) != c.want {
			b.t.Errorf("settings %s at %s: got %v, %v", c.hash, c.at, s, err)
		}
	}
	b.want("in force", fmt.Sprint(first, second, first), fmt.Sprint(b.at(1).Basis().Settings, b.at(3).Basis().Settings, v.Basis().Settings))
	for _, c := range []struct {
		at   dsl.Seq
		key  dsl.Hash
		want dsl.Seq
	}{
		{4, store.CandidatesKey("t1", tx1.CandidatesHash), 1}, {4, store.CandidatesKey("t1", tx2.CandidatesHash), 2},
		{4, store.OpsKey(tx3.OpsHash), 3}, {4, store.CandidatesKey("t2", tx4.CandidatesHash), 4},
		{1, store.CandidatesKey("t1", tx2.CandidatesHash), 0}, {2, store.OpsKey(tx3.OpsHash), 0},
		{4, store.OpsKey(tx2.CandidatesHash), 0}, {4, store.CandidatesKey("t2", tx2.CandidatesHash), 0}, {0, store.OpsKey(tx3.OpsHash), 0},
	} {
		got, err := b.at(c.at).Known(c.key)
		b.want(fmt.Sprintf("known at %s", c.at), fmt.Sprint(c.want, nil), fmt.Sprint(got, err))
	}
}

func testAliases(b *bench) {
	names := map[string]string{}
	ids := map[string]string{}
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		ids[n] = b.entity(n)
		names[ids[n]] = n
	}
	link := func(from, to string) dsl.Op { return LinkOp(b.Space, dsl.AliasOf, ids[from], ids[to]) }
	b.apply(b.Ops(noon))
	b.apply(b.Ops(noon+1, link("a", "b")))
	b.apply(b.Ops(noon+2, link("c", "b"), link("c", "d")))
	b.apply(b.Ops(noon+3, Unlink(link("c", "b"))))
	b.apply(b.Ops(noon+4, link("b", "c"), link("a", "b"), LinkOp(b.Space, dsl.MentionLink, ids["e"], ids["a"])))
	b.apply(b.Ops(noon+5, Unlink(link("c", "b")), Unlink(link("a", "e")))) // neither is open
	b.apply(b.Ops(noon+6, link("c", "b"), Unlink(link("c", "b")), Unlink(link("b", "c"))))
	b.apply(b.Ops(noon+7, link("d", "a"), link("e", "e")))
	for seq, want := range []string{
		"a b c d e", "a b c d e", "ab ab c d e", "abcd abcd abcd abcd e", "ab ab cd cd e", "abcd abcd abcd abcd e",
		"abcd abcd abcd abcd e", "ab ab cd cd e", "abcd abcd abcd abcd e",
	} {
		v := b.at(dsl.Seq(seq))
		var groups []string
		for _, n := range []string{"a", "b", "c", "d", "e"} {
			group, err := v.Aliases(ids[n])
			if err != nil {
				b.t.Fatal(err)
			}
			for i := range len(group) - 1 {
				if group[i] >= group[i+1] {
					b.t.Errorf("aliases of %s at #%d are out of order: %q", n, seq, group)
				}
			}
			text := ""
			for _, m := range []string{"a", "b", "c", "d", "e"} {
				for _, id := range group {
					if names[id] == m {
						text += m
					}
				}
			}
			groups = append(groups, text)
		}
		b.want(fmt.Sprintf("groups at #%d", seq), want, strings.Join(groups, " "))
	}
}

func testEvents(b *bench) {
	anna, tea := b.entity("Anna"), b.entity("tea")
	b.apply(b.say("t1", noon, "", Event("plain", 1, "one", dsl.Always, nil, []string{"t1"})))
	b.apply(b.say("t2", noon+1*dsl.Second, "", Event("early", 1, "two", dsl.Always, []string{"f"}, []string{"t1", "t4"})))
	b.apply(b.say("t3", noon+2*dsl.Second, "", Upsert("f", 1, anna, "likes", tea, dsl.Always, 1)))
	b.apply(b.say("t4", noon+3*dsl.Second, "", Retract("f", 1)))
	b.apply(b.Ops(noon+4*dsl.Second, Event("plain", 2, "one more", dsl.Since(0), []string{"f"}, nil), Event("last", 1, "", dsl.Always, nil, nil)))
	const (
		plain1, closed1, plain2 = `plain/1 "one" [0 -) visible [0 -)`, `plain/1 "one" [0 4) visible [0 -)`, `plain/2 "one more" [4 -) visible [4 -)`
		hidden, early           = `early/1 "two" [1 -) visible [- -)`, `early/1 "two" [1 -) visible [3 -)`
		last                    = `last/1 "" [4 -) visible [4 -)`
	)
	join := func(s ...string) string { return strings.Join(s, "; ") }
	for seq, want := range [][2]string{
		{"", ""}, {plain1, plain1}, {plain1, join(plain1, hidden)}, {plain1, join(plain1, hidden)}, {join(plain1, early), join(plain1, early)},
		{join(plain2, early, last), join(closed1, plain2, early, last)},
	} {
		v := b.at(dsl.Seq(seq))
		b.want(fmt.Sprintf("events at #%d", seq), want[0], b.events(v, false))
		b.want(fmt.Sprintf("all events at #%d", seq), want[1], b.events(v, true))
	}
	b.want("just before", join(plain1, hidden), b.events(b.atTime(noon+3*dsl.Second-1), true))
	got, err := b.head().EventDoc(1)
	b.want("document of the past", "early/1 closed 0", fmt.Sprintf("%s/%d closed %d", got.ID, got.Version, got.Closed))
	if err != nil {
		b.t.Error(err)
	}
}

// testEventsMonotone holds I9: the visibility of a version is not before that of
// the one before it.
func testEventsMonotone(b *bench) {
	b.apply(b.say("t1", noon, "", Event("e", 1, "", dsl.Always, nil, []string{"t3"})))
	b.apply(b.say("t2", noon+1*dsl.Second, "", Event("e", 2, "", dsl.Always, nil, nil)))
	b.apply(b.say("t3", noon+2*dsl.Second, ""))
	b.want("its evidence is missing", `e/1 "" [0 1) visible [- -); e/2 "" [1 -) visible [1 -)`, b.events(b.at(2), true))
	b.want("its evidence is there", `e/1 "" [0 1) visible [2 -); e/2 "" [1 -) visible [2 -)`, b.events(b.at(3), true))
	b.want("open", `e/2 "" [1 -) visible [1 -)`, b.events(b.at(2), false))
}

func testTurnText(b *bench) {
	turn := func(id, session, speaker, text string, attachments ...string) *dsl.Tx {
		u := dsl.Turn{ID: id, Session: session, Speaker: dsl.Plain(speaker), Text: dsl.Plain(text), TS: noon - dsl.Day}
		for _, a := range attachments {
			u.Attachments = append(u.Attachments, dsl.Attachment{Kind: "image", Text: dsl.Plain(a)})
		}
		return b.Turn(u)
	}
	b.apply(b.Ops(noon), turn("t1", "s2", "Anna", "The fox moved. Foxes move!"))
	b.apply(turn("t2", "", "bob", ""), turn("t3", "s2", "anna", "我搬到北京", "a fox", "北京北京"))
	v := b.head()
	docs, err := v.Docs(store.TurnField)
	if err != nil {
		b.t.Fatal(err)
	}
	day := noon - dsl.Day
	b.want("table", fmt.Sprint([]store.Doc{
		{Seq: 2, Length: 5, Session: 0, Speaker: 0, TS: day}, {Seq: 3, Length: 0, Session: 1, Speaker: 1, TS: day},
		{Seq: 4, Length: 9, Context: 5, Session: 0, Speaker: 2, TS: day},
	}), fmt.Sprint(docs.Info))
	b.want("totals", "14 [s2 ] [Anna bob anna]", fmt.Sprint(docs.Terms, " ", docs.Sessions, " ", docs.Speakers))
	for _, c := range []struct{ term, want string }{
		{"fox", "0×2 2×1"}, {"move", "0×2"}, {"the", "0×1"}, {"北京", "2×3"}, {"京北", "2×1"}, {"到北", "2×1"}, {"anna", ""}, {"fo", ""}, {"foxx", ""},
	} {
		b.want("postings of "+c.term, c.want, b.postings(v, store.TurnField, c.term))
	}
	past := b.at(3)
	b.want("postings in the past", "0×2", b.postings(past, store.TurnField, "fox"))
	docs, err = past.Docs(store.TurnField)
	b.want("totals in the past", "2 5 [s2 ] [Anna bob] <nil>", fmt.Sprint(len(docs.Info), " ", docs.Terms, " ", docs.Sessions, " ", docs.Speakers, " ", err))
	_, err = past.TurnDoc(2)
	b.absent("a later document", err)
	got, err := v.TurnDoc(2)
	b.want("document", "t3 2 #4 <nil>", fmt.Sprint(got.ID, " ", got.Doc, " ", got.Seq, " ", err))
}

func testFactText(b *bench) {
	anna, berlin, kim := b.entity("Anna Lee"), b.entity("Berlin"), b.entity("Kim")
	related := Upsert("g", 1, anna, "related_to", kim, dsl.Always, 1)
	related.Relation = dsl.Plain("sister")
	b.apply(b.Ops(noon, Upsert("f", 1, anna, "scheduled_for.location", berlin, dsl.Always, 1), related))
	b.apply(b.Ops(noon+1*dsl.Second, Correct("f", 1, 2, kim, dsl.Always, 1),
		Event("e", 1, "Anna visits Anna", dsl.Always, nil, []string{"never"}), Event("e", 2, "", dsl.Always, nil, nil)))
	v := b.head()
	table := func(v store.View, f store.Field) string {
		b.t.Helper()
		docs, err := v.Docs(f)
		if err != nil {
			b.t.Fatal(err)
		}
		return fmt.Sprint(docs.Info, docs.Terms, len(docs.Sessions), len(docs.Speakers))
	}
	fact := func(seq dsl.Seq, length uint32) store.Doc {
		return store.Doc{Seq: seq, Length: length, TS: dsl.Beginning}
	}
	b.want("facts", fmt.Sprint([]store.Doc{fact(1, 6), fact(1, 6), fact(2, 6)}, 18, 0, 0), table(v, store.FactField))
	b.want("facts in the past", fmt.Sprint([]store.Doc{fact(1, 6), fact(1, 6)}, 12, 0, 0), table(b.at(1), store.FactField))
	b.want("events", fmt.Sprint([]store.Doc{fact(2, 3), fact(2, 0)}, 3, 0, 0), table(v, store.EventField))
	for _, c := range []struct {
		f          store.Field
		term, want string
	}{
		{store.FactField, "lee", "0×1 1×1 2×1"}, {store.FactField, "berlin", "0×1"}, {store.FactField, "kim", "1×1 2×1"},
		{store.FactField, "sister", "1×1"}, {store.FactField, "locat", "0×1 2×1"}, {store.FactField, "visit", ""},
		{store.EventField, "anna", "0×2"}, {store.EventField, "visit", "0×1"}, {store.TurnField, "anna", ""},
	} {
		b.want(fmt.Sprintf("postings of %c %s", c.f, c.term), c.want, b.postings(v, c.f, c.term))
	}
	b.want("in the past", "0×1 1×1", b.postings(b.at(1), store.FactField, "lee"))
	for doc, want := range []string{"f/1 Anna Lee→Berlin closed [0 1)", "g/1 Anna Lee→Kim open [0 -)", "f/2 Anna Lee→Kim open [1 -)"} {
		f, err := v.FactDoc(doc)
		b.want("document", want+" <nil>", fmt.Sprint(factText(&f), " ", err))
	}
	f, err := b.at(1).FactDoc(0)
	b.want("document in the past", "f/1 Anna Lee→Berlin open [0 -) <nil>", fmt.Sprint(factText(&f), " ", err))
	e, err := v.EventDoc(0)
	b.want("event", "e/1 [1 1) [- -) <nil>", fmt.Sprintf("%s/%d %s %s %v", e.ID, e.Version, span(e.Record), span(dsl.Since(e.Visible)), err))
}

// testSpaces grows two spaces with the same ids, names and words at once.
func testSpaces(b *bench) {
	other := newBench(b.t, b.a, b.Space+" ") // its name begins like the first's
	var before [3]string
	for i := range 3 {
		at := noon + dsl.Instant(i)*dsl.Second
		for k, c := range []*bench{b, other} {
			dst := c.entity([]string{"Berlin", "Paris"}[k])
			c.apply(c.say(fmt.Sprint("t", i), at, []string{"fox", "hen"}[k], Upsert(fmt.Sprint("f", i), 1, c.entity("Anna"), "likes", dst, dsl.Always, 1)))
		}
		d, err := b.at(dsl.Seq(i + 1)).Digest()
		before[i] = fmt.Sprint(d, err)
	}
	other.apply(other.say("only there", noon+9*dsl.Second, "", Upsert("only there", 1, other.entity("Zoe"), "likes", other.entity("Anna"), dsl.Always, 1)))
	v, w := b.head(), other.head()
	for i := range 3 {
		d, err := b.at(dsl.Seq(i + 1)).Digest()
		b.want("digest", before[i], fmt.Sprint(d, err))
		b.want("fact here", fmt.Sprintf("f%d/1 Anna→Berlin open [%d -) by UPSERT_EDGE", i, i), b.fact(v, fmt.Sprint("f", i)))
		b.want("fact there", fmt.Sprintf("f%d/1 Anna→Paris open [%d -) by UPSERT_EDGE", i, i), b.fact(w, fmt.Sprint("f", i)))
	}
	b.want("words", "0×1 1×1 2×1", b.postings(v, store.TurnField, "fox"))
	b.want("words of the other", "", b.postings(v, store.TurnField, "hen"))
	_, err := v.Fact("only there")
	b.absent("a fact of the other", err)
	_, err = v.Turn("only there")
	b.absent("a turn of the other", err)
	_, err = v.Node(dsl.NodeID(other.Space, dsl.Entity, "Zoe"))
	b.absent("a node of the other", err)
	if dsl.NodeID(b.Space, dsl.Entity, "Anna") == dsl.NodeID(other.Space, dsl.Entity, "Anna") {
		b.t.Error("two spaces share a node")
	}
	b.want("basis", "#3", b.atTime(dsl.Forever).Basis().Seq.String())
}

func testDrop(b *bench) {
	other := newBench(b.t, b.a, "kept "+b.Space)
	for _, c := range []*bench{b, other} {
		c.apply(c.say("t1", noon, "fox", Upsert("f", 1, c.entity("Anna"), "likes", c.entity("tea"), dsl.Always, 1)))
	}
	settings := b.head().Basis().Settings
	b.apply(b.Drop())
	v := b.head()
	b.want("basis", fmt.Sprintf("#2 %s", settings), fmt.Sprintf("%s %s", v.Basis().Seq, v.Basis().Settings))
	b.want("facts", "", b.facts(v, store.FactQuery{All: true}))
	b.want("changes", "", b.changes(v, 0))
	b.want("words", "", b.postings(v, store.TurnField, "fox"))
	_, err := v.Turn("t1")
	b.absent("turn", err)
	_, err = v.Node(dsl.NodeID(b.Space, dsl.Entity, "Anna"))
	b.absent("node", err)
	_, err = v.PositionAt(1)
	b.absent("position", err)
	if _, err := v.SettingsAt(settings); err != nil {
		b.t.Errorf("settings in force: %v", err)
	}
	_, err = b.a.At(b.Space, 1)
	b.absent("the view before", err)
	b.want("the other space", "f/1 Anna→tea open [0 -)", b.facts(other.head(), store.FactQuery{}))

	b.apply(b.say("t1", noon+5*dsl.Second, "hen", Upsert("f", 1, b.entity("Anna"), "owns", b.entity("mate"), dsl.Always, 1)))
	v = b.head()
	b.want("after", "f/1 Anna→mate open [5 -)", b.facts(v, store.FactQuery{All: true}))
	b.want("words after", "0×1", b.postings(v, store.TurnField, "hen"))
	b.want("old words after", "", b.postings(v, store.TurnField, "fox"))
	docs, err := v.Docs(store.TurnField)
	b.want("documents after", "1 1 [s] <nil>", fmt.Sprint(len(docs.Info), " ", docs.Terms, " ", docs.Sessions, " ", err))
	b.want("the drop itself", "", b.facts(b.at(2), store.FactQuery{All: true}))
}
