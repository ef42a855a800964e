package eval

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/grade"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// PromptTask completes the task that a record asks about by what the record says of it, and
// checks that. Errors are those of a row, see internal/rowjson.
func PromptTask(ctx context.Context, rec *prompt.Record, t *Task) (*Task, error) {
	if !slices.Contains(prompt.Kinds(), rec.Kind) {
		return nil, rowjson.Errorf(rowjson.CodeValue, "kind", "there are no prompts of kind %q", rec.Kind)
	}
	if strings.TrimSpace(rec.Prompt.Text) == "" {
		return nil, rowjson.Errorf(rowjson.CodeMissing, "prompt.text", "no prompt: it has no text")
	}
	t.Reader = cmp.Or(rec.Reader, t.Reader)
	if budget, ok := pddl.ParseFraction(rec.Budget); ok {
		t.Budget = &budget
	} else if rec.Budget != "" {
		return nil, rowjson.Errorf(rowjson.CodeValue, "budget", "its budget %q is no cost", rec.Budget)
	}
	if rec.Gold != nil {
		t.Unsolvable = rec.Gold.Unsolvable
		if cost, ok := pddl.ParseFraction(rec.Gold.Cost); ok && rec.Gold.Optimal {
			t.Optimal = &cost
		}
		if t.Problem != nil {
			if err := grade.CheckGold(ctx, rec.Gold, t.Problem); err != nil {
				return nil, err
			}
		}
	}
	if t.Cheapest = rec.Kind == prompt.KindCostOptimal; t.Cheapest && t.Optimal == nil {
		return nil, rowjson.Errorf(rowjson.CodeMissing, "gold.cost", "a cost-optimal prompt needs its gold answer, to tell which plans are cheapest")
	}
	if otherKind(rec.Kind) && t.Problem != nil {
		var err error
		if t.Other, err = grade.NewGrader(rec); err != nil {
			return nil, rowjson.At(rowjson.CodeMissing, "gold", err)
		}
	}
	return t, nil
}
