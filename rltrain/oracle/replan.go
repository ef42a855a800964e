package oracle

import (
	"context"
	"errors"
	"fmt"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/multirobot"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
)

// replanSpec is the reward of episodes of boxnet_replan: multirobot, unless another one than the oracle's own was
// asked for.
func (o *Oracle) replanSpec(asked *reward.Spec) (*reward.Spec, error) {
	if asked != nil && asked != o.reward {
		return asked, nil
	}
	return reward.Find("multirobot", nil)
}

// beginReplan makes e an episode of boxnet_replan. The task is a row with its proved optimum.
func (e *Episode) beginReplan(task []byte) error {
	if !multirobot.IsTask(task) {
		return envInvalid("the task is no object with the members of a row of boxnet solve --json")
	}
	if len(task) > maxInlineTask {
		return envInvalid("the task has more than %d bytes", maxInlineTask)
	}
	spec, err := e.o.replanSpec(e.spec)
	if err != nil {
		return &EnvError{EnvExecution, err.Error()}
	}
	if e.replan, err = multirobot.NewGame(task, spec, e.maxSteps); err != nil {
		return envInvalid("task: %s", rowjson.Fault(err))
	}
	return nil
}

// resetReplan is the observation that begins an episode of boxnet_replan.
func (e *Episode) resetReplan(task []byte) (*StepResult, error) {
	if err := e.beginReplan(task); err != nil {
		return nil, err
	}
	obs := e.observeReplan()
	obs.Prompt = e.replan.Prompt()
	return &StepResult{Observation: obs}, nil
}

func (e *Episode) observeReplan() *Observation {
	return &Observation{
		Task: e.replan.Structure(), Components: reward.Components{}, Facts: []string{}, Actions: []string{}, Executed: e.replan.Executed(),
		Disclosed: []string{}, Repeated: []string{}, Reader: extract.Strict, State: e.replan.Observation(),
	}
}

// stepReplan takes an answer with the next step: the state after it, or the end with the reward of the plan.
func (e *Episode) stepReplan(answer string) (*StepResult, error) {
	if n, most := len(answer), e.o.opt.Limits.ResponseBytes; n > most {
		return nil, envInvalid("the answer has %d bytes, more than %d", n, most)
	}
	before := e.replan.Executed()
	e.replan.Take(answer)
	obs := e.observeReplan()
	if steps := e.replan.Steps(); len(steps) > before {
		obs.Step = steps[before]
	}
	if !e.replan.Over() {
		zero := 0.0
		return &StepResult{Observation: obs, Reward: &zero}, nil
	}
	e.done = true
	s := e.replan.Score()
	obs.Verdict, obs.Components, obs.Message = "valid", s.Components, spell.Clip(s.Message, maxErrorText)
	if !s.Success {
		obs.Verdict = string(s.Verdict.Failure.Kind)
	}
	return &StepResult{Observation: obs, Reward: &s.Reward, Done: true}, nil
}

// replayReplan plays the answers before.
func (e *Episode) replayReplan(answers []string) error {
	for i, answer := range answers {
		if e.replan.Over() {
			return envInvalid("the episode is over after answer %d of the prefix", i)
		}
		e.replan.Take(answer)
	}
	if e.replan.Over() && len(answers) > 0 {
		return envInvalid("the episode is over after the answers of the prefix")
	}
	return nil
}

// doReplan appends what an answer of boxnet_replan leads to after the answers before; without an answer the
// observation that begins an episode.
func (o *Oracle) doReplan(w *worker, item *wireItem, b []byte) ([]byte, error) {
	const member = "result"
	e := &Episode{o: o, kind: EnvBoxnetReplan, spec: w.run.spec, maxSteps: multirobot.MaxTurns}
	r, err := e.resetReplan(item.task)
	if err == nil && !w.run.first {
		var answers []string
		var answer string
		if answers, err = replanAnswers(item.prefix); err == nil {
			if answer, err = rowjson.String(item.action); err != nil {
				err = errors.New("no answer under action")
			}
		}
		if err == nil {
			err = e.replayReplan(answers)
		}
		if err == nil {
			r, err = e.stepReplan(answer)
		}
	}
	if err != nil {
		return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, err.Error()}), nil
	}
	return w.appendAnswer(b, item, rows.StatusValid, member, r, r.Observation.Message)
}

func replanAnswers(raw []byte) (list []string, err error) {
	if !rowjson.Present(raw) {
		return nil, nil
	}
	if err := rowjson.Unmarshal(raw, &list, false); err != nil {
		return nil, errors.New("the prefix is not a list of answers")
	}
	if len(list) >= multirobot.MaxTurns {
		return nil, fmt.Errorf("the prefix has %d answers: an episode ends with turn %d", len(list), multirobot.MaxTurns)
	}
	return list, nil
}

// isReplan reports whether an item of reset or step is about an episode of boxnet_replan.
func (w *worker) isReplan(ctx context.Context, item *wireItem) bool {
	return w.run.episodes && ctx.Err() == nil && multirobot.IsTask(item.task)
}
