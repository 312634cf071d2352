package tokenize

import (
	"bytes"
	"errors"
	"fmt"
	"sort"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A file is a tokenizer.json. Its truncation, its padding and its decoder are not looked at.
type file struct {
	Added         []addedToken   `json:"added_tokens"`
	Normalizer    jsontext.Value `json:"normalizer"`
	PreTokenizer  jsontext.Value `json:"pre_tokenizer"`
	PostProcessor jsontext.Value `json:"post_processor"`
	Model         jsontext.Value `json:"model"`
}

// repeats lets an object have a name twice, of which the last one counts, as the library does that
// writes these files.
var repeats = jsontext.AllowDuplicateNames(true)

// maxID bounds ids, for which a table is made.
const maxID = 1 << 21

// Load makes a Tokenizer of a tokenizer.json. What the file asks for and this package lacks is an
// error that names it.
func Load(data []byte) (*Tokenizer, error) {
	t, err := load(data)
	if err != nil {
		return nil, fmt.Errorf("tokenize: load: %w", err)
	}
	return t, nil
}

// load is Load without the operation's name.
func load(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f, repeats); err != nil {
		return nil, fmt.Errorf("no tokenizer.json: %w", err)
	}
	if absent(f.Model) {
		return nil, errors.New("no tokenizer.json: it has no model")
	}
	t := &Tokenizer{}
	special := make(map[string]bool)
	for _, a := range f.Added {
		if a.ID < 0 || a.ID > maxID {
			return nil, fmt.Errorf("added_tokens: %q has the id %d; ids are 0 to %d", a.Content, a.ID, maxID)
		}
		if a.Special {
			special[a.Content] = true
		}
	}
	if err := t.loadModel(f.Model, special); err != nil {
		return nil, err
	}
	if !absent(f.Normalizer) {
		if err := t.loadNormalizer(f.Normalizer, "normalizer"); err != nil {
			return nil, err
		}
	}
	if !absent(f.PreTokenizer) {
		if err := t.loadPreTokenizer(f.PreTokenizer, "pre_tokenizer"); err != nil {
			return nil, err
		}
	}
	t.template = bare()
	if !absent(f.PostProcessor) {
		if err := t.loadTemplate(f.PostProcessor, "post_processor"); err != nil {
			return nil, err
		}
	}
	t.addTokens(f.Added)
	return t, nil
}

// absent says whether a member of the file is null or not there.
func absent(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' }

// kind reads the type of a component, without the rest: a vocabulary is long.
func kind(v jsontext.Value) (string, error) {
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true))
	if tok, err := d.ReadToken(); err != nil {
		return "", err
	} else if tok.Kind() != '{' {
		return "", fmt.Errorf("a component is %v, not an object", tok.Kind())
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return "", err
		}
		if name.String() != "type" {
			if err := d.SkipValue(); err != nil {
				return "", err
			}
			continue
		}
		tok, err := d.ReadToken()
		if err != nil {
			return "", err
		}
		if tok.Kind() != '"' {
			return "", fmt.Errorf("the type of a component is %v, not a text", tok.Kind())
		}
		return tok.String(), nil
	}
	return "", nil
}

// component decodes a component, all of whose members must be known: one left out in silence could
// change every id.
func component(v jsontext.Value, where string, into any) error {
	if err := json.Unmarshal(v, into, json.RejectUnknownMembers(true), repeats); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// loadModel reads the model and its vocabulary.
func (t *Tokenizer) loadModel(v jsontext.Value, special map[string]bool) error {
	k, err := kind(v)
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if k == "" {
		k = guess(v)
	}
	switch k {
	case "WordPiece":
		return t.loadWordPiece(v, special)
	case "Unigram":
		return t.loadUnigram(v, special)
	case "BPE":
		return t.loadBPE(v)
	case "":
		return errors.New("model: it has no type, and the members of none that is known")
	}
	return fmt.Errorf("model: the type %q is not supported: WordPiece, Unigram and byte-level BPE are", k)
}

// guess tells the models of older files, which name no type, by a member that only one has.
func guess(v jsontext.Value) string {
	var c map[string]jsontext.Value
	if json.Unmarshal(v, &c, repeats) != nil {
		return ""
	}
	if _, ok := c["max_input_chars_per_word"]; ok {
		return "WordPiece"
	}
	if _, ok := c["merges"]; ok {
		return "BPE"
	}
	if vocab := c["vocab"]; len(vocab) > 0 && vocab.Kind() == '[' {
		return "Unigram"
	}
	return ""
}

// loadWordPiece reads a WordPiece model.
func (t *Tokenizer) loadWordPiece(v jsontext.Value, special map[string]bool) error {
	m := struct {
		Type     string           `json:"type"`
		Unknown  string           `json:"unk_token"`
		Prefix   string           `json:"continuing_subword_prefix"`
		MaxChars int              `json:"max_input_chars_per_word"`
		Vocab    map[string]int32 `json:"vocab"`
	}{Unknown: "[UNK]", Prefix: "##", MaxChars: 100}
	if err := component(v, "model", &m); err != nil {
		return err
	}
	keys := make([]trieKey, 0, len(m.Vocab))
	t.ids = make(map[string]int32, len(m.Vocab))
	for text, id := range m.Vocab {
		if id < 0 || id > maxID {
			return fmt.Errorf("model: vocab: %q has the id %d; ids are 0 to %d", text, id, maxID)
		}
		keys = append(keys, trieKey{text, id})
		t.name(text, id)
	}
	if _, ok := m.Vocab[m.Unknown]; !ok {
		return fmt.Errorf("model: the vocabulary lacks the unknown piece %q", m.Unknown)
	}
	w, err := newWordPieceModel(keys, m.Unknown, m.Prefix, m.MaxChars, special)
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	t.model = w
	return nil
}

// loadUnigram reads a Unigram model.
func (t *Tokenizer) loadUnigram(v jsontext.Value, special map[string]bool) error {
	var m struct {
		Type  string      `json:"type"`
		Unk   *int        `json:"unk_id"`
		Vocab []filePiece `json:"vocab"`
		Bytes bool        `json:"byte_fallback"`
	}
	if err := component(v, "model", &m); err != nil {
		return err
	}
	unk := -1
	if m.Unk != nil {
		unk = *m.Unk
		if unk < 0 {
			return fmt.Errorf("model: unk_id is %d", unk)
		}
	}
	pieces := make([]Piece, len(m.Vocab))
	t.ids = make(map[string]int32, len(m.Vocab))
	for i, p := range m.Vocab {
		pieces[i] = Piece(p)
		t.name(p.Text, int32(i))
	}
	u, err := newUnigramModel(pieces, unk, m.Bytes, special)
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	t.model = u
	return nil
}

// A filePiece is a piece as tokenizer.json writes it: its text and its score, in brackets.
type filePiece Piece

// UnmarshalJSONFrom reads a piece.
func (p *filePiece) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if tok, err := d.ReadToken(); err != nil {
		return err
	} else if tok.Kind() != '[' {
		return fmt.Errorf("a piece is %v, not a text and a score in brackets", tok.Kind())
	}
	tok, err := d.ReadToken()
	if err != nil {
		return err
	}
	if tok.Kind() != '"' {
		return fmt.Errorf("the text of a piece is %v", tok.Kind())
	}
	p.Text = tok.String()
	if tok, err = d.ReadToken(); err != nil {
		return err
	}
	if tok.Kind() != '0' {
		return fmt.Errorf("the score of the piece %q is %v", p.Text, tok.Kind())
	}
	if p.Score, err = tok.Float(); err != nil {
		return err
	}
	if tok, err = d.ReadToken(); err != nil {
		return err
	}
	if tok.Kind() != ']' {
		return fmt.Errorf("the piece %q has more than a text and a score", p.Text)
	}
	return nil
}

// name notes the text of an id.
func (t *Tokenizer) name(text string, id int32) {
	for int(id) >= len(t.texts) {
		t.texts = append(t.texts, make([]string, int(id)+1-len(t.texts))...)
	}
	t.ids[text] = id
	t.texts[id] = text
}

// addTokens takes the added tokens: all have a name, those that are not special are looked for.
func (t *Tokenizer) addTokens(tokens []addedToken) {
	sort.SliceStable(tokens, func(i, j int) bool { return tokens[i].ID < tokens[j].ID })
	var raw, normal []addedToken
	var rawTexts, normalTexts []string
	for _, a := range tokens {
		if id, ok := t.ids[a.Content]; ok {
			a.ID = id // The vocabulary's word counts.
		}
		t.name(a.Content, a.ID)
		switch {
		case a.Special || a.Content == "":
		case a.Normalized:
			normal = append(normal, a)
			normalTexts = append(normalTexts, t.normalized(a.Content))
		default:
			raw = append(raw, a)
			rawTexts = append(rawTexts, a.Content)
		}
	}
	t.raw, t.normal = newAdder(raw, rawTexts), newAdder(normal, normalTexts)
}

// normalized is a text after all normalizers.
func (t *Tokenizer) normalized(text string) string {
	s := &scratch{cur: &buffer{}, alt: &buffer{}}
	s.cur.fill(text, 0, false)
	for _, n := range t.normalizers {
		s.alt.reset(false)
		n.apply(s.alt, s.cur)
		s.swap()
	}
	return string(s.cur.b)
}
