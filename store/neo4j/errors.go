package neo4j

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// errDamaged says that the graph lacks what a row belongs to: someone else has
// changed it.
var errDamaged = errors.New("the graph is not what was written")

// Errors that callers tell apart; what they wrap says what to do.
var (
	// ErrUnreachable says that no server answers, or not as one.
	ErrUnreachable = errors.New("no Neo4j server answers")
	// ErrDenied says that the server knows the user not, or not well enough.
	ErrDenied = errors.New("the server denies it")
	// ErrServer says that the server cannot do its work: no space, no memory, an old
	// version, no such database.
	ErrServer = errors.New("the server cannot do it")
	// ErrOtherFormat says that the graph was written by another version of the schema.
	ErrOtherFormat = errors.New("the graph has another schema")
)

// class says what follows from an error.
type class int

const (
	// final errors end the work: it would fail again.
	final class = iota
	// passing errors may be gone at the next try.
	passing
	// moved errors are no failure: the positions have to be read again.
	moved
	// tooLarge errors ask for smaller batches.
	tooLarge
	// ofRows errors come from the rows of a batch: of one space, most likely.
	ofRows
)

// names of the classes, as the metric of retries has them.
var classNames = map[class]string{final: "final", passing: "passing", moved: "moved", tooLarge: "too_large", ofRows: "rows"}

// classify says what follows from an error of the driver.
func classify(err error) class {
	var e *driver.Neo4jError
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return final
	case errors.Is(err, errMoved):
		return moved
	case errors.Is(err, errDamaged):
		return ofRows
	case !errors.As(err, &e):
		var u *driver.UsageError
		if errors.As(err, &u) && !driver.IsRetryable(err) {
			return final
		}
		return passing // the connection, one way or another
	}
	switch {
	case strings.Contains(e.Code, "MemoryPoolOutOfMemory") || strings.Contains(e.Code, "OutOfMemoryError") || strings.Contains(e.Code, "StackOverflowError"):
		return tooLarge
	case strings.Contains(e.Code, ".Cluster.NotALeader") || strings.Contains(e.Code, "DatabaseUnavailable"):
		return passing
	case strings.Contains(e.Code, "AuthorizationExpired") || strings.Contains(e.Code, "TokenExpired"):
		return passing
	case strings.Contains(e.Code, ".Statement.SyntaxError"):
		return final
	case strings.Contains(e.Code, ".Security.") || strings.Contains(e.Code, "ForbiddenOnReadOnlyDatabase") || strings.Contains(e.Code, ".Database."):
		return final
	case strings.HasPrefix(e.Code, "Neo.TransientError."), driver.IsRetryable(err):
		return passing
	case noSpace(e):
		return passing // once there is space again
	case strings.Contains(e.Code, ".Schema.ConstraintValidationFailed") || strings.Contains(e.Code, ".Statement."):
		return ofRows
	}
	return final
}

// noSpace tells whether the server could not write its files.
func noSpace(e *driver.Neo4jError) bool {
	text := strings.ToLower(e.Msg)
	return strings.Contains(e.Code, "TransactionLogError") || strings.Contains(e.Code, "TransactionCommitFailed") ||
		strings.Contains(text, "no space left") || strings.Contains(text, "disk full") || strings.Contains(text, "not enough space")
}

// explain gives an error of the driver a cause that can be told apart and says what
// to do about it.
func (o *Options) explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || explained(err) {
		return err
	}
	database := o.Database
	if database == "" {
		database = "the user's default database"
	}
	var e *driver.Neo4jError
	if !errors.As(err, &e) {
		if errors.Is(err, errDamaged) {
			return fmt.Errorf("neo4j: %w; 'asof neo4j rebuild' makes the graph again", err)
		}
		if text := err.Error(); strings.Contains(text, "tls") || strings.Contains(text, "x509") || strings.Contains(text, "certificate") {
			return fmt.Errorf("neo4j: %w at %s with this certificate: use bolt+ssc:// or neo4j+ssc:// for one that no authority has signed, or bolt:// for a server without TLS: %w", ErrUnreachable, o.URI, err)
		}
		return fmt.Errorf("neo4j: %w at %s: start it ('deploy/neo4j/server.sh start' runs one here), or name another with --uri or ASOF_NEO4J_URI: %w", ErrUnreachable, o.URI, err)
	}
	is := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(e.Code, p) {
				return true
			}
		}
		return false
	}
	switch {
	case is("AuthenticationRateLimit"):
		return fmt.Errorf("neo4j: %w for now: too many wrong passwords for user %q; wait some seconds, then give the right one: %w", ErrDenied, o.User, err)
	case is("CredentialsExpired"):
		return fmt.Errorf("neo4j: %w until user %q has a password of its own: run ALTER CURRENT USER SET PASSWORD on database system: %w", ErrDenied, o.User, err)
	case is("Security.Unauthorized"):
		return fmt.Errorf("neo4j: %w: wrong user or password (user %q): set ASOF_NEO4J_USER and ASOF_NEO4J_PASSWORD, or name a file with --password-file: %w", ErrDenied, o.User, err)
	case is("Security.Forbidden"):
		return fmt.Errorf("neo4j: %w: user %q may not write to %s: it needs the role publisher, and architect (or admin) for constraints and indexes: %w", ErrDenied, o.User, database, err)
	case is("ForbiddenOnReadOnlyDatabase", "WriteOnReadOnlyAccessDb", "NotALeader"):
		return fmt.Errorf("neo4j: %w: %s at %s takes no writes: make it writable, or name the cluster with neo4j:// so that writes find their leader: %w", ErrDenied, database, o.URI, err)
	case is("DatabaseNotFound"):
		return fmt.Errorf("neo4j: %w: there is no database %q: make it, or name another with --database or ASOF_NEO4J_DATABASE: %w", ErrServer, o.Database, err)
	case noSpace(e):
		return fmt.Errorf("neo4j: %w: it cannot write its files, most likely because its disk is full: free space, start it again, then run sync: nothing is lost: %w", ErrServer, err)
	case classify(err) == tooLarge:
		return fmt.Errorf("neo4j: %w: it has too little memory for one transaction: raise server.memory.heap.max_size or dbms.memory.transaction.total.max: %w", ErrServer, err)
	case is("ConstraintCreationFailed", "EquivalentSchemaRuleAlreadyExists", "IndexAlreadyExists", "ConstraintAlreadyExists"):
		return fmt.Errorf("neo4j: %w: %s holds other data in the way of asof's constraints; give asof a database of its own: %w", ErrServer, database, err)
	}
	return fmt.Errorf("neo4j: %w", err)
}

// explained tells whether explain has been at work.
func explained(err error) bool {
	for _, known := range []error{ErrUnreachable, ErrDenied, ErrServer, ErrOtherFormat} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// The oldest server that has all that is used: uniqueness of relationships came
// with 5.7.
const oldestMajor, oldestMinor = 5, 7

// checkVersion checks the name that a server gives itself, such as "Neo4j/5.26.21".
func checkVersion(agent string) error {
	_, version, ok := strings.Cut(agent, "/")
	parts := strings.SplitN(version, ".", 3)
	if ok && len(parts) >= 2 {
		major, err1 := strconv.Atoi(parts[0])
		minor, err2 := strconv.Atoi(strings.SplitN(parts[1], "-", 2)[0])
		if err1 == nil && err2 == nil {
			if major > oldestMajor || major == oldestMajor && minor >= oldestMinor {
				return nil
			}
			return fmt.Errorf("neo4j: %w: it is %s, and asof needs Neo4j %d.%d or later: upgrade it", ErrServer, agent, oldestMajor, oldestMinor)
		}
	}
	return fmt.Errorf("neo4j: %w: it calls itself %q, which is no version of Neo4j that is known; asof needs Neo4j %d.%d or later", ErrServer, agent, oldestMajor, oldestMinor)
}
