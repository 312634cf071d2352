package graph

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The field numbers of ONNX's messages, as onnx.proto gives them.
const (
	modelIR, modelProducer, modelGraph, modelOpset = 1, 2, 7, 8

	opsetDomain, opsetVersion = 1, 2

	graphNode, graphName, graphInitializer, graphInput, graphOutput = 1, 2, 5, 11, 12

	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute, nodeDomain = 1, 2, 3, 4, 5, 7

	attrName, attrFloat, attrInt, attrString, attrTensor, attrFloats, attrInts, attrType = 1, 2, 3, 4, 5, 7, 8, 20

	tensorDims, tensorType, tensorName, tensorRaw, tensorExternal = 1, 2, 8, 9, 13

	entryKey, entryValue = 1, 2

	valueName, valueType = 1, 2

	typeTensor, tensorTypeElem, tensorTypeShape = 1, 1, 2

	shapeDim, dimValue, dimParam = 1, 1, 2
)

// The kinds of attributes, as onnx.proto numbers them.
const (
	kindFloat, kindInt, kindString, kindTensor, kindFloats, kindInts = 1, 2, 3, 4, 6, 7
)

// Encode gives the file's bytes.
func (m *Model) Encode() ([]byte, error) {
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// WriteTo writes the file. The elements of the initializers are written straight from their slices.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	var head []byte
	head = varint(head, modelIR, m.IRVersion)
	head = text(head, modelProducer, m.Producer)
	var tail []byte
	for _, o := range m.Opsets {
		var b []byte
		b = text(b, opsetDomain, o.Domain)
		b = varint(b, opsetVersion, o.Version)
		tail = message(tail, modelOpset, b)
	}
	front, err := m.Graph.front()
	if err != nil {
		return 0, err
	}
	size := uint64(len(front))
	fronts := make([][]byte, len(m.Graph.Initializers))
	for i, t := range m.Graph.Initializers {
		f := t.front()
		inner := uint64(len(f)) + uint64(protowire.SizeTag(tensorRaw)) + uint64(protowire.SizeBytes(len(t.Raw)))
		var b []byte
		b = protowire.AppendTag(b, graphInitializer, protowire.BytesType)
		b = protowire.AppendVarint(b, inner)
		b = append(b, f...)
		b = protowire.AppendTag(b, tensorRaw, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(len(t.Raw)))
		fronts[i] = b
		size += uint64(len(b)) + uint64(len(t.Raw))
	}
	if size > math.MaxInt32 {
		return 0, fmt.Errorf("onnx graph: %d bytes: a message of Protocol Buffers holds less than 2 GiB", size)
	}
	head = protowire.AppendTag(head, modelGraph, protowire.BytesType)
	head = protowire.AppendVarint(head, size)
	out := &counting{w: w}
	out.write(head)
	out.write(front)
	for i, t := range m.Graph.Initializers {
		out.write(fronts[i])
		out.write(t.Raw)
	}
	out.write(tail)
	if out.err != nil {
		return out.n, fmt.Errorf("onnx graph: write: %w", out.err)
	}
	return out.n, nil
}

// counting writes until the first error.
type counting struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counting) write(b []byte) {
	if c.err == nil {
		var n int
		n, c.err = c.w.Write(b)
		c.n += int64(n)
	}
}

// front encodes a graph without its initializers.
func (g *Graph) front() ([]byte, error) {
	var b []byte
	for i := range g.Nodes {
		n, err := g.Nodes[i].encode()
		if err != nil {
			return nil, fmt.Errorf("onnx graph: node %d, %s: %w", i, g.Nodes[i].Op, err)
		}
		b = message(b, graphNode, n)
	}
	b = text(b, graphName, g.Name)
	for _, v := range g.Inputs {
		b = message(b, graphInput, v.encode())
	}
	for _, v := range g.Outputs {
		b = message(b, graphOutput, v.encode())
	}
	return b, nil
}

func (n *Node) encode() ([]byte, error) {
	var b []byte
	for _, s := range n.Inputs {
		b = message(b, nodeInput, []byte(s)) // An empty one holds its place.
	}
	for _, s := range n.Outputs {
		b = message(b, nodeOutput, []byte(s))
	}
	b = text(b, nodeName, n.Name)
	b = text(b, nodeOp, n.Op)
	for _, a := range n.Attributes {
		e, err := a.encode()
		if err != nil {
			return nil, err
		}
		b = message(b, nodeAttribute, e)
	}
	return text(b, nodeDomain, n.Domain), nil
}

func (a Attribute) encode() ([]byte, error) {
	b := text(nil, attrName, a.Name)
	kind := int64(0)
	switch v := a.Value.(type) {
	case float32:
		kind = kindFloat
		b = protowire.AppendTag(b, attrFloat, protowire.Fixed32Type)
		b = protowire.AppendFixed32(b, math.Float32bits(v))
	case int64:
		kind = kindInt
		b = protowire.AppendTag(b, attrInt, protowire.VarintType)
		b = protowire.AppendVarint(b, uint64(v))
	case string:
		kind = kindString
		b = message(b, attrString, []byte(v))
	case Tensor:
		kind = kindTensor
		t := v.front()
		t = message(t, tensorRaw, v.Raw)
		b = message(b, attrTensor, t)
	case []float32:
		kind = kindFloats
		for _, f := range v {
			b = protowire.AppendTag(b, attrFloats, protowire.Fixed32Type)
			b = protowire.AppendFixed32(b, math.Float32bits(f))
		}
	case []int64:
		kind = kindInts
		for _, i := range v {
			b = protowire.AppendTag(b, attrInts, protowire.VarintType)
			b = protowire.AppendVarint(b, uint64(i))
		}
	default:
		return nil, fmt.Errorf("attribute %s is a %T, which ONNX has not", a.Name, a.Value)
	}
	return varint(b, attrType, kind), nil
}

// front encodes a tensor without its elements.
func (t Tensor) front() []byte {
	var b []byte
	for _, d := range t.Dims {
		b = protowire.AppendTag(b, tensorDims, protowire.VarintType)
		b = protowire.AppendVarint(b, uint64(d))
	}
	b = varint(b, tensorType, int64(t.Type))
	return text(b, tensorName, t.Name)
}

func (v Value) encode() []byte {
	tensor := varint(nil, tensorTypeElem, int64(v.Type))
	if !v.Shapeless {
		var shape []byte
		for _, d := range v.Shape {
			var dim []byte
			switch {
			case d.Size >= 0:
				dim = protowire.AppendTag(dim, dimValue, protowire.VarintType)
				dim = protowire.AppendVarint(dim, uint64(d.Size))
			case d.Symbol != "":
				dim = text(dim, dimParam, d.Symbol)
			}
			shape = message(shape, shapeDim, dim)
		}
		tensor = message(tensor, tensorTypeShape, shape)
	}
	b := text(nil, valueName, v.Name)
	return message(b, valueType, message(nil, typeTensor, tensor))
}

// varint appends a number, unless it is 0.
func varint(b []byte, field protowire.Number, v int64) []byte {
	if v == 0 {
		return b
	}
	b = protowire.AppendTag(b, field, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(v))
}

// text appends a string, unless it is empty.
func text(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendString(b, s)
}

// message appends bytes, empty ones too.
func message(b []byte, field protowire.Number, m []byte) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendBytes(b, m)
}
