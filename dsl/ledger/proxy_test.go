package ledger_test

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy passes TCP connections on to a broker; while mute is set it holds back what the broker answers.
type proxy struct {
	addr string
	mute atomic.Bool
	open chan struct{}
	once sync.Once
}

// release lets answers through again, those held back first.
func (p *proxy) release() {
	p.once.Do(func() {
		p.mute.Store(false)
		close(p.open)
	})
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: ln.Addr().String(), open: make(chan struct{})}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	wg.Go(func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			mu.Lock()
			conns = append(conns, in, out)
			mu.Unlock()
			wg.Go(func() { io.Copy(out, in); out.Close() }) //nolint:errcheck // it ends with its connection
			wg.Go(func() { p.answers(in, out); in.Close() })
		}
	})
	t.Cleanup(func() {
		p.release()
		ln.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return p
}

func (p *proxy) answers(in, out net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := out.Read(buf)
		if err != nil {
			return
		}
		if p.mute.Load() {
			<-p.open
		}
		if _, err := in.Write(buf[:n]); err != nil {
			return
		}
	}
}
