package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// spoken is a language model that answers each kind of question as it is told.
type spoken struct {
	// answers are by a word that the system prompt holds; "" answers everything.
	answers map[string]string
	err     error
	asked   []string
}

func (s *spoken) Name() string { return "parrot-1" }

func (s *spoken) Complete(_ context.Context, system, user string, _ int) (string, error) {
	s.asked = append(s.asked, user)
	for word, answer := range s.answers {
		if strings.Contains(system, word) {
			return answer, s.err
		}
	}
	return "", s.err
}

// Words by which a prompt is known.
const (
	asksNames = "proper names"
	asksFacts = "as facts over"
	asksTimes = "expressions of time"
	asksVotes = "whom pronouns mean"
)

func TestEntitiesByLanguageModel(t *testing.T) {
	const text = "My friend Zorbulon met Zorbulon the dog in Quux; mail z@quux.org."
	rules := mentions(newPipeline(t).Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", text)}).Entities)
	for _, c := range []struct {
		name, answer, want string
		fate               Fate
	}{
		{"well", `{"entities":[{"text":"Zorbulon","type":"PERSON"},{"text":"Zorbulon","type":"PERSON"},{"text":"Quux","type":"LOC"}]}`,
			"Zorbulon=PERSON Zorbulon=PERSON Quux=LOC z@quux.org=EMAIL", Taken},
		{"around it", "Here you are:\n```json\n{\"entities\":[{\"text\":\"Quux\",\"type\":\"LOC\"}]}\n```", "Quux=LOC z@quux.org=EMAIL", Taken},
		{"nothing", `{"entities":[]}`, "z@quux.org=EMAIL", Taken},
		{"one of three is invented", `{"entities":[{"text":"Quux","type":"LOC"},{"text":"Zorbulon","type":"PERSON"},{"text":"Paris","type":"LOC"}]}`,
			"Zorbulon=PERSON Quux=LOC z@quux.org=EMAIL", Taken},
		{"all are invented", `{"entities":[{"text":"Paris","type":"LOC"},{"text":"Rome","type":"LOC"}]}`, rules, Nonsense},
		{"no such type", `{"entities":[{"text":"Quux","type":"CITY"}]}`, rules, Nonsense},
		{"more often than it stands there", `{"entities":[{"text":"Quux","type":"LOC"},{"text":"Quux","type":"LOC"},{"text":"Quux","type":"LOC"}]}`, rules, Nonsense},
		{"prose", "There are two people here.", rules, Malformed},
		{"cut off", `{"entities":[{"text":"Quux","ty`, rules, Malformed},
		{"another form", `{"entities":["Quux"]}`, rules, Malformed},
		{"empty", "", rules, Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &spoken{answers: map[string]string{asksNames: c.answer}}
			r := readWith(t, func(x *Config) { x.NERMode, x.Parts.Model = "C", m }, text)
			if got := mentions(r.Entities); got != c.want || fates(r.Answers) != "ner.C:llm:parrot-1:"+string(c.fate) {
				t.Errorf("%s, %s\nwant %s, %s", got, fates(r.Answers), c.want, c.fate)
			}
			if len(m.asked) != 1 || !strings.Contains(m.asked[0], text) || !strings.Contains(m.asked[0], "Wednesday 2023-05-10T14:00") {
				t.Errorf("asked %q", m.asked)
			}
		})
	}
}

// TestEntitiesFallBackToModel: where there is a network too, option C falls back to it.
func TestEntitiesFallBackToModel(t *testing.T) {
	r := readWith(t, func(x *Config) {
		x.NERMode, x.Parts.Model = "C", &spoken{err: errors.New("down")}
		x.Parts.Tagger = &listed{words: map[string]string{"zorbulon": "PER"}, labels: []string{"PER"}}
	}, "so zorbulon came")
	if mentions(r.Entities) != "zorbulon=PERSON" || fates(r.Answers) != "ner.B:listed@1:taken ner.C:llm:parrot-1:failed" {
		t.Errorf("%s, %s", mentions(r.Entities), fates(r.Answers))
	}
}

// fact gives an answer with facts, each of fields that change a good one.
func fact(changes ...map[string]any) string {
	var list []map[string]any
	for _, change := range changes {
		f := map[string]any{"quote": "my cousin Zed moved to Oslo in April", "src": "Zed", "rel": "lives_in", "dst": "Oslo", "relation": nil,
			"polarity": "+", "change": "assert", "corrects": nil, "valid_from": "2023-04", "valid_to": nil}
		for k, v := range change {
			f[k] = v
		}
		list = append(list, f)
	}
	b, err := json.Marshal(map[string]any{"facts": list})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestRelationsByLanguageModel(t *testing.T) {
	const text = "Guess what, my cousin Zed moved to Oslo in April. The dentist appointment is at 3 pm on Friday."
	byRule := newPipeline(t).Extract(Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", text)})
	describeAll := func(r Result) string {
		var out []string
		for i := range r.Candidates {
			out = append(out, describe(&r.Candidates[i], r.Stated[i]))
		}
		return strings.Join(out, "\n")
	}
	rules := describeAll(byRule)
	good := "Zed | lives_in | Oslo [2023-04..] [2023-04-01T00:00:00Z, ∞)"
	for _, c := range []struct {
		name, answer, want string
		fate               Fate
	}{
		{"well", fact(map[string]any{}, map[string]any{"quote": "The dentist appointment is at 3 pm on Friday", "src": "dentist appointment", "rel": "scheduled_at", "dst": "2023-05-12T15:00", "valid_from": nil}),
			good + "\ndentist appointment | scheduled_for.datetime | 2023-05-12T15:00", Taken},
		{"twice the same", fact(map[string]any{}, map[string]any{}), good, Taken},
		{"an acquaintance", fact(map[string]any{"src": "Anna/cousin"}), strings.Replace(good, "Zed", "Anna/cousin", 1), Taken},
		{"related", fact(map[string]any{"src": "Anna", "rel": "related_to", "dst": "Zed", "relation": "cousin", "valid_from": nil}), "Anna | related_to | Zed (cousin)", Taken},
		{"nothing", `{"facts":[]}`, "", Taken},
		{"no such relation", fact(map[string]any{"rel": "married_to"}), rules, Nonsense},
		{"a quote that is not there", fact(map[string]any{"quote": "Zed moved to Rome"}), rules, Nonsense},
		{"a value that is not there", fact(map[string]any{"dst": "Rome"}), rules, Nonsense},
		{"nobody of that name", fact(map[string]any{"src": "Maximilian"}), rules, Nonsense},
		{"an empty subject", fact(map[string]any{"src": "Anna/"}), rules, Nonsense},
		{"no time", fact(map[string]any{"valid_from": "last spring"}), rules, Nonsense},
		{"a date that is none", fact(map[string]any{"rel": "scheduled_at", "dst": "Friday"}), rules, Nonsense},
		{"no polarity", fact(map[string]any{"polarity": "maybe"}), rules, Nonsense},
		{"no change", fact(map[string]any{"change": "update"}), rules, Nonsense},
		{"a relation without one", fact(map[string]any{"relation": "friend"}), rules, Nonsense},
		{"numbers for words", `{"facts":[{"quote":1}]}`, rules, Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readWith(t, func(x *Config) {
				x.RelationMode, x.Parts.Model = "C", &spoken{answers: map[string]string{asksFacts: c.answer}}
			}, text)
			if got := describeAll(r); got != c.want || fates(r.Answers) != "relation.C:llm:parrot-1:"+string(c.fate) {
				t.Errorf("%s, %s\nwant %s, %s", got, fates(r.Answers), c.want, c.fate)
			}
			for _, k := range r.Candidates {
				want := "rule"
				if c.fate == Taken {
					want = "llm:parrot-1"
				}
				if k.Source != want || c.fate == Taken && k.Confidence > 0.9 {
					t.Errorf("%s by %q with %.2f, want %q", k.Dst, k.Source, k.Confidence, want)
				}
			}
		})
	}
}

func TestTimesByLanguageModel(t *testing.T) {
	show := func(r Result) string {
		var out []string
		for _, x := range r.Times {
			out = append(out, x.Text+"="+x.Value)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		name, text, answer, want, fates string
	}{
		{"sure", "I came back yesterday.", `{"times":[{"text":"yesterday","value":"1999-01-01","type":"DATE"}]}`, "yesterday=2023-05-09", ""},
		{"either way", "We meet on 03/06/2023, not tomorrow.", `{"times":[{"text":"03/06/2023","value":"2023-06-03","type":"DATE"},{"text":"tomorrow","value":"1999-01-01","type":"DATE"}]}`,
			"03/06/2023=2023-06-03 tomorrow=2023-05-11", "time.C:llm:parrot-1:taken"},
		{"no time at all", "We meet on 03/06/2023.", `{"times":[{"text":"03/06/2023","value":"June","type":"DATE"}]}`, "03/06/2023=2023-03-06", "time.C:llm:parrot-1:nonsense"},
		{"words that are not there", "We meet on 03/06/2023.", `{"times":[{"text":"next week","value":"2023-W20","type":"DATE"}]}`, "03/06/2023=2023-03-06", "time.C:llm:parrot-1:nonsense"},
		{"a set that is none", "We meet on 03/06/2023.", `{"times":[{"text":"03/06/2023","value":"often","type":"SET"}]}`, "03/06/2023=2023-03-06", "time.C:llm:parrot-1:nonsense"},
		{"prose", "We meet on 03/06/2023.", `June`, "03/06/2023=2023-03-06", "time.C:llm:parrot-1:malformed"},
		{"long", "We meet on 03/06/2023." + strings.Repeat(" x", maxAsked), `{}`, "03/06/2023=2023-03-06", "time.C:llm:parrot-1:too_long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readWith(t, func(x *Config) {
				x.TimeLLM, x.Parts.Model = true, &spoken{answers: map[string]string{asksTimes: c.answer}}
			}, c.text)
			if got := show(r); got != c.want || fates(r.Answers) != c.fates {
				t.Errorf("%s, %q\nwant %s, %q", got, fates(r.Answers), c.want, c.fates)
			}
			for _, x := range r.Times {
				if c.text[x.Start:x.End] != x.Text || !x.OnCalendar() {
					t.Errorf("%+v does not stand in the text, or on the calendar", x)
				}
			}
		})
	}
}

// says is a resolver that gives what it is told.
type says []Coref

func (says) Version() string                  { return "says/1" }
func (s says) ResolveCoref(*Document) []Coref { return s }

func TestCorefByVote(t *testing.T) {
	d := func() *Document {
		text := "Dana met Ines. She told her that she left."
		turn := turnOf(t, "2023-05-10T14:00:00Z", text)
		return &Document{Text: text, Speaker: "Anna", tokens: tokenize(text), Local: turn.Local()}
	}
	at := func(start int, text, to string) Coref {
		return Coref{Text: text, Start: start, End: start + len(text), RefersTo: to}
	}
	first := says{at(15, "She", "Dana"), at(24, "her", "Ines")}
	second := says{at(15, "She", "Ines"), at(24, "her", "Ines"), at(33, "she", "Dana")}
	for _, c := range []struct {
		name, answer, want string
		fate               Fate
	}{
		{"votes", `{"votes":[{"pronoun":1,"choice":2},{"pronoun":2,"choice":1}]}`, "15 Ines 24 Ines 33 Dana", Taken},
		{"none of them", `{"votes":[{"pronoun":1,"choice":0},{"pronoun":2,"choice":0}]}`, "24 Ines", Taken},
		{"no vote", `{"votes":[]}`, "15 Dana 24 Ines", Taken},
		{"no such choice", `{"votes":[{"pronoun":1,"choice":3}]}`, "15 Dana 24 Ines", Nonsense},
		{"no such pronoun", `{"votes":[{"pronoun":7,"choice":1}]}`, "15 Dana 24 Ines", Nonsense},
		{"two votes", `{"votes":[{"pronoun":1,"choice":1},{"pronoun":1,"choice":2},{"pronoun":1,"choice":2}]}`, "15 Dana 24 Ines", Nonsense},
		{"prose", "Dana", "15 Dana 24 Ines", Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &spoken{answers: map[string]string{asksVotes: c.answer}}
			d := d()
			var got []string
			for _, x := range (votedCoref{asked{m}, first, second}).ResolveCoref(d) {
				got = append(got, fmt.Sprint(x.Start, " ", x.RefersTo))
			}
			if strings.Join(got, " ") != c.want || len(d.answers) != 1 || d.answers[0].Fate != c.fate {
				t.Errorf("%q, %s; want %q, %s", got, fates(d.answers), c.want, c.fate)
			}
		})
	}
	// Nobody is asked where they agree.
	m := &spoken{}
	if got := (votedCoref{asked{m}, first, first}).ResolveCoref(d()); len(got) != 2 || len(m.asked) != 0 {
		t.Errorf("%v, asked %q", got, m.asked)
	}
	// The whole pipeline: two women, the subject and the one named last.
	r := readWith(t, func(x *Config) {
		x.CorefMode, x.Parts.Model = "A+C", &spoken{answers: map[string]string{asksVotes: `{"votes":[{"pronoun":1,"choice":2}]}`}}
	}, "Maria met Susan at the station. She lives in Oslo.")
	if len(r.Corefs) != 1 || r.Corefs[0].RefersTo != "Susan" || r.Corefs[0].Subject != "Susan" || fates(r.Answers) != "coref.C:llm:parrot-1:taken" {
		t.Errorf("%+v, %s", r.Corefs, fates(r.Answers))
	}
}

// TestLanguageModelIsWanted: each option that asks one is refused without one, by its key.
func TestLanguageModelIsWanted(t *testing.T) {
	c := Config{PreprocessRule: true, NERMode: "C", CorefMode: "A+C", TimeRule: true, TimeLLM: true, RelationMode: "C"}
	_, err := New(c)
	for _, key := range []string{"ner.mode", "coref.mode", "time.llm_low_conf", "relation.mode"} {
		if !errors.Is(err, ErrMissingPart) || !strings.Contains(err.Error(), key+": ") || !strings.Contains(err.Error(), "llm.url") {
			t.Errorf("%v does not name %s and what to do", err, key)
		}
	}
	c.Parts.Model = &spoken{}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	// Whatever the text, an answer of nothing falls back and breaks nothing.
	plain := newPipeline(t)
	for _, text := range append(mixed, "", "...", "\xff\xfe", "她") {
		ctx := Context{Turn: turnOf(t, "2023-05-10T14:00:00Z", text)}
		got, want := p.Extract(ctx), plain.Extract(ctx)
		got.Answers = nil
		if a, b := fmt.Sprint(got.Entities, got.Times, got.Corefs, len(got.Candidates)), fmt.Sprint(want.Entities, want.Times, want.Corefs, len(want.Candidates)); a != b {
			t.Errorf("%q\n%s\nwithout a model\n%s", text, a, b)
		}
	}
	if _, err := New(Config{PreprocessRule: true, NERMode: "A", CorefMode: "off", TimeLLM: true, RelationMode: "A", Parts: c.Parts}); !errors.Is(err, ErrMissingPart) || !strings.Contains(err.Error(), "time.rule") {
		t.Errorf("doubts without a grammar: %v", err)
	}
}

// FuzzModelAnswer: whatever a language model answers, the result is well-formed, and what
// it adds stands in the text.
func FuzzModelAnswer(f *testing.F) {
	const text = "Zorba moved to Quux with Ines on 03/06/2023. She loves it. 我朋友王芳礼拜天来。"
	for _, answer := range []string{
		`{"entities":[{"text":"Quux","type":"LOC"}],"votes":[{"pronoun":1,"choice":1}],"times":[{"text":"03/06/2023","value":"2023-06-03","type":"DATE"}]}`,
		fact(map[string]any{"quote": "Zorba moved to Quux", "src": "Zorba", "dst": "Quux"}), fact(map[string]any{"dst": strings.Repeat("x", 300)}),
		"{}", "}{", "{", `{"entities":null,"facts":[null],"times":[{}],"votes":[{"pronoun":-1,"choice":1e9}]}`, `{"entities":[{"text":"\u0000","type":"LOC"}]}`,
		`{"facts":[{"quote":"Zorba","src":"Zorba/","rel":"owns","dst":"Quux","polarity":"+","change":"end","valid_to":"9999-12-31"}]}`, "\xff{\"entities\":[]}",
	} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		r := readWith(t, func(x *Config) {
			x.NERMode, x.RelationMode, x.CorefMode, x.TimeLLM = "C", "C", "A+C", true
			x.Parts.Model = &spoken{answers: map[string]string{"": answer}}
		}, text)
		checkResult(t, text, &r)
		for _, c := range r.Candidates {
			if c.Validate() != nil || c.Span.Start < 0 || c.Span.End > len(text) {
				t.Errorf("%+v", c)
			}
		}
		for _, x := range r.Times {
			if text[x.Start:x.End] != x.Text {
				t.Errorf("%+v", x)
			}
		}
	})
}
