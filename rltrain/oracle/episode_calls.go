package oracle

import (
	"context"
	"errors"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/rltrain/rows"
)

// doReset appends the first observation of an episode of plan_step that doStep goes on with.
func (o *Oracle) doReset(ctx context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error) {
	const member = "result"
	if p.err != nil {
		return w.appendRefused(b, item, member, p.err), nil
	}
	if item.profile != nil {
		return o.doPropose(ctx, w, item, p, true, b)
	}
	p.mask = p.mask.Within(ctx)
	e := &Episode{o: o, kind: EnvPlanStep, reader: o.reader(p.task, item.reader), p: p, state: p.mask.Start()}
	obs, err := e.observe(), error(nil)
	if obs.System, obs.Prompt, err = o.prompt(ctx, p, EnvPlanStep, e.reader.Kind()); err == nil {
		err = e.tell(obs)
	}
	if err != nil {
		return w.appendRefused(b, item, member, &itemError{limitStatus(ctx), err.Error()}), nil
	}
	return w.appendAnswer(b, item, rows.StatusValid, member, &StepResult{Observation: obs}, "")
}

// doStep appends what an action of plan_step leads to, after a prefix of steps: an episode
// without a session.
func (o *Oracle) doStep(ctx context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error) {
	const member = "result"
	if p.err != nil {
		return w.appendRefused(b, item, member, p.err), nil
	}
	if item.profile != nil {
		return o.doPropose(ctx, w, item, p, false, b)
	}
	prefix, err := o.prefix(item.prefix)
	if err != nil {
		return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, err.Error()}), nil
	}
	step, err := rowjson.String(item.action)
	if err != nil {
		return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, "no step under action"}), nil
	}
	p.mask = p.mask.Within(ctx)
	e := &Episode{o: o, kind: EnvPlanStep, spec: w.run.spec, reader: o.reader(p.task, item.reader), p: p, gold: item.known, state: p.mask.Start(), maxSteps: maxEnvSteps}
	if err = e.Replay(prefix); err == nil {
		var r *StepResult
		if r, err = e.take(ctx, step, string(item.finish) == `"length"`); err == nil {
			return w.appendAnswer(b, item, rows.StatusValid, member, r, r.Observation.Message)
		}
	}
	status := limitStatus(ctx)
	if env := (*EnvError)(nil); errors.As(err, &env) && env.Code == EnvValidation {
		status = rows.StatusBadRow
	}
	return w.appendRefused(b, item, member, &itemError{status, err.Error()}), nil
}
