package reward

// multirobotParams are the weights of the multi-robot reward.
type multirobotParams struct {
	format, perStep float64
	// form says what the format reward is for: "think" or "parsed".
	form string
}

// Forms of a response that the multi-robot reward pays for.
const (
	// formThink: thoughts between think tags, and a plan in which every line is a step.
	formThink = "think"
	// formParsed: a plan in which every line is a step.
	formParsed = "parsed"
)

var multirobotDefaults = multirobotParams{format: 0.1, perStep: 0.1, form: formThink}

// newMultirobot is the reward of the multi-robot paper (section 3.2), for any domain:
//
//	r          = format + execute - efficiency
//	execute    = 1 for a valid plan, else 0
//	efficiency = max(0, 0.1 * (steps - steps of the reference plan))
//
// and a valid plan never gets less than twice the format reward.
//
// Readings of what the paper leaves open: the efficiency term is for valid plans only
// (it would pay an invalid plan for being empty); with a valid plan that is shorter
// than the reference the term is 0, and ref_not_optimal tells. Steps that happen at the same
// time count as they are written, one each.
func newMultirobot(p multirobotParams) *Spec {
	floor := 2 * p.format
	return (&Spec{
		Kind: "multirobot", need: needSteps | needFormat, ValidWins: p.format > 0,
		params: map[string]any{"format": p.format, "per_step": p.perStep, "form": p.form},
		bounds: func(valid bool) map[string]interval {
			b := map[string]interval{
				"": {0, p.format}, "format": {0, p.format}, "execute": zero, "efficiency": zero, "extra_steps": zero,
				"ref_steps": natural, "ref_not_optimal": zero, "valid": flag(valid),
			}
			if valid {
				b[""], b["execute"] = interval{floor, max(floor, p.format+1)}, interval{1, 1}
				b["efficiency"], b["extra_steps"], b["ref_not_optimal"] = natural, natural, unit
			}
			return b
		},
		eval: func(e *Evidence) (float64, Components) {
			c := Components{
				"format": 0, "execute": 0, "efficiency": 0, "extra_steps": 0,
				"ref_steps": float64(e.Gold.Steps), "ref_not_optimal": 0, "valid": boolFloat(e.Verdict.Valid),
			}
			if e.parsed() && (p.form == formParsed || e.Format.Think) {
				c["format"] = p.format
			}
			r := c["format"]
			if e.Verdict.Valid {
				extra := int64(e.Verdict.Steps) - e.Gold.Steps
				if extra < 0 {
					c["ref_not_optimal"], extra = 1, 0
				}
				efficiency := float64(p.perStep * float64(extra))
				c["execute"], c["extra_steps"], c["efficiency"] = 1, float64(extra), efficiency
				r = max(floor, r+1-efficiency)
			}
			return r, c
		},
	}).seal()
}
