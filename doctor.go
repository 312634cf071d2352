package asof

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"

	"github.com/asof-db/asof/configs"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/dsl/ledger"
	"github.com/asof-db/asof/store"
)

// seeDoctor adds to an error that speaks of damage where to find the rest.
func seeDoctor(dir string, err error) error {
	for _, kind := range []error{dsl.ErrCorrupt, ledger.ErrCorrupt, ledger.ErrGap, ErrStoreAhead, dsl.ErrUnsupportedFormat, ledger.ErrUnsupportedFormat} {
		if dir != "" && errors.Is(err, kind) {
			return fmt.Errorf("%w; 'asof doctor --dir %s' tells all that is wrong and how to mend it", err, dir)
		}
	}
	return err
}

// StoreDamaged tells whether an error speaks of files of the store that are not
// as they were written: RebuildStore mends that.
func StoreDamaged(err error) bool { return pebble.IsCorruptionError(err) }

// DoctorOptions say what is looked at.
type DoctorOptions struct {
	// Dir is the data folder.
	Dir string
	// Config is the profile that the memory is opened under; nil is the built-in
	// one.
	Config *configs.Config
	// Logger may be nil.
	Logger *slog.Logger
}

// DoctorPart says how one part of a memory is.
type DoctorPart struct {
	// Part is folder, lock, log or store.
	Part string `json:"part"`
	// State is ok, missing, faulty or not checked.
	State  string `json:"state"`
	Detail string `json:"detail"`
}

// Damage is one thing that is wrong, with what mends it.
type Damage struct {
	Part string `json:"part"`
	// Where is the file, message or position.
	Where   string `json:"where"`
	Problem string `json:"problem"`
	// Mend are the ways to mend it, the best first: commands, each with what it
	// does behind a #.
	Mend []string `json:"mend"`
}

// DoctorReport says how a memory is.
type DoctorReport struct {
	Dir    string       `json:"dir"`
	Parts  []DoctorPart `json:"parts"`
	Faults []Damage     `json:"faults"`
}

// OK tells whether nothing is wrong.
func (r *DoctorReport) OK() bool { return len(r.Faults) == 0 }

// Doctor opens what can be opened of a memory, reads all of it, and says for
// each damage what is wrong, where, and what mends it. It changes nothing but
// what every opening changes (a half-written last message of the log is kept
// aside). What it finds is in the report; an error means that it could not look.
func Doctor(ctx context.Context, o DoctorOptions) (DoctorReport, error) {
	d := &doctor{dir: o.Dir, log: o.Logger, rep: DoctorReport{Dir: o.Dir, Parts: []DoctorPart{}, Faults: []Damage{}}}
	d.cfg = configs.Default()
	if o.Config != nil {
		d.cfg = *o.Config
	}
	if err := d.look(ctx); err != nil {
		return d.rep, fmt.Errorf("asof: doctor: %w", err)
	}
	return d.rep, nil
}

type doctor struct {
	dir string
	cfg configs.Config
	log *slog.Logger
	rep DoctorReport

	// logged are the heads of the log's spaces, readable tells whether all of the
	// log could be read, last is its last message.
	logged   map[string]logHead
	readable bool
	last     uint64
	// watched are the entries at the store's heads, where the store tells.
	watched map[string]store.Position
	differs map[string]dsl.Hash
}

type logHead struct {
	seq  dsl.Seq
	hash dsl.Hash
	dead bool
}

const (
	partOK         = "ok"
	partMissing    = "missing"
	partFaulty     = "faulty"
	partNotChecked = notChecked
)

func (d *doctor) part(name, state, format string, args ...any) {
	d.rep.Parts = append(d.rep.Parts, DoctorPart{Part: name, State: state, Detail: fmt.Sprintf(format, args...)})
}

func (d *doctor) fault(part, where string, mend []string, format string, args ...any) {
	d.rep.Faults = append(d.rep.Faults, Damage{Part: part, Where: where, Problem: fmt.Sprintf(format, args...), Mend: mend})
}

// The ways to mend.
func (d *doctor) rebuild() string {
	return fmt.Sprintf("asof doctor --rebuild-store --dir %s   # make the store again from the log; nothing is lost", d.dir)
}

func (d *doctor) forget() string {
	return fmt.Sprintf("asof doctor --rebuild-store --dir %s   # only where the log is right and its end may be lost: make the store again from what the log holds", d.dir)
}

func (d *doctor) fromBackup() string {
	return fmt.Sprintf("asof restore BACKUP --to NEW && mv %s %s.damaged && mv NEW %s   # go back to the last backup", d.dir, d.dir, d.dir)
}

func (d *doctor) fromExport() string {
	return "asof log import EXPORT --dir NEW   # make a new memory from what 'asof log --all-spaces' wrote"
}

func (d *doctor) salvage() string {
	return fmt.Sprintf("asof doctor --salvage NEW --dir %s   # make a new memory from what can be read before the damage", d.dir)
}

func (d *doctor) look(ctx context.Context) error {
	info, err := os.Stat(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.part("folder", partMissing, "%s is not there", d.dir)
		d.fault("folder", d.dir, []string{"asof ingest FILE --dir " + d.dir + "   # begin a new memory", d.fromBackup()}, "there is no such folder")
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		d.part("folder", partFaulty, "%s is a file", d.dir)
		d.fault("folder", d.dir, []string{"asof doctor --dir FOLDER   # name the data folder"}, "it is a file")
		return nil
	}
	logThere, storeThere := isDir(filepath.Join(d.dir, "log")) || d.cfg.Ledger.URL != "", isDir(filepath.Join(d.dir, "store"))
	if !logThere && !storeThere {
		d.part("folder", partFaulty, "%s holds neither a log nor a store", d.dir)
		d.fault("folder", d.dir, []string{"asof doctor --dir FOLDER   # name the data folder", d.fromBackup()}, "it holds neither a log nor a store")
		return nil
	}
	d.part("folder", partOK, "%s", d.dir)
	lock, err := lockFolder(d.dir)
	if errors.Is(err, ErrInUse) {
		d.part("lock", partFaulty, "%v", err)
		d.fault("lock", filepath.Join(d.dir, "LOCK"), []string{"kill $(cat " + filepath.Join(d.dir, "PID") + ")   # or wait until it ends"}, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	d.part("lock", partOK, "no process has the folder open")
	s, err := d.openStore(storeThere)
	if err == nil {
		err = d.readLog(ctx, logThere)
	}
	if err == nil {
		err = d.both(ctx, s, logThere)
	}
	if s != nil {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, lock.release())
}

// openStore opens the store for reading, nil where it cannot.
func (d *doctor) openStore(there bool) (*store.Store, error) {
	dir := filepath.Join(d.dir, "store")
	d.watched, d.differs = map[string]store.Position{}, map[string]dsl.Hash{}
	if !there {
		d.part("store", partMissing, "the next command that opens the memory makes it again from the log")
		return nil, nil
	}
	so := storeOptions(dir, d.cfg, true)
	so.Logger = d.log
	s, err := store.Open(so)
	var names []string
	if err == nil {
		names, err = s.Spaces()
	}
	for _, name := range names {
		h, herr := s.Head(name)
		err = errors.Join(err, herr)
		d.watched[name] = h
	}
	if err == nil {
		return s, nil
	}
	if s != nil {
		_ = s.Close() // what is wrong with it was said
	}
	d.part("store", partFaulty, "it cannot be opened")
	switch {
	case errors.Is(err, dsl.ErrUnsupportedFormat):
		d.fault("store", dir, []string{d.rebuild()}, "another version wrote it: %v", err)
	case errors.Is(err, dsl.ErrCorrupt):
		d.fault("store", dir, []string{d.rebuild()}, "its files are damaged: %v", err)
	default:
		d.fault("store", dir, []string{"see to what the system says, then run asof doctor again", d.rebuild()}, "%v", err)
	}
	return nil, nil
}

// readLog reads the whole log and checks the chain of each space.
func (d *doctor) readLog(ctx context.Context, there bool) error {
	dir := filepath.Join(d.dir, "log")
	d.logged = map[string]logHead{}
	if !there {
		d.part("log", partMissing, "%s is not there", dir)
		d.fault("log", dir, []string{d.fromBackup(), d.fromExport()}, "the log is gone; the store alone is no memory: the log is the truth that it is made from")
		return nil
	}
	o := ledger.Options{URL: d.cfg.Ledger.URL, Stream: d.cfg.Ledger.Stream, Logger: d.log}
	if o.URL == "" {
		o.Dir = dir
	}
	l, err := ledger.Open(ctx, o)
	if err != nil {
		d.logFault(dir, err)
		return ctx.Err()
	}
	messages, entries := 0, 0
	err = l.Read(ctx, 1, func(m ledger.Message) error {
		messages++
		for _, r := range m.Records {
			entries++
			d.entry(m.Seq, r)
		}
		d.last = m.Seq
		return nil
	})
	err = errors.Join(err, l.Close())
	if err != nil {
		d.logFault(dir, err)
		return ctx.Err()
	}
	state := partOK
	for _, f := range d.rep.Faults {
		if f.Part == "log" {
			state = partFaulty
		}
	}
	d.readable = true
	d.part("log", state, "%d messages, %d entries, %d spaces", messages, entries, len(d.logged))
	return nil
}

func (d *doctor) logFault(dir string, err error) {
	d.part("log", partFaulty, "it cannot be read to its end")
	switch {
	case errors.Is(err, ledger.ErrLocked):
		d.fault("log", dir, []string{"end the process that is named, then run asof doctor again"}, "%v", err)
	case errors.Is(err, ledger.ErrUnsupportedFormat), errors.Is(err, ledger.ErrMismatch):
		d.fault("log", dir, []string{"open it with the version or the configuration that made it, 'asof log --all-spaces > EXPORT' there, then " + d.fromExport()}, "%v", err)
	case errors.Is(err, ledger.ErrCorrupt), errors.Is(err, ledger.ErrGap):
		d.fault("log", dir, []string{d.fromBackup(), d.fromExport(), d.salvage()}, "it is damaged: %v", err)
	default:
		d.fault("log", dir, []string{"see to what the system says, then run asof doctor again"}, "%v", err)
	}
}

// entry checks one entry of the log against the one before it in its space.
func (d *doctor) entry(message uint64, r ledger.Record) {
	h := d.logged[r.Space]
	if h.dead {
		return
	}
	where := fmt.Sprintf("message %d, space %q #%d", message, r.Space, r.Seq)
	tx, err := decodeRecord(r)
	switch {
	case err != nil:
	case tx.Seq != h.seq+1:
		err = fmt.Errorf("%w: it follows %s", dsl.ErrCorrupt, h.seq)
	case tx.Prev != h.hash:
		err = fmt.Errorf("%w: it names %s as the entry before, which hashes to %s", dsl.ErrCorrupt, tx.Prev, h.hash)
	}
	if err != nil {
		d.fault("log", where, []string{d.fromBackup(), d.fromExport()}, "the chain is broken: %v", err)
		d.logged[r.Space] = logHead{h.seq, h.hash, true}
		return
	}
	h = logHead{seq: tx.Seq, hash: dsl.Sum(r.Data)}
	d.logged[r.Space] = h
	if at, ok := d.watched[r.Space]; ok && at.Seq == h.seq && at.Entry != h.hash {
		d.differs[r.Space] = h.hash
	}
}

// both holds the store against the log, then against itself.
func (d *doctor) both(ctx context.Context, s *store.Store, logThere bool) error {
	if s == nil {
		return nil
	}
	dir, before := filepath.Join(d.dir, "store"), len(d.rep.Faults)
	applied, err := s.Applied()
	if err != nil {
		d.fault("store", dir, []string{d.rebuild()}, "%v", err)
	}
	if logThere && d.readable {
		if applied > d.last {
			d.fault("store", dir, []string{d.fromBackup(), d.fromExport(), d.forget()},
				"the store is ahead of its log: it has applied message %d, the log ends at %d; the log was cut, or is another one", applied, d.last)
		}
		for _, name := range sortedKeys(d.watched) {
			at, in := d.watched[name], d.logged[name]
			switch hash, other := d.differs[name]; {
			case other:
				d.fault("store", fmt.Sprintf("space %q %s", name, at.Seq), []string{d.fromBackup(), d.fromExport(), d.forget()},
					"the log holds another entry there (%s) than the store applied (%s)", hash, at.Entry)
			case in.seq < at.Seq && !in.dead && applied <= d.last:
				d.fault("store", fmt.Sprintf("space %q %s", name, at.Seq), []string{d.fromBackup(), d.fromExport(), d.forget()},
					"the store is ahead of its log: there the space ends at %s", in.seq)
			}
		}
	}
	registry, err := buildRegistry(d.cfg)
	if err != nil {
		return err
	}
	rep, err := s.Check(ctx, "", store.CheckOptions{Functional: registry.Functional})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		d.fault("store", dir, []string{d.rebuild()}, "it cannot be read: %v", err)
	}
	for _, f := range rep.Faults {
		d.fault("store", fmt.Sprintf("space %q %s", f.Space, f.Position), []string{d.rebuild()}, "%s: %s", f.Kind, f.Message)
	}
	state := partOK
	if len(d.rep.Faults) > before {
		state = partFaulty
	}
	d.part("store", state, "%d spaces, %d rows, log message %d applied", len(d.watched), rep.Checked["rows"], applied)
	return nil
}
