package proof

import (
	"context"
	"fmt"

	"github.com/planproof/planproof/domains/boxnet"
)

// Report says what a certificate shows.
type Report struct {
	Steps int `json:"optimal_steps"`
	// LowerBound is the bound that needs no lemmas.
	LowerBound int            `json:"lower_bound"`
	Lemmas     int            `json:"lemmas"`
	Clashes    int            `json:"clashes"`
	Reading    boxnet.Reading `json:"reading"`
}

// Check reports whether a certificate shows that its plan is legal, reaches the goal and has the
// fewest steps. The error says what is wrong with it, or is that of ctx.
func Check(ctx context.Context, c *Certificate) (*Report, error) {
	rep := &Report{Steps: len(c.Plan), Lemmas: len(c.Lemmas), Clashes: len(c.Clashes), Reading: c.Reading}
	if err := c.checkPlan(); err != nil {
		return nil, err
	}
	t := newTask(c.Instance)
	rep.LowerBound = t.lowerBound()
	if len(c.Plan) <= rep.LowerBound {
		return rep, nil
	}
	if c.Refuted != len(c.Plan)-1 {
		return nil, fmt.Errorf("nothing shows that there is no plan of %d steps: the lower bound is %d", len(c.Plan)-1, rep.LowerBound)
	}
	f := t.formula(c.Refuted)
	for _, x := range c.Clashes {
		if err := f.clash(c.Reading, x); err != nil {
			return nil, err
		}
	}
	for i, l := range c.Lemmas {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if l.Gone {
			f.out.remove(l.Lits)
		} else if err := f.out.lemma(l.Lits); err != nil {
			return nil, fmt.Errorf("lemma %d: %w", i+1, err)
		}
	}
	if !f.out.empty {
		return nil, fmt.Errorf("the lemmas do not end in a contradiction: a plan of %d steps is not excluded", c.Refuted)
	}
	return rep, nil
}

// checkPlan has the judge judge the plan, and this package's geometry look at each step.
func (c *Certificate) checkPlan() error {
	j := boxnet.NewJudge(c.Instance, c.Reading)
	if res := j.Judge(c.Plan); !res.Verdict.Valid {
		return fmt.Errorf("the plan is not valid: %s", res.Verdict.Failure.Message)
	}
	at := map[string]boxnet.Point{}
	for _, r := range c.Instance.Robots {
		at[r.Name] = r.Arm
	}
	for n, step := range c.Plan {
		motions := make([]boxnet.Motion, len(c.Instance.Robots))
		for i, r := range c.Instance.Robots {
			motions[i] = boxnet.Motion{Base: r.Base, From: at[r.Name], To: at[r.Name]}
			for _, m := range step {
				if m.Robot == r.Name {
					motions[i].To, motions[i].Moves = m.To, true
				}
			}
			for k := range i {
				if why := Collision(c.Reading, &motions[k], &motions[i]); why != "" {
					return fmt.Errorf("the plan is not valid: step %d: %s and %s: %s", n+1, c.Instance.Robots[k].Name, r.Name, why)
				}
			}
			at[r.Name] = motions[i].To
		}
	}
	return nil
}
