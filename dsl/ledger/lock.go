package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// lockName is the lock file in the log's folder. The operating system holds the lock for a living process, so one that
// was killed leaves nothing to clean up; the pid in it is only for the error message.
const lockName = "LOCK"

type folderLock struct{ fl *flock.Flock }

// lockFolder takes the folder for this ledger, or says at once who has it.
func lockFolder(dir string) (*folderLock, error) {
	path := filepath.Join(dir, lockName)
	fl := flock.New(path)
	ok, err := fl.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		who := "another process"
		if b, err := os.ReadFile(path); err == nil {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
				who = "process " + strconv.Itoa(pid)
			}
		}
		return nil, fmt.Errorf("%w: %s has %s open; stop it, or use another folder", ErrLocked, who, dir)
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o640); err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &folderLock{fl: fl}, nil
}

func (l *folderLock) release() error {
	if err := l.fl.Unlock(); err != nil {
		return fmt.Errorf("unlock %s: %w", l.fl.Path(), err)
	}
	return nil
}
