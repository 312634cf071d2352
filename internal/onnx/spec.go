package onnx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asof-db/asof/internal/onnx/graph"
)

// Spec is what the user of a network gives it and wants of it, in the order of [Model.Run].
type Spec struct {
	Inputs, Outputs []Port
}

// Port is one input or output.
type Port struct {
	// Names are the names that it may have; the first that the network has is taken.
	Names []string
	// Type is the type of its elements.
	Type graph.Type
	// Dims is its shape, where [Varies] and [Any] stand for sizes.
	Dims []int64
	// Optional is an input that some networks lack; what is given for it is then left out.
	Optional bool
}

// Sizes in a shape that are no numbers. For an output both take any size.
const (
	// Varies is a size that differs from run to run, which a network must leave open.
	Varies = -1
	// Any is a size that the network may fix.
	Any = -2
)

// resolved is a spec with the names that one network has; an optional input that it lacks is "".
type resolved struct {
	inputs, outputs []string
}

// match compares a network's ports with the spec. Its error says every difference.
func (s Spec) match(p graph.Ports) (resolved, error) {
	var r resolved
	var wrong []string
	taken := map[string]bool{}
	for _, want := range s.Inputs {
		have, ok := first(p.Inputs, want.Names)
		switch {
		case ok:
			taken[have.Name] = true
			wrong = append(wrong, want.differs("input", have)...)
		case !want.Optional:
			wrong = append(wrong, fmt.Sprintf("it has no input %s; its inputs are %s", strings.Join(want.Names, " or "), describe(p.Inputs)))
		}
		r.inputs = append(r.inputs, have.Name)
	}
	for _, have := range p.Inputs {
		if !taken[have.Name] {
			wrong = append(wrong, fmt.Sprintf("it wants an input %s, which is not given here", describe([]graph.Value{have})))
		}
	}
	for _, want := range s.Outputs {
		have, ok := first(p.Outputs, want.Names)
		if !ok {
			wrong = append(wrong, fmt.Sprintf("it has no output %s; its outputs are %s", strings.Join(want.Names, " or "), describe(p.Outputs)))
			continue
		}
		wrong = append(wrong, want.differs("output", have)...)
		r.outputs = append(r.outputs, have.Name)
	}
	if len(wrong) > 0 {
		return resolved{}, fmt.Errorf("%w: %s", ErrModel, strings.Join(wrong, "; "))
	}
	return r, nil
}

// first returns the first value that has one of the names, in the order of the names.
func first(values []graph.Value, names []string) (graph.Value, bool) {
	for _, n := range names {
		if i := slices.IndexFunc(values, func(v graph.Value) bool { return v.Name == n }); i >= 0 {
			return values[i], true
		}
	}
	return graph.Value{}, false
}

// differs says what of a port is not as wanted. An open size of the network takes any size.
func (p Port) differs(side string, have graph.Value) []string {
	if have.Type != p.Type {
		return []string{fmt.Sprintf("its %s %s is %s, not %s", side, have.Name, have.Type, p.Type)}
	}
	if have.Shapeless {
		return nil
	}
	want := graph.Value{Type: p.Type, Shape: graph.Fixed(p.Dims...)}
	fits := len(have.Shape) == len(p.Dims)
	for i := 0; fits && i < len(p.Dims); i++ {
		fits = have.Shape[i].Size < 0 || have.Shape[i].Size == p.Dims[i] || p.Dims[i] == Any || p.Dims[i] < 0 && side == "output"
	}
	if !fits {
		return []string{fmt.Sprintf("its %s %s has the shape %s, not %s (? is any size)", side, have.Name, shape(have), shape(want))}
	}
	return nil
}

// describe names values with their types and shapes.
func describe(values []graph.Value) string {
	if len(values) == 0 {
		return "none"
	}
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprintf("%s %s%s", v.Name, v.Type, shape(v))
	}
	return strings.Join(out, ", ")
}

// shape writes a shape; open sizes are their symbols, or "?".
func shape(v graph.Value) string {
	if v.Shapeless {
		return ""
	}
	out := make([]string, len(v.Shape))
	for i, d := range v.Shape {
		switch {
		case d.Size >= 0:
			out[i] = fmt.Sprint(d.Size)
		case d.Symbol != "":
			out[i] = d.Symbol
		default:
			out[i] = "?"
		}
	}
	return "[" + strings.Join(out, " ") + "]"
}
