package reward

// Points of the process reward (methods, section 3).
const (
	stepPoints     = 2  // for each valid step, up to the gold plan's length
	distancePoints = 5  // for each step closer to the goal
	maxPlan        = 50 // the gold plan's own share
	goalBonus      = 20
	optimalBonus   = 10 // more, for a plan as long as the gold plan
	shorterBonus   = 15 // instead, for a shorter one
	maxProcess     = 20 + maxPlan + goalBonus + shorterBonus
)

// newProcess is the reward of the Blocksworld thesis (normalised: divided by 105):
//
//	reward = format + plan + bonus                                  0 to 105
//	plan   = min(50, 50 * points(response) / points(gold))
//	points = 2 * min(valid steps, |gold|) + 5 * max(0, h*(initial) - h*(reached))
//	bonus  = 20 for a valid plan, and 10 more if it is as short as the gold plan
//
// where `reached` is the state after the last step before the first failure (with
// skip, after all steps that can be applied when the others are skipped). The
// gold plan is a shortest plan, so |gold| = h*(initial) = g and points(gold) = 7g;
// a shorter plan cannot exist, and the 15 points for one are never paid (they are
// kept in the formula, and an Evidence with a shorter valid plan would earn them).
//
// Readings of what the thesis leaves open:
//   - "The first action is invalid": no points, as the formula gives anyway.
//   - The bonus is for a valid plan. A plan that reaches the goal and then goes
//     wrong has no bonus: it was not what its author took it for.
//   - From a state without a way to the goal nothing is left of the distance.
//   - g = 0 (the goal holds from the start): points(gold) is 0, and the plan part
//     is 50 for a valid plan and 0 otherwise.
//
// What padding can gain: a plan that goes round in circles without getting closer
// gets its 2 points a step at most g times, 2g of 7g points, so at most 100/7 =
// 14.29 of 50; a plan that reaches the goal by a detour loses the 10 points of the
// optimal one and gains nothing, since its plan part is 50 either way.
func newProcess(skip, normalised bool, untagged string) *Spec {
	s := &Spec{
		Kind: "process", need: needProgress | needFormat, ValidWins: true,
		params: withUntagged(map[string]any{"skip": skip, "normalised": normalised}, untagged),
		bounds: func(valid bool) map[string]interval {
			b := processBounds(valid)
			if normalised {
				b[""] = b["normalised"]
			}
			return b
		},
		eval: func(e *Evidence) (float64, Components) {
			p := e.Progress
			if skip {
				p = e.Skipping
			}
			r, c := evalProcess(e, p, untagged)
			if normalised {
				r = c["normalised"]
			}
			return r, c
		},
	}
	if skip {
		s.need = needSkipping | needFormat
	}
	return s.seal()
}

// processBounds are the bounds of the process reward's components.
func processBounds(valid bool) map[string]interval {
	total := interval{0, 20 + maxPlan}
	b := map[string]interval{
		"format": {0, 20}, "plan": {0, maxPlan}, "bonus": zero, "valid": flag(valid), "steps_from_goal": {-1, natural.hi},
	}
	if valid {
		total = interval{maxPlan + goalBonus, maxProcess}
		b["plan"], b["bonus"], b["steps_from_goal"] = interval{0, maxPlan}, interval{goalBonus, goalBonus + shorterBonus}, zero
	}
	b[""], b["total"], b["normalised"] = total, total, interval{total.lo / maxProcess, total.hi / maxProcess}
	for _, name := range [...]string{"valid_steps", "closer", "plan_points", "gold_points", "gold_steps", "revisits"} {
		b[name] = natural
	}
	return b
}

func evalProcess(e *Evidence, p *Progress, untagged string) (float64, Components) {
	v := e.Verdict
	var format, points, gold, bonus, closer int64
	if !e.Refused {
		format = e.layout(untagged).Points()
	}
	gold = (stepPoints + distancePoints) * p.Initial
	if p.Reached >= 0 && p.Applied > 0 {
		closer = max(0, p.Initial-p.Reached)
	}
	points = stepPoints*min(p.Applied, p.Initial) + distancePoints*closer
	plan := 0.0
	switch {
	case gold > 0:
		// One division of small integers: rounded once, the same everywhere.
		plan = float64(min(points, gold)*maxPlan) / float64(gold)
	case v.Valid:
		plan = maxPlan
	}
	if v.Valid {
		bonus = goalBonus
		switch steps := int64(v.Steps); {
		case steps < p.Initial:
			bonus += shorterBonus
		case steps == p.Initial:
			bonus += optimalBonus
		}
	}
	total := float64(format+bonus) + plan
	return total, Components{
		"format": float64(format), "plan": plan, "bonus": float64(bonus), "total": total, "normalised": total / maxProcess,
		"valid_steps": float64(p.Applied), "closer": float64(closer), "plan_points": float64(points), "gold_points": float64(gold),
		"gold_steps": float64(p.Initial), "steps_from_goal": float64(p.Reached), "revisits": float64(p.Revisits), "valid": boolFloat(v.Valid),
	}
}

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
