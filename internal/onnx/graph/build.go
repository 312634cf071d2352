package graph

import "strconv"

// Builder grows a graph node by node. The names that it gives count up, so the same calls give the
// same graph.
type Builder struct {
	Graph Graph
	n     int
}

// NewBuilder begins a graph.
func NewBuilder(name string) *Builder { return &Builder{Graph: Graph{Name: name}} }

// Input adds an input and returns its name.
func (b *Builder) Input(name string, t Type, shape ...Dim) string {
	b.Graph.Inputs = append(b.Graph.Inputs, Value{Name: name, Type: t, Shape: shape})
	return name
}

// Output makes a value an output under a name of its own.
func (b *Builder) Output(value, name string, t Type, shape ...Dim) {
	b.Graph.Nodes = append(b.Graph.Nodes, Node{Op: "Identity", Inputs: []string{value}, Outputs: []string{name}})
	b.Graph.Outputs = append(b.Graph.Outputs, Value{Name: name, Type: t, Shape: shape})
}

// Constant adds a constant and returns its name; one without a name is given one.
func (b *Builder) Constant(t Tensor) string {
	if t.Name == "" {
		t.Name = b.fresh("c")
	}
	b.Graph.Initializers = append(b.Graph.Initializers, t)
	return t.Name
}

// Op adds a node of ONNX's own operators with one output and returns the output's name.
func (b *Builder) Op(op string, inputs []string, attributes ...Attribute) string {
	return b.OpOf("", op, inputs, attributes...)
}

// OpOf is Op for an operator of another domain.
func (b *Builder) OpOf(domain, op string, inputs []string, attributes ...Attribute) string {
	out := b.fresh("v")
	b.Graph.Nodes = append(b.Graph.Nodes, Node{Op: op, Domain: domain, Inputs: inputs, Outputs: []string{out}, Attributes: attributes})
	return out
}

// Model wraps the graph in a file of asof's making. opsets come after ONNX's own, which is version.
func (b *Builder) Model(ir, version int64, opsets ...Opset) *Model {
	return &Model{IRVersion: ir, Producer: "asof", Opsets: append([]Opset{{Version: version}}, opsets...), Graph: b.Graph}
}

func (b *Builder) fresh(prefix string) string {
	b.n++
	return prefix + strconv.Itoa(b.n)
}

// In is a list of names, for the inputs of a node.
func In(names ...string) []string { return names }

// Int is an attribute that is a number.
func Int(name string, v int64) Attribute { return Attribute{name, v} }

// List is an attribute that is a list of numbers.
func List(name string, v ...int64) Attribute { return Attribute{name, v} }

// Real is an attribute that is a float32.
func Real(name string, v float32) Attribute { return Attribute{name, v} }
