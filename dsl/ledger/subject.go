package ledger

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Names on the broker; FORMAT.md, "Streams and subjects", fixes them.
const (
	// DefaultStream is the name of the log's stream.
	DefaultStream = "ASOF"
	// intakeSuffix makes the intake's stream name of the log's.
	intakeSuffix = "_INTAKE"
	// tokenEscape opens the token of a space whose name is not a token itself.
	tokenEscape = "="
	// metaPartitions and metaFormat are the keys of the stream's metadata.
	metaPartitions = "asof.partitions"
	metaFormat     = "asof.format"
	// formatVersion is the value of metaFormat.
	formatVersion = "1"
)

var (
	streamName = regexp.MustCompile(`^[A-Z][A-Z0-9_-]{0,31}$`)
	plainToken = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	kindToken  = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)
)

// subjects gives the subjects of the log named stream: its name in lower case is their first token, so that several
// logs can share a broker.
type subjects struct{ prefix string }

func subjectsOf(stream string) subjects { return subjects{prefix: strings.ToLower(stream)} }

// log is the subject of partition p.
func (s subjects) log(p int) string { return fmt.Sprintf("%s.log.%02d", s.prefix, p) }

// group is the subject of messages of several partitions.
func (s subjects) group() string { return s.prefix + ".log.all" }

// of is the subject of partition p, or that of groups for Several.
func (s subjects) of(p int) string {
	if p == Several {
		return s.group()
	}
	return s.log(p)
}

// placeOf names a partition, or Several, in errors.
func placeOf(p int) string {
	if p == Several {
		return "several partitions"
	}
	return fmt.Sprintf("partition %d", p)
}

// allLog matches the subjects of all messages of the log.
func (s subjects) allLog() string { return s.prefix + ".log.*" }

// item is the subject of an item of the intake.
func (s subjects) item(space, kind string) string {
	return s.prefix + ".in." + spaceToken(space) + "." + kind
}

// allItems matches the subjects of all items.
func (s subjects) allItems() string { return s.prefix + ".in.*.*" }

// partition reads a subject of the log; only the one spelling that of gives is taken.
func (s subjects) partition(subject string) (int, error) {
	if subject == s.group() {
		return Several, nil
	}
	rest, ok := strings.CutPrefix(subject, s.prefix+".log.")
	p, err := strconv.Atoi(rest)
	if !ok || err != nil || p < 0 || s.log(p) != subject {
		return 0, fmt.Errorf("%w: %q is not a subject of the log", ErrCorrupt, subject)
	}
	return p, nil
}

// parseItem reads a subject of the intake; only the one spelling that item gives is taken.
func (s subjects) parseItem(subject string) (space, kind string, err error) {
	rest, ok := strings.CutPrefix(subject, s.prefix+".in.")
	token, kind, cut := strings.Cut(rest, ".")
	if ok && cut && kindToken.MatchString(kind) {
		space, err = spaceOfToken(token)
		if err == nil && s.item(space, kind) == subject {
			return space, kind, nil
		}
	}
	return "", "", fmt.Errorf("%w: %q is not a subject of the intake", ErrCorrupt, subject)
}

// spaceToken makes a space's name a subject token, one to one: a name of 1 to 64 of A-Z, a-z, 0-9, '_' and '-' is its
// own token; any other is '=' and its unpadded base64url, which no plain token can be.
func spaceToken(space string) string {
	if plainToken.MatchString(space) {
		return space
	}
	return tokenEscape + base64.RawURLEncoding.EncodeToString([]byte(space))
}

// spaceOfToken is the inverse of spaceToken.
func spaceOfToken(token string) (string, error) {
	space := token
	if enc, ok := strings.CutPrefix(token, tokenEscape); ok {
		b, err := base64.RawURLEncoding.Strict().DecodeString(enc)
		if err != nil {
			return "", fmt.Errorf("%w: token %q is not base64url", ErrCorrupt, token)
		}
		space = string(b)
	}
	if err := ValidSpace(space); err != nil || spaceToken(space) != token {
		return "", fmt.Errorf("%w: %q is not the token of a space", ErrCorrupt, token)
	}
	return space, nil
}

// validItem says what is wrong with an item, wrapping ErrInvalid, or nil.
func validItem(it Item) error {
	if err := ValidSpace(it.Space); err != nil {
		return err
	}
	if !kindToken.MatchString(it.Kind) {
		return fmt.Errorf("%w: the item's kind %q is not 1 to %d of a-z, 0-9, '-' and '_'", ErrInvalid, it.Kind, MaxKindBytes)
	}
	return nil
}
