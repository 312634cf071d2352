package models

import (
	"fmt"
	"io"

	"github.com/asof-db/asof/internal/onnx/convert"
)

// conversion makes a file of others.
type conversion func(w io.Writer, of [][]byte) error

// conversions are those that a registry can name.
var conversions = map[string]conversion{
	"bert": func(w io.Writer, of [][]byte) error {
		if len(of) != 2 {
			return fmt.Errorf("it is made of config.json and model.safetensors, and of %d files here", len(of))
		}
		m, err := convert.Bert(of[0], of[1])
		if err != nil {
			return err
		}
		_, err = m.WriteTo(w)
		return err
	},
}
