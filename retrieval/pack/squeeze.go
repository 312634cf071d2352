package pack

import (
	"strings"
	"unicode/utf8"

	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
	"github.com/asof-db/asof/internal/analyze"
)

// A turn keeps at least keepShare of its telling words, in percent, to be whole.
const keepShare = 67

// squeezer shortens turns by leaving out whole sentences.
type squeezer struct {
	analyzer *analyze.Analyzer
	// asked are the telling terms of the question, names those of the names of
	// people who speak, which tell nothing of a sentence that addresses them.
	asked, names map[string]bool
}

// newSqueezer makes the squeezer of a question.
func newSqueezer(a *analyze.Analyzer, question string) *squeezer {
	s := &squeezer{analyzer: a, asked: map[string]bool{}, names: map[string]bool{}}
	for _, t := range a.Terms(nil, question) {
		if !analyze.Stop(t) {
			s.asked[t] = true
		}
	}
	return s
}

// sentence is a piece of a turn that stays or goes as a whole.
type sentence struct {
	text string
	// tokens counts its tokens, telling its content words.
	tokens, telling int
	// asked tells that it shares a term with the question, question that it is one
	// itself, caption that it says what a picture shows.
	asked, question, caption bool
	kept                     bool
}

// shortened is a turn after squeezing.
type shortened struct {
	text string
	// whole tells that enough of what it tells is left.
	whole bool
}

// squeeze shortens a turn. Among the first, it leaves out only what tells
// nothing; deep, also what shares nothing with the question, as far as the turn
// stays whole, and all of a turn that tells nothing. It goes below that only to
// keep to most tokens.
func (s *squeezer) squeeze(turn *dsl.Turn, deep bool, most int) shortened {
	list := s.sentences(turn)
	for i := range list {
		x := &list[i]
		x.kept = x.asked || x.caption || x.telling > 0 && !x.question
	}
	if !anyKept(list) {
		if deep {
			return shortened{}
		}
		for i := range list {
			list[i].kept = i == 0 || list[i].question
		}
	}
	all := told(list, func(x *sentence) bool { return x.kept || !x.question })
	tokens := 0
	for i := range list {
		if list[i].kept {
			tokens += list[i].tokens
		}
	}
	left := told(list, func(x *sentence) bool { return x.kept })
	for deep || tokens > most {
		at := weakest(list, func(x *sentence) bool {
			return 100*(left-x.telling) >= keepShare*all
		})
		if at < 0 && tokens > most {
			at = weakest(list, func(*sentence) bool { return true })
			if at < 0 {
				at = last(list)
			}
		}
		if at < 0 {
			break
		}
		list[at].kept = false
		left, tokens = left-list[at].telling, tokens-list[at].tokens
	}
	var out []string
	for i := range list {
		if list[i].kept {
			out = append(out, list[i].text)
		}
	}
	return shortened{text: strings.Join(out, " "), whole: 100*left >= keepShare*all}
}

// whole gives all of a turn on one line, its attachments after it.
func (s *squeezer) whole(turn *dsl.Turn) string {
	parts := []string{oneLine(turn.Text.String())}
	for _, a := range turn.Attachments {
		parts = append(parts, "("+a.Kind+": "+oneLine(a.Text.String())+")")
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// shared counts the different telling terms of the question in a text.
func (s *squeezer) shared(text string) int {
	seen := map[string]bool{}
	for _, t := range s.analyzer.Terms(nil, text) {
		if s.asked[t] {
			seen[t] = true
		}
	}
	return len(seen)
}

// told counts the content words of some sentences.
func told(list []sentence, of func(*sentence) bool) (n int) {
	for i := range list {
		if of(&list[i]) {
			n += list[i].telling
		}
	}
	return n
}

// weakest gives the kept sentence that may go and shares nothing with the
// question, the one that tells least for its length first, or -1: one sentence
// always stays.
func weakest(list []sentence, may func(*sentence) bool) int {
	at, kept := -1, 0
	for i := range list {
		x := &list[i]
		if !x.kept {
			continue
		}
		kept++
		if x.asked || !may(x) {
			continue
		}
		if at < 0 || x.telling*max(list[at].tokens, 1) < list[at].telling*max(x.tokens, 1) {
			at = i
		}
	}
	if kept < 2 {
		return -1
	}
	return at
}

// last gives the last kept sentence, or -1 where one alone is left.
func last(list []sentence) int {
	at, kept := -1, 0
	for i := range list {
		if list[i].kept {
			at, kept = i, kept+1
		}
	}
	if kept < 2 {
		return -1
	}
	return at
}

func anyKept(list []sentence) bool {
	for i := range list {
		if list[i].kept {
			return true
		}
	}
	return false
}

// know takes the names of those who speak in a turn.
func (s *squeezer) know(turn *dsl.Turn) {
	for _, name := range []dsl.Text{turn.Speaker, turn.Listener} {
		for _, t := range s.analyzer.Terms(nil, name.String()) {
			s.names[t] = true
		}
	}
}

// sentences takes a turn apart: its sentences, and what its attachments show.
func (s *squeezer) sentences(turn *dsl.Turn) []sentence {
	s.know(turn)
	text := turn.Text.String()
	var list []sentence
	for _, span := range extract.Sentences(text) {
		list = append(list, s.weigh(oneLine(text[span.Start:span.End])))
	}
	for _, a := range turn.Attachments {
		x := s.weigh("(" + a.Kind + ": " + plainCaption(oneLine(a.Text.String())) + ")")
		x.caption = true
		list = append(list, x)
	}
	return list
}

// weigh counts what a sentence tells.
func (s *squeezer) weigh(text string) sentence {
	x := sentence{text: text, tokens: assimilate.Tokens(text)}
	for _, t := range s.analyzer.Terms(nil, text) {
		if s.names[t] {
			continue
		}
		x.asked = x.asked || s.asked[t]
		if !phatic(t) {
			x.telling++
		}
	}
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " \"'”’)）」』*"))
	x.question = r == '?' || r == '？'
	return x
}

// oneLine puts a text on one line, without repeated white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// captionOpenings are words by which captions begin and which tell nothing.
var captionOpenings = []string{"a photo of", "a photography of", "a photograph of", "a picture of", "an image of", "a close up of"}

// plainCaption leaves out the words by which a caption says that it is one.
func plainCaption(text string) string {
	for _, opening := range captionOpenings {
		if len(text) > len(opening) && strings.EqualFold(text[:len(opening)], opening) {
			return strings.TrimLeft(text[len(opening):], " ")
		}
	}
	return text
}

// language gives the language of a text: "zh" where it has a Han character.
func language(text string) string {
	for _, r := range text {
		if r >= 0x3400 && r <= 0x9FFF {
			return "zh"
		}
	}
	return "en"
}
