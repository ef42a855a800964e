package episode

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

func load(t testing.TB, name string) *pddl.Problem {
	d, p, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	dom, diags := pddl.ParseDomain(d, pddl.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	prob, diags := pddl.ParseProblem(p, dom, pddl.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return prob
}

// secondJudge says by a task of its own for each constraint whether a plan that reaches the goal violates it.
type secondJudge struct {
	prob  *pddl.Problem
	tasks map[string]*pddl.Problem // by constraint, "" for none
	known map[string]bool          // by constraint and plan
}

func newSecondJudge(prob *pddl.Problem) *secondJudge {
	return &secondJudge{prob, map[string]*pddl.Problem{"": prob}, map[string]bool{}}
}

// valid reports whether a plan reaches the goal and keeps a constraint, "" for none.
func (j *secondJudge) valid(t *testing.T, text string, plan []string) bool {
	key := text + "\n" + strings.Join(plan, "\n")
	if ok, known := j.known[key]; known {
		return ok
	}
	if j.tasks[text] == nil {
		j.tasks[text] = compiled(t, j.prob, text)
	}
	v, err := world.Judge(j.tasks[text], plan)
	if err != nil {
		t.Fatal(err)
	}
	j.known[key] = v.Valid
	return v.Valid
}

func compiled(t *testing.T, prob *pddl.Problem, text string) *pddl.Problem {
	c, diags := constraints.Parse(pddl.NewSource("c", text), prob)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	task, err := constraints.Compile(prob, c)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// checkProtocol replays an episode by the rules of the protocol, written a second time.
func checkProtocol(t *testing.T, j *secondJudge, p *Profile, row *Row) {
	told := map[string]bool{}
	quiet, repeats := 0, 0
	for i := range row.Turns {
		turn := &row.Turns[i]
		public := j.valid(t, "", turn.Plan)
		var worldV, userV []string
		if public {
			for _, c := range p.World {
				if !j.valid(t, c, turn.Plan) {
					worldV = append(worldV, c)
				}
			}
			for _, c := range p.User {
				if !j.valid(t, c, turn.Plan) {
					userV = append(userV, c)
				}
			}
		}
		disclose := worldV
		if len(worldV) == 0 {
			disclose = userV
		}
		var fresh, again []string
		for _, c := range disclose {
			if told[c] {
				again = append(again, c)
			} else {
				fresh = append(fresh, c)
			}
		}
		slices.Sort(fresh)
		slices.Sort(again)
		gotNew, gotAgain := slices.Sorted(slices.Values(turn.New)), slices.Sorted(slices.Values(turn.Repeated))
		if !slices.Equal(fresh, gotNew) || !slices.Equal(again, gotAgain) || turn.Passed != (public && len(disclose) == 0) || (turn.Fault != "") != !public {
			t.Fatalf("%s, seed %d, turn %d: disclosed %v, repeated %v, want %v and %v", row.Agent, row.Seed, i+1, turn.New, turn.Repeated, fresh, again)
		}
		for _, c := range fresh {
			told[c] = true
		}
		repeats += len(again)
		if quiet++; len(fresh) > 0 {
			quiet = 0
		}
		last := i == len(row.Turns)-1
		end := ""
		switch {
		case turn.Passed:
			end = EndPassed
		case quiet == 2:
			end = EndPatience
		case i == 19:
			end = EndTurns
		}
		if last != (end != "") || last && row.End != end {
			t.Fatalf("%s, seed %d: ends by %q in turn %d of %d, want %q", row.Agent, row.Seed, row.End, i+1, len(row.Turns), end)
		}
	}
	if repeats != row.RepeatedWorld+row.RepeatedUser || row.Silent < repeats || row.DisclosedWorld+row.DisclosedUser != len(told) {
		t.Fatalf("%s, seed %d: %d repeats, %d told, %+v", row.Agent, row.Seed, repeats, len(told), row)
	}
}

// playChecked lets all agents play under a profile and checks each episode by the second implementation.
func playChecked(t *testing.T, name string, prob *pddl.Problem, j *secondJudge, rounds int, seed uint64) (episodes int) {
	p, err := Draw(t.Context(), prob, rounds, seed, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append(slices.Clone(p.World), p.User...) {
		if !j.valid(t, c, p.Witness) {
			t.Fatalf("%s, seed %d: the witness violates %s", name, seed, c)
		}
	}
	env, err := NewEnv(prob, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, agent := range AgentNames {
		a, err := NewAgent(agent, prob, p, seed, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		row, err := env.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		row.Agent, row.Seed = agent, seed
		checkProtocol(t, j, p, row)
		switch agent {
		case "optimal":
			if !row.Passed || row.Silent > 0 || len(row.Turns) > len(p.World)+len(p.User)+1 {
				t.Errorf("%s, seed %d: %+v", name, seed, row)
			}
		case "omniscient":
			if len(row.Turns) != 1 || row.Cost != row.Optimum {
				t.Errorf("%s, seed %d: the best plan: %+v", name, seed, row)
			}
		}
		episodes++
	}
	return episodes
}

func TestProtocol(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for _, name := range []string{"blocksworld:4-17", "gripper:2", "logistics:2-2-1-1"} {
		prob := load(t, name)
		j := newSecondJudge(prob)
		for seed := range seeds {
			playChecked(t, name, prob, j, 1+int(seed)%High, seed)
		}
	}
}

// TestHouseholdProtocol plays the household's tasks; with PLANPROOF_LONG=1 10,745 episodes on all 307.
func TestHouseholdProtocol(t *testing.T) {
	tasks, seeds := 4, uint64(1)
	if os.Getenv("PLANPROOF_LONG") != "" {
		tasks, seeds = 307, 7
	}
	episodes := 0
	for i := 1; i <= tasks; i++ {
		name := fmt.Sprintf("household:1-3-%d", i)
		t.Run(name, func(t *testing.T) {
			prob := load(t, name)
			j := newSecondJudge(prob)
			for seed := uint64(1); seed <= seeds; seed++ {
				episodes += playChecked(t, name, prob, j, Mid, seed)
			}
		})
	}
	t.Logf("%d episodes agree with the second implementation", episodes)
}

// TestQuickProfiles: what is known and quick searches decide no candidate otherwise than a cheapest plan for each does.
func TestQuickProfiles(t *testing.T) {
	for _, name := range []string{"blocksworld:4-17", "gripper:2", "household:1-3-1", "household:1-3-2", "trip:1-3-2"} {
		prob := load(t, name)
		for seed := range uint64(3) {
			quick, err := Draw(t.Context(), prob, High, seed, search.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			each, err := Draw(t.Context(), prob, High, seed, search.Limits{Nodes: 1 << 40})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(quick.World, each.World) || !slices.Equal(quick.User, each.User) || quick.Rejected != each.Rejected || !quick.Cost.Equal(each.Cost) {
				t.Errorf("%s, seed %d:\n%+v\n%+v", name, seed, quick, each)
			}
		}
	}
}

// unreadable is an agent whose plans cannot be read.
type unreadable struct{}

func (unreadable) Plan(context.Context, []Turn) (Proposal, error) {
	return Proposal{Plan: []string{"pick up a", "("}}, nil
}

func TestUnreadablePlans(t *testing.T) {
	prob := load(t, "blocksworld:4-17")
	p, err := Draw(t.Context(), prob, Low, 1, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	env, err := NewEnv(prob, p)
	if err != nil {
		t.Fatal(err)
	}
	row, err := env.Run(t.Context(), unreadable{})
	if err != nil || row.End != EndPatience || len(row.Turns) != 2 || row.Turns[0].Fault == "" || row.DisclosedWorld+row.DisclosedUser > 0 {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := NewAgent("wise", prob, p, 1, search.Limits{}); err == nil {
		t.Error("there is no such agent")
	}
}

func BenchmarkEpisodes(b *testing.B) {
	prob := load(b, "blocksworld:4-17")
	p, err := Draw(b.Context(), prob, Mid, 1, search.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	env, err := NewEnv(prob, p)
	if err != nil {
		b.Fatal(err)
	}
	agent, err := NewAgent("optimal", prob, p, 1, search.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := env.Run(b.Context(), agent); err != nil {
			b.Fatal(err)
		}
	}
}
