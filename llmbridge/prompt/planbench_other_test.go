package prompt

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
)

// planbenchResults are files of results whose prompts show no example, or show PDDL, with
// their instances: a folder, or the prompts in PDDL that have them.
var planbenchResults = []struct{ file, instances string }{
	{"blocksworld/claude-3-opus/task_1_plan_generation_zero_shot", "instances/blocksworld/generated_basic"},
	{"mystery_blocksworld/claude-3-opus/task_1_plan_generation_zero_shot", "instances/blocksworld/mystery/generated_basic"},
	{"obfuscated_randomized_blocksworld/o1-mini_chat/task_1_plan_generation_zero_shot", "prompts of obfuscated_randomized_blocksworld/o1-preview_chat/task_1_plan_generation_zero_shot_pddl"},
	{"blocksworld/gpt-4_chat/task_1_plan_generation_pddl", "instances/blocksworld/generated_basic"},
	{"blocksworld/gpt-4_chat/task_1_plan_generation_zero_shot_pddl", "instances/blocksworld/generated_basic"},
	{"mystery_blocksworld/gpt-4_chat/task_1_plan_generation_pddl", "instances/blocksworld/mystery/generated_basic"},
	{"logistics/gpt-4_chat/task_1_plan_generation_pddl", "instances/logistics/generated_basic"},
	{"logistics/o1-preview_chat/task_1_plan_generation_zero_shot_pddl", "instances/logistics/generated_basic"},
	{"unsolvable_blocksworld/o1-preview_chat/task_1_plan_generation_zero_shot_pddl", "instances/unsolvable_blocksworld/generated_basic"},
	{"sokoban/o1-preview_chat/task_1_plan_generation_zero_shot_pddl", "instances/sokoban/generated_basic"},
}

// TestPlanbenchResults: the statements of its prompts without an example, of unsolvable and
// of randomly renamed tasks too, are ours byte for byte; and its prompts in PDDL show what
// ours show, under the same headings, once their PDDL is printed as we print it.
func TestPlanbenchResults(t *testing.T) {
	root := filepath.Join(planbenchRepo(t), "..", "llm_planning_analysis")
	for _, f := range planbenchResults {
		same, all := 0, 0
		other := map[int]string{}
		if file, ok := strings.CutPrefix(f.instances, "prompts of "); ok {
			for _, q := range planbenchFile(t, filepath.Join(root, "results", file+".json")) {
				other[q.Instance] = q.Query
			}
		}
		for _, q := range planbenchFile(t, filepath.Join(root, "results", f.file+".json")) {
			if all == planbenchMost() {
				break
			}
			_, statement, _ := strings.Cut(q.Query, "[STATEMENT]\n")
			statement, _, _ = strings.Cut("[STATEMENT]\n"+statement, "\n\n")
			var prob *pddl.Problem
			if text := other[q.Instance]; text != "" {
				_, prob = pddltest.Parse(t, definition(text, 0), definition(text, 1))
			} else if prob = planbenchInstance(t, root, strings.TrimPrefix(f.instances, "instances/"), q.Instance); prob == nil {
				continue
			}
			ours := ""
			if strings.HasSuffix(f.file, "_pddl") {
				statement = headed(t, q.Query)
				ours = headed(t, formalPrompt(t, prob, q.Query))
			} else {
				ours = told(t, prob)
			}
			if all++; ours == statement {
				same++
			} else if all-same <= 2 {
				t.Logf("%s %d:\n%s\nours\n%s", f.file, q.Instance, statement, ours)
			}
		}
		t.Logf("%s: %d of %d", f.file, same, all)
		if all < 20 || same < all {
			t.Errorf("%s: %d of %d prompts are told alike", f.file, same, all)
		}
	}
}

// definition returns the i-th definition in a text, up to the parenthesis that ends it: those
// of PlanBench's later prompts have one too many.
func definition(text string, i int) string {
	for ; ; i-- {
		text = text[strings.Index(text, "(define"):]
		depth, end := 0, 0
		for end = range text {
			switch text[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				break
			}
		}
		if i == 0 {
			return text[:end+1]
		}
		text = text[end:]
	}
}

// formalPrompt makes our prompt in PDDL about a problem, with the example of theirs, and the
// steps of its plan as the judge has them.
func formalPrompt(t *testing.T, prob *pddl.Problem, theirs string) string {
	t.Helper()
	b := newBuilder(Options{Kind: KindGeneration, Style: StylePDDL})
	r, _ := NewRenderer(prob, "")
	b.header(r)
	if _, example, ok := strings.Cut(theirs, "[PROBLEM]\n"); ok {
		_, plan, _ := strings.Cut(example, "[PLAN]")
		plan, _, _ = strings.Cut(plan, "[PLAN_END]")
		p, ds := pddl.ParseProblem(pddl.NewSource("example", definition(example, 0)), prob.Domain, pddl.Options{})
		if p == nil {
			t.Fatal(ds)
		}
		b.o.Shots = 1
		er, _ := NewRenderer(p, "")
		it := &item{prob: p, r: er, solvable: true, plan: er.PlanReader().Extract("[PLAN]" + plan + "[PLAN END]").Plan}
		if v, err := world.Judge(p, it.plan); err != nil || !v.Valid {
			t.Errorf("the example's plan is not valid: %v", err)
		}
		b.ask(it, false)
		b.text(b.answer(it))
	}
	b.ask(&item{prob: prob, r: r, solvable: true}, true)
	return b.b.String()
}

var (
	aside   = regexp.MustCompile(`(?m)^(My plan is as follows:|Which plan reaches.*)$`)
	heading = regexp.MustCompile(`(?m)^\[[A-Z ]*\]`)
)

// headed tells a prompt from its domain on, with each piece of PDDL as we print it.
func headed(t *testing.T, prompt string) string {
	t.Helper()
	_, text, _ := strings.Cut(prompt, "[DOMAIN]\n")
	text = aside.ReplaceAllString(strings.ReplaceAll(text, "[PLAN_END]", "[PLAN END]"), "")
	text = strings.TrimSuffix(strings.TrimSpace(text), "[PLAN]")
	var dom *pddl.Domain
	var out strings.Builder
	for i, part := range heading.Split(text, -1) {
		part = strings.TrimSpace(part)
		if strings.Contains(part, "(define") && dom == nil {
			d, ds := pddl.ParseDomain(pddl.NewSource("domain", definition(part, 0)), pddl.Options{})
			if dom = d; d == nil {
				t.Fatal(ds)
			}
			part = d.String()
		} else if strings.Contains(part, "(define") {
			p, ds := pddl.ParseProblem(pddl.NewSource("problem", definition(part, 0)), dom, pddl.Options{})
			if p == nil {
				t.Fatal(ds)
			}
			part = p.String()
		}
		out.WriteString(strconv.Itoa(i) + part + "\n")
	}
	return out.String() + strings.Join(heading.FindAllString(text, -1), "")
}
