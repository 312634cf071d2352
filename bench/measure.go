package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"
)

// percentiles gives p50, p95 and p99 in microseconds.
func percentiles(d []time.Duration) map[string]float64 {
	if len(d) == 0 {
		return nil
	}
	s := slices.Sorted(slices.Values(d))
	at := func(q float64) float64 {
		return float64(s[min(len(s)-1, int(q*float64(len(s))))].Nanoseconds()/100) / 10
	}
	return map[string]float64{"p50": at(.5), "p95": at(.95), "p99": at(.99)}
}

// cpuTime is the processor time of this process so far: on a shared machine it
// says more than the clock.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// settle waits until the process does nothing in the background any more, such
// as compacting what was just written, but not for ever.
func settle() {
	const pause = 200 * time.Millisecond
	for range 300 {
		before := cpuTime()
		time.Sleep(pause)
		if cpuTime()-before < pause/20 {
			return
		}
	}
}

// perOp is in microseconds.
func perOp(d time.Duration, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(d.Nanoseconds()/int64(n)/10) / 100
}

// syncCost is the median time of a 4 KiB append with fdatasync now, in
// microseconds: the floor under every durable write.
func syncCost(dir string) (float64, error) {
	f, err := os.CreateTemp(dir, "probe")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var d []time.Duration
	for range 200 {
		t0 := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return 0, err
		}
		if err := fdatasync(f); err != nil {
			return 0, err
		}
		d = append(d, time.Since(t0))
	}
	return percentiles(d)["p50"], nil
}

// resident is the memory of this process in bytes, 0 where it cannot be read.
func resident() int64 {
	runtime.GC()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(b)) {
		var kb int64
		if _, err := fmt.Sscanf(l, "VmRSS: %d kB", &kb); err == nil {
			return kb << 10
		}
	}
	return 0
}

func treeSize(dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if i, err := e.Info(); err == nil {
				n += i.Size()
			}
		}
		return nil
	})
	if err != nil {
		return 0
	}
	return n
}

// profiler writes a CPU profile of one phase of a run.
type profiler struct{ file, phase string }

var profile profiler

// during runs f, profiled if it is the phase that was asked for.
func (p profiler) during(phase string, f func() error) error {
	if p.file == "" || p.phase != phase {
		return f()
	}
	out, err := os.Create(p.file)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return errors.Join(err, out.Close())
	}
	err = f()
	pprof.StopCPUProfile()
	return errors.Join(err, out.Close())
}
