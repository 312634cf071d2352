package eval

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/asof-db/asof/dsl"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the memory that a zstd frame may ask for, in bytes. It is
// what the zstd tool itself accepts without being told otherwise.
const maxWindow = 128 << 20

// Data is an open data file, read as its unpacked text. It also counts and
// hashes the file's own bytes, so that a manifest can name exactly what was
// measured. Data is not safe for concurrent use.
type Data struct {
	name   string
	packed string // "gzip" or "zstd"; empty for a plain file
	raw    *tally
	buf    *bufio.Reader
	text   io.Reader
	close  func() error
}

// DataInfo names the bytes of a data file.
type DataInfo struct {
	// Name is the file's name without folders.
	Name string `json:"name"`
	// Bytes is the size of the file as it lies on disk, compressed or not.
	Bytes int64 `json:"bytes"`
	// SHA256 is the hash of the file as it lies on disk, in lower-case hex: what
	// sha256sum prints.
	SHA256 string `json:"sha256"`
}

// OpenData opens a data file that is plain, gzip or zstd. The content decides
// which, so a wrong or missing extension does no harm. The caller closes it.
func OpenData(path string) (*Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("eval: open data: %w", err)
	}
	d, err := NewData(f, path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	unpack := d.close
	d.close = func() error { return errors.Join(unpack(), f.Close()) }
	return d, nil
}

// NewData reads a data file from a stream, such as standard input. The name
// serves messages and DataInfo only. The caller closes the Data, and the stream
// after it.
func NewData(r io.Reader, name string) (*Data, error) {
	raw := &tally{r: r, sum: sha256.New()}
	d := &Data{name: name, raw: raw, buf: bufio.NewReaderSize(raw, 64<<10), close: func() error { return nil }}
	d.text = d.buf
	// A file shorter than the longest mark is judged by what it has; a reading
	// error comes back at the first Read.
	head, _ := d.buf.Peek(6)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(d.buf)
		if err != nil {
			return nil, fmt.Errorf("eval: %s: %w", name, d.unpackFault("gzip", err))
		}
		d.packed, d.text, d.close = "gzip", z, z.Close
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}), isSkippable(head):
		// One decoder goroutine less: concurrency 1 decodes in the caller's.
		z, err := zstd.NewReader(d.buf, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("eval: %s: %w", name, d.unpackFault("zstd", err))
		}
		d.packed, d.text = "zstd", z
		d.close = func() error { z.Close(); return nil }
	default:
		for _, other := range []struct{ mark, name string }{
			{"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"PK\x03\x04", "zip"},
		} {
			if bytes.HasPrefix(head, []byte(other.mark)) {
				return nil, fmt.Errorf("eval: %s: %w: this is %s data; unpack it, or pack it with gzip or zstd", name, dsl.ErrInvalid, other.name)
			}
		}
	}
	return d, nil
}

// isSkippable tells whether a zstd skippable frame starts here; parallel
// packers put one before the data.
func isSkippable(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18})
}

// Read gives the unpacked text. Damaged or cut compressed data is an error that
// wraps dsl.ErrInvalid; a failing disk is an error that does not.
func (d *Data) Read(p []byte) (int, error) {
	n, err := d.text.Read(p)
	if err != nil && err != io.EOF {
		err = d.unpackFault(d.packed, err)
	}
	return n, err
}

func (d *Data) unpackFault(packed string, err error) error {
	if d.raw.err != nil {
		return d.raw.err
	}
	return fmt.Errorf("%w: %s data is damaged or cut short at or before byte %d of the file: %w", dsl.ErrInvalid, packed, d.raw.n, err)
}

// Name is the name that the data was opened under.
func (d *Data) Name() string { return d.name }

// Info reads what is left of the file, so that the hash covers all of it, and
// names its bytes. Call it after the last Read of interest.
func (d *Data) Info() (DataInfo, error) {
	if _, err := io.Copy(io.Discard, d.buf); err != nil {
		return DataInfo{}, fmt.Errorf("eval: hash %s: %w", d.name, err)
	}
	return DataInfo{Name: filepath.Base(d.name), Bytes: d.raw.n, SHA256: hex.EncodeToString(d.raw.sum.Sum(nil))}, nil
}

// Close frees the decompressor and closes the file that OpenData opened. It may
// be called again.
func (d *Data) Close() error {
	c := d.close
	d.close = func() error { return nil }
	if err := c(); err != nil {
		return fmt.Errorf("eval: close %s: %w", d.name, err)
	}
	return nil
}

// tally counts and hashes what passes through, and keeps the reading error so
// that it can be told from a decompressor's.
type tally struct {
	r   io.Reader
	sum hash.Hash
	n   int64
	err error
}

func (t *tally) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.n += int64(n)
	t.sum.Write(p[:n])
	if err != nil && err != io.EOF {
		t.err = err
	}
	return n, err
}
