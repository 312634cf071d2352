package store

import (
	"fmt"
	"iter"

	"github.com/asof-db/asof/dsl"
)

// checkSpan refuses a span that is no interval.
func checkSpan(what string, span dsl.Interval) error {
	if span.Valid() {
		return nil
	}
	return fmt.Errorf("store: %s: %w: the span %s is not an interval; give [from, to), from at or before to", what, dsl.ErrInvalid, span)
}

// keep yields what a condition takes, and an error as the last element.
func keep[T any](seq iter.Seq2[T, error], takes func(*T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for x, err := range seq {
			if err != nil {
				yield(x, err)
				return
			}
			if takes(&x) && !yield(x, nil) {
				return
			}
		}
	}
}

// fail yields an error alone.
func fail[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}

// ValidWhere yields the versions of View.Facts(q), in its order, whose valid
// interval stands to span in one of the relations. By default they are those
// believed at the basis; with q.All, closed and archived ones too. A span without
// an instant selects nothing, one that is turned around is dsl.ErrInvalid.
func ValidWhere(v View, q FactQuery, relations Allen, span dsl.Interval) iter.Seq2[dsl.FactVersion, error] {
	if err := checkSpan("valid where", span); err != nil {
		return fail[dsl.FactVersion](err)
	}
	return keep(v.Facts(q), func(f *dsl.FactVersion) bool { return relations.Has(f.Valid, span) })
}

// RecordWhere yields the versions of View.History(q), in its order, whose record
// interval, as the basis knows it, stands to span in one of the relations. A
// version that is open at the basis was believed until ∞ as far as it knows; one
// that was opened and closed by one transaction was never believed and stands in
// no relation. The span is as for ValidWhere.
func RecordWhere(v View, q FactQuery, relations Allen, span dsl.Interval) iter.Seq2[Version, error] {
	if err := checkSpan("record where", span); err != nil {
		return fail[Version](err)
	}
	return keep(v.History(q), func(f *Version) bool { return relations.Has(f.Record, span) })
}

// Became yields the versions of View.Facts(q), in its order, that became true
// within span: their valid start is an instant of it. What has no start, and what
// holds no instant, never became true. The span is as for ValidWhere.
func Became(v View, q FactQuery, span dsl.Interval) iter.Seq2[dsl.FactVersion, error] {
	if err := checkSpan("became", span); err != nil {
		return fail[dsl.FactVersion](err)
	}
	return keep(v.Facts(q), func(f *dsl.FactVersion) bool {
		return !f.Valid.Empty() && f.Valid.Start != dsl.Beginning && span.Contains(f.Valid.Start)
	})
}

// Stopped yields the versions of View.Facts(q), in its order, that stopped being
// true within span: their valid end, the first instant at which they do not hold,
// is an instant of it. What has no end, and what holds no instant, never stopped.
// The span is as for ValidWhere.
func Stopped(v View, q FactQuery, span dsl.Interval) iter.Seq2[dsl.FactVersion, error] {
	if err := checkSpan("stopped", span); err != nil {
		return fail[dsl.FactVersion](err)
	}
	return keep(v.Facts(q), func(f *dsl.FactVersion) bool {
		return !f.Valid.Empty() && span.Contains(f.Valid.End)
	})
}
