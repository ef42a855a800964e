package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/search"
)

// plain answers the same questions by definition, over the states of a planner that shares no code.
type plain struct {
	t     *naive.Task
	keys  map[string]naive.State
	next  map[string]map[string]string // state, action: state
	goal  map[string]bool
	left  map[string]int // steps to the goal, MaxInt for none
	start string
	has   map[string]map[string]bool // facts by state
}

func newPlain(domain, problem string) *plain {
	t := naive.New(domain, problem)
	p := &plain{t: t, keys: map[string]naive.State{}, next: map[string]map[string]string{}, goal: map[string]bool{}, left: map[string]int{}, has: map[string]map[string]bool{}}
	p.start = t.Key(t.Initial())
	p.keys[p.start] = t.Initial()
	for queue := []string{p.start}; len(queue) > 0; queue = queue[1:] {
		k := queue[0]
		p.next[k] = map[string]string{}
		names, states := t.Successors(p.keys[k])
		for i, s := range states {
			to := t.Key(s)
			if _, known := p.keys[to]; !known {
				p.keys[to] = s
				queue = append(queue, to)
			}
			p.next[k][names[i]] = to
		}
	}
	for k := range p.keys {
		p.left[k] = math.MaxInt
	}
	for k, d := range t.Distances(1 << 20) {
		p.left[k] = d
	}
	for k := range p.keys {
		p.goal[k] = p.left[k] == 0
		p.has[k] = map[string]bool{}
		for f := range p.keys[k] {
			p.has[k]["("+strings.Trim(f, "()")+")"] = true
		}
	}
	return p
}

func (p *plain) facts(key string) []string { return sortedKeys(p.has[key]) }

func sortedKeys[V any](m map[string]V) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// reaches reports whether a goal can be reached through states without a fact.
func (p *plain) reaches(without string) bool {
	seen := map[string]bool{p.start: true}
	for queue := []string{p.start}; len(queue) > 0; queue = queue[1:] {
		if p.goal[queue[0]] {
			return true
		}
		for _, to := range p.next[queue[0]] {
			if !seen[to] && !p.has[to][without] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return false
}

func (p *plain) isPlan(steps []string) (failed int, ok bool) {
	at := p.start
	for i, s := range steps {
		to, can := p.next[at][s]
		if !can {
			return i, false
		}
		at = to
	}
	return -1, p.goal[at]
}

// compare checks all answers of a task against the second implementation.
func compare(t *testing.T, name, domain, problem string) {
	_, prob := pddltest.Parse(t, domain, problem)
	s, err := NewSpace(context.Background(), prob, search.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p := newPlain(domain, problem)
	equal := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %s\n got %v\nwant %v\n%s\n%s", name, what, got, want, domain, problem)
		}
	}
	// grades gives each candidate as an answer: right are those that the second implementation names.
	grades := func(kind Kind, candidates, want []string) {
		t.Helper()
		for _, c := range candidates {
			v, err := s.Grade(&Question{Kind: kind}, rowjson.Append(nil, c))
			if err != nil || v.Correct != slices.Contains(want, c) {
				t.Fatalf("%s: %s: %s is graded %+v, %v, of %v\n%s\n%s", name, kind, c, v, err, want, domain, problem)
			}
		}
		if v, err := s.Grade(&Question{Kind: kind}, rowjson.Append(nil, "None")); err != nil || v.Correct != (len(want) == 0) {
			t.Fatalf("%s: %s: None is graded %+v, %v, of %v", name, kind, v, err, want)
		}
	}
	// wholes grades a set: right as a whole, wrong without one of it.
	wholes := func(want []string) {
		t.Helper()
		for drop := range len(want) + 1 {
			answer := slices.Clone(want)
			if drop < len(want) {
				answer = slices.Delete(answer, drop, drop+1)
			}
			if v, err := s.Grade(&Question{Kind: App}, rowjson.Append(nil, answer)); err != nil || v.Correct != (drop == len(want)) {
				t.Fatalf("%s: applicable actions %v are graded %+v, %v", name, answer, v, err)
			}
		}
	}
	equal("applicable", s.Applicable(), sortedKeys(p.next[p.start]))
	wholes(sortedKeys(p.next[p.start]))
	for _, a := range s.Applicable() {
		pos, neg, _ := s.Progress(a)
		var gains, losses []string
		before, after := p.facts(p.start), p.facts(p.next[p.start][a])
		for _, f := range after {
			if !slices.Contains(before, f) {
				gains = append(gains, f)
			}
		}
		for _, f := range before {
			if !slices.Contains(after, f) {
				losses = append(losses, f)
			}
		}
		slices.Sort(pos)
		slices.Sort(neg)
		equal("positive effects of "+a, pos, gains)
		equal("negative effects of "+a, neg, losses)
	}
	holds, applies := map[string]bool{}, map[string]bool{}
	for k := range p.keys {
		for f := range p.has[k] {
			holds[f] = true
		}
		for a := range p.next[k] {
			applies[a] = true
		}
	}
	equal("unreachable", s.Unreachable(), missing(s.atoms, holds))
	grades(Reach, s.atoms, missing(s.atoms, holds))
	equal("never applicable", s.NeverApplicable(), missing(s.actions, applies))
	grades(AReach, s.actions, missing(s.actions, applies))
	var landmarks []string
	for _, f := range sortedKeys(holds) {
		if !slices.Contains(p.facts(p.start), f) && !slices.Contains(goalFacts(prob), f) && !p.reaches(f) {
			landmarks = append(landmarks, f)
		}
	}
	got, ok := s.Landmarks()
	if ok != (p.left[p.start] < math.MaxInt) {
		t.Fatalf("%s: a plan: %v", name, ok)
	}
	if ok {
		equal("landmarks", got, landmarks)
		grades(Land, s.atoms, landmarks)
	}
	if next, ok := s.NextActions(); ok {
		var want []string
		for a, to := range p.next[p.start] {
			if p.left[to] < math.MaxInt && p.left[to]+1 == p.left[p.start] {
				want = append(want, a)
			}
		}
		slices.Sort(want)
		equal("next actions", next, want)
		grades(NextA, s.actions, want)
	}
	compareSequences(t, name, s, p)
}

func compareSequences(t *testing.T, name string, s *Space, p *plain) {
	for seed := range uint64(3) {
		if q, ok := s.Ask(Val, seed); ok {
			if want, _ := p.isPlan(q.Steps); *q.Answer.Index != want {
				t.Fatalf("%s: val of %v is %d, not %d", name, q.Steps, *q.Answer.Index, want)
			}
		}
		q, ok := s.Ask(Just, seed)
		if !ok {
			continue
		}
		if _, plan := p.isPlan(q.Steps); !plan {
			t.Fatalf("%s: just asks about %v, which is no plan", name, q.Steps)
		}
		want := 0
		seen := map[string]bool{}
		for at := range q.Steps {
			for width := 1; width <= 2 && at+width <= len(q.Steps); width++ {
				rest := slices.Concat(q.Steps[:at], q.Steps[at+width:])
				if _, plan := p.isPlan(rest); plan && !seen[fmt.Sprint(rest)] {
					seen[fmt.Sprint(rest)] = true
					want++
				}
			}
		}
		if len(q.Answer.Plans) != want {
			t.Fatalf("%s: just of %v has %d answers, not %d", name, q.Steps, len(q.Answer.Plans), want)
		}
	}
}

// TestAgainstNaive compares the answers on invented and bundled tasks with a second implementation.
func TestAgainstNaive(t *testing.T) {
	each := 2
	if !testing.Short() {
		each = 10
	}
	if os.Getenv("PLANPROOF_LONG") != "" {
		each = 600
	}
	sets := map[string][]string{"bundled": {"blocksworld:3-5", "blocksworld:3-1", "gripper:2-2"}}
	for shape := 1; shape <= 5; shape++ {
		set := fmt.Sprintf("shape-%d", shape)
		for k := 1; k <= each; k++ {
			sets[set] = append(sets[set], fmt.Sprintf("invented:%d-%d-%d-2-%d", 3+k%2, shape, 1+k/2%30, 1+k/60))
		}
	}
	for _, set := range sortedKeys(sets) {
		t.Run(set, func(t *testing.T) {
			compared := 0
			for _, name := range sets[set] {
				d, p, err := domains.Load(name)
				if err != nil {
					t.Logf("%s: %v", name, err)
					continue
				}
				compare(t, name, string(d.Text), string(p.Text))
				compared++
			}
			if compared < len(sets[set])*9/10 {
				t.Errorf("only %d of %d tasks", compared, len(sets[set]))
			}
			t.Logf("%d tasks", compared)
		})
	}
}

const lamps = `(define (domain lamps) (:predicates (off ?l) (on ?l) (old ?l))
  (:action light :parameters (?l) :precondition (off ?l) :effect (and (on ?l) (not (off ?l))))
  (:action look :parameters (?l) :precondition (on ?l) :effect (on ?l))
  (:action age :parameters (?l) :precondition (and (on ?l) (off ?l)) :effect (old ?l)))`

const twoLamps = `(define (problem two) (:domain lamps) (:objects a b) (:init (off a) (off b)) (:goal (and (on a) (on b))))`

// TestGrade grades right and wrong answers of each kind.
func TestGrade(t *testing.T) {
	compare(t, "lamps", lamps, twoLamps)
	_, prob := pddltest.Parse(t, lamps, twoLamps)
	s, err := NewSpace(context.Background(), prob, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	plan := []string{"(light a)", "(look a)", "(light b)"}
	for _, c := range []struct {
		q      Question
		answer string
		right  bool
	}{
		{Question{Kind: App}, `"(light a), ( LIGHT  b )"`, true},
		{Question{Kind: App}, `["(light a)"]`, false},
		{Question{Kind: App}, `"(light a) (light b) (look a)"`, false},
		{Question{Kind: Prog, Action: "(light a)"}, `"[(on a)] [(off a)]"`, true},
		{Question{Kind: Prog, Action: "(light a)"}, `{"pos": ["(on a)"], "neg": []}`, false},
		{Question{Kind: Prog, Action: "(light a)"}, `"Positive effects: (on a). Negative effects: (off a)."`, true},
		{Question{Kind: Reach}, `"(old a)"`, true},
		{Question{Kind: Reach}, `"(on a)"`, false},
		{Question{Kind: Reach}, `"(old c)"`, false},
		{Question{Kind: Reach}, `"None"`, false},
		{Question{Kind: AReach}, `"(age b)"`, true},
		{Question{Kind: AReach}, `"(age a b)"`, false},
		{Question{Kind: AReach}, `"(look a)"`, false},
		{Question{Kind: Val, Steps: []string{"(light a)", "(look b)"}}, `1`, true},
		{Question{Kind: Val, Steps: []string{"(light a)", "(look b)"}}, `"none"`, false},
		{Question{Kind: Val, Steps: plan}, `"None"`, true},
		{Question{Kind: Just, Steps: plan}, `"(light a) (light b)"`, true},
		{Question{Kind: Just, Steps: plan}, `"(light b) (light a)"`, false},
		{Question{Kind: Just, Steps: plan}, `"(light a)"`, false},
		{Question{Kind: Land}, `"none"`, true},
		{Question{Kind: Land}, `"(on a)"`, false},
		{Question{Kind: NextA}, `"(light b)"`, true},
		{Question{Kind: NextA}, `"(light a) (light b)"`, false},
		{Question{Kind: NextA}, `"(look a)"`, false},
	} {
		v, err := s.Grade(&c.q, json.RawMessage(c.answer))
		if err != nil || v.Correct != c.right || v.Correct == (v.Why != "") {
			t.Errorf("%s %s: %+v %v, want %v", c.q.Kind, c.answer, v, err, c.right)
		}
	}
	if _, err := s.Grade(&Question{Kind: "other"}, json.RawMessage(`"x"`)); err == nil {
		t.Error("a kind that there is not was graded")
	}
	if _, err := s.Grade(&Question{Kind: App}, json.RawMessage(`true`)); err == nil {
		t.Error("true was graded")
	}
}

// TestRows: generated questions with their own answers as responses are right, in order and the same each time.
func TestRows(t *testing.T) {
	in := `{"id": "one", "task": "blocksworld:3-5"}` + "\n" + `{"id": "two", "task": "nothing:1"}` + "\n" + `{"id": "three", "task": "blocksworld:4-17", "seed": 5}` + "\n"
	var texts [2]bytes.Buffer
	for i := range texts {
		got, err := GenerateRows(context.Background(), strings.NewReader(in), &texts[i], Options{Workers: 1 + i})
		if err != nil || got.Rows != 3 || got.Errors != 1 || got.Questions < 12 {
			t.Fatalf("%+v %v\n%s", got, err, texts[i].String())
		}
	}
	if texts[0].String() != texts[1].String() {
		t.Error("the questions depend on the workers")
	}
	var answered bytes.Buffer
	for line := range bytes.Lines(texts[0].Bytes()) {
		var r Row
		if err := json.Unmarshal(line, &r); err != nil || r.Kind == "" {
			continue
		}
		r.Response = goldResponse(&r.Question)
		b, _ := json.Marshal(r)
		answered.Write(append(b, '\n'))
	}
	var out bytes.Buffer
	got, err := GradeRows(context.Background(), &answered, &out, Options{})
	if err != nil || got.Correct != got.Questions || got.Questions < 12 || got.Errors > 0 {
		t.Errorf("%+v %v\n%s", got, err, out.String())
	}
}

// goldResponse writes a right answer as a response.
func goldResponse(q *Question) json.RawMessage {
	var v any = "none"
	switch a := &q.Answer; {
	case q.Kind == App:
		v = a.Some
	case q.Kind == Prog:
		v = map[string][]string{"pos": a.Pos, "neg": a.Neg}
	case q.Kind == Val:
		v = *a.Index
	case q.Kind == Just:
		v = a.Plans[0]
	case len(a.Some) > 0:
		v = a.Some[0]
	}
	b, _ := json.Marshal(v)
	return b
}

// TestLimit: a task with too many states has a status.
func TestLimit(t *testing.T) {
	_, prob := pddltest.Parse(t, lamps, twoLamps)
	_, err := NewSpace(context.Background(), prob, search.Limits{Nodes: 2})
	if !errors.Is(err, search.ErrLimit) {
		t.Errorf("%v", err)
	}
	var out bytes.Buffer
	got, err := GradeRows(context.Background(), strings.NewReader(`{"kind": "app", "task": "blocksworld:4-17", "response": "x"}`), &out, Options{Limits: search.Limits{Nodes: 2}})
	if err != nil || got.Limited != 1 || !strings.Contains(out.String(), `"status":"limit"`) {
		t.Errorf("%+v %v %s", got, err, out.String())
	}
}

// TestUpperCase: names that are declared in upper case are read in any.
func TestUpperCase(t *testing.T) {
	d, prob, err := domains.Load("blocksworld:3-5")
	if err != nil {
		t.Fatal(err)
	}
	_, upper := pddltest.Parse(t, strings.ToUpper(string(d.Text)), strings.ToUpper(string(prob.Text)))
	s, err := NewSpace(context.Background(), upper, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range Kinds() {
		q, ok := s.Ask(kind, 3)
		if !ok {
			continue
		}
		right := [][]byte{rowjson.Append(nil, q.Answer.Some)}
		switch {
		case kind == Prog:
			right = [][]byte{rowjson.Append(nil, map[string][]string{"pos": q.Answer.Pos, "neg": q.Answer.Neg})}
		case kind == Val:
			right = [][]byte{rowjson.Append(nil, *q.Answer.Index)}
		case kind == Just:
			right = [][]byte{rowjson.Append(nil, q.Answer.Plans[0])}
		case kind != App:
			right = nil
			for _, one := range q.Answer.Some {
				right = append(right, rowjson.Append(nil, one))
			}
		}
		for _, answer := range right {
			for _, text := range []string{string(answer), strings.NewReplacer(`"POS"`, `"pos"`, `"NEG"`, `"neg"`).Replace(strings.ToUpper(string(answer)))} {
				if v, err := s.Grade(&q, json.RawMessage(text)); err != nil || !v.Correct {
					t.Errorf("%s %s: %v, %v", kind, text, v, err)
				}
			}
		}
	}
}
