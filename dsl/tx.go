package dsl

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FormatVersion is the version of the transaction's canonical text that is
// written. Every version from 1 on is read; version 1 has no layer 2.
const FormatVersion = 2

// TxKind says what a transaction came from.
type TxKind string

// The kinds of transaction: a turn (with what was extracted from it), a further
// set of candidates for an earlier turn, operations written directly, the
// dropping of the space (what came before it is in no view any more), and what
// earlier turns say about a gap that a query reported.
const (
	TxTurn       TxKind = "turn"
	TxCandidates TxKind = "candidates"
	TxOps        TxKind = "ops"
	TxDrop       TxKind = "drop"
	TxBackfill   TxKind = "backfill"
)

// MaxOperations bounds the operations of one transaction.
const MaxOperations = 1 << 16

// Node is a node as it is first written. Nodes are not versioned.
type Node struct {
	ID   string   `json:"id"`
	Kind NodeKind `json:"kind"`
	Name Text     `json:"name"`
}

// Validate checks the id, the kind and the name; the error wraps ErrInvalid.
func (n *Node) Validate() error {
	if err := CheckID("id", n.ID); err != nil {
		return err
	}
	if !slices.Contains(NodeKinds, n.Kind) {
		return fmt.Errorf("%w: kind %q of node %s", ErrInvalid, clip(string(n.Kind)), n.ID)
	}
	return checkText("name", n.Name, func(s string) error { return CheckName("name", s) })
}

// Settings are what a space runs under: written, whole, into the first
// transaction that runs under them.
type Settings struct {
	// Analyzer and Scoring name the versions of text analysis and ranking.
	Analyzer string `json:"analyzer"`
	// Config is the effective semantic configuration as canonical JSON.
	Config jsontext.Value `json:"config"`
	// Extractor names the extraction pipeline and its version.
	Extractor string `json:"extractor"`
	// Policy names the version of the assimilation rules.
	Policy string `json:"policy"`
	// Registry is the predicate registry as canonical JSON.
	Registry jsontext.Value `json:"registry"`
	Scoring  string         `json:"scoring"`
}

// Hash gives the SHA-256 of the settings' canonical text.
func (s *Settings) Hash() (Hash, error) {
	b, err := Canonical(s)
	if err != nil {
		return Hash{}, fmt.Errorf("settings: %w", err)
	}
	return Sum(b), nil
}

// Tx is one transaction: all that one turn, one set of candidates or one set of
// operations caused, committed atomically as one entry of the log.
type Tx struct {
	// Candidates are what was proposed; CandidatesHash is the SHA-256 of their
	// canonical text and is set whenever the transaction has a turn or candidates.
	Candidates     []Candidate `json:"candidates,omitempty"`
	CandidatesHash Hash        `json:"candidates_hash,omitzero"`
	// Decisions has one entry for each candidate.
	Decisions []Decision `json:"decisions,omitempty"`
	// Extractor names what made the candidates.
	Extractor string `json:"extractor,omitzero"`
	// Gap is what a TxBackfill tried to fill.
	Gap  *Gap   `json:"gap,omitzero"`
	Kind TxKind `json:"kind"`
	// Memory is the working memory after the transaction, where it changed.
	Memory *Memory `json:"memory,omitzero"`
	// Nodes are the nodes first written here.
	Nodes      []Node `json:"nodes,omitempty"`
	Operations []Op   `json:"operations,omitempty"`
	// OpsHash is the SHA-256 of the operations as the caller gave them, so that
	// the same set sent twice is known.
	OpsHash Hash `json:"ops_hash,omitzero"`
	// Seq is the position in the space; Prev the SHA-256 of the entry before.
	Seq  Seq  `json:"position"`
	Prev Hash `json:"prev"`
	// Ref is the caller's own name of a transaction of operations.
	Ref string `json:"ref,omitzero"`
	// Settings is set in the first transaction under them.
	Settings *Settings `json:"settings,omitzero"`
	// SettingsHash names the settings in force.
	SettingsHash Hash   `json:"settings_hash"`
	Space        string `json:"space"`
	// Time is the record time.
	Time Instant `json:"time"`
	// Triggers are the decisions of layer 2.
	Triggers []TriggerDecision `json:"triggers,omitempty"`
	// Turn is the turn of a TxTurn; TurnHash the SHA-256 of its canonical text.
	Turn     *Turn `json:"turn,omitzero"`
	TurnHash Hash  `json:"turn_hash,omitzero"`
	// TurnID is the turn that a TxCandidates belongs to.
	TurnID  string `json:"turn_id,omitzero"`
	Version int    `json:"v"`
}

// RuleEdit is the rule of operations that take back what a replaced turn did.
const RuleEdit = "edit/replaced"

// Rules gives, for each operation, the rule that it follows from: that of the
// decision that names it; RuleEdit for those of facts that follow from no
// decision where the turn replaces another; none for all others.
func (tx *Tx) Rules() []string {
	rules := make([]string, len(tx.Operations))
	if tx.Turn != nil && tx.Turn.Replaces != "" {
		for i := range tx.Operations {
			switch o := &tx.Operations[i]; {
			case o.Kind == UpsertEdge, o.Kind == RetroCorrectOp, o.Kind == Link && o.Link == EvidenceLink:
				rules[i] = RuleEdit
			}
		}
	}
	for i := range tx.Decisions {
		for _, o := range tx.Decisions[i].Operations {
			if o >= 0 && o < len(rules) {
				rules[o] = tx.Decisions[i].Rule
			}
		}
	}
	return rules
}

var encodeOptions = json.JoinOptions(json.Deterministic(true), json.FormatNilSliceAsNull(false))

// Canonical gives the canonical JSON of a value of this package. It fails on
// invalid UTF-8 and on times that have no text.
func Canonical(v any) ([]byte, error) {
	if b, ok := print(v); ok {
		return b, nil
	}
	return canonical(v)
}

// canonical is Canonical by the general encoder: the measure of the other.
func canonical(v any) ([]byte, error) {
	b, err := json.Marshal(v, encodeOptions)
	if err != nil {
		return nil, fmt.Errorf("canonical text: %w", err)
	}
	return b, nil
}

// Decode reads canonical JSON into v and refuses unknown members, duplicate
// members and every spelling but the canonical one. The error wraps ErrCorrupt.
func Decode(b []byte, v any) error {
	switch x := v.(type) {
	case *Turn:
		var t Turn
		if scanTurn(b, &t) {
			*x = t
			return nil
		}
	case *Memory:
		if m, ok := scanMemory(b); ok {
			*x = *m
			return nil
		}
	case *Tx:
		var t txText
		if scanTx(b, &t) {
			*x = t.tx
			return nil
		}
	}
	return decode(b, v)
}

// decode is Decode by the general decoder: the measure of the other.
func decode(b []byte, v any) error {
	if err := json.Unmarshal(b, v, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	again, err := canonical(v)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	if i := firstDifference(b, again); i >= 0 {
		return fmt.Errorf("%w: not canonical at byte %d", ErrCorrupt, i)
	}
	return nil
}

// firstDifference gives the offset of the first differing byte, -1 if none.
func firstDifference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// CanonicalValue rewrites any JSON value as canonical JSON (RFC 8785).
func CanonicalValue(b []byte) ([]byte, error) {
	v := jsontext.Value(bytes.Clone(b))
	if err := v.Canonicalize(); err != nil {
		return nil, fmt.Errorf("canonical text: %w", err)
	}
	return v, nil
}

// Encode gives the entry's canonical text; its SHA-256 is the chain hash.
func (tx *Tx) Encode() ([]byte, error) { return Canonical(tx) }

// DecodeTx reads an entry and checks all that can be checked without the
// entries before it: canonical form, version, shape, the turn's and the
// candidates' hashes. The error wraps ErrCorrupt or ErrUnsupportedFormat.
func DecodeTx(b []byte) (*Tx, error) {
	var text txText
	if scanTx(b, &text) {
		tx := &text.tx
		if err := tx.check(&text); err != nil {
			return nil, fmt.Errorf("transaction %s %s: %w", tx.Space, tx.Seq, err)
		}
		return tx, nil
	}
	return decodeTx(b)
}

// decodeTx is DecodeTx by the general decoder.
func decodeTx(b []byte) (*Tx, error) {
	tx := new(Tx)
	if err := decode(b, tx); err != nil {
		// Another version may well have other members: say so, not "corrupt".
		var other struct {
			Version int `json:"v"`
		}
		if json.Unmarshal(b, &other) == nil && other.Version > FormatVersion {
			err = fmt.Errorf("%w: version %d, this build reads %d", ErrUnsupportedFormat, other.Version, FormatVersion)
		}
		return nil, fmt.Errorf("transaction: %w", err)
	}
	if err := tx.check(nil); err != nil {
		return nil, fmt.Errorf("transaction %s %s: %w", tx.Space, tx.Seq, err)
	}
	return tx, nil
}

// check checks what the entry alone can show. text, where there is one, has the
// hashes of the parts of the entry's text: they are those of the parts.
func (tx *Tx) check(text *txText) error {
	if tx.Version < 1 || tx.Version > FormatVersion {
		return fmt.Errorf("%w: version %d, this build reads %d", ErrUnsupportedFormat, tx.Version, FormatVersion)
	}
	if err := CheckSpace(tx.Space); err != nil {
		return fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	if tx.Seq > MaxSeq {
		return fmt.Errorf("%w: position %s is beyond %s", ErrCorrupt, tx.Seq, MaxSeq)
	}
	if tx.Seq == 0 || (tx.Seq == 1) != tx.Prev.IsZero() {
		return fmt.Errorf("%w: position %s with previous hash %s", ErrCorrupt, tx.Seq, tx.Prev)
	}
	if tx.Seq == 1 && tx.Settings == nil {
		return fmt.Errorf("%w: the first transaction lacks settings", ErrCorrupt)
	}
	if err := tx.checkSettings(); err != nil {
		return err
	}
	if err := tx.checkHashes(text); err != nil {
		return err
	}
	if len(tx.Operations) > MaxOperations {
		return fmt.Errorf("%w: %d operations, at most %d are allowed", ErrCorrupt, len(tx.Operations), MaxOperations)
	}
	for i := range tx.Nodes {
		if err := tx.Nodes[i].Validate(); err != nil {
			return fmt.Errorf("%w: node %d: %v", ErrCorrupt, i, err)
		}
	}
	for i := range tx.Operations {
		if err := tx.Operations[i].Validate(); err != nil {
			return fmt.Errorf("%w: operation %d: %v", ErrCorrupt, i, err)
		}
	}
	for i, d := range tx.Decisions {
		if d.Candidate != i || i >= len(tx.Candidates) {
			return fmt.Errorf("%w: decision %d is about candidate %d of %d", ErrCorrupt, i, d.Candidate, len(tx.Candidates))
		}
		for _, o := range d.Operations {
			if o < 0 || o >= len(tx.Operations) {
				return fmt.Errorf("%w: decision %d names operation %d of %d", ErrCorrupt, i, o, len(tx.Operations))
			}
		}
	}
	if len(tx.Decisions) != len(tx.Candidates) {
		return fmt.Errorf("%w: %d candidates, %d decisions", ErrCorrupt, len(tx.Candidates), len(tx.Decisions))
	}
	return tx.checkLayer2()
}

func (tx *Tx) checkSettings() error {
	if tx.Settings == nil {
		return nil
	}
	h, err := tx.Settings.Hash()
	if err != nil {
		return fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	if h != tx.SettingsHash {
		return fmt.Errorf("%w: settings hash to %s, the entry says %s", ErrCorrupt, h, tx.SettingsHash)
	}
	for _, v := range []jsontext.Value{tx.Settings.Config, tx.Settings.Registry} {
		if c, err := CanonicalValue(v); err != nil || !bytes.Equal(c, v) {
			return fmt.Errorf("%w: settings hold JSON that is not canonical", ErrCorrupt)
		}
	}
	return nil
}

func (tx *Tx) checkHashes(text *txText) error {
	var th, ch Hash
	var err error
	if (tx.Kind == TxTurn) != (tx.Turn != nil) || (tx.Kind == TxCandidates) != (tx.TurnID != "") {
		return fmt.Errorf("%w: kind %q with the wrong parts", ErrCorrupt, tx.Kind)
	}
	switch tx.Kind {
	case TxTurn:
		if err := tx.Turn.Validate(); err != nil {
			return fmt.Errorf("%w: %v", ErrCorrupt, err)
		}
		if text != nil {
			th = text.turn
		} else if th, err = TurnHash(tx.Turn); err != nil {
			return err
		}
	case TxCandidates:
		if err := CheckID("turn_id", tx.TurnID); err != nil {
			return fmt.Errorf("%w: %v", ErrCorrupt, err)
		}
	case TxBackfill:
	case TxOps, TxDrop:
		if len(tx.Candidates) > 0 || (tx.Kind == TxDrop && len(tx.Operations) > 0) {
			return fmt.Errorf("%w: kind %q with the wrong parts", ErrCorrupt, tx.Kind)
		}
	default:
		return fmt.Errorf("%w: kind %q", ErrCorrupt, clip(string(tx.Kind)))
	}
	if tx.Kind == TxTurn || tx.Kind == TxCandidates || tx.Kind == TxBackfill {
		if text != nil && len(tx.Candidates) > 0 {
			ch = text.candidates
		} else if ch, err = CandidatesHash(tx.Candidates); err != nil {
			return err
		}
	}
	if th != tx.TurnHash {
		return fmt.Errorf("%w: turn hashes to %s, the entry says %s", ErrCorrupt, th, tx.TurnHash)
	}
	if ch != tx.CandidatesHash {
		return fmt.Errorf("%w: candidates hash to %s, the entry says %s", ErrCorrupt, ch, tx.CandidatesHash)
	}
	for i := range tx.Candidates {
		if err := tx.Candidates[i].Validate(); err != nil {
			return fmt.Errorf("%w: candidate %d: %v", ErrCorrupt, i, err)
		}
	}
	return nil
}

// TurnHash gives the SHA-256 of a turn's canonical text: what "the same
// content" means.
func TurnHash(t *Turn) (Hash, error) {
	b, err := Canonical(t)
	if err != nil {
		return Hash{}, fmt.Errorf("turn %q: %w", t.ID, err)
	}
	return Sum(b), nil
}

// CandidatesHash gives the SHA-256 of the canonical text of a list of
// candidates.
func CandidatesHash(c []Candidate) (Hash, error) {
	if c == nil {
		c = []Candidate{}
	}
	b, err := Canonical(c)
	if err != nil {
		return Hash{}, fmt.Errorf("candidates: %w", err)
	}
	return Sum(b), nil
}
