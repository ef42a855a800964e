package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordSets are the domains of PlanBench's record whose prompts state the problems of
// instance files, with the folder of these files and their domain.
var recordSets = map[string][2]string{
	"blocksworld":           {"blocksworld/generated_basic", "blocksworld"},
	"blocksworld_3":         {"blocksworld/generated_basic_3", "blocksworld"},
	"mystery_blocksworld":   {"blocksworld/mystery/generated_basic", "blocksworld/mystery"},
	"mystery_blocksworld_3": {"blocksworld/mystery/generated_basic_3", "blocksworld/mystery"},
	"logistics":             {"logistics/generated_basic", "logistics"},
}

// recordLost are the answers that are recorded as right although they are wrong, with the
// reason.
var recordLost = map[string]string{
	"blocksworld/gemini-1.5-flash/zero_shot/170":          dropsStep,
	"blocksworld/gemini-1.5-pro/zero_shot/98":             dropsStep,
	"blocksworld/gemini-1.5-pro/zero_shot/166":            dropsStep,
	"blocksworld_3/llama-3.1-405b_aws/zero_shot/6":        dropsStep,
	"mystery_blocksworld/o1-preview_chat/generation/229":  dropsStep,
	"blocksworld/llama-3.1-405b_aws/generation/248":       "\"put down nothing\" within the markers is no step; the record drops it",
	"mystery_blocksworld_3/o1-preview_chat/generation/43": "a step that the answer then finds impossible stays in its list; the record drops it",
	"blocksworld/llama-3.1-405b_aws/generation/256":       readsFirst,
	"blocksworld/llama-3.1-405b_aws/generation/330":       readsFirst,
	"blocksworld/llama-3.1-405b_aws/generation/364":       readsFirst,
	"blocksworld_3/llama-3.1-405b_aws/generation/30":      readsFirst,
	"blocksworld_3/llama-3.1-405b_aws/generation/69":      readsFirst,
	"blocksworld_3/llama-3.1-405b_aws/zero_shot/18":       readsFirst,
	"blocksworld/qwen-qwq/generation/235":                 readsOther,
	"blocksworld/qwen-qwq/generation/306":                 readsOther,
	"blocksworld/qwen-qwq/generation/368":                 readsOther,
	"mystery_blocksworld/o1-preview_chat/generation/430":  repairs,
	"mystery_blocksworld/o1-preview_chat/zero_shot/347":   repairs,
}

const (
	dropsStep  = "the record drops a step that cannot be done"
	readsFirst = "the record has the first of two plans; the answer ends on another"
	readsOther = "the record has the plan for a problem that the model went on to invent"
	repairs    = "the record orders or completes the steps"
)

// TestPlanbenchRecord grades every answer of the whole record that is about an instance
// file, and compares with the recorded verdict. It needs a checkout of the PlanBench
// repository in PLANPROOF_PLANBENCH.
func TestPlanbenchRecord(t *testing.T) {
	root := os.Getenv("PLANPROOF_PLANBENCH")
	if root == "" || os.Getenv("PLANPROOF_LONG") == "" {
		t.Skip("reads PlanBench's whole record: set PLANPROOF_LONG=1 and PLANPROOF_PLANBENCH to a checkout of its repository")
	}
	root = filepath.Join(root, "llm_planning_analysis")
	var graded, agree, gained, lost int
	for domain, set := range recordSets {
		files, err := filepath.Glob(filepath.Join(root, "results", domain, "*", "task_1*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no results of %s: %v", domain, err)
		}
		tasks := map[string]*Task{}
		for _, file := range files {
			if strings.Contains(file, "backprompting") || strings.Contains(file, "run1") || strings.Contains(file, "run_1") {
				continue // conversations, and answers of another file with other verdicts
			}
			for _, r := range recordRows(t, file, set) {
				if tasks[r.Problem] == nil {
					tasks[r.Problem] = corpusTask(t, filepath.Join(root, "instances"), &r)
				}
				g := GradeResponse(&r, tasks[r.Problem])
				graded++
				id := recordID(domain, file, r.ID)
				switch g.Difference {
				case "":
					agree++
				case "gained":
					gained++
				default:
					lost++
					if recordLost[id] == "" {
						t.Errorf("%s is recorded as right, and we find it %s (%s)", id, g.Status, g.Reading)
					}
				}
			}
		}
	}
	t.Logf("%d answers, %d agree with the record, %d gained, %d lost", graded, agree, gained, lost)
	if lost != len(recordLost) {
		t.Errorf("%d answers are recorded as right and found wrong, not %d", lost, len(recordLost))
	}
	if share := float64(agree) / float64(graded); share < 0.98 {
		t.Errorf("only %.4f of the verdicts agree", share)
	}
}

// recordRows reads a result file.
func recordRows(t *testing.T, file string, set [2]string) []Response {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, _, err := ReadResponses(f, ResponseOptions{Domain: set[1] + "/generated_domain.pddl", Instances: set[0] + "/instance-%d.pddl"})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return rows
}

// recordID names an answer by domain, engine, the last words of the task and instance.
func recordID(domain, file, instance string) string {
	task := strings.TrimSuffix(filepath.Base(file), ".json")
	for _, words := range []string{"task_1_plan_", "generation_", "task_1_"} {
		task = strings.TrimPrefix(task, words)
	}
	return strings.Join([]string{domain, filepath.Base(filepath.Dir(file)), task, instance}, "/")
}
