package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/grounder"
)

// forge makes responses to bundled tasks, right ones and wrong ones of every kind, from
// a seed.
type forge struct {
	r     *rand.Rand
	tasks []forgeTask
}

// forgeTask is a task with a shortest plan and all its ground actions.
type forgeTask struct {
	name            string
	domain, problem string
	plan, actions   []string
}

// newForge prepares tasks; each must have a distance table.
func newForge(t testing.TB, seed uint64, names ...string) *forge {
	t.Helper()
	f := &forge{r: rand.New(rand.NewPCG(seed, 7))}
	o := newTestOracle(t, Options{})
	for _, name := range names {
		table, err := o.distances(t.Context(), o.task(t.Context(), taskref.Ref{Task: name}), true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d, p, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		f.tasks = append(f.tasks, forgeTask{name, d.Text, p.Text, shortestPlan(t, table), groundNames(table)})
	}
	return f
}

func groundNames(d *distanceTable) (names []string) {
	g := d.table.Task()
	for i := range g.Operators.Len() {
		names = append(names, g.OperatorName(grounder.OperatorID(i)))
	}
	return names
}

// shortestPlan follows the distances down, by the first action that leads there.
func shortestPlan(t testing.TB, d *distanceTable) (steps []string) {
	names := groundNames(d)
	s := d.table.Initial()
	for left := d.table.InitialDistance().Steps; left > 0; left-- {
		found := false
		for _, a := range names {
			next, _, err := d.table.Apply(s, a)
			if err != nil {
				continue
			}
			if x, ok := d.table.Distance(next); ok && !x.DeadEnd && x.Steps == left-1 {
				s, steps, found = next, append(steps, a), true
				break
			}
		}
		if !found {
			t.Fatalf("no step leads closer than %d", left)
		}
	}
	return steps
}

// one of some texts.
func (f *forge) one(texts ...string) string { return texts[f.r.IntN(len(texts))] }

// mutatePlan changes a plan a little, or not.
func (f *forge) mutatePlan(task *forgeTask, plan []string) []string {
	plan = append([]string(nil), plan...)
	i := 0
	if len(plan) > 0 {
		i = f.r.IntN(len(plan))
	}
	insert := func(at int, lines ...string) {
		plan = append(plan[:at:at], append(lines, plan[at:]...)...)
	}
	switch k := f.r.IntN(12); {
	case k < 3:
	case k == 3 && len(plan) > 0:
		plan = append(plan[:i], plan[i+1:]...)
	case k == 4:
		insert(i, task.actions[f.r.IntN(len(task.actions))])
	case k == 5 && len(plan) > 0:
		insert(i, plan[i])
	case k == 6 && len(plan) > 1:
		j := f.r.IntN(len(plan))
		plan[i], plan[j] = plan[j], plan[i]
	case k == 7:
		plan = plan[:i]
	case k == 8:
		insert(i, f.one("(teleport everything)", "then do the rest", "...", "(noop)", "((", ")", "; a comment", "(and)", "[PLAN]"))
	case k == 9 && len(plan) > 0:
		plan[i] = f.one(strings.ToUpper(plan[i]), strings.Trim(plan[i], "()"), strings.ReplaceAll(plan[i], " ", "  "), strings.ReplaceAll(plan[i], "a", "aa"), plan[i]+" "+plan[i])
	case k == 10:
		a := task.actions[f.r.IntN(len(task.actions))]
		for range f.r.IntN(4) {
			insert(len(plan), a)
		}
	default:
		for range 1 + f.r.IntN(6) {
			insert(len(plan), task.actions[f.r.IntN(len(task.actions))])
		}
	}
	return plan
}

// layout writes a plan as models do.
func (f *forge) layout(plan []string) string {
	lines := strings.Join(plan, "\n")
	numbered := ""
	for i, s := range plan {
		numbered += fmt.Sprintf("%d. %s\n", i+1, s)
	}
	think := f.one("", "<think>Let me see.</think>\n", "<think>\n"+lines+"\n</think>\n", "Some thoughts.\n</think>\n", "<think>no end\n", "Sure!\n")
	body := f.one("[PLAN]\n"+lines+"\n[PLAN END]", "<plan>\n"+lines+"\n</plan>", lines, numbered, "```\n"+lines+"\n```", "[PLAN]\n"+lines, "[PLAN]\n"+numbered+"[PLAN END]", "<plan>"+strings.Join(plan, " ")+"</plan>")
	return think + body + f.one("", "", "\n", "\nThis works.", "\n"+body, "\nThe task cannot be solved.")
}

// response is an answer to a task.
func (f *forge) response(task *forgeTask) string {
	switch f.r.IntN(20) {
	case 0:
		return f.one("", "I cannot say.", "There is no plan.", "[PLAN]\n[PLAN END]", "<think>", "The goal already holds.", "\x00\xff", "{\"plan\": []}")
	case 1:
		return f.layout(f.mutatePlan(task, task.plan)) + "\n" + f.layout(f.mutatePlan(task, task.plan))
	case 2:
		other := &f.tasks[f.r.IntN(len(f.tasks))]
		return f.layout(other.plan)
	}
	plan := task.plan
	for range f.r.IntN(3) {
		plan = f.mutatePlan(task, plan)
	}
	return f.layout(plan)
}
