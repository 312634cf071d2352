package models

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile bounds the size of any file: 64 GiB.
const maxFile = 64 << 30

// pinsFile holds the hashes that were trusted on first use.
const pinsFile = "pins.json"

// State is what is known of a file on disk.
type State string

// The states. An unpinned file is there and neither the registry nor a pull on trust knows its hash.
const (
	OK       State = "ok"
	Absent   State = "absent"
	Corrupt  State = "corrupt"
	Unpinned State = "unpinned"
)

// FileState is a file and how it is.
type FileState struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// Want and Have are the SHA-256 that it should have and the one that it has, where it was hashed.
	Want string `json:"want"`
	Have string `json:"have,omitempty"`
}

// Verify hashes the installed files of a model.
func Verify(dir string, m Model) ([]FileState, error) {
	pins, err := readPins(dir, m)
	if err != nil {
		return nil, err
	}
	out := make([]FileState, 0, len(m.Files))
	for _, f := range m.Files {
		s := FileState{Name: f.Name, Want: wanted(f, pins)}
		s.Have, _, err = hashFile(filepath.Join(dir, m.Name, filepath.FromSlash(f.Name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.State = Absent
		case err != nil:
			return nil, fmt.Errorf("models: verify %s: %w", m.Name, err)
		case s.Want == Unknown:
			s.State = Unpinned
		case s.Have == s.Want:
			s.State = OK
		default:
			s.State = Corrupt
		}
		out = append(out, s)
	}
	return out, nil
}

// Installed tells whether all files of a model are there. It hashes none.
func Installed(dir string, m Model) bool {
	for _, f := range m.Files {
		info, err := os.Stat(filepath.Join(dir, m.Name, filepath.FromSlash(f.Name)))
		if err != nil || !info.Mode().IsRegular() || f.Size > 0 && info.Size() != f.Size {
			return false
		}
	}
	return true
}

// Begun tells whether some file of a model is in its place.
func Begun(dir string, m Model) bool {
	for _, f := range m.Files {
		if _, err := os.Stat(filepath.Join(dir, m.Name, filepath.FromSlash(f.Name))); err == nil {
			return true
		}
	}
	return false
}

// wanted is the hash that a file should have: the registry's, else one that was trusted.
func wanted(f File, pins map[string]string) string {
	if f.SHA256 == Unknown && pins[f.Name] != "" {
		return pins[f.Name]
	}
	return f.SHA256
}

// readPins reads the hashes that were trusted for a model.
func readPins(dir string, m Model) (map[string]string, error) {
	path := filepath.Join(dir, m.Name, pinsFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	pins := map[string]string{}
	if err == nil {
		err = json.Unmarshal(b, &pins)
	}
	if err != nil {
		return nil, fmt.Errorf("models: the trusted hashes of %s, %s: %w", m.Name, path, err)
	}
	return pins, nil
}

func writePins(dir string, m Model, pins map[string]string) error {
	b, err := json.MarshalIndent(pins, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, m.Name, pinsFile)
	if err := os.WriteFile(path+".part", append(b, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// hashFile returns a file's SHA-256 and size.
func hashFile(path string) (hash string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}
