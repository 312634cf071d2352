package pack

import (
	"context"
	"strings"

	"github.com/asof-db/asof/internal/analyze"
)

// Rewriter asks a question in other ways.
type Rewriter interface {
	// Angles gives other wordings of a question, at most n, without the question
	// itself.
	Angles(ctx context.Context, question string, n int) ([]string, error)
}

// angleCount is how many wordings a question has beside its own.
const angleCount = 3

// Rules rewrites by rules, without a model: once with other words for its own,
// once by what it is about alone, and once as people speak of it themselves.
type Rules struct{}

// Angles implements Rewriter. It never fails.
func (Rules) Angles(_ context.Context, question string, n int) ([]string, error) {
	var a analyze.Analyzer
	var telling []string
	var others []string
	for _, t := range a.Tokens(nil, question) {
		if analyze.Stop(t.Term) {
			continue
		}
		telling = append(telling, question[t.Start:t.End])
		others = append(others, synonymTable()[t.Term]...)
	}
	if len(telling) == 0 {
		return nil, nil
	}
	zh := language(question) == "zh"
	var out []string
	add := func(words []string, before string) {
		if len(out) < n && len(words) > 0 {
			out = append(out, strings.TrimSpace(before+" "+strings.Join(words, " ")))
		}
	}
	add(others, question)
	add(telling, "")
	if zh {
		add(telling, "我 我的")
	} else {
		add(telling, "I my mine")
	}
	return out, nil
}

// Words of questions about someone's life that answers put otherwise: each line
// holds words that stand for each other.
const synonymLines = `
job work position employer career profession
boss manager supervisor
buy bought purchase purchased got ordered
movie film
trip travel vacation holiday journey visit
doctor physician dentist clinic appointment
degree graduate graduated major college university
commute drive train bus
pet dog cat puppy kitten
house home apartment flat condo
car vehicle truck
wife husband spouse partner
kid kids child children son daughter
favorite favourite prefer like love
cost price paid spent expensive
exercise workout gym run running yoga
meal dinner lunch breakfast recipe cook
present gift
study class course lesson
game match tournament
song music band concert album
book novel read reading
hobby hobbies interest activity
city town live moved
phone mobile number
meeting call conference
bike bicycle cycling
photo picture image
工作 职业 职位 上班 公司
买 购买 买了 入手
电影 片子
旅行 旅游 出差 度假 旅程
医生 医院 看病 门诊
学校 大学 专业 毕业
宠物 狗 猫
房子 家 公寓 住 住在
妻子 丈夫 爱人 老婆 老公
孩子 儿子 女儿
喜欢 最爱 爱好 兴趣
价格 花了 多少钱
运动 健身 跑步
礼物 礼品
电话 手机 号码
会议 开会
生日 岁
`
