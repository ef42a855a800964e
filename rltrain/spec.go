package rltrain

import (
	"fmt"
	"sort"
	"strings"

	"planproof/internal/spell"
	"planproof/llmbridge"
	"planproof/validator"
)

// Evidence is all that a reward may look at.
type Evidence struct {
	Verdict    *validator.Verdict
	Extraction *llmbridge.Extraction
	Format     Format
	// Progress is nil unless the spec needs distances.
	Progress *Progress
	// Refused is true when the response was not read at all (too long): it has no
	// merits, not even of form.
	Refused bool
}

// Progress is where a plan led, in unit steps to the goal (every action counts
// one, whatever it costs).
type Progress struct {
	// Initial is h* of the initial state, which is also the length of the gold
	// plan, a shortest plan.
	Initial int64
	// Applied counts the steps that were executed: those before the first failure,
	// or all applicable ones if the spec skips others.
	Applied int64
	// Reached is h* of the state after them, or -1 when the goal cannot be reached
	// from there.
	Reached int64
}

// Components are a reward's parts by name. Every evaluation of one spec has the
// same names, as trainers require.
type Components map[string]float64

// RewardSpec is a reward: a pure function of the evidence.
type RewardSpec struct {
	Name, Doc string
	// NeedsDistances says that Evidence.Progress must be set.
	NeedsDistances bool
	// Skips says that a step which cannot be applied is skipped, instead of ending
	// the execution by which progress is measured.
	Skips bool
	// Max is the largest possible reward; 0 is the smallest.
	Max float64
	// ValidWins promises that on one task every valid plan earns more than every
	// invalid one of the same Format.
	ValidWins bool

	eval func(Evidence) (float64, Components)
}

// Eval computes the reward and its components.
func (s *RewardSpec) Eval(e Evidence) (float64, Components) { return s.eval(e) }

var specs = []*RewardSpec{
	{
		Name: "valid", Doc: "1 for a valid plan, 0 for anything else", Max: 1, ValidWins: true,
		eval: func(e Evidence) (float64, Components) {
			r := 0.0
			if e.Verdict.Valid {
				r = 1
			}
			return r, Components{"valid": r}
		},
	},
	{
		Name: "process", Doc: "points for form, progress and success (0 to 105), after the Blocksworld thesis",
		NeedsDistances: true, Max: maxProcess, ValidWins: true, eval: evalProcess,
	},
	{
		Name: "process-skip", Doc: "as process, but execution goes on after a step that cannot be applied",
		NeedsDistances: true, Skips: true, Max: maxProcess, ValidWins: true, eval: evalProcess,
	},
}

// aliases are other names that trainers' configurations use.
var aliases = map[string]string{"binary": "valid", "task": "valid", "task01": "valid", "thesis": "process"}

// Rewards lists the reward specs.
func Rewards() []*RewardSpec { return specs }

// RewardNamed finds a reward by its name or an alias ("binary" is "valid").
func RewardNamed(name string) (*RewardSpec, error) {
	canonical := name
	if a, ok := aliases[name]; ok {
		canonical = a
	}
	for _, s := range specs {
		if s.Name == canonical {
			return s, nil
		}
	}
	var known []string
	for _, s := range specs {
		known = append(known, s.Name)
	}
	for a := range aliases {
		known = append(known, a)
	}
	sort.Strings(known)
	if len(name) > 60 {
		name = name[:57] + "..."
	}
	if best := spell.Nearest(name, known); best != "" {
		return nil, fmt.Errorf("unknown reward %q: did you mean %q?", name, best)
	}
	return nil, fmt.Errorf("unknown reward %q: there are %s", name, strings.Join(known, ", "))
}
