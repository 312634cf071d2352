package main

import (
	"strconv"
	"strings"
)

// prepareZh makes the lists of the Chinese slots.
func (m *maker) prepareZh() {
	for _, line := range m.lists["zh_words"] {
		f := strings.Split(line, "\t")
		if n, err := strconv.Atoi(f[1]); err == nil && f[2] == "L" && n >= 60 && runes(f[0]) >= 2 {
			m.lists["city"] = append(m.lists["city"], f[0])
		}
	}
	for _, p := range m.lists["zh_place"] {
		if n := runes(p); n >= 2 && n <= 6 {
			m.lists["place"] = append(m.lists["place"], p)
		}
	}
}

// chinese fills a slot of a Chinese template.
func (m *maker) chinese(slot string) string {
	list := func(name string, most int) string { l := m.lists[name]; return m.r.pick(l[:min(len(l), most)]) }
	odds := m.r.below(10)
	stem := func() string {
		s := m.r.pick(m.words["stem"])
		for m.r.below(3) > 0 && runes(s) < 4 {
			s += m.r.pick(m.words["stem"])
		}
		return s
	}
	switch slot {
	case "p", "g":
		if odds == 0 {
			return list("en_given", 2500)
		}
		s := m.r.pick(m.words["surname"])
		if odds == 1 {
			s = m.r.pick(m.lists["zh_surname"])
		}
		if odds < 5 {
			return s + m.r.pick(m.lists["zh_given"])
		}
		s += list("zh_given_char", 900)
		if odds < 9 {
			s += list("zh_given_char", 900)
		}
		return s
	case "l":
		c := m.r.pick(m.lists["city"])
		if odds < 3 {
			c = m.r.pick(m.lists["place"])
		}
		if odds == 9 && runes(c) == 2 {
			return m.r.pick(m.words["province"]) + c
		}
		return c
	case "m":
		return stem() + m.r.pick(m.words["place"])
	case "o":
		switch {
		case odds < 2 && len(m.bodies) > 0:
			return m.r.pick(m.bodies)
		case odds < 6:
			return m.r.pick(m.lists["city"]) + stem() + m.r.pick(m.words["body"])
		}
		return stem() + m.r.pick(m.words["body"])
	case "b":
		if odds < 3 {
			return list("en_tech", 5300)
		}
		return m.r.pick(m.lists["zh_brand"])
	case "t":
		return m.r.pick(m.titles)
	case "d":
		return strconv.Itoa(1 + m.r.below(60))
	}
	return m.r.pick(m.words[slot])
}
