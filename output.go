package asof

import (
	"github.com/go-json-experiment/json"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

// The types below are the JSON of INTERFACE.md, in its order of fields.

// FactJSON is a fact version.
type FactJSON struct {
	ID         string       `json:"id"`
	Version    uint32       `json:"version"`
	Src        string       `json:"src"`
	SrcName    string       `json:"src_name"`
	Rel        string       `json:"rel"`
	Dst        string       `json:"dst"`
	DstName    string       `json:"dst_name"`
	Relation   string       `json:"relation,omitzero"`
	Valid      dsl.Interval `json:"valid"`
	Record     dsl.Interval `json:"record"`
	Status     dsl.Status   `json:"status"`
	Source     string       `json:"source"`
	EvidenceID []string     `json:"evidence_id"`
	Confidence float64      `json:"confidence"`
}

// HistoryJSON is a fact version with what opened and closed it.
type HistoryJSON struct {
	FactJSON `json:",embed"`
	Op       dsl.OpKind  `json:"op"`
	Reason   string      `json:"reason"`
	Turn     string      `json:"turn"`
	ClosedBy *ClosedJSON `json:"closed_by,omitzero"`
}

// ClosedJSON says what closed a version.
type ClosedJSON struct {
	Op     dsl.OpKind `json:"op"`
	Reason string     `json:"reason"`
	Turn   string     `json:"turn"`
}

// ChangeJSON is one change of belief.
type ChangeJSON struct {
	Change store.ChangeKind `json:"change"`
	Before *FactJSON        `json:"before,omitzero"`
	After  *FactJSON        `json:"after,omitzero"`
	At     dsl.Instant      `json:"at"`
	Turn   string           `json:"turn"`
	Reason string           `json:"reason"`
}

// EventJSON is an event version. TVisible is null while its evidence is not
// complete.
type EventJSON struct {
	ID           string            `json:"id"`
	Version      uint32            `json:"version"`
	Summary      string            `json:"summary"`
	TimeSpan     dsl.Interval      `json:"time_span"`
	Participants []ParticipantJSON `json:"participants"`
	IncludesFact []string          `json:"includes_fact"`
	Status       string            `json:"status"`
	Record       dsl.Interval      `json:"record"`
	TVisible     dsl.Instant       `json:"t_visible"`
	EvidenceID   []string          `json:"evidence_id"`
	// RetiredFact are those of IncludesFact that the view does not assert any more.
	RetiredFact []string `json:"retired_fact"`
}

// ParticipantJSON is one who takes part in an event.
type ParticipantJSON struct {
	Entity     string `json:"entity"`
	EntityName string `json:"entity_name,omitzero"`
	Role       string `json:"role"`
}

// BasisJSON names what an answer was computed from.
type BasisJSON struct {
	Space    string       `json:"space"`
	Position dsl.Seq      `json:"position"`
	Record   *dsl.Instant `json:"record"`
	// Config is the hash of the settings that the answer was made under;
	// Recorded that of the settings in force at the position.
	Config   dsl.Hash `json:"config"`
	Recorded dsl.Hash `json:"recorded_config"`
	Scoring  string   `json:"scoring"`
	Analyzer string   `json:"analyzer"`
	Epoch    uint64   `json:"erasure_epoch"`
	// Notes say what one should know of how the answer's models ran, such as that
	// there was no graphics processor.
	Notes []string `json:"notes,omitempty"`
	// Partial says how far the vectors of models went where an answer from a part was
	// asked for: it is what those documents give.
	Partial []WatermarkJSON `json:"partial,omitempty"`
}

// WatermarkJSON says that the first documents of a kind have vectors of a model.
type WatermarkJSON struct {
	Model     string         `json:"model"`
	Kind      retrieval.Kind `json:"kind"`
	Documents int            `json:"documents"`
	Of        int            `json:"of"`
}

// partialOut gives the JSON form of watermarks.
func partialOut(part []retrieval.Watermark) (out []WatermarkJSON) {
	for _, w := range part {
		out = append(out, WatermarkJSON{Model: w.Model, Kind: KindOf(w.Field), Documents: w.Documents, Of: w.Of})
	}
	return out
}

// SearchJSON is a search result.
type SearchJSON struct {
	Basis BasisJSON `json:"basis"`
	Query string    `json:"query"`
	Hits  []HitJSON `json:"hits"`
	// Question is how the question was read; only where it was asked for.
	Question *QuestionJSON `json:"question,omitempty"`
}

// HitJSON is one hit.
type HitJSON struct {
	Rank    int            `json:"rank"`
	Kind    retrieval.Kind `json:"kind"`
	ID      string         `json:"id"`
	Score   float64        `json:"score"`
	Turns   []string       `json:"turns"`
	Session string         `json:"session"`
	Record  dsl.Interval   `json:"record"`
	Valid   dsl.Interval   `json:"valid"`
	Text    string         `json:"text"`
	// Channels and Cues are what made the score; only where it was asked for.
	Channels []ChannelJSON `json:"channels,omitempty"`
	Cues     []CueJSON     `json:"cues,omitempty"`
}

// FactOut gives the JSON form of a fact version.
func FactOut(f *dsl.FactVersion) FactJSON {
	return FactJSON{ID: f.ID, Version: f.Version, Src: f.Src, SrcName: f.SrcName.String(), Rel: f.Rel, Dst: f.Dst,
		DstName: f.DstName.String(), Relation: f.Relation.String(), Valid: f.Valid, Record: f.Record, Status: f.Status,
		Source: f.Source, EvidenceID: f.Evidence, Confidence: f.Confidence}
}

// HistoryOut gives the JSON form of a version with its reasons.
func HistoryOut(v *store.Version) HistoryJSON {
	h := HistoryJSON{FactJSON: FactOut(&v.FactVersion), Op: v.Op, Reason: v.Reason.String(), Turn: v.Turn}
	if v.Closed != 0 {
		h.ClosedBy = &ClosedJSON{Op: v.CloseOp, Reason: v.CloseReason.String(), Turn: v.CloseTurn}
	}
	return h
}

// ChangeOut gives the JSON form of a change.
func ChangeOut(c *store.Change) ChangeJSON {
	out := ChangeJSON{Change: c.Kind, At: c.At, Turn: c.Turn, Reason: c.Reason.String()}
	if c.Before != nil {
		f := FactOut(c.Before)
		out.Before = &f
	}
	if c.After != nil {
		f := FactOut(c.After)
		out.After = &f
	}
	return out
}

// EventOut gives the JSON form of an event, with the names of its participants
// as of the view.
func (v *View) EventOut(e *dsl.Event) (EventJSON, error) {
	out := EventJSON{ID: e.ID, Version: e.Version, Summary: e.Summary.String(), TimeSpan: e.Span, IncludesFact: e.Includes,
		Status: e.Status, Record: e.Record, TVisible: e.Visible, EvidenceID: e.Evidence}
	for _, p := range e.Participants {
		n, err := v.Node(p.Entity)
		if err != nil {
			return out, err
		}
		out.Participants = append(out.Participants, ParticipantJSON{Entity: p.Entity, EntityName: n.Name.String(), Role: p.Role.String()})
	}
	var err error
	out.RetiredFact, err = v.retired(e)
	return out, err
}

// BasisOut gives the JSON form of a view's basis under the present settings.
func (db *DB) BasisOut(b store.Basis) BasisJSON {
	out := BasisJSON{Space: b.Space, Position: b.Seq, Config: db.engine.settingsHash, Recorded: b.Settings,
		Scoring: db.engine.settings.Scoring, Analyzer: db.engine.settings.Analyzer, Epoch: b.Epoch, Notes: db.models.notes}
	if b.Seq > 0 {
		out.Record = &b.Time
	}
	return out
}

// SearchOut gives the JSON form of a search result.
func (db *DB) SearchOut(query string, r *SearchResult) SearchJSON {
	out := SearchJSON{Basis: db.BasisOut(r.Basis), Query: query, Hits: []HitJSON{}}
	out.Basis.Partial = partialOut(r.Part)
	for _, h := range r.Hits {
		out.Hits = append(out.Hits, HitJSON{Rank: h.Rank, Kind: h.Kind, ID: h.ID, Score: h.Score, Turns: h.Turns,
			Session: h.Session, Record: h.Record, Valid: h.Valid, Text: h.Text})
	}
	return out
}

// EncodeJSON gives the JSON of one of the types above, or of any value of plain
// fields: lists that are nil are empty, members keep their order.
func EncodeJSON(v any) ([]byte, error) { return json.Marshal(v, json.Deterministic(true)) }
