package main

import (
	"os"
	"strings"
	"testing"
)

// TestGraphOptions holds where the server and the credentials are looked for.
func TestGraphOptions(t *testing.T) {
	file := t.TempDir() + "/password"
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir() + "/empty"
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name             string
		flags            graphFlags
		env              map[string]string
		uri, user, word  string
		database, refuse string
	}{
		{name: "nothing said", uri: "bolt://127.0.0.1:7687"},
		{name: "environment", env: map[string]string{"ASOF_NEO4J_URI": "neo4j+s://e", "ASOF_NEO4J_DATABASE": "d", "ASOF_NEO4J_USER": "u", "ASOF_NEO4J_PASSWORD": "w"},
			uri: "neo4j+s://e", user: "u", word: "w", database: "d"},
		{name: "flags first", flags: graphFlags{uri: "bolt://f", database: "fd", user: "fu"}, env: map[string]string{"ASOF_NEO4J_URI": "neo4j+s://e", "ASOF_NEO4J_USER": "u", "ASOF_NEO4J_PASSWORD": "w"},
			uri: "bolt://f", user: "fu", word: "w", database: "fd"},
		{name: "password without a user", env: map[string]string{"ASOF_NEO4J_PASSWORD": "w"}, uri: "bolt://127.0.0.1:7687", user: "neo4j", word: "w"},
		{name: "file", flags: graphFlags{passwordFile: file}, uri: "bolt://127.0.0.1:7687", user: "neo4j", word: "from a file"},
		{name: "file of the environment", env: map[string]string{"ASOF_NEO4J_PASSWORD_FILE": file}, uri: "bolt://127.0.0.1:7687", user: "neo4j", word: "from a file"},
		{name: "a named file first", flags: graphFlags{passwordFile: file}, env: map[string]string{"ASOF_NEO4J_PASSWORD": "w"}, uri: "bolt://127.0.0.1:7687", user: "neo4j", word: "from a file"},
		{name: "no such file", flags: graphFlags{passwordFile: file + "x"}, refuse: "no such file"},
		{name: "empty file", flags: graphFlags{passwordFile: empty}, refuse: "is empty"},
	} {
		a := &app{env: func(k string) string { return x.env[k] }, logLevel: "off"}
		cfg, err := a.config()
		if err != nil {
			t.Fatal(err)
		}
		o, err := a.graphOptions(&x.flags, cfg)
		if x.refuse != "" {
			if err == nil || !strings.Contains(err.Error(), x.refuse) {
				t.Errorf("%s: error %v", x.name, err)
			}
			continue
		}
		if err != nil || o.URI != x.uri || o.User != x.user || o.Password != x.word || o.Database != x.database {
			t.Errorf("%s: %s %s %s %s, %v", x.name, o.URI, o.User, o.Password, o.Database, err)
		}
	}
}
