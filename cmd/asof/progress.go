package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows on standard error how far a command is, if that is a terminal.
type progress struct {
	bar *progressbar.ProgressBar
}

// progress makes one for size bytes; -1 is an unknown number.
func (a *app) progress(what string, size int64) *progress {
	f, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return &progress{progressbar.NewOptions64(size, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())}
}

// reader counts what is read through it. A bar that cannot be drawn is no reason
// to stop reading.
func (p *progress) reader(r io.Reader) io.Reader {
	if p.bar == nil {
		return r
	}
	return io.TeeReader(r, barWriter{p.bar})
}

// barWriter moves a bar by what is written.
type barWriter struct{ bar *progressbar.ProgressBar }

func (w barWriter) Write(b []byte) (int, error) {
	_ = w.bar.Add(len(b))
	return len(b), nil
}

// of shows how many are done of how many, in place of bytes. It may be called by
// several goroutines.
func (p *progress) of(done, total int) {
	if p.bar != nil {
		p.bar.ChangeMax(total)
		_ = p.bar.Set(done)
	}
}

// finish takes the bar away.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
