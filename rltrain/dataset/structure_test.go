package dataset

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"

	"pgregory.net/rapid"
)

// parseTask reads texts that must be right.
func parseTask(t testing.TB, dom, prob string) *pddl.Problem {
	t.Helper()
	p, err := reread(dom, prob)
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, dom, prob)
	}
	return p
}

func bundledTask(t testing.TB, name string) *pddl.Problem {
	t.Helper()
	dom, prob, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return parseTask(t, dom.Text, prob.Text)
}

const graphDomain = `(define (domain g)
  (:requirements :adl :fluents :constraints :preferences)
  (:types big small - object)
  (:constants hub - big)
  (:predicates (edge ?x ?y - object) (mark ?x - object) (flag))
  (:functions (weight ?x - object) (total-cost))
  (:action go :parameters (?x ?y - object) :precondition (edge ?x ?y) :effect (and (mark ?y) (increase (total-cost) 1))))`

// graphTask is a task of graphDomain in parts, so that it can be written in many ways.
type graphTask struct {
	objects  []string // "a - big"
	init     []string
	goal     []string
	metric   bool
	wanted   []string // constraints
	anyOf    [][]string
	quantify bool
}

func drawGraphTask(t *rapid.T) *graphTask {
	n := rapid.IntRange(1, 4).Draw(t, "n")
	g := &graphTask{metric: rapid.Bool().Draw(t, "metric"), quantify: rapid.IntRange(0, 3).Draw(t, "quantify") == 0}
	names := []string{"hub"}
	for i := range n {
		name := string(rune('a' + i))
		names = append(names, name)
		g.objects = append(g.objects, name+" - "+rapid.SampledFrom([]string{"big", "small"}).Draw(t, "type"))
	}
	name := rapid.SampledFrom(names)
	fact := rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "edge") {
			return fmt.Sprintf("(edge %s %s)", name.Draw(t, "x"), name.Draw(t, "y"))
		}
		return fmt.Sprintf("(mark %s)", name.Draw(t, "x"))
	})
	g.init = rapid.SliceOfNDistinct(fact, 0, 6, rapid.ID[string]).Draw(t, "init")
	for _, x := range names {
		if rapid.IntRange(0, 3).Draw(t, "weighs") == 0 {
			g.init = append(g.init, fmt.Sprintf("(= (weight %s) %d)", x, rapid.IntRange(1, 2).Draw(t, "weight")))
		}
	}
	literal := rapid.Custom(func(t *rapid.T) string {
		if f := fact.Draw(t, "fact"); rapid.IntRange(0, 3).Draw(t, "not") > 0 {
			return f
		} else {
			return "(not " + f + ")"
		}
	})
	g.goal = rapid.SliceOfN(literal, 0, 3).Draw(t, "goal")
	if rapid.IntRange(0, 2).Draw(t, "or") == 0 {
		g.anyOf = append(g.anyOf, rapid.SliceOfN(literal, 1, 3).Draw(t, "any"))
	}
	if rapid.IntRange(0, 3).Draw(t, "constrain") == 0 {
		g.wanted = rapid.SliceOfN(fact, 1, 2).Draw(t, "constraints")
	}
	return g
}

// text writes the task with other names and in another order.
func (g *graphTask) text(names map[string]string, shuffle func([]string) []string) string {
	re := func(list []string) []string {
		out := make([]string, len(list))
		for i, s := range list {
			words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' })
			for k, w := range words {
				bare := strings.Trim(w, "()")
				if n, ok := names[bare]; ok && bare != "" {
					words[k] = strings.Replace(w, bare, n, 1)
				}
			}
			out[i] = strings.Join(words, " ")
		}
		return shuffle(out)
	}
	goal := re(g.goal)
	for _, l := range g.anyOf {
		goal = append(goal, "(or "+strings.Join(re(l), " ")+")")
	}
	if g.quantify {
		goal = append(goal, "(forall (?x - big) (or (mark ?x) (exists (?y - object) (edge ?x ?y))))")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "(define (problem p) (:domain g) (:objects %s)\n", strings.Join(re(g.objects), " "))
	fmt.Fprintf(&b, "(:init (= (total-cost) 0) %s)\n", strings.Join(re(g.init), " "))
	fmt.Fprintf(&b, "(:goal (and %s))\n", strings.Join(shuffle(goal), " "))
	if g.wanted != nil {
		var always []string
		for _, w := range re(g.wanted) {
			always = append(always, "(sometime "+w+")")
		}
		fmt.Fprintf(&b, "(:constraints (and %s))\n", strings.Join(shuffle(always), " "))
	}
	if g.metric {
		b.WriteString("(:metric minimize (total-cost))")
	}
	b.WriteString(")")
	return b.String()
}

func sameOrder(list []string) []string { return list }

// permutations calls yield with all of them.
func permutations(n int, yield func([]int)) {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	var rec func(k int)
	rec = func(k int) {
		if k == n {
			yield(p)
			return
		}
		for i := k; i < n; i++ {
			p[k], p[i] = p[i], p[k]
			rec(k + 1)
			p[k], p[i] = p[i], p[k]
		}
	}
	rec(0)
}

// isomorphic tries all bijections: the reference. It compares the tasks as sorted text.
func isomorphic(t testing.TB, p, q *pddl.Problem) bool {
	a, b := newRelations(p), newRelations(q)
	if a.n != b.n || domainKeyText(p.Domain) != domainKeyText(q.Domain) {
		return false
	}
	form := func(r *relations, label []int) string {
		var lines []string
		for o, ty := range r.types {
			lines = append(lines, fmt.Sprintf("type %d %s", label[o], ty))
		}
		for t := range r.rel {
			line := r.relNames[r.rel[t]]
			for _, o := range r.tupleArgs(int32(t)) {
				line += fmt.Sprintf(" %d", label[o])
			}
			lines = append(lines, line)
		}
		lines = append(lines, r.texts(func(o int32) string { return fmt.Sprint("#", label[o]) })...)
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	identity := make([]int, a.n)
	for i := range identity {
		identity[i] = i
	}
	want, found := form(a, identity), false
	permutations(b.n, func(label []int) { found = found || form(b, label) == want })
	return found
}

// Renaming objects and changing the order of anything unordered changes no structure.
func TestStructureSurvivesRenaming(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraphTask(t)
		p := parseTask2(t, g.text(nil, sameOrder))
		names := map[string]string{}
		order := rapid.Permutation([]string{"b", "d", "a", "c"}).Draw(t, "names")
		for i := range g.objects {
			names[string(rune('a'+i))] = order[i]
		}
		q := parseTask2(t, g.text(names, func(list []string) []string {
			return rapid.Permutation(list).Draw(t, "order")
		}))
		a, b := StructureOf(p), StructureOf(q)
		if !a.Exact || a.Hash != b.Hash || a.Coarse != b.Coarse {
			t.Fatalf("%v and %v:\n%s\n%s", a, b, p, q)
		}
		// What depends on names is another hash, and never one of those.
		if c := structureOf(p, hashText(domainKeyText(p.Domain)), 1); c.Exact || c.Hash == a.Hash || c.Coarse != a.Coarse {
			t.Fatalf("without work: %v after %v", c, a)
		}
	})
}

func parseTask2(t *rapid.T, text string) *pddl.Problem {
	p, err := reread(graphDomain, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// Two tasks have one structure exactly if some bijection makes one the other.
func TestStructureAgainstAllBijections(t *testing.T) {
	same := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawGraphTask(t)
		q := drawGraphTask(t)
		switch rapid.IntRange(0, 2).Draw(t, "alike") {
		case 0:
			q = p
		case 1: // nearly the same
			c := *p
			c.init = slices.Clone(p.init)
			if len(c.init) > 0 && len(q.init) > 0 {
				c.init[0] = "(mark a)"
			}
			q = &c
		}
		a, b := parseTask2(t, dropRepeats(p).text(nil, sameOrder)), parseTask2(t, dropRepeats(q).text(nil, sameOrder))
		x, y := StructureOf(a), StructureOf(b)
		if want := isomorphic(nil2{}, a, b); want != (x.Hash == y.Hash) {
			t.Fatalf("isomorphic: %v\n%s\n%s", want, a, b)
		} else if want {
			same++
		}
	})
	if same == 0 {
		t.Error("no two tasks were the same: the test shows nothing")
	}
}

type nil2 struct{ testing.TB }

// dropRepeats leaves out facts that are there twice, which is an error in PDDL.
func dropRepeats(g *graphTask) *graphTask {
	c := *g
	c.init = nil
	for _, f := range g.init {
		if !slices.Contains(c.init, f) {
			c.init = append(c.init, f)
		}
	}
	return &c
}

// The number of structures of all pairs of Blocksworld states is the number of orbits,
// counted by Burnside's lemma.
func TestStructuresOfBlocksworld(t *testing.T) {
	for n := 2; n <= 4; n++ {
		var states []domains.Blocks
		for i := int64(0); i < domains.BlocksworldStates(n).Int64(); i++ {
			states = append(states, domains.BlocksworldState(n, big.NewInt(i)))
		}
		fixedPairs, perms := 0, 0
		permutations(n, func(p []int) {
			perms++
			fixed := 0
			for _, s := range states {
				ok := true
				for b, under := range s {
					to := domains.Table
					if under != domains.Table {
						to = p[under]
					}
					ok = ok && s[p[b]] == to
				}
				if ok {
					fixed++
				}
			}
			fixedPairs += fixed*fixed - fixed // both states, and they differ
		})
		want := fixedPairs / perms
		seen := map[[32]byte]bool{}
		dom, _, err := domains.Load("blocksworld:3-1")
		if err != nil {
			t.Fatal(err)
		}
		d, _ := pddl.ParseDomain(dom, pddl.Options{})
		sum := hashText(domainKeyText(d))
		for i, init := range states {
			for j, goal := range states {
				if i == j {
					continue
				}
				p, diags := pddl.ParseProblem(pddl.NewSource("p", domains.BlocksworldProblem("p", init, goal)), d, pddl.Options{})
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				seen[structureOf(p, sum, 0).Hash] = true
			}
		}
		if len(seen) != want {
			t.Errorf("%d blocks: %d structures, %d orbits", n, len(seen), want)
		}
		t.Logf("%d blocks: %d states, %d structures", n, len(states), len(seen))
	}
}

// Symmetric tasks take little work, and renaming them changes nothing.
func TestStructureOfSymmetricTasks(t *testing.T) {
	for _, name := range []string{"gripper:50", "gripper:200-3", "logistics:8-3-20-5", "logistics:12-2-40-1", "elevator:12-20-3-2", "powergrid:20-3-2-1", "blocksworld:40-7"} {
		p := bundledTask(t, name)
		own := p.Objects[len(p.Domain.Constants):]
		names := make([]string, len(own))
		perm := seeded.Rand(7, name).Perm(len(own))
		for i := range own {
			names[i] = fmt.Sprintf("x%d", perm[i])
		}
		q, _, err := rename(p, names)
		if err != nil {
			t.Fatal(err)
		}
		a, b := StructureOf(p), StructureOf(q)
		if !a.Exact || !b.Exact || a.Hash != b.Hash {
			t.Errorf("%s: %v, renamed %v", name, a, b)
		}
	}
}

// What matters changes the structure; what does not, does not.
func TestStructureIsAboutMeaning(t *testing.T) {
	dom, prob, err := domains.Load("elevator:4-2-1-1")
	if err != nil {
		t.Fatal(err)
	}
	base := StructureOf(parseTask(t, dom.Text, prob.Text))
	for _, c := range []struct {
		name     string
		dom      [2]string
		prob     [2]string
		wantSame bool
	}{
		{"the problem's name", [2]string{}, [2]string{"(problem elevator-4-2-1-1)", "(problem other)"}, true},
		{"a variable's name", [2]string{"?", "?v"}, [2]string{}, true},
		{"a comment", [2]string{"(define", "; note\n(define"}, [2]string{}, true},
		{"the metric", [2]string{}, [2]string{"minimize", "maximize"}, false},
		{"an action's name", [2]string{"(:action ride", "(:action rise"}, [2]string{}, false},
	} {
		d, p := dom.Text, prob.Text
		if c.dom[0] != "" {
			d = strings.ReplaceAll(d, c.dom[0], c.dom[1])
		}
		if c.prob[0] != "" {
			p = strings.ReplaceAll(p, c.prob[0], c.prob[1])
		}
		if d == dom.Text && p == prob.Text {
			t.Errorf("%s: nothing was changed", c.name)
			continue
		}
		if s := StructureOf(parseTask(t, d, p)); (s.Hash == base.Hash) != c.wantSame {
			t.Errorf("%s: same is %v", c.name, s.Hash == base.Hash)
		}
	}
}

// Goals that ask for something else are other structures; those told otherwise are not.
func TestStructureOfGoals(t *testing.T) {
	const domain = `(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x))
  (:action go :parameters (?x) :precondition (q ?x) :effect (and (p ?x) (not (q ?x)))))`
	same := map[[32]byte][]string{}
	for _, goal := range []string{
		"(p a)", "(p b)", "(and (p b))", // a and b differ in nothing else
		"(not (p a))", "(and (not (p b)))",
		"(and (p a) (not (p b)))", "(and (not (p a)) (p b))",
		"(and (p a) (p b))", "(and (p b) (p a))",
		"(or (p a) (p b))", "(or (p b) (p a))",
		"(exists (?x) (p ?x))", "(exists (?y) (p ?y))",
		"(forall (?x) (p ?x))", "(q a)",
	} {
		h := StructureOf(parseTask(t, domain, "(define (problem n) (:domain d) (:objects a b) (:init (q a) (q b)) (:goal "+goal+"))")).Hash
		same[h] = append(same[h], goal)
	}
	var sizes []int
	for _, goals := range same {
		sizes = append(sizes, len(goals))
	}
	slices.Sort(sizes)
	if !slices.Equal(sizes, []int{1, 1, 2, 2, 2, 2, 2, 3}) {
		t.Errorf("goals of one structure: %q", slices.Collect(maps.Values(same)))
	}
}

// graph writes a task about an undirected graph, its nodes numbered by label.
func graph(n int, edges [][2]int, label []int) string {
	var b strings.Builder
	b.WriteString("(define (problem p) (:domain g) (:objects")
	for i := range n {
		fmt.Fprintf(&b, " n%d", i)
	}
	b.WriteString(") (:init (= (total-cost) 0)")
	for _, e := range edges {
		fmt.Fprintf(&b, " (edge n%d n%d) (edge n%d n%d)", label[e[0]], label[e[1]], label[e[1]], label[e[0]])
	}
	b.WriteString(") (:goal (flag)))")
	return b.String()
}

// cayley lists the edges of a graph on k x k places with the given differences.
func cayley(k int, differences [][2]int) [][2]int {
	var edges [][2]int
	for x := range k {
		for y := range k {
			for _, d := range differences {
				edges = append(edges, [2]int{x*k + y, (x+d[0]+k)%k*k + (y+d[1]+k)%k})
			}
		}
	}
	return edges
}

// Refinement alone tells nothing about these graphs: regular ones, strongly regular ones with equal
// parameters (Shrikhande's graph and the rook's), many copies of one, long cycles.
func TestStructureOfRegularGraphs(t *testing.T) {
	testkit.Long(t)
	rook := func(k int) [][2]int {
		var d [][2]int
		for i := 1; i < k; i++ {
			d = append(d, [2]int{0, i}, [2]int{i, 0})
		}
		return simple(cayley(k, d))
	}
	copies := func(n, times int, edges [][2]int) [][2]int {
		var out [][2]int
		for c := range times {
			for _, e := range edges {
				out = append(out, [2]int{e[0] + c*n, e[1] + c*n})
			}
		}
		return out
	}
	cycle := func(n int) [][2]int {
		var out [][2]int
		for i := range n {
			out = append(out, [2]int{i, (i + 1) % n})
		}
		return out
	}
	petersen := [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {0, 5}, {1, 6}, {2, 7}, {3, 8}, {4, 9}, {5, 7}, {7, 9}, {9, 6}, {6, 8}, {8, 5}}
	graphs := []struct {
		name  string
		n     int
		edges [][2]int
	}{
		{"shrikhande", 16, simple(cayley(4, [][2]int{{0, 1}, {1, 0}, {1, 1}}))},
		{"rook 4", 16, rook(4)},
		{"rook 7", 49, rook(7)},
		{"petersen", 10, petersen},
		{"8 petersens", 80, copies(10, 8, petersen)},
		{"two triangles", 6, copies(3, 2, cycle(3))},
		{"hexagon", 6, cycle(6)},
		{"cycle of 200", 200, cycle(200)},
		{"30 cycles", 150, copies(5, 30, cycle(5))},
		{"torus", 100, simple(cayley(10, [][2]int{{0, 1}, {1, 0}}))},
		{"nothing", 40, nil},
	}
	seen := map[[32]byte]string{}
	for _, g := range graphs {
		identity := make([]int, g.n)
		for i := range identity {
			identity[i] = i
		}
		a := StructureOf(parseTask(t, graphDomain, graph(g.n, g.edges, identity)))
		for k := range uint64(3) {
			b := StructureOf(parseTask(t, graphDomain, graph(g.n, g.edges, seeded.Rand(k, g.name).Perm(g.n))))
			if !a.Exact || !b.Exact || a.Hash != b.Hash {
				t.Errorf("%s: %v, renamed %v", g.name, a, b)
			}
		}
		if other := seen[a.Hash]; other != "" {
			t.Errorf("%s and %s have one structure", g.name, other)
		}
		seen[a.Hash] = g.name
	}
}

// simple leaves out edges that are there twice, in either direction.
func simple(edges [][2]int) [][2]int {
	seen := map[[2]int]bool{}
	var out [][2]int
	for _, e := range edges {
		e = [2]int{min(e[0], e[1]), max(e[0], e[1])}
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}
