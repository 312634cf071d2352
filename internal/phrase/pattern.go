package phrase

// Bounds of a pattern.
const (
	// MaxBytes bounds the text of a pattern, MaxSteps its size once compiled.
	MaxBytes, MaxSteps = 1024, 256
	// maxDepth bounds the nesting of brackets.
	maxDepth = 8
	// gapWords is how often * may take a word.
	gapWords = 3
)

// op is what a step does.
type op uint8

const (
	opWords op = iota // one of the step's words
	opSlot            // a value
	opSkip            // any one word
	opSplit           // go on at next, or else at other
	opStart           // the start of a clause
	opEnd             // the end of a clause
	opMatch           // done
)

// step is one step of a compiled pattern; next is the step after it.
type step struct {
	op          op
	words       []string
	slot        int
	next, other int
}

// Slot is a place of a pattern that takes a value.
type Slot struct {
	// Name is what the pattern calls it, Kind what may stand there; empty where the
	// pattern leaves that open.
	Name, Kind string
}

// Pattern is a compiled pattern. It is immutable and may be used concurrently.
type Pattern struct {
	steps []step
	slots []Slot
	cues  []string
	opens []string
	// touching is the name of a slot that follows another without a word between.
	touching string
}

// Touching gives the name of a slot that follows another without a word that must stand
// between, empty where there is none: such a pattern tells its slots apart by their
// kinds alone.
func (p *Pattern) Touching() string { return p.touching }

// Slots gives the slots in order. The caller must not change them.
func (p *Pattern) Slots() []Slot { return p.slots }

// Slot gives the place of a slot in Slots, -1 where the pattern has none of the name.
func (p *Pattern) Slot(name string) int {
	for i, s := range p.slots {
		if s.Name == name {
			return i
		}
	}
	return -1
}

// Opens gives the words with one of which a match starts, the first word of the
// pattern's choices; ok is false where a match may start with something else. The
// caller must not change them.
func (p *Pattern) Opens() (words []string, ok bool) { return p.opens, p.opens != nil }

// SlotFirst tells whether a match starts with the first slot.
func (p *Pattern) SlotFirst() bool { return p.steps[0].op == opSlot }

// SlotLast tells whether a match ends with the last slot.
func (p *Pattern) SlotLast() bool { return len(p.steps) > 1 && p.steps[len(p.steps)-2].op == opSlot }

// AtStart tells whether a match starts where a clause does.
func (p *Pattern) AtStart() bool { return p.steps[0].op == opStart }

// Cues gives words of which every match holds one, in order of the pattern. The caller
// must not change them.
func (p *Pattern) Cues() []string { return p.cues }

// Text is a text that patterns are matched with. A place is a number that rises along
// the text: a token, a byte.
type Text interface {
	// Word gives the place after the word that stands at a place, -1 where another
	// stands there. first tells that nothing of the pattern stands before it.
	Word(word string, at int, first bool) int
	// Skip gives the place after whatever word stands at a place, -1 at a clause's end.
	Skip(at int) int
	// Values appends the place after each value that a slot may take at a place, the
	// best first. It must offer a bounded number.
	Values(slot Slot, at int, first bool, ends []int) []int
	// Starts and Ends tell whether a clause starts, or ends, at a place.
	Starts(at int) bool
	Ends(at int) bool
}

// Window is how many places a match may span.
const Window = 192

// Matcher matches patterns with texts; it keeps what it needs from one match to the
// next and must not be used concurrently.
type Matcher struct {
	text    Text
	p       *Pattern
	start   int
	visited [MaxSteps * Window / 64]uint64
	values  [8][2]int
	ends    []int // a stack of the values that slots on the way may take
	end     int
}

// Match tells whether the pattern matches at a place, and gives the place after the
// match. Value then gives what the slots took.
func (m *Matcher) Match(p *Pattern, t Text, at int) (end int, ok bool) {
	m.text, m.p, m.start, m.ends = t, p, at, m.ends[:0]
	clear(m.visited[:(len(p.steps)*Window+63)/64])
	ok = m.walk(0, at)
	m.text, m.p = nil, nil
	return m.end, ok
}

// Value gives the places [start, end) of a slot of the last match.
func (m *Matcher) Value(slot int) (start, end int) { return m.values[slot][0], m.values[slot][1] }

// walk tells whether the pattern matches from step i on at a place. Each pair of step
// and place is tried once: what failed there fails again.
func (m *Matcher) walk(i, at int) bool {
	for {
		if at < m.start || at-m.start >= Window {
			return false
		}
		bit := i*Window + at - m.start
		if m.visited[bit/64]&(1<<(bit%64)) != 0 {
			return false
		}
		m.visited[bit/64] |= 1 << (bit % 64)
		s := &m.p.steps[i]
		switch s.op {
		case opMatch:
			m.end = at
			return true
		case opWords:
			// One word may be the start of another: each is tried.
			last := len(s.words) - 1
			for _, w := range s.words[:last] {
				if to := m.text.Word(w, at, at == m.start); to >= 0 && m.walk(s.next, to) {
					return true
				}
			}
			if at = m.text.Word(s.words[last], at, at == m.start); at < 0 {
				return false
			}
		case opSkip:
			if at = m.text.Skip(at); at < 0 {
				return false
			}
		case opSplit:
			if m.walk(s.next, at) {
				return true
			}
			i = s.other
			continue
		case opStart:
			if !m.text.Starts(at) {
				return false
			}
		case opEnd:
			if !m.text.Ends(at) {
				return false
			}
		case opSlot:
			base := len(m.ends)
			m.ends = m.text.Values(m.p.slots[s.slot], at, at == m.start, m.ends)
			found := false
			for k := base; k < len(m.ends) && !found; k++ {
				if end := m.ends[k]; end >= at && m.walk(s.next, end) {
					m.values[s.slot], found = [2]int{at, end}, true
				}
			}
			m.ends = m.ends[:base]
			return found
		}
		i = s.next
	}
}
