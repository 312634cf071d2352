package extract

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"github.com/asof-db/asof/internal/analyze"
)

//go:embed lexicon/nick.txt
var nickText string

// nickOf gives the names that a form stands for, formsOf the forms of a name; both
// in lower case.
var nickOf, formsOf = readNicks()

func readNicks() (of, forms map[string][]string) {
	of, forms = map[string][]string{}, map[string][]string{}
	lines(nickText, func(name, rest string) {
		for f := range strings.FieldsSeq(rest) {
			of[f] = append(of[f], name)
			forms[name] = append(forms[name], f)
		}
	})
	return of, forms
}

// Words that are no part of a name: before people's, after firms'.
var (
	honorifics   = wordSet("mr mrs ms miss mx dr prof professor sir madam doctor")
	firmSuffixes = wordSet("inc incorporated ltd limited llc co corp corporation company gmbh plc ag sa bv")
	// weakWords may differ between two spellings of one name.
	weakWords     = wordSet("the of and a an & de la le")
	zhHonorifics  = []string{"老师", "先生", "女士", "小姐", "教授", "医生", "博士", "师傅", "同学", "经理"}
	zhFirmEndings = []string{"股份有限公司", "有限责任公司", "有限公司"}
)

// hanPairs are traditional characters of names, places and firms, each with its
// simplified form.
const hanPairs = "愛爱陳陈張张劉刘楊杨趙赵黃黄吳吴孫孙馬马羅罗鄭郑謝谢許许韓韩馮冯鄧邓蕭萧葉叶蘇苏魏魏呂吕盧卢薑姜鐘钟譚谭陸陆範范賈贾韋韦鄒邹閻阎龍龙陽阳賴赖龔龚嚴严萬万錢钱湯汤" +
	"國国華华東东風风雲云麗丽蘭兰鳳凤龍龙偉伟強强軍军輝辉傑杰寶宝貴贵榮荣興兴業业學学書书廣广豐丰慶庆廈厦門门灣湾臺台島岛縣县鄉乡鎮镇區区園园館馆廳厅樓楼橋桥場场車车飛飞機机電电氣气網网絡络訊讯視视" +
	"銀银鐵铁鋼钢鋒锋銳锐錦锦鑫鑫實实業业貿贸資资產产團团聯联盟盟協协會会術术藝艺醫医院院藥药衛卫護护師师傳传媒媒報报社社誌志雜杂畫画戲戏劇剧樂乐聲声響响讀读寫写語语說说話话詩诗詞词" +
	"潔洁靜静嫻娴瓊琼瑩莹穎颖瀟潇瀾澜瑤瑶嬌娇婭娅雙双葒荭蓮莲薔蔷蘋苹雞鸡魚鱼鳥鸟貓猫馮冯鵬鹏鴻鸿鶴鹤鷹鹰駿骏騰腾驊骅禮礼義义誠诚謙谦譽誉詠咏諾诺勝胜剛刚勵励勳勋協协倫伦億亿儀仪優优" +
	"寧宁濟济漢汉滬沪瀋沈蘇苏連连達达遠远進进運运邊边選选遼辽還还過过際际陝陕隴陇險险隊队階阶頭头領领題题願愿顯显類类頁页順顺項项顧顾飯饭館馆餅饼養养駐驻歐欧歸归歲岁歷历壓压參参單单" +
	"廠厂廚厨廟庙廢废彎弯後后從从徵征恆恒悅悦慧慧憶忆戰战戶户掃扫揚扬換换損损搖摇擇择擔担據据擴扩攝摄數数斷断於于時时晉晋曉晓暢畅曆历條条梁梁棟栋楓枫樹树橋桥檔档權权歡欢氫氢決决沖冲況况淚泪" +
	"涼凉淺浅測测湊凑滿满漁渔潤润澤泽濱滨燈灯營营燦灿爐炉爺爷爾尔狀状獅狮獨独獎奖瑪玛環环現现畢毕異异當当療疗發发皺皱監监盤盘眾众硯砚碼码確确礦矿禍祸種种稱称積积穩稳窮穷競竞筆笔節节簡简" +
	"粵粤糧粮紀纪約约紅红紋纹納纳純纯紙纸級级紐纽組组細细終终結结絕绝給给統统絲丝經经維维綠绿緣缘編编練练縱纵總总績绩織织繼继續续羅罗習习聖圣聞闻聰聪職职聽听肅肃膠胶臨临舉举舊旧艦舰莊庄" +
	"蔣蒋藍蓝處处號号蟲虫衆众補补裝装裡里複复見见規规親亲覺觉觀观計计記记設设試试認认課课調调請请論论證证識识譯译議议變变讓让豬猪貝贝財财責责貨货購购費费賀贺賓宾賞赏賢贤質质趙赵蹟迹軟软輪轮" +
	"輕轻載载較较輸输轉转農农遊游適适郵邮釀酿釋释針针鍾钟鏡镜長长開开間间閃闪閣阁關关陳陈陰阴陣阵隨随雖虽離离難难靈灵韻韵頂顶預预頓顿頻频顏颜飲饮餐餐騎骑驗验體体鬆松鬥斗點点齊齐龜龟"

// simplified maps traditional characters to simplified ones.
var simplified = readPairs()

func readPairs() map[rune]rune {
	m := map[rune]rune{}
	from := rune(0)
	for _, c := range hanPairs {
		if from == 0 {
			from = c
			continue
		}
		m[from] = c
		from = 0
	}
	return m
}

// nameForm is a name without what may differ between spellings.
type nameForm struct {
	// words are in lower case, without titles and legal forms, and in simplified
	// characters.
	words []string
	// title is the one that was left out.
	title string
	han   bool
}

// formOf gives the form of a name of a type.
func formOf(name, typ string) nameForm {
	s := analyze.NormalizeName(name)
	f := nameForm{han: isHan(firstRune(s))}
	s = strings.Map(func(r rune) rune {
		switch {
		case simplified[r] != 0:
			return simplified[r]
		case r == '\'' || r == '.' || r == '·':
			return -1
		case unicode.IsPunct(r) && r != '&':
			return ' '
		}
		return r
	}, strings.TrimSuffix(s, "'s"))
	f.words = strings.Fields(s)
	switch typ {
	case typePerson:
		for len(f.words) > 1 && honorifics[f.words[0]] {
			f.title, f.words = f.words[0], f.words[1:]
		}
		if len(f.words) == 1 && f.han {
			f.words[0] = cutEnding(f.words[0], zhHonorifics, 2)
		}
	case typeOrg:
		for len(f.words) > 1 && firmSuffixes[f.words[len(f.words)-1]] {
			f.words = f.words[:len(f.words)-1]
		}
		if len(f.words) == 1 && f.han {
			f.words[0] = cutEnding(f.words[0], zhFirmEndings, 2)
		}
	}
	if len(f.words) > 1 && typ != typePerson && f.words[0] == "the" {
		f.words = f.words[1:]
	}
	return f
}

// cutEnding cuts the first ending that leaves least characters or more.
func cutEnding(s string, endings []string, least int) string {
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(s, e); ok && len([]rune(rest)) >= least {
			return rest
		}
	}
	return s
}

func (f *nameForm) key() string { return strings.Join(f.words, " ") }

// nicknames tells whether one given name is a form of the other.
func nicknames(a, b string) bool {
	return slices.Contains(nickOf[a], b) || slices.Contains(nickOf[b], a)
}
