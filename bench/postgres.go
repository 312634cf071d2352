package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// postgres is a server of our own in a scratch folder, or the one that PGHOST
// names.
type postgres struct {
	env  []string
	dir  string
	as   string // the user it runs as, "" for this one
	bins string
}

// startPostgres makes and starts a server that listens to this machine alone:
// shared_buffers 512 MB, everything else as it comes, fsync and
// synchronous_commit on.
func startPostgres(work string) (*postgres, error) {
	if os.Getenv("PGHOST") != "" {
		return &postgres{}, nil
	}
	bins, err := postgresBins()
	if err != nil {
		return nil, err
	}
	p := &postgres{dir: filepath.Join(work, "pg"), bins: bins, env: []string{"PGHOST=127.0.0.1", "PGPORT=54329", "PGUSER=asof", "PGDATABASE=postgres"}}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 { // the server refuses to run as root
		for _, name := range []string{"postgres", "nobody"} {
			if u, err := user.Lookup(name); err == nil {
				uid, uerr := strconv.Atoi(u.Uid)
				gid, gerr := strconv.Atoi(u.Gid)
				if err := errors.Join(uerr, gerr, os.Chown(p.dir, uid, gid), os.Chmod(work, 0o755)); err != nil {
					return nil, err
				}
				p.as = name
				break
			}
		}
	}
	data := filepath.Join(p.dir, "data")
	if err := p.command("initdb", "-D", data, "-U", "asof", "-A", "trust", "--locale=C", "-E", "UTF8"); err != nil {
		return nil, err
	}
	options := "-c listen_addresses=127.0.0.1 -c port=54329 -c shared_buffers=512MB -c unix_socket_directories="
	if err := p.command("pg_ctl", "-D", data, "-w", "-l", filepath.Join(p.dir, "log"), "-o", options, "start"); err != nil {
		return nil, err
	}
	return p, nil
}

func postgresBins() (string, error) {
	if found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); err == nil && len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", fmt.Errorf("initdb is not there (apt-get install -y postgresql): %w", err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	return filepath.Dir(path), nil
}

// command runs a program of the server as its user.
func (p *postgres) command(name string, args ...string) error {
	args = append([]string{filepath.Join(p.bins, name)}, args...)
	if p.as != "" {
		args = append([]string{"runuser", "-u", p.as, "--"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = p.dir
	log, err := os.CreateTemp("", "asof-pg-") // a pipe would wait for the server's end
	if err != nil {
		return err
	}
	defer os.Remove(log.Name())
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(said))
	}
	return nil
}

func (p *postgres) stop() {
	if p.dir == "" {
		return
	}
	if err := p.command("pg_ctl", "-D", filepath.Join(p.dir, "data"), "-m", "immediate", "-w", "stop"); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

// gistTable is the table of the GiST peer with its exclusion constraint, and
// insertOne a durable transaction of one version.
const (
	gistTable = `CREATE EXTENSION IF NOT EXISTS btree_gist; DROP TABLE IF EXISTS fact;
CREATE TABLE fact (seq bigserial PRIMARY KEY, src text, rel text, dst text, valid tstzrange, recorded tstzrange,
EXCLUDE USING gist (src WITH =, rel WITH =, valid WITH &&, recorded WITH &&));`
	insertOne = `\set day random(1, 1000000000)
INSERT INTO fact (src, rel, dst, valid, recorded) VALUES ('e' || (:day % 1000), 'r' || (:day % 10), 'v' || (:day % 5000),
 tstzrange(to_timestamp(:day), to_timestamp(:day) + interval '1 second'), tstzrange(now(), NULL)) ON CONFLICT DO NOTHING;
`
)

// concurrent has 16 clients of pgbench insert one version a transaction.
func (p *postgres) concurrent(dir string) (result, error) {
	script := filepath.Join(dir, "insert.sql")
	if err := os.WriteFile(script, []byte(insertOne), 0o666); err != nil {
		return nil, err
	}
	sync, err := syncCost(dir)
	if err != nil {
		return nil, err
	}
	client := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), p.env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
		}
		return string(out), nil
	}
	if _, err := client("psql", "-q", "-c", gistTable); err != nil {
		return nil, err
	}
	text, err := client("pgbench", "-n", "-c", strconv.Itoa(writers), "-j", "2", "-t", "625", "-f", script)
	if err != nil {
		return nil, err
	}
	m := regexp.MustCompile(`tps = ([0-9.]+)`).FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("pgbench says no tps: %s", strings.TrimSpace(text))
	}
	tps, err := strconv.ParseFloat(m[1], 64)
	return result{"peer": "postgres-gist-16", "n": 10_000, "batch": 1, "fdatasync_p50_us": sync, "writes_per_s": tps}, err
}
