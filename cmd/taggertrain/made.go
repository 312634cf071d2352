package main

import (
	_ "embed"
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
)

//go:embed turns_en.txt
var templatesEn string

//go:embed words_en.txt
var wordsEn string

//go:embed turns_zh.txt
var templatesZh string

//go:embed words_zh.txt
var wordsZh string

// made are how many turns a run of "train made" writes.
const made = 9000

// maker makes up turns of templates and names.
type maker struct {
	r     sequence
	words map[string][]string
	lists map[string][]string
	// titles, bodies are the works and organisations of the labelled turns.
	titles, bodies []string
}

// named are the slots that become names, with their types.
var named = map[string]string{"p": "PERSON", "g": "PERSON", "s": "PERSON", "l": "LOC", "m": "LOC", "o": "ORG", "b": "ORG", "t": "WORK"}

// writeMade writes made-up turns with the names of the gazetteers in a folder and
// of labelled turns.
func writeMade(lang, folder, out string, files []string) error {
	m := &maker{r: 11, words: map[string][]string{}, lists: map[string][]string{}}
	gazetteers, words, templates, fill := []string{"en_given", "en_surname", "en_city", "en_bigcity", "en_region", "en_tech", "en_brand", "en_common"}, wordsEn, templatesEn, m.english
	switch lang {
	case "en":
	case "zh":
		gazetteers, words, templates, fill = []string{"en_given", "en_tech", "zh_surname", "zh_given", "zh_given_char", "zh_place", "zh_brand", "zh_words"}, wordsZh, templatesZh, m.chinese
	default:
		return fmt.Errorf("made: no templates for %q; there are en and zh", lang)
	}
	for _, g := range gazetteers {
		l, err := readList(folder, g)
		if err != nil {
			return err
		}
		m.lists[g] = l
	}
	for line := range strings.Lines(words) {
		if k, rest, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && k[0] != '#' {
			m.words[k] = strings.Split(rest, ", ")
		}
	}
	if err := m.harvest(files); err != nil {
		return err
	}
	m.prepareZh()
	var lines []string
	for line := range strings.Lines(templates) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	f, err := os.Create(out)
	if err != nil {
		return fmt.Errorf("%w", err)
	}
	defer f.Close()
	for range made {
		t := m.turn(lines, lang == "en", fill)
		b, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("%w", err)
		}
		if _, err := f.Write(append(b, '\n')); err != nil {
			return fmt.Errorf("%w", err)
		}
	}
	return nil
}

// harvest takes the works and organisations of labelled turns.
func (m *maker) harvest(files []string) error {
	seen := map[string]bool{}
	for _, path := range files {
		turns, err := readTurns(path)
		if err != nil {
			return err
		}
		for _, t := range turns {
			for _, s := range t.spans() {
				name := t.Text[s.Start:s.End]
				if seen[s.Type+name] || len(name) < 2 || len(name) > 60 || strings.ToLower(name) == name && name[0] < 0x80 {
					continue
				}
				seen[s.Type+name] = true
				switch s.Type {
				case "WORK":
					m.titles = append(m.titles, name)
				case "ORG":
					m.bodies = append(m.bodies, name)
				}
			}
		}
	}
	return nil
}

// turn makes up a turn of one to three templates.
func (m *maker) turn(lines []string, spaced bool, fill func(slot string) string) turn {
	t := turn{Entities: []entity{}}
	for n := []int{1, 1, 2, 2, 3}[m.r.below(5)]; n > 0; n-- {
		line := m.r.pick(lines)
		if spaced && t.Text != "" {
			t.Text += " "
		}
		for line != "" {
			at := strings.IndexByte(line, '{')
			if at < 0 {
				t.Text += line
				break
			}
			end := strings.IndexByte(line, '}')
			t.Text += line[:at]
			slot := line[at+1 : end]
			line = line[end+1:]
			value := fill(slot)
			open, shut := "", ""
			if spaced {
				open, shut = m.marks(slot)
			}
			t.Text += open
			if typ := named[slot]; typ != "" {
				start := runes(t.Text)
				t.Entities = append(t.Entities, entity{start, start + runes(value), typ})
			}
			t.Text += value + shut
		}
	}
	return t
}

// quoted are how many of ten fills of a slot stand in marks.
var quoted = map[string]int{"t": 5, "o": 1, "event": 3, "course": 3, "head": 2, "dish": 1, "b": 0}

// marks gives what stands around a slot's fill: often quotes, seldom stars.
func (m *maker) marks(slot string) (open, shut string) {
	if m.r.below(10) >= quoted[slot] {
		return "", ""
	}
	switch m.r.below(8) {
	case 0, 1:
		return "'", "'"
	case 2:
		return "*", "*"
	case 3:
		return "“", "”"
	}
	return "\"", "\""
}

// capital gives a common English word with a capital.
func (m *maker) capital() string {
	for {
		if w := m.r.pick(m.lists["en_common"][200:5000]); len(w) > 2 {
			return strings.ToUpper(w[:1]) + w[1:]
		}
	}
}

// english fills a slot of an English template.
func (m *maker) english(slot string) string {
	list := func(name string, most int) string { l := m.lists[name]; return m.r.pick(l[:min(len(l), most)]) }
	odds := m.r.below(10)
	switch slot {
	case "g":
		return list("en_given", 2500)
	case "s":
		return list("en_surname", 6000)
	case "p":
		return list("en_given", 2500) + " " + list("en_surname", 6000)
	case "l":
		switch {
		case odds < 3:
			return list("en_region", 400)
		case odds < 7:
			return list("en_bigcity", 2400)
		}
		return list("en_city", 6000)
	case "m":
		name := m.capital()
		switch {
		case odds < 3:
			name = list("en_surname", 6000)
		case odds < 5:
			name = list("en_city", 6000)
		case odds < 6:
			name = "Mount " + name
			return name
		case odds < 7:
			return "Lake " + name
		}
		return name + " " + m.r.pick(m.words["place"])
	case "o":
		switch {
		case odds < 4:
			return m.r.pick(m.bodies)
		case odds < 6:
			return list("en_city", 6000) + " " + m.r.pick(m.words["team"])
		case odds < 8:
			return list("en_city", 6000) + " " + m.r.pick(m.words["body"])
		}
		return m.capital() + " " + m.capital()
	case "b", "B":
		switch {
		case odds < 4:
			return list("en_tech", 5300)
		case odds < 7:
			return list("en_brand", 4000)
		case odds < 8:
			return m.capital() + m.capital()
		case odds < 9:
			return m.capital() + " " + m.capital()
		}
		return m.capital()
	case "t":
		switch {
		case odds < 7:
			return m.r.pick(m.titles)
		case odds < 8:
			return "The " + m.capital() + " " + m.capital()
		case odds < 9:
			return m.capital() + " of " + m.r.pick([]string{"the ", "", "a "}) + m.capital()
		}
		return m.capital() + " " + m.capital()
	}
	return m.r.pick(m.words[slot])
}
