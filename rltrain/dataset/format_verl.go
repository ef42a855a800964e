package dataset

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
)

func init() {
	registerTrainer("verl", "verl's RLHFDataset, as Parquet: prompt, reward_model, extra_info, unconstrained_prompt", "parquet", beginVerl)
	registerTrainer("verl-sft", "verl's SFT trainer, as Parquet: messages", "parquet", beginMessages)
}

// verlRow is a row of verl's RLHFDataset. Only the prompts reach the model.
type verlRow struct {
	DataSource  string    `json:"data_source" parquet:"data_source"`
	Prompt      []Message `json:"prompt" parquet:"prompt,list"`
	Ability     string    `json:"ability" parquet:"ability"`
	RewardModel verlTruth `json:"reward_model" parquet:"reward_model"`
	ExtraInfo   verlExtra `json:"extra_info" parquet:"extra_info"`
	// UnconstrainedPrompt is what CARL compares with.
	UnconstrainedPrompt []Message `json:"unconstrained_prompt" parquet:"unconstrained_prompt,list"`
}

// verlAgentRow also names the agent loop.
type verlAgentRow struct {
	verlRow
	AgentName string `json:"agent_name" parquet:"agent_name"`
}

// verlTruth is what the reward function is given. GroundTruth is a JSON text: a struct
// column would have to have the same members in all files that are read together.
type verlTruth struct {
	Style       string `json:"style" parquet:"style"`
	GroundTruth string `json:"ground_truth" parquet:"ground_truth"`
}

// verlExtra goes with a row through the trainer. Info is a JSON text.
type verlExtra struct {
	Index int64  `json:"index" parquet:"index"`
	Split string `json:"split" parquet:"split"`
	Info  string `json:"info" parquet:"info"`
}

func beginVerl(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
	o := m.trainers()
	row := func(r *Record) verlRow {
		return verlRow{
			DataSource: "planproof/" + r.Family, Prompt: r.Messages(r.Prompt), Ability: "planning",
			RewardModel:         verlTruth{"rule", groundTruth(r, o)},
			ExtraInfo:           verlExtra{Split: r.Split, Info: aboutJSON(r)},
			UnconstrainedPrompt: r.Messages(r.PromptUnconstrained),
		}
	}
	if o.AgentName != "" {
		out := rowsTo(w, ext, one(func(r *Record) verlAgentRow { return verlAgentRow{row(r), o.AgentName} }))
		out.number = func(x *verlAgentRow, n int64) { x.ExtraInfo.Index = n }
		return out, nil
	}
	out := rowsTo(w, ext, one(row))
	out.number = func(x *verlRow, n int64) { x.ExtraInfo.Index = n }
	return out, nil
}

// groundTruth is what a reward is computed from beside the response: the task, and what is
// known of a cheapest plan but for the plan itself, which no reward needs.
func groundTruth(r *Record, o *TrainerOptions) string {
	t := struct {
		Task        string          `json:"task,omitempty"`
		DomainText  string          `json:"domain_text,omitempty"`
		ProblemText string          `json:"problem_text,omitempty"`
		Gold        json.RawMessage `json:"gold"`
		Reader      extract.Kind    `json:"reader"`
	}{Task: r.Task, Reader: r.Reader, Gold: json.RawMessage(goldJSON(r))}
	if o.Inline {
		t.Task, t.DomainText, t.ProblemText = "", r.DomainText, r.ProblemText
	}
	return mustJSON(t)
}

// goldJSON tells length and cost of a cheapest plan.
func goldJSON(r *Record) string {
	return mustJSON(struct {
		Steps   int    `json:"steps"`
		Cost    string `json:"cost"`
		Optimal bool   `json:"optimal"`
		Slack   string `json:"slack,omitempty"`
	}{r.Gold.Steps, r.Gold.Cost, r.Gold.Optimal, r.Gold.Slack})
}

// aboutJSON tells what kind of row it is, for logs and curricula.
func aboutJSON(r *Record) string {
	return mustJSON(struct {
		ID          string   `json:"id"`
		Task        string   `json:"task"`
		Structure   string   `json:"structure"`
		Family      string   `json:"family"`
		Difficulty  float64  `json:"difficulty"`
		Bin         string   `json:"bin"`
		Constraints []string `json:"constraints,omitempty"`
	}{r.ID, r.Task, r.Structure, r.Family, r.Difficulty, r.Bin, r.Constraints})
}

func mustJSON(v any) string {
	b, err := rowjson.Escaped(v)
	if err != nil {
		panic(fmt.Sprintf("internal error: %T cannot be written as JSON: %v", v, err))
	}
	return string(b)
}
