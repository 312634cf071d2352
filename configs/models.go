package configs

import (
	_ "embed" // The registry of models is a file of this folder.
	"slices"
)

//go:embed models.yaml
var modelsYAML []byte

// ModelsYAML is the built-in registry of models, in the form that package models reads. The caller
// may change it.
func ModelsYAML() []byte { return slices.Clone(modelsYAML) }
