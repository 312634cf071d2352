package configs

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/asof-db/asof/dsl"
)

// want is the type and range of a key: how a scalar of a file is read, and what is wrong with a
// value. Reading only looks at the type, so that a value out of range is still a value.
type want struct {
	// read turns a scalar into a value of the field's Go type; its error says what is wanted.
	read func(*yaml.Node) (any, error)
	// check says what is wrong with a value, or "".
	check func(any) string
}

// scalar reports whether n is a single value of one of the types. A tag alone does not make one: a
// section may carry any.
func scalar(n *yaml.Node, types ...string) bool {
	return n.Kind == yaml.ScalarNode && slices.Contains(types, n.ShortTag())
}

// wrongType is the message for a scalar that cannot be the value that is wanted.
func wrongType(n *yaml.Node, wanted string) error {
	return fmt.Errorf("%s is %s; want %s", show(n), kindOf(n), wanted)
}

// boolean wants true or false, and none of YAML's older words for them.
var boolean = want{
	read: func(n *yaml.Node) (any, error) {
		var b bool
		if !scalar(n, "!!bool") || n.Decode(&b) != nil {
			return nil, wrongType(n, "true or false")
		}
		return b, nil
	},
	check: func(any) string { return "" },
}

// ints wants a whole number in [low, high].
func ints(low, high int) want {
	return want{
		read: func(n *yaml.Node) (any, error) {
			var i int
			if !scalar(n, "!!int") || n.Decode(&i) != nil {
				return nil, wrongType(n, fmt.Sprintf("a whole number from %d to %d", low, high))
			}
			return i, nil
		},
		check: func(v any) string {
			if i := v.(int); i < low || i > high {
				return fmt.Sprintf("%d is out of range; want a whole number from %d to %d", i, low, high)
			}
			return ""
		},
	}
}

// readFloat reads a number, whole or not.
func readFloat(n *yaml.Node, wanted string) (float64, error) {
	var f float64
	if !scalar(n, "!!int", "!!float") || n.Decode(&f) != nil {
		return 0, wrongType(n, wanted)
	}
	if f == 0 {
		f = 0 // -0 and 0 are one value and must be one in the hash.
	}
	return f, nil
}

// floats wants a number in [low, high].
func floats(low, high float64) want {
	wanted := fmt.Sprintf("a number from %v to %v", low, high)
	return want{
		read: func(n *yaml.Node) (any, error) { return readFloat(n, wanted) },
		check: func(v any) string {
			if f := v.(float64); !(f >= low && f <= high) {
				return fmt.Sprintf("%v is out of range; want %s", f, wanted)
			}
			return ""
		},
	}
}

const wantThreshold = "a similarity above 0 and at most 1, or off"

// threshold wants a similarity in (0, 1] or the word off.
var threshold = want{
	read: func(n *yaml.Node) (any, error) {
		if scalar(n, "!!str") && n.Value == ModeOff {
			return Off, nil
		}
		f, err := readFloat(n, wantThreshold)
		if err == nil && f == 0 {
			return nil, fmt.Errorf("0 would take every two names for one; want %s", wantThreshold)
		}
		return Threshold(f), err
	},
	check: func(v any) string {
		if t := float64(v.(Threshold)); !(t >= 0 && t <= 1) {
			return fmt.Sprintf("%v is out of range; want %s", t, wantThreshold)
		}
		return ""
	},
}

// durations wants a time span in [low, high], in Go's spelling.
func durations(low, high time.Duration) want {
	return want{
		read: func(n *yaml.Node) (any, error) {
			d, err := time.ParseDuration(n.Value)
			if !scalar(n, "!!str") || err != nil {
				return nil, wrongType(n, "a time span with its unit, such as 90s or 5m")
			}
			return d, nil
		},
		check: func(v any) string {
			if d := v.(time.Duration); d < low || d > high {
				return fmt.Sprintf("%s is out of range; want %s to %s", d, low, high)
			}
			return ""
		},
	}
}

// text wants a string that check has nothing against.
func text(check func(string) string) want {
	return want{
		read: func(n *yaml.Node) (any, error) {
			if !scalar(n, "!!str") {
				return nil, wrongType(n, "a string (put it in quotes)")
			}
			return n.Value, nil
		},
		check: func(v any) string { return check(v.(string)) },
	}
}

// enum wants one of a few words.
func enum(words ...string) want {
	return text(func(s string) string {
		if slices.Contains(words, s) {
			return ""
		}
		return fmt.Sprintf("%q is not known; want %s", s, strings.Join(words, ", "))
	})
}

// modelName wants the name of a model, as the list of models spells it.
var modelName = text(func(s string) string {
	ok := s != ""
	for _, r := range s {
		ok = ok && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-._", r))
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("%q is no name of a model; want small letters, digits, '-', '.' and '_' ('asof models list' shows them)", s)
})

// streamName wants a name that the log takes for its stream; dsl/ledger has the same rule.
var streamName = text(func(s string) string {
	for i, r := range s {
		letter := r >= 'A' && r <= 'Z'
		if i >= 32 || !letter && (i == 0 || (r < '0' || r > '9') && r != '_' && r != '-') {
			s = ""
			break
		}
	}
	if s == "" {
		return "no stream name; want a capital letter, then up to 31 of A-Z, 0-9, _ and -"
	}
	return ""
})

// serverURL wants one or several NATS servers, or none for the embedded one.
var serverURL = text(func(s string) string {
	if s == "" {
		return ""
	}
	for part := range strings.SplitSeq(s, ",") {
		u, err := url.Parse(strings.TrimSpace(part))
		if err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			// The value may hold a password, so it is not repeated.
			return "no NATS server; want nats://host:4222 (or tls, ws, wss), several with commas between, or empty for the embedded one"
		}
	}
	return ""
})

// zone wants what a turn's zone may be, and says it: an empty one is a forgotten value here.
var zone = text(func(s string) string {
	if s == "" {
		return "no time zone; want UTC, a name such as Asia/Shanghai or an offset such as +08:00"
	}
	if _, err := dsl.ParseZone(s); err != nil {
		return err.Error()
	}
	return ""
})

// predicates is read by its own walk and checked by its own validation; see parsePredicates.
var predicates = want{check: func(any) string { return "" }}

// show gives a scalar as the file has it, cut where it is long.
func show(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return "this"
	}
	if n.Value == "" {
		return "nothing"
	}
	s := []rune(n.Value)
	if len(s) > 40 {
		s = append(s[:40], '…')
	}
	if n.ShortTag() != "!!str" {
		return string(s)
	}
	return strconv.Quote(string(s))
}

// kindOf names what a node is, for messages.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a section"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "a reference"
	}
	switch n.ShortTag() {
	case "!!bool":
		return "a truth value"
	case "!!int":
		return "a whole number"
	case "!!float":
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsInf(f, 0) {
			return "a number"
		}
		return "no finite number"
	case "!!null":
		return "no value"
	case "!!str":
		return "a string"
	}
	return "of the type " + n.ShortTag()
}

// badModelURL says what is wrong with the address of a language model, or "".
func badModelURL(s string) string {
	if s == "" {
		return ""
	}
	if u, err := url.Parse(s); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		// The value may hold a password, so it is not repeated.
		return "no address of a language model; want such as http://127.0.0.1:8080/v1, and the key by llm.key_env"
	}
	return ""
}

// badModelName says what is wrong with the name of a language model, or "".
func badModelName(s string) string {
	if len(s) > 128 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return fmt.Sprintf("%q is no model name; want printable ASCII without spaces, at most 128 bytes", s)
	}
	return ""
}

// badHub says what is wrong with the address of a hub, or "".
func badHub(s string) string {
	if u, err := url.Parse(s); s != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
		// The value may hold a password, so it is not repeated.
		return "no address of a hub; want such as https://hub.example.org"
	}
	return ""
}

// badGraph says what is wrong with the address of a Neo4j server, or "".
func badGraph(s string) string {
	schemes := []string{"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"}
	u, err := url.Parse(s)
	if s == "" || err == nil && slices.Contains(schemes, u.Scheme) && u.Host != "" && u.User == nil && strings.Trim(u.Path, "/") == "" {
		return ""
	}
	// The value may hold a password, so it is not repeated.
	return "no address of a Neo4j server; want such as bolt://127.0.0.1:7687 or neo4j+s://graph.example.org, without credentials"
}

// badDatabase says what is wrong with a name that a Neo4j server knows, or "".
func badDatabase(s string) string {
	if len(s) > 256 || strings.ContainsFunc(s, unicode.IsControl) {
		return fmt.Sprintf("%.40q is no such name; want at most 256 bytes without control characters", s)
	}
	return ""
}

// badPath says what is wrong with the name of a folder, or "".
func badPath(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Sprintf("%q is no folder; want a path without control characters", s)
	}
	return ""
}

// badVariable says what is wrong with the name of an environment variable, or "".
func badVariable(s string) string {
	for i, r := range s {
		if !(r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || i > 0 && r >= '0' && r <= '9') {
			return fmt.Sprintf("%q is no name of an environment variable; want letters, digits and _ (the name, not the key)", s)
		}
	}
	return ""
}

// badServer says what is wrong with the address of a CoreNLP server, or "".
func badServer(s string) string {
	if u, err := url.Parse(s); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		// The value may hold a password, so it is not repeated.
		return "no address of a CoreNLP server; want such as http://127.0.0.1:9000"
	}
	return ""
}

// badRelease says what is wrong with the name of a release, or "".
func badRelease(s string) string {
	if s == "" || len(s) > 32 || strings.ContainsFunc(s, func(r rune) bool { return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == '.' || r == '-') }) {
		return fmt.Sprintf("%q is no release; want such as 4.5.10", s)
	}
	return ""
}
