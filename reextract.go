package asof

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/store"
)

// AuditOption changes one call of Audit or AuditFile.
type AuditOption func(*folder)

// ReExtract lets an audit also make the candidates again from the turns, where
// this build's own extraction made them, and compare their hashes. The built-in
// extraction is deterministic; candidates of a caller or of another version are
// counted and not judged.
func ReExtract() AuditOption {
	return func(f *folder) { f.again = &reextraction{pipelines: map[dsl.Hash]*recorded{}, left: map[string]int{}} }
}

// NotExtracted counts entries whose candidates were not made again.
type NotExtracted struct {
	// Extractor names what made the candidates: "caller", or another version.
	Extractor string `json:"extractor"`
	Entries   int    `json:"entries"`
}

// reextraction makes candidates again.
type reextraction struct {
	pipelines map[dsl.Hash]*recorded
	// made counts the entries whose candidates were made again, left those that
	// were not, by extractor.
	made int
	left map[string]int
}

// recorded is the extraction that settings of the log ask for, as this build has
// it; nil where it has none.
type recorded struct {
	pipeline *extract.Pipeline
	window   int
}

// of gives the extraction of settings. What this build cannot do is not there.
func (x *reextraction) of(h dsl.Hash, s *dsl.Settings) *recorded {
	if r, ok := x.pipelines[h]; ok {
		return r
	}
	x.pipelines[h] = nil
	if s == nil || s.Policy != assimilate.PolicyVersion {
		return nil // which turns are the context is of the same version
	}
	cfg, err := configs.Load(jsontext.Value(s.Config), "the configuration in the log")
	if err != nil {
		return nil
	}
	registry, err := buildRegistry(cfg)
	if err != nil {
		return nil
	}
	// Without parts: what models and servers said is in the log and not asked for again.
	p, err := pipelineOf(&cfg, registry, extract.Parts{})
	if err != nil {
		return nil
	}
	x.pipelines[h] = &recorded{p, cfg.Memory.STMWindow}
	return x.pipelines[h]
}

// reextract makes the candidates of a transaction again from its turn and the
// state before it, and compares.
func (f *folder) reextract(tx *dsl.Tx) error {
	if len(tx.Candidates) == 0 && tx.Kind != dsl.TxTurn {
		return nil
	}
	r := f.again.of(tx.SettingsHash, f.settings[tx.Space])
	if tx.Kind != dsl.TxTurn || r == nil || tx.Extractor != r.pipeline.Version() {
		f.again.left[cmp.Or(tx.Extractor, "unknown")]++
		return nil
	}
	view, err := f.stage.View(tx.Space)
	if err != nil {
		return err
	}
	defer view.Close()
	replaced, err := edited(view, &Item{Space: tx.Space, Turn: tx.Turn})
	if err != nil && !errors.Is(err, dsl.ErrNotFound) {
		return err
	}
	last, err := lastTurns(view, r.window)
	if err != nil {
		return err
	}
	known := spaceMemory{view: view, space: tx.Space}
	found := r.pipeline.Extract(extract.Context{Turn: *tx.Turn, Previous: last.standing(replaced), Memory: &known})
	again := found.All()
	if known.err != nil {
		return known.err
	}
	got, err := dsl.CandidatesHash(again)
	if err != nil {
		return err
	}
	f.again.made++
	if got != tx.CandidatesHash {
		f.fault(tx.Space, tx.Seq, "extraction", "made again from turn %q, the candidates differ: recorded %s, again %s", tx.Turn.ID, tx.CandidatesHash, got)
	}
	return nil
}

// lastTurns gives the last turns of a view.
func lastTurns(view store.View, n int) (recentTurns, error) {
	last := recentTurns{replaced: map[string]bool{}}
	pos, err := view.PositionAt(view.Basis().Seq)
	if errors.Is(err, dsl.ErrNotFound) {
		return last, nil
	}
	if err != nil {
		return last, err
	}
	for t, err := range view.Turns(int(pos.Turns) - n) {
		if err != nil {
			return last, fmt.Errorf("the last turns: %w", err)
		}
		last.list = append(last.list, t.Turn)
		if t.ReplacedBy != "" {
			last.replaced[t.ID] = true
		}
	}
	return last, nil
}

// report puts what was made again into the report of an audit.
func (x *reextraction) report(r *AuditReport) {
	if x == nil {
		return
	}
	r.Extraction, r.Extracted = "ok", x.made
	if x.made == 0 {
		r.Extraction = notChecked
	}
	for name, n := range x.left {
		r.NotExtracted = append(r.NotExtracted, NotExtracted{name, n})
	}
	slices.SortFunc(r.NotExtracted, func(a, b NotExtracted) int { return cmp.Compare(a.Extractor, b.Extractor) })
}
