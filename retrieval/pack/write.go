package pack

import (
	"fmt"
	"strings"
	"time"

	"github.com/asof-db/asof/dsl"
)

// heading stands once before the turns of a session and day.
type heading struct{ session, day string }

func headingOf(t *dsl.Turn) heading {
	return heading{t.Session, t.Local().Format(time.DateOnly)}
}

// line shows the day alone: a session's name tells a reader nothing.
func (h heading) line() string { return "[" + h.day + "]" }

// spoken shows who says what.
func spoken(speaker, text string) string {
	if speaker == "" {
		return text
	}
	return speaker + ": " + text
}

// shownEvidence is how many of its turns a fact names in the text.
const shownEvidence = 2

// factLine shows a fact in one line: what, when, and by which turns.
func (s *selection) factLine(f *factFound) string {
	text := factText(f)
	if p := s.opt.Registry.Phrase(f.Rel); p != "" && s.opt.Lang == "en" && f.Relation.String() == "" {
		text = f.SrcName.String() + " " + p + " " + f.DstName.String()
	}
	text = oneLine(text)
	if when := period(f.Valid, s.opt.Lang); when != "" {
		text += ", " + when
	}
	if s.opt.Active && s.f.known && !f.Valid.Contains(s.f.at) {
		text += " " + s.word("(not now)", "（现已不成立）")
		if f.Valid.Start > s.f.at {
			text = strings.TrimSuffix(text, " "+s.word("(not now)", "（现已不成立）")) + " " + s.word("(not yet)", "（尚未成立）")
		}
	}
	if ids := f.evidence; len(ids) > 0 {
		text += " [" + strings.Join(ids[:min(len(ids), shownEvidence)], ", ") + "]"
	}
	return "- " + text
}

// eventLine shows an event in one line.
func (s *selection) eventLine(e *eventFound) string {
	text := "* "
	if when := period(e.Span, s.opt.Lang); when != "" {
		text += when + ": "
	}
	text += oneLine(e.Summary.String())
	if n := len(e.hold); s.opt.Active && n < len(e.Includes) {
		text += fmt.Sprintf(s.word(" (%d of %d hold)", "（%d/%d 项成立）"), n, len(e.Includes))
	}
	return text
}

// word gives one of two words by the language of the pack.
func (s *selection) word(en, zh string) string {
	if s.opt.Lang == "zh" {
		return zh
	}
	return en
}

// period puts an interval into words: a whole year, month or day as such; "" for
// one without bounds.
func period(v dsl.Interval, lang string) string {
	start, end := v.Start.Finite(), v.End.Finite()
	zh := lang == "zh"
	switch {
	case start && end:
		if whole := wholePeriod(v); whole != "" {
			return whole
		}
		if v.End-v.Start < dsl.Day {
			return v.Start.Time().Format("2006-01-02 15:04")
		}
		if zh {
			return dayOf(v.Start) + "至" + dayOf(v.End)
		}
		return dayOf(v.Start) + " to " + dayOf(v.End)
	case start && zh:
		return "自" + dayOf(v.Start)
	case start:
		return "since " + dayOf(v.Start)
	case end && zh:
		return "至" + dayOf(v.End)
	case end:
		return "until " + dayOf(v.End)
	}
	return ""
}

// wholePeriod gives the year, month or day that an interval is, or "".
func wholePeriod(v dsl.Interval) string {
	a, b := v.Start.Time(), v.End.Time()
	for _, x := range []struct {
		form          string
		years, months int
		days          int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {time.DateOnly, 0, 0, 1}} {
		text := a.Format(x.form)
		begin, err := time.Parse(x.form, text)
		if err == nil && begin.Equal(a) && a.AddDate(x.years, x.months, x.days).Equal(b) {
			return text
		}
	}
	return ""
}

func dayOf(t dsl.Instant) string { return t.Time().Format(time.DateOnly) }
