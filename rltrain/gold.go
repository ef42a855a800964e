package rltrain

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/space"
)

// readGold reads the members "gold" and "budget" of a row: those of the records of
// planproof prompt, and steps and slack beside them. Costs are JSON numbers, or strings
// such as "1/3".
func readGold(gold, budget json.RawMessage) (*Gold, error) {
	var w struct {
		Plan    *[]string       `json:"plan"`
		Steps   *int64          `json:"steps"`
		Cost    json.RawMessage `json:"cost"`
		Optimal bool            `json:"optimal"`
		Slack   json.RawMessage `json:"slack"`
	}
	if present(gold) {
		if err := json.Unmarshal(gold, &w); err != nil {
			return nil, rowjson.Errorf(rowjson.CodeType, "gold", "gold is not an object with plan, steps, cost, optimal, slack")
		}
	}
	g := &Gold{Optimal: w.Optimal}
	switch {
	case w.Steps != nil:
		if *w.Steps < 0 || *w.Steps > maxComponent {
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
		if !present(c.data) {
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
		if json.Unmarshal(data, &text) != nil {
			return pddl.Number{}, false
		}
	}
	above, below, fraction := strings.Cut(text, "/")
	n, ok := pddl.ParseNumber(strings.TrimSpace(above))
	if ok && fraction {
		var d pddl.Number
		if d, ok = pddl.ParseNumber(strings.TrimSpace(below)); ok {
			n, ok = n.Div(d)
		}
	}
	return n, ok && n.Sign() >= 0
}

// needsTable reports whether a response to t needs the distance table: for
// distances, or for the length of a shortest plan that the row does not tell.
func (s *RewardSpec) needsTable(t *task, g *Gold) bool {
	return s.NeedsDistances ||
		s.need&needSteps != 0 && (g == nil || !g.HasSteps) ||
		s.need&needCost != 0 && (g == nil || g.Cost == nil) && t.problem.Metric == nil
}

// gold is what a spec needs to know of a task: from the row, else from the table.
func (s *RewardSpec) gold(t *task, table *distanceTable, row *Gold) (Gold, error) {
	var g Gold
	if row != nil {
		g = *row
	}
	if s.need&needSteps != 0 && !g.HasSteps {
		g.Steps, g.HasSteps = table.table.InitialDistance().Steps, true
	}
	if s.need&needCost != 0 {
		switch {
		case g.Cost != nil && !g.Optimal:
			return g, errors.New("the cost in the row's gold data is not marked as optimal")
		case g.Cost == nil && t.problem.Metric == nil: // steps are costs
			n := pddl.Int(table.table.InitialDistance().Steps)
			g.Cost = &n
		case g.Cost == nil:
			return g, errors.New("the optimal cost is not known: the row has no gold with cost and optimal")
		}
	}
	switch {
	case s.need&needSlack != 0 && g.Slack == nil:
		return g, errors.New("the slack of a loose budget is not known: the row has no gold with slack")
	case s.need&needBudget != 0 && g.Budget == nil:
		return g, errors.New("the row has no budget")
	}
	return g, nil
}

// refuted reports whether the response shows the optimal cost to be wrong.
func refuted(e *Evidence) bool {
	return e.Verdict.Valid && e.Verdict.CostDefined && e.Verdict.Cost.Cmp(*e.Gold.Cost) < 0
}

// sha is the hash of a task: of the domain's text, a zero byte and the problem's text.
func (k taskKey) sha() (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write([]byte(k.domain))
	h.Write([]byte{0})
	h.Write([]byte(k.problem))
	h.Sum(sum[:0])
	return sum
}

// visited are the states that a plan has been in. Plans are short: they are compared
// one by one, up to maxCompared of them, beyond which none is counted.
type visited []space.State

const maxCompared = 256

// add adds a state and reports whether it was there.
func (v *visited) add(s space.State) bool {
	for _, old := range *v {
		if slices.Equal(old, s) {
			return true
		}
	}
	if len(*v) < maxCompared {
		*v = append(*v, s)
	}
	return false
}
