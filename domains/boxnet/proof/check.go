package proof

import (
	"context"
	"fmt"
	"slices"

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
	rep := &Report{Steps: len(c.Plan), Lemmas: len(c.Lemmas), Clashes: len(c.Clashes) + len(c.Loaded), Reading: c.Reading}
	if err := c.checkPlan(); err != nil {
		return nil, err
	}
	t := newTask(c.Instance, c.Reading)
	rep.LowerBound = t.lowerBound()
	if len(c.Plan) <= rep.LowerBound {
		return rep, nil
	}
	if c.Refuted != len(c.Plan)-1 {
		return nil, fmt.Errorf("nothing shows that there is no plan of %d steps: the lower bound is %d", len(c.Plan)-1, rep.LowerBound)
	}
	f := t.formula(c.Refuted, c.Reading)
	for _, x := range c.Clashes {
		if err := f.clash(c.Reading, x, false); err != nil {
			return nil, err
		}
	}
	for _, x := range c.Loaded {
		if err := f.clash(c.Reading, x, true); err != nil {
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
	var objects []boxnet.Point
	for _, o := range c.Instance.Objects {
		objects = append(objects, o.At)
	}
	for n, step := range c.Plan {
		motions := make([]boxnet.Motion, len(c.Instance.Robots))
		for i, r := range c.Instance.Robots {
			motions[i] = boxnet.Motion{Base: r.Base, From: at[r.Name], To: at[r.Name]}
			for _, m := range step {
				if m.Robot == r.Name {
					motions[i].To, motions[i].Moves, motions[i].Carries = m.To, true, m.Carry
				}
			}
			for k := range i {
				if why := collision(c.Instance, c.Reading, &motions[k], &motions[i]); why != "" {
					return fmt.Errorf("the plan is not valid: step %d: %s and %s: %s", n+1, c.Instance.Robots[k].Name, r.Name, why)
				}
			}
			at[r.Name] = motions[i].To
		}
		if err := c.checkWays(motions, objects); err != nil {
			return fmt.Errorf("the plan is not valid: step %d: %w", n+1, err)
		}
	}
	return nil
}

// checkWays looks at what the motions of a step pass over, and has the objects carried. objects are where they are.
func (c *Certificate) checkWays(motions []boxnet.Motion, objects []boxnet.Point) error {
	t := &task{in: c.Instance}
	carried := make([]int, len(motions)) // from 1
	for i, m := range motions {
		for o, p := range objects {
			best := carried[i] - 1
			free := !slices.Contains(carried[:i], o+1)
			if m.Carries && free && t.aligned(m.From, p) && (best < 0 || distance2(m.From, p).Cmp(distance2(m.From, objects[best])) < 0) {
				carried[i] = o + 1
			}
		}
	}
	for i, m := range motions {
		for k := range c.Instance.Obstacles {
			if o := &c.Instance.Obstacles[k]; m.Moves && Blocks(o, &m) {
				return fmt.Errorf("%s is in the way of %s", o.Name, c.Instance.Robots[i].Name)
			}
		}
		for o, p := range objects {
			if c.Instance.Dimensions == 3 && carried[i] != o+1 && Sweeps(&m, p) {
				return fmt.Errorf("%s sweeps through %s", c.Instance.Robots[i].Name, c.Instance.Objects[o].Name)
			}
		}
	}
	for i, o := range carried {
		if o > 0 {
			objects[o-1] = motions[i].To
		}
	}
	return nil
}
