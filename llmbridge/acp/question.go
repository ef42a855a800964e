package acp

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/search/state"
)

// Kind is a kind of question, by the benchmark's short name.
type Kind string

// The kinds.
const (
	App    Kind = "app"    // which actions can be applied
	Prog   Kind = "prog"   // what an action changes
	Reach  Kind = "reach"  // an atom that can never hold
	AReach Kind = "areach" // an action that can never be applied
	Val    Kind = "val"    // the first action of a sequence that cannot be applied
	Just   Kind = "just"   // a plan without a needless action or two
	Land   Kind = "land"   // a fact that holds on every plan
	NextA  Kind = "nexta"  // an action with which a cheapest plan begins
)

// Kinds lists all kinds in the benchmark's order.
func Kinds() []Kind { return []Kind{App, Prog, Reach, AReach, Val, Just, Land, NextA} }

// Question is a question about a task with everything that is right.
type Question struct {
	Kind     Kind   `json:"kind"`
	Question string `json:"question"`
	// Steps is the sequence that val and just ask about, Action the action of prog.
	Steps  []string `json:"steps,omitempty"`
	Action string   `json:"action,omitempty"`
	Answer Answer   `json:"answer"`
}

// Answer holds what is right. Of app, Some is the whole list; of reach, areach, land and nexta any entry of
// Some is right, and without entries "none" is. Pos and Neg are the effects of prog, Index the number of val
// from 0, -1 for none, and Plans the plans of just.
type Answer struct {
	Some  []string   `json:"some,omitempty"`
	Pos   []string   `json:"pos,omitempty"`
	Neg   []string   `json:"neg,omitempty"`
	Index *int       `json:"index,omitempty"`
	Plans [][]string `json:"plans,omitempty"`
}

const sequenceLength = 10

// Ask makes a question of a kind about the initial state, the same for the same seed. ok is false where the
// task allows none: no action can be applied, there is no plan, or nothing in it is needless.
func (s *Space) Ask(kind Kind, seed uint64) (q Question, ok bool) {
	rng := seeded.Rand(seed, "acp "+string(kind))
	q.Kind = kind
	switch kind {
	case App:
		q.Question, q.Answer.Some = "Generate the list of all ground actions that are applicable in this state.", s.Applicable()
		return q, true
	case Prog:
		list := s.Applicable()
		if len(list) == 0 {
			return q, false
		}
		q.Action = list[rng.IntN(len(list))]
		q.Question = "Break down the outcomes of performing the action \"" + q.Action + "\" into two lists, positive effects and negative effects: " +
			"the propositions that are false and become true, and those that are true and become false."
		q.Answer.Pos, q.Answer.Neg, ok = s.Progress(q.Action)
		return q, ok
	case Reach:
		q.Question, q.Answer.Some = "What proposition can never hold in any potentially reachable state? Answer none if there is no such proposition.", s.Unreachable()
		return q, true
	case AReach:
		q.Question, q.Answer.Some = "What action can never become applicable, in any state reachable from the current state? Answer none if there is no such action.", s.NeverApplicable()
		return q, true
	case Val:
		return s.askValidation(q, rng)
	case Just:
		return s.askJustification(q, rng)
	case Land:
		q.Question = "Name a fact that holds at some time on every plan, but neither in the initial state nor in the goal. Answer none if there is no such fact."
		q.Answer.Some, ok = s.Landmarks()
		return q, ok
	case NextA:
		q.Question = "What is the next action that takes us towards the goal, so that what is left costs the least?"
		q.Answer.Some, ok = s.NextActions()
		return q, ok
	}
	return q, false
}

// askValidation asks about a random walk with an action put into it that cannot be applied there, if there is one.
func (s *Space) askValidation(q Question, rng *rand.Rand) (Question, bool) {
	steps, ids := s.walk(0, sequenceLength, rng)
	at := rng.IntN(len(steps) + 1)
	var bad []string
	can := s.applicable(ids[at])
	for a := range s.applies {
		if !slices.Contains(can, a) {
			bad = append(bad, a)
		}
	}
	slices.Sort(bad)
	if len(bad) > 0 {
		steps = slices.Insert(steps, at, bad[rng.IntN(len(bad))])
	}
	if len(steps) == 0 {
		return q, false
	}
	index := s.firstInapplicable(steps)
	q.Steps, q.Answer.Index = steps, &index
	q.Question = "What is the number, from 0, of the first inapplicable action in the next sequence of actions: \"" + strings.Join(steps, " ") + "\"? Answer -1 if all can be applied."
	return q, true
}

// askJustification asks about a cheapest plan with something needless in it.
func (s *Space) askJustification(q Question, rng *rand.Rand) (Question, bool) {
	plan, ids, ok := s.aPlan()
	if !ok {
		return q, false
	}
	for range 50 { // at a random place, first a step back and forth, then any step that keeps the plan a plan
		at := rng.IntN(len(plan) + 1)
		add, _ := s.walk(ids[at], 1+rng.IntN(2), rng)
		longer := slices.Concat(plan[:at], add, plan[at:])
		if len(add) == 0 || !s.isPlan(longer) {
			continue
		}
		if q.Answer.Plans = s.Shorter(longer); len(q.Answer.Plans) == 0 {
			continue
		}
		q.Steps = longer
		q.Question = "Simplify the plan \"" + strings.Join(longer, " ") + "\" by removing either a single action or a pair of consecutive actions, while still maintaining a valid plan. Provide the resulting simplified plan."
		return q, true
	}
	return q, false
}

// walk goes n random steps and returns the states on the way, the first one included.
func (s *Space) walk(from state.StateID, n int, rng *rand.Rand) (steps []string, ids []state.StateID) {
	ids = []state.StateID{from}
	for range n {
		list := s.applicable(from)
		if len(list) == 0 {
			break
		}
		a := list[rng.IntN(len(list))]
		from, _ = s.successor(from, a)
		steps, ids = append(steps, a), append(ids, from)
	}
	return steps, ids
}

// aPlan follows the shortest way to a goal, the first action by name at each state.
func (s *Space) aPlan() (steps []string, ids []state.StateID, ok bool) {
	parent := map[state.StateID]state.StateID{0: 0}
	by := map[state.StateID]string{}
	queue := []state.StateID{0}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if s.goals[id] {
			for at := id; at != 0; at = parent[at] {
				steps, ids = append(steps, by[at]), append(ids, at)
			}
			slices.Reverse(steps)
			ids = append(ids, 0)
			slices.Reverse(ids)
			return steps, ids, true
		}
		for _, a := range s.applicable(id) {
			if to, _ := s.successor(id, a); by[to] == "" && to != 0 {
				parent[to], by[to] = id, a
				queue = append(queue, to)
			}
		}
	}
	return nil, nil, false
}

// ParseKinds reads kinds separated by commas; "" stands for all.
func ParseKinds(text string) ([]Kind, error) {
	if text == "" {
		return Kinds(), nil
	}
	var list []Kind
	for name := range strings.SplitSeq(text, ",") {
		if !slices.Contains(Kinds(), Kind(name)) {
			return nil, fmt.Errorf("there is no kind %q; the kinds are %v", name, Kinds())
		}
		list = append(list, Kind(name))
	}
	return list, nil
}
