package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/rowjson"
)

// Verdict is the grade of an answer, with the reason where it is wrong.
type Verdict struct {
	Correct bool   `json:"correct"`
	Why     string `json:"why,omitempty"`
}

var (
	atomText  = pattern.New(`\(([^()]*)\)`)
	listText  = pattern.New(`(?s)\[[^\[\]]*\]`)
	indexText = pattern.New(`-?\d+`)
)

func wrong(format string, args ...any) Verdict { return Verdict{Why: fmt.Sprintf(format, args...)} }

// Grade grades an answer to a question about the task: a text, a list of texts, a number, or
// {"pos": [...], "neg": [...]}. An answer is right if it is, whatever the question says is right.
// The error is about an answer in another form of JSON.
func (s *Space) Grade(q *Question, answer json.RawMessage) (Verdict, error) {
	a, err := readAnswer(answer)
	if err != nil {
		return Verdict{}, err
	}
	switch q.Kind {
	case App:
		return sameSet("applicable actions", a.atoms, s.Applicable()), nil
	case Prog:
		pos, neg, ok := s.Progress(q.Action)
		if !ok {
			return Verdict{}, rowjson.Errorf(rowjson.CodeValue, "action", "%s cannot be applied in the initial state", q.Action)
		}
		if v := sameSet("positive effects", a.pos, pos); !v.Correct {
			return v, nil
		}
		return sameSet("negative effects", a.neg, neg), nil
	case Val:
		is := s.firstInapplicable(q.Steps)
		if a.index == nil {
			return wrong("the answer has no number"), nil
		}
		if *a.index != is {
			return wrong("the first inapplicable action is number %d", is), nil
		}
		return Verdict{Correct: true}, nil
	case Just:
		return s.gradeJust(q.Steps, a.atoms), nil
	case Reach:
		return oneOf(a, s.Unreachable(), s.atoms, "a proposition of the task", "holds in some reachable state"), nil
	case AReach:
		return oneOf(a, s.NeverApplicable(), s.actions, "an action of the task", "can be applied in some reachable state"), nil
	case Land:
		right, _ := s.Landmarks()
		return oneOf(a, right, s.atoms, "a proposition of the task", "is missing on some plan, or holds in the initial state or the goal"), nil
	case NextA:
		right, _ := s.NextActions()
		return oneOf(a, right, s.actions, "an action of the task", "begins no cheapest plan"), nil
	}
	return Verdict{}, rowjson.Errorf(rowjson.CodeValue, "kind", "there is no kind %q; the kinds are %v", q.Kind, Kinds())
}

func (s *Space) gradeJust(plan, answer []string) Verdict {
	switch {
	case len(plan) == 0 || !s.isPlan(plan):
		return wrong("the plan that the question has is no plan")
	case slices.ContainsFunc(s.Shorter(plan), func(x []string) bool { return slices.Equal(x, answer) }):
		return Verdict{Correct: true}
	case !s.isPlan(answer):
		return wrong("the answer is no plan")
	}
	return wrong("the answer is not the plan without one action or two consecutive ones")
}

// oneOf grades an answer that names one thing, or none.
func oneOf(a answer, right, all []string, what, otherwise string) Verdict {
	switch {
	case a.none && len(right) == 0:
		return Verdict{Correct: true}
	case a.none:
		return wrong("there is one: %s", right[0])
	case len(a.atoms) != 1:
		return wrong("the answer names %d things, not one", len(a.atoms))
	case slices.Contains(right, a.atoms[0]):
		return Verdict{Correct: true}
	case !slices.Contains(all, a.atoms[0]):
		return wrong("%s is not %s", a.atoms[0], what)
	}
	return wrong("%s %s", a.atoms[0], otherwise)
}

func sameSet(what string, got, want []string) Verdict {
	for _, w := range want {
		if !slices.Contains(got, w) {
			return wrong("%s: %s is missing", what, w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			return wrong("%s: %s is not one", what, g)
		}
	}
	return Verdict{Correct: true}
}

// answer is what an answer says, read in every way in which a question may want it.
type answer struct {
	atoms, pos, neg []string
	none            bool
	index           *int
}

func readAnswer(raw json.RawMessage) (a answer, err error) {
	var text string
	var list []string
	var number int
	var effects struct {
		Pos []string `json:"pos"`
		Neg []string `json:"neg"`
	}
	switch {
	case rowjson.Unmarshal(raw, &text, false) == nil:
	case rowjson.Unmarshal(raw, &number, false) == nil:
		text = strconv.Itoa(number)
	case rowjson.Unmarshal(raw, &list, false) == nil:
		text = strings.Join(list, "\n")
	case rowjson.Unmarshal(raw, &effects, true) == nil:
		a.pos, a.neg = atomsIn(strings.Join(effects.Pos, "\n")), atomsIn(strings.Join(effects.Neg, "\n"))
		return a, nil
	default:
		return a, rowjson.Errorf(rowjson.CodeType, "answer", "answer is no text, number, list of texts or {\"pos\", \"neg\"}")
	}
	a.atoms = atomsIn(text)
	a.none = len(a.atoms) == 0 && strings.EqualFold(strings.Trim(text, " \t\r\n.\"'`*"), "none")
	if m := indexText.FindAllString(atomText.ReplaceAllString(text, " "), -1); len(m) > 0 {
		if n, err := strconv.Atoi(m[len(m)-1]); err == nil {
			a.index = &n
		}
	} else if a.none {
		none := -1
		a.index = &none
	}
	if parts := listText.FindAllString(text, -1); len(parts) == 2 {
		a.pos, a.neg = atomsIn(parts[0]), atomsIn(parts[1])
	} else if pos, neg, ok := strings.Cut(strings.ToLower(text), "negative effects"); ok {
		a.pos, a.neg = atomsIn(pos), atomsIn(neg)
	} else {
		a.pos = a.atoms
	}
	return a, nil
}

// atomsIn lists the parts of a text in parentheses, in lower case and with single spaces.
func atomsIn(text string) []string {
	var list []string
	for _, m := range atomText.FindAllStringSubmatch(text, -1) {
		list = append(list, "("+strings.Join(strings.Fields(strings.ToLower(m[1])), " ")+")")
	}
	return list
}
