package dsl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/asof-db/asof/dsl"
)

func TestTextEnvelope(t *testing.T) {
	for _, c := range []struct {
		text dsl.Text
		want string
	}{
		{dsl.Text{}, `{"p":""}`},
		{dsl.Plain("a <b> & \"c\" \\ /"), `{"p":"a <b> & \"c\" \\ /"}`},
		{dsl.Plain("\x00\x01\b\t\n\f\r\x1f\x7f"), `{"p":"\u0000\u0001\b\t\n\f\r\u001f` + "\x7f" + `"}`},
		{dsl.Plain("é 北京 🦊 \u2028\u2029\ufeff"), `{"p":"é 北京 🦊 ` + "\u2028\u2029\ufeff" + `"}`},
		{dsl.Sealed("k", nil), `{"c":"","k":"k"}`},
		{dsl.Sealed("k\"1", []byte{0xff, 0xfe, 0}), `{"c":"//4A","k":"k\"1"}`},
		{dsl.Sealed("k", []byte{1}), `{"c":"AQ==","k":"k"}`},
	} {
		got := noErr(dsl.Canonical(c.text))(t)
		if string(got) != c.want {
			t.Errorf("written as %s, want %s", got, c.want)
		}
		var back dsl.Text
		if err := dsl.Decode(got, &back); err != nil || back != c.text {
			t.Errorf("%s reads as %#v, %v", got, back, err)
		}
	}
}

func TestTextOpen(t *testing.T) {
	plain, sealed := dsl.Plain("x"), dsl.Sealed("k", []byte("x"))
	if s, err := plain.Open(); s != "x" || err != nil || plain.String() != "x" || plain.Key() != "" {
		t.Errorf("plain text opens as %q, %v", s, err)
	}
	if s, err := sealed.Open(); s != "" || !errors.Is(err, dsl.ErrSealed) || strings.Contains(sealed.String(), "x") || sealed.Key() != "k" {
		t.Errorf("sealed text opens as %q, %v", s, err)
	}
	if !(dsl.Text{}).IsZero() || !dsl.Plain("").IsZero() || plain.IsZero() || sealed.IsZero() || dsl.Sealed("k", nil).IsZero() {
		t.Error("only the empty plain text is zero")
	}
}

func TestTextRefuses(t *testing.T) {
	for _, text := range []string{
		`null`, `"x"`, `[]`, `{}`, `{"p":null}`, `{"p":1}`, `{"p":{}}`, `{"p":["x"]}`, `{"p":"x","p":"x"}`, `{"q":"x"}`, `{"P":"x"}`,
		`{"p":"x","q":"y"}`, `{"p":"x","":"y"}`, `{"c":"AA==","":"y","k":"k"}`, `{"ck":"x"}`, `{"c":"AA=="}`, `{"k":"k"}`, `{"c":"AA==","k":""}`,
		`{"k":"k","c":"AA=="}`, `{"c":"AA==","k":"k","p":"x"}`, `{"c":"AA","k":"k"}`, `{"c":"AB==","k":"k"}`, `{"c":"A A==","k":"k"}`,
		`{"c":"-_8=","k":"k"}`, `{"c":"AA==\n","k":"k"}`, `{"p": "x"}`, `{"p":"\u0078"}`, `{"p":"\/"}`, `{"p":"\ud800"}`, "{\"p\":\"\xff\"}", `{"p":"x"`, `{"p":"\u001F"}`,
	} {
		var x dsl.Text
		if err := dsl.Decode([]byte(text), &x); !errors.Is(err, dsl.ErrCorrupt) {
			t.Errorf("%s reads as %#v, %v", text, x, err)
		}
	}
}
