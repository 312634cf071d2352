package graph_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/asof-db/asof/internal/onnx/graph"
)

// model is a network of one node with everything that a file can say.
func model() graph.Model {
	return graph.Model{IRVersion: 8, Producer: "asof", Opsets: []graph.Opset{{Version: 17}, {Domain: "com.microsoft", Version: 1}},
		Graph: graph.Graph{
			Name: "g",
			Nodes: []graph.Node{{Op: "Op", Domain: "d", Name: "n", Inputs: []string{"x", "", "w"}, Outputs: []string{"y"}, Attributes: []graph.Attribute{
				{Name: "f", Value: float32(1.5)}, {Name: "i", Value: int64(-3)}, {Name: "s", Value: "text"},
				{Name: "fs", Value: []float32{1, 2}}, {Name: "is", Value: []int64{3, -4}}, {Name: "t", Value: graph.Ints("", nil, 7)},
			}}},
			Initializers: []graph.Tensor{graph.Floats("w", []int64{2, 1}, 3, 4)},
			Inputs: []graph.Value{
				{Name: "x", Type: graph.Int64, Shape: []graph.Dim{graph.Open("batch"), {Size: 7}, {Size: -1}}},
				{Name: "w", Type: graph.Float32, Shape: graph.Fixed(2, 1)},
			},
			Outputs: []graph.Value{{Name: "y", Type: graph.Float32, Shapeless: true}, {Name: "scalar", Type: graph.Float32}},
		}}
}

func TestPortsReadBack(t *testing.T) {
	m := model()
	file, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := graph.ReadPorts(file)
	if err != nil {
		t.Fatal(err)
	}
	want := graph.Ports{IRVersion: 8, Opsets: m.Opsets, Inputs: m.Graph.Inputs[:1], Outputs: m.Graph.Outputs}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	again, err := m.Encode()
	if err != nil || !bytes.Equal(file, again) {
		t.Errorf("the second encoding differs (%v)", err)
	}
}

func TestUnknownAttribute(t *testing.T) {
	m := model()
	m.Graph.Nodes[0].Attributes = []graph.Attribute{{Name: "bad", Value: 3}}
	if _, err := m.Encode(); err == nil {
		t.Error("an attribute of a type that ONNX has not was written")
	}
}

func TestEveryPrefixIsRefusedOrRead(t *testing.T) {
	m := model()
	file, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for n := range file {
		if _, err := graph.ReadPorts(file[:n]); err != nil {
			refused++
			if !errors.Is(err, graph.ErrCorrupt) {
				t.Fatalf("%d bytes: %v is not ErrCorrupt", n, err)
			}
		}
	}
	// The opsets come last, and a file that is cut between two fields is a shorter file.
	if refused < len(file)-8 {
		t.Errorf("only %d of %d prefixes were refused", refused, len(file))
	}
}

func FuzzReadPorts(f *testing.F) {
	m := model()
	file, err := m.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add([]byte{0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := graph.ReadPorts(b); err != nil && !errors.Is(err, graph.ErrCorrupt) {
			t.Errorf("%v is not ErrCorrupt", err)
		}
	})
}
