package rows

import (
	"encoding/json"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
)

// ReadGold reads the members "gold" and "budget" of a row: those of the records of
// planproof prompt, and steps and slack beside them. Costs are JSON numbers, or strings
// such as "1/3".
func ReadGold(gold, budget json.RawMessage) (*reward.Gold, error) {
	var w struct {
		Plan    *[]string       `json:"plan"`
		Steps   *int64          `json:"steps"`
		Cost    json.RawMessage `json:"cost"`
		Optimal bool            `json:"optimal"`
		Slack   json.RawMessage `json:"slack"`
	}
	if rowjson.Present(gold) {
		if err := rowjson.Unmarshal(gold, &w, false); rowjson.IsRepeated(err) {
			return nil, rowjson.Prefix("gold: ", rowjson.Within("gold", err))
		} else if err != nil {
			return nil, rowjson.Errorf(rowjson.CodeType, "gold", "gold is not an object with plan, steps, cost, optimal, slack")
		}
	}
	g := &reward.Gold{Optimal: w.Optimal}
	switch {
	case w.Steps != nil:
		if *w.Steps < 0 || *w.Steps > reward.MaxComponent {
			return nil, rowjson.Errorf(rowjson.CodeValue, "gold.steps", "gold: steps is no length of a plan")
		}
		g.Steps, g.HasSteps = *w.Steps, true
	case w.Plan != nil:
		g.Steps, g.HasSteps = int64(len(*w.Plan)), true
	}
	for _, c := range []struct {
		name string
		data json.RawMessage
		to   **pddl.Number
	}{{"gold: cost", w.Cost, &g.Cost}, {"gold: slack", w.Slack, &g.Slack}, {"budget", budget, &g.Budget}} {
		if !rowjson.Present(c.data) {
			continue
		}
		n, ok := readCost(c.data)
		if !ok {
			return nil, rowjson.Errorf(rowjson.CodeValue, strings.ReplaceAll(c.name, ": ", "."), "%s is no number that is not negative", c.name)
		}
		*c.to = &n
	}
	return g, nil
}

// readCost reads a cost: a JSON number or a string with a number or a fraction.
func readCost(data json.RawMessage) (pddl.Number, bool) {
	text := string(data)
	if data[0] == '"' {
		if rowjson.Unmarshal(data, &text, false) != nil {
			return pddl.Number{}, false
		}
	}
	n, ok := pddl.ParseFraction(text)
	return n, ok && n.Sign() >= 0
}
