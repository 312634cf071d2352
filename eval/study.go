package eval

import (
	"context"
	"fmt"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
)

// study asks more of every memory than the run itself does, and reports it in files
// of its own and in summary.md.
type study interface {
	// begin opens the files that grow with the questions.
	begin(dir *folder) error
	// ask asks for one question; several memories may be asked at once, so it changes
	// nothing of the study.
	ask(ctx context.Context, v *asof.View, r *run, x *exam, at int, a *answer) (any, error)
	// record keeps what ask gave, in the order of the data.
	record(q *posed, found any)
	// finish writes what needs all questions; it is called before summary.
	finish(dir *folder, main *group) error
	summary(o *outFile)
	close() error
}

// newStudies gives the studies that a configuration and the options ask for.
func newStudies(cfg configs.Config, opt *RunOptions) ([]study, error) {
	var list []study
	if cfg.Retrieval.Expansion.Most > 0 {
		s, err := newExpansionStudy(cfg)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	if cfg.Pack.Mode != configs.PackEvidence && !opt.NoPacks {
		list = append(list, newChainStudy(cfg))
	}
	if opt.Switches {
		list = append(list, newSwitchStudy(opt.Seed))
	}
	return list, nil
}

// study asks all studies about the questions of a memory.
func (r *run) study(ctx context.Context, v *asof.View, s *sitting) error {
	for at := range s.exam.questions {
		var found []any
		for _, of := range r.studies {
			x, err := of.ask(ctx, v, r, s.exam, at, &s.answers[at])
			if err != nil {
				return fmt.Errorf("eval: question %s: %w", s.exam.questions[at].qid, err)
			}
			found = append(found, x)
		}
		s.studied = append(s.studied, found)
	}
	return nil
}

// mainGroup gives the group of the headline figure.
func (s *suite) mainGroup() *group {
	for i := range s.groups {
		if s.groups[i].name == s.main {
			return &s.groups[i]
		}
	}
	return &s.groups[len(s.groups)-1]
}
