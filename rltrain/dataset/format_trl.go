package dataset

import (
	"context"
	"io"
)

func init() {
	registerBoth("trl-grpo", "TRL's GRPO and RLOO trainers: prompt, unconstrained_prompt, task, gold", beginGRPO)
	registerBoth("trl-sft", "TRL's SFT trainer: prompt and completion", beginSFT)
	registerBoth("trl-sft-messages", "TRL's SFT trainer: messages", beginMessages)
}

// trlAbout are the columns beside the prompts. TRL hands them to reward functions
// (planproof.trl reads task and gold) and never to the model.
type trlAbout struct {
	ID    string `json:"id" parquet:"id"`
	Task  string `json:"task" parquet:"task"`
	Gold  string `json:"gold" parquet:"gold"` // a JSON text
	Split string `json:"split" parquet:"split"`
	Info  string `json:"info" parquet:"info"` // a JSON text
	// Reader reads the answers.
	Reader string `json:"reader" parquet:"reader"`
}

func aboutTRL(r *Record, o *TrainerOptions) trlAbout {
	a := trlAbout{r.ID, r.Task, goldJSON(r), r.Split, aboutJSON(r), string(r.Reader)}
	if o.Inline {
		a.Task = groundTruth(r, o)
	}
	return a
}

type grpoChat struct {
	Prompt              []Message `json:"prompt" parquet:"prompt,list"`
	UnconstrainedPrompt []Message `json:"unconstrained_prompt" parquet:"unconstrained_prompt,list"`
	trlAbout
}

type grpoText struct {
	Prompt              string `json:"prompt" parquet:"prompt"`
	UnconstrainedPrompt string `json:"unconstrained_prompt" parquet:"unconstrained_prompt"`
	trlAbout
}

func beginGRPO(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
	o := m.trainers()
	if o.Text {
		return rowsTo(w, ext, one(func(r *Record) grpoText {
			return grpoText{r.text(r.Prompt), r.text(r.PromptUnconstrained), aboutTRL(r, o)}
		})), nil
	}
	return rowsTo(w, ext, one(func(r *Record) grpoChat {
		return grpoChat{r.Messages(r.Prompt), r.Messages(r.PromptUnconstrained), aboutTRL(r, o)}
	})), nil
}

// text is a prompt as one text.
func (r *Record) text(prompt string) string {
	if r.System != "" {
		return r.System + "\n\n" + prompt
	}
	return prompt
}

func assistant(text string) []Message { return []Message{{"assistant", text}} }

type sftChat struct {
	Prompt     []Message `json:"prompt" parquet:"prompt,list"`
	Completion []Message `json:"completion" parquet:"completion,list"`
	sftAbout
}

type sftText struct {
	Prompt     string `json:"prompt" parquet:"prompt"`
	Completion string `json:"completion" parquet:"completion"`
	sftAbout
}

type sftMessages struct {
	Messages []Message `json:"messages" parquet:"messages,list"`
	sftAbout
}

type sftAbout struct {
	ID    string `json:"id" parquet:"id"`
	Task  string `json:"task" parquet:"task"`
	Split string `json:"split" parquet:"split"`
}

func beginSFT(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
	if m.trainers().Text {
		return answered(w, ext, m, func(r *Record, answer string) sftText {
			return sftText{r.text(r.Prompt), answer, sftAbout{r.ID, r.Task, r.Split}}
		}), nil
	}
	return answered(w, ext, m, func(r *Record, answer string) sftChat {
		return sftChat{r.Messages(r.Prompt), assistant(answer), sftAbout{r.ID, r.Task, r.Split}}
	}), nil
}

func beginMessages(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
	m.trainers() // before records are made at the same time
	return answered(w, ext, m, func(r *Record, answer string) sftMessages {
		return sftMessages{append(r.Messages(r.Prompt), assistant(answer)...), sftAbout{r.ID, r.Task, r.Split}}
	}), nil
}

// answered writes a row of each record and its answer, with the reasoning text that the
// options ask for. A record whose plan cannot be told is left out and named in the
// manifest.
func answered[T any](w io.Writer, ext string, m *Manifest, row func(*Record, string) T) Writer {
	out := rowsTo(w, ext, func(ctx context.Context, r *Record) ([]T, error) {
		answer, err := m.answer(ctx, r)
		if err != nil {
			return nil, err
		}
		return []T{row(r, answer)}, nil
	})
	out.leaveOut = m.leaveOut
	return out
}
