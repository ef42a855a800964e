package reward

import (
	"fmt"
)

// splitsIntoSteps reports whether scores of the spec can be told step by step
// (Item.StepRewards): whether it is of kind shaped, as it is and not brought to 0 to 1.
func (s *Spec) splitsIntoSteps() bool { return s.Kind == "shaped" && s.params["unit"] == nil }

// StepWeight is what the whole way to the goal is worth, of a reward that splits into steps.
func (s *Spec) StepWeight() float64 { return s.params["weight"].(float64) }

// CheckSteps refuses rewards that are no sum over steps.
func (s *Spec) CheckSteps() error {
	if s.splitsIntoSteps() {
		return nil
	}
	if s.Kind == "shaped" {
		return fmt.Errorf("step rewards are those of a shaped reward without unit")
	}
	return fmt.Errorf("step rewards are those of a reward of kind shaped, not of kind %s", s.Kind)
}
