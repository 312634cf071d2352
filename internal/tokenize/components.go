package tokenize

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// maxNested bounds how deep sequences stand in each other.
const maxNested = 32

// loadNormalizer reads a normalizer and appends its steps.
func (t *Tokenizer) loadNormalizer(v jsontext.Value, where string) error {
	if strings.Count(where, "[") > maxNested {
		return fmt.Errorf("%s: sequences in each other, more than %d deep", where, maxNested)
	}
	k, err := kind(v)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	where += " " + k
	var n normalizer
	switch k {
	case "Sequence":
		return t.loadNormalizers(v, where)
	case "BertNormalizer":
		n, err = loadBertNormalizer(v, where)
	case "Precompiled":
		n, err = loadPrecompiled(v, where)
	case "Replace":
		n, err = loadReplace(v, where)
	case "Strip":
		c := struct {
			Type  string `json:"type"`
			Left  bool   `json:"strip_left"`
			Right bool   `json:"strip_right"`
		}{}
		err = component(v, where, &c)
		n = stripper{c.Left, c.Right}
	case "Prepend":
		var c struct {
			Type    string `json:"type"`
			Prepend string `json:"prepend"`
		}
		err = component(v, where, &c)
		n = prepender{c.Prepend}
	default:
		var c struct {
			Type string `json:"type"`
		}
		if n = plainNormalizer(k); n == nil {
			return fmt.Errorf("%s: the type %q is not supported", where, k)
		}
		err = component(v, where, &c)
	}
	if err != nil {
		return err
	}
	if n != nil {
		t.normalizers = append(t.normalizers, n)
	}
	return nil
}

// plainNormalizer returns the normalizer of a type that has no members, nil for no such type.
func plainNormalizer(kind string) normalizer {
	switch kind {
	case "NFC":
		return former{form: norm.NFD, compose: true}
	case "NFD":
		return former{form: norm.NFD}
	case "NFKC":
		return former{form: norm.NFKD, compose: true}
	case "NFKD":
		return former{form: norm.NFKD}
	case "Lowercase":
		return lowercaser{}
	case "StripAccents":
		return accentStripper{}
	case "Nmt":
		return nmtNormalizer{}
	}
	return nil
}

// loadNormalizers reads a sequence of normalizers.
func (t *Tokenizer) loadNormalizers(v jsontext.Value, where string) error {
	var c struct {
		Type string           `json:"type"`
		List []jsontext.Value `json:"normalizers"`
	}
	if err := component(v, where, &c); err != nil {
		return err
	}
	for i, n := range c.List {
		if err := t.loadNormalizer(n, fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return err
		}
	}
	return nil
}

// loadBertNormalizer reads a BertNormalizer.
func loadBertNormalizer(v jsontext.Value, where string) (normalizer, error) {
	c := struct {
		Type  string `json:"type"`
		Clean bool   `json:"clean_text"`
		Han   bool   `json:"handle_chinese_chars"`
		Strip *bool  `json:"strip_accents"`
		Lower bool   `json:"lowercase"`
	}{Clean: true, Han: true, Lower: true}
	if err := component(v, where, &c); err != nil {
		return nil, err
	}
	strip := c.Lower
	if c.Strip != nil {
		strip = *c.Strip
	}
	return newBertNormalizer(c.Clean, c.Han, strip, c.Lower), nil
}

// loadPrecompiled reads a character map.
func loadPrecompiled(v jsontext.Value, where string) (normalizer, error) {
	var c struct {
		Type string `json:"type"`
		Map  string `json:"precompiled_charsmap"`
	}
	if err := component(v, where, &c); err != nil {
		return nil, err
	}
	if c.Map == "" {
		return nil, nil // As some files write a map that maps nothing.
	}
	m, err := newCharsmap(c.Map)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return m, nil
}

// loadReplace reads a replacement of a text or of an expression.
func loadReplace(v jsontext.Value, where string) (normalizer, error) {
	var c struct {
		Type    string  `json:"type"`
		Pattern pattern `json:"pattern"`
		Content string  `json:"content"`
	}
	if err := component(v, where, &c); err != nil {
		return nil, err
	}
	find, err := c.Pattern.finder()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if c.Pattern.Regex != nil && *c.Pattern.Regex == " {2,}" && c.Content == " " {
		return spacesReplacer{}, nil
	}
	return replacer{find, c.Content}, nil
}

// A pattern is a text or an expression.
type pattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

// finder makes a pattern's search.
func (p pattern) finder() (func([]byte) []int, error) {
	switch {
	case p.String != nil && p.Regex == nil:
		if *p.String == "" {
			return nil, errors.New("the pattern is empty")
		}
		return findText(*p.String), nil
	case p.Regex == nil || p.String != nil:
		return nil, errors.New("the pattern is neither a text nor an expression")
	}
	// The file's expressions are of another dialect. What both dialects read alike is taken.
	if at := strings.IndexAny(*p.Regex, `\&(^$`); at >= 0 || strings.Contains(*p.Regex, "[:") || strings.Contains(*p.Regex, "[[") || strings.Contains(*p.Regex, "{,") {
		return nil, fmt.Errorf("the expression %q is not supported: only texts, classes of characters and repetitions are", *p.Regex)
	}
	e, err := regexp.Compile(*p.Regex)
	if err != nil {
		return nil, fmt.Errorf("the expression %q: %w", *p.Regex, err)
	}
	if e.MatchString("") {
		return nil, fmt.Errorf("the expression %q matches where nothing stands", *p.Regex)
	}
	return findPattern(e), nil
}

// loadPreTokenizer reads a pre-tokenizer and appends its steps.
func (t *Tokenizer) loadPreTokenizer(v jsontext.Value, where string) error {
	if strings.Count(where, "[") > maxNested {
		return fmt.Errorf("%s: sequences in each other, more than %d deep", where, maxNested)
	}
	k, err := kind(v)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	where += " " + k
	var none struct {
		Type string `json:"type"`
	}
	switch k {
	case "Sequence":
		var c struct {
			Type string           `json:"type"`
			List []jsontext.Value `json:"pretokenizers"`
		}
		if err := component(v, where, &c); err != nil {
			return err
		}
		for i, p := range c.List {
			if err := t.loadPreTokenizer(p, fmt.Sprintf("%s[%d]", where, i)); err != nil {
				return err
			}
		}
		return nil
	case "BertPreTokenizer":
		t.preTokenizers = append(t.preTokenizers, bertPreTokenizer{})
		return component(v, where, &none)
	case "WhitespaceSplit":
		t.preTokenizers = append(t.preTokenizers, whitespaceSplit{})
		return component(v, where, &none)
	case "ByteLevel":
		l, err := loadByteLevel(v, where)
		t.preTokenizers = append(t.preTokenizers, l)
		return err
	case "Metaspace":
		m, err := loadMetaspace(v, where)
		if err != nil {
			return err
		}
		t.needSpans = t.needSpans || m.prepend == prependFirst
		t.preTokenizers = append(t.preTokenizers, m)
		return nil
	}
	return fmt.Errorf("%s: the type %q is not supported", where, k)
}

// loadMetaspace reads a Metaspace as older files and newer ones write it.
func loadMetaspace(v jsontext.Value, where string) (metaspace, error) {
	c := struct {
		Type        string  `json:"type"`
		Replacement string  `json:"replacement"`
		StrRep      string  `json:"str_rep"`
		AddPrefix   *bool   `json:"add_prefix_space"`
		Scheme      *string `json:"prepend_scheme"`
		Split       *bool   `json:"split"`
	}{}
	if err := component(v, where, &c); err != nil {
		return metaspace{}, err
	}
	mark, size := utf8.DecodeRuneInString(c.Replacement)
	if size == 0 || size != len(c.Replacement) || mark < utf8.RuneSelf {
		return metaspace{}, fmt.Errorf("%s: the replacement %q is not one character beyond ASCII", where, c.Replacement)
	}
	m := metaspace{mark: mark, split: c.Split == nil || *c.Split}
	if c.AddPrefix != nil && !*c.AddPrefix {
		m.prepend = prependNever
	}
	if c.Scheme != nil {
		switch *c.Scheme {
		case "always":
			m.prepend = prependAlways
		case "first":
			m.prepend = prependFirst
		case "never":
			m.prepend = prependNever
		default:
			return metaspace{}, fmt.Errorf("%s: prepend_scheme %q is none of always, first, never", where, *c.Scheme)
		}
		if c.AddPrefix != nil && !*c.AddPrefix && m.prepend != prependNever {
			return metaspace{}, fmt.Errorf("%s: prepend_scheme %q and add_prefix_space false contradict each other", where, *c.Scheme)
		}
	}
	return m, nil
}
