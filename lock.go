package asof

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// ErrInUse says that another process has the folder open.
var ErrInUse = errors.New("the folder is in use")

// folderLock is held by the one process that has a folder open. The file names
// its pid, so that a second process can say whom it waits for.
type folderLock struct {
	lock *flock.Flock
	pid  string
}

func lockFolder(dir string) (*folderLock, error) {
	l := &folderLock{lock: flock.New(filepath.Join(dir, "LOCK")), pid: filepath.Join(dir, "PID")}
	ok, err := l.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("asof: lock %s: %w", dir, err)
	}
	if !ok {
		who := "another process"
		if b, err := os.ReadFile(l.pid); err == nil {
			who = "process " + strings.TrimSpace(string(b))
		}
		return nil, fmt.Errorf("asof: open %s: %w by %s; wait until it ends, or use another --dir", dir, ErrInUse, who)
	}
	if err := os.WriteFile(l.pid, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("asof: lock %s: %w", dir, err), l.lock.Unlock())
	}
	return l, nil
}

// release gives the folder back; a nil lock holds none.
func (l *folderLock) release() error {
	if l == nil {
		return nil
	}
	return l.lock.Unlock()
}
