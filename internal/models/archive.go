package models

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// unpack takes one file out of a package's archive, which is fetched where it is not there yet.
func (p *pulling) unpack(ctx context.Context, f File, s Source, at string) error {
	archive, fresh, err := p.archive(ctx, s)
	if err != nil {
		return err
	}
	err = p.extract(f, archive, at)
	if errors.Is(err, ErrArchive) && !fresh {
		// It was left by a pull that broke off: take a new one.
		if err := os.RemoveAll(filepath.Dir(archive)); err != nil {
			return err
		}
		delete(p.archives, s.String())
		if archive, _, err = p.archive(ctx, s); err != nil {
			return err
		}
		err = p.extract(f, archive, at)
	}
	return err
}

// archive returns the archive of a package, and whether it was fetched just now.
func (p *pulling) archive(ctx context.Context, s Source) (path string, fresh bool, err error) {
	if path := p.archives[s.String()]; path != "" {
		return path, true, nil
	}
	dir := p.work(strings.Map(func(r rune) rune {
		if strings.ContainsRune("/:@= ", r) {
			return '_'
		}
		return r
	}, s.String()))
	if path, err = only(dir); path == "" && err == nil {
		fresh = true
		if path, err = p.ask(ctx, s, dir); err != nil {
			return "", false, err
		}
	}
	if err == nil {
		p.archives[s.String()] = path
	}
	return path, fresh, err
}

// ask has the machine's package client download an archive into a folder.
func (p *pulling) ask(ctx context.Context, s Source, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	half := dir + ".half"
	if err := errors.Join(os.RemoveAll(half), os.MkdirAll(half, 0o755)); err != nil {
		return "", err
	}
	var err error
	for _, command := range s.commands(half) {
		p.note("running %s", strings.Join(command, " "))
		run := p.Command
		if run == nil {
			run = runCommand
		}
		if err = run(ctx, half, command); err == nil || !errors.Is(err, exec.ErrNotFound) {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w (a mirror is given by models.mirror, a folder by --from)", err)
	}
	path, err := only(half)
	if err != nil {
		return "", err
	}
	if path == "" {
		return "", errors.New("the client left no archive")
	}
	to := filepath.Join(dir, filepath.Base(path))
	return to, errors.Join(os.Rename(path, to), os.RemoveAll(half))
}

// only returns the one file of a folder; "" where there is none or no folder.
func only(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(entries) == 0:
		return "", nil
	case err != nil:
		return "", err
	case len(entries) > 1 || !entries[0].Type().IsRegular():
		return "", fmt.Errorf("%s should hold one archive, and holds %d entries", dir, len(entries))
	}
	return filepath.Join(dir, entries[0].Name()), nil
}

// commands are the ways to download a package's archive into a folder with a client, best first. None
// runs code of the package: pip takes wheels alone, without dependencies and without installing; npm
// runs no scripts; Maven copies.
func (s Source) commands(dir string) [][]string {
	switch {
	case s.Wheel != "":
		args := []string{"download", "--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--quiet", "--dest", dir}
		if s.Python != "" {
			args = append(args, "--implementation", "cp", "--python-version", s.Python, "--abi", "cp"+strings.ReplaceAll(s.Python, ".", ""))
		}
		for _, platform := range s.Platforms {
			args = append(args, "--platform", platform)
		}
		args = append(args, s.Wheel)
		var out [][]string
		for _, client := range [][]string{{"pip"}, {"pip3"}, {"python3", "-m", "pip"}} {
			out = append(out, append(client, args...))
		}
		return out
	case s.NPM != "":
		return [][]string{{"npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", dir, s.NPM}}
	}
	parts := strings.SplitN(s.Maven, ":", 4)
	artifact := strings.Join(parts[:3], ":") + ":jar"
	if len(parts) == 4 {
		artifact += ":" + parts[3]
	}
	return [][]string{{"mvn", "-q", "-B", "dependency:copy", "-Dartifact=" + artifact, "-DoutputDirectory=" + dir}}
}

// runCommand runs a client, whose words are shown if it fails.
func runCommand(ctx context.Context, dir string, command []string) error {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	const most = 2000
	if len(out) > most {
		out = out[len(out)-most:]
	}
	return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, strings.TrimSpace(string(out)))
}

// extract writes one member of an archive to the half file. An archive with a path that leaves it is
// refused as a whole, whichever member is wanted.
func (p *pulling) extract(f File, archive, at string) error {
	p.note("%s: taking it out of %s", f.Name, filepath.Base(archive))
	var err error
	if strings.HasSuffix(archive, ".tgz") || strings.HasSuffix(archive, ".tar.gz") {
		err = p.extractTar(f, archive, at)
	} else {
		err = p.extractZip(f, archive, at)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(archive), err)
	}
	return nil
}

func (p *pulling) extractZip(f File, archive, at string) (err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	var member *zip.File
	for _, m := range z.File {
		if !local(strings.TrimSuffix(m.Name, "/")) {
			return fmt.Errorf("%w: it names %q, which leaves it", ErrArchive, m.Name)
		}
		if m.Name == at {
			member = m
		}
	}
	if member == nil || !member.Mode().IsRegular() {
		return fmt.Errorf("%w: it has no file %s", ErrArchive, at)
	}
	in, err := member.Open()
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrArchive, at, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return p.fillOf(f, in)
}

func (p *pulling) extractTar(f File, archive, at string) (err error) {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	found := false
	for t := tar.NewReader(unzipped); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("%w: %w", ErrArchive, err)
		}
		if !local(strings.TrimSuffix(strings.TrimPrefix(h.Name, "./"), "/")) {
			return fmt.Errorf("%w: it names %q, which leaves it", ErrArchive, h.Name)
		}
		if h.Name == at && h.Typeflag == tar.TypeReg && !found {
			found = true
			if err := p.fillOf(f, t); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("%w: it has no file %s", ErrArchive, at)
	}
	return nil
}

// fillOf is fill for a member of an archive: what cannot be read is the archive's fault.
func (p *pulling) fillOf(f File, in io.Reader) error {
	err := p.fill(f, in)
	if err != nil && !errors.Is(err, ErrHash) && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	return err
}
