package prompt

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// planbenchRepo is the folder of a checkout of the PlanBench repository
// (karthikv792/LLMs-Planning), whose prompts are compared with ours. They are not ours and
// not in the shared data.
func planbenchRepo(t *testing.T) string {
	t.Helper()
	root := os.Getenv("PLANPROOF_PLANBENCH")
	if root == "" {
		t.Skip("no PlanBench prompts: set PLANPROOF_PLANBENCH to a checkout of the PlanBench repository")
	}
	return filepath.Join(root, "plan-bench")
}

// planbenchSets are the prompts of each domain with the folder of its instances.
var planbenchSets = map[string]string{
	"blocksworld": "blocksworld/generated_basic", "blocksworld_3": "blocksworld/generated_basic_3",
	"mystery_blocksworld": "blocksworld/mystery/generated_basic", "mystery_blocksworld_3": "blocksworld/mystery/generated_basic_3",
	"logistics": "logistics/generated_basic", "depots": "depots/generated_basic",
	"obfuscated_deceptive_logistics": "obfuscated_deceptive_logistics/generated_basic",
}

type planbenchPrompt struct {
	Instance int    `json:"instance_id"`
	Examples []int  `json:"example_instance_ids"`
	Query    string `json:"query"`
	Truth    any    `json:"ground_truth_plan"`
}

// planbenchFile reads the prompts of a file, nil if there is none.
func planbenchFile(t *testing.T, file string) []planbenchPrompt {
	t.Helper()
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	var f struct {
		Instances []planbenchPrompt `json:"instances"`
	}
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.Instances
}

// planbenchInstance reads an instance, nil if the checkout has it not.
func planbenchInstance(t *testing.T, root, folder string, n int) *pddl.Problem {
	t.Helper()
	folder = filepath.Join("instances", folder)
	name := filepath.Join(folder, "instance-"+itoa(n)+".pddl")
	if _, err := os.Stat(filepath.Join(root, name)); err != nil {
		return nil
	}
	return readPlanbench(t, root, filepath.Join(filepath.Dir(folder), "generated_domain.pddl"), name)
}

// planbenchMost bounds the prompts of a domain that are compared.
func planbenchMost() int {
	if os.Getenv("PLANPROOF_LONG") != "" {
		return 1 << 20
	}
	return 150
}

// told is what our prompt tells of a problem, from [STATEMENT] to the goal, without the
// line of the objects, which PlanBench leaves out of typed domains.
func told(t *testing.T, prob *pddl.Problem) string {
	t.Helper()
	rec, err := Make(context.Background(), Task{Problem: prob}, Options{NoGold: true})
	if err != nil {
		t.Fatal(err)
	}
	var out string
	for _, s := range rec.Prompt.Spans {
		if s.Kind == SpanInit || s.Kind == SpanGoal {
			out += rec.Prompt.Text[s.Start:s.End]
		}
	}
	return "[STATEMENT]\n" + out
}

// TestPlanbenchSentences needs the shared corpus only: models that go on a one-shot prompt
// write its action sentences, and those are ours. Of the lines of such answers, read as the
// corpus records, nearly all are byte for byte what we write.
func TestPlanbenchSentences(t *testing.T) {
	root := testkit.Shared(t, "data", "planbench")
	same, all := map[string]int{}, map[string]int{}
	renderers := map[string]*Renderer{}
	for _, row := range pddltest.PlanBenchRows(t) {
		lines, _, ok := strings.Cut(row.Response, "[PLAN END]")
		list := strings.Split(strings.TrimSpace(lines), "\n")
		if !ok || len(list) != len(row.Plan) || len(row.Malformed) > 0 || strings.HasPrefix(list[0], "(") {
			continue
		}
		r := renderers[row.ProblemF]
		if r == nil {
			templates := "" // one domain is told in two ways
			if strings.HasPrefix(row.Domain, "random_") {
				templates = "random_blocksworld"
			}
			r, _ = NewRenderer(readPlanbench(t, root, row.DomainF, row.ProblemF), templates)
			renderers[row.ProblemF] = r
		}
		for i, line := range list {
			all[row.Domain]++
			if strings.TrimSpace(line) == r.Step(row.Plan[i]) {
				same[row.Domain]++
			}
		}
	}
	for domain, n := range all {
		t.Logf("%s: %d of %d lines are our sentences", domain, same[domain], n)
		if n >= 100 && same[domain]*100 < n*95 {
			t.Errorf("%s: only %d of %d lines are our sentences", domain, same[domain], n)
		}
	}
	for _, domain := range []string{"blocksworld", "logistics", "mystery_blocksworld", "random_blocksworld"} {
		if all[domain] < 50 {
			t.Errorf("%s: only %d lines", domain, all[domain])
		}
	}
}
