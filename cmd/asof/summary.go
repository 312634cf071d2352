package main

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// summary is what an ingestion did. All that it counts is durable.
type summary struct {
	// Turns counts the items that were read and taken or known already.
	Turns     int `json:"turns"`
	New       int `json:"new"`
	Duplicate int `json:"duplicate"`
	Facts     int `json:"facts"`
	Events    int `json:"events"`
	// Position and Digest are those of the last space that the input touched.
	Position dsl.Seq  `json:"position"`
	Digest   dsl.Hash `json:"digest"`
	// Unknown names the predicates that the registry lacks.
	Unknown []string     `json:"unknown_predicates"`
	Seconds float64      `json:"seconds"`
	Spaces  []digestJSON `json:"spaces"`
	// Skipped counts the lines that were set aside.
	Skipped int `json:"skipped"`
	// Ignored counts, by name, the members of turns that asof does not know.
	Ignored map[string]int `json:"ignored"`
	// Zoneless counts the items with a time that named no zone; Zone is the one
	// that they were taken in.
	Zoneless int    `json:"zoneless"`
	Zone     string `json:"zone"`

	touched map[string]bool
	last    string
}

func newSummary(zone string) *summary {
	return &summary{Zone: cmp.Or(zone, "UTC"), Unknown: []string{}, Spaces: []digestJSON{}, Ignored: map[string]int{}, touched: map[string]bool{}}
}

// ignoredNames bounds the names of unknown members that are kept apart.
const ignoredNames = 64

// add counts an item.
func (s *summary) add(e *entry, r asof.Receipt) {
	s.Turns++
	if r.Fate == asof.New {
		s.New++
	} else {
		s.Duplicate++
	}
	s.Facts += r.Facts
	s.Events += r.Events
	for _, p := range r.Unknown {
		if i, found := slices.BinarySearch(s.Unknown, p); !found {
			s.Unknown = slices.Insert(s.Unknown, i, p)
		}
	}
	for _, name := range e.ignored {
		if _, known := s.Ignored[name]; !known && len(s.Ignored) == ignoredNames {
			name = "…"
		}
		s.Ignored[name]++
	}
	if e.zoneless {
		s.Zoneless++
	}
	s.touched[r.Space], s.last = true, r.Space
}

// summary prints what an ingestion did.
func (a *app) summary(db *asof.DB, s *summary, took time.Duration) error {
	s.Seconds = float64(took.Milliseconds()) / 1000
	if s.last == "" {
		s.last = a.space
	}
	for _, name := range slices.Sorted(maps.Keys(s.touched)) {
		d, err := headDigest(db, name)
		if err != nil {
			return err
		}
		s.Spaces = append(s.Spaces, d)
	}
	d, err := headDigest(db, s.last)
	if err != nil {
		return err
	}
	s.Position, s.Digest = d.Position, d.Digest
	if a.json {
		return a.line(s)
	}
	a.print("%s: %d new, %s; %s, %s; %.3f s", plural(s.Turns, "item"), s.New, plural(s.Duplicate, "duplicate"), plural(s.Facts, "fact version"), plural(s.Events, "event version"), s.Seconds)
	for _, d := range s.Spaces {
		a.print("space %s is at %s  %s", escape(d.Space), d.Position, d.Digest)
	}
	if s.Skipped > 0 {
		a.print("%s set aside", plural(s.Skipped, "bad line"))
	}
	if s.Zoneless > 0 {
		a.print("%s with a time that names no zone, taken as %s (--tz says otherwise)", plural(s.Zoneless, "item"), s.Zone)
	}
	if len(s.Ignored) > 0 {
		a.print("members that mean nothing here, ignored: %s", escape(strings.Join(slices.Sorted(maps.Keys(s.Ignored)), ", ")))
	}
	if len(s.Unknown) > 0 {
		a.print("predicates that the registry lacks, taken as many-valued: %s", escape(strings.Join(s.Unknown, ", ")))
	}
	return nil
}

// headDigest gives position and digest of a space's head.
func headDigest(db *asof.DB, space string) (digestJSON, error) {
	v, err := db.View(space, asof.At{})
	if err != nil {
		return digestJSON{}, err
	}
	h, err := v.Digest()
	return digestJSON{space, v.Basis().Seq, h}, errors.Join(err, v.Close())
}
