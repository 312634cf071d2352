// Package graph reads and writes the ONNX format as far as asof needs it: what goes into a network
// and comes out of it, and small or converted networks as files that ONNX Runtime loads.
//
// ONNX is Protocol Buffers. The messages are few and have kept their field numbers since the first
// version, so they are written here by hand over protowire: no generated code, and weights of
// hundreds of megabytes go from their source to the file without being copied into a message.
//
// Writing is deterministic: a [Model] has one encoding, so a conversion gives the same bytes, and the
// same SHA-256, on every machine.
package graph
