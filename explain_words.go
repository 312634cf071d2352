package asof

import (
	"github.com/asof-db/asof/assimilate"
	"github.com/asof-db/asof/dsl"
)

// ruleWords puts every rule that writes into words, in the order of Languages.
var ruleWords = map[string]sentences{
	"": {
		[2]string{"It was written directly, not read from a turn.", "这是直接写入的，不是从话语中读出的。"},
		[2]string{"It was changed directly, not by a turn.", "这是被直接修改的，不是由话语改变的。"}},
	assimilate.RuleNew: {
		[2]string{"Nothing was known about it before.", "此前对此一无所知。"},
		[2]string{"A new statement changed it.", "一条新的陈述改变了它。"}},
	assimilate.RuleAgain: {
		[2]string{"The same was known for another time; it holds again.", "同样的事在另一段时间成立过；它再次成立。"},
		[2]string{"It was said to hold for another time.", "有陈述说它在另一段时间成立。"}},
	assimilate.RuleMore: {
		[2]string{"The same was known for a part of the time; the rest is new.", "同样的事只知道一部分时间；其余是新的。"},
		[2]string{"It was said to hold for more time.", "有陈述说它成立的时间更长。"}},
	assimilate.RuleBeside: {
		[2]string{"It contradicts nothing that was known.", "它与已知的事没有矛盾。"},
		[2]string{"A statement beside it changed it.", "旁边的一条陈述改变了它。"}},
	assimilate.RuleReplace: {
		[2]string{"There can be one such value at a time, and the newer statement wins.", "同一时间只能有一个这样的值，较新的陈述优先。"},
		[2]string{"A newer statement gave another value, and there can be only one at a time.", "较新的陈述给出了另一个值，而同一时间只能有一个。"}},
	assimilate.RuleOpposite: {
		[2]string{"It says the opposite of what was known, and the newer statement wins.", "它与已知的事相反，较新的陈述优先。"},
		[2]string{"A newer statement said the opposite.", "较新的陈述说了相反的事。"}},
	assimilate.RuleOwnWord: {
		[2]string{"The part that the person had not spoken of is new.", "本人没有说过的那部分是新的。"},
		[2]string{"A statement about another time changed it.", "关于另一段时间的陈述改变了它。"}},
	assimilate.RuleEnd: {
		[2]string{"It was said to have ended; this is what is left.", "有陈述说它已结束；这是剩下的部分。"},
		[2]string{"It was said to have ended.", "有陈述说它已结束。"}},
	assimilate.RuleEndWithdraw: {
		[2]string{"It was said to have ended before all that was known of it.", "有陈述说它在已知的时间之前就已结束。"},
		[2]string{"It was said to have ended before all that was known of it.", "有陈述说它在已知的时间之前就已结束。"}},
	assimilate.RuleDeny: {
		[2]string{"It was denied for some of the time; this is what is left.", "它在一段时间内被否认；这是剩下的部分。"},
		[2]string{"It was denied for some of the time.", "它在一段时间内被否认。"}},
	assimilate.RuleDenyWithdraw: {
		[2]string{"It was denied for all of its time.", "它在全部时间内被否认。"},
		[2]string{"It was denied for all of its time.", "它在全部时间内被否认。"}},
	assimilate.RuleCorrectValue: {
		[2]string{"An explicit correction put this value in the place of another.", "明确的更正用这个值取代了另一个值。"},
		[2]string{"An explicit correction put another value in its place.", "明确的更正用另一个值取代了它。"}},
	assimilate.RuleCorrectTime: {
		[2]string{"An explicit correction said when it holds.", "明确的更正说明了它何时成立。"},
		[2]string{"An explicit correction said when it holds.", "明确的更正说明了它何时成立。"}},
	assimilate.RuleCorrectFrom: {
		[2]string{"An explicit correction gave this value for a part of the time.", "明确的更正给出了一段时间内的这个值。"},
		[2]string{"An explicit correction gave another value for a part of the time.", "明确的更正给出了一段时间内的另一个值。"}},
	assimilate.RuleCorrectDeny: {
		[2]string{"An explicit correction said that it never held; this is what is left.", "明确的更正说它从未成立；这是剩下的部分。"},
		[2]string{"An explicit correction said that it never held.", "明确的更正说它从未成立。"}},
	assimilate.RuleCorrectUnknown: {
		[2]string{"It was said as a correction, but what it corrects was not known: it is taken as a statement.", "它是作为更正说的，但被更正的内容并不为人所知：按陈述处理。"},
		[2]string{"A correction of something that was not known gave another value.", "对未知内容的更正给出了另一个值。"}},
	assimilate.RuleSame: {
		[2]string{"An edited turn says the same as before.", "编辑后的话语与之前说的相同。"},
		[2]string{"An edited turn says the same as before.", "编辑后的话语与之前说的相同。"}},
	dsl.RuleEdit: {
		[2]string{"The turn that had ended it was edited and does not say so any more.", "曾结束它的那句话已被编辑，不再这样说。"},
		[2]string{"The turn behind it was edited and does not say so any more.", "它所依据的那句话已被编辑，不再这样说。"}},
}
