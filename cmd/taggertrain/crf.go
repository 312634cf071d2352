package main

import (
	"fmt"
	"math"
	"os"

	"github.com/asof-db/asof/extract/tagger"
	"github.com/asof-db/asof/internal/num"
)

// settings of a training.
type settings struct {
	l1, rate, prune float64
	epochs, least   int
}

// states is the number of labels that features have weights for.
const states = tagger.Labels - 1

// weights are those of one feature by label, with the sums of squared gradients
// and the step at which they were last drawn towards zero.
type weights struct {
	w, sum [states]float64
	seen   int
}

// trainer learns by stochastic gradients with a rate for each weight (AdaGrad) and
// a penalty on the sum of absolute weights, paid by a weight when it is next met.
type trainer struct {
	settings
	rows       []weights
	trans, sum [tagger.Labels][tagger.Labels]float64
	penalty    float64
	step       int
}

// chain is an example with features as rows.
type chain struct {
	rows   [][]int32
	labels []uint8
}

// train learns a model and writes it.
func train(c settings, all []tagger.Example, out string) error {
	count := map[uint32]int{}
	for _, e := range all {
		for _, keys := range e.Keys {
			for _, k := range keys {
				count[k]++
			}
		}
	}
	index := map[uint32]int32{}
	var keys []uint32
	chains := make([]chain, 0, len(all))
	for _, e := range all {
		x := chain{labels: e.Labels}
		for _, ks := range e.Keys {
			var row []int32
			for _, k := range ks {
				if count[k] < c.least || k == 0 {
					continue
				}
				i, ok := index[k]
				if !ok {
					i = int32(len(keys))
					index[k] = i
					keys = append(keys, k)
				}
				row = append(row, i)
			}
			x.rows = append(x.rows, row)
		}
		chains = append(chains, x)
	}
	t := &trainer{settings: c, rows: make([]weights, len(keys)), penalty: c.l1 / float64(len(chains))}
	r := sequence(7)
	for e := range c.epochs {
		r.shuffle(len(chains), func(i, j int) { chains[i], chains[j] = chains[j], chains[i] })
		loss := 0.0
		for i := range chains {
			loss += t.learn(&chains[i])
		}
		fmt.Printf("epoch %d: loss %.4f a run\n", e+1, loss/float64(len(chains)))
	}
	return t.write(keys, out)
}

// shrink pays a row's penalty for the steps since it was last met.
func (t *trainer) shrink(r *weights) {
	n := float64(t.step - r.seen)
	r.seen = t.step
	if n == 0 {
		return
	}
	for l, w := range r.w {
		if w == 0 {
			continue
		}
		d := float64(t.rate*t.penalty) * n / math.Sqrt(r.sum[l]+1e-2)
		switch {
		case w > d:
			r.w[l] = w - d
		case w < -d:
			r.w[l] = w + d
		default:
			r.w[l] = 0
		}
	}
}

// learn takes one step towards the labels of a run and gives its loss before it.
func (t *trainer) learn(c *chain) float64 {
	t.step++
	n := len(c.rows)
	const L = tagger.Labels
	scores := make([][L]float64, n)
	for i, row := range c.rows {
		for _, f := range row {
			r := &t.rows[f]
			t.shrink(r)
			for l, w := range r.w {
				scores[i][l+1] += w
			}
		}
	}
	var trans [L][L]float64
	for a := range trans {
		for b := range trans[a] {
			if !tagger.Inadmissible(a, b) {
				trans[a][b] = num.Exp(t.trans[a][b])
			}
		}
	}
	// Scaled forward and backward sums; the run stands between labels 0.
	state, fwd, bwd := make([][L]float64, n), make([][L]float64, n), make([][L]float64, n)
	scale := make([]float64, n+1)
	norm := 0.0
	for i := range n {
		top := 0.0
		for _, v := range scores[i] {
			top = max(top, v)
		}
		norm += top
		for l, v := range scores[i] {
			state[i][l] = num.Exp(v - top)
		}
		for l := range L {
			v := 0.0
			if i == 0 {
				v = trans[0][l]
			} else {
				for p := range L {
					v += float64(fwd[i-1][p] * trans[p][l])
				}
			}
			fwd[i][l] = float64(v * state[i][l])
			scale[i] += fwd[i][l]
		}
		for l := range L {
			fwd[i][l] /= scale[i]
		}
		norm += num.Log(scale[i])
	}
	end := 0.0
	for l := range L {
		end += float64(fwd[n-1][l] * trans[l][0])
	}
	norm += num.Log(end)
	for l := range L {
		bwd[n-1][l] = trans[l][0] / end
	}
	for i := n - 2; i >= 0; i-- {
		for l := range L {
			v := 0.0
			for q := range L {
				v += float64(float64(trans[l][q]*state[i+1][q]) * bwd[i+1][q])
			}
			bwd[i][l] = v / scale[i+1]
		}
	}
	gold := 0.0
	var grad [L][L]float64
	prev := uint8(0)
	for i := range n {
		l := c.labels[i]
		gold += t.trans[prev][l] + scores[i][l]
		grad[prev][l]--
		if i == 0 {
			for q := range L {
				grad[0][q] += float64(fwd[0][q] * bwd[0][q])
			}
		} else {
			for p := range L {
				for q := range L {
					grad[p][q] += float64(fwd[i-1][p]*trans[p][q]) * float64(state[i][q]*bwd[i][q]) / scale[i]
				}
			}
		}
		prev = l
	}
	gold += t.trans[prev][0]
	grad[prev][0]--
	for l := range L {
		grad[l][0] += float64(fwd[n-1][l] * bwd[n-1][l])
	}
	for a := range grad {
		for b, g := range grad[a] {
			t.sum[a][b] += float64(g * g)
			t.trans[a][b] -= t.rate * g / math.Sqrt(t.sum[a][b]+1e-2)
		}
	}
	for i, row := range c.rows {
		var g [states]float64
		for l := range g {
			g[l] = float64(fwd[i][l+1] * bwd[i][l+1])
			if int(c.labels[i]) == l+1 {
				g[l]--
			}
		}
		for _, f := range row {
			r := &t.rows[f]
			for l, v := range g {
				if v > -1e-4 && v < 1e-4 {
					continue
				}
				r.sum[l] += float64(v * v)
				r.w[l] -= t.rate * v / math.Sqrt(r.sum[l]+1e-2)
			}
		}
	}
	return norm - gold
}

// write rounds the weights and writes the model.
func (t *trainer) write(keys []uint32, out string) error {
	t.step++
	features := map[uint32][states]int8{}
	kept := 0
	for i, k := range keys {
		t.shrink(&t.rows[i])
		var row [states]int8
		for l, w := range t.rows[i].w {
			if w >= t.prune || w <= -t.prune {
				row[l] = int8(max(-127, min(127, math.RoundToEven(w*tagger.Scale))))
				kept++
			}
		}
		if row != ([states]int8{}) {
			features[k] = row
		}
	}
	var trans [tagger.Labels][tagger.Labels]int16
	for a := range trans {
		for b := range trans[a] {
			trans[a][b] = int16(math.RoundToEven(t.trans[a][b] * tagger.Scale))
		}
	}
	b, err := tagger.EncodeModel(features, trans)
	if err != nil {
		return fmt.Errorf("%w", err)
	}
	fmt.Printf("%s: %d of %d features, %d weights, %d bytes\n", out, len(features), len(keys), kept, len(b))
	if err := os.WriteFile(out, b, 0o644); err != nil {
		return fmt.Errorf("%w", err)
	}
	return nil
}
