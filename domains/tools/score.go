package tools

// Measure is precision, recall and F1 of a prediction: matched steps over its steps, over those of the gold plan, and
// twice the matched over both together.
type Measure struct {
	Matched, Predicted, Gold int
}

// Precision is the share of predicted steps that are matched, 0 for no steps.
func (m Measure) Precision() float64 { return share(m.Matched, m.Predicted) }

// Recall is the share of gold steps that are matched, 0 for no steps.
func (m Measure) Recall() float64 { return share(m.Matched, m.Gold) }

// F1 is the harmonic mean of both, 0 if nothing is matched.
func (m Measure) F1() float64 { return share(2*m.Matched, m.Predicted+m.Gold) }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// ByName matches steps by their names: the longest common subsequence (2.4 of travel-tools.md).
func ByName(predicted, gold *Plan) Measure {
	p, g := predicted.scored(), gold.scored()
	return measure(len(p), len(g), func(i, j int) bool { return p[i].Name == g[j].Name })
}

// ByCall matches steps by their names and arguments. Arguments are compared by value: members in any order, numbers by
// value, texts without blanks around them, and a reference to an earlier step as the call that it denotes.
func ByCall(predicted, gold *Plan) Measure {
	calls := map[string]int{}
	p, g := canonical(predicted.scored(), calls), canonical(gold.scored(), calls)
	return measure(len(p), len(g), func(i, j int) bool { return p[i] == g[j] })
}

func measure(p, g int, equal func(i, j int) bool) Measure {
	return Measure{commonSubsequence(p, g, equal), p, g}
}

// commonSubsequence is the length of the longest common subsequence.
func commonSubsequence(p, g int, equal func(i, j int) bool) int {
	row := make([]int, g+1)
	for i := range p {
		diagonal := 0
		for j := range g {
			above := row[j+1]
			if equal(i, j) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[g]
}

// ByDependency matches steps by name and arguments where the gold plan is a partial order: a step that uses the result
// of another comes after it, and steps that do not depend on each other may be swapped. Since equal calls use the
// results of equal calls, and can do so only after those, the most that can be matched is what both plans have.
func ByDependency(predicted, gold *Plan) Measure {
	calls := map[string]int{}
	p, g := canonical(predicted.scored(), calls), canonical(gold.scored(), calls)
	have := make([]int, len(calls))
	for _, call := range p {
		have[call]++
	}
	m := Measure{0, len(p), len(g)}
	for _, call := range g {
		if have[call] > 0 {
			have[call]--
			m.Matched++
		}
	}
	return m
}
