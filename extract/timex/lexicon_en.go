package timex

import "strings"

// class is a set of the roles that a word can have in a time expression.
type class uint32

const (
	monthName class = 1 << iota
	weekdayName
	unitName
	cardinal
	ordinal
	modifier   // last, this, next: n is the shift
	seasonName // code
	partName   // code
	dayWord    // today: n is the shift in days
	feastStart // first word of the name of a feast
	zoneName   // n is the offset in minutes
	plural
	// lead words start an expression that the next word goes on with.
	lead
	// carrier words can carry an expression: without one of them, or a digit, a
	// text has none.
	carrier
)

// word is what the table knows of a word.
type word struct {
	class class
	// n is the number of a month, weekday, cardinal or ordinal, the shift of a
	// modifier or day word.
	n int
	// grain is that of a unit; code that of a season or part of the day.
	grain grain
	code  string
}

var words = buildWords()

// wordShapes tells of a first letter and a length whether the table has such a
// word; it spares most words the look-up.
var wordShapes = func() (out [26][maxWord + 1]bool) {
	for w := range words {
		if len(w) <= maxWord && w[0] >= 'a' && w[0] <= 'z' {
			out[w[0]-'a'][len(w)] = true
		}
	}
	return out
}()

func buildWords() map[string]word {
	out := map[string]word{}
	add := func(list string, w word) {
		for _, s := range strings.Fields(list) {
			old := out[s]
			w := w
			w.class |= old.class
			if old.class != 0 { // a word of two roles keeps what it had
				if old.n != 0 {
					w.n = old.n
				}
				if old.grain != noGrain {
					w.grain = old.grain
				}
				if old.code != "" {
					w.code = old.code
				}
			}
			out[s] = w
		}
	}
	for i, s := range strings.Split("january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec", "|") {
		add(s, word{class: monthName | carrier, n: i + 1})
	}
	for i, s := range strings.Split("monday mon|tuesday tues tue|wednesday wed weds wednes|thursday thurs thur thu|friday fri|saturday sat|sunday sun", "|") {
		add(s, word{class: weekdayName | carrier, n: i + 1})
	}
	for i, s := range strings.Split("mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays", "|") {
		add(s, word{class: weekdayName | carrier | plural, n: i + 1})
	}
	for _, u := range []struct {
		one, many string
		grain     grain
	}{
		{"second sec", "seconds secs", second}, {"minute min", "minutes mins", minute}, {"hour hr", "hours hrs", hour},
		{"day", "days", dayGrain}, {"week wk", "weeks wks", week}, {"weekend wkend wknd", "weekends wkends", weekend},
		{"month mth", "months mths", month}, {"quarter qtr qr", "quarters qtrs", quarter}, {"year yr", "years yrs", year},
		{"decade", "decades", decade}, {"century", "centuries", century}, {"season", "seasons", season}, {"fortnight", "fortnights", week},
	} {
		add(u.one, word{class: unitName | carrier, grain: u.grain})
		add(u.many, word{class: unitName | carrier | plural, grain: u.grain})
	}
	for i, s := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty") {
		c := cardinal
		if i > 12 { // a smaller one says no time by itself
			c |= carrier
		}
		add(s, word{class: c, n: i})
	}
	for i, s := range strings.Fields("thirty forty fifty sixty seventy eighty ninety hundred") {
		add(s, word{class: cardinal | carrier, n: 30 + 10*i})
	}
	add("thousand", word{class: cardinal | carrier, n: 1000})
	for i, s := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth") {
		add(s, word{class: ordinal, n: i + 1})
	}
	add("thirtieth", word{class: ordinal, n: 30})
	add("last previous past preceding", word{class: modifier, n: -1})
	add("this current", word{class: modifier})
	add("next coming upcoming following", word{class: modifier, n: 1})
	for s, code := range map[string]string{"spring": "SP", "summer": "SU", "autumn": "FA", "fall": "FA", "winter": "WI"} {
		add(s, word{class: seasonName | carrier, code: code, grain: season})
		add(s+"s", word{class: seasonName | carrier | plural, code: code, grain: season})
	}
	for list, code := range map[string]string{
		"morning": "MO", "afternoon afternoonish": "AF", "evening eveningish": "EV", "night nighttime": "NI", "daytime": "DT", "noonish": "MI",
		"breakfast breakfasttime": "MEB", "lunch lunchtime brunch": "MEL", "dinner dinnertime supper": "MED",
	} {
		add(list, word{class: partName | carrier, code: code})
	}
	for s, code := range map[string]string{"mornings": "MO", "afternoons": "AF", "evenings": "EV", "nights": "NI"} {
		add(s, word{class: partName | carrier | plural, code: code})
	}
	for s, n := range map[string]int{"today": 0, "tomorrow": 1, "tomorrows": 1, "tmrw": 1, "tmr": 1, "yesterday": -1, "tonight": 0, "tonite": 0} {
		add(s, word{class: dayWord | carrier, n: n})
	}
	for s, n := range map[string]int{"utc": 0, "gmt": 0, "bst": 60, "cet": 60, "cest": 120, "est": -300, "edt": -240, "et": -300, "cst": -360, "cdt": -300, "ct": -360, "mst": -420, "mdt": -360, "mt": -420, "pst": -480, "pdt": -420, "pt": -480, "ist": 330, "jst": 540, "hkt": 480, "aest": 600} {
		add(s, word{class: zoneName, n: n})
	}
	add("daily weekly monthly yearly annually annual quarterly hourly biweekly fortnightly everyday noon midnight midday oclock nowadays now eom eoy bom boy asap semiannual semiannually half halves noonish weekday weekdays workday biannual biannually fiscal financial present moment nineties eighties seventies sixties fifties thirties twenties couple eod", word{class: carrier})
	add("the a an in from between at every each end beginning start middle early late mid earlier later rest remaining remainder once twice thrice per any few several couple half quarter within same that daily weekly monthly yearly annually annual quarterly hourly biweekly fortnightly everyday semiannual semiannually biannual biannually bi semi right now to all as q week weekend weekends calendar fiscal financial school academic fy sy noon midnight midday noonish atm asap for", word{class: lead})
	for _, f := range feastsByWord {
		for i := range f {
			add(f[i].first+" "+f[i].first+"s", word{class: feastStart | carrier})
		}
	}
	return out
}
