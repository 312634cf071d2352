package main

import (
	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/store"
)

// compare is digest --compare: it holds the memory in --dir against another.
func (a *app) compare(cmd *cobra.Command, other string, all bool) error {
	return a.with(cmd.Context(), existing, func(db *asof.DB) error {
		space := a.space
		if all {
			space = ""
		}
		list, err := db.Compare(cmd.Context(), other, space)
		if err != nil {
			return err
		}
		equal := true
		for _, c := range list {
			equal = equal && c.Equal
			switch {
			case a.json:
				err = a.line(c)
			case c.Equal:
				a.print("space %s is equal", escape(c.Space))
			default:
				a.print("space %s differs from %s on", escape(c.Space), c.FirstPosition)
				if c.Here != nil {
					a.print("  here   digest %s", c.Here)
				}
				if c.There != nil {
					a.print("  there  digest %s", c.There)
				}
				if r := c.Row; r != nil {
					a.print("  the first row that differs is the %s %s", r.Class, escape(r.ID))
					err = a.sides(r)
				}
			}
			if err != nil {
				return err
			}
		}
		if !equal {
			return errNo
		}
		return nil
	})
}

// sides shows what a row says in either memory.
func (a *app) sides(r *store.DivergentRow) error {
	for _, side := range []struct {
		name string
		row  *store.DecodedRow
	}{{"here ", r.Here}, {"there", r.There}} {
		if side.row == nil {
			a.print("  %s  absent", side.name)
			continue
		}
		value, err := asof.EncodeJSON(side.row.Value)
		if err != nil {
			return err
		}
		a.print("  %s  %s", side.name, escape(string(value)))
	}
	return nil
}
