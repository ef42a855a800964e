package toolworlds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/domains/tools"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/itineraries"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/search"
)

func generate(t testing.TB, s Size, seed uint64) *Task {
	t.Helper()
	task, err := Generate(t.Context(), s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// sizes from the smallest to such with many of everything.
func sizes() []Size {
	one := Size{Kinds: 1, Objects: 1, States: 1, Ways: 1, Goals: 1}
	wide, deep := DefaultSize, DefaultSize
	wide.Objects, wide.Goals, wide.Extras = 8, 4, 6
	deep.Kinds, deep.States, deep.Constraints = 6, 3, 4
	return []Size{one, DefaultSize, wide, deep}
}

// TestTasks: each task is read from its own row, its plan costs the optimum, which uniform-cost search confirms, another
// constraint never makes plans cheaper, and every sentence is in one prompt and not in the other.
func TestTasks(t *testing.T) {
	count := uint64(6)
	if testing.Short() {
		count = 3
	}
	if os.Getenv("PLANPROOF_LONG") != "" {
		count = 250
	}
	differ := 0
	for _, size := range sizes() {
		for seed := uint64(1); seed <= count; seed++ {
			task := generate(t, size, seed)
			if again := generate(t, size, seed); !bytes.Equal(task.AppendJSON(nil), again.AppendJSON(nil)) {
				t.Fatalf("%s is made differently again", task.Name)
			}
			prob, err := read(task.Domain, task.Problem)
			if err != nil {
				t.Fatal(err)
			}
			list, diags := constraints.Parse(pddl.NewSource("c", strings.Join(task.Constraints, "\n")), prob)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			under, err := constraints.Compile(prob, list)
			if err != nil {
				t.Fatal(err)
			}
			if len(prob.Objects) < 20 {
				a, err := pipeline.Solve(t.Context(), under, pipeline.Options{Search: search.Config{Search: "astar(blind())"}})
				if err != nil || a.Verdict == nil || !a.Cost.Equal(task.Optimum) {
					t.Errorf("%s: optimum %s, by uniform cost %+v, %v", task.Name, task.Optimum, a, err)
				}
			}
			if task.Free.Cmp(task.Optimum) > 0 || len(task.Constraints) > size.Constraints {
				t.Errorf("%s: %s without constraints, %s with %d", task.Name, task.Free, task.Optimum, len(task.Constraints))
			}
			if !task.Free.Equal(task.Optimum) {
				differ++
			}
			for _, s := range task.Sentences {
				if !strings.Contains(task.Prompt, s) || strings.Contains(task.Unconstrained, s) || strings.Contains(task.Unconstrained, "Needs that") {
					t.Errorf("%s: %q", task.Name, s)
				}
			}
		}
	}
	if differ < int(count) {
		t.Errorf("constraints make only %d plans dearer", differ)
	}
}

// TestSplits: tasks of one structure are in one split. A renamed task has the same structure and split, a different task another
// structure.
func TestSplits(t *testing.T) {
	splits, hashes := map[string]string{}, map[string]int{}
	for seed := uint64(1); seed <= 60; seed++ {
		task := generate(t, Size{Kinds: 1 + int(seed)%2, Objects: 1, States: 1, Ways: 1, Goals: 1, Constraints: 0}, seed)
		if old, known := splits[task.Structure]; known && old != task.Split {
			t.Errorf("%s is in %s and %s", task.Structure, old, task.Split)
		}
		splits[task.Structure] = task.Split
		hashes[task.Structure]++
	}
	if len(hashes) < 15 || len(hashes) == 60 {
		t.Errorf("%d structures in 60 small tasks", len(hashes))
	}
	d := newDraft(DefaultSize, 3)
	one, _, err := structure(naming{d: d, plain: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.names = slices.Clone(d.names)
	slices.Reverse(d.names) // other words
	d.kinds[2].of[0], d.kinds[2].of[1] = d.kinds[2].of[1], d.kinds[2].of[0]
	for i := range d.kinds {
		if d.kinds[i].parent == 2 { // follow the swapped objects
			for k, o := range d.kinds[i].of {
				d.kinds[i].of[k] = []int{1, 0, 2}[o]
			}
		}
	}
	for i, g := range d.goals {
		if g[0] == 2 {
			d.goals[i][1] = []int{1, 0, 2}[g[1]]
		}
	}
	if two, _, _ := structure(naming{d: d, plain: true}, nil); one != two {
		t.Errorf("renamed: %s, %s", one, two)
	}
	d.kinds[0].cost++
	if three, _, _ := structure(naming{d: d, plain: true}, nil); one == three {
		t.Error("another cost is another structure")
	}
}

// answers to a task: its plan, the cheapest plan without constraints, and broken ones.
func scored(t *testing.T, name string, task *Task, answers ...string) []map[string]any {
	t.Helper()
	spec, err := reward.Find(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	for i, a := range answers {
		fmt.Fprintf(&in, "%s\n", strings.Replace(string(task.AppendJSON(nil)), `{"case":`, fmt.Sprintf(`{"group":"g%d","prediction":%s,"case":`, i, a), 1))
	}
	var out strings.Builder
	rows, _, err := Score(t.Context(), strings.NewReader(in.String()), &out, itineraries.Options{Reward: spec})
	if err != nil || rows != len(answers) {
		t.Fatalf("%d rows, %v", rows, err)
	}
	var list []map[string]any
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, m)
	}
	return list
}

// TestRewards: the gold plan earns the most under every reward; a plan that breaks only constraints earns more than one
// that does nothing, where the reward is dense.
func TestRewards(t *testing.T) {
	var task *Task
	for seed := uint64(1); task == nil || task.Free.Equal(task.Optimum); seed++ {
		task = generate(t, DefaultSize, seed)
	}
	prob, err := read(task.Domain, task.Problem)
	if err != nil {
		t.Fatal(err)
	}
	free, err := solveUnder(t.Context(), prob, nil)
	if err != nil {
		t.Fatal(err)
	}
	seed := strings.LastIndex(task.Name, "-")
	var number uint64
	fmt.Sscan(task.Name[seed+1:], &number)
	careless := string(naming{d: newDraft(DefaultSize, number)}.calls(free.Plan))
	answers := []string{string(task.Gold), careless, `[{"id":0,"name":"Nothing.at_all","args":{}}]`, `"I do not know"`, `{"messages":[{"role":"user"}]}`}
	for _, name := range []string{"valid", "staged-dense", "staged-middle", "staged-sparse"} {
		rows := scored(t, name, task, answers...)
		for i, row := range rows {
			want := []string{"valid", "invalid", "invalid", "no-plan", "no-plan"}[i]
			if row["status"] != want || (i == 0) != (row["reward"] == 1.0) || row["id"] != task.Name || row["group"] != fmt.Sprintf("g%d", i) {
				t.Errorf("%s: %v, want %s", name, row, want)
			}
			if n := len(row["violations"].([]any)); (i == 0) != (n == 0) && i != 4 {
				t.Errorf("%s: %v", name, row)
			}
		}
		if name == "staged-dense" && rows[1]["reward"].(float64) <= rows[3]["reward"].(float64) {
			t.Errorf("%v, %v", rows[1], rows[3])
		}
	}
	plan := tools.ReadPlan(task.Gold, nil)
	if v, err := world.Judge(prob, free.Plan); err != nil || !v.Valid || len(plan.Steps) == 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestBadRows: what a row lacks is said, and other rows are answered.
func TestBadRows(t *testing.T) {
	task := generate(t, Size{Kinds: 1, Objects: 1, States: 1, Ways: 1, Goals: 1}, 1)
	good := strings.Replace(string(task.AppendJSON(nil)), `{"case":`, `{"response":[],"case":`, 1)
	spec, _ := reward.Find("valid", nil)
	for _, c := range []struct{ row, says string }{
		{`{`, "row 1: "}, {`[]`, "not a JSON object"}, {`{"case":1}`, "neither prediction nor response"},
		{strings.Replace(good, `"domain_text":"(define`, `"domain_text":"(`, 1), "row 1: "},
		{strings.Replace(good, `"constraints":[]`, `"constraints":["(missing pluto)"]`, 1), "pluto"},
		{strings.Replace(good, `"tools":{`, `"tools":{"values":{"x":"pluto"},`, 1), "pluto"},
	} {
		var out strings.Builder
		rows, faults, err := Score(t.Context(), strings.NewReader(c.row+"\n"+good+"\n"), &out, itineraries.Options{Reward: spec, Workers: 1})
		if err != nil || rows != 2 || faults != 1 || !strings.Contains(out.String(), `"bad-row"`) || !strings.Contains(out.String(), c.says) || !strings.Contains(out.String(), `"no-plan"`) {
			t.Errorf("%.60s: %d rows, %d faults, %v: %s", c.row, rows, faults, err, out.String())
		}
	}
	for _, bad := range []map[string]int{{"kinds": 0}, {"goals": 200}, {"colour": 1}, {"ways": 4}} {
		if _, err := ParseSize(bad); err == nil {
			t.Errorf("%v is a size", bad)
		}
	}
}

// FuzzScore scores any row: each has an answer that is JSON.
func FuzzScore(f *testing.F) {
	task, err := Generate(f.Context(), Size{Kinds: 2, Objects: 1, States: 1, Ways: 1, Goals: 1}, 1)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(task.Gold), `"(missing k0-1)"`)
	f.Add(`"no"`, `"(cost-limit 1)","(within 0)"`)
	f.Add(`{"messages":[]}`, `7`)
	spec, _ := reward.Find("staged-dense", nil)
	f.Fuzz(func(t *testing.T, answer, constraint string) {
		if len(constraint) > 500 {
			t.Skip()
		}
		row := strings.Replace(string(task.AppendJSON(nil)), `"constraints":[]`, `"constraints":[`+constraint+`],"prediction":`+answer, 1)
		var out strings.Builder
		rows, _, err := Score(t.Context(), strings.NewReader(strings.NewReplacer("\n", " ", "\r", " ").Replace(row)), &out, itineraries.Options{Reward: spec, Workers: 1})
		if err != nil || rows != 1 || !json.Valid([]byte(out.String())) || strings.Contains(out.String(), "internal error") {
			t.Fatalf("%s: %s, %v", row, out.String(), err)
		}
	})
}

func BenchmarkGenerate(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		if _, err := Generate(b.Context(), DefaultSize, uint64(i)); err != nil {
			b.Fatal(err)
		}
	}
}
