package reward

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestNamedPartsAreFromZeroToOne: whatever range a reward has, it is within 0 to 1 in a mix that
// only names it, in the same order.
func TestNamedPartsAreFromZeroToOne(t *testing.T) {
	for _, named := range Builtin() {
		mix := readReward(t, `{"schema": "planproof.reward/1", "name": "m", "kind": "weighted", "parts": {"x": "`+named.Name+`"}, "reward": "x"}`)
		if mix.Min < 0 || mix.Max > 1 {
			t.Errorf("%s is from %g to %g in a mix", named.Name, mix.Min, mix.Max)
		}
		if u := withUnit(named); u.ValidWins != named.ValidWins {
			t.Errorf("%s: valid plans win: %v, from 0 to 1: %v", named.Name, named.ValidWins, u.ValidWins)
		}
		for _, valid := range []bool{false, true} {
			lo, hi := mix.Bounds(valid)
			if lo > hi {
				t.Errorf("%s, valid %v: from %g to %g", named.Name, valid, lo, hi)
			}
		}
		// The canonical form is one that can be read.
		if !json.Valid(mix.Canonical()) {
			t.Errorf("%s", mix.Canonical())
		}
	}
	shaped := readReward(t, `{"schema": "planproof.reward/1", "name": "s", "kind": "shaped", "unit": true}`)
	plain := readReward(t, `{"schema": "planproof.reward/1", "name": "s", "kind": "shaped"}`)
	var rewards []float64
	for reached := int64(8); reached >= 0; reached-- {
		e := evidence(Format{}, 4, reached, 4, 4, reached == 0)
		r, parts := shaped.Eval(&e)
		raw, _ := plain.Eval(&e)
		if parts["raw"] != raw || r != (raw+0.5)/2 {
			t.Errorf("%d steps from the goal: %g of %g, raw %g", reached, r, raw, parts["raw"])
		}
		rewards = append(rewards, r)
	}
	if !slices.IsSorted(rewards) || rewards[0] != 0 || rewards[8] != 1 {
		t.Errorf("%v", rewards)
	}
	if shaped.CheckSteps() == nil || plain.CheckSteps() != nil || shaped.SHA() == plain.SHA() {
		t.Error("a reward that was brought to 0 to 1 is no sum over steps")
	}
	if again := readReward(t, `{"schema": "planproof.reward/1", "name": "v", "kind": "valid", "unit": true}`); again.SHA() != Builtin()[0].SHA() {
		t.Error("a reward within 0 to 1 has become another one")
	}
}
