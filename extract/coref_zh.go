package extract

import (
	"strings"
	"unicode/utf8"
)

// zhNouns finds the Chinese nouns of lexicon/person.txt; zhNounKinds gives their
// kinds.
var zhNouns, zhNounKinds = readZhNouns()

func readZhNouns() (zhIndex, map[string]kinds) {
	m := map[string]kinds{}
	var all []string
	lines(personText, func(key, rest string) {
		k, ok := map[string]kinds{
			"zhmale": asHe | aPerson, "zhfemale": asShe | aPerson, "zhperson": asHe | asShe | aPerson,
			"zhanimal": asHe | asShe | asIt | anAnimal, "zhmany": asThey | aPerson | isMany,
			"zhevent": asIt | hasName, "zhthing": asIt,
		}[key]
		if !ok {
			return
		}
		for w := range strings.FieldsSeq(rest) {
			if m[w] == 0 {
				all = append(all, w)
			}
			m[w] = k
		}
	})
	for _, w := range append(zhLists["kin"], zhLists["job"]...) {
		if m[w] == 0 {
			m[w] = asHe | asShe | aPerson
			all = append(all, w)
		}
	}
	return newZhIndex(all), m
}

// readerZh reads one sentence with Chinese in it: bytes [at, end) of the turn.
type readerZh struct {
	*resolver
	at, end int
	// clause is where the clause at hand starts; acted tells that a verb was
	// passed in it.
	start int
	acted bool
}

// chinese reads tokens [a, b) for referents and pronouns.
func (r *resolver) chinese(a, b int) {
	text := r.d.Text
	z := readerZh{resolver: r, at: r.d.tokens[a].start, end: r.d.tokens[b-1].end}
	z.start = z.at
	for z.at < z.end && len(r.out) < maxCorefs {
		c, n := utf8.DecodeRuneInString(text[z.at:])
		switch {
		case strings.ContainsRune("，,。；;！!？?：:、…～~\n", c):
			if c == '，' || c == ',' {
				z.topic()
			}
			r.clause++
			r.subject = r.clause
			z.at += n
			z.start, z.acted = z.at, false
		case c == '他' || c == '她' || c == '它':
			z.pronoun(c)
		default:
			if !z.referent(c) {
				z.acted = z.acted || strings.ContainsRune(zhActs, c)
				z.at += n
			}
		}
	}
}

// zhActs are characters of verbs after which a noun is no subject.
const zhActs = "是叫有在去来给把对和跟让被买看用送养带做当写说爱想找见陪帮教到得了为"

// pronoun reads a pronoun at the place at hand.
func (z *readerZh) pronoun(c rune) {
	text := z.d.Text
	start, end := z.at, z.at+utf8.RuneLen(c)
	z.at = end
	p := pronoun{start: start, kinds: map[rune]kinds{'他': asHe, '她': asShe, '它': asIt}[c]}
	before := text[z.start:start]
	// 其他 and 吉他 are words; 他人 is others.
	if strings.HasSuffix(before, "其") || strings.HasSuffix(before, "吉") || strings.HasPrefix(text[end:], "人") {
		return
	}
	if strings.HasPrefix(text[end:], "们") {
		p.kinds = asThey
		end += len("们")
		z.at = end
	}
	p.end = end
	p.role = objectRole
	if !z.acted {
		p.role = subjectRole
	}
	if strings.HasPrefix(text[end:], "的") {
		p.owner, p.role = true, max(p.role, ownerRole)
	}
	if strings.HasPrefix(text[end:], "自己") {
		p.role = subjectRole
	}
	// 我上司他们单位: they are the one who was named with those around him.
	if p.kinds == asThey && len(z.refs) > 0 {
		if last := &z.refs[len(z.refs)-1]; last.end == start && last.kinds&aPerson != 0 && last.kinds&isMany == 0 {
			return
		}
	}
	z.beside(start)
	z.resolve(p)
}

// beside takes in a name that no entity was found for right before a pronoun at the
// start of a clause: 王思琪她.
func (z *readerZh) beside(at int) {
	if at-z.start > 3*utf8.UTFMax {
		return
	}
	head := z.d.Text[z.start:at]
	if len(head) > 3*utf8.UTFMax {
		return // counting a long one at every pronoun would cost the square of its length
	}
	if n := utf8.RuneCountInString(head); n < 2 || n > 3 || !strings.ContainsRune(zhSurnames, firstRune(head)) || len(z.refs) > 0 && z.refs[len(z.refs)-1].end > z.start || strings.ContainsAny(head, zhActs) {
		return
	}
	z.add(referent{text: head, subject: head, kinds: asHe | asShe | aPerson | hasName, leans: zhGender(head), start: z.start, end: at, role: subjectRole})
}

// referent takes in what is named at the place at hand; false where nothing is.
func (z *readerZh) referent(c rune) bool {
	text := z.d.Text
	if m := z.entityAt(z.at); m != nil {
		return z.named(m)
	}
	if c < 0x80 && isAlnum(c) {
		return z.model()
	}
	if w := zhMakers.prefix(text[z.at:z.end]); w != "" {
		if e := z.product(z.at + len(w)); e > z.at+len(w) {
			z.enter(z.at, e, referent{kinds: asIt | hasName})
			return true
		}
	}
	w := zhNouns.prefix(text[z.at:z.end])
	if w == "" {
		return false
	}
	return z.noun(w)
}

// topic takes in what a clause that is no more than a phrase names: 我将要参加的购物节，
func (z *readerZh) topic() {
	if len(z.refs) > 0 && z.refs[len(z.refs)-1].end == z.at {
		return
	}
	clause := z.d.Text[z.start:z.at]
	k := strings.LastIndex(clause, "的")
	if k < 0 {
		return
	}
	tail := clause[k+len("的"):]
	if n := utf8.RuneCountInString(tail); n < 3 || n > 16 || strings.ContainsAny(tail, "真很太是了在我你他她它这那和不会可") || !isHan(firstRune(tail)) {
		return
	}
	z.acted = false
	z.enter(z.at-len(tail), z.at, referent{kinds: asIt | hasName})
}

func (z *readerZh) role(start, end int) role {
	switch rest := z.d.Text[end:]; {
	case strings.HasPrefix(rest, "里"), strings.HasPrefix(rest, "上"), strings.HasPrefix(rest, "中"):
		return obliqueRole
	case z.acted:
		return objectRole
	case strings.HasPrefix(rest, "的"):
		return ownerRole
	}
	return subjectRole
}

// enter takes in bytes [start, end) as a referent.
func (z *readerZh) enter(start, end int, m referent) {
	m.start, m.end = start, end
	if m.text == "" {
		m.text = z.d.Text[start:end]
	}
	m.role = z.role(start, end)
	z.add(m)
	z.at = end
}

// named takes in an entity.
func (z *readerZh) named(m *Mention) bool {
	ref := referent{text: m.Text, head: m.Text}
	end := m.End
	switch m.Type {
	case typePerson:
		if z.talks(m.Text) {
			z.at = end
			return true
		}
		ref.kinds, ref.subject, ref.leans = asHe|asShe|aPerson|hasName, m.Text, zhGender(m.Text)
		// 李梅是我的姐姐: the noun tells the gender.
		if rest, ok := cutAny(z.d.Text[end:z.end], "是我的", "是我"); ok && strings.HasPrefix(z.d.Text[end:z.end], "是我") {
			if k := zhNounKinds[zhNouns.prefix(rest)]; k&aPerson != 0 && k&(asHe|asShe) != asHe|asShe {
				ref.kinds, ref.leans = ref.kinds&^(asHe|asShe)|k&(asHe|asShe), 0
			}
		}
	case typeOrg:
		ref.kinds = asIt | asThey | hasName | anOrg
		if e := z.product(end); e > end {
			end, ref.text, ref.kinds = e, z.d.Text[m.Start:e], asIt|hasName
		}
	case typeLoc:
		if e := z.event(m.Start); e > end {
			z.enter(m.Start, e, referent{kinds: asIt | hasName})
			return true
		}
		ref.kinds = asIt | hasName | aPlace
	case typeWork:
		ref.kinds = asIt | hasName | aWork
	default:
		z.at = end
		return true
	}
	z.enter(m.Start, end, ref)
	return true
}

// zhWomen and zhMen are characters of given names that one gender mostly has.
const (
	zhWomen = "婷芳丽娜娟敏静秀英霞燕玲萍红玉兰凤洁梅琳莹雪倩妍瑶怡婵雁蓓纨仪荷丹蓉眉君琴蕊薇菁梦岚苑婕馨瑗琰韵融园艺咏卿聪澜纯毓悦昭冰爽琬茗羽希欣飘育滢馥筠柔竹霭凝晓欢霄枫芸菲寒伊亚宜可姬舒影荔枝思丽妮姗菊娥嫣嫦媛妹"
	zhMen   = "伟刚勇毅俊峰强军平保东文辉力明永健世广志义兴良海山仁波宁贵福生龙元全国胜学祥才发武新利清飞彬富顺信子杰涛昌成康星光天达安岩中茂进林有坚和彪博诚先敬震振壮会思群豪心邦承乐绍功松善厚庆磊民友裕河哲江超浩亮政谦亨奇固之轮翰朗伯宏言若鸣朋斌梁栋维启克伦翔旭鹏泽晨辰士以建家致树炎德行时泰盛雄琛钧冠策腾楠榕风航弘宇轩昊"
)

// zhGender gives the pronouns that a name lets expect: of a Chinese one its last
// character that tells decides. 0 where none does.
func zhGender(name string) kinds {
	if !isHan(firstRune(name)) {
		first, _, _ := strings.Cut(lower(name), " ")
		return givenKinds[first]
	}
	_, n := utf8.DecodeRuneInString(name)
	given := name[n:]
	for given != "" {
		c, n := utf8.DecodeLastRuneInString(given)
		given = given[:len(given)-n]
		he, she := strings.ContainsRune(zhMen, c), strings.ContainsRune(zhWomen, c)
		switch {
		case she && !he:
			return asShe
		case he && !she:
			return asHe
		}
	}
	return 0
}

// zhStops end the name of a product: what is said about it begins.
const zhStops = "效真特很是的用拍性挺几不让能有太超简作在都也就还了给我你他她它这那和跟与对把被从到去来说要会可确实非感觉买帮穿戴吃喝看听玩，。！？、；：…（）()《》 \n"

// productRun bounds the name of a product, in characters.
const productRun = 14

// product gives the end of a product's name that goes on at a byte after the
// brand: 的Gel-Kayano26, 空气净化器, 那个奇焕润发精油; the byte itself where none does.
func (z *readerZh) product(at int) int {
	text := z.d.Text
	k := at
	for _, w := range []string{"的", "那个", "这个", "那款", "这款"} {
		if strings.HasPrefix(text[k:z.end], w) {
			k += len(w)
			break
		}
	}
	n, e := 0, k
	for e < z.end && n < productRun {
		c, size := utf8.DecodeRuneInString(text[e:])
		if strings.ContainsRune(zhStops, c) {
			break
		}
		if !isHan(c) && !isAlnum(c) && c != '-' {
			break
		}
		e += size
		n++
	}
	if n < 2 && !(n == 1 && isDigit(text[k])) || n >= productRun {
		return at
	}
	return e
}

// model takes in a name in Latin letters with what is written beside it: iPhone13,
// SK-II护肤精华露.
func (z *readerZh) model() bool {
	text := z.d.Text
	e, letters, digits := z.at, 0, 0
	for e < z.end {
		c := text[e]
		if c >= 0x80 || !isAlnum(rune(c)) && c != '-' && !(c == ' ' && e+1 < z.end && text[e+1] < 0x80 && isAlnum(rune(text[e+1])) && !isDigit(text[e+1])) {
			break
		}
		if isDigit(c) {
			digits++
		} else if c != ' ' && c != '-' {
			letters++
		}
		e++
	}
	start := z.at
	if letters < 2 || !z.atCapital(start, e) || noNames[lower(text[start:e])] {
		z.at = max(e, start+1)
		return true
	}
	if more := z.product(e); more > e && !strings.HasPrefix(text[e:], "的") {
		e = more
	}
	z.enter(start, e, referent{kinds: asIt | hasName})
	return true
}

// atCapital tells whether a capital stands in bytes [a, b).
func (z *readerZh) atCapital(a, b int) bool {
	return strings.ContainsAny(z.d.Text[a:b], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// event gives the end of the name of an event that starts at a byte, or 0.
func (z *readerZh) event(at int) int {
	text := z.d.Text
	best := 0
	for e, n := at, 0; e < z.end && n < 16; n++ {
		c, size := utf8.DecodeRuneInString(text[e:])
		if strings.ContainsRune("的是了在我你，。！？、；", c) {
			break
		}
		if w := zhNouns.prefix(text[e:z.end]); w != "" && n > 0 && zhNounKinds[w]&(hasName|aPerson) == hasName {
			best = e + len(w)
		}
		e += size
	}
	return best
}

// zhCounters stand between a number or 这 and a noun.
const zhCounters = "个位只条本部首款台辆家间件张把双座场名幅所"

// noun takes in a common noun with what points at it: 我的那个下属, 这部电影, 一只猫.
func (z *readerZh) noun(w string) bool {
	text := z.d.Text
	k := zhNounKinds[w]
	start, end := z.at, z.at+len(w)
	head := text[z.start:start]
	if k&hasName != 0 { // an event's kind: its name stands before it
		return z.occasion(start, end, w)
	}
	if strings.HasPrefix(text[end:], "们") && k&(aPerson|anAnimal) != 0 {
		k, end = k&^asPronoun|asThey|isMany, end+len("们")
	}
	if len(z.refs) > 0 && z.refs[len(z.refs)-1].end == start-zhPointed(head) && z.refs[len(z.refs)-1].kinds&k&asPronoun != 0 && k&(aPerson|anAnimal) == 0 {
		return false // 小米12这手机
	}
	whose, from := zhOwner(head)
	pointed := whose != "" || zhPointed(head) > 0
	if whose == "" && zhPointed(head) > 0 {
		from = zhPointed(head)
	}
	_, kin := zhKinSet[w]
	if !pointed && !(kin && k&(asHe|asShe|isMany) != 0 && len(w) > 3) && !(k&anAnimal != 0 && len(w) > 3) {
		if k&aPerson != 0 || utf8.RuneCountInString(w) < 2 {
			return false
		}
	}
	if k&(aPerson|anAnimal) == 0 && len(w) == len("画") && zhPointed(head) == 0 && !strings.HasSuffix(head, "的") {
		return false // 我画
	}
	if k&aPerson != 0 && (strings.HasSuffix(head, "是") || strings.HasSuffix(head, "当") || strings.HasSuffix(head, "做") || strings.HasSuffix(head, "她") || strings.HasSuffix(head, "他")) {
		return false // what somebody is
	}
	m := referent{kinds: k, head: w, text: text[start-from : end], weak: !pointed && k&(aPerson|anAnimal) == 0}
	if kin && k&aPerson != 0 && k&isMany == 0 && (whose == "我" || whose == "" && !pointed) {
		m.subject = z.speaker + "/" + w
	} else if kin && whose == "你" && !isAssistant(z.listener) {
		m.subject = z.listener + "/" + w
	}
	// 我妹妹李梅 is one.
	if p := z.entityAt(end); k&(aPerson|anAnimal) != 0 && k&isMany == 0 {
		at := end
		if p == nil {
			for _, v := range []string{"名字叫", "名叫", "叫做", "叫", "，叫"} {
				if strings.HasPrefix(text[end:z.end], v) {
					at = end + len(v)
					break
				}
			}
			if at > end {
				p = z.entityAt(at)
			}
		}
		if p != nil && p.Type == typePerson && !z.talks(p.Text) {
			m.text, m.subject, m.kinds, end = p.Text, p.Text, k|hasName, p.End
			if k&(asHe|asShe) == asHe|asShe && k&anAnimal == 0 {
				m.leans = zhGender(p.Text)
			}
		}
	}
	z.enter(start-from, end, m)
	return true
}

// zhKinSet holds the kin terms of the lexicon.
var zhKinSet = wordSet(strings.Join(zhLists["kin"], " "))

// zhOwner gives whose the noun after head is, "我" or "你", and how many bytes of
// the head belong to the phrase.
func zhOwner(head string) (whose string, from int) {
	h := head
	if n := zhPointed(h); n > 0 {
		h = h[:len(h)-n]
	}
	for _, w := range []string{"好", "亲", "大", "小", "老", "前", "新"} {
		if strings.HasSuffix(h, w) {
			h = h[:len(h)-len(w)]
			break
		}
	}
	h = strings.TrimSuffix(h, "的")
	for _, w := range []string{"我们", "我", "你", "您"} {
		if strings.HasSuffix(h, w) {
			h = h[:len(h)-len(w)]
			return strings.Replace(strings.TrimSuffix(w, "们"), "您", "你", 1), len(head) - len(h)
		}
	}
	return "", 0
}

// zhPointed gives how many bytes before the noun point at it: 这部, 那个, 一只.
func zhPointed(head string) int {
	h := strings.TrimSuffix(head, "小")
	c, n := utf8.DecodeLastRuneInString(h)
	if n == 0 {
		return 0
	}
	if strings.ContainsRune(zhCounters, c) {
		h = h[:len(h)-n]
		if c, n = utf8.DecodeLastRuneInString(h); n > 0 && strings.ContainsRune("这那一两几某哪", c) {
			return len(head) - len(h) + n
		}
		return 0
	}
	if c == '这' || c == '那' {
		return len(head) - len(h) + n
	}
	return 0
}

// occasion takes in an event whose name ends with w: the phrase before it up to
// 的, a verb or a pronoun.
func (z *readerZh) occasion(start, end int, w string) bool {
	text := z.d.Text
	k := start
	for n := 0; k > z.start && n < 14; n++ {
		c, size := utf8.DecodeLastRuneInString(text[z.start:k])
		if strings.ContainsRune("的是了在我你他她它加办去过场次届，。", c) || !isHan(c) && c != '·' && !isAlnum(c) {
			break
		}
		k -= size
	}
	if k == start {
		return false
	}
	z.enter(k, end, referent{kinds: asIt | hasName, head: w})
	return true
}
