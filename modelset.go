package asof

import (
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/models"
	"github.com/asof-db/asof/internal/onnx"
)

// modelSet is the models that a configuration names, made when the first of them is
// opened. It must not be used concurrently.
type modelSet struct {
	cfg        *configs.Config
	logger     *slog.Logger
	registerer prometheus.Registerer
	set        *models.Set
}

// open gives the set; it loads no model yet.
func (s *modelSet) open() (*models.Set, error) {
	if s.set != nil {
		return s.set, nil
	}
	if s.cfg.Models.Dir == "" {
		return nil, fmt.Errorf("asof: %w: the configuration names models, and no folder for them: set models.dir", dsl.ErrInvalid)
	}
	registry, err := models.Parse(configs.ModelsYAML())
	if err != nil {
		return nil, fmt.Errorf("asof: %w", err)
	}
	s.set = models.NewSet(models.SetOptions{Registry: registry, Dir: s.cfg.Models.Dir, Device: onnx.Device(s.cfg.Models.Device),
		Threads: s.cfg.Models.Threads, Logger: s.logger, Registerer: s.registerer})
	return s.set, nil
}

// close frees the models. It may be called on nil, and again.
func (s *modelSet) close() error {
	if s == nil || s.set == nil {
		return nil
	}
	return s.set.Close()
}
