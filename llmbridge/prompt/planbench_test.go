package prompt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// planbenchIntro returns what PlanBench says about blocksworld, out of a paper that
// quotes a prompt, and the sentence that its zero-shot prompts end in, out of the
// corpus's notes. Neither is ours, so neither is here.
func planbenchIntro(t *testing.T) (intro, ending string) {
	t.Helper()
	text, err := os.ReadFile(testkit.Shared(t, "seeds", "carl.txt"))
	if err != nil {
		t.Skip(err)
	}
	_, rest, ok := strings.Cut(string(text), "I am playing with a set of blocks")
	rest, _, ok2 := strings.Cut(rest, "[STATEMENT]")
	if !ok || !ok2 {
		t.Skip("the paper quotes no prompt")
	}
	var lines []string
	for _, l := range strings.Split("I am playing with a set of blocks"+rest, "\n") {
		if l = strings.TrimSpace(l); l != "" && l != "." {
			lines = append(lines, l)
		}
	}
	intro = lines[0] + "\n\n" + strings.Join(lines[1:5], "\n") + "\n\n" + strings.Join(lines[5:], "\n") + ".\n"
	notes, err := os.ReadFile(testkit.Shared(t, "data", "planbench", "tasks.md"))
	if err != nil {
		t.Skip(err)
	}
	m := regexp.MustCompile(`asks "([^"]*plan[^"]*)"`).FindStringSubmatch(string(notes))
	if m == nil {
		t.Skip("the notes do not quote the question")
	}
	return intro, m[1]
}

type planbenchQuery struct {
	Domain, Task, Engine string
	Problem              string `json:"problem_pddl"`
	DomainFile           string `json:"domain_pddl"`
	Hash                 string `json:"prompt_sha256"`
	Instance             int    `json:"instance_id"`
	Truth                any    `json:"ground_truth_plan"`
}

// TestPlanbenchStatements: what the prompts say of an initial state and a goal is, byte
// for byte, what PlanBench says: with its introduction in the place of ours, the
// zero-shot prompts have the hashes that are recorded with its responses.
func TestPlanbenchStatements(t *testing.T) {
	intro, ending := planbenchIntro(t)
	root := testkit.Shared(t, "data", "planbench")
	text, err := os.ReadFile(filepath.Join(root, "responses-dev.jsonl"))
	if err != nil {
		t.Skip(err)
	}
	done := map[string]bool{}
	same, all := 0, 0
	for _, line := range strings.Split(string(text), "\n") {
		var q planbenchQuery
		if line == "" || json.Unmarshal([]byte(line), &q) != nil {
			continue
		}
		if q.Task != "t1-zero" || q.Domain != "blocksworld" && q.Domain != "blocksworld_3" || done[q.Hash] {
			continue
		}
		if q.Engine == "gpt-4_chat" {
			continue // asked by an older version, in another sentence
		}
		done[q.Hash] = true
		prob := readPlanbench(t, root, q.DomainFile, q.Problem)
		rec, err := Make(context.Background(), Task{Problem: prob}, Options{NoGold: true})
		if err != nil {
			t.Fatal(err)
		}
		_, statement, _ := strings.Cut(rec.Prompt.Text, "\n[STATEMENT]\n")
		statement, _, _ = strings.Cut(statement, "\n\n")
		query := intro + "\n[STATEMENT]\n" + statement + "\n\n" + ending
		sum := sha256.Sum256([]byte(query))
		if all++; hex.EncodeToString(sum[:]) == q.Hash {
			same++
		} else {
			t.Logf("%s differs", q.Problem)
		}
	}
	t.Logf("%d of %d zero-shot prompts have PlanBench's bytes", same, all)
	if all < 50 || same < all {
		t.Errorf("%d of %d prompts have PlanBench's bytes", same, all)
	}
}

func readPlanbench(t *testing.T, root, dom, prob string) *pddl.Problem {
	t.Helper()
	d, err := os.ReadFile(filepath.Join(root, dom))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.ReadFile(filepath.Join(root, prob))
	if err != nil {
		t.Fatal(err)
	}
	_, out := pddltest.Parse(t, string(d), string(p))
	return out
}

// TestPlanbenchOneShot: so do its one-shot prompts, worked example and plan included,
// where the corpus records the example's plan. The example of instance n is instance
// n-1.
func TestPlanbenchOneShot(t *testing.T) {
	intro, _ := planbenchIntro(t)
	root := testkit.Shared(t, "data", "planbench")
	text, err := os.ReadFile(filepath.Join(root, "responses-dev.jsonl"))
	if err != nil {
		t.Skip(err)
	}
	var rows []planbenchQuery
	plans := map[string]map[int]string{} // domain, instance: plan
	for _, line := range strings.Split(string(text), "\n") {
		var q planbenchQuery
		if line == "" || json.Unmarshal([]byte(line), &q) != nil || q.Domain != "blocksworld" && q.Domain != "blocksworld_3" {
			continue
		}
		plan, _ := q.Truth.(string)
		if (q.Task == "t1" || q.Task == "t1-zero") && strings.HasPrefix(plan, "(") {
			if plans[q.Domain] == nil {
				plans[q.Domain] = map[int]string{}
			}
			plans[q.Domain][q.Instance] = plan
		}
		if q.Task == "t1" {
			rows = append(rows, q)
		}
	}
	same, all := 0, 0
	done := map[string]bool{}
	for _, q := range rows {
		if all == 100 {
			break
		}
		plan, ok := plans[q.Domain][q.Instance-1]
		example := strings.Replace(q.Problem, "instance-"+itoa(q.Instance)+".pddl", "instance-"+itoa(q.Instance-1)+".pddl", 1)
		if _, err := os.Stat(filepath.Join(root, example)); !ok || done[q.Hash] || example == q.Problem || err != nil {
			continue
		}
		done[q.Hash] = true
		prob, other := readPlanbench(t, root, q.DomainFile, q.Problem), readPlanbench(t, root, q.DomainFile, example)
		o := Options{Shots: 1, Examples: []*pddl.Problem{other}, NoGold: true}
		rec, err := Make(context.Background(), Task{Problem: prob}, o)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(rec.Prompt.Text, "\n[STATEMENT]\n")
		// Our search may find another plan of the same cost: the recorded one stands in.
		before, after, _ := strings.Cut(rest, "[PLAN]\n")
		_, after, _ = strings.Cut(after, "[PLAN END]\n")
		r, _ := NewRenderer(other, "")
		query := intro + "\n[STATEMENT]\n" + before + "[PLAN]\n" + r.Plan(strings.Split(strings.TrimSpace(plan), "\n")) + "[PLAN END]\n" + after
		sum := sha256.Sum256([]byte(query))
		if all++; hex.EncodeToString(sum[:]) == q.Hash {
			same++
		}
	}
	t.Logf("%d of %d one-shot prompts have PlanBench's bytes", same, all)
	// Where they differ, the plan recorded for the example is not the one in the prompt:
	// some instances were solved more than once.
	if all < 10 || same*100 < all*85 {
		t.Errorf("%d of %d one-shot prompts have PlanBench's bytes", same, all)
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}
