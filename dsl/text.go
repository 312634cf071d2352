package dsl

import (
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Text is the envelope of a string that a user wrote or that derives from one.
// It holds plain text ({"p": …}) or, once a space is encrypted, ciphertext
// under a named key ({"c": base64, "k": key}). The zero value is the empty
// plain text.
type Text struct {
	plain  string
	cipher string
	key    string
}

// Plain puts a string into an envelope.
func Plain(s string) Text { return Text{plain: s} }

// Sealed puts ciphertext under the named key into an envelope.
func Sealed(key string, ciphertext []byte) Text { return Text{cipher: string(ciphertext), key: key} }

// Open gives the plain text, or ErrSealed when the envelope holds ciphertext.
func (t Text) Open() (string, error) {
	if t.key != "" {
		return "", fmt.Errorf("text under key %s: %w", t.key, ErrSealed)
	}
	return t.plain, nil
}

// String gives the plain text, or a mark that it is sealed.
func (t Text) String() string {
	if t.key != "" {
		return "[sealed]"
	}
	return t.plain
}

// IsZero tells whether the text is empty and plain.
func (t Text) IsZero() bool { return t == Text{} }

// Key names the key that the text is sealed under; empty for plain text.
func (t Text) Key() string { return t.key }

// MarshalJSONTo writes {"p": text} or {"c": base64, "k": key}.
func (t Text) MarshalJSONTo(e *jsontext.Encoder) error {
	if t.key == "" {
		b, err := jsontext.AppendQuote(append(e.AvailableBuffer(), `{"p":`...), t.plain)
		if err != nil {
			return fmt.Errorf("text %q: %w", clip(t.plain), err)
		}
		return e.WriteValue(append(b, '}'))
	}
	b := base64.StdEncoding.AppendEncode(append(e.AvailableBuffer(), `{"c":"`...), []byte(t.cipher))
	b, err := jsontext.AppendQuote(append(b, `","k":`...), t.key)
	if err != nil {
		return fmt.Errorf("key %q: %w", clip(t.key), err)
	}
	return e.WriteValue(append(b, '}'))
}

// UnmarshalJSONFrom reads either form of the envelope and nothing else.
func (t *Text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*t = Text{}
	if k, err := d.ReadToken(); err != nil {
		return err
	} else if k.Kind() != '{' {
		return fmt.Errorf("%w: a text is an envelope", ErrCorrupt)
	}
	seen := ""
	for {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if name.Kind() == '}' {
			break
		}
		n := name.String()
		val, err := d.ReadToken()
		if err != nil {
			return err
		}
		if val.Kind() != '"' {
			return fmt.Errorf("%w: envelope member %q is not a string", ErrCorrupt, clip(n))
		}
		seen += n
		switch n {
		case "p":
			t.plain = val.String()
		case "c":
			raw, err := base64.StdEncoding.Strict().DecodeString(val.String())
			if err != nil {
				return fmt.Errorf("%w: envelope ciphertext: %v", ErrCorrupt, err)
			}
			t.cipher = string(raw)
		case "k":
			t.key = val.String()
		default:
			return fmt.Errorf("%w: envelope member %q is none of p, c, k", ErrCorrupt, clip(n))
		}
	}
	if seen != "p" && (seen != "ck" || t.key == "") {
		return fmt.Errorf("%w: an envelope holds p, or c and k", ErrCorrupt)
	}
	return nil
}

// validName checks an identifier or a name: not empty unless optional, valid
// UTF-8, no control characters, at most max bytes.
func validName(what, s string, max int, optional bool) error {
	switch {
	case s == "" && optional:
		return nil
	case s == "":
		return fmt.Errorf("%w: %s is empty", ErrInvalid, what)
	case len(s) > max:
		return fmt.Errorf("%w: %s has %d bytes, at most %d are allowed", ErrInvalid, what, len(s), max)
	case !utf8.ValidString(s):
		return fmt.Errorf("%w: %s is not valid UTF-8", ErrInvalid, what)
	}
	for _, r := range s {
		if r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x2028 || r == 0x2029 {
			return fmt.Errorf("%w: %s %q holds the control character U+%04X", ErrInvalid, what, clip(s), r)
		}
	}
	return nil
}

// validText checks a free text: valid UTF-8 without NUL, at most MaxText bytes.
func validText(what, s string) error {
	if len(s) > MaxText {
		return fmt.Errorf("%w: %s has %d bytes, at most %d are allowed", ErrInvalid, what, len(s), MaxText)
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("%w: %s is not valid UTF-8", ErrInvalid, what)
	}
	for i := 0; i < len(s); i++ {
		if s[i] == 0 {
			return fmt.Errorf("%w: %s holds a NUL at byte %d", ErrInvalid, what, i)
		}
	}
	return nil
}
