package reward

// multirobotParams are the weights of the multi-robot reward.
type multirobotParams struct {
	format, perStep float64
	// form says what the format reward is for: "think" or "parsed".
	form string
	// floor says which valid plans never get less than twice the format reward.
	floor string
}

// Forms of a response that the multi-robot reward pays for.
const (
	// formThink: thoughts between think tags, and a plan in which every line is a step.
	formThink = "think"
	// formParsed: a plan in which every line is a step.
	formParsed = "parsed"
)

// Floors of the multi-robot reward. The paper caps at "2 x r_format(s)", "to ensure that correct plans always
// receive a higher reward than incorrect ones": with a response in another form the first is 0, and the second fails.
const (
	// floorAlways: those of all valid plans, so that a valid plan always earns more than an invalid one.
	floorAlways = "always"
	// floorFormatted: those whose response has earned the format reward; the formula to the letter.
	floorFormatted = "formatted"
)

var multirobotDefaults = multirobotParams{format: 0.1, perStep: 0.1, form: formThink, floor: floorAlways}

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
	floor, least := 2*p.format, 2*p.format
	params := map[string]any{"format": p.format, "per_step": p.perStep, "form": p.form}
	if p.floor == floorFormatted {
		least, params["floor"] = 0, p.floor
	}
	return (&Spec{
		Kind: "multirobot", need: needSteps | needFormat, ValidWins: p.format > 0 && p.floor == floorAlways,
		params: params,
		bounds: func(valid bool) map[string]interval {
			b := map[string]interval{
				"": {0, p.format}, "format": {0, p.format}, "execute": zero, "efficiency": zero, "extra_steps": zero,
				"ref_steps": natural, "ref_not_optimal": zero, "valid": flag(valid),
			}
			if valid {
				b[""], b["execute"] = interval{least, max(floor, p.format+1)}, interval{1, 1}
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
				r += 1 - efficiency
				if p.floor == floorFormatted {
					r = max(2*c["format"], r)
				} else {
					r = max(floor, r)
				}
			}
			return r, c
		},
	}).seal()
}
