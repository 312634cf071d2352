package suite

import (
	"reflect"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	got, err := Read(strings.NewReader("# a comment\n\nI>lives_in>Boston;end I>owns>dog | {Where?} In Boston.\n- | Hello.\n"))
	want := []Statement{{Text: "In Boston.", Previous: "Where?", Facts: []string{"i>lives_in>boston", "end i>owns>dog"}}, {Text: "Hello."}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"I>owns>dog", "- | {Where?}", "- | {Where"} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestSay(t *testing.T) {
	f := Fact{Src: "Ann", Rel: "related_to", Dst: "Eva", Relation: "sister", Change: "correct", Negative: true}
	if got := f.Say("Ann", "Ben"); got != "correct not i>related_to:sister>eva" {
		t.Error(got)
	}
	if got := (Fact{Src: "Ben", Rel: "lives_in", Dst: "Rome", Change: "assert"}).Say("Ann", "Ben"); got != "you>lives_in>rome" {
		t.Error(got)
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"i>owns>dog", "i>owns>dog", true}, {"i>owns>dog", "i>owns>big dog", false},
		{"trip to rome>scheduled_at>2023", "trip>scheduled_at>2023", true}, {"trip>scheduled_at>2023", "trip>scheduled_at>2024", false},
		{"trip>located_at>rome", "walk>located_at>rome", false},
	} {
		if Same(c.a, c.b) != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, !c.same)
		}
	}
}
