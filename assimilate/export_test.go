package assimilate

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// SmallMemo makes a memo that holds at most limit.
func SmallMemo(limit int) *Memo { return newMemo(limit) }

// CheckMemo holds all that a memo has against the view that it stands for.
func CheckMemo(m *Memo, v store.View) error {
	for id, n := range m.nodes {
		if got, err := v.Node(id); err != nil || got != n {
			return fmt.Errorf("node %v, in the view %v, %w", n, got, err)
		}
	}
	for id, g := range m.groups {
		if got, err := v.Aliases(id); err != nil || !slices.Equal(got, g) {
			return fmt.Errorf("aliases of %s %v, in the view %v, %w", id, g, got, err)
		}
	}
	for id, list := range m.facts {
		var got []dsl.FactVersion
		all, err := v.Fact(id)
		for i := range all {
			got = append(got, all[i].FactVersion)
		}
		if err != nil || !reflect.DeepEqual(got, list) {
			return fmt.Errorf("fact %s:\n%+v, in the view\n%+v, %w", id, list, got, err)
		}
	}
	for k, t := range m.taken {
		var want timeline
		for f, err := range v.Facts(store.FactQuery{Src: []string{k.src}, Rel: k.rel}) {
			if err != nil {
				return err
			}
			if !want.insert(stretch{f.Valid, f.Ref()}) {
				return fmt.Errorf("%v is taken twice", k)
			}
		}
		if !slices.Equal(*t, want) {
			return fmt.Errorf("%v is taken %v, in the view %v", k, *t, want)
		}
	}
	return nil
}
