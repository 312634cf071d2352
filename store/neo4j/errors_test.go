package neo4j

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/asof-db/asof/dsl"
)

// TestErrors holds what follows from an error and what is said of it. The codes are
// the server's; what Community cannot be made to say is said here.
func TestErrors(t *testing.T) {
	o := Options{URI: "neo4j://db:7687", Database: "memory", User: "writer"}
	full := &driver.Neo4jError{Code: "Neo.DatabaseError.Transaction.TransactionCommitFailed", Msg: "Could not apply: No space left on device"}
	for _, x := range []struct {
		err   error
		class class
		is    error
		says  string
	}{
		{code("Neo.ClientError.Security.Unauthorized"), final, ErrDenied, `wrong user or password (user "writer"): set ASOF_NEO4J_USER`},
		{code("Neo.ClientError.Security.AuthenticationRateLimit"), final, ErrDenied, "wait some seconds"},
		{code("Neo.ClientError.Security.CredentialsExpired"), final, ErrDenied, "ALTER CURRENT USER SET PASSWORD"},
		{code("Neo.ClientError.Security.Forbidden"), final, ErrDenied, `user "writer" may not write to memory: it needs the role publisher`},
		{code("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"), final, ErrDenied, "memory at neo4j://db:7687 takes no writes"},
		{code("Neo.ClientError.Cluster.NotALeader"), passing, ErrDenied, "name the cluster with neo4j://"},
		{code("Neo.ClientError.Database.DatabaseNotFound"), final, ErrServer, `there is no database "memory"`},
		{full, passing, ErrServer, "disk is full: free space, start it again, then run sync"},
		{code("Neo.DatabaseError.Transaction.TransactionLogError"), passing, ErrServer, "cannot write its files"},
		{code("Neo.TransientError.General.MemoryPoolOutOfMemoryError"), tooLarge, ErrServer, "server.memory.heap.max_size"},
		{code("Neo.TransientError.Transaction.DeadlockDetected"), passing, nil, "DeadlockDetected"},
		{code("Neo.TransientError.General.DatabaseUnavailable"), passing, nil, "DatabaseUnavailable"},
		{code("Neo.ClientError.Schema.ConstraintCreationFailed"), final, ErrServer, "give asof a database of its own"},
		{code("Neo.ClientError.Schema.ConstraintValidationFailed"), ofRows, nil, "ConstraintValidationFailed"},
		{code("Neo.ClientError.Statement.TypeError"), ofRows, nil, "TypeError"},
		{code("Neo.ClientError.Statement.SyntaxError"), final, nil, "SyntaxError"},
		{fmt.Errorf("%w: 3 rows", errDamaged), ofRows, errDamaged, "'asof neo4j rebuild'"},
		{errMoved, moved, nil, ""},
		{&driver.ConnectivityError{Inner: errors.New("dial tcp: connection refused")}, passing, ErrUnreachable, "no Neo4j server answers at neo4j://db:7687"},
		{&driver.ConnectivityError{Inner: errors.New("remote error: tls: bad certificate")}, passing, ErrUnreachable, "neo4j+ssc://"},
		{context.Canceled, final, context.Canceled, ""},
	} {
		if got := classify(x.err); got != x.class {
			t.Errorf("%v: class %s, want %s", x.err, classNames[got], classNames[x.class])
		}
		got := o.explain(x.err)
		if x.is != nil && !errors.Is(got, x.is) || !strings.Contains(got.Error(), x.says) || !errors.Is(got, x.err) {
			t.Errorf("%v: says %v, want %q", x.err, got, x.says)
		}
		if again := o.explain(got); x.is != nil && again.Error() != got.Error() && x.is != errDamaged {
			t.Errorf("said twice: %v", again)
		}
	}
	if o.explain(nil) != nil {
		t.Error("no error is one")
	}
}

// TestVersions holds which servers are taken.
func TestVersions(t *testing.T) {
	for agent, ok := range map[string]bool{
		"Neo4j/5.26.21": true, "Neo4j/5.7.0": true, "Neo4j/2025.01.0": true, "Neo4j/5.27-aura": true, "Neo4j/6.0.0": true,
		"Neo4j/5.6.0": false, "Neo4j/4.4.38": false, "Neo4j/3.5": false, "Memgraph": false, "Neo4j/": false, "": false,
	} {
		err := checkVersion(agent)
		if (err == nil) != ok {
			t.Errorf("%q: %v", agent, err)
		}
		if err != nil && (!errors.Is(err, ErrServer) || !strings.Contains(err.Error(), "5.7 or later")) {
			t.Errorf("%q: %v", agent, err)
		}
	}
}

// TestOptions names all faults at once.
func TestOptions(t *testing.T) {
	o := Options{URI: "http://host", Password: "x", Rows: -1, Tries: -1}
	o.EnsureDefaults()
	err := o.Validate()
	for _, want := range []string{`scheme "http"`, "password and no user", "Rows -1", "Now, Pause and Jitter", "negative"} {
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, dsl.ErrInvalid) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	for _, uri := range []string{"bolt://h:1", "bolt+s://h", "bolt+ssc://h", "neo4j://h", "neo4j+s://h", "neo4j+ssc://h"} {
		o := testOptions()
		o.URI = uri
		o.EnsureDefaults()
		if err := o.Validate(); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, uri := range []string{"", "bolt:", "bolt://", "h:7687"} {
		o := testOptions()
		o.URI = uri
		if o.Validate() == nil {
			t.Errorf("%q is taken", uri)
		}
	}
}

// TestNobodyThere asks where no server is.
func TestNobodyThere(t *testing.T) {
	o := testOptions() // port 1
	_, err := Open(context.Background(), newMemory(t), o)
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "bolt://127.0.0.1:1") {
		t.Errorf("the error is %v", err)
	}
}

// TestCancelled ends at once, whatever it does.
func TestCancelled(t *testing.T) {
	m := newMemory(t)
	newGens(1, "a").step(t, m)
	graph := newMemGraph()
	o := testOptions()
	p := over(t, m, graph, o)
	graph.fault = func(string, bool, *batch) error { return code("Neo.TransientError.General.DatabaseUnavailable") }
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := p.Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}
