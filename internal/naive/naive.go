// Package naive is a planner for tests that shares no code with planproof: it
// reads PDDL text with a reader of its own, keeps states as sets of strings,
// evaluates formulas by recursion over the text and searches by Dijkstra's
// algorithm. It is slow and short, so that what it says about a tiny task can be
// checked by reading it.
//
// It knows STRIPS, ADL, typing (without either), equality, derived predicates and
// increases of total-cost by integers. Whatever else it meets, it panics: an
// oracle that guesses is none.
package naive

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// node is an s-expression: a word, or a list when Word is empty.
type node struct {
	Word string
	List []node
}

func read(text string) node {
	var clean strings.Builder
	for _, line := range strings.Split(strings.ToLower(text), "\n") {
		line, _, _ = strings.Cut(line, ";")
		clean.WriteString(line + "\n")
	}
	spaced := strings.NewReplacer("(", " ( ", ")", " ) ").Replace(clean.String())
	stack := []node{{}}
	for _, word := range strings.Fields(spaced) {
		top := len(stack) - 1
		switch word {
		case "(":
			stack = append(stack, node{})
		case ")":
			stack[top-1].List = append(stack[top-1].List, stack[top])
			stack = stack[:top]
		default:
			stack[top].List = append(stack[top].List, node{Word: word})
		}
	}
	if len(stack) != 1 || len(stack[0].List) != 1 {
		panic("naive: unbalanced parentheses")
	}
	return stack[0].List[0]
}

func (n node) head() string {
	if len(n.List) == 0 {
		return ""
	}
	return n.List[0].Word
}

// typed is one entry of a typed list.
type typed struct{ name, kind string }

func typedList(words []node) []typed {
	var out []typed
	pending := 0
	for i := 0; i < len(words); i++ {
		if words[i].Word == "-" {
			i++
			for j := len(out) - pending; j < len(out); j++ {
				out[j].kind = words[i].Word
			}
			pending = 0
			continue
		}
		out = append(out, typed{words[i].Word, "object"})
		pending++
	}
	return out
}

type schema struct {
	name        string
	params      []typed
	pre, effect node
}

// Task is a planning task.
type Task struct {
	parent  map[string]string
	objects []typed
	actions []schema
	derived []schema // name is the predicate's
	init    state
	costs   map[string]int
	goal    node
	metric  bool
	// Prices, if not nil, replaces what actions cost, by action name.
	Prices map[string]int
}

// state is a set of facts, "on a b".
type state map[string]bool

func (s state) key() string {
	facts := make([]string, 0, len(s))
	for f := range s {
		facts = append(facts, f)
	}
	sort.Strings(facts)
	return strings.Join(facts, ",")
}

// New reads a task.
func New(domain, problem string) *Task {
	t := &Task{parent: map[string]string{}, init: state{}, costs: map[string]int{}}
	for _, section := range append(read(domain).List[2:], read(problem).List[2:]...) {
		body := section.List[1:]
		switch section.head() {
		case ":types":
			for _, e := range typedList(body) {
				t.parent[e.name] = e.kind
			}
		case ":constants", ":objects":
			t.objects = append(t.objects, typedList(body)...)
		case ":action":
			t.actions = append(t.actions, action(body))
		case ":derived":
			head := body[0].List
			t.derived = append(t.derived, schema{name: head[0].Word, params: typedList(head[1:]), pre: body[1]})
		case ":init":
			for _, f := range body {
				if f.head() == "=" {
					t.costs[words(f.List[1].List, nil)] = number(f.List[2].Word)
				} else {
					t.init[words(f.List, nil)] = true
				}
			}
		case ":goal":
			t.goal = body[0]
		case ":metric":
			t.metric = true
		case ":requirements", ":predicates", ":functions", ":domain":
		default:
			panic("naive: unknown section " + section.head())
		}
	}
	return t
}

func action(body []node) schema {
	a := schema{name: body[0].Word}
	for i := 1; i+1 < len(body); i += 2 {
		switch body[i].Word {
		case ":parameters":
			a.params = typedList(body[i+1].List)
		case ":precondition":
			a.pre = body[i+1]
		case ":effect":
			a.effect = body[i+1]
		}
	}
	return a
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("naive: not an integer: " + s)
	}
	return n
}

// words writes an atom with its variables replaced.
func words(list []node, env map[string]string) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = value(w.Word, env)
	}
	return strings.Join(out, " ")
}

func value(word string, env map[string]string) string {
	if v, ok := env[word]; ok {
		return v
	}
	if strings.HasPrefix(word, "?") {
		panic("naive: free variable " + word)
	}
	return word
}

// each calls f with every extension of env to the variables; f returns false to stop.
func (t *Task) each(vars []typed, env map[string]string, f func(map[string]string) bool) bool {
	if len(vars) == 0 {
		return f(env)
	}
	for _, o := range t.objects {
		k := o.kind
		for k != "" && k != vars[0].kind {
			if k == "object" {
				k = ""
			} else if k = t.parent[k]; k == "" {
				k = "object"
			}
		}
		if k == "" {
			continue
		}
		next := map[string]string{vars[0].name: o.name}
		for a, b := range env {
			if a != vars[0].name {
				next[a] = b
			}
		}
		if !t.each(vars[1:], next, f) {
			return false
		}
	}
	return true
}

func (t *Task) holds(f node, s state, env map[string]string) bool {
	switch f.head() {
	case "", "and":
		for _, c := range f.List[min(1, len(f.List)):] {
			if !t.holds(c, s, env) {
				return false
			}
		}
		return true
	case "or":
		for _, c := range f.List[1:] {
			if t.holds(c, s, env) {
				return true
			}
		}
		return false
	case "not":
		return !t.holds(f.List[1], s, env)
	case "imply":
		return !t.holds(f.List[1], s, env) || t.holds(f.List[2], s, env)
	case "forall":
		return t.each(typedList(f.List[1].List), env, func(e map[string]string) bool { return t.holds(f.List[2], s, e) })
	case "exists":
		return !t.each(typedList(f.List[1].List), env, func(e map[string]string) bool { return !t.holds(f.List[2], s, e) })
	case "=":
		return value(f.List[1].Word, env) == value(f.List[2].Word, env)
	}
	return s[words(f.List, env)]
}

// complete adds the derived facts. Rules are taken in the order of the domain
// file, each to its own fixpoint: that is right when a rule uses only itself and
// earlier ones, which the callers' domains obey.
func (t *Task) complete(basic state) state {
	s := state{}
	for f := range basic {
		s[f] = true
	}
	for _, d := range t.derived {
		for grown := true; grown; {
			grown = false
			t.each(d.params, nil, func(env map[string]string) bool {
				atom := d.name
				for _, p := range d.params {
					atom += " " + env[p.name]
				}
				if !s[atom] && t.holds(d.pre, s, env) {
					s[atom], grown = true, true
				}
				return true
			})
		}
	}
	return s
}

// apply collects an effect: facts to delete and add, and the cost.
func (t *Task) apply(e node, s state, env map[string]string, del, add state) (cost int) {
	switch e.head() {
	case "", "and":
		for _, c := range e.List[min(1, len(e.List)):] {
			cost += t.apply(c, s, env, del, add)
		}
	case "forall":
		t.each(typedList(e.List[1].List), env, func(inner map[string]string) bool {
			cost += t.apply(e.List[2], s, inner, del, add)
			return true
		})
	case "when":
		if t.holds(e.List[1], s, env) {
			cost = t.apply(e.List[2], s, env, del, add)
		}
	case "not":
		del[words(e.List[1].List, env)] = true
	case "increase":
		if w := e.List[2].Word; w != "" {
			return number(w)
		}
		c, ok := t.costs[words(e.List[2].List, env)]
		if !ok {
			panic("naive: no value of " + words(e.List[2].List, env))
		}
		return c
	default:
		add[words(e.List, env)] = true
	}
	return cost
}

// step is one applicable action.
type step struct {
	name string
	cost int
	next state // without derived facts
}

func (t *Task) steps(basic state) []step {
	s := t.complete(basic)
	var out []step
	for _, a := range t.actions {
		t.each(a.params, nil, func(env map[string]string) bool {
			if !t.holds(a.pre, s, env) {
				return true
			}
			del, add := state{}, state{}
			cost := t.apply(a.effect, s, env, del, add)
			if !t.metric {
				cost = 1
			}
			if t.Prices != nil {
				cost = t.Prices[a.name]
			}
			next := state{}
			for f := range basic {
				if !del[f] {
					next[f] = true
				}
			}
			for f := range add {
				next[f] = true
			}
			name := "(" + a.name
			for _, p := range a.params {
				name += " " + env[p.name]
			}
			out = append(out, step{name + ")", cost, next})
			return true
		})
	}
	return out
}

// Solution is what Solve found.
type Solution struct {
	Cost   int
	Plan   []string
	States int // expanded
}

// Solve finds a cheapest plan; ok is false when there is none. It panics after
// limit states.
func (t *Task) Solve(limit int) (solution Solution, ok bool) {
	type entry struct {
		s      state
		cost   int
		parent string
		action string
		closed bool
	}
	root := t.init.key()
	seen := map[string]*entry{root: {s: t.init}}
	buckets := [][]string{{root}}
	for cost := 0; cost < len(buckets); cost++ {
		for i := 0; i < len(buckets[cost]); i++ {
			key := buckets[cost][i]
			e := seen[key]
			if e.closed || e.cost < cost {
				continue
			}
			e.closed = true
			if solution.States++; solution.States > limit {
				panic(fmt.Sprintf("naive: more than %d states", limit))
			}
			if t.holds(t.goal, t.complete(e.s), nil) {
				solution.Cost = cost
				for key != root {
					solution.Plan = append([]string{seen[key].action}, solution.Plan...)
					key = seen[key].parent
				}
				return solution, true
			}
			for _, st := range t.steps(e.s) {
				k, c := st.next.key(), cost+st.cost
				if old := seen[k]; old == nil || c < old.cost {
					seen[k] = &entry{s: st.next, cost: c, parent: key, action: st.name}
					for len(buckets) <= c {
						buckets = append(buckets, nil)
					}
					buckets[c] = append(buckets[c], k)
				}
			}
		}
	}
	return solution, false
}

// Distances returns the cost of a cheapest way to the goal from every reachable
// state, by key; states that cannot reach it are left out. It panics after limit
// states.
func (t *Task) Distances(limit int) map[string]int {
	type edge struct {
		from string
		cost int
	}
	backward := map[string][]edge{}
	queue := []state{t.init}
	seen := map[string]bool{t.init.key(): true}
	buckets := [][]string{nil}
	for i := 0; i < len(queue); i++ {
		if i >= limit {
			panic(fmt.Sprintf("naive: more than %d states", limit))
		}
		key := queue[i].key()
		if t.holds(t.goal, t.complete(queue[i]), nil) {
			buckets[0] = append(buckets[0], key)
		}
		for _, st := range t.steps(queue[i]) {
			k := st.next.key()
			backward[k] = append(backward[k], edge{key, st.cost})
			if !seen[k] {
				seen[k] = true
				queue = append(queue, st.next)
			}
		}
	}
	distance := map[string]int{}
	for d := 0; d < len(buckets); d++ {
		for i := 0; i < len(buckets[d]); i++ {
			k := buckets[d][i]
			if _, done := distance[k]; done {
				continue
			}
			distance[k] = d
			for _, e := range backward[k] {
				for len(buckets) <= d+e.cost {
					buckets = append(buckets, nil)
				}
				buckets[d+e.cost] = append(buckets[d+e.cost], e.from)
			}
		}
	}
	return distance
}

// Actions lists the names of the actions.
func (t *Task) Actions() []string {
	var names []string
	for _, a := range t.actions {
		names = append(names, a.name)
	}
	return names
}

// State is a state on the way, for walks.
type State = state

// Initial returns the initial state.
func (t *Task) Initial() State { return t.init }

// Key names a state as Distances does.
func (t *Task) Key(s State) string { return s.key() }

// Successors returns the applicable actions and the states they lead to.
func (t *Task) Successors(s State) (names []string, next []State) {
	for _, st := range t.steps(s) {
		names, next = append(names, st.name), append(next, st.next)
	}
	return names, next
}

// Run applies the longest applicable prefix of a plan whose steps are written as
// Solve writes them.
func (t *Task) Run(plan []string) (executed, cost int, goal bool, key string) {
	s := t.init
	for _, name := range plan {
		var found *step
		for _, st := range t.steps(s) {
			if st.name == strings.ToLower(name) {
				found = &st
				break
			}
		}
		if found == nil {
			break
		}
		s, cost = found.next, cost+found.cost
		executed++
	}
	return executed, cost, t.holds(t.goal, t.complete(s), nil), s.key()
}
