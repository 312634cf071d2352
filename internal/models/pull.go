package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// Puller fetches models into a folder.
type Puller struct {
	// Dir is the folder of models. It is made where it is not there.
	Dir string
	// Folders are looked through first: FOLDER/MODEL/FILE and FOLDER/FILE.
	Folders []string
	// Mirror is an address or a folder that holds MIRROR/MODEL/FILE; empty is none.
	Mirror string
	// Hub is the address of a hub that serves HUB/OWNER/NAME/resolve/REVISION/FILE; empty is none.
	Hub string
	// Trust takes files whose hash is unknown, and writes the hash down.
	Trust bool
	// HTTP fetches; nil is http.DefaultClient.
	HTTP *http.Client
	// Command runs a package client in a folder; nil runs it on this machine.
	Command func(ctx context.Context, dir string, command []string) error
	// Note is told what is done, a line at a time; nil is none.
	Note func(line string)
}

// pulling is one pull of one model.
type pulling struct {
	*Puller
	m        Model
	pins     map[string]string
	archives map[string]string // The archive of each package source that was fetched.
}

// Pull makes all files of a model be there, and right: it fetches those that are not. It returns how
// they are. A file that no source gives, or that every source gives with another hash, is an error.
func (p *Puller) Pull(ctx context.Context, m Model) (states []FileState, err error) {
	if err := os.MkdirAll(filepath.Join(p.Dir, m.Name), 0o755); err != nil {
		return nil, fmt.Errorf("models: pull %s: %w", m.Name, err)
	}
	lock := flock.New(filepath.Join(p.Dir, ".lock"))
	free, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("models: pull %s: %w", m.Name, err)
	}
	if !free {
		return nil, fmt.Errorf("models: pull %s: another pull is at work in %s", m.Name, p.Dir)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	pins, err := readPins(p.Dir, m)
	if err != nil {
		return nil, err
	}
	run := &pulling{Puller: p, m: m, pins: pins, archives: map[string]string{}}
	if err := run.all(ctx); err != nil {
		return nil, fmt.Errorf("models: pull %s: %w", m.Name, err)
	}
	return Verify(p.Dir, m)
}

func (p *pulling) all(ctx context.Context) error {
	states, err := Verify(p.Dir, p.m)
	if err != nil {
		return err
	}
	for i, f := range p.m.Files {
		switch s := states[i]; s.State {
		case OK:
			p.note("%s: there already", f.Name)
			continue
		case Unpinned:
			if err := p.trust(f, s.Have); err != nil {
				return err
			}
			continue
		case Corrupt:
			p.note("%s: SHA-256 is %s and should be %s: fetching it again", f.Name, s.Have, s.Want)
		}
		if f.Made != "" {
			err = p.make(f)
		} else {
			err = p.fetch(ctx, f)
		}
		if err != nil {
			return err
		}
		p.note("%s: done", f.Name)
	}
	// Half files and archives are of use to nobody once all is there.
	return errors.Join(os.RemoveAll(p.part("")), os.RemoveAll(p.work("")))
}

func (p *Puller) note(format string, args ...any) {
	if p.Note != nil {
		p.Note(fmt.Sprintf(format, args...))
	}
}

// at is where a file of the model lies, part where it lies until it is right, and work where the
// archives of its packages lie.
func (p *pulling) at(name string) string {
	return filepath.Join(p.Dir, p.m.Name, filepath.FromSlash(name))
}

func (p *pulling) part(name string) string {
	return filepath.Join(p.Dir, p.m.Name, ".part", strings.ReplaceAll(name, "/", "__"))
}

func (p *pulling) work(name string) string {
	return filepath.Join(p.Dir, p.m.Name, ".fetch", name)
}

// make makes a file of others.
func (p *pulling) make(f File) error {
	var of [][]byte
	for _, name := range f.Of {
		b, err := os.ReadFile(p.at(name))
		if err != nil {
			return err
		}
		of = append(of, b)
	}
	p.note("%s: making it of %s", f.Name, strings.Join(f.Of, " and "))
	out, err := p.create(f)
	if err != nil {
		return err
	}
	if err := errors.Join(conversions[f.Made](out, of), out.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return p.place(f)
}

// create makes the half file anew.
func (p *pulling) create(f File) (*os.File, error) {
	path := p.part(f.Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.Create(path)
}

// place checks the half file and renames it into its place. A wrong one is deleted.
func (p *pulling) place(f File) error {
	part := p.part(f.Name)
	have, _, err := hashFile(part)
	if err != nil {
		return err
	}
	want := wanted(f, p.pins)
	switch {
	case want == Unknown:
		if err := p.trust(f, have); err != nil {
			return err // The half file stays: who trusts it need not fetch it again.
		}
	case have != want:
		return errors.Join(fmt.Errorf("%w: %s has SHA-256 %s, and should have %s", ErrHash, f.Name, have, want), os.Remove(part))
	}
	at := p.at(f.Name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return err
	}
	return os.Rename(part, at)
}

// syncFile brings a file to the disk, so that its name never stands for less than it.
func syncFile(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.Sync()
}

// trust writes a hash down that the registry does not know, if that was asked for.
func (p *pulling) trust(f File, have string) error {
	if !p.Trust {
		return fmt.Errorf("%w: %s was found with SHA-256 %s, which this program cannot check: compare it with a source that you trust, then pull with --trust-on-first-use", ErrUntrusted, f.Name, have)
	}
	p.pins[f.Name] = have
	p.note("%s: SHA-256 %s, trusted from now on", f.Name, have)
	return writePins(p.Dir, p.m, p.pins)
}

// fetch tries the places that a file may come from until one has it.
func (p *pulling) fetch(ctx context.Context, f File) error {
	var errs []error
	for _, place := range p.places(f) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		err := place.get(ctx)
		if err == nil {
			err = p.place(f)
		}
		if err == nil || errors.Is(err, ErrUntrusted) {
			return err
		}
		if !place.optional || !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("from %s: %w", place.name, err))
		}
	}
	if len(errs) == 0 {
		errs = append(errs, ErrNoSource)
	}
	return fmt.Errorf("%s: %w", f.Name, errors.Join(errs...))
}

// place is one place that a file may come from; get leaves it as the half file.
type place struct {
	name     string
	optional bool // That it is not there is no error.
	get      func(ctx context.Context) error
}

// places lists where a file may come from, in the order in which they are tried.
func (p *pulling) places(f File) []place {
	var out []place
	copied := func(path string, optional bool) {
		out = append(out, place{path, optional, func(context.Context) error { return p.copyFile(f, path) }})
	}
	for _, folder := range p.Folders {
		copied(filepath.Join(folder, p.m.Name, filepath.FromSlash(f.Name)), true)
		copied(filepath.Join(folder, filepath.FromSlash(f.Name)), true)
	}
	switch {
	case isAddress(p.Mirror):
		out = append(out, place{"the mirror", false, func(ctx context.Context) error {
			return p.download(ctx, f, join(p.Mirror, p.m.Name, f.Name))
		}})
	case p.Mirror != "":
		copied(filepath.Join(p.Mirror, p.m.Name, filepath.FromSlash(f.Name)), false)
	}
	for _, s := range p.m.Sources {
		at, ok := s.Files[f.Name]
		if !ok {
			continue
		}
		switch {
		case s.Folder != "":
			for _, folder := range p.Folders {
				copied(filepath.Join(folder, s.Folder, filepath.FromSlash(at)), true)
			}
			out = append(out, place{s.String(), false, func(context.Context) error {
				return fmt.Errorf("%w: it lies in a folder %s: give the folder that holds it with --from", ErrNoSource, s.Folder)
			}})
		case s.Hub != "":
			out = append(out, place{s.String(), false, func(ctx context.Context) error {
				if p.Hub == "" {
					return fmt.Errorf("%w: the address of a hub is not configured: models.hub, or --hub", ErrNoSource)
				}
				return p.download(ctx, f, join(p.Hub, s.Hub, "resolve", s.Revision, at))
			}})
		default:
			out = append(out, place{s.String(), false, func(ctx context.Context) error { return p.unpack(ctx, f, s, at) }})
		}
	}
	return out
}

// copyFile copies a file of this machine to the half file.
func (p *pulling) copyFile(f File, path string) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if info, err := in.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file: %w", path, fs.ErrNotExist)
	}
	p.note("%s: copying it from %s", f.Name, path)
	return p.fill(f, in)
}

// fill writes the half file from a reader, and no more than its size.
func (p *pulling) fill(f File, in io.Reader) error {
	out, err := p.create(f)
	if err != nil {
		return err
	}
	_, err = copyAtMost(out, in, f, 0)
	return errors.Join(err, out.Close())
}

// copyAtMost copies a file that may have its known size and no more, of which had bytes are there.
func copyAtMost(out io.Writer, in io.Reader, f File, had int64) (int64, error) {
	limit := int64(maxFile)
	if f.Size > 0 {
		limit = f.Size
	}
	n, err := io.Copy(out, io.LimitReader(in, limit-had+1))
	if err == nil && had+n > limit {
		err = fmt.Errorf("%w: %s goes on beyond the %d bytes that it should have", ErrHash, f.Name, limit)
	}
	return n, err
}
