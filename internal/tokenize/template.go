package tokenize

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A slot is one place of a template: a text, or a special token.
type slot struct {
	text   int     // 0 the first text, 1 the second, -1 a special token
	ids    []int32 // of a special token
	typeID int32
}

// A template says what stands around one text and around two.
type template struct {
	single, pair []slot
	trim         trim
}

// A trim says whether white space at the ends of a piece is left out of its span.
type trim int

const (
	trimNone  trim = iota
	trimAll        // at both ends
	trimAdded      // but for one character where the text begins, which was written before it
)

// apply trims the span of a piece, by as many characters as there are of white space at its ends.
func (t trim) apply(piece []byte, text string, s Span, first bool) Span {
	if t == trimNone {
		return s
	}
	rest := bytes.TrimLeftFunc(piece, isByteSpace)
	leading := utf8.RuneCount(piece[:len(piece)-len(rest)])
	trailing := utf8.RuneCount(piece) - utf8.RuneCount(bytes.TrimRightFunc(piece, isByteSpace))
	if leading > 0 && t == trimAdded && (first || s.Start == 0) {
		leading--
	}
	for ; leading > 0 && s.Start < s.End; leading-- {
		_, size := utf8.DecodeRuneInString(text[s.Start:s.End])
		s.Start += int32(size)
	}
	for ; trailing > 0 && s.Start < s.End; trailing-- {
		_, size := utf8.DecodeLastRuneInString(text[s.Start:s.End])
		s.End -= int32(size)
	}
	return s
}

// isByteSpace says whether a character is white space, or what byte-level pieces write for a space.
func isByteSpace(r rune) bool { return isSpace(r) || r == 'Ġ' }

// bare is the template of a tokenizer that adds nothing.
func bare() template {
	return template{single: []slot{{text: 0}}, pair: []slot{{text: 0}, {text: 1, typeID: 1}}}
}

// added is how many special tokens a list of slots adds.
func added(slots []slot) int {
	n := 0
	for _, s := range slots {
		n += len(s.ids)
	}
	return n
}

// check finds a template in which a text is missing or stands twice.
func (t template) check() error {
	for _, c := range []struct {
		name  string
		slots []slot
		texts int
	}{{"single", t.single, 1}, {"pair", t.pair, 2}} {
		var seen [2]int
		for _, s := range c.slots {
			if s.text >= 0 {
				seen[s.text]++
			}
		}
		if seen[0] != 1 || seen[1] != c.texts-1 {
			return fmt.Errorf("the template %q has the first text %d times and the second %d times", c.name, seen[0], seen[1])
		}
	}
	return nil
}

// loadTemplate reads what stands around one text and around two.
func (t *Tokenizer) loadTemplate(v jsontext.Value, where string) error {
	k, err := kind(v)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	where += " " + k
	switch k {
	case "Sequence":
		var c struct {
			Type string           `json:"type"`
			List []jsontext.Value `json:"processors"`
		}
		if err := component(v, where, &c); err != nil {
			return err
		}
		if len(c.List) != 1 {
			return fmt.Errorf("%s: %d post-processors in a sequence: only one is supported", where, len(c.List))
		}
		if inner, err := kind(c.List[0]); err != nil || inner == "Sequence" {
			return fmt.Errorf("%s: a sequence in a sequence is not supported", where)
		}
		return t.loadTemplate(c.List[0], where+"[0]")
	case "TemplateProcessing":
		t.template, err = loadTemplateProcessing(v, where)
	case "BertProcessing":
		t.template, err = loadBertProcessing(v, where)
	case "RobertaProcessing":
		t.template, err = loadRobertaProcessing(v, where)
	default:
		return fmt.Errorf("%s: the type %q is not supported", where, k)
	}
	if err != nil {
		return err
	}
	if err := t.template.check(); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// A fileSlot is a slot as TemplateProcessing writes it: one of the two is there.
type fileSlot struct {
	Sequence *fileItem `json:"Sequence"`
	Special  *fileItem `json:"SpecialToken"`
}

// A fileItem is a text, A or B, or the name of a special token, with the type id of its tokens.
type fileItem struct {
	ID     string `json:"id"`
	TypeID int32  `json:"type_id"`
}

// maxTypeID bounds type ids; models know two.
const maxTypeID = 1 << 16

// loadTemplateProcessing reads a TemplateProcessing.
func loadTemplateProcessing(v jsontext.Value, where string) (template, error) {
	var c struct {
		Type    string     `json:"type"`
		Single  []fileSlot `json:"single"`
		Pair    []fileSlot `json:"pair"`
		Special map[string]struct {
			ID     string   `json:"id"`
			IDs    []int32  `json:"ids"`
			Tokens []string `json:"tokens"`
		} `json:"special_tokens"`
	}
	if err := component(v, where, &c); err != nil {
		return template{}, err
	}
	slots := func(name string, list []fileSlot) ([]slot, error) {
		var out []slot
		for i, f := range list {
			item, s := f.Sequence, slot{text: -1}
			switch {
			case f.Sequence != nil && f.Special == nil && f.Sequence.ID == "A":
				s.text = 0
			case f.Sequence != nil && f.Special == nil && f.Sequence.ID == "B":
				s.text = 1
			case f.Special != nil && f.Sequence == nil:
				item = f.Special
				token, ok := c.Special[item.ID]
				if !ok {
					return nil, fmt.Errorf("%s: %s[%d]: special_tokens lacks %q", where, name, i, item.ID)
				}
				s.ids = token.IDs
			default:
				return nil, fmt.Errorf("%s: %s[%d] is neither the text A, the text B nor a special token", where, name, i)
			}
			if item.TypeID < 0 || item.TypeID > maxTypeID {
				return nil, fmt.Errorf("%s: %s[%d] has the type id %d; they are 0 to %d", where, name, i, item.TypeID, maxTypeID)
			}
			s.typeID = item.TypeID
			out = append(out, s)
		}
		return out, nil
	}
	single, err := slots("single", c.Single)
	if err != nil {
		return template{}, err
	}
	pair, err := slots("pair", c.Pair)
	return template{single: single, pair: pair}, err
}

// A tokenID is a special token as older post-processors write it: its text and its id, in brackets.
type tokenID struct{ id int32 }

// UnmarshalJSONFrom reads a token.
func (t *tokenID) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var pair [2]jsontext.Value
	if err := json.UnmarshalDecode(d, &pair); err != nil {
		return err
	}
	if pair[0].Kind() != '"' {
		return fmt.Errorf("a special token begins with %s, not with its text", pair[0])
	}
	return json.Unmarshal(pair[1], &t.id)
}

// one is the slot of a single special token.
func (t tokenID) one(typeID int32) slot { return slot{text: -1, ids: []int32{t.id}, typeID: typeID} }

// loadBertProcessing reads a BertProcessing: cls A sep, and B sep of type 1 behind it.
func loadBertProcessing(v jsontext.Value, where string) (template, error) {
	var c struct {
		Type string   `json:"type"`
		Sep  *tokenID `json:"sep"`
		Cls  *tokenID `json:"cls"`
	}
	if err := component(v, where, &c); err != nil {
		return template{}, err
	}
	if c.Sep == nil || c.Cls == nil {
		return template{}, fmt.Errorf("%s: it lacks sep or cls", where)
	}
	single := []slot{c.Cls.one(0), {text: 0}, c.Sep.one(0)}
	return template{
		single: single,
		pair:   []slot{single[0], single[1], single[2], {text: 1, typeID: 1}, c.Sep.one(1)},
	}, nil
}

// loadRobertaProcessing reads a RobertaProcessing: cls A sep, and sep B sep behind it, all of type 0.
func loadRobertaProcessing(v jsontext.Value, where string) (template, error) {
	c := struct {
		Type      string   `json:"type"`
		Sep       *tokenID `json:"sep"`
		Cls       *tokenID `json:"cls"`
		Trim      bool     `json:"trim_offsets"`
		AddPrefix bool     `json:"add_prefix_space"`
	}{Trim: true, AddPrefix: true}
	if err := component(v, where, &c); err != nil {
		return template{}, err
	}
	if c.Sep == nil || c.Cls == nil {
		return template{}, fmt.Errorf("%s: it lacks sep or cls", where)
	}
	single := []slot{c.Cls.one(0), {text: 0}, c.Sep.one(0)}
	spaces := trimNone
	if c.Trim && c.AddPrefix {
		spaces = trimAdded
	} else if c.Trim {
		spaces = trimAll
	}
	return template{
		trim:   spaces,
		single: single,
		pair:   []slot{single[0], single[1], single[2], c.Sep.one(0), {text: 1}, c.Sep.one(0)},
	}, nil
}
