package dataset

import (
	"io"

	"github.com/planproof/planproof/llmbridge/extract"
)

func init() {
	registerTrainer("verifiers", "task set of planproof.verifiers (environment planproof-env)", "jsonl", beginTasks)
	registerTrainer("openenv", "task file for planproof oracle --tasks, whose environments speak OpenEnv's protocol", "jsonl", beginTasks)
}

// taskRow is a row of a task file (docs/ORACLE.md, Tasks) with a prompt as an environment
// shows it: planproof.verifiers and the oracle read the same. Gold stays on their side; it
// has the plan, by which a task set is validated.
type taskRow struct {
	ID          string       `json:"id"`
	DomainText  string       `json:"domain_text"`
	ProblemText string       `json:"problem_text"`
	Prompt      taskPrompt   `json:"prompt"`
	Reader      extract.Kind `json:"reader"`
	Gold        Gold         `json:"gold"`
}

type taskPrompt struct {
	System string `json:"system,omitempty"`
	Text   string `json:"text"`
}

func beginTasks(w io.Writer, ext, _ string, _ *Manifest) (Writer, error) {
	return rowsTo(w, ext, one(func(r *Record) taskRow {
		return taskRow{r.ID, r.DomainText, r.ProblemText, taskPrompt{r.System, r.Prompt}, r.Reader, r.Gold}
	})), nil
}
