package timex

import "strings"

const hanDigits = "零一二三四五六七八九"

// hanDigit gives the value of a Chinese digit, -1 for none.
func hanDigit(c rune) int {
	switch c {
	case '〇':
		return 0
	case '两':
		return 2
	}
	if role(c)&zhDigitRole == 0 {
		return -1
	}
	if k := strings.IndexRune(hanDigits, c); k >= 0 {
		return k / 3
	}
	return -1
}

func isHanNumber(c rune) bool {
	return hanDigit(c) >= 0 || c == '十' || c == '百' || c == '千' || c == '廿' || c == '卅'
}

// znum is a number as it was written.
type znum struct {
	n      float64
	digits int  // how many digits it was written with, 0 for a number with 十, 百
	arabic bool // with 0 to 9
	zero   bool // begins with a zero
}

// number reads a number: Arabic digits with decimals, Chinese digits in a row, or
// a Chinese number up to the tens of thousands.
func (z *chinese) number(i int) (end int, n znum) {
	if isDigit(z.at(i)) {
		j := i
		n.arabic, n.zero = true, z.at(i) == '0'
		for ; isDigit(z.at(j)); j++ {
			if j-i >= 9 {
				return 0, znum{}
			}
			n.n = float64(10*int(n.n) + int(z.at(j)-'0'))
		}
		n.digits = j - i
		if z.at(j) == '.' && isDigit(z.at(j+1)) && n.digits < 7 {
			frac, scale, k := 0.0, 1.0, j+1
			for ; isDigit(z.at(k)) && k-j < 6; k++ {
				frac = float64(10*frac) + float64(z.at(k)-'0')
				scale *= 10
			}
			if z.at(k) != '.' && !isDigit(z.at(k)) {
				n.n += frac / scale
				return k, n
			}
		}
		if e := z.has(j, "万"); e > 0 && z.at(e) != '圣' {
			n.n *= 10000
			return e, n
		}
		return j, n
	}
	total, here, last, plain, units, seen := 0, 0, -1, 0, false, 0
	j := i
	for ; seen < 10; j++ {
		c := z.at(j)
		if v := hanDigit(c); v >= 0 {
			if units && last >= 0 && v != 0 && last != 0 {
				return 0, znum{}
			}
			plain = plain*10 + v
			last = v
		} else if c == '廿' || c == '卅' {
			if last >= 0 || units {
				break
			}
			here, units, last = map[rune]int{'廿': 20, '卅': 30}[c], true, -1
		} else if u := map[rune]int{'十': 10, '百': 100, '千': 1000}[c]; u > 0 {
			if !units && seen > 1 {
				break
			}
			if last < 0 || last == 0 && seen > 0 && units {
				last = 1
			}
			here += last * u
			last, units = -1, true
		} else if c == '万' && (units || last > 0) && z.at(j+1) != '圣' {
			total = (here + max(last, 0)) * 10000
			here, last, units = 0, -1, true
		} else {
			break
		}
		seen++
	}
	if seen == 0 {
		return 0, znum{}
	}
	n.zero = hanDigit(z.at(i)) == 0
	if units {
		n.n = float64(total + here + max(last, 0))
		return j, n
	}
	n.n, n.digits = float64(plain), seen
	return j, n
}

// whole gives the number as a small integer, -1 where it is none.
func (n znum) whole() int {
	if n.n != float64(int(n.n)) || n.n > 1e6 {
		return -1
	}
	return int(n.n)
}

// small reads a number of a date or a clock: at most two digits or a number with
// 十.
func (z *chinese) small(i int) (end, n int) {
	e, x := z.number(i)
	if e == 0 || x.digits > 2 || x.whole() < 0 || x.digits == 2 && !x.arabic && !x.zero {
		return 0, 0
	}
	return e, x.whole()
}
