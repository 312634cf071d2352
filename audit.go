package asof

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
)

// AuditReport says what an audit checked. Chain, Decisions, Digest and
// Projection are "ok", "faulty", or "not checked" with the reason in Faults or
// by the nature of the audit.
type AuditReport struct {
	Entries    int    `json:"entries"`
	Chain      string `json:"chain"`
	Decisions  string `json:"decisions"`
	Digest     string `json:"digest"`
	Projection string `json:"projection"`
	Decided    int    `json:"decided"`
	// Extraction is the verdict on the candidates, where they were made again
	// (ReExtract): Extracted counts the entries, NotExtracted those of others.
	Extraction   string         `json:"extraction,omitzero"`
	Extracted    int            `json:"extracted,omitzero"`
	NotExtracted []NotExtracted `json:"not_extracted,omitempty"`
	Faults       []Fault        `json:"faults"`
	// Notes say what was not checked because another version made it. They are no
	// faults.
	Notes []Fault `json:"notes,omitempty"`
}

const notChecked = "not checked"

// OK tells whether no fault was found.
func (r *AuditReport) OK() bool { return len(r.Faults) == 0 }

// found takes in what a fold found.
func (r *AuditReport) found(f *folder) {
	r.Faults, r.Notes = append(r.Faults, f.faults...), append(r.Notes, f.notes...)
	r.Decided = f.decisions
	f.again.report(r)
	r.settle()
}

// settle sets the verdicts from the faults.
func (r *AuditReport) settle() {
	if r.Decided == 0 && len(r.Notes) > 0 {
		r.Decisions = notChecked
	}
	for _, f := range r.Faults {
		switch f.Kind {
		case "decisions":
			r.Decisions = "faulty"
		case "digest":
			r.Digest = "faulty"
		case "projection":
			r.Projection = "faulty"
		case "extraction":
			r.Extraction = "faulty"
		default:
			r.Chain = "faulty"
		}
	}
}

// Audit proves the memory from its log: the canonical form and the hashes of
// every entry, the chain, every decision made again from its candidates and the
// state before it, the digest at every position against the store's, and that
// the store is where the log is. An empty space audits all. What it finds is in
// the report; an error means that it could not look.
func (db *DB) Audit(ctx context.Context, space string, opts ...AuditOption) (AuditReport, error) {
	r := AuditReport{Chain: "ok", Decisions: "ok", Digest: "ok", Projection: "ok"}
	f, err := newFolder(true)
	if err != nil {
		return r, err
	}
	for _, o := range opts {
		o(f)
	}
	err = db.audit(ctx, space, f, &r)
	err = errors.Join(err, f.close())
	r.found(f)
	return r, err
}

func (db *DB) audit(ctx context.Context, space string, f *folder, r *AuditReport) error {
	last := map[string]dsl.Seq{}
	err := db.ledger.Read(ctx, 1, func(m ledger.Message) error {
		for _, rec := range m.Records {
			if space != "" && rec.Space != space {
				continue
			}
			if want := last[rec.Space] + 1; dsl.Seq(rec.Seq) != want {
				f.kill(rec.Space, dsl.Seq(rec.Seq), "chain", "the log has it after %s", want-1)
			}
			last[rec.Space] = dsl.Seq(rec.Seq)
			r.Entries++
			if err := f.add(rec.Space, dsl.Seq(rec.Seq), rec.Data); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, ledger.ErrCorrupt) || errors.Is(err, ledger.ErrGap) {
		f.fault(space, 0, "chain", "%v", err)
		err = nil
	}
	if err := errors.Join(err, f.flush()); err != nil {
		return fmt.Errorf("asof: audit: %w", err)
	}
	return db.compareWith(ctx, space, f, last)
}

// compareWith holds the store against what was folded from the log.
func (db *DB) compareWith(ctx context.Context, space string, f *folder, last map[string]dsl.Seq) error {
	names, err := db.store.Spaces()
	if err != nil {
		return err
	}
	for _, name := range names {
		if space != "" && name != space {
			continue
		}
		head, err := db.store.Head(name)
		if err != nil {
			return err
		}
		if head.Seq != last[name] {
			f.fault(name, head.Seq, "projection", "the store is at %s, the log at %s", head.Seq, last[name])
		}
		if f.dead[name] || head.Seq == 0 {
			continue
		}
		v, err := db.store.At(name, head.Seq)
		if err != nil {
			return err
		}
		err = f.digests(ctx, name, func(p store.Position) error {
			got, err := v.PositionAt(p.Seq)
			switch {
			case errors.Is(err, dsl.ErrNotFound):
				f.fault(name, p.Seq, "projection", "the store lacks it")
				return errEnough
			case err != nil:
				return err
			case got.Digest != p.Digest || got.Entry != p.Entry || got.Time != p.Time:
				f.fault(name, p.Seq, "digest", "the store has the digest %s, the log gives %s; delete the store folder and it is made again", got.Digest, p.Digest)
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			err = nil
		}
		if err := errors.Join(err, v.Close()); err != nil {
			return err
		}
	}
	return nil
}

// AuditFile audits an exported log as Audit does a memory's own: each line's
// hash, the entries, the chain, the decisions and the head lines. It needs no
// store; digests are computed but have nothing to be compared with.
func AuditFile(ctx context.Context, r io.Reader, opts ...AuditOption) (AuditReport, error) {
	rep := AuditReport{Chain: "ok", Decisions: "ok", Digest: notChecked, Projection: notChecked}
	f, err := newFolder(true)
	if err != nil {
		return rep, err
	}
	for _, o := range opts {
		o(f)
	}
	rep.Entries, err = f.readExport(ctx, r)
	if err == nil {
		err = f.flush()
	}
	err = errors.Join(err, f.close())
	rep.found(f)
	return rep, err
}
