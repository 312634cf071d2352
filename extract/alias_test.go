package extract

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
	alike "github.com/asof-db/asof/internal/near"
	"pgregory.net/rapid"
)

func nearPipeline(t testing.TB) *Pipeline {
	t.Helper()
	cfg := DefaultConfig()
	cfg.AliasJW, cfg.AliasTokenSet, cfg.AliasNickname = alike.LeastJaroWinkler, alike.LeastTokenSet, true
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAliasPairs runs the hard pairs of testdata/aliases.list, both ways round.
func TestAliasPairs(t *testing.T) {
	b, err := os.ReadFile("testdata/aliases.list")
	if err != nil {
		t.Fatal(err)
	}
	a := nearAlias{jw: alike.LeastJaroWinkler, words: alike.LeastTokenSet, nick: true}
	n := 0
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		n++
		typ, rest, _ := strings.Cut(line, ": ")
		p := strings.Split(rest, " | ")
		for _, pair := range [][2]string{{p[0], p[1]}, {p[1], p[0]}} {
			x, y := formOf(pair[0], typ), formOf(pair[1], typ)
			by, score := a.compare(&x, &y, typ, false)
			if by == "" {
				by = "-"
			}
			if by != p[2] {
				t.Errorf("%s: %q and %q: %s %.3f", line, pair[0], pair[1], by, score)
			}
		}
	}
	if n < 50 {
		t.Fatalf("%d pairs; the suite was cut", n)
	}
}

// nameList is a memory of names of one type.
type nameList struct {
	typ   string
	names []string
}

func (l nameList) EntityType(name string) (string, bool) { return l.typ, l.KnowsName(name) }
func (l nameList) KnowsName(name string) bool {
	return slices.ContainsFunc(l.names, func(n string) bool { return sameName(n, name) })
}
func (l nameList) NamesLike(string, int) []KnownName {
	var out []KnownName
	for _, n := range l.names {
		out = append(out, KnownName{n, l.typ})
	}
	return out
}

// TestAliasChoice holds what becomes of a new name where several are known, and
// where the turn names both.
func TestAliasChoice(t *testing.T) {
	p := nearPipeline(t)
	for _, x := range []struct {
		text  string
		known []string
		want  string // name=of
	}{
		{"My friend Liz moved to Oslo.", []string{"Elizabeth"}, "Liz=Elizabeth"},
		{"My friend Liz moved to Oslo.", nil, ""},
		{"My friend Liz moved to Oslo.", []string{"Liz", "Elizabeth"}, ""}, // known before
		{"My friend Sam moved to Oslo.", []string{"Samantha", "Samuel"}, ""},
		{"My friend Liz moved to Oslo.", []string{"Elizabeth Stone"}, ""},
		{"My friend Robert Hill moved to Oslo.", []string{"Robert"}, ""},
		{"My friend Robert moved to Oslo.", []string{"Robert Hill"}, ""},
		{"My friend Robert Hill moved to Oslo. I miss Robert.", nil, "Robert=Robert Hill"},
		{"My friend Robert Hill met Robert Stone. I miss Robert.", nil, ""},
		{"My friend Robert and my friend Bob moved to Oslo.", nil, ""},
		{"My friend Robert, called Bob, moved to Oslo.", nil, "Bob=Robert"},
	} {
		r := p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", x.text), Memory: nameList{typePerson, x.known}})
		var got []string
		for _, a := range r.Aliases {
			if a.By != ByExact {
				got = append(got, a.Name+"="+a.Of)
			}
		}
		if s := strings.Join(got, ", "); s != x.want {
			t.Errorf("%s with %v known: %q, want %q (names %v)", x.text, x.known, s, x.want, r.Entities)
		}
	}
}

// TestAliasLinks holds the form of the candidate, and that it is told of names
// only that facts speak of.
func TestAliasLinks(t *testing.T) {
	p := nearPipeline(t)
	r := p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", "My friend Liz lives in Oslo."), Memory: nameList{typePerson, []string{"Elizabeth"}}})
	all := r.All()
	if len(all) < 2 || all[0].Rel != AliasOf || all[0].Src.String() != "Liz" || all[0].Dst.String() != "Elizabeth" || all[0].Change != dsl.Assert {
		t.Fatalf("all = %v", all)
	}
	r = p.Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", "Liz was late."), Memory: nameList{typePerson, []string{"Elizabeth"}}})
	if len(r.Candidates) == 0 && len(r.All()) != 0 {
		t.Errorf("links of a name without a fact: %v", r.All())
	}
}

// TestSeenNames holds that what a memory compares a name with does not grow with
// the names that it has.
func TestSeenNames(t *testing.T) {
	s := &Seen{}
	for i := range 5000 {
		name := fmt.Sprintf("Jonas Q%05d", i)
		s.Add(Result{Entities: []Mention{{Text: name, Start: 0, End: len(name), Type: typePerson}}})
	}
	if got := len(s.NamesLike("Jonas Berg", 1000)); got == 0 || got > 2*maxListed {
		t.Errorf("%d names are compared, want at most %d", got, 2*maxListed)
	}
	if !s.KnowsName("jonas q00007") || s.KnowsName("Jonas") {
		t.Error("KnowsName")
	}
}

// TestCompareIsEven: comparing is symmetric, and never panics.
func TestCompareIsEven(t *testing.T) {
	a := nearAlias{jw: 0.8, words: 0.5, nick: true}
	name := rapid.OneOf(rapid.StringMatching(`[A-Za-z]{1,12}( [A-Za-z]{1,12}){0,3}`), rapid.String(), rapid.StringMatching(`[一-鿿]{1,6}(有限公司|老师)?`))
	rapid.Check(t, func(t *rapid.T) {
		x, y := name.Draw(t, "x"), name.Draw(t, "y")
		typ := rapid.SampledFrom([]string{typePerson, typeOrg, typeLoc, typeWork}).Draw(t, "type")
		fx, fy := formOf(x, typ), formOf(y, typ)
		if len(fx.words) == 0 || len(fy.words) == 0 {
			return
		}
		b1, s1 := a.compare(&fx, &fy, typ, false)
		b2, s2 := a.compare(&fy, &fx, typ, false)
		if b1 != b2 || s1 != s2 {
			t.Fatalf("%q, %q: %s %v, %s %v", x, y, b1, s1, b2, s2)
		}
	})
}
