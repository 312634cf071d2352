package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/retrieval"
)

// demoTurns is half a year of a group chat of three people, written for this.
//
//go:embed demo.jsonl
var demoTurns []byte

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Half a year of a group chat, asked as of many times",
		Long: `Takes a bundled conversation in, English and Chinese, and asks it: as recorded, as
was, for histories, by search. Then a fact is corrected, the memory is rebuilt
from its log, and all of it is proved. Every answer is checked; the exit status
is 1 if one is not what it should be.

The memory is thrown away, or kept in --dir if that is given.`,
		Example: "  asof demo\n  asof demo --dir demo.db && asof history --dir demo.db --space demo --src Anna --rel lives_in",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context()) },
	}
}

func (a *app) demo(ctx context.Context) (err error) {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if !a.spaceGiven {
		a.space = "demo"
	}
	scratch, err := os.MkdirTemp("", "asof-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	dir := filepath.Join(scratch, "memory")
	if a.dirGiven {
		dir = a.dir
	}
	d := &demo{app: a, ctx: ctx, cfg: cfg, scratch: scratch}
	start := time.Now()
	if err := a.withIn(ctx, dir, cfg, func(db *asof.DB) error {
		head, err := db.Head(a.space)
		if err != nil {
			return err
		}
		if head.Seq > 0 {
			return fmt.Errorf("space %q in %s holds something already; the demo needs a --dir or a --space of its own", a.space, dir)
		}
		d.db = db
		return d.tell()
	}); err != nil {
		return err
	}
	a.print("")
	if d.wrong > 0 {
		a.print("%s of %d wrong.", plural(d.wrong, "answer"), d.asked)
		return errNo
	}
	a.print("All %d answers are as they should be. %.1f s.", d.asked, time.Since(start).Seconds())
	if a.dirGiven {
		a.print("Ask on: asof history --dir %s --space %s --src Anna --rel lives_in", escape(a.dir), escape(a.space))
	}
	return nil
}

// demo is a demonstration under way.
type demo struct {
	*app
	ctx     context.Context
	cfg     configs.Config
	db      *asof.DB
	scratch string
	// step counts the headings, asked and wrong the answers.
	step, asked, wrong int
}

// tell goes through the steps.
func (d *demo) tell() error {
	for _, step := range []func() error{d.conversation, d.asRecorded, d.asWas, d.history, d.searches, d.noLeak, d.correction, d.proof} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) heading(format string, args ...any) {
	if d.step++; d.step > 1 {
		d.print("")
	}
	d.print("%d. %s", d.step, fmt.Sprintf(format, args...))
}

// expect shows an answer and checks it.
func (d *demo) expect(question, got, want string) {
	d.asked++
	if got == want {
		d.print("   %s: %s", question, escape(got))
		return
	}
	d.wrong++
	d.print("   WRONG  %s: %s (should be %s)", question, escape(got), escape(want))
}

// feed takes lines in as 'asof ingest' does.
func (d *demo) feed(db *asof.DB, format asof.Format, lines []byte) (*summary, error) {
	src, err := d.lines(bytes.NewReader(lines), format, d.cfg, ingestFlags{zone: d.cfg.Timezone}, false)
	if err != nil {
		return nil, err
	}
	in := &intake{db: db, name: "demo", group: d.cfg.Ingest.GroupTurns, patient: true, sum: newSummary(d.cfg.Timezone)}
	return in.sum, in.run(d.ctx, src)
}

func (d *demo) conversation() error {
	sum, err := d.feed(d.db, asof.FormatTurns, demoTurns)
	if err != nil {
		return err
	}
	d.heading("Anna, Ben and 林悦 write to each other from January to July 2024.")
	d.expect("turns", fmt.Sprint(sum.New), "48")
	d.print("   fact versions found in them: %d", sum.Facts)
	again, err := d.feed(d.db, asof.FormatTurns, demoTurns)
	if err != nil {
		return err
	}
	d.expect("the same again", fmt.Sprintf("%d new, %d duplicates", again.New, again.Duplicate), "0 new, 48 duplicates")
	return nil
}

// values gives the values that a predicate has of a subject, as --at, --view and
// --valid say.
func (d *demo) values(src, rel, at, valid string) (string, error) {
	basis := basisFlags{kind: string(retrieval.AsRecorded)}
	for _, m := range []struct {
		text string
		to   *moment
	}{{at, &basis.at}, {valid, &basis.valid}} {
		if m.text == "" {
			continue
		}
		if err := m.to.Set(m.text); err != nil {
			return "", err
		}
	}
	if valid == "" {
		basis.kind = string(retrieval.AsWas)
	}
	v, err := d.db.View(d.space, basis.at.at())
	if err != nil {
		return "", err
	}
	defer v.Close()
	var found []string
	err = d.eachFact(v, asof.Lookup{Src: src, Rel: rel}, &basis, func(f asof.FactJSON) error {
		found = append(found, f.DstName)
		return nil
	})
	if len(found) == 0 {
		found = []string{"nobody knows"}
	}
	return strings.Join(found, ", "), err
}

// ask shows and checks values.
func (d *demo) ask(question, src, rel, at, valid, want string) error {
	got, err := d.values(src, rel, at, valid)
	if err == nil {
		d.expect(question, got, want)
	}
	return err
}

func (d *demo) asRecorded() error {
	d.heading("As recorded: where does Anna live, by what the memory held")
	return errors.Join(
		d.ask("on 1 January 2024", "Anna", "lives_in", "2024-01-01", "", "nobody knows"),
		d.ask("on 1 February 2024", "Anna", "lives_in", "2024-02-01", "", "Hamburg"),
		d.ask("on 20 March 2024", "Anna", "lives_in", "2024-03-20", "", "Leipzig"),
		d.ask("at its head", "Anna", "lives_in", "", "", "Leipzig"),
		d.ask("and where does 林悦 work, on 1 June 2024", "林悦", "works_at", "2024-06-01", "", "nobody knows"),
		d.ask("and at the head", "林悦", "works_at", "", "", "熊猫出版公司"),
	)
}

func (d *demo) asWas() error {
	d.heading("As was: where did Anna live on 5 March 2024? She told of her move on the\n   15th (\"on March 8\") and corrected the date on 2 April (\"since March 1\").")
	err := errors.Join(
		d.ask("by what was known on 20 March", "Anna", "lives_in", "2024-03-20", "2024-03-05", "Hamburg"),
		d.ask("by what is known now", "Anna", "lives_in", "", "2024-03-05", "Leipzig"),
	)
	d.print("   Ben's message of 20 May, \"I sold my car yesterday\", arrived on 1 July.")
	return errors.Join(err,
		d.ask("what he owned on 1 June, by what was known then", "Ben", "owns", "2024-06-01", "2024-06-01", "red bicycle, car"),
		d.ask("by what is known now", "Ben", "owns", "", "2024-06-01", "red bicycle"),
	)
}

func (d *demo) history() error {
	d.heading("Why does it say so? The history of where Anna lives:")
	v, err := d.db.View(d.space, asof.At{})
	if err != nil {
		return err
	}
	defer v.Close()
	q, _, err := v.Query(asof.Lookup{Src: "Anna", Rel: "lives_in"})
	if err != nil {
		return err
	}
	var turns []string
	for version, err := range v.History(q) {
		if err != nil {
			return err
		}
		h := asof.HistoryOut(&version)
		turns = append(turns, h.Turn)
		d.print("   %-7s  held %s", escape(h.DstName), h.Valid)
		d.print("            believed %s  %s%s", h.Record, h.Op, ofTurn(h.Turn))
	}
	d.expect("told in the turns", strings.Join(turns, " "), "t01 t18 t18 t25 t25")
	return nil
}

// best asks a view what answers a question as things were then, and gives the
// best hit of a kind.
func (d *demo) best(db *asof.DB, question, at string, kind retrieval.Kind) (out asof.SearchJSON, text string, err error) {
	basis, err := asof.ParseAt(at)
	if err != nil {
		return out, "", err
	}
	r, err := db.Search(d.ctx, d.space, basis, asof.SearchQuery{Text: question, K: 5, Kinds: []retrieval.Kind{kind}, View: retrieval.AsWas})
	if err != nil {
		return out, "", err
	}
	out = db.SearchOut(question, &r)
	if len(out.Hits) == 0 {
		return out, "nothing", nil
	}
	return out, out.Hits[0].Text, nil
}

func (d *demo) searches() error {
	d.heading("Search, as things are now and as of a time")
	for _, q := range []struct {
		question, at string
		kind         retrieval.Kind
		want         string
	}{
		{"Where does Anna live?", "2024-02-01", retrieval.Fact, "Anna lives in Hamburg"},
		{"Where does Anna live?", "", retrieval.Fact, "Anna lives in Leipzig"},
		{"Who sold his car?", "", retrieval.Turn, "I sold my car yesterday. The bicycle won."},
		{"谁养了一只猫？", "", retrieval.Turn, "我养了一只猫！她叫米粒，什么都怕。"},
		{"林悦什么时候搬到成都？", "", retrieval.Turn, "我6月1日搬到了成都。这里的火锅太好了。"},
	} {
		_, text, err := d.best(d.db, q.question, q.at, q.kind)
		if err != nil {
			return err
		}
		label := q.question
		if q.at != "" {
			label += " (as of " + q.at + ")"
		}
		d.expect(label, text, q.want)
	}
	return nil
}

// noLeak compares answers as of a time with those of a memory that ended there.
func (d *demo) noLeak() error {
	d.heading("No leak: a memory that has seen only the first 24 turns answers byte for byte\n   as this one does as of position #24.")
	var prefix []byte
	for i, line := range bytes.SplitAfter(demoTurns, []byte("\n")) {
		if i < 24 {
			prefix = append(prefix, line...)
		}
	}
	return d.withIn(d.ctx, "", d.cfg, func(other *asof.DB) error {
		if _, err := d.feed(other, asof.FormatTurns, prefix); err != nil {
			return err
		}
		const question = "What do they own and where do they live?"
		var answers [2][]byte
		for i, side := range []struct {
			db *asof.DB
			at string
		}{{d.db, "#24"}, {other, ""}} {
			out, _, err := d.best(side.db, question, side.at, retrieval.Turn)
			if err != nil {
				return err
			}
			if answers[i], err = asof.EncodeJSON(out); err != nil {
				return err
			}
			at, err := asof.ParseAt(side.at)
			if err != nil {
				return err
			}
			v, err := side.db.View(d.space, at)
			if err != nil {
				return err
			}
			digest, err := v.Digest()
			if err := errors.Join(err, v.Close()); err != nil {
				return err
			}
			answers[i] = append(answers[i], digest[:]...)
		}
		d.expect("hits, scores and digest", dsl.Sum(answers[0]).String(), dsl.Sum(answers[1]).String())
		return nil
	})
}

func (d *demo) correction() error {
	d.heading("A correction by hand: Ben's last day at work was Friday 28 June, not the day on\n   which he told.")
	v, err := d.db.View(d.space, asof.At{})
	if err != nil {
		return err
	}
	var id string
	err = errors.Join(d.eachFact(v, asof.Lookup{Src: "Ben", Rel: "works_at"}, &basisFlags{kind: string(retrieval.AsRecorded)}, func(f asof.FactJSON) error {
		id = f.ID
		return nil
	}), v.Close())
	if err != nil {
		return err
	}
	op := fmt.Sprintf(`{"at":"2024-07-02T09:00:00Z","op":"RETRO_CORRECT","id":%q,"valid":["2024-01-08T08:15:00Z","2024-06-28T23:00:00Z"],"agent":"demo","reason":"Friday was his last day (t41)"}`, id)
	sum, err := d.feed(d.db, asof.FormatOps, []byte(op+"\n"))
	if err != nil {
		return err
	}
	d.expect("operations committed", fmt.Sprint(sum.New), "1")
	return errors.Join(
		d.ask("where he worked on 30 June, by what was known on 1 July", "Ben", "works_at", "2024-07-01T12:00:00Z", "2024-06-30", "Brightwater Labs"),
		d.ask("by what is known now", "Ben", "works_at", "", "2024-06-30", "nobody knows"),
	)
}

func (d *demo) proof() error {
	d.heading("Proof: the memory is rebuilt from its log alone, and every decision is made again.")
	r, err := d.db.Replay(d.ctx, filepath.Join(d.scratch, "replayed"), nil, d.space)
	if err != nil {
		return err
	}
	d.expect("replay", fmt.Sprintf("%s, equal: %t", plural(r.Positions, "position"), r.Equal), "49 positions, equal: true")
	audit, err := d.db.Audit(d.ctx, d.space)
	if err != nil {
		return err
	}
	d.expect("audit", fmt.Sprintf("%s, chain %s, decisions %s, digest %s", plural(audit.Entries, "entry"), audit.Chain, audit.Decisions, audit.Digest),
		"49 entries, chain ok, decisions ok, digest ok")
	check, err := d.db.Check(d.ctx, d.space)
	if err != nil {
		return err
	}
	d.expect("invariants broken", fmt.Sprint(len(check.Faults)), "0")

	var log bytes.Buffer
	if err := d.db.Export(d.ctx, &log, d.space, 0, 0); err != nil {
		return err
	}
	forged := bytes.Replace(log.Bytes(), []byte("I sold my car"), []byte("I kept my car"), 1)
	found, err := asof.AuditFile(d.ctx, bytes.NewReader(forged))
	if err != nil {
		return err
	}
	place := "not found"
	if len(found.Faults) > 0 {
		place = "found at " + found.Faults[0].Position.String()
	}
	d.expect("an exported log in which one word was changed", place, "found at #45")
	return nil
}
