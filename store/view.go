package store

import (
	"iter"

	"github.com/asof-db/asof/dsl"
)

// Basis names what an answer was computed from. It names nothing later.
type Basis struct {
	Space string
	// Seq is the position of the view; 0 for a view before the first transaction.
	Seq dsl.Seq
	// Time is the record time of Seq; dsl.Beginning where Seq is 0.
	Time dsl.Instant
	// Settings is the hash of the settings in force at Seq.
	Settings dsl.Hash
	// Epoch counts the erasures that the space has seen.
	Epoch uint64
}

// A FactQuery selects fact versions of a view. Empty fields select all.
type FactQuery struct {
	// Src and Dst are node ids, any of which may match.
	Src, Dst []string
	Rel      string
	// Valid restricts to versions whose valid interval holds the instant.
	Valid *dsl.Instant
	// All includes closed and archived versions.
	All bool
}

// Version is a fact version with what opened it and what closed it.
type Version struct {
	dsl.FactVersion
	// Op, Reason and Turn say what opened the version.
	Op     dsl.OpKind
	Reason dsl.Text
	Turn   string
	// Rule names the rule that opened it, empty for an operation written directly.
	Rule string
	// Stated is the confidence that it was opened with.
	Stated float64
	// CloseOp, CloseReason, CloseTurn and CloseRule say what closed it, if the view knows.
	CloseOp     dsl.OpKind
	CloseReason dsl.Text
	CloseTurn   string
	CloseRule   string
}

// ChangeKind says what a change did to a fact.
type ChangeKind string

// The kinds of change: a first belief; another value or interval; an earlier
// end of validity and nothing else; a version that was never true; a version
// taken out of the working set.
const (
	Learned   ChangeKind = "learned"
	Corrected ChangeKind = "corrected"
	Ended     ChangeKind = "closed"
	Retracted ChangeKind = "retracted"
	Archived  ChangeKind = "archived"
)

// Change is one change of belief, as recorded at one position.
type Change struct {
	Kind ChangeKind
	// Before is the version that was closed or archived, After the one that was
	// opened; either may be nil. Both are shown as of the change.
	Before, After *dsl.FactVersion
	Seq           dsl.Seq
	At            dsl.Instant
	Turn          string
	Reason        dsl.Text
	// Rule names the rule that the change follows from, empty for an operation
	// written directly.
	Rule string
}

// Turn is a turn as it was recorded.
type Turn struct {
	dsl.Turn
	// Seq and Record are the position and record time of its transaction.
	Seq    dsl.Seq
	Record dsl.Instant
	// Hash is the SHA-256 of the turn's canonical text.
	Hash dsl.Hash
	// Doc is its number among the turns of the space, from 0.
	Doc int
	// ReplacedBy is the id of the turn that replaces this one in the view (an edit
	// of it), empty while none does.
	ReplacedBy string
}

// Position is one transaction as the store remembers it.
type Position struct {
	Seq  dsl.Seq
	Time dsl.Instant
	// Entry is the SHA-256 of the log entry.
	Entry dsl.Hash
	// Digest is the digest of the state after it.
	Digest dsl.Hash
	Kind   dsl.TxKind
	// Turn is the id of the turn it is about, if any.
	Turn string
	// Settings is the hash of the settings in force.
	Settings dsl.Hash
	// Turns counts the turns, Facts and Events the versions opened up to here;
	// Open counts the fact versions that are open and not archived.
	Turns, Facts, Events, Open uint64
}

// Field is a collection of the text index. Each has its own statistics.
type Field byte

// The fields: one document a turn, a fact version, an event version. Document
// numbers count from 0 in record order, so that a view is a prefix.
const (
	TurnField  Field = 't'
	FactField  Field = 'f'
	EventField Field = 'e'
)

// Doc is what scoring needs to know of a document.
type Doc struct {
	// Seq is the position that added it.
	Seq dsl.Seq
	// Length counts its terms, Context those of the two turns before a turn in its
	// session; Context is 0 for other fields.
	Length, Context uint32
	// Session and Speaker are numbers of the session and speaker of a turn,
	// counted from 0 in order of first appearance; 0 for other fields.
	Session, Speaker uint32
	// TS is when a turn was said; dsl.Beginning for other fields.
	TS dsl.Instant
}

// ChunkDocs is how many documents Index.Chunk gives at once.
const ChunkDocs = 256

// IndexStats are the statistics of a field in a view.
type IndexStats struct {
	// Docs counts the documents.
	Docs int
	// Terms is the sum of their lengths, Context that of their contexts.
	Terms, Context uint64
	// Sessions and Speakers count the names that turns have.
	Sessions, Speakers int
}

// Index is the text index of one field in one view: what a search reads. It is
// for one goroutine.
type Index interface {
	// Stats gives the statistics of the field.
	Stats() IndexStats
	// Term gives the postings of a term; an unknown one has none.
	Term(term string) (*TermList, error)
	// Chunk gives the documents from ChunkDocs × n on, ChunkDocs of them or those
	// that the view has; it must not be changed.
	Chunk(n int) ([]Doc, error)
	// ID gives the id and version of a document, 0 for a turn's, which costs less
	// than its content.
	ID(doc int32) (id string, version uint32, err error)
	// Speakers gives the numbers of the speakers whose name has the term, in
	// order.
	Speakers(term string) ([]uint32, error)
	// Session gives the name of a session by its number.
	Session(n uint32) (string, error)
	// Members gives the numbers of the turns of a session, in order.
	Members(session uint32) ([]int32, error)
	// Replaced tells whether a turn is replaced by another in the view; facts and
	// events never are.
	Replaced(doc int32) (bool, error)
	// Close releases what the index holds. It is idempotent.
	Close() error
}

// Docs is the table of a field's documents in a view: a prefix of the table of
// any later view. It must not be changed.
type Docs struct {
	Info []Doc
	// Terms is the sum of all lengths.
	Terms uint64
	// Sessions and Speakers are the names by number, as of the view.
	Sessions, Speakers []string
}

// A View is the state of one space at one basis. It never changes, whatever is
// written afterwards. Iterators yield an error as their last element if reading
// fails. All methods may be called concurrently, and none after Close.
type View interface {
	Basis() Basis
	// Digest is the digest of the whole logical state at the basis.
	Digest() (dsl.Hash, error)
	// PositionAt gives the row of a position ≤ the basis, or dsl.ErrNotFound.
	PositionAt(dsl.Seq) (Position, error)
	// SettingsAt gives the settings with this hash if they were written at or
	// before the basis, else dsl.ErrNotFound.
	SettingsAt(dsl.Hash) (*dsl.Settings, error)

	// Node gives a node by id, or dsl.ErrNotFound.
	Node(id string) (dsl.Node, error)
	// NodesNamed gives the nodes of every kind whose normalised name is that of
	// name, in order of kind. Aliases are not followed.
	NodesNamed(name string) ([]dsl.Node, error)
	// Aliases gives the ids of the alias group of a node, itself included, in
	// order of id: the closure of the alias_of links open at the basis.
	Aliases(id string) ([]string, error)

	// Facts yields the matching versions: those open in record time at the basis
	// and not archived, or all. Order: by first appearance of (src, rel), then by
	// the position and index of the operation that opened them.
	Facts(FactQuery) iter.Seq2[dsl.FactVersion, error]
	// Fact gives every version of one fact, in order of version, or
	// dsl.ErrNotFound.
	Fact(id string) ([]Version, error)
	// History yields every version that matches, as Facts with All, with what
	// opened and closed it.
	History(FactQuery) iter.Seq2[Version, error]
	// FactsByEvidence gives the versions that name the turn as evidence, whatever
	// their status, in order of opening.
	FactsByEvidence(turn string) ([]dsl.FactVersion, error)
	// Changes yields what positions in (after, basis] changed, in order.
	Changes(after dsl.Seq) iter.Seq2[Change, error]

	// Turn gives a turn by id, or dsl.ErrNotFound.
	Turn(id string) (Turn, error)
	// Turns yields the turns with document number ≥ from, in record order.
	Turns(from int) iter.Seq2[Turn, error]
	// About gives the positions of the transactions about a turn, in order: the one
	// that recorded it, then those that gave further candidates for it; or
	// dsl.ErrNotFound.
	About(turn string) ([]dsl.Seq, error)
	// Witness tells whether a LINK makes the turn evidence of the fact, and with
	// what confidence: that of the last such link, if it is open.
	Witness(turn, fact string) (confidence float64, open bool, err error)
	// Known gives the position of the transaction with this content key (see
	// CandidatesKey, OpsKey and GapKey), or 0.
	Known(key dsl.Hash) (dsl.Seq, error)

	// Memory gives the working memory as of the basis; the zero Memory before any.
	Memory() (dsl.Memory, error)
	// SessionMemory gives the last working memory of the view in which the session
	// was under way; the zero Memory where it never was.
	SessionMemory(session string) (dsl.Memory, error)
	// Held gives a candidate that was held at or before the basis, whether it still
	// is or not, or dsl.ErrNotFound.
	Held(dsl.HeldRef) (Held, error)

	// Events yields the events of the view: the version open at the basis of each
	// event that is visible, in order of first appearance; with all, every
	// version, closed and not yet visible ones too.
	Events(all bool) iter.Seq2[dsl.Event, error]
	// Event gives every version of an event, in order, or dsl.ErrNotFound.
	Event(id string) ([]dsl.Event, error)
	// EventsOf gives the events of which a version includes the fact or has the
	// node as a participant, whatever their status, those of the newest versions
	// first. With a limit it reads no more than that many versions; 0 is none.
	EventsOf(id string, limit int) ([]string, error)

	// Index opens the text index of a field for one reader, who must close it
	// before the view.
	Index(Field) (Index, error)
	// Docs gives all documents of a field that the view holds, and Postings calls
	// f for each of them that holds the term, in order of number, with how often
	// it does, until f returns false. They cost what the view holds, and are for
	// looking inside; a search uses Index.
	Docs(Field) (Docs, error)
	Postings(field Field, term string, f func(doc int, tf uint32) bool) error
	// TurnDoc, FactDoc and EventDoc give the content of a document of a field,
	// with status, record end and visibility as of the view.
	TurnDoc(doc int) (Turn, error)
	FactDoc(doc int) (dsl.FactVersion, error)
	EventDoc(doc int) (dsl.Event, error)

	// Close releases what the view holds. It is idempotent.
	Close() error
}

// CandidatesKey gives the content key of a set of candidates for a turn.
func CandidatesKey(turn string, candidates dsl.Hash) dsl.Hash {
	return dsl.Sum(append(append([]byte("candidates\x00"), turn...), candidates[:]...))
}

// OpsKey gives the content key of a set of operations.
func OpsKey(ops dsl.Hash) dsl.Hash { return dsl.Sum(append([]byte("operations\x00"), ops[:]...)) }
