package oracle

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/episode"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/search"
)

// ProfileRef names the hidden constraints of a task in episodes of plan_adapt: [episode.Draw] draws them by a seed, in
// 1 (low), 2 (mid) or 3 (high) rounds.
type ProfileRef struct {
	Seed   uint64 `json:"seed"`
	Rounds int    `json:"rounds"`
}

// readProfile reads a profile's name; rounds left out are 2.
func readProfile(raw []byte) (*ProfileRef, error) {
	p := &ProfileRef{Rounds: episode.Mid}
	if rowjson.Present(raw) {
		if err := rowjson.Unmarshal(raw, p, true); err != nil {
			return nil, fmt.Errorf("profile: %w", err)
		}
	}
	if p.Rounds < episode.Low || p.Rounds > episode.High {
		return nil, fmt.Errorf("profile: rounds are from %d (low) to %d (high)", episode.Low, episode.High)
	}
	return p, nil
}

// profileNodes bounds the search for each constraint of a profile, so that a profile never depends on the clock.
const profileNodes = 100_000

// adaptKey is a task with a profile.
type adaptKey struct {
	task    taskref.Key
	profile ProfileRef
}

// madeProfile is what episodes under a profile need, or why there is nothing.
type madeProfile struct {
	env *episode.Env
	// kept is the task whose plans keep every constraint: it is what the last plan is scored by. gold is its optimum.
	kept  taskref.Ref
	gold  *reward.Gold
	bytes int64
	err   error
}

func profileSize(k adaptKey, m madeProfile) int64 { return 1<<10 + k.task.Bytes() + m.bytes }

// profile draws the hidden constraints of a task when they are first asked for. If ctx ends before, the error is
// errInterrupted and not remembered.
func (o *Oracle) profile(ctx context.Context, t *task, ref ProfileRef) madeProfile {
	key := adaptKey{t.key, ref}
	for {
		m := o.profiles.Get(key, func() (m madeProfile) {
			defer func() {
				if r := recover(); r != nil {
					m = madeProfile{err: fmt.Errorf("internal error while drawing a profile: %v", r)}
				}
			}()
			m = o.drawProfile(ctx, t, ref)
			if m.err != nil && ctx.Err() != nil {
				o.profiles.Drop(key)
				m.err = errInterrupted
			}
			return m
		})
		if m.err != errInterrupted || ctx.Err() != nil {
			return m
		}
		// Somebody else has given up, not we.
	}
}

func (o *Oracle) drawProfile(ctx context.Context, t *task, ref ProfileRef) (m madeProfile) {
	limited, cancel := context.WithTimeout(ctx, o.opt.Limits.TableTime)
	defer cancel()
	p, err := episode.Draw(limited, t.problem, ref.Rounds, ref.Seed, search.Limits{Memory: o.opt.Limits.TableBytes, Nodes: profileNodes})
	if err != nil {
		if limited.Err() != nil {
			err = fmt.Errorf("%w: a profile takes more than %v", search.ErrLimit, o.opt.Limits.TableTime)
		}
		return madeProfile{err: err}
	}
	kept, err := p.Task(t.problem)
	if err != nil {
		return madeProfile{err: err}
	}
	if m.env, m.err = episode.NewEnv(t.problem, p); m.err != nil {
		return m
	}
	m.kept = taskref.Ref{DomainText: kept.Domain.String(), ProblemText: kept.String()}
	m.gold = &reward.Gold{Steps: int64(len(p.Witness)), HasSteps: true, Cost: &p.Cost, Optimal: true}
	m.bytes = int64(len(p.World)+len(p.User)+2) * (t.judge.Memory()*3/2 + t.key.Bytes())
	return m
}

// statusOfProfile is the error of an item whose profile could not be drawn.
func statusOfProfile(err error) error {
	switch {
	case errors.Is(err, errInterrupted):
		return errNotDone
	case errors.Is(err, search.ErrLimit):
		return &itemError{rows.StatusTimeout, err.Error()}
	}
	return err
}

// adapt makes e an episode of plan_adapt, whose task and profile are ready.
func (e *Episode) adapt(ctx context.Context, slot *slot, turns int) (err error) {
	made := e.p.profile
	if e.kept, err = e.o.ready(ctx, slot, made.kept, needs{spec: e.spec, gold: made.gold}); err != nil {
		return err
	}
	e.gold, e.game = made.gold, made.env.Begin(turns)
	return nil
}

// adaptNeeds are the needs of a reset of plan_adapt.
func (d *resetData) adaptNeeds() (needs, error) {
	ref, err := readProfile(d.Profile)
	if err != nil {
		return needs{}, envInvalid("%v", err)
	}
	if !rowjson.Present(d.Profile) && d.Seed != nil {
		ref.Seed = *d.Seed
	}
	return needs{profile: ref}, nil
}

// adaptFor is adapt for callers without a slot; its errors are EnvErrors.
func (e *Episode) adaptFor(ctx context.Context) error {
	slot := e.o.slot()
	defer slot.leave()
	return envErrorOf(e.adapt(ctx, slot, e.maxSteps))
}

// proposal reads a whole answer as a score does. An open plan counts as cut off, whatever is said of how the text ended:
// the answers before, which come without, must be read as they were.
func (e *Episode) proposal(answer string) *episode.Proposal {
	p := &episode.Proposal{Response: answer}
	if n, most := len(answer), e.o.opt.Limits.ResponseBytes; n > most {
		p.Fault = fmt.Sprintf("the answer has %d bytes, more than %d", n, most)
		return p
	}
	x := e.reader.Extract(answer)
	if v, _ := e.o.unjudged(&x, &rows.Item{Response: answer, Truncated: true}); v != nil {
		p.Fault = v.Failure.Message
	} else if len(x.Malformed) > 0 {
		p.Fault = "this is not a step: " + x.Malformed[0].Text
	} else {
		p.Plan = x.Plan
	}
	if p.Fault != "" {
		p.Fault = spell.Clip(p.Fault, maxErrorText)
	}
	return p
}

// proposeReplay plays the answers before.
func (e *Episode) proposeReplay(answers []string) error {
	for i, answer := range answers {
		if e.game.Done() {
			return envInvalid("the episode is over after answer %d of the prefix", i)
		}
		if _, err := e.game.Take(e.proposal(answer)); err != nil {
			return &EnvError{EnvExecution, err.Error()}
		}
		e.actions++
	}
	return nil
}

// propose takes a plan: the next turn, or the end with the reward of the last plan under all constraints.
func (e *Episode) propose(ctx context.Context, answer string) (*StepResult, error) {
	if e.game.Done() {
		return nil, envInvalid("the episode is over after the answers of the prefix")
	}
	obs := e.observe()
	t, err := e.game.Take(e.proposal(answer))
	if err != nil {
		return nil, &EnvError{EnvExecution, err.Error()}
	}
	e.actions++
	obs.Message, obs.Disclosed, obs.Repeated = spell.Clip(t.Feedback, maxFeedback), append(obs.Disclosed, t.New...), append(obs.Repeated, t.Repeated...)
	if !e.game.Done() {
		zero := 0.0
		return &StepResult{Observation: obs, Reward: &zero}, nil
	}
	obs.End = e.game.Row().End
	last := ""
	if t.Fault == "" || len(t.Plan) > 0 {
		last = "<plan>\n" + strings.Join(t.Plan, "\n") + "\n</plan>"
	}
	s := e.o.scoreIn(ctx, e.kept.task, e.kept.table, e.spec, &rows.Item{Response: last, Reader: e.reader.Kind(), Gold: e.gold})
	switch {
	case s.Reward == nil:
		return nil, &EnvError{EnvExecution, s.Error}
	case (s.Status == rows.StatusValid) != t.Passed:
		return nil, &EnvError{EnvExecution, fmt.Sprintf("internal error: the plan passed: %v, but its verdict under all constraints is %s", t.Passed, s.Status)}
	}
	e.done = true
	obs.Verdict, obs.Components = verdictWord(s), s.Components
	return &StepResult{Observation: obs, Reward: s.Reward, Done: true}, nil
}

// maxFeedback bounds feedback: a profile of three rounds has up to 36 constraints.
const maxFeedback = 16 << 10

// doPropose appends what an answer of plan_adapt leads to after the answers before; first is the observation that begins
// an episode.
func (o *Oracle) doPropose(ctx context.Context, w *worker, item *wireItem, p prepared, first bool, b []byte) ([]byte, error) {
	const member = "result"
	e := &Episode{o: o, kind: EnvPlanAdapt, spec: w.run.spec, reader: o.reader(p.task, item.reader), p: p}
	if err := e.adapt(ctx, w.slot, episode.MaxTurns); err != nil {
		return w.appendRefused(b, item, member, err), nil
	}
	r := &StepResult{Observation: e.observe()}
	var err error
	if first {
		r.Observation.System, r.Observation.Prompt, err = o.prompt(ctx, p, EnvPlanAdapt, e.reader.Kind())
	} else {
		var answers []string
		var answer string
		if answers, err = answerList(item.prefix); err != nil {
			return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, err.Error()}), nil
		}
		if answer, err = rowjson.String(item.action); err != nil {
			return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, "no answer under action"}), nil
		}
		if err = e.proposeReplay(answers); err == nil {
			r, err = e.propose(ctx, answer)
		}
	}
	if err == nil {
		return w.appendAnswer(b, item, rows.StatusValid, member, r, r.Observation.Message)
	}
	status := limitStatus(ctx)
	if env := (*EnvError)(nil); errors.As(err, &env) && env.Code == EnvValidation {
		status = rows.StatusBadRow
	}
	return w.appendRefused(b, item, member, &itemError{status, err.Error()}), nil
}

// answerList reads the answers before: texts, at most as many as an episode has turns.
func answerList(raw []byte) (list []string, err error) {
	if !rowjson.Present(raw) {
		return nil, nil
	}
	if err := rowjson.Unmarshal(raw, &list, false); err != nil {
		return nil, errors.New("the prefix is not a list of answers")
	}
	if len(list) >= episode.MaxTurns {
		return nil, fmt.Errorf("the prefix has %d answers: an episode ends with turn %d", len(list), episode.MaxTurns)
	}
	return list, nil
}
