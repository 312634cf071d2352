package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/store"
)

func (a *app) inspectCommand() *cobra.Command {
	var class, field string
	var limit int
	cmd := &cobra.Command{
		Use:   "inspect [keys|positions|postings TERM|segments|sizes]",
		Short: "Look inside the store, past everything that reads it",
		Long: `Opens the store in --dir for reading alone (a store folder, or a checkpoint, will
do as well; no log is needed) and shows its rows:

  sizes          rows and bytes by class, tables by level (all spaces, unless --space names one)
  keys           the rows of --space in order of key, decoded; --class picks one sort
  positions      one row a position
  postings TERM  the documents that hold a term as it is indexed, by field
  segments       the segments of the text index; --field picks one field`,
		Example: "  asof inspect\n  asof inspect keys --class version --limit 5\n  asof inspect postings berlin --json\n  asof inspect segments --field turn",
		RunE: func(cmd *cobra.Command, args []string) error {
			what := "sizes"
			if len(args) > 0 {
				what = args[0]
			}
			switch {
			case !slices.Contains([]string{"keys", "positions", "postings", "segments", "sizes"}, what):
				return wrongUsage("there is no view %q of a store; there are keys, positions, postings TERM, segments and sizes", what)
			case what == "postings" && len(args) != 2:
				return wrongUsage("postings needs one term")
			case what != "postings" && len(args) > 1:
				return wrongUsage("%s takes no argument", what)
			case class != "" && (what != "keys" || !slices.Contains(store.Classes(), class)):
				return wrongUsage("--class goes with keys and is one of %s", strings.Join(store.Classes(), ", "))
			case field != "" && (what != "segments" || fieldNamed(field) == 0):
				return wrongUsage("--field goes with segments and is turn, fact or event")
			case limit < 0:
				return wrongUsage("--limit %d is negative", limit)
			}
			cfg, err := a.config()
			if err != nil {
				return err
			}
			return asof.Inspect(a.dir, &cfg, func(f *store.Frozen) error {
				switch what {
				case "keys":
					return a.keys(cmd.Context(), f, class, limit)
				case "positions":
					return a.keys(cmd.Context(), f, "position", limit)
				case "postings":
					return a.postings(f, args[1], limit)
				case "segments":
					return a.segments(cmd.Context(), f, fieldNamed(field), limit)
				}
				return a.sizes(cmd.Context(), f)
			})
		},
	}
	cmd.Flags().StringVar(&class, "class", "", "the class of rows that keys shows")
	cmd.Flags().StringVar(&field, "field", "", "the field that segments shows: turn, fact or event")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many rows; 0 for all")
	return cmd
}

func (a *app) sizes(ctx context.Context, f *store.Frozen) error {
	s, err := f.Sizes(ctx, a.only())
	if err != nil {
		return err
	}
	if a.json {
		return a.line(s)
	}
	a.print("%-12s %3s  %9s  %12s  %12s", "class", "tag", "rows", "key bytes", "value bytes")
	for _, c := range s.Classes {
		name := c.Class
		if c.Logical {
			name += " *"
		}
		a.print("%-12s %3s  %9d  %12d  %12d", name, c.Tag, c.Rows, c.KeyBytes, c.ValueBytes)
	}
	a.print("* enters the digest")
	for _, l := range s.Levels {
		a.print("level %d: %s, %d bytes", l.Level, plural(int(l.Tables), "table"), l.Bytes)
	}
	a.print("on disk %d bytes, of them %d in write-ahead logs; %d bytes in memory", s.Bytes, s.LogBytes, s.MemtableBytes)
	return nil
}

func (a *app) keys(ctx context.Context, f *store.Frozen, class string, limit int) error {
	n := 0
	var failed error
	err := f.Rows(ctx, a.space, class, func(r store.DecodedRow) bool {
		failed = a.row(r)
		n++
		return failed == nil && n != limit
	})
	if n == 0 && err == nil {
		a.note("there is nothing of the kind in space %q", a.space)
	}
	return errors.Join(failed, err)
}

// row writes one row of the store.
func (a *app) row(r store.DecodedRow) error {
	if a.json {
		return a.line(r)
	}
	value, err := asof.EncodeJSON(r.Value)
	if err != nil {
		return err
	}
	at := ""
	if r.Position > 0 {
		at = r.Position.String()
	}
	if r.Fault != "" {
		at += " FAULT " + r.Fault
	}
	a.print("%-8s %-12s %s %s", at, r.Class, escape(r.ID), escape(string(value)))
	return nil
}

// indexFields are the fields of the text index by name.
var indexFields = []struct {
	name  string
	field store.Field
}{{"turn", store.TurnField}, {"fact", store.FactField}, {"event", store.EventField}}

// fieldNamed gives a field by its name, 0 for none.
func fieldNamed(name string) store.Field {
	for _, f := range indexFields {
		if f.name == name {
			return f.field
		}
	}
	return 0
}

func (a *app) segments(ctx context.Context, f *store.Frozen, field store.Field, limit int) error {
	list, err := f.Segments(ctx, a.space, field)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		a.note("the text index of space %q holds nothing of the kind", a.space)
		return nil
	}
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	if !a.json {
		a.print("%-5s  %4s  %21s  %9s  %8s  %9s  %6s  %10s", "field", "tier", "first to last", "documents", "terms", "postings", "rows", "bytes")
	}
	for _, s := range list {
		if a.json {
			if err := a.line(s); err != nil {
				return err
			}
			continue
		}
		tier, fault := fmt.Sprint(s.Tier), ""
		if s.Tail {
			tier = "tail"
		}
		if s.Fault != "" {
			fault = "  FAULT " + escape(s.Fault)
		}
		a.print("%-5s  %4s  %21s  %9d  %8d  %9d  %6d  %10d%s", s.Field, tier, fmt.Sprintf("%d–%d", s.First, s.Last),
			s.Documents, s.Terms, s.Postings, s.Rows, s.Bytes, fault)
	}
	return nil
}

// postingJSON is one document that holds a term.
type postingJSON struct {
	Field     string `json:"field"`
	Document  int    `json:"document"`
	Frequency uint32 `json:"frequency"`
}

func (a *app) postings(f *store.Frozen, term string, limit int) (err error) {
	head, _, err := f.Head(a.space)
	if err != nil {
		return err
	}
	v := f.At(a.space, head.Seq)
	defer func() { err = errors.Join(err, v.Close()) }()
	n := 0
	for _, field := range indexFields {
		var failed error
		err := v.Postings(field.field, term, func(doc int, tf uint32) bool {
			p := postingJSON{field.name, doc, tf}
			if a.json {
				failed = a.line(p)
			} else {
				a.print("%-5s  %6d  × %d", p.Field, p.Document, p.Frequency)
			}
			n++
			return failed == nil && n != limit
		})
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		if limit > 0 && n >= limit {
			break
		}
	}
	if n == 0 {
		a.note("no document of space %q holds the term %q; terms are lower case and stemmed", a.space, term)
	}
	return nil
}
