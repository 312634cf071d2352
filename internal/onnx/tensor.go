package onnx

import (
	"fmt"

	"github.com/asof-db/asof/internal/onnx/graph"
)

// Tensor is a value that goes into a network or comes out of it: its elements row by row, in the one
// slice that is not nil.
type Tensor struct {
	Dims  []int64
	Int   []int64
	Float []float32
}

// IntTensor makes a tensor of int64 of rows by columns. It keeps values.
func IntTensor(values []int64, dims ...int64) Tensor { return Tensor{Dims: dims, Int: values} }

// FloatTensor makes a tensor of float32. It keeps values.
func FloatTensor(values []float32, dims ...int64) Tensor { return Tensor{Dims: dims, Float: values} }

// check says what is wrong with a tensor given for an input.
func (t Tensor) check(p Port, name string) error {
	kind, n := graph.Float32, len(t.Float)
	if t.Float == nil {
		kind, n = graph.Int64, len(t.Int)
	}
	if kind != p.Type {
		return fmt.Errorf("%w: input %s is given as %s, and is %s", ErrModel, name, kind, p.Type)
	}
	size := int64(1)
	for _, d := range t.Dims {
		if d <= 0 {
			return fmt.Errorf("%w: input %s has the empty shape %v", ErrModel, name, t.Dims)
		}
		size *= d
	}
	if size != int64(n) {
		return fmt.Errorf("%w: input %s has %d elements and the shape %v", ErrModel, name, n, t.Dims)
	}
	return nil
}

// checkOutput says what is wrong with a shape that a network gave.
func checkOutput(dims []int64, p Port, name string) error {
	fits := len(dims) == len(p.Dims)
	for i := 0; fits && i < len(dims); i++ {
		fits = p.Dims[i] < 0 || dims[i] == p.Dims[i]
	}
	if !fits {
		return fmt.Errorf("%w: output %s came with the shape %v, not %v (-1 is any size)", ErrModel, name, dims, p.Dims)
	}
	return nil
}
