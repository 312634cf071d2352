package dsl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
)

// TestIDsAreStable holds ids that logs out there already have.
func TestIDsAreStable(t *testing.T) {
	for _, c := range []struct{ what, want, got string }{
		{"namespace", "5f55477a-4b05-54be-8b5a-eed1bc8d2a58", dsl.Namespace.String()},
		{"namespace of its name", dsl.Namespace.String(), uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://github.com/asof-db/asof")).String()},
		{"entity", "9b7ecd7e-dccc-5420-bf9a-dd1368187935", dsl.NodeID("default", dsl.Entity, "Anna")},
		{"literal", "e666eff4-82d6-5ce6-a63a-cedfc1f6e0d4", dsl.NodeID("default", dsl.Literal, "Anna")},
		{"Chinese", "62f6f2f0-5a6b-5e50-897d-145ad159ec43", dsl.NodeID("空间", dsl.Entity, "安娜")},
		{"fact", "5704201e-4b2e-5c2c-b3ff-1292ac4cb36b", dsl.FactID("default", 1, 0)},
		{"event", "27202392-4e94-5e32-a3b3-2b986e9e62bb", dsl.EventID("default", 1, 0)},
		{"link", "13367390-d92f-5f4f-81a8-61c9865c033a", dsl.LinkID("default", dsl.AliasOf, "a", "b")},
		{"by hand", uuid.NewSHA1(dsl.Namespace, []byte("4:node7:default6:entity4:anna")).String(), dsl.NodeID("default", dsl.Entity, "Anna")},
		{"by hand", uuid.NewSHA1(dsl.Namespace, []byte("4:fact7:default2:121:3")).String(), dsl.FactID("default", 12, 3)},
		{"by hand", uuid.NewSHA1(dsl.Namespace, []byte("5:event0:2:121:3")).String(), dsl.EventID("", 12, 3)},
		{"by hand", uuid.NewSHA1(dsl.Namespace, []byte("4:link6:北京8:alias_of1:a1:b")).String(), dsl.LinkID("北京", dsl.AliasOf, "a", "b")},
	} {
		if c.got != c.want {
			t.Errorf("%s: want %s, got %s", c.what, c.want, c.got)
		}
	}
}

func TestNodeIDIsOfTheNormalisedName(t *testing.T) {
	id := dsl.NodeID("s", dsl.Entity, "St. Mary's")
	for _, same := range []string{"St. Mary’s", " st.  MARY'S ", "ＳＴ. mary's"} {
		if dsl.NodeID("s", dsl.Entity, same) != id {
			t.Errorf("%q is another node", same)
		}
	}
	for _, kind := range dsl.NodeKinds {
		if kind != dsl.Entity && dsl.NodeID("s", kind, "St. Mary's") == id {
			t.Errorf("the %s is the same node", kind)
		}
	}
}

// TestSpacesShareNoID: whatever the names, two spaces, or two lists of parts
// that read alike when joined, have different ids.
func TestSpacesShareNoID(t *testing.T) {
	spaces := rapid.OneOf(rapid.SampledFrom([]string{"a", "a1", "1", "a:", "1:a", ""}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		a, b := spaces.Draw(t, "a"), spaces.Draw(t, "b")
		if a == b {
			t.Skip("the same space")
		}
		x, y := rapid.String().Draw(t, "x"), rapid.String().Draw(t, "y")
		seq, index := dsl.Seq(rapid.Uint64Range(1, 200).Draw(t, "position")), rapid.IntRange(0, 200).Draw(t, "index")
		ids := map[string]string{}
		add := func(what, id string) {
			if other, ok := ids[id]; ok {
				t.Fatalf("%s and %s of %q and %q share %s", what, other, a, b, id)
			}
			ids[id] = what
		}
		for i, s := range []string{a, b} {
			add([]string{"node of a", "node of b"}[i], dsl.NodeID(s, dsl.Entity, x))
			add([]string{"fact of a", "fact of b"}[i], dsl.FactID(s, seq, index))
			add([]string{"event of a", "event of b"}[i], dsl.EventID(s, seq, index))
			add([]string{"link of a", "link of b"}[i], dsl.LinkID(s, dsl.AliasOf, x, y))
		}
		if dsl.LinkID(a, dsl.AliasOf, x+"z", y) == dsl.LinkID(a, dsl.AliasOf, x, "z"+y) {
			t.Fatalf("links of %q and %q run together", x, y)
		}
	})
	if dsl.FactID("s", 1, 11) == dsl.FactID("s", 11, 1) || dsl.FactID("s", 1, 11) == dsl.FactID("s", 111, 0) {
		t.Error("positions and indexes run together")
	}
}

func TestHashText(t *testing.T) {
	h := dsl.Sum([]byte("abc"))
	const text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if h.String() != text || h.IsZero() || !(dsl.Hash{}).IsZero() {
		t.Errorf("got %s", h)
	}
	if back, err := dsl.ParseHash(text); err != nil || back != h {
		t.Errorf("reads as %s, %v", back, err)
	}
	for _, bad := range []string{"", text[1:], text + "0", strings.ToUpper(text), "g" + text[1:], " " + text[1:], "é" + text[2:]} {
		if _, err := dsl.ParseHash(bad); !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
		var back dsl.Hash
		if err := dsl.Decode(noErr(dsl.Canonical(bad))(t), &back); !errors.Is(err, dsl.ErrCorrupt) {
			t.Errorf("%q in JSON: %v", bad, err)
		}
	}
	if got := dsl.Seq(42).String(); got != "#42" {
		t.Errorf("a position is written %s", got)
	}
}
