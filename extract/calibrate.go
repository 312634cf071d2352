package extract

import (
	_ "embed"
	"strconv"
)

//go:embed lexicon/confidence.txt
var confidenceText string

// measured gives, by family of rules, how many of a hundred of its candidates were right
// where that was counted; cmd/filtertrain writes it.
var measured = readFilter(confidenceText)

// Family names the rules that share a confidence: the language, the relation, patterns
// in code or of the lists, and how sure the pattern itself is, in hundredths.
func Family(lang, rel string, listed bool, level float64) string {
	origin := "code"
	if listed {
		origin = "list"
	}
	return lang + "/" + rel + "/" + origin + "/" + strconv.Itoa(int(float64(level*100)+0.5))
}

// calibrated gives the confidence of a candidate: what was measured for its family, or
// what its pattern says where too few were seen.
func (r *relater) calibrated(c *claim, rel string) float64 {
	lang := "en"
	for _, ch := range r.d.Text[c.start:c.end] {
		if isHan(ch) {
			lang = "zh"
			break
		}
	}
	if n, ok := measured[Family(lang, shortName(r.d.Registry, rel), c.rule != "", c.confidence)]; ok {
		return float64(n) / 100
	}
	return c.confidence
}

// ReliabilityBin is a range of confidences [From, To), the last closed at 1, with how
// many candidates fell into it, their mean confidence and the share that was right.
type ReliabilityBin struct {
	From, To, Mean, Precision float64
	Count                     int
}

// Reliability sorts candidates by their confidence into bins of one width over [0, 1]
// and tells how well the confidences of each agree with the share that was right. It
// leaves out empty bins.
func Reliability(confidence []float64, right []bool, bins int) []ReliabilityBin {
	all := make([]ReliabilityBin, bins)
	for i, c := range confidence {
		k := min(max(int(c*float64(bins)), 0), bins-1)
		b := &all[k]
		b.Count++
		b.Mean += c
		if right[i] {
			b.Precision++
		}
	}
	var out []ReliabilityBin
	for k, b := range all {
		if b.Count == 0 {
			continue
		}
		b.From, b.To = float64(k)/float64(bins), float64(k+1)/float64(bins)
		b.Mean, b.Precision = b.Mean/float64(b.Count), b.Precision/float64(b.Count)
		out = append(out, b)
	}
	return out
}

// CalibrationError is the mean distance of confidence and precision over the bins,
// weighted by how many candidates they hold.
func CalibrationError(bins []ReliabilityBin) float64 {
	sum, n := 0.0, 0
	for _, b := range bins {
		d := b.Mean - b.Precision
		if d < 0 {
			d = -d
		}
		sum += float64(d * float64(b.Count))
		n += b.Count
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
