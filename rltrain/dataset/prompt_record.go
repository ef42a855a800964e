package dataset

import (
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
)

// PromptRecord reads a row of a data set as the record of its prompt. It returns nil for a
// row that is not one of a data set.
func PromptRecord(row []byte) (*prompt.Record, error) {
	var mark struct {
		Structure string `json:"structure"`
		Split     string `json:"split"`
	}
	if rowjson.Unmarshal(row, &mark, false) != nil || mark.Structure == "" || mark.Split == "" {
		return nil, nil
	}
	var r Record
	if err := rowjson.Unmarshal(row, &r, true); err != nil {
		return nil, err
	}
	answer := strings.TrimSpace(r.Answer)
	stop := []string{"[STATEMENT]"}
	if r.Reader != extract.Strict { // strictly the mark that ends a plan is part of it
		stop = append([]string{answer[strings.LastIndexByte(answer, '\n')+1:]}, stop...)
	}
	return &prompt.Record{
		ID: r.ID, Kind: prompt.KindGeneration, Reader: r.Reader, Domain: r.DomainText, Problem: r.ProblemText,
		Prompt: prompt.Prompt{System: r.System, Text: r.Prompt, Stop: stop},
		Gold:   &prompt.Gold{Text: r.Answer, Plan: r.Gold.Plan, Cost: r.Gold.Cost, Optimal: r.Gold.Optimal},
	}, nil
}
