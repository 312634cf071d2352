package question

import "strings"

// Answer is what kind of answer a question is after.
type Answer string

// The kinds. Latest is a question for the state of things now that asks neither
// when nor how many nor who nor where nor why.
const (
	Other      Answer = "other"
	When       Answer = "when"
	Count      Answer = "count"
	Latest     Answer = "latest"
	Preference Answer = "preference"
	YesNo      Answer = "yesno"
	Who        Answer = "who"
	Where      Answer = "where"
	Why        Answer = "why"
)

// Order says which of several is asked for.
type Order string

// None is any of them, Newest what holds now or came last.
const (
	None   Order = ""
	First  Order = "first"
	Newest Order = "newest"
)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	auxiliaries = set("is are was were am do does did has have had can could will would should shall may might isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't")
	calendarEN  = set("day days week weeks weekend weekends month months year years night morning afternoon evening summer winter spring autumn fall monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december few couple two three four five six seven eight nine ten")
	dateNouns   = set("date dates day year month time week season")
	newestEN    = set("latest newest currently nowadays recently recent current now")
	preferEN    = set("favorite favourite favorites favourites prefer prefers preferred preference preferences hobby hobbies recommend recommendation recommendations suggest suggestion suggestions advice tips likes dislike dislikes")
	notPlural   = set("is was does has this his its yes us less news always perhaps")
	// preferAfter are verbs of taste, which ask for a preference after one of
	// "does she", "do I".
	preferAfter = set("like love enjoy")
)

var (
	whenZH   = []string{"什么时候", "啥时候", "何时", "几号", "几月", "哪天", "哪一天", "哪年", "哪一年", "哪个月", "几点", "什么时间", "多久前", "多久以前", "哪日", "时间是什么"}
	countZH  = []string{"多少", "几个", "几次", "几天", "几种", "几位", "几本", "几部", "几年", "几岁", "几只", "几条", "几名", "多久", "多大", "多长", "多高", "多远", "多重", "总共", "一共"}
	whoZH    = []string{"谁", "哪位", "哪个人", "什么人"}
	whereZH  = []string{"哪里", "哪儿", "在哪", "什么地方", "哪个城市", "哪个国家", "地点是什么", "何处", "去哪"}
	whyZH    = []string{"为什么", "为何", "为啥", "怎么会", "原因是什么", "什么原因"}
	newestZH = []string{"最新", "最近一次", "目前", "现在", "当前", "如今", "现如今", "最近", "近期", "最后一次", "上一次", "上次"}
	firstZH  = []string{"第一次", "最早", "首次", "第一个", "最先", "最初"}
	preferZH = []string{"最喜欢", "喜欢", "偏好", "爱好", "最爱", "推荐", "建议", "更爱"}
	yesNoZH  = []string{"吗", "是不是", "有没有", "是否", "会不会", "能不能", "对不对", "去没去"}
	listZH   = []string{"哪些", "有什么", "列出", "列举", "都有谁", "都有什么", "哪几"}
)

// order finds whether the first or the newest is asked for.
func (r *reader) order() Order {
	for i, w := range r.words {
		if !r.inPart(w.Start) {
			continue
		}
		switch {
		case w.low == "first" && r.at(i+1) != "of" && !calendarEN[r.at(i+1)], w.low == "earliest":
			return First
		case newestEN[w.low]:
			return Newest
		case w.low == "last" && !calendarEN[r.at(i+1)] && r.at(i-1) != "at":
			return Newest
		case w.low == "anymore", w.low == "still" && i > 0:
			return Newest
		}
	}
	if r.hasAny(firstZH) {
		return First
	}
	if r.hasAny(newestZH) {
		return Newest
	}
	return None
}

// hasAny tells whether a part of the question has one of the phrases.
func (r *reader) hasAny(phrases []string) bool {
	for _, p := range r.asked {
		for _, x := range phrases {
			if strings.Contains(r.low[p.Start:p.End], x) {
				return true
			}
		}
	}
	return false
}

// kind finds what kind of answer is wanted, and whether several.
func (r *reader) kind(order Order) (Answer, bool) {
	kind, listing := r.kindEN()
	if zh := r.kindZH(); kind == Other || kind == YesNo || kind == Preference && zh != Other {
		if zh != Other {
			kind = zh
		}
	}
	if r.hasAny(listZH) {
		listing = true
	}
	if order == Newest && (kind == Other || kind == YesNo) {
		kind = Latest
	}
	return kind, listing
}

// countsZH tells whether a part asks 几 of things: 几盆, 几双.
func (r *reader) countsZH() bool {
	for _, p := range r.asked {
		text := r.low[p.Start:p.End]
		for at := strings.Index(text, "几"); at >= 0; {
			rest := text[at+len("几"):]
			if rest != "" && hanAt(rest, 0) && prefixOf(rest, []string{"乎", "点", "号", "月"}) == 0 && !strings.HasSuffix(text[:at], "哪") {
				return true
			}
			next := strings.Index(rest, "几")
			if next < 0 {
				break
			}
			at += len("几") + next
		}
	}
	return false
}

func (r *reader) kindZH() Answer {
	switch {
	case r.hasAny(whenZH):
		return When
	case r.hasAny(countZH), r.countsZH():
		return Count
	case r.hasAny(whyZH):
		return Why
	case r.hasAny(whereZH):
		return Where
	case r.hasAny(whoZH):
		return Who
	case r.hasAny(preferZH):
		return Preference
	case r.hasAny(yesNoZH):
		return YesNo
	}
	return Other
}

// nounKinds are kinds of answer that a noun names.
var nounKinds = map[string]Answer{
	"city": Where, "cities": Where, "country": Where, "countries": Where, "place": Where, "places": Where, "state": Where,
	"states": Where, "location": Where, "locations": Where, "town": Where, "number": Count, "amount": Count, "reason": Why, "reasons": Why,
}

// kindEN finds the first question word; without one, a verb in front asks yes or
// no.
func (r *reader) kindEN() (kind Answer, listing bool) {
	kind = Other
	prefer := false
	asked := -1 // the first question word
	first := true
	for i, w := range r.words {
		if !r.inPart(w.Start) {
			first = true
			continue
		}
		opens := first || r.opensSentence(i)
		first = false
		if preferEN[w.low] || preferAfter[w.low] && i > 1 && (auxiliaries[r.at(i-1)] || auxiliaries[r.at(i-2)] || auxiliaries[r.at(i-3)]) {
			prefer = true
		}
		if w.low == "list" && opens || w.low == "all" && i > 0 && (r.at(i-1) == "are" || r.at(i-1) == "list") {
			listing = true
		}
		if asked >= 0 {
			continue
		}
		// Inside a sentence "who", "when" and the rest mostly join clauses: they
		// ask only in front, or before a verb that is turned round.
		asks := opens || auxiliaries[r.at(i+1)] || i > 0 && (r.at(i-1) == "and" || r.at(i-1) == "remind" || r.at(i-1) == "me" || r.at(i-1) == "from" || r.at(i-1) == "since")
		switch w.low {
		case "when", "when's":
			if asks && (opens || auxiliaries[r.at(i+1)]) {
				kind, asked = When, i
			}
		case "how":
			kind, asked = howEN(r.at(i+1), r.at(i+2), r.at(i+3)), i
		case "who", "whom", "whose", "who's":
			if asks {
				kind, asked = Who, i
			}
		case "where", "where's":
			if asks {
				kind, asked = Where, i
			}
		case "why":
			kind, asked = Why, i
		case "what", "which", "what's":
			asked = i
			if next := r.at(i + 1); (next == "is" || next == "was" || w.low == "what's") && kind == Other {
				// "What was the reason", "what's the date": the noun says it.
				at := i + 2
				if w.low == "what's" {
					at--
				}
				if r.at(at) == "the" {
					noun := r.at(at + 1)
					if k, ok := nounKinds[noun]; ok {
						kind = k
					} else if dateNouns[noun] {
						kind = When
					}
				}
			}
			for j := 1; j <= 3; j++ {
				noun := r.at(i + j)
				if auxiliaries[noun] && noun != "are" || noun == "" {
					break
				}
				if dateNouns[noun] && j == 1 {
					kind = When
				}
				if k, ok := nounKinds[noun]; ok && kind == Other {
					kind = k
				}
				if strings.HasSuffix(noun, "s") && len(noun) > 3 && !strings.HasSuffix(noun, "ss") && !strings.HasSuffix(noun, "'s") && !notPlural[noun] && !calendarEN[noun] && auxiliaries[r.at(i+j+1)] || noun == "are" {
					listing = true
				}
			}
		default:
			if opens && auxiliaries[w.low] && kind == Other {
				kind = YesNo
			}
		}
	}
	if prefer && (kind == Other || kind == YesNo) {
		kind = Preference
	}
	return kind, listing
}

// howEN reads what "how" asks for.
func howEN(next, second, third string) Answer {
	switch next {
	case "many", "much", "often", "old", "tall", "far", "big", "large", "heavy", "frequently":
		if dateUnits[second] && third == "ago" {
			return When
		}
		return Count
	case "long":
		if second == "ago" {
			return When
		}
		return Count
	case "come":
		return Why
	}
	return Other
}

var dateUnits = set("days weeks months years")

// opensSentence tells whether a word is the first of a sentence.
func (r *reader) opensSentence(i int) bool {
	from := 0
	if i > 0 {
		from = r.words[i-1].End
	}
	return i == 0 || strings.ContainsAny(r.low[from:r.words[i].Start], ".?!\n:") || strings.Contains(r.low[from:r.words[i].Start], "？") || strings.Contains(r.low[from:r.words[i].Start], "。")
}
