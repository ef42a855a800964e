package groups

import (
	"errors"
	"fmt"
	"math"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/rltrain/rows"
)

// Group holds the scores of the responses to one prompt.
type Group []*rows.Score

// AdvantageOptions say how rewards of one group are compared. The zero value is that of
// GRPO: (r - mean) / standard deviation of the group itself.
type AdvantageOptions struct {
	// LeaveOneOut compares a response with the mean of the others (RLOO, Ahmadian et
	// al. 2024) instead of the mean of all.
	LeaveOneOut bool
	// NoStd does not divide by the standard deviation (Dr. GRPO, Liu et al. 2025).
	NoStd bool
	// Sample divides the sum of squares by n - 1, as trainers that use torch.std do, not
	// by n.
	Sample bool
	// Epsilon is added to the standard deviation: TRL has 1e-4, verl 1e-6, both with
	// Sample. It must not be negative.
	Epsilon float64
}

// Advantages compares the rewards of one group. known says which responses have a
// reward; nil means all.
//
//	std           (r - mean) / (std + epsilon)
//	no std        r - mean
//	leave one out r - (sum - r) / (n - 1)       divided by (std + epsilon), too, unless NoStd
//
// over the n known rewards. A response without a reward takes no part and has advantage
// 0. So have all members of a degenerate group: fewer than two known rewards, or all
// the same. They say nothing about what is better, and no small constant makes them.
//
// Every sum is taken in the order of the group and every operation is rounded to float64
// by itself (none is fused), so that another program that does the same has the same
// bits: testdata/groups.golden.json.
func Advantages(rewards []float64, known []bool, opt AdvantageOptions) []float64 {
	out := make([]float64, len(rewards))
	n, sum := 0, 0.0
	lowest, highest := math.Inf(1), math.Inf(-1)
	for i, r := range rewards {
		if known == nil || known[i] {
			n++
			sum += r
			lowest, highest = min(lowest, r), max(highest, r)
		}
	}
	if n < 2 || lowest == highest {
		return out
	}
	mean, divisor := sum/float64(n), 1.0
	if !opt.NoStd {
		squares := 0.0
		for i, r := range rewards {
			if known == nil || known[i] {
				d := float64(r - mean)
				squares += float64(d * d)
			}
		}
		of := n
		if opt.Sample {
			of = n - 1
		}
		std := math.Sqrt(squares / float64(of))
		if std == 0 { // differences too small to square
			return out
		}
		divisor = std + opt.Epsilon
	}
	for i, r := range rewards {
		if known != nil && !known[i] {
			continue
		}
		baseline := mean
		if opt.LeaveOneOut {
			baseline = float64(sum-r) / float64(n-1)
		}
		out[i] = float64(r-baseline) / divisor
	}
	return out
}

// Degenerate reports whether the rewards of a group say nothing: fewer than two known
// ones, or all the same.
func Degenerate(rewards []float64, known []bool) bool {
	first, n := 0.0, 0
	for i, r := range rewards {
		if known != nil && !known[i] {
			continue
		}
		if n++; n == 1 {
			first = r
		} else if r != first {
			return false
		}
	}
	return true
}

// Advantages returns the advantages of GRPO over the group's scored responses, see
// [Advantages].
func (g Group) Advantages() []float64 {
	rewards, known := g.rewards()
	return Advantages(rewards, known, AdvantageOptions{})
}

func (g Group) rewards() (rewards []float64, known []bool) {
	rewards, known = make([]float64, len(g)), make([]bool, len(g))
	for i, s := range g {
		if s.Reward != nil {
			rewards[i], known[i] = *s.Reward, true
		}
	}
	return rewards, known
}

// SetAdvantages fills in the advantages of all scores that have a group.
func SetAdvantages(scores []*rows.Score) {
	members := map[string]Group{}
	var order []string
	for _, s := range scores {
		if s.Group == "" {
			continue
		}
		if members[s.Group] == nil {
			order = append(order, s.Group)
		}
		members[s.Group] = append(members[s.Group], s)
	}
	for _, g := range order {
		for i, a := range members[g].Advantages() {
			members[g][i].Advantage = &a
		}
	}
}

// Placement says where the constraint-aware term of CARL goes.
type Placement string

const (
	// InLoss keeps it out of the advantages: the loss has it as a term of its own (CARL,
	// equation 7).
	InLoss Placement = "loss"
	// AfterNormalisation adds it to the normalised advantages, so that alpha means the
	// same in every group.
	AfterNormalisation Placement = "after"
	// InReward adds it to the rewards before they are compared (CARL, equation 4 taken
	// literally). Only without division by the standard deviation: if all rewards of a
	// group tie, that division would turn alpha times noise into advantages of size 1,
	// whatever alpha is.
	InReward Placement = "reward"
)

// errInReward refuses the combination that a tied group blows up.
var errInReward = errors.New("the constraint-aware term in the reward and division by the group's standard deviation: a group of equal rewards would blow the term up; put it in the loss, after normalisation, or do not divide")

// ConstraintAdvantages are the advantages of one group with the constraint-aware term
// ca, one value a response, weighted by alpha:
//
//	loss    A(r)                 (the caller's loss has alpha * ca)
//	after   A(r) + alpha * ca    for responses with a reward, also of a degenerate group
//	reward  A(r + alpha * ca)    NoStd only
func ConstraintAdvantages(rewards []float64, known []bool, ca []float64, alpha float64, where Placement, opt AdvantageOptions) ([]float64, error) {
	if len(ca) != len(rewards) {
		return nil, fmt.Errorf("%d rewards and %d constraint-aware terms", len(rewards), len(ca))
	}
	switch where {
	case InLoss:
		return Advantages(rewards, known, opt), nil
	case AfterNormalisation:
		out := Advantages(rewards, known, opt)
		for i := range out {
			if known == nil || known[i] {
				out[i] += float64(alpha * ca[i])
			}
		}
		return out, nil
	case InReward:
		if !opt.NoStd {
			return nil, errInReward
		}
		mixed := make([]float64, len(rewards))
		for i, r := range rewards {
			mixed[i] = r + float64(alpha*ca[i])
		}
		return Advantages(mixed, known, opt), nil
	}
	return nil, fmt.Errorf("%q is no place for the constraint-aware term: loss, after or reward", spell.Clip(string(where), 40))
}
