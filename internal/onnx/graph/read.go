package graph

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrCorrupt marks bytes that are no ONNX file.
var ErrCorrupt = errors.New("not an ONNX file")

// Ports is what a network takes and gives, and where its weights are.
type Ports struct {
	// IRVersion and Opsets are the versions that the file is written in.
	IRVersion int64
	Opsets    []Opset
	// Inputs are those that a caller gives; those that have a constant of their own are left out.
	Inputs  []Value
	Outputs []Value
	// External are the files beside the model's own that hold its weights, each once, in the order of
	// their first use.
	External []string
}

// ReadPorts reads what an ONNX file takes and gives. It skips nodes and weights, so it costs little
// even for a large file. Its errors are [ErrCorrupt].
func ReadPorts(file []byte) (Ports, error) {
	var p Ports
	hasGraph := false
	err := fields(file, func(field protowire.Number, v value) error {
		switch field {
		case modelIR:
			p.IRVersion = int64(v.number)
		case modelOpset:
			o, err := readOpset(v.bytes)
			p.Opsets = append(p.Opsets, o)
			return err
		case modelGraph:
			hasGraph = true
			return p.readGraph(v.bytes)
		}
		return nil
	})
	if err == nil && !hasGraph {
		err = errors.New("there is no graph in it")
	}
	if err != nil {
		return Ports{}, fmt.Errorf("onnx graph: %w: %w", ErrCorrupt, err)
	}
	return p, nil
}

// value is the value of a field: a number or bytes.
type value struct {
	number uint64
	bytes  []byte
}

// fields calls f for each field of a message.
func fields(b []byte, f func(protowire.Number, value) error) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var v value
		switch kind {
		case protowire.VarintType:
			v.number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			v.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(field, kind, b)
		}
		if n < 0 {
			return fmt.Errorf("field %d: %w", field, protowire.ParseError(n))
		}
		b = b[n:]
		if err := f(field, v); err != nil {
			return err
		}
	}
	return nil
}

func readOpset(b []byte) (o Opset, err error) {
	err = fields(b, func(field protowire.Number, v value) error {
		switch field {
		case opsetDomain:
			o.Domain = string(v.bytes)
		case opsetVersion:
			o.Version = int64(v.number)
		}
		return nil
	})
	return o, err
}

func (p *Ports) readGraph(b []byte) error {
	constants := map[string]bool{}
	var inputs []Value
	seen := map[string]bool{}
	err := fields(b, func(field protowire.Number, v value) error {
		switch field {
		case graphInput, graphOutput:
			port, err := readValue(v.bytes)
			if err != nil {
				return err
			}
			if field == graphInput {
				inputs = append(inputs, port)
			} else {
				p.Outputs = append(p.Outputs, port)
			}
		case graphInitializer:
			name, err := p.readTensor(v.bytes, seen)
			constants[name] = true
			return err
		case graphNode:
			return p.readNode(v.bytes, seen)
		}
		return nil
	})
	for _, in := range inputs {
		if !constants[in.Name] {
			p.Inputs = append(p.Inputs, in)
		}
	}
	return err
}

// readTensor returns a constant's name and notes its file, if it has one.
func (p *Ports) readTensor(b []byte, seen map[string]bool) (name string, err error) {
	err = fields(b, func(field protowire.Number, v value) error {
		switch field {
		case tensorName:
			name = string(v.bytes)
		case tensorExternal:
			return p.readExternal(v.bytes, seen)
		}
		return nil
	})
	return name, err
}

// readNode notes the files of the constants that a node has as attributes.
func (p *Ports) readNode(b []byte, seen map[string]bool) error {
	return fields(b, func(field protowire.Number, v value) error {
		if field != nodeAttribute {
			return nil
		}
		return fields(v.bytes, func(field protowire.Number, v value) error {
			if field != attrTensor {
				return nil
			}
			_, err := p.readTensor(v.bytes, seen)
			return err
		})
	})
}

// readExternal notes the file of a tensor that lies outside.
func (p *Ports) readExternal(b []byte, seen map[string]bool) error {
	var key, val string
	err := fields(b, func(field protowire.Number, v value) error {
		switch field {
		case entryKey:
			key = string(v.bytes)
		case entryValue:
			val = string(v.bytes)
		}
		return nil
	})
	if key == "location" && !seen[val] {
		seen[val] = true
		p.External = append(p.External, val)
	}
	return err
}

func readValue(b []byte) (Value, error) {
	out := Value{Shapeless: true}
	err := fields(b, func(field protowire.Number, v value) error {
		switch field {
		case valueName:
			out.Name = string(v.bytes)
		case valueType:
			return fields(v.bytes, func(field protowire.Number, v value) error {
				if field == typeTensor {
					return out.readTensorType(v.bytes)
				}
				return nil
			})
		}
		return nil
	})
	return out, err
}

func (v *Value) readTensorType(b []byte) error {
	return fields(b, func(field protowire.Number, f value) error {
		switch field {
		case tensorTypeElem:
			v.Type = Type(f.number)
		case tensorTypeShape:
			v.Shapeless = false
			v.Shape = nil
			return fields(f.bytes, func(field protowire.Number, f value) error {
				if field != shapeDim {
					return nil
				}
				d := Dim{Size: -1}
				err := fields(f.bytes, func(field protowire.Number, f value) error {
					switch field {
					case dimValue:
						d.Size = max(int64(f.number), -1)
					case dimParam:
						d.Symbol = string(f.bytes)
					}
					return nil
				})
				v.Shape = append(v.Shape, d)
				return err
			})
		}
		return nil
	})
}
