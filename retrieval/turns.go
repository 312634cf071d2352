package retrieval

import (
	"fmt"
	"strings"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/store"
)

// saidBy reports whether a turn was said by the instant, if there is one.
func saidBy(d *store.Doc, valid *dsl.Instant) bool { return valid == nil || d.TS <= *valid }

// turnHit makes the hit of a turn.
func turnHit(turn *readTurn) Hit {
	return Hit{
		Kind: Turn, ID: turn.ID, Turns: []string{turn.ID}, Session: turn.Session,
		Record: dsl.Since(turn.Record), Valid: dsl.Since(turn.TS), Text: turn.text,
	}
}

// turnText gives a turn's text as it is shown: what was said, then a line for
// each attachment.
func turnText(turn dsl.Turn) string {
	if len(turn.Attachments) == 0 {
		return turn.Text.String()
	}
	var s strings.Builder
	s.WriteString(turn.Text.String())
	for _, a := range turn.Attachments {
		fmt.Fprintf(&s, "\n[%s] %s", a.Kind, a.Text)
	}
	return s.String()
}
