package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/episode"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/search"
)

// stepwise is what plan_step adds to a task's prompt.
const stepwise = "\n\nDo not give the whole plan at once but one step at a time. After each you are told the state; it is over when the goal holds."

// prompt is what a model is asked about a task: the prompt of the task's row, or one made
// without examples.
func (o *Oracle) prompt(ctx context.Context, p prepared, kind EnvKind, reader extract.Kind) (system, text string, err error) {
	if t := o.opt.Tasks.Find(p.sum); t != nil && t.Prompt != nil {
		system, text, err = promptText(t.Prompt)
	} else {
		var rec *prompt.Record
		rec, err = prompt.Make(ctx, prompt.Task{Problem: p.problem},
			prompt.Options{NoGold: true, Answer: reader, PlanTags: true, Limits: search.Limits{Wall: 5 * time.Second, Memory: o.opt.Limits.TableBytes}})
		if err == nil {
			system, text = rec.Prompt.System, rec.Prompt.Text
		}
	}
	if err != nil {
		return "", "", fmt.Errorf("no prompt for the task: %w", err)
	}
	switch kind {
	case EnvPlanStep:
		text += stepwise
	case EnvPlanAdapt:
		text += episode.Rules
	}
	return system, text, nil
}

// promptText reads a prompt: a text, a chat, or {"system", "text"}.
func promptText(raw json.RawMessage) (system, text string, err error) {
	if rowjson.Unmarshal(raw, &text, false) == nil {
		return "", text, nil
	}
	var chat []rows.ChatMessage
	if rowjson.Unmarshal(raw, &chat, false) == nil {
		for _, m := range chat {
			t, err := rows.ContentText(m.Content)
			switch {
			case err != nil:
				return "", "", err
			case m.Role == "system":
				system = t
			case m.Role == "user":
				text = t
			}
		}
		return system, text, nil
	}
	var prompt struct {
		System string `json:"system"`
		Text   string `json:"text"`
	}
	if err := rowjson.Unmarshal(raw, &prompt, false); err != nil || prompt.Text == "" {
		return "", "", fmt.Errorf("the prompt is neither a text nor a chat nor an object with text")
	}
	return prompt.System, prompt.Text, nil
}
