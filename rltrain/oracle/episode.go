package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/llmbridge/episode"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/rltrain/multirobot"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
)

// Episode is one episode of an environment. Its methods are called one at a time.
type Episode struct {
	o        *Oracle
	kind     EnvKind
	id       string
	spec     *reward.Spec
	reader   *extract.Reader
	p        prepared
	gold     *reward.Gold
	state    *constrain.MaskState
	words    *prompt.Renderer // made when a state is first told
	plan     []string
	actions  int
	maxSteps int
	done     bool
	game     *episode.Game // of plan_adapt, and the task that its last plan is scored by
	kept     prepared
	replan   *multirobot.Game // of boxnet_replan, which needs neither task nor reader
}

// resetData are the parameters of a reset; others are ignored.
type resetData struct {
	Seed      *uint64         `json:"seed"`
	EpisodeID string          `json:"episode_id"`
	Task      json.RawMessage `json:"task"`
	Spec      string          `json:"spec"`
	Reader    string          `json:"reader"`
	MaxSteps  int             `json:"max_steps"`
	Profile   json.RawMessage `json:"profile"`
}

// Reset begins an episode. data is a JSON object: task as in a request; or seed, which
// picks a loaded task, or else the loaded tasks come in turn; spec, the reward; reader, of
// the actions; max_steps, after how many actions plan_step (100) or plan_adapt (20) ends; profile,
// the hidden constraints of plan_adapt (see [ProfileRef]), by default those of seed; episode_id,
// echoed in the state. Of boxnet_replan the task is a row of boxnet solve, and the reward multirobot.
func (o *Oracle) Reset(ctx context.Context, kind EnvKind, data []byte) (*Episode, *StepResult, error) {
	var d resetData
	if len(data) > 0 {
		if err := rowjson.Unmarshal(data, &d, false); err != nil {
			return nil, nil, envInvalid("%v", err)
		}
	}
	e := &Episode{o: o, kind: kind, id: d.EpisodeID, maxSteps: d.MaxSteps}
	err := e.checkBounds()
	if err != nil {
		return nil, nil, err
	}
	if e.spec, err = o.spec(d.Spec); err != nil {
		return nil, nil, envInvalid("%v", err)
	}
	if kind == EnvBoxnetReplan {
		r, err := e.resetReplan(d.Task)
		return e, r, err
	}
	var asked extract.Kind
	if d.Reader != "" {
		if asked, err = extract.ParseKind(d.Reader); err != nil {
			return nil, nil, envInvalid("%v", err)
		}
	}
	ref, err := o.episodeTask(&d)
	if err != nil {
		return nil, nil, err
	}
	e.gold = o.loadedGold(ref)
	n := needs{spec: e.spec, gold: e.gold, mask: kind == EnvPlanStep}
	if kind == EnvPlanAdapt {
		if n, err = d.adaptNeeds(); err != nil {
			return nil, nil, err
		}
	}
	if e.p, err = o.prepareFor(ctx, ref, n); err != nil {
		return nil, nil, err
	}
	e.reader = o.reader(e.p.task, asked)
	if kind == EnvPlanAdapt {
		if err := e.adaptFor(ctx); err != nil {
			return nil, nil, err
		}
	}
	obs := e.observe()
	if obs.System, obs.Prompt, err = o.prompt(ctx, e.p, kind, e.reader.Kind()); err != nil {
		return nil, nil, &EnvError{EnvExecution, err.Error()}
	}
	if kind == EnvPlanStep {
		e.p.mask = e.p.mask.Within(ctx)
		e.state = e.p.mask.Start()
		if err := e.tell(obs); err != nil {
			return nil, nil, err
		}
		// A task whose goal holds from the start has nothing to be rewarded for: an
		// episode begins anyway, and any step ends it or not as usual.
	}
	return e, &StepResult{Observation: obs}, nil
}

// checkBounds sets the usual number of steps if none is asked for.
func (e *Episode) checkBounds() error {
	usual, most := defaultEnvSteps, maxEnvSteps
	switch e.kind {
	case EnvPlanAdapt:
		usual, most = episode.MaxTurns, episode.MaxTurns
	case EnvBoxnetReplan:
		usual, most = multirobot.MaxTurns, multirobot.MaxTurns
	}
	switch {
	case e.maxSteps == 0:
		e.maxSteps = usual
	case e.maxSteps < 0 || e.maxSteps > most:
		return envInvalid("max_steps is not between 1 and %d", most)
	case len(e.id) > 255:
		return envInvalid("episode_id has more than 255 bytes")
	}
	return nil
}

// prepareFor is ready for callers without a slot; its errors are EnvErrors.
func (o *Oracle) prepareFor(ctx context.Context, ref taskref.Ref, n needs) (prepared, error) {
	slot := o.slot()
	p, err := o.ready(ctx, slot, ref, n)
	slot.leave()
	return p, envErrorOf(err)
}

// envErrorOf is an error about an item as an EnvError.
func envErrorOf(err error) error {
	if err == nil {
		return nil
	}
	status, message := statusOf(err)
	code := EnvExecution
	if itemStatusOf(status) == itemBadRequest {
		code = EnvValidation
	}
	return &EnvError{code, spell.Clip(message, maxErrorText)}
}

// episodeTask picks the task of an episode.
func (o *Oracle) episodeTask(d *resetData) (ref taskref.Ref, err error) {
	switch n := o.opt.Tasks.Len(); {
	case rowjson.Present(d.Task):
		if ref, err = readTaskRef(d.Task); err != nil {
			return ref, envInvalid("%v", err)
		}
	case n == 0:
	case d.Seed != nil:
		ref.Task = o.opt.Tasks.At(int(*d.Seed % uint64(n))).Sum
	default:
		ref.Task = o.opt.Tasks.At(int((o.resets.Add(1) - 1) % uint64(n))).Sum
	}
	return ref, nil
}

func (e *Episode) observe() *Observation {
	return &Observation{
		Task: e.p.sum, Components: reward.Components{}, Facts: []string{}, Actions: []string{}, Executed: len(e.plan),
		Disclosed: []string{}, Repeated: []string{}, Reader: e.reader.Kind(),
	}
}

// tell fills in the state of plan_step.
func (e *Episode) tell(obs *Observation) (err error) {
	obs.Executed = len(e.plan)
	if obs.Actions, err = e.p.mask.Actions(e.state); err != nil {
		return &EnvError{EnvExecution, err.Error()}
	}
	if facts := e.p.mask.Facts(e.state); facts != nil {
		obs.Facts = facts
		if e.words == nil {
			e.words, _ = prompt.NewRenderer(e.p.problem, "") // "" suits every domain
		}
		obs.State = e.words.State(facts)
	}
	return nil
}

// action is an action of either environment; metadata and other members are ignored.
type action struct {
	Plan   *string `json:"plan"`
	Action *string `json:"action"`
	Finish string  `json:"finish"`
}

// Step takes an action, a JSON object: {"plan": TEXT} of plan_once and plan_adapt, where the text is
// read as a completion is, or {"action": TEXT} of plan_step, an answer that commits to one
// step, read in the same way. "finish" says how the text ended: "length" if it was cut off.
// Without it that is not known, and a plan whose block is open counts as cut off, as in
// the adapters for trainers. A step that cannot
// be executed changes nothing and counts; plan_step ends when the goal holds or max_steps
// actions have been taken, and is then rewarded for the plan of the executed steps.
func (e *Episode) Step(ctx context.Context, data []byte) (*StepResult, error) {
	var a action
	switch err := rowjson.Unmarshal(data, &a, false); {
	case err != nil:
		return nil, envInvalid("%v", err)
	case e.done:
		return nil, &EnvError{EnvSession, "the episode is over: reset it"}
	case !e.kind.stepwise() && a.Plan == nil:
		return nil, envInvalid("the action has no text under plan")
	case e.kind.stepwise() && a.Action == nil:
		return nil, envInvalid("the action has no step under action")
	}
	defer e.o.slot().leave()
	cut := a.Finish == "" || a.Finish == "length"
	switch e.kind {
	case EnvPlanOnce:
		return e.finish(ctx, *a.Plan, cut, e.observe())
	case EnvPlanAdapt:
		return e.propose(ctx, *a.Plan)
	case EnvBoxnetReplan:
		return e.stepReplan(*a.Action)
	}
	return e.take(ctx, *a.Action, cut)
}

// Replay executes the steps of a plan at the beginning of an episode of plan_step, all of
// which must be executable; of plan_adapt and boxnet_replan it takes the answers before.
func (e *Episode) Replay(steps []string) error {
	switch {
	case len(steps) == 0:
		return nil
	case e.kind == EnvPlanAdapt:
		return e.proposeReplay(steps)
	case e.kind == EnvBoxnetReplan:
		return e.replayReplan(steps)
	case e.kind != EnvPlanStep:
		return envInvalid("%s has no prefix", e.kind)
	case len(steps) > e.o.opt.Limits.PlanSteps:
		return envInvalid("the prefix has %d steps, more than %d", len(steps), e.o.opt.Limits.PlanSteps)
	}
	if err := checkSteps(steps); err != nil {
		return envInvalid("the prefix: %v", err)
	}
	state, done, err := e.p.mask.After(steps)
	switch {
	case errors.Is(err, constrain.ErrStep):
		return envInvalid("step %d of the prefix: %v", done+1, err)
	case err != nil:
		return &EnvError{EnvExecution, err.Error()}
	}
	e.state, e.plan, e.actions = state, slices.Clone(steps), len(steps)
	return nil
}

// readStep reads the step of an action as the plan of an answer is read for a score: the
// answer must commit to one step, and what is malformed or cut off is none. why says what is
// wrong, "" for nothing.
func (e *Episode) readStep(answer string, truncated bool) (step, why string) {
	if n, most := len(answer), e.o.opt.Limits.ResponseBytes; n > most {
		return "", fmt.Sprintf("the action has %d bytes, more than %d", n, most)
	}
	x := e.extract(answer)
	_, status := e.o.unjudged(&x, &rows.Item{Response: answer, Truncated: truncated})
	switch {
	case status == rows.StatusTruncated:
		return "", "the action was cut off inside its plan"
	case status == rows.StatusClaimsUnsolvable:
		return "", "the action says that there is no plan"
	case status == rows.StatusAmbiguous:
		return "", "the action offers different plans and commits to none"
	case status == rows.StatusNoPlan, x.Steps() == 0:
		return "", "no step in the action"
	case x.Steps() > 1:
		return "", fmt.Sprintf("%d steps in the action, which is one step", x.Steps())
	case len(x.Malformed) > 0:
		return "", x.Malformed[0].Text + " is not one step"
	}
	return x.Plan[0], ""
}

// extract reads an action of plan_step. For the strict reader the markers around a plan of one
// line may be missing: the line alone must be a step of the contract.
func (e *Episode) extract(answer string) extract.Extraction {
	x := e.reader.Extract(answer)
	if x.Reader != extract.Strict || x.Status != extract.StatusNoPlan {
		return x
	}
	line := strings.TrimSpace(extract.WithoutThoughts(answer))
	if line == "" || strings.ContainsAny(line, "\r\n<") { // several lines, or a marker that is not closed
		return x
	}
	return e.reader.Extract("<plan>\n" + line + "\n</plan>")
}

// take executes one step.
func (e *Episode) take(ctx context.Context, answer string, truncated bool) (*StepResult, error) {
	e.p.mask = e.p.mask.Within(ctx)
	obs := e.observe()
	step, why := e.readStep(answer, truncated)
	if why != "" {
		obs.Message = spell.Clip(why, maxErrorText)
	} else if err := e.execute(step, obs); err != nil {
		return nil, err
	}
	e.actions++
	goal, err := e.p.mask.GoalHolds(e.state)
	if err != nil {
		return nil, &EnvError{EnvExecution, err.Error()}
	}
	if err := e.tell(obs); err != nil {
		return nil, err
	}
	if goal || e.actions >= e.maxSteps {
		return e.finish(ctx, "<plan>\n"+strings.Join(e.plan, "\n")+"\n</plan>", false, obs)
	}
	zero := 0.0
	return &StepResult{Observation: obs, Reward: &zero}, nil
}

// execute makes a step, or says in obs why it cannot be executed.
func (e *Episode) execute(step string, obs *Observation) error {
	next, err := e.p.mask.Step(e.state, step)
	switch {
	case errors.Is(err, constrain.ErrStep):
		obs.Message = spell.Clip(err.Error(), maxErrorText)
	case err != nil:
		return &EnvError{EnvExecution, err.Error()}
	default:
		e.state, e.plan, obs.Step = next, append(e.plan, step), step
	}
	return nil
}

// finish rewards an answer and ends the episode.
func (e *Episode) finish(ctx context.Context, answer string, truncated bool, obs *Observation) (*StepResult, error) {
	s := e.o.scoreIn(ctx, e.p.task, e.p.table, e.spec, &rows.Item{Response: answer, Reader: e.reader.Kind(), Truncated: truncated, Gold: e.gold})
	if s.Reward == nil {
		return nil, &EnvError{EnvExecution, s.Error}
	}
	e.done = true
	if e.kind == EnvPlanOnce {
		e.actions++
	}
	obs.Verdict, obs.Components = verdictWord(s), s.Components
	if s.Verdict != nil && s.Verdict.Failure != nil && obs.Message == "" {
		obs.Message = spell.Clip(s.Verdict.Failure.Message, maxErrorText)
	}
	return &StepResult{Observation: obs, Reward: s.Reward, Done: true}, nil
}

// stepwise reports whether an action is one step, in the member action.
func (k EnvKind) stepwise() bool { return k == EnvPlanStep || k == EnvBoxnetReplan }

// State tells about the episode.
func (e *Episode) State() EpisodeState {
	if e.replan != nil {
		return EpisodeState{EpisodeID: e.id, StepCount: e.replan.Turns(), Task: e.replan.Structure(), Plan: e.replan.Steps(), Done: e.done}
	}
	plan := e.plan
	if plan == nil {
		plan = []string{}
	}
	return EpisodeState{EpisodeID: e.id, StepCount: e.actions, Task: e.p.sum, Plan: plan, Done: e.done}
}
