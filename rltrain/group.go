package rltrain

import "math"

// Group holds the scores of the responses to one prompt.
type Group []*Score

// Advantages returns the group-relative advantages of GRPO: (r - mean) / std over
// the group's scored responses, with the standard deviation of the group itself
// (divided by the number of rewards; trainers that estimate it divide by one less
// and add a small constant).
//
// A response without a reward takes no part and has advantage 0. So have all
// members of a group whose rewards are the same, or of which fewer than two have
// one: they say nothing about what is better.
func (g Group) Advantages() []float64 {
	out := make([]float64, len(g))
	n, sum := 0, 0.0
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, s := range g {
		if r, ok := s.reward(); ok {
			n++
			sum += r
			lowest, highest = min(lowest, r), max(highest, r)
		}
	}
	if n < 2 || lowest == highest {
		return out
	}
	mean, squares := sum/float64(n), 0.0
	for _, s := range g {
		if r, ok := s.reward(); ok {
			d := float64(r - mean)
			squares += float64(d * d)
		}
	}
	std := math.Sqrt(squares / float64(n))
	if std == 0 { // differences too small to square
		return out
	}
	for i, s := range g {
		if r, ok := s.reward(); ok {
			out[i] = (r - mean) / std
		}
	}
	return out
}

// setAdvantages fills in the advantages of all scores that have a group.
func setAdvantages(scores []*Score) {
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
