package reader

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/asof-db/asof/extract"
)

// when answers with the time that the best sentence names, resolved against the
// day it was said on; where none of them names one, with the day that the best was
// said on, because what people tell of they mostly tell on the day.
func (r *reading) when() Answer {
	list := r.best(near)
	for _, s := range list {
		if s.fact != nil {
			if s.valid.Start.Finite() && s.coverage >= near {
				return r.found(r.day(s.valid.Start.Time()), s)
			}
			continue
		}
		if t := dated(s); t != nil {
			return r.found(r.period(t, s), s)
		}
	}
	for _, s := range list {
		if s.fact == nil {
			return r.found(r.day(s.local()), s)
		}
	}
	return abstain(NoValue, r.lang)
}

// dated gives the time of a sentence that lies on the calendar, nil where it names
// none: the finest, as "in 2022 … on 7 May" is about the day.
func dated(s *sentence) *extract.TimeExpr {
	var best *extract.TimeExpr
	for i := range s.times {
		t := &s.times[i]
		if !t.OnCalendar() || t.Type == "SET" || !t.To.After(t.From) || t.To.Sub(t.From) > 20*366*24*time.Hour {
			continue
		}
		if best == nil || t.To.Sub(t.From) < best.To.Sub(best.From) {
			best = t
		}
	}
	return best
}

// on gives the day that a sentence speaks of: its own date, else the day it was
// said on.
func (s *sentence) on() time.Time {
	if s.fact != nil {
		return s.valid.Start.Time()
	}
	if t := dated(s); t != nil {
		return t.From
	}
	return s.local()
}

// period puts a time into words at its own grain.
func (r *reading) period(t *extract.TimeExpr, s *sentence) string {
	from, days := t.From, int(t.To.Sub(t.From).Round(time.Hour)/(24*time.Hour))
	switch {
	case days <= 1:
		return r.day(from)
	case days <= 3: // a weekend
		return r.day(from) + word(r.lang, " to ", "至") + r.day(t.To.AddDate(0, 0, -1))
	case days == 7:
		return word(r.lang, "the week of ", "") + r.day(from) + word(r.lang, "", "那一周")
	case from.Day() == 1 && from.AddDate(0, 1, 0).Equal(t.To):
		return word(r.lang, from.Format("January 2006"), fmt.Sprintf("%d年%d月", from.Year(), from.Month()))
	case from.YearDay() == 1 && from.AddDate(1, 0, 0).Equal(t.To):
		return word(r.lang, from.Format("2006"), fmt.Sprintf("%d年", from.Year()))
	}
	return r.day(from) + word(r.lang, " to ", "至") + r.day(t.To.AddDate(0, 0, -1))
}

// day puts a day into words.
func (r *reading) day(t time.Time) string {
	return word(r.lang, t.Format("2 January 2006"), fmt.Sprintf("%d年%d月%d日", t.Year(), t.Month(), t.Day()))
}

// unit is a unit of time that a question counts in.
type unit struct {
	en, zh string
	days   int
}

var units = []unit{{"day", "天", 1}, {"week", "周", 7}, {"month", "个月", 30}, {"year", "年", 365}}

// asksSpan finds "how many days … between A and B", "… before B", "… after B",
// "… since B", "… ago": the unit, and the two things whose distance is asked for,
// the second empty for the time of the question.
var (
	spanEN    = regexp.MustCompile(`(?i)\bhow (?:many (day|week|month|year)s|(long))\b`)
	betweenEN = regexp.MustCompile(`(?i)\bbetween (.+?) and (.+?)(?: and .*)?\??\s*$`)
	orderEN   = regexp.MustCompile(`(?i)^(.*?)\b(?:before|after|since|until|when)\b(.+?)\??\s*$`)
	agoEN     = regexp.MustCompile(`(?i)\b(?:ago|have passed since|has it been since|has passed since)\b`)
	spanZH    = regexp.MustCompile(`多少(天|周|个月|年)|几(天|周|个月|年)|(多久)`)
	betweenZH = regexp.MustCompile(`(?:从)?(.+?)(?:到|和|与)(.+?)(?:之间|相隔|隔了|过了|有|经过)`)
)

// between answers how much time lies between two things that were told, or between
// one and the question.
func (r *reading) between() (Answer, bool) {
	text := r.in.Pack.Query
	var in *unit
	if m := spanEN.FindStringSubmatch(text); m != nil {
		in = &units[0]
		for i := range units {
			if strings.EqualFold(m[1], units[i].en) {
				in = &units[i]
			}
		}
	} else if m := spanZH.FindStringSubmatch(text); m != nil {
		in = &units[0]
		for i := range units {
			if m[1] == units[i].zh || m[2] == units[i].zh {
				in = &units[i]
			}
		}
	} else {
		return Answer{}, false
	}
	var a, b *sentence
	var end time.Time
	switch {
	case betweenEN.MatchString(text):
		m := betweenEN.FindStringSubmatch(text)
		a, b = r.telling(m[1]), r.telling(m[2])
	case spanZH.MatchString(text) && betweenZH.MatchString(text):
		m := betweenZH.FindStringSubmatch(text)
		a, b = r.telling(m[1]), r.telling(m[2])
	case agoEN.MatchString(text) || strings.Contains(text, "前") && spanZH.MatchString(text):
		a, end = r.telling(spanEN.ReplaceAllString(agoEN.ReplaceAllString(text, ""), "")), r.in.Asked.Time()
	case spanEN.FindStringSubmatch(text) != nil && spanEN.FindStringSubmatch(text)[2] == "" && orderEN.MatchString(text):
		m := orderEN.FindStringSubmatch(spanEN.ReplaceAllString(text, ""))
		if m == nil {
			return Answer{}, false
		}
		a, b = r.telling(m[1]), r.telling(m[2])
	default:
		return Answer{}, false
	}
	if a == nil || b == nil && end.IsZero() || a == b {
		return Answer{}, false
	}
	from := []*sentence{a}
	if b != nil {
		end, from = b.on(), append(from, b)
	}
	days := dayNumber(end) - dayNumber(a.on())
	if days < 0 {
		days = -days
	}
	n := (days + in.days/2) / in.days
	if in.days == 1 {
		n = days
	}
	return r.found(r.quantity(n, in), from...), true
}

// dayNumber counts the days of the calendar.
func dayNumber(t time.Time) int {
	return int(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// quantity puts a number of units into words.
func (r *reading) quantity(n int, u *unit) string {
	if r.lang == "zh" {
		return strconv.Itoa(n) + u.zh
	}
	if n == 1 {
		return "1 " + u.en
	}
	return strconv.Itoa(n) + " " + u.en + "s"
}

// telling gives the sentence that says the most of a part of the question, nil
// where none says enough of it.
func (r *reading) telling(part string) *sentence {
	var terms []string
	for _, t := range r.analyzer.Terms(nil, part) {
		if slices.Contains(r.terms, t) && !unitTerms[t] && !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	}
	var best *sentence
	most, total := 0.0, 0.0
	for _, t := range terms {
		total += r.weight[t]
	}
	for i := range r.sentences {
		s := &r.sentences[i]
		got := 0.0
		for _, t := range terms {
			if s.terms[t] {
				got += r.weight[t]
			} else if s.whole[t] {
				got += float64(ofTurn * r.weight[t])
			}
		}
		// Of sentences that say as much the one with a date tells when.
		if dated(s) != nil {
			got += float64(0.1 * total)
		}
		if got > most {
			best, most = s, got
		}
	}
	if total == 0 || most < float64(enough*total) {
		return nil
	}
	return best
}

var unitTerms = map[string]bool{"day": true, "week": true, "month": true, "year": true, "ago": true, "pass": true}
