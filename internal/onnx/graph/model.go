package graph

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Type is the type of a tensor's elements, with ONNX's own numbers.
type Type int32

// The element types that asof meets.
const (
	Float32 Type = 1
	Uint8   Type = 2
	Int8    Type = 3
	Int32   Type = 6
	Int64   Type = 7
	Bool    Type = 9
	Float16 Type = 10
	Float64 Type = 11
	Uint4   Type = 21
)

// typeNames are the names of ONNX for its types, by number.
var typeNames = [...]string{1: "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool",
	"float16", "float64", "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz",
	"float8e5m2", "float8e5m2fnuz", "uint4", "int4"}

// String gives the type as messages name it.
func (t Type) String() string {
	if t > 0 && int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", int32(t))
}

// Model is one ONNX file.
type Model struct {
	// IRVersion is the version of the file format; 10 has all that is used here.
	IRVersion int64
	// Producer names the program that wrote the file.
	Producer string
	// Opsets are the sets of operators that the nodes are from.
	Opsets []Opset
	Graph  Graph
}

// Opset names a set of operators; the empty domain is ONNX's own.
type Opset struct {
	Domain  string
	Version int64
}

// Graph is a network: nodes in an order in which each finds its inputs computed.
type Graph struct {
	Name         string
	Nodes        []Node
	Initializers []Tensor
	Inputs       []Value
	Outputs      []Value
}

// Node is one operation.
type Node struct {
	// Op and Domain name the operator.
	Op, Domain string
	Name       string
	// Inputs and Outputs are names of values; an empty input is an optional one left out.
	Inputs, Outputs []string
	Attributes      []Attribute
}

// Attribute is a constant of a node. Value is an int64, float32, string, []int64, []float32 or Tensor.
type Attribute struct {
	Name  string
	Value any
}

// Tensor is a constant, its elements in Raw, little-endian, row by row.
type Tensor struct {
	Name string
	Type Type
	Dims []int64
	Raw  []byte
}

// Value is an input or output of a network.
type Value struct {
	Name string
	// Type is 0 where the value is no tensor.
	Type  Type
	Shape []Dim
	// Shapeless tells a value whose shape the file does not give from a scalar.
	Shapeless bool
}

// Dim is one dimension of a shape: a size, or a symbol where the size is open. An open one without a
// name has neither.
type Dim struct {
	// Size is the size, or -1 where it is open.
	Size   int64
	Symbol string
}

// Fixed gives the dimensions of sizes; a negative one is open.
func Fixed(sizes ...int64) []Dim {
	dims := make([]Dim, len(sizes))
	for i, s := range sizes {
		dims[i] = Dim{Size: max(s, -1)}
	}
	return dims
}

// Open gives an open dimension with a name.
func Open(symbol string) Dim { return Dim{Size: -1, Symbol: symbol} }

// Floats gives a constant of float32 values, copied; without dims it is a scalar.
func Floats(name string, dims []int64, values ...float32) Tensor {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return Tensor{Name: name, Type: Float32, Dims: dims, Raw: raw}
}

// Ints gives a constant of int64 values; without dims it is a scalar.
func Ints(name string, dims []int64, values ...int64) Tensor {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return Tensor{Name: name, Type: Int64, Dims: dims, Raw: raw}
}

// Input returns the input of the name.
func (g *Graph) Input(name string) (Value, bool) { return find(g.Inputs, name) }

// Output returns the output of the name.
func (g *Graph) Output(name string) (Value, bool) { return find(g.Outputs, name) }

func find(values []Value, name string) (Value, bool) {
	for _, v := range values {
		if v.Name == name {
			return v, true
		}
	}
	return Value{}, false
}
