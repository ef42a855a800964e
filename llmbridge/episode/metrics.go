package episode

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/llmbridge/eval"
)

// Metrics of the episodes of an agent. The names are those of AdaPlanBench; VPR is the share of episodes whose last plan
// reaches the goal under all constraints, which exact judging makes the accuracy too.
type Metrics struct {
	Agent    string        `json:"agent"`
	Episodes int           `json:"episodes"`
	VPR      float64       `json:"vpr"`
	Wald     eval.Interval `json:"wald"`
	Wilson   eval.Interval `json:"wilson"`
	Turns    float64       `json:"turns"`
	// AWRV and AURV are the mean numbers of repeated violations of disclosed constraints; Silent counts those too that
	// were not told. ATWC and ATUC are the constraints disclosed per turn.
	AWRV   float64 `json:"awrv"`
	AURV   float64 `json:"aurv"`
	Silent float64 `json:"silent"`
	ATWC   float64 `json:"atwc"`
	ATUC   float64 `json:"atuc"`
}

// Measure computes the metrics of episodes.
func Measure(agent string, rows []*Row) *Metrics {
	m := &Metrics{Agent: agent, Episodes: len(rows)}
	n := float64(max(1, len(rows)))
	passed := 0
	for _, r := range rows {
		if r.Passed {
			passed++
		}
		turns := float64(max(1, len(r.Turns)))
		m.Turns += float64(len(r.Turns)) / n
		m.AWRV += float64(r.RepeatedWorld) / n
		m.AURV += float64(r.RepeatedUser) / n
		m.Silent += float64(r.Silent) / n
		m.ATWC += float64(r.DisclosedWorld) / turns / n
		m.ATUC += float64(r.DisclosedUser) / turns / n
	}
	m.VPR = float64(passed) / n
	m.Wald, m.Wilson = eval.Wald(m.VPR, len(rows)), eval.Wilson(m.VPR, len(rows))
	return m
}

// WriteText writes a line of the table.
func (m *Metrics) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%-11s %5d  VPR %.3f (Wald %.3f-%.3f, Wilson %.3f-%.3f)  turns %.2f  AWRV %.3f  AURV %.3f  ATWC %.3f  ATUC %.3f\n",
		m.Agent, m.Episodes, m.VPR, m.Wald.Low, m.Wald.High, m.Wilson.Low, m.Wilson.High, m.Turns, m.AWRV, m.AURV, m.ATWC, m.ATUC)
	return err
}
