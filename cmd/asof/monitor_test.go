package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// fetch gives the status and the body of a page.
func fetch(t *testing.T, url string) (status int, body string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// TestMonitor asks for health and metrics while turns stream in, and finds the
// address free afterwards.
func TestMonitor(t *testing.T) {
	stdin, turns := io.Pipe()
	stderr, errOut := io.Pipe()
	ended := make(chan int)
	dir := t.TempDir()
	go func() {
		ended <- run(context.Background(), []string{"--dir", dir, "--log-level", "info", "--metrics", "127.0.0.1:0", "ingest", "-"},
			stdin, io.Discard, errOut, func(string) string { return "" })
		errOut.Close()
	}()
	addresses := make(chan string, 1)
	go func() {
		served := regexp.MustCompile(`metrics are served" address=(\S+)`)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if m := served.FindStringSubmatch(lines.Text()); m != nil {
				addresses <- m[1]
			}
		}
		close(addresses)
	}()
	address, ok := <-addresses
	if !ok {
		t.Fatal("no address was logged")
	}
	base := "http://" + address
	ready := func() bool {
		status, body := fetch(t, base+"/readyz")
		if status == http.StatusServiceUnavailable && !strings.Contains(body, "no memory is open") {
			t.Fatalf("/readyz: %d %q", status, body)
		}
		return status == http.StatusOK && body == "ready\n"
	}
	for deadline := time.Now().Add(30 * time.Second); !ready(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not get ready")
		}
	}
	if status, body := fetch(t, base+"/healthz"); status != http.StatusOK || body != "ok\n" {
		t.Errorf("/healthz: %d %q", status, body)
	}
	fmt.Fprintln(turns, `{"id":"t1","speaker":"Anna","ts":"2023-05-08T12:00:00Z","text":"I live in secret Boston."}`)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		status, body := fetch(t, base+"/metrics")
		if strings.Contains(body, "Boston") || strings.Contains(body, "Anna") {
			t.Fatal("a metric holds what a user wrote")
		}
		if status == http.StatusOK && strings.Contains(body, `asof_ingest_items_total{fate="new"} 1`) &&
			strings.Contains(body, `asof_extract_module_seconds_count{module="relation"} 1`) && strings.Contains(body, "go_goroutines") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("/metrics: %d without the turn:\n%s", status, body)
		}
	}
	for _, path := range []string{"/", "/metrics/", "/debug/pprof/"} {
		if status, _ := fetch(t, base+path); status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, status)
		}
	}
	turns.Close()
	if code := <-ended; code != 0 {
		t.Errorf("ingest ended with %d", code)
	}
	if _, err := http.Get(base + "/healthz"); err == nil {
		t.Error("it is still served after the command")
	}
}

// TestMonitorAddress refuses addresses that cannot be had.
func TestMonitorAddress(t *testing.T) {
	for _, address := range []string{"nowhere", "127.0.0.1:99999", "256.0.0.1:1"} {
		code, _, errOut := call("", "--dir", t.TempDir(), "--metrics", address, "ingest", "-")
		if code != 1 || !strings.Contains(errOut, "--metrics") || !strings.Contains(errOut, "127.0.0.1:9464") {
			t.Errorf("%s: exit %d, %q", address, code, errOut)
		}
	}
}
