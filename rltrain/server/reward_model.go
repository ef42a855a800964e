package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/rltrain/oracle"
)

// The endpoint /v1/reward-model answers trainers that know nothing of planproof but the
// address of a reward model, in the two forms that they use:
//
//	OpenRLHF --reward.remote_url   {"query": [...], "prompts": [...], "labels": [...]} → {"rewards": [...], ...}
//	slime --rm-type remote_rm      {"prompt": ..., "response": "...", "label": "..."} → NUMBER
//
// A label names the task, as ground_truth of exported rows does. There is a number for every
// response, or else an error for all: never a 0 that stands for an outage.
const rewardModel = "/v1/reward-model"

// rewardRequest is a request in either form.
type rewardRequest struct {
	Query    []string          `json:"query"`
	Prompts  []string          `json:"prompts"`
	Labels   []json.RawMessage `json:"labels"`
	Response *string           `json:"response"`
	Label    json.RawMessage   `json:"label"`
}

// rewardItem is an item of a request for scores (docs/ORACLE.md).
type rewardItem struct {
	Task       json.RawMessage `json:"task"`
	Completion string          `json:"completion"`
	Finish     string          `json:"finish,omitempty"`
	Gold       json.RawMessage `json:"gold,omitempty"`
	Budget     json.RawMessage `json:"budget,omitempty"`
}

// rewardReply is what is read of the oracle's answer.
type rewardReply struct {
	Items []struct {
		Status  string   `json:"status"`
		Score   *float64 `json:"score"`
		Verdict string   `json:"verdict"`
		Message string   `json:"message"`
	} `json:"items"`
}

func (s *Server) rewardModel(w http.ResponseWriter, r *http.Request, body []byte) {
	var in rewardRequest
	if err := rowjson.Unmarshal(body, &in, false); err != nil {
		s.fault(w, rewardModel, oracle.FaultBadRequest, err.Error())
		return
	}
	items, err := in.items(r.URL.Query()["eos"])
	if err != nil {
		s.fault(w, rewardModel, oracle.FaultBadRequest, err.Error())
		return
	}
	ask := map[string]any{"schema": oracle.OpScore.Schema(), "items": items}
	if spec := r.URL.Query().Get("spec"); spec != "" {
		ask["spec"] = spec
	}
	request, err := rowjson.AppendValue(nil, ask)
	if err != nil {
		s.fault(w, rewardModel, oracle.FaultBadRequest, err.Error())
		return
	}
	reply, fault := s.oracle.Call(r.Context(), oracle.OpScore, request)
	if fault != nil {
		s.refuse(w, rewardModel, fault)
		return
	}
	s.metrics.count(reply)
	var told rewardReply
	if err := rowjson.Unmarshal(reply.Body, &told, false); err != nil {
		s.fault(w, rewardModel, oracle.FaultInternal, err.Error())
		return
	}
	rewards, valid := make([]float64, len(told.Items)), make([]float64, len(told.Items))
	for i, item := range told.Items {
		if item.Score == nil {
			code := faultEnvironment // ask again
			if item.Status == "bad_request" {
				code = oracle.FaultBadRequest
			}
			s.fault(w, rewardModel, code, fmt.Sprintf("response %d has no score (%s): %s", i+1, item.Status, item.Message))
			return
		}
		rewards[i] = *item.Score
		if item.Verdict == "valid" {
			valid[i] = 1
		}
	}
	if in.Response != nil {
		s.object(w, rewardModel, rewards[0])
		return
	}
	s.object(w, rewardModel, map[string]any{"rewards": rewards, "scores": rewards, "extra_logs": map[string]any{"plan_valid": valid}})
}

// items are the responses of a request. eos are the texts by which a whole response ends; one
// without any of them was cut off.
func (in *rewardRequest) items(eos []string) ([]rewardItem, error) {
	if in.Response != nil {
		item, err := labelled(in.Label, *in.Response, eos)
		return []rewardItem{item}, err
	}
	if len(in.Query) == 0 || len(in.Prompts) != len(in.Query) || len(in.Labels) != len(in.Query) {
		return nil, errors.New("a request has query, prompts and labels, lists of one length, or response and label")
	}
	items := make([]rewardItem, len(in.Query))
	for i, query := range in.Query {
		response, err := afterPrompt(query, in.Prompts[i])
		if err == nil {
			items[i], err = labelled(in.Labels[i], response, eos)
		}
		if err != nil {
			return nil, fmt.Errorf("response %d: %w", i+1, err)
		}
	}
	return items, nil
}

// afterPrompt is what follows the prompt in a query, before which a tokenizer may have put
// a mark. Without the prompt nothing is scored: a prompt can hold the plan of an example.
func afterPrompt(query, prompt string) (string, error) {
	_, response, found := strings.Cut(query, prompt)
	if !found {
		return "", errors.New("the query does not contain its prompt, so where the response begins is unknown")
	}
	return response, nil
}

// labelled is a response with the task that its label names: a name or hash, or an object,
// also as a JSON text, with task or domain_text and problem_text, and with gold and budget.
func labelled(label json.RawMessage, response string, eos []string) (rewardItem, error) {
	item := rewardItem{Completion: response}
	for _, mark := range eos {
		if text, found := strings.CutSuffix(response, mark); found && mark != "" {
			item.Completion, item.Finish = text, "stop"
			break
		}
	}
	if item.Finish == "" { // or not known: what is cut off inside its plan is paid by no trainer
		item.Finish = "length"
	}
	if len(label) > 0 && label[0] == '"' {
		text, err := rowjson.String(label)
		if err != nil {
			return item, err
		}
		if !strings.HasPrefix(strings.TrimSpace(text), "{") {
			item.Task = label
			return item, nil
		}
		label = json.RawMessage(text)
	}
	var told struct {
		Task        json.RawMessage `json:"task"`
		DomainText  string          `json:"domain_text"`
		ProblemText string          `json:"problem_text"`
		Gold        json.RawMessage `json:"gold"`
		Budget      json.RawMessage `json:"budget"`
	}
	if err := rowjson.Unmarshal(label, &told, false); err != nil {
		return item, fmt.Errorf("the label names no task: %w", err)
	}
	item.Task, item.Gold, item.Budget = told.Task, told.Gold, told.Budget
	if told.DomainText != "" || told.ProblemText != "" {
		item.Task = rowjson.Append(nil, map[string]string{"domain": told.DomainText, "problem": told.ProblemText})
	}
	if len(item.Task) == 0 {
		return item, errors.New("the label names no task")
	}
	return item, nil
}
