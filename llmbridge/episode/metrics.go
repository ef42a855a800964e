package episode

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/llmbridge/eval"
)

// Metrics of the episodes of an agent. The names are those of AdaPlanBench (its appendix on metrics). Episodes without
// an answer of the model are counted in Unanswered and nowhere else.
type Metrics struct {
	Agent      string `json:"agent"`
	Setting    string `json:"setting,omitempty"`
	Episodes   int    `json:"episodes"`
	Unanswered int    `json:"unanswered"`
	Structures int    `json:"structures"`
	// Accuracy is the share of episodes whose last plan keeps every constraint and meets the rubric, VPR the share whose last
	// plan keeps every constraint.
	Accuracy Share `json:"accuracy"`
	VPR      Share `json:"vpr"`
	Turns    Mean  `json:"turns"`
	// AWRV and AURV are the repeated violations per episode of disclosed constraints of the world and of the user that were
	// told. Silent counts those too that were not told, Hidden repeated violations of constraints that were never disclosed.
	AWRV   Mean `json:"awrv"`
	AURV   Mean `json:"aurv"`
	Silent Mean `json:"silent"`
	Hidden Mean `json:"hidden"`
	// ATWC and ATUC are the constraints disclosed per turn.
	ATWC   Mean       `json:"atwc"`
	ATUC   Mean       `json:"atuc"`
	Rubric RubricMean `json:"rubric"`
}

// A Share is a rate with 95 % intervals: Wald, Wilson, and a bootstrap that draws structures of tasks with replacement.
type Share struct {
	Rate      float64       `json:"rate"`
	Wald      eval.Interval `json:"wald"`
	Wilson    eval.Interval `json:"wilson"`
	Bootstrap eval.Interval `json:"bootstrap"`
}

// A Mean has a 95 % Wald interval: z times the standard error to both sides.
type Mean struct {
	Mean float64       `json:"mean"`
	Wald eval.Interval `json:"wald"`
}

// RubricMean is the mean of each dimension over the last plans.
type RubricMean struct {
	Feasibility   float64 `json:"feasibility"`
	Effectiveness float64 `json:"effectiveness"`
	Grounding     float64 `json:"grounding"`
	Consideration float64 `json:"consideration"`
	Economy       float64 `json:"economy"`
}

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

// resamples is how often the bootstrap draws.
const resamples = 1000

// measure computes the metrics of episodes.
func measure(agent, setting string, all []*Row) *Metrics {
	rows := slices.DeleteFunc(slices.Clone(all), func(r *Row) bool { return r.Status != StatusOK })
	m := &Metrics{Agent: agent, Setting: setting, Episodes: len(rows), Unanswered: len(all) - len(rows)}
	groups := byStructure(rows)
	m.Structures = len(groups)
	m.Accuracy = share(rows, groups, func(r *Row) bool { return r.Accurate })
	m.VPR = share(rows, groups, func(r *Row) bool { return r.Passed })
	perTurn := func(n int, r *Row) float64 { return float64(n) / float64(max(1, len(r.Turns))) }
	m.Turns = mean(rows, func(r *Row) float64 { return float64(len(r.Turns)) })
	m.AWRV = mean(rows, func(r *Row) float64 { return float64(r.RepeatedWorld) })
	m.AURV = mean(rows, func(r *Row) float64 { return float64(r.RepeatedUser) })
	m.Silent = mean(rows, func(r *Row) float64 { return float64(r.Silent) })
	m.Hidden = mean(rows, func(r *Row) float64 { return float64(r.RepeatedHidden) })
	m.ATWC = mean(rows, func(r *Row) float64 { return perTurn(r.DisclosedWorld, r) })
	m.ATUC = mean(rows, func(r *Row) float64 { return perTurn(r.DisclosedUser, r) })
	last := func(of func(*Rubric) int) float64 {
		return mean(rows, func(r *Row) float64 { return float64(of(&r.Turns[len(r.Turns)-1].Rubric)) }).Mean
	}
	m.Rubric = RubricMean{
		Feasibility: last(func(r *Rubric) int { return r.Feasibility }), Effectiveness: last(func(r *Rubric) int { return r.Effectiveness }),
		Grounding: last(func(r *Rubric) int { return r.Grounding }), Consideration: last(func(r *Rubric) int { return r.Consideration }),
		Economy: last(func(r *Rubric) int { return r.Economy }),
	}
	return m
}

func mean(rows []*Row, of func(*Row) float64) (m Mean) {
	n := float64(len(rows))
	if n == 0 {
		return m
	}
	for _, r := range rows {
		m.Mean += of(r) / n
	}
	variance := 0.0
	for _, r := range rows {
		variance += (of(r) - m.Mean) * (of(r) - m.Mean) / max(1, n-1)
	}
	half := z95 * math.Sqrt(variance/n)
	m.Wald = eval.Interval{Low: m.Mean - half, High: m.Mean + half}
	return m
}

// byStructure groups rows, in the order of their first ones.
func byStructure(rows []*Row) (groups [][]*Row) {
	index := map[string]int{}
	for _, r := range rows {
		i, ok := index[r.structure]
		if !ok {
			i = len(groups)
			index[r.structure] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// share is the rate of rows that hold. The bootstrap's draws depend on the groups only.
func share(rows []*Row, groups [][]*Row, holds func(*Row) bool) (s Share) {
	n := len(rows)
	yes := make([]int, len(groups))
	total := 0
	for i, g := range groups {
		for _, r := range g {
			if holds(r) {
				yes[i]++
			}
		}
		total += yes[i]
	}
	s.Rate = float64(total) / float64(max(1, n))
	s.Wald, s.Wilson = eval.Wald(s.Rate, n), eval.Wilson(s.Rate, n)
	s.Bootstrap = eval.Interval{Low: 0, High: 1}
	if n == 0 {
		return s
	}
	rng := seeded.Rand(1, "bootstrap")
	rates := make([]float64, resamples)
	for k := range rates {
		hits, size := 0, 0
		for range groups {
			i := rng.IntN(len(groups))
			hits, size = hits+yes[i], size+len(groups[i])
		}
		rates[k] = float64(hits) / float64(size)
	}
	slices.Sort(rates)
	s.Bootstrap = eval.Interval{Low: rates[resamples/40], High: rates[resamples-1-resamples/40]}
	return s
}

// WriteText writes a line of the table.
func (m *Metrics) WriteText(w io.Writer) error {
	name := m.Agent
	if m.Setting != "" {
		name += " " + m.Setting
	}
	_, err := fmt.Fprintf(w, "%-22s %5d  acc %.3f (Wald %.3f-%.3f, Wilson %.3f-%.3f, bootstrap %.3f-%.3f)  VPR %.3f  turns %.2f  AWRV %.3f  AURV %.3f  silent %.3f  hidden %.3f  ATWC %.3f  ATUC %.3f\n",
		name, m.Episodes, m.Accuracy.Rate, m.Accuracy.Wald.Low, m.Accuracy.Wald.High, m.Accuracy.Wilson.Low, m.Accuracy.Wilson.High, m.Accuracy.Bootstrap.Low, m.Accuracy.Bootstrap.High,
		m.VPR.Rate, m.Turns.Mean, m.AWRV.Mean, m.AURV.Mean, m.Silent.Mean, m.Hidden.Mean, m.ATWC.Mean, m.ATUC.Mean)
	if err == nil && m.Unanswered > 0 {
		_, err = fmt.Fprintf(w, "%22s %5d episodes without an answer, not counted\n", "", m.Unanswered)
	}
	return err
}
