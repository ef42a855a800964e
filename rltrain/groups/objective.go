package groups

import (
	"fmt"
	"math"
)

// TokenLogProbs are the log-probabilities of the tokens of one response. All lists have
// its length; Reference, Unconstrained and Mask may be nil.
type TokenLogProbs struct {
	Policy        []float64 // under the policy that is trained
	Old           []float64 // under the policy that sampled it
	Reference     []float64 // under the frozen reference
	Unconstrained []float64 // under the policy, for the prompt without its constraints
	Mask          []bool    // tokens that count; nil for all
}

// ObjectiveOptions weigh the terms of the objective. The paper has Alpha = Beta = 0.001.
type ObjectiveOptions struct {
	ClipLow, ClipHigh float64 // epsilon of the clipped ratio, below and above 1
	Alpha, Beta       float64 // of the constraint-aware term and of the divergence from the reference
	Estimator         Estimator
}

// check reports lists that do not fit.
func (t *TokenLogProbs) check() error {
	n := len(t.Policy)
	for _, l := range []struct {
		name string
		n    int
		set  bool
	}{{"old", len(t.Old), true}, {"reference", len(t.Reference), t.Reference != nil}, {"unconstrained", len(t.Unconstrained), t.Unconstrained != nil}, {"mask", len(t.Mask), t.Mask != nil}} {
		if l.set && l.n != n {
			return fmt.Errorf("%d tokens of the policy, %d of %s", n, l.n, l.name)
		}
	}
	for _, list := range [...][]float64{t.Policy, t.Old, t.Reference, t.Unconstrained} {
		for i, x := range list {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("token %d: log-probability %v", i+1, x)
			}
		}
	}
	return nil
}

// ObjectiveTokens is what each token adds to the objective that CARL maximises (equation
// 7), for a response with an advantage:
//
//	min(ratio * A, clip(ratio, 1 - low, 1 + high) * A) - beta * k3(reference) + alpha * estimator(unconstrained)
//	ratio = e^(policy - old), the difference within ±20
//
// A trainer differentiates it with respect to Policy and takes the rest as constants.
// Terms whose list is nil are left out.
func ObjectiveTokens(t *TokenLogProbs, advantage float64, opt ObjectiveOptions) ([]float64, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if t.Unconstrained != nil {
		if err := opt.Estimator.Check(); err != nil {
			return nil, err
		}
	}
	out := make([]float64, len(t.Policy))
	for i, p := range t.Policy {
		ratio := expFixed(clamp(p-t.Old[i], maxExponent))
		clipped := max(1-opt.ClipLow, min(1+opt.ClipHigh, ratio))
		v := min(float64(ratio*advantage), float64(clipped*advantage))
		if t.Reference != nil {
			v -= float64(opt.Beta * LowVarKL.Token(p, t.Reference[i]))
		}
		if t.Unconstrained != nil {
			v += float64(opt.Alpha * opt.Estimator.Token(p, t.Unconstrained[i]))
		}
		out[i] = v
	}
	return out, nil
}

// PPOOptions are those of the PPO variant.
type PPOOptions struct {
	Alpha, Beta   float64
	Estimator     Estimator
	Gamma, Lambda float64 // of generalised advantage estimation
}

// TokenRewards are the rewards of the PPO variant, token by token: -beta * (old -
// reference) + alpha * estimator(old, unconstrained), and the task reward on top at the
// last token that counts. Tokens that do not count have 0.
func TokenRewards(t *TokenLogProbs, reward float64, opt PPOOptions) ([]float64, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if t.Unconstrained != nil {
		if err := opt.Estimator.Check(); err != nil {
			return nil, err
		}
	}
	out := make([]float64, len(t.Old))
	last := -1
	for i, p := range t.Old {
		if t.Mask != nil && !t.Mask[i] {
			continue
		}
		last = i
		if t.Reference != nil {
			out[i] -= float64(opt.Beta * float64(p-t.Reference[i]))
		}
		if t.Unconstrained != nil {
			out[i] += float64(opt.Alpha * opt.Estimator.Token(p, t.Unconstrained[i]))
		}
	}
	if last >= 0 {
		out[last] += reward
	}
	return out, nil
}

// GAE is generalised advantage estimation (Schulman et al. 2016), from the last token to
// the first; tokens that do not count are passed over:
//
//	delta  = reward + gamma * next value - value
//	A      = delta + gamma * lambda * next A
//	return = A + value
//
// After the last token value and A are 0. values has one value a token.
func GAE(rewards, values []float64, mask []bool, gamma, lambda float64) (advantages, returns []float64, err error) {
	if len(values) != len(rewards) || mask != nil && len(mask) != len(rewards) {
		return nil, nil, fmt.Errorf("%d rewards, %d values, mask of %d", len(rewards), len(values), len(mask))
	}
	advantages, returns = make([]float64, len(rewards)), make([]float64, len(rewards))
	nextValue, next := 0.0, 0.0
	decay := float64(gamma * lambda)
	for i := len(rewards) - 1; i >= 0; i-- {
		if mask != nil && !mask[i] {
			continue
		}
		delta := float64(rewards[i]+float64(gamma*nextValue)) - values[i]
		next = delta + float64(decay*next)
		nextValue = values[i]
		advantages[i], returns[i] = next, next+values[i]
	}
	return advantages, returns, nil
}
