package asof_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

func backup(t *testing.T, db *asof.DB, dir string, incremental bool) asof.BackupReport {
	t.Helper()
	r, err := db.Backup(ctx, dir, asof.BackupOptions{Incremental: incremental})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func restore(t *testing.T, o asof.RestoreOptions) asof.RestoreReport {
	t.Helper()
	r, err := asof.Restore(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// heads tells where the spaces of a backup stood, without what follows.
func wantHeads(t *testing.T, db *asof.DB, heads []asof.BackupHead) {
	t.Helper()
	for _, h := range heads {
		got, err := db.Head(h.Space)
		if err != nil || got.Seq != h.Position || got.Digest != h.Digest {
			t.Errorf("space %s is at %s %s, the backup says %s %s (%v)", h.Space, got.Seq, got.Digest, h.Position, h.Digest, err)
		}
	}
}

// TestBackupWhileWriting makes a first backup and increments while a writer
// runs, and restores each of them: with the checkpoint and without.
func TestBackupWhileWriting(t *testing.T) {
	db := openAt(t, t.TempDir())
	items := append(talk("a", 150, 1), talk("b", 150, 2)...)
	var writer sync.WaitGroup
	steps := make(chan struct{})
	writer.Go(func() {
		for i := 0; i < len(items); i += 5 {
			if i%100 == 50 {
				<-steps // a backup begins about now
			}
			if _, err := db.Ingest(ctx, items[i:min(i+5, len(items))]); err != nil {
				t.Error(err)
			}
		}
	})
	dir := filepath.Join(t.TempDir(), "backup")
	last := uint64(0)
	for round := range 3 {
		steps <- struct{}{}
		r := backup(t, db, dir, true)
		if r.Incremental != (round > 0) || r.From != last+1 {
			t.Errorf("round %d: %+v, the last one ended at %d", round, r, last)
		}
		last = r.To
		for _, rebuild := range []bool{false, true} {
			if testing.Short() && rebuild != (round == 1) {
				continue
			}
			to := filepath.Join(t.TempDir(), "restored")
			rep := restore(t, asof.RestoreOptions{From: dir, To: to, Rebuild: rebuild})
			if want := map[bool]string{false: "checkpoint", true: "rebuilt"}[rebuild]; rep.Store != want || rep.Messages != r.To || rep.Why != "" {
				t.Errorf("round %d: %+v, want the store %s", round, rep, want)
			}
			again := openAt(t, to)
			wantHeads(t, again, r.Heads)
			if a, err := again.Audit(ctx, ""); err != nil || !a.OK() {
				t.Errorf("round %d: audit of what was restored: %+v, %v", round, a, err)
			}
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	writer.Wait()
	r := backup(t, db, dir, true)
	if r.Heads[0].Position != 150 || r.Heads[1].Position != 150 {
		t.Errorf("at the end: %+v", r)
	}
	if r := backup(t, db, dir, true); r.To != r.From-1 || r.Entries != 0 {
		t.Errorf("nothing new: %+v", r)
	}
	to := filepath.Join(t.TempDir(), "restored")
	restore(t, asof.RestoreOptions{From: dir, To: to})
	again := openAt(t, to)
	for _, space := range []string{"a", "b"} {
		q := "Where does Ana live?"
		if want, got := answers(t, db, space, asof.At{}, q), answers(t, again, space, asof.At{}, q); want != got {
			t.Errorf("space %s answers otherwise after the restore", space)
		}
	}
	more := talk("c", 10, 3)
	ingest(t, again, more) // it goes on
}

// TestBackupKeepsWhatWaits backs up an item that waits in the intake.
func TestBackupKeepsWhatWaits(t *testing.T) {
	db := openAt(t, t.TempDir())
	ingest(t, db, talk("a", 5, 1))
	line := `{"space":"w","id":"t1","speaker":"Ana","ts":"2024-01-01T00:00:00Z","text":"I live in Oslo."}`
	if err := db.Submit(ctx, asof.FormatTurns, []byte(line), asof.ParseOptions{}); err != nil {
		t.Fatal(err)
	}
	dir, to := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "restored")
	if r := backup(t, db, dir, false); r.Waiting != 1 {
		t.Errorf("%+v", r)
	}
	if r := restore(t, asof.RestoreOptions{From: dir, To: to}); r.Waiting != 1 {
		t.Errorf("%+v", r)
	}
	again := openAt(t, to)
	if h, err := again.Head("w"); err != nil || h.Seq != 1 {
		t.Errorf("what waited is at %s, %v", h.Seq, err)
	}
}

// TestBackupRefuses shows what a backup does not do.
func TestBackupRefuses(t *testing.T) {
	db, other := openAt(t, t.TempDir()), openAt(t, t.TempDir())
	ingest(t, db, talk("a", 8, 1))
	ingest(t, other, talk("a", 8, 2))
	dir := filepath.Join(t.TempDir(), "backup")
	backup(t, db, dir, false)
	if _, err := db.Backup(ctx, dir, asof.BackupOptions{}); !errors.Is(err, asof.ErrNotEmpty) || !strings.Contains(err.Error(), "--incremental") {
		t.Errorf("a second first backup: %v", err)
	}
	if _, err := other.Backup(ctx, dir, asof.BackupOptions{Incremental: true}); !errors.Is(err, asof.ErrOtherLog) {
		t.Errorf("an increment of another log: %v", err)
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Backup(ctx, full, asof.BackupOptions{Incremental: true}); !errors.Is(err, asof.ErrNotEmpty) {
		t.Errorf("a backup into a folder that holds something else: %v", err)
	}
	if _, err := asof.Restore(ctx, asof.RestoreOptions{From: dir, To: full}); !errors.Is(err, asof.ErrNotEmpty) {
		t.Errorf("a restore over something: %v", err)
	}
	if _, err := asof.Restore(ctx, asof.RestoreOptions{From: full, To: filepath.Join(t.TempDir(), "x")}); !errors.Is(err, dsl.ErrCorrupt) {
		t.Errorf("a restore of no backup: %v", err)
	}
	// The refused increment has changed nothing.
	restore(t, asof.RestoreOptions{From: dir, To: filepath.Join(t.TempDir(), "restored")})
}

// TestRestoreDamaged flips a byte in, cuts and removes each file of a backup of
// two rounds: the restore names it and leaves nothing behind.
func TestRestoreDamaged(t *testing.T) {
	db := openAt(t, t.TempDir())
	dir := filepath.Join(t.TempDir(), "backup")
	ingest(t, db, talk("a", 20, 1))
	backup(t, db, dir, false)
	ingest(t, db, talk("b", 20, 2))
	backup(t, db, dir, true)
	var files []string
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(files) < 8 {
		t.Fatalf("the backup has the files %v", files)
	}
	for _, path := range files {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damages := map[string]func() error{"missing": func() error { return os.Remove(path) }}
		if len(whole) > 0 {
			damages["flipped"] = func() error {
				b := append([]byte{}, whole...)
				b[len(b)/2] ^= 4
				return os.WriteFile(path, b, 0o644)
			}
			damages["cut"] = func() error { return os.WriteFile(path, whole[:len(whole)-1], 0o644) }
		}
		for how, damage := range damages {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			parent := t.TempDir()
			_, err := asof.Restore(ctx, asof.RestoreOptions{From: dir, To: filepath.Join(parent, "restored")})
			rel, _ := filepath.Rel(dir, path)
			last := how == "cut" && rel == "BACKUP" // its newline
			if !last && (!errors.Is(err, dsl.ErrCorrupt) || !strings.Contains(err.Error(), filepath.ToSlash(rel))) {
				t.Errorf("%s %s: %v", rel, how, err)
			}
			if left, err := os.ReadDir(parent); !last && (err != nil || len(left) != 0) {
				t.Errorf("%s %s: %d things are left behind, %v", rel, how, len(left), err)
			}
			if err := os.WriteFile(path, whole, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	restore(t, asof.RestoreOptions{From: dir, To: filepath.Join(t.TempDir(), "restored")})
}
