package grade

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// TestCheckGold: the gold answers of all kinds of prompts are right, and each thing that can
// be changed in them is found out.
func TestCheckGold(t *testing.T) {
	ctx := context.Background()
	seen := map[string]bool{}
	for _, name := range []string{"blocksworld:4-9", "logistics:2-2-2-3", "gripper:3"} {
		prob := pddltest.Load(t, name)
		for _, kind := range prompt.Kinds() {
			for seed := range uint64(3) {
				rec, err := prompt.Make(ctx, prompt.Task{ID: name, Problem: prob, Bundled: name}, prompt.Options{Kind: kind, Seed: seed})
				if errors.Is(err, prompt.ErrOption) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				dom, _ := pddl.ParseDomain(pddl.NewSource("domain", rec.Domain), pddl.Options{})
				judged, ds := pddl.ParseProblem(pddl.NewSource("problem", rec.Problem), dom, pddl.Options{})
				if ds.HasErrors() {
					t.Fatal(ds)
				}
				if err := CheckGold(ctx, rec.Gold, judged); err != nil {
					t.Errorf("%s, %s, seed %d: %v", name, kind, seed, err)
				}
				for member, spoil := range spoiledGold {
					text, _ := json.Marshal(rec.Gold)
					g := new(prompt.Gold)
					if err := json.Unmarshal(text, g); err != nil {
						t.Fatal(err)
					}
					if !spoil(g) {
						continue
					}
					seen[member] = true
					var at *rowjson.RowError
					if err := CheckGold(ctx, g, judged); !errors.As(err, &at) || at.Code != rowjson.CodeGold || at.Member != strings.Fields(member)[0] {
						t.Errorf("%s, %s, seed %d: %s: %v", name, kind, seed, member, err)
					}
				}
			}
		}
	}
	for member := range spoiledGold {
		if !seen[member] {
			t.Errorf("%s was never spoiled", member)
		}
	}
	if CheckGold(ctx, nil, pddltest.Load(t, "gripper:3")) != nil {
		t.Error("no gold is no wrong one")
	}
}

// spoiledGold changes gold answers so that a member is wrong; false if it has none.
var spoiledGold = map[string]func(g *prompt.Gold) bool{
	"gold.plan": func(g *prompt.Gold) bool {
		if len(g.Plan) < 2 {
			return false
		}
		g.Plan = g.Plan[:len(g.Plan)-1]
		return true
	},
	"gold.cost": func(g *prompt.Gold) bool {
		if g.Cost == "" || len(g.Plan) == 0 {
			return false
		}
		g.Cost += "0"
		return g.Cost != "00"
	},
	"gold.cost of no plan": func(g *prompt.Gold) bool { g.Cost, g.Plan = "dear", nil; return true },
	"gold.unsolvable":      func(g *prompt.Gold) bool { g.Unsolvable = true; return len(g.Plan) > 0 },
	"gold.verdict.valid": func(g *prompt.Gold) bool {
		if g.Verdict == nil {
			return false
		}
		g.Verdict.Valid = !g.Verdict.Valid
		return true
	},
	"gold.verdict.step": func(g *prompt.Gold) bool {
		if g.Verdict == nil || g.Verdict.Step == 0 {
			return false
		}
		g.Verdict.Step++
		return true
	},
	"gold.verdict.kind": func(g *prompt.Gold) bool {
		if g.Verdict == nil || g.Verdict.Kind != "goal" {
			return false
		}
		g.Verdict.Kind = "precondition"
		return true
	},
	"gold.verdict.unmet": func(g *prompt.Gold) bool {
		if g.Verdict == nil || len(g.Verdict.Unmet) == 0 {
			return false
		}
		g.Verdict.Unmet = append(g.Verdict.Unmet, "(sunny)")
		return true
	},
	"gold.verdict.action": func(g *prompt.Gold) bool {
		if g.Verdict == nil || g.Verdict.Action == "" {
			return false
		}
		g.Verdict.Action = "(wait)"
		return true
	},
	"gold.state lacks": func(g *prompt.Gold) bool {
		if len(g.State) == 0 {
			return false
		}
		g.State = g.State[1:]
		return true
	},
	"gold.state adds": func(g *prompt.Gold) bool {
		if len(g.State) == 0 {
			return false
		}
		g.State = append(g.State, "(sunny)")
		return true
	},
	"gold.candidate": func(g *prompt.Gold) bool {
		if len(g.State) == 0 || len(g.Candidate) == 0 {
			return false
		}
		g.Candidate = append(g.Candidate, "(wait)")
		return true
	},
}
