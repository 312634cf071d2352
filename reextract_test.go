package asof

import (
	"strings"
	"testing"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// TestReExtractFinds gives an audit entries whose candidates are not those of
// their turn, of this build's extraction and of others.
func TestReExtractFinds(t *testing.T) {
	e, err := newEngine(configs.Default(), extract.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	older := e.settings
	older.Policy = "rbu/0"
	for name, x := range map[string]struct {
		extractor string
		settings  dsl.Settings
		want      string // a part of the report
	}{
		"ours":           {e.pipeline.Version(), e.settings, "fault extraction: made again from turn \"t\""},
		"a caller's":     {"caller", e.settings, "left caller 1"},
		"another's":      {"rule/0", e.settings, "left rule/0 1"},
		"older rules":    {e.pipeline.Version(), older, "left " + e.pipeline.Version() + " 1"},
		"older rules, 2": {e.pipeline.Version(), older, "note decisions: decided by the rules \"rbu/0\"; this build has \"" + assimilate.PolicyVersion},
	} {
		f, err := newFolder(true)
		if err != nil {
			t.Fatal(err)
		}
		ReExtract()(f)
		turn := &dsl.Turn{ID: "t", Speaker: dsl.Plain("Ana"), Text: dsl.Plain("I live in Boston."), TS: 1_700_000_000_000_000}
		tx := &dsl.Tx{Version: dsl.FormatVersion, Kind: dsl.TxTurn, Space: "s", Seq: 1, Time: turn.TS, Turn: turn, Extractor: x.extractor, Settings: &x.settings}
		for _, err := range []error{fill(&tx.SettingsHash, tx.Settings.Hash), fill(&tx.TurnHash, func() (dsl.Hash, error) { return dsl.TurnHash(turn) }),
			fill(&tx.CandidatesHash, func() (dsl.Hash, error) { return dsl.CandidatesHash(nil) })} {
			if err != nil {
				t.Fatal(err)
			}
		}
		data, err := tx.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.add("s", 1, data); err != nil {
			t.Fatal(err)
		}
		var r AuditReport
		r.found(f)
		if err := f.close(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range r.Faults {
			got = append(got, "fault "+x.Kind+": "+x.Message)
		}
		for _, x := range r.Notes {
			got = append(got, "note "+x.Kind+": "+x.Message)
		}
		for _, x := range r.NotExtracted {
			got = append(got, "left "+x.Extractor+" 1")
		}
		if all := strings.Join(got, "\n"); !strings.Contains(all, x.want) || (name != "ours" && strings.Contains(all, "fault extraction")) {
			t.Errorf("%s: got\n%s\nwant %s", name, all, x.want)
		}
	}
}

func fill(to *dsl.Hash, f func() (dsl.Hash, error)) (err error) {
	*to, err = f()
	return err
}
