package eval

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// folder writes a set of files that appear under their names together, at
// publish, so that a run which fails leaves an older one as it was.
type folder struct {
	dir   string
	files []*outFile
}

// outFile is one file being written and hashed. A failed write sticks in the
// buffer and comes back at seal, so writers need not look at every line.
type outFile struct {
	*bufio.Writer
	name   string
	f      *os.File
	sum    hash.Hash
	sealed bool
}

func newFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("eval: make the output folder: %w", err)
	}
	return &folder{dir: dir}, nil
}

// create starts a file under a temporary name; a name may have folders in it,
// separated by slashes.
func (d *folder) create(name string) (*outFile, error) {
	if err := os.MkdirAll(filepath.Dir(d.temporary(name)), 0o777); err != nil {
		return nil, fmt.Errorf("eval: write %s: %w", name, err)
	}
	f, err := os.Create(d.temporary(name))
	if err != nil {
		return nil, fmt.Errorf("eval: write %s: %w", name, err)
	}
	o := &outFile{name: name, f: f, sum: sha256.New()}
	o.Writer = bufio.NewWriterSize(io.MultiWriter(f, o.sum), 64<<10)
	d.files = append(d.files, o)
	return o, nil
}

func (d *folder) temporary(name string) string {
	path := d.path(name)
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
}

func (d *folder) path(name string) string { return filepath.Join(d.dir, filepath.FromSlash(name)) }

// seal ends a file and gives the SHA-256 of its bytes in hex.
func (o *outFile) seal() (string, error) {
	if !o.sealed {
		o.sealed = true
		if err := errors.Join(o.Flush(), o.f.Sync(), o.f.Close()); err != nil {
			return "", fmt.Errorf("eval: write %s: %w", o.name, err)
		}
	}
	return hex.EncodeToString(o.sum.Sum(nil)), nil
}

// publish gives every file its name, in the order they were created.
func (d *folder) publish() error {
	for _, o := range d.files {
		if _, err := o.seal(); err != nil {
			return err
		}
	}
	for len(d.files) > 0 {
		name := d.files[0].name
		if err := os.Rename(d.temporary(name), d.path(name)); err != nil {
			return fmt.Errorf("eval: write %s: %w", name, err)
		}
		d.files = d.files[1:]
	}
	return nil
}

// discard removes what was not published.
func (d *folder) discard() {
	for _, o := range d.files {
		if !o.sealed {
			o.sealed = true
			o.f.Close()
		}
		os.Remove(d.temporary(o.name))
	}
	d.files = nil
}
