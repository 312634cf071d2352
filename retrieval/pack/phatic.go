package pack

import (
	"strings"
	"sync"

	"github.com/asof-db/asof/internal/analyze"
)

// phatic tells whether a term only keeps a conversation going: it greets, thanks,
// praises, agrees or asks how one is. Stop words are among them.
func phatic(term string) bool { return analyze.Stop(term) || phaticTerms()[term] }

// phaticTerms holds the words below as the analysis gives them.
var phaticTerms = sync.OnceValue(func() map[string]bool {
	var a analyze.Analyzer
	terms := make(map[string]bool)
	for _, word := range strings.Fields(englishPhatic + chinesePhatic) {
		for _, term := range a.Terms(nil, word) {
			terms[term] = true
		}
	}
	return terms
})

const englishPhatic = `
hey hi hello yo wow whoa oh ah aw aww haha hahaha lol ugh hmm um uh
yeah yep yup yes nope nah ok okay alright well right sure exactly totally definitely absolutely certainly indeed agreed agree true truly
thanks thank thx appreciate appreciated appreciates grateful welcome please sorry worries worry problem cheers
great awesome amazing fantastic wonderful incredible lovely sweet nice cool good glad happy proud perfect excellent brilliant terrific
beautiful gorgeous stunning adorable cute impressive inspiring inspired inspiration interesting exciting excited thrilled delighted pleased fun
sounds sound seems looks look looking see seeing hear hearing heard know knows
congrats congratulations luck best wish wishes wishing hope hopes hoping bye goodbye later soon care talk catch chat
man dude buddy bro girl guy guys mate pal friend dear folks
keep going goes go gonna wanna gotta let lets get gets getting got
thing things stuff something anything everything nothing way kind lot lots bit ton tons
really so quite pretty super always never ever even still maybe actually honestly basically literally again
feel feels feeling make makes making sense think thought guess mean means believe say saying said tell telling told
like love loved loves enjoy day today time new long much many
i'm i've i'll i'd you're you've you'll it's that's there's what's how's we're they're
up going doing been hows whats anytime forward help support
`

const chinesePhatic = `
你好 您好 大家好 嗨 哈喽 喂 哈哈 哈哈哈 嘿嘿 呵呵 哇 哦 嗯嗯 好的 好呀 好啊 好吧 行 可以的 没问题 没事 没关系
谢谢 谢谢你 谢谢您 多谢 感谢 太谢谢你了 不客气 不用谢 对不起 抱歉 不好意思
太好了 太棒了 真棒 真好 真不错 不错 很好 很棒 好棒 厉害 真厉害 太厉害了 恭喜 恭喜你 祝贺 祝你好运 加油
是的 是啊 对 对啊 对的 没错 当然 确实 真的 真的吗 原来如此 听起来不错 听起来 听上去 太有趣了 有意思 真有趣
你呢 怎么样 最近怎么样 你最近怎么样 最近还好吗 好久不见 很高兴 见到你 听到 再见 拜拜 回头聊 回头见 保重 晚安 早上好 下午好 晚上好
我觉得 我想 我也 其实 就是 那么 非常 特别 真是 一定 期待
`
