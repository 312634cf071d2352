package dsl

import "errors"

// Sentinels that all layers wrap with the operation and the place.
var (
	// ErrNotFound says that what was asked for is not in the view.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that the input contradicts what is already there.
	ErrConflict = errors.New("conflict")
	// ErrClosed says that the thing was closed.
	ErrClosed = errors.New("closed")
	// ErrCorrupt says that stored or exported bytes are not what was written.
	ErrCorrupt = errors.New("corrupt")
	// ErrUnsupportedFormat says that the bytes are of a format version that this
	// build does not read.
	ErrUnsupportedFormat = errors.New("unsupported format")
	// ErrInvalid says that input breaks a rule; the message names it.
	ErrInvalid = errors.New("invalid")
	// ErrSealed says that a text is ciphertext and its key is not at hand.
	ErrSealed = errors.New("sealed")
)
