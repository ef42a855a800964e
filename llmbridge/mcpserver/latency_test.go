package mcpserver

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof"
)

// BenchmarkTools measures a call of each tool over pipes, the agent's side included: median and 95th percentile in
// microseconds.
func BenchmarkTools(b *testing.B) {
	const task = "blocksworld:6-5"
	own, err := planproof.ReadTask(task)
	if err != nil {
		b.Fatal(err)
	}
	best, err := planproof.Solve(b.Context(), own, planproof.SolveOptions{})
	if err != nil {
		b.Fatal(err)
	}
	plan := strings.Join(best.Plan, "\n")
	cut := strings.Join(best.Plan[1:], "\n")
	c := connectPipe(b, New(Options{Sessions: 1 << 20}))
	var s state
	c.call("session_open", args{"task": task}, &s)
	var proved solved
	c.call("solve", args{"task": task, "certificate": true}, &proved)
	calls := map[string]args{
		"check":             {"domain_text": own.Problem.Domain.Source.Text, "problem_texts": []string{own.Problem.Source.Text}},
		"validate":          {"task": task, "plan": plan},
		"explain":           {"task": task, "plan": cut},
		"repair":            {"task": task, "plan": cut},
		"grade":             {"task": task, "answer": plan},
		"solve":             {"task": task},
		"check_certificate": {"task": task, "uri": proved.Certificate.URI},
		"applicable":        {"task": task, "steps": best.Plan[:4]},
		"apply":             {"task": task, "step": best.Plan[0]},
		"regret":            {"task": task, "steps": best.Plan[:4]},
		"generate":          {"kind": "blocksworld", "params": args{"blocks": 6}},
		"session_open":      {"task": task},
		"session_state":     {"session": s.Session},
	}
	for _, tool := range slices.Sorted(maps.Keys(calls)) {
		b.Run(tool, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				began := time.Now()
				if raw, p := c.try(tool, calls[tool]); p != nil {
					b.Fatal(p, string(raw))
				}
				times = append(times, time.Since(began))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-us")
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds()), "p95-us")
		})
	}
}
