package timex

import "unicode/utf8"

// zhRole is a set of the lists that have a word which starts with a character. It
// spares the rules most of what they would ask for in vain.
type zhRole uint16

const (
	zhDayRole   zhRole = 1 << iota // today, tomorrow
	zhPartRole                     // parts of the day
	zhUnitRole                     // units of time
	zhYearRole                     // years told from this one, eras
	zhFeastRole                    // feasts
	zhDigitRole                    // numbers
	zhShiftRole                    // last, this, next
	zhWeekRole                     // names of weekdays
	zhSpanRole                     // "the past …", "the next …"
	zhOtherRole                    // what else starts an expression
	zhCarrier                      // a character that carries a time
)

// zhFirst and zhLast bound the characters that have roles.
const zhFirst, zhLast = 0x3007, 0x9fff

var zhRoles = buildRoles()

func buildRoles() *[zhLast - zhFirst + 1]zhRole {
	out := new([zhLast - zhFirst + 1]zhRole)
	add := func(list string, r zhRole) {
		for _, c := range list {
			if c >= zhFirst && c <= zhLast {
				out[c-zhFirst] |= r
			}
		}
	}
	head := func(word string, r zhRole) {
		_, n := utf8.DecodeRuneInString(word)
		add(word[:n], r)
	}
	for i := range zhDayWords {
		head(zhDayWords[i].word, zhDayRole)
	}
	for i := range zhPartWords {
		head(zhPartWords[i].word, zhPartRole)
	}
	for i := range zhUnits {
		head(zhUnits[i].word, zhUnitRole)
	}
	for _, w := range zhYears {
		head(w.word, zhYearRole)
	}
	for _, w := range zhEras {
		head(w.word, zhYearRole)
	}
	for _, m := range zhFeasts {
		for name := range m {
			head(name, zhFeastRole)
		}
	}
	add("去明今上本这", zhYearRole)
	add("大年", zhFeastRole)
	add("零〇一二两三四五六七八九十百千廿卅", zhDigitRole)
	add("上下这本今当同次前", zhShiftRole)
	add("大", zhShiftRole)
	add("周星礼", zhWeekRole)
	add("过最近刚之未接前后上下今将往此这全", zhSpanRole)
	add("现目当宜而依眼至第后隔前头公农阴旧阳正冬腊闰首春夏秋冬早初晚仲盛深暮隆严寒暖金暑年月半几数好个分从自由在截每差北再过约大廿午子零", zhOtherRole)
	add("年月日号天周星礼时点分秒刻季世晚早午晨夜昼节小钟载旬底初末春夏秋冬假", zhCarrier)
	return out
}

// role gives the roles of a character.
func role(c rune) zhRole {
	if c < zhFirst || c > zhLast {
		if isDigit(c) {
			return zhDigitRole
		}
		return 0
	}
	return zhRoles[c-zhFirst]
}

// is tells whether the character at i has one of the roles.
func (z *chinese) is(i int, r zhRole) bool { return role(z.at(i))&r != 0 }

// zhReach bounds how far behind the first character of an expression the first
// one that carries a time stands.
const zhReach = 12

// starts tells for each character whether an expression can start there.
func (z *chinese) starts() []bool {
	out := make([]bool, len(z.r))
	next := len(z.r) + zhReach
	for i := len(z.r) - 1; i >= 0; i-- {
		c := z.r[i]
		r := role(c)
		if r&(zhCarrier|zhDayRole) != 0 || r&(zhFeastRole|zhDigitRole) == zhFeastRole || c == ':' || c == '/' || c == '-' && i+1 < len(z.r) && isDigit(z.r[i+1]) {
			next = i
		}
		out[i] = r&^zhCarrier != 0 && next-i < zhReach
	}
	return out
}
