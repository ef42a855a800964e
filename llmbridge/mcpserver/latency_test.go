package mcpserver

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/internal/testkit"
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
		"guard_call":        guardArgs(b, `{"name":"Hotel.check","arguments":{"hotel":"Garden Hotel"}}`, `{"name":"Hotel.search","arguments":{"city":"Rome"}}`),
	}
	for _, tool := range slices.Sorted(maps.Keys(calls)) {
		b.Run(tool, func(b *testing.B) {
			var all latencies
			for b.Loop() {
				all.call(b, c, tool, calls[tool])
			}
			all.report(b, tool)
		})
	}
	b.Run("sessions", func(b *testing.B) {
		var all latencies
		for b.Loop() { // what changes a session, each once, and back
			all.call(b, c, "session_step", args{"session": s.Session, "steps": best.Plan[:1]})
			var forked state
			if err := json.Unmarshal(all.call(b, c, "session_fork", args{"session": s.Session}), &forked); err != nil {
				b.Fatal(err)
			}
			all.call(b, c, "session_close", args{"session": forked.Session})
			all.call(b, c, "session_undo", args{"session": s.Session})
		}
		for tool := range all {
			all.report(b, tool)
		}
	})
}

// latencies are the times of calls, by tool.
type latencies map[string][]time.Duration

func (l *latencies) call(b *testing.B, c *client, tool string, in args) json.RawMessage {
	began := time.Now()
	raw, p := c.try(tool, in)
	if p != nil {
		b.Fatal(tool, p, string(raw))
	}
	if *l == nil {
		*l = latencies{}
	}
	(*l)[tool] = append((*l)[tool], time.Since(began))
	return raw
}

func (l latencies) report(b *testing.B, tool string) {
	times := slices.Sorted(slices.Values(l[tool]))
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), tool+"-p50-us")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds()), tool+"-p95-us")
}

// guardArgs asks whether a call may follow others, in the domain of hotels.
func guardArgs(t testing.TB, call string, history ...string) args {
	file := func(name string) string {
		text, err := os.ReadFile(filepath.Join(testkit.Root(), "domains/tools/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	return args{"domain_text": file("booking.pddl"), "problem_text": file("trip.pddl"), "tools": json.RawMessage(file("tools.json")),
		"call": json.RawMessage(call), "history": json.RawMessage("[" + strings.Join(history, ",") + "]")}
}
