package joint

import (
	"context"
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains/boxnet"
)

// Level says how much one learns about a plan; the names are those of planproof feedback.
type Level string

// Levels, from the least to the most informative.
const (
	LevelBinary Level = "binary" // valid or not
	LevelFirst  Level = "first"  // and the first thing that is wrong
	LevelAll    Level = "all"    // and all steps that are not legal, each left out
	LevelHint   Level = "hint"   // the first thing, and the next step of a shortest way on from the good part
)

// ParseLevel reads the name of a level.
func ParseLevel(name string) (Level, error) {
	switch l := Level(name); l {
	case LevelBinary, LevelFirst, LevelAll, LevelHint:
		return l, nil
	}
	return "", fmt.Errorf("%q is no level: there are binary, first, all, hint", name)
}

// Feedback tells the author of a plan about it, at a level. res is its verdict.
func Feedback(ctx context.Context, j *boxnet.Judge, plan boxnet.Plan, res *boxnet.Result, level Level, opt Options) (string, error) {
	v := res.Verdict
	if v.Valid {
		return fmt.Sprintf("The plan is valid: %d steps.", v.Executed), nil
	}
	first := "The plan is not valid. " + upper(v.Failure.Message) + "."
	switch level {
	case LevelBinary:
		return "The plan is not valid.", nil
	case LevelAll:
		return "The plan is not valid. " + strings.Join(allFaults(j, plan, res), " "), nil
	case LevelHint:
		repair, err := Repair(ctx, j, plan, res, opt)
		if err != nil || len(repair) <= v.Executed {
			return first, err
		}
		how := fmt.Sprintf("After step %d you could go on with", v.Executed)
		if v.Executed == 0 {
			how = "You could begin with"
		}
		return fmt.Sprintf("%s %s %s", first, how, repair[v.Executed].Text()), nil
	}
	return first, nil
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// allFaults judges every step; those that are not legal are left out.
func allFaults(j *boxnet.Judge, plan boxnet.Plan, res *boxnet.Result) (list []string) {
	st, s := j.Start(), new(boxnet.Scratch)
	for n, step := range plan {
		if f := j.Step(st, step, s); f != nil {
			list = append(list, fmt.Sprintf("Step %d: %s.", n+1, f.Words(step)))
		}
	}
	if res.Reason == boxnet.Unreadable || res.Reason == boxnet.MovesTwice {
		list = append(list, upper(res.Verdict.Failure.Message)+".")
	}
	for _, o := range j.Away(st) {
		list = append(list, fmt.Sprintf("%s does not come to its target %v.", o.Name, *o.Target))
	}
	return list
}

// Repair returns a valid plan that begins with the steps of a plan that could be carried out and goes on
// with as few steps as possible; nil if there is none, or a limit came first. opt.Reading must be the judge's.
func Repair(ctx context.Context, j *boxnet.Judge, plan boxnet.Plan, res *boxnet.Result, opt Options) (boxnet.Plan, error) {
	st, s := j.Start(), new(boxnet.Scratch)
	good := plan[:res.Verdict.Executed:res.Verdict.Executed]
	for _, step := range good {
		if f := j.Step(st, step, s); f != nil {
			return nil, fmt.Errorf("internal error: a step that was carried out is not legal: %s", f.Words(step))
		}
	}
	rest, err := Solve(ctx, j.Instance.From(st), opt)
	if err != nil || rest.Status != Solved {
		return nil, err
	}
	whole := append(good, rest.Plan...)
	if v := j.Judge(whole).Verdict; !v.Valid {
		return nil, fmt.Errorf("internal error: the judge refuses a repaired plan: %s", v.Failure.Message)
	}
	return whole, nil
}
