package analyze

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Stop reports whether term, as Tokens gives it, says nothing about what a
// question is after: an English or Chinese function word. Terms are indexed
// whether they are stop words or not; a query may leave them out.
func Stop(term string) bool {
	if stopTerms()[term] {
		return true
	}
	// A pair of Chinese characters that both only serve (我的, 了吗).
	first, size := utf8.DecodeRuneInString(term)
	if size == 0 || size == len(term) {
		return false
	}
	second, rest := utf8.DecodeRuneInString(term[size:])
	return size+rest == len(term) && strings.ContainsRune(servingChars, first) && strings.ContainsRune(servingChars, second)
}

// stopTerms holds the words below as the analysis gives them.
var stopTerms = sync.OnceValue(func() map[string]bool {
	var a Analyzer
	stops := make(map[string]bool)
	for _, word := range strings.Fields(englishStops + chineseStops) {
		for _, term := range a.Terms(nil, word) {
			stops[term] = true
		}
	}
	for _, r := range servingChars {
		stops[string(r)] = true
	}
	return stops
})

const englishStops = `
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
who whom whose what which when where why how
am is are was were be been being do does did doing done have has had having
will would shall should can could may might must ought
don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't can't couldn't shouldn't mustn't
and or but nor if then else so than because as until while though although
of at by for with about against between into through during before after
to from up down in out on off over under
again further once here there all any both each few more most other some such
no not only own same too very just also
`

const chineseStops = `
什么 怎么 怎样 怎么样 哪里 哪儿 哪个 哪些 为什么 多少 几个 谁 何时 时候
我们 你们 他们 她们 它们 咱们 自己 这个 那个 这些 那些 这里 那里 这样 那样
因为 所以 但是 可是 不过 如果 虽然 而且 或者 还是 以及 并且 然后 于是
可以 已经 正在 曾经 一个 一些 一下 有没有 是不是 是否
关于 对于 由于 通过 根据 按照
`

// servingChars are characters that, alone or in pairs of each other, only
// serve a sentence.
const servingChars = "的了是在我你他她它们这那和与吗呢吧啊呀嘛哦嗯也都就还而及着过把被让给从向于之其么什谁"
