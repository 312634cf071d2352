package dsl

// Status is the state of a version in a view.
type Status string

// The states of a fact version: open (believed), closed (its record interval
// has ended), archived (believed, but out of the working set).
const (
	StatusOpen     Status = "open"
	StatusClosed   Status = "closed"
	StatusArchived Status = "archived"
)

// FactVersion is one version of a fact as a view shows it (layer 1).
type FactVersion struct {
	// ID is the fact; Version counts its versions from 1.
	ID      string
	Version uint32
	// Src and Dst are node ids; Names are the forms first written in the space.
	Src, Dst         string
	SrcName, DstName Text
	// DstKind is the kind of the Dst node.
	DstKind NodeKind
	// Rel is the predicate; Relation qualifies related_to.
	Rel      string
	Relation Text
	// Valid is when it held in the world, Record when the memory held it. In a
	// view an end of record later than the view is Forever.
	Valid, Record Interval
	// Opened and Closed are the positions of the two ends of Record; Closed is 0
	// while the version is open in the view.
	Opened, Closed Seq
	Status         Status
	// Source names what proposed it.
	Source string
	// Evidence holds the turn ids, in the order they were recorded.
	Evidence []string
	// Confidence lies in [0, 1], folded from every evidence recorded so far.
	Confidence float64
}

// Ref names the version.
func (f *FactVersion) Ref() VersionRef { return VersionRef{f.ID, f.Version} }

// FoldConfidence gives the confidence of a fact of confidence a that is said
// again with confidence b: 1 − (1 − a)(1 − b), the noisy-or of independent
// witnesses. It never falls.
func FoldConfidence(a, b float64) float64 {
	u, w := 1-a, 1-b
	return max(a, 1-float64(u*w))
}

// Participant is one who takes part in an event, with a role.
type Participant struct {
	// Entity is a node id.
	Entity string `json:"entity"`
	// Role is free text, such as "speaker".
	Role Text `json:"role,omitzero"`
}

// Event is one version of an event as a view shows it (layer 2).
type Event struct {
	ID      string
	Version uint32
	Summary Text
	// Span is the time of the event in the world.
	Span         Interval
	Participants []Participant
	// Includes are the ids of facts that the event is made of.
	Includes []string
	// Evidence holds turn ids.
	Evidence []string
	// Status is the caller's word for it, such as "planned".
	Status string
	// Record is when the memory held this version.
	Record Interval
	Opened Seq
	Closed Seq
	// Visible is the earliest record time at which the version's evidence is
	// complete in the view; Forever while it is not.
	Visible Instant
}
