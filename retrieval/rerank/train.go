package rerank

import (
	"fmt"
	"math"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/internal/num"
)

// Example is a question with its candidates, best first, and which of them are
// right.
type Example struct {
	Prior   []float64
	Signals []Signals
	Right   []bool
}

// TrainOptions say how weights are found. The zero value is what weights.txt was
// made with.
type TrainOptions struct {
	// Shared is the size that every weight is pulled to; 0 stands for 0.15.
	Shared float64
	// Most bounds the size of a weight; 0 stands for twice Shared.
	Most float64
	// Pull is how strongly: the penalty is Pull × the sum of squared distances from
	// Shared; 0 stands for 5.
	Pull float64
	// Depth is how many candidates that are not right are set against each right
	// one; 0 stands for 50.
	Depth int
}

func (o *TrainOptions) check() error {
	set := func(x *float64, y float64) {
		if *x == 0 {
			*x = y
		}
	}
	set(&o.Shared, 0.15)
	set(&o.Most, 2*o.Shared)
	set(&o.Pull, 5)
	if o.Depth == 0 {
		o.Depth = 50
	}
	if !(o.Shared > 0 && o.Most >= o.Shared && o.Most <= maxWeight && o.Pull > 0) || o.Depth < 1 {
		return fmt.Errorf("%w: options are %+v, want a shared weight above 0, a bound from it to %d, a pull above 0, a depth of at least 1", dsl.ErrInvalid, *o, maxWeight)
	}
	return nil
}

// Train finds weights by which right candidates come before others: the logistic
// loss of every pair of one right and one other candidate of a question, each
// question of a set and each set counting the same, with weights of given sign,
// bounded, and pulled to a shared size. The same sets give the same weights, bit
// for bit. Questions without such a pair say nothing; sets that have none are an
// error.
func Train(sets [][]Example, o TrainOptions) (*Weights, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("rerank: train: %w", err)
	}
	var pairs []difference
	for i, set := range sets {
		all := differences(set, o.Depth)
		if len(all) == 0 {
			return nil, fmt.Errorf("rerank: train: %w: no question of set %d has a right and another candidate", dsl.ErrInvalid, i+1)
		}
		for k := range all {
			all[k].counts /= float64(len(sets))
		}
		pairs = append(pairs, all...)
	}
	return descend(pairs, o), nil
}

// difference is a right candidate less another one: how far apart their prior
// shares and signals are, and what the pair counts.
type difference struct {
	prior   float64
	signals Signals
	counts  float64
}

// differences gives the pairs of a set, which together count 1.
func differences(set []Example, depth int) []difference {
	var all []difference
	asked := 0
	for i := range set {
		e := &set[i]
		var right, other []int
		for k, ok := range e.Right {
			if ok {
				right = append(right, k)
			} else if len(other) < depth {
				other = append(other, k)
			}
		}
		if len(right) == 0 || len(other) == 0 {
			continue
		}
		asked++
		best := 0.0
		for _, x := range e.Prior {
			best = max(best, x)
		}
		if best == 0 {
			best = 1
		}
		for _, r := range right {
			for _, n := range other {
				d := difference{prior: (e.Prior[r] - e.Prior[n]) / best, counts: 1 / float64(len(right)*len(other))}
				for k := range d.signals {
					d.signals[k] = e.Signals[r][k] - e.Signals[n][k]
				}
				all = append(all, d)
			}
		}
	}
	for i := range all {
		all[i].counts /= float64(asked)
	}
	return all
}

const (
	// steps is how often the weights are moved; they have long settled by then.
	steps = 400
	// firstScale is the slope that training starts from: what a whole share of
	// prior score counts in the logistic loss.
	firstScale = 8
	leastScale = 0.5
	mostScale  = 60
)

// descend follows the gradient by steps that shrink where they would make the
// loss worse. The slope of the loss is found along with the weights.
func descend(pairs []difference, o TrainOptions) *Weights {
	w, scale := new(Weights), float64(firstScale)
	for k := range w {
		w[k] = float64(o.Shared * signs[k])
	}
	loss, grad, gradScale := slope(pairs, w, scale, o)
	step := 0.01
	for range steps {
		next := *w
		for k := range next {
			x := float64((next[k] - float64(step*grad[k])) * signs[k])
			next[k] = float64(min(max(x, 0), o.Most) * signs[k])
		}
		// The slope is of another size than the weights, and takes other steps.
		nextScale := min(max(scale-float64(100*step*gradScale), leastScale), mostScale)
		nextLoss, nextGrad, nextGradScale := slope(pairs, &next, nextScale, o)
		if nextLoss > loss {
			if step /= 2; step < 1e-9 {
				break
			}
			continue
		}
		*w, scale, loss, grad, gradScale = next, nextScale, nextLoss, nextGrad, nextGradScale
		step = min(float64(step*1.2), 1)
	}
	return w
}

// slope gives the loss and how it changes with the weights and the scale.
func slope(pairs []difference, w *Weights, scale float64, o TrainOptions) (loss float64, grad Weights, gradScale float64) {
	for i := range pairs {
		d := &pairs[i]
		sum := d.prior
		for k, x := range d.signals {
			sum += float64(w[k] * x)
		}
		z := float64(scale * sum)
		// log(1 + exp(-z)), written so that neither end overflows.
		far := num.Exp(-math.Abs(z))
		loss += float64(d.counts * (max(-z, 0) + num.Log(1+far)))
		p := far / (1 + far) // how wrong the pair is
		if z < 0 {
			p = 1 / (1 + far)
		}
		g := float64(d.counts * p)
		gradScale -= float64(g * sum)
		g = float64(g * scale)
		for k, x := range d.signals {
			grad[k] -= float64(g * x)
		}
	}
	for k := range w {
		off := w[k] - float64(o.Shared*signs[k])
		loss += float64(o.Pull * off * off)
		grad[k] += float64(2 * o.Pull * off)
	}
	return loss, grad, gradScale
}
