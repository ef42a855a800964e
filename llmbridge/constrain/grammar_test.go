package constrain

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// oddDomain has what grammars must get right: a type hierarchy, an either type, an empty
// type, constants, equality in a precondition, an action without parameters, an action
// that never has arguments, and names with every character that PDDL tools let through.
const (
	oddDomain = `(define (domain odd) (:requirements :typing :equality :disjunctive-preconditions)
  (:types truck plane - vehicle ghost place)
  (:constants hub - place)
  (:predicates (at ?v - vehicle ?p - place) (done) (open ?p - place))
  (:action move :parameters (?v - vehicle ?a ?b - place)
    :precondition (and (at ?v ?a) (not (= ?a ?b))) :effect (and (at ?v ?b) (not (at ?v ?a))))
  (:action move-all :parameters () :precondition (or (open hub) (done)) :effect (done))
  (:action haunt :parameters (?g - ghost ?p - place) :effect (done))
  (:action Move_2 :parameters (?x - (either truck place)) :effect (done))
  (:action touch :parameters (?o) :effect (done)))`
	oddProblem = `(define (problem odd) (:domain odd)
  (:objects t t1 T-1 t.1 - truck jet - plane l+1 l*1 a|b q?x c[1] d"e f\g $h - place)
  (:init (at t hub) (open hub)) (:goal (done)))`
)

// grammarProblems are the tasks of the tests.
func grammarProblems(t testing.TB) map[string]*pddl.Problem {
	t.Helper()
	out := map[string]*pddl.Problem{}
	_, out["plain"] = pddltest.Parse(t, pddltest.PlainDomain, pddltest.PlainProblem)
	_, out["blocks"] = pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	_, out["odd"] = pddltest.Parse(t, oddDomain, oddReadable(t))
	for _, name := range []string{"logistics:2-2-2-1", "elevator:4-3-1-1", "powergrid:3-1-1-1"} {
		d, p, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		_, out[name] = pddltest.Parse(t, d.Text, p.Text)
	}
	return out
}

// oddReadable is oddProblem without the names that the reader refuses.
func oddReadable(t testing.TB) string {
	t.Helper()
	dom, _ := pddl.ParseDomain(pddl.NewSource("domain", oddDomain), pddl.Options{})
	text := oddProblem
	for _, name := range []string{"l+1", "l*1", "a|b", "q?x", "c[1]", `d"e`, `f\g`, "$h"} {
		try := fmt.Sprintf("(define (problem odd) (:domain odd) (:objects %s - place) (:init) (:goal (done)))", name)
		if p, _ := pddl.ParseProblem(pddl.NewSource("problem", try), dom, pddl.Options{}); p == nil {
			text = strings.Replace(text, " "+name, "", 1)
		}
	}
	return text
}

// legal reports whether every step names an action and objects of the right types, by the
// model alone.
func legal(p *pddl.Problem, plan *pddl.Plan) bool {
	for i := range plan.Steps {
		st := &plan.Steps[i]
		k, ok := p.Domain.ActionByName(st.Name)
		if !ok || len(st.Args) != p.Domain.Actions[k].NumParams {
			return false
		}
		for a, name := range st.Args {
			o, ok := p.ObjectByName(name)
			if !ok || !p.Domain.IsSubtype(p.Objects[o].Type, p.Domain.Actions[k].Vars[a].Type) {
				return false
			}
		}
	}
	return !plan.Timed
}

func mustGrammar(t testing.TB, p *pddl.Problem, o GrammarOptions) (*Grammar, *lang) {
	t.Helper()
	g, err := NewGrammar(p, o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := readGrammar(g)
	if err != nil {
		t.Fatalf("%v\n%s", err, g.Text)
	}
	return g, l
}

// TestGrammarRandomStrings draws 10,000 texts from each format, half lifted, half ground,
// and reads them as plans.
func TestGrammarRandomStrings(t *testing.T) {
	problems := grammarProblems(t)
	per := 10_000/(2*len(problems)) + 1
	if testing.Short() {
		per = 100
	}
	for name, p := range problems {
		actions, err := GroundActions(context.Background(), p, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		reader := extract.NewReader(p.Domain, p, extract.Natural)
		for _, f := range GrammarFormats() {
			for _, ground := range [][]string{nil, actions} {
				_, l := mustGrammar(t, p, GrammarOptions{Format: f, Actions: ground})
				rng := rand.New(rand.NewPCG(1, 2))
				for range per {
					var b strings.Builder
					l.draw(rng, &b)
					plan, diags := pddl.ParsePlan(pddl.NewSource("plan", b.String()))
					if diags.HasErrors() || !legal(p, plan) {
						t.Fatalf("%s %s: %v\n%s", name, f, diags, b.String())
					}
					steps := stepTexts(plan)
					for _, s := range steps {
						if _, found := slices.BinarySearch(inAlphabet(ground), s); ground != nil && !found {
							t.Fatalf("%s %s: %s is no reachable action", name, f, s)
						}
					}
					if x := reader.Extract(b.String()); name != "odd" && len(steps) > 0 && !slices.Equal(x.Plan, steps) {
						t.Fatalf("%s %s: extracted %v (%s) from\n%s", name, f, x.Plan, x.Reading, b.String())
					}
				}
			}
		}
	}
}

func inAlphabet(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func stepTexts(plan *pddl.Plan) []string {
	out := make([]string, len(plan.Steps))
	for i := range plan.Steps {
		out[i] = plan.Steps[i].String()
	}
	return out
}

// TestGrammarExact tries every action with every tuple of objects, one too few, one too
// many, and misspelt: the lifted grammar takes exactly the legal steps, the ground one
// exactly the reachable ones.
func TestGrammarExact(t *testing.T) {
	for name, p := range grammarProblems(t) {
		actions, err := GroundActions(context.Background(), p, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		reach := inAlphabet(actions)
		var tries []string
		objects := []string{"nothing"}
		for i := range p.Objects {
			objects = append(objects, strings.ToLower(p.Objects[i].Name))
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for _, a := range append(slices.Clone(p.Domain.Actions), &pddl.Action{Schema: pddl.Schema{Name: "fly-away", NumParams: 1}}) {
			for n := max(0, a.NumParams-1); n <= a.NumParams+1; n++ {
				for range min(400, 1+len(objects)*len(objects)) {
					text := "(" + strings.ToLower(a.Name)
					for range n {
						text += " " + objects[rng.IntN(len(objects))]
					}
					tries = append(tries, text+")")
				}
			}
		}
		for _, f := range GrammarFormats() {
			_, lifted := mustGrammar(t, p, GrammarOptions{Format: f})
			_, ground := mustGrammar(t, p, GrammarOptions{Format: f, Actions: actions})
			taken := 0
			for _, step := range tries {
				plan, diags := pddl.ParsePlan(pddl.NewSource("plan", step))
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				want := legal(p, plan)
				if got := lifted.accepts(step + "\n"); got != want {
					t.Fatalf("%s %s: lifted takes %s: %v", name, f, step, got)
				}
				_, want = slices.BinarySearch(reach, step)
				if got := ground.accepts(step + "\n"); got != want {
					t.Fatalf("%s %s: ground takes %s: %v", name, f, step, got)
				}
				if want {
					taken++
				}
				if lifted.accepts(step) || f != FormatJSONSchema && lifted.accepts(step+"\n\n") {
					t.Fatalf("%s %s: line ends", name, f)
				}
			}
			for _, step := range actions {
				if !ground.accepts(step+"\n") || !lifted.accepts(step+"\n") {
					t.Fatalf("%s %s: %s is refused", name, f, step)
				}
			}
			if !lifted.accepts("") || !ground.accepts("") {
				t.Fatalf("%s %s: the empty plan is refused", name, f)
			}
		}
	}
}

// TestGrammarOdd looks at what is left out and what options do.
func TestGrammarOdd(t *testing.T) {
	_, p := pddltest.Parse(t, oddDomain, oddReadable(t))
	g, l := mustGrammar(t, p, GrammarOptions{})
	if !slices.Equal(g.LeftOut, []string{"haunt"}) || len(g.Schemas) != 4 {
		t.Errorf("schemas %v, left out %v", g.Schemas, g.LeftOut)
	}
	for text, want := range map[string]bool{
		"(move-all)\n":         true,
		"(move t hub hub)\n":   true, // legal: that the places differ is a precondition
		"(move jet hub hub)\n": true,
		"(move_2 jet)\n":       false, // neither a truck nor a place
		"(move_2 t.1)\n":       true,
		"(move_2 hub)\n":       true,
		"(touch jet)\n":        true,
		"(move-all )\n":        false,
		"(haunt t hub)\n":      false,
	} {
		if l.accepts(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	_, l = mustGrammar(t, p, GrammarOptions{NonEmpty: true})
	if l.accepts("") || !l.accepts("(move-all)\n") {
		t.Error("NonEmpty")
	}
	again, _ := NewGrammar(p, GrammarOptions{})
	if again.Text != g.Text {
		t.Error("two grammars of one task differ")
	}
}

// TestGrammarWraps reads answers in every wrap as an answer of a model.
func TestGrammarWraps(t *testing.T) {
	for name, p := range grammarProblems(t) {
		reader := extract.NewReader(p.Domain, p, extract.Natural)
		for _, f := range []GrammarFormat{FormatGBNF, FormatLark, FormatRegex} {
			for wrap, want := range map[GrammarWrap][]string{
				WrapPlan:  {"[PLAN]\n", "[PLAN END]\n"},
				WrapTags:  {"<plan>\n", "</plan>\n"},
				WrapThink: {"<think>", "</think>\n<plan>\n", "</plan>\n"},
			} {
				_, l := mustGrammar(t, p, GrammarOptions{Format: f, Wrap: wrap, NonEmpty: true})
				rng := rand.New(rand.NewPCG(5, 6))
				for range 60 {
					var b strings.Builder
					l.draw(rng, &b)
					text := b.String()
					if !l.accepts(text) {
						t.Fatalf("%s %s: own text refused: %q", name, f, text)
					}
					body := text
					for _, w := range want {
						if !strings.Contains(body, w) {
							t.Fatalf("%s %s: %q is missing in %q", name, f, w, text)
						}
						body = body[strings.Index(body, w):]
					}
					_, body, _ = strings.Cut(text, want[len(want)-2])
					body, _, _ = strings.Cut(body, want[len(want)-1])
					if wrap == WrapThink && strings.Contains(text[:strings.Index(text, "</think>")], "</") {
						t.Fatalf("free text holds a tag: %q", text)
					}
					plan, diags := pddl.ParsePlan(pddl.NewSource("plan", body))
					if diags.HasErrors() || !legal(p, plan) {
						t.Fatalf("%s %s %s: %v in %q", name, f, wrap, diags, text)
					}
					if x := reader.Extract(text); name != "odd" && !slices.Equal(x.Plan, stepTexts(plan)) {
						t.Fatalf("%s %s %s: extracted %v from %q", name, f, wrap, x.Plan, text)
					}
				}
			}
		}
	}
	_, p := pddltest.Parse(t, pddltest.PlainDomain, pddltest.PlainProblem)
	_, l := mustGrammar(t, p, GrammarOptions{Wrap: WrapThink})
	for text, want := range map[string]bool{
		"<think>go < far, <go> <<b></think>\n<plan>\n(wait)\n</plan>\n": true,
		"<think></think>\n<plan>\n</plan>\n":                            true,
		"<think>a</b></think>\n<plan>\n</plan>\n":                       false,
		"<plan>\n</plan>\n":                                             false,
	} {
		if l.accepts(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestGrammarSentences keeps a decoder to the domain's own sentences.
func TestGrammarSentences(t *testing.T) {
	d, p, err := domains.Load("blocksworld:4-17")
	if err != nil {
		t.Fatal(err)
	}
	_, prob := pddltest.Parse(t, d.Text, p.Text)
	r, _ := prompt.NewRenderer(prob, "")
	actions, err := GroundActions(context.Background(), prob, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range GrammarFormats() {
		_, l := mustGrammar(t, prob, GrammarOptions{Format: f, Actions: actions, Tell: r.Step})
		for _, step := range actions {
			if !l.accepts(r.Step(step) + "\n") {
				t.Errorf("%s: %q is refused", f, r.Step(step))
			}
			if x := r.PlanReader().Extract(r.Step(step) + "\n"); !slices.Equal(x.Plan, []string{step}) {
				t.Errorf("%q is read as %v", r.Step(step), x.Plan)
			}
		}
		if l.accepts("(stack a b)\n") {
			t.Errorf("%s takes PDDL", f)
		}
	}
}

func TestGrammarRefusals(t *testing.T) {
	_, p := pddltest.Parse(t, pddltest.PlainDomain, pddltest.PlainProblem)
	_, timed := pddltest.Parse(t, pddltest.TimedDomain, pddltest.TimedProblem)
	actions, _ := GroundActions(context.Background(), p, search.Limits{})
	_, empty := pddltest.Parse(t, `(define (domain e) (:requirements :typing) (:types a) (:predicates (p)) (:action x :parameters (?a - a) :effect (p)))`, `(define (problem e) (:domain e) (:init (p)) (:goal (p)))`)
	for what, c := range map[string]struct {
		p    *pddl.Problem
		o    GrammarOptions
		want error
	}{
		"format":      {p, GrammarOptions{Format: "bnf"}, ErrGrammar},
		"wrap":        {p, GrammarOptions{Wrap: "box"}, ErrGrammar},
		"json wrap":   {p, GrammarOptions{Format: FormatJSONSchema, Wrap: WrapTags}, ErrGrammar},
		"durative":    {timed, GrammarOptions{}, ErrGrammar},
		"no step":     {empty, GrammarOptions{NonEmpty: true}, ErrGrammar},
		"many":        {p, GrammarOptions{Actions: actions, MaxActions: 3}, search.ErrLimit},
		"large":       {p, GrammarOptions{MaxBytes: 40}, search.ErrLimit},
		"large regex": {p, GrammarOptions{Format: FormatRegex, MaxBytes: 40}, search.ErrLimit},
		"large json":  {p, GrammarOptions{Format: FormatJSONSchema, MaxBytes: 40}, search.ErrLimit},
	} {
		if _, err := NewGrammar(c.p, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, f := range GrammarFormats() { // a task without steps has the empty plan
		g, l := mustGrammar(t, empty, GrammarOptions{Format: f})
		if !l.accepts("") || l.accepts("(x)\n") || len(g.LeftOut) != 1 {
			t.Errorf("%s: %q", f, g.Text)
		}
	}
}

// TestGrammarCorpus has every valid plan of the corpus accepted: the lifted grammars take
// all, the ground ones those of tasks that are small enough to list.
func TestGrammarCorpus(t *testing.T) {
	root, in := judgedPlans(t)
	type task struct {
		langs []*lang
		judge *validator.Judge
		seen  map[string]bool // plans, in lower case: the corpus has many spellings of each
	}
	tasks, plans, ground := map[string]*task{}, 0, 0
	for in.Scan() {
		var row struct {
			Domain  string `json:"domain_file"`
			Problem string `json:"problem_file"`
			Plan    string
			Valid   bool `json:"val_valid"`
		}
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if !row.Valid {
			continue
		}
		k := tasks[row.Problem]
		if k == nil {
			k = &task{seen: map[string]bool{}}
			k.langs, k.judge = corpusLangs(t, filepath.Join(root, "bench"), row.Domain, row.Problem)
			tasks[row.Problem] = k
		}
		text := canonicalPlan(t, row.Plan)
		if k.seen[text] {
			continue
		}
		k.seen[text] = true
		if v, _ := k.judge.ValidateText(pddl.NewSource("plan", text), k.judge.NewScratch()); !v.Valid {
			continue // the judge of the corpus takes superfluous arguments
		}
		for i, l := range k.langs {
			if !l.accepts(text) {
				t.Errorf("%s: grammar %d refuses\n%s", row.Problem, i, text)
			}
		}
		if plans++; len(k.langs) > len(GrammarFormats()) {
			ground++
		}
	}
	if len(tasks) < 100 || ground < 20 {
		t.Errorf("%d tasks, %d plans, %d against ground grammars: too few", len(tasks), plans, ground)
	}
	t.Logf("%d tasks, %d plans, %d of them against ground grammars too", len(tasks), plans, ground)
}

// corpusLangs reads the four lifted grammars of a task back, and one ground grammar if
// the task is small.
func corpusLangs(t *testing.T, bench, domain, problem string) ([]*lang, *validator.Judge) {
	t.Helper()
	texts := make([]string, 2)
	for i, name := range []string{domain, problem} {
		b, err := os.ReadFile(filepath.Join(bench, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
	}
	_, p := pddltest.Parse(t, texts[0], texts[1])
	judge, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []*lang
	for _, f := range GrammarFormats() {
		_, l := mustGrammar(t, p, GrammarOptions{Format: f})
		out = append(out, l)
	}
	if len(texts[1]) > 1500 {
		return out, judge
	}
	actions, err := GroundActions(context.Background(), p, search.Limits{})
	if err == nil && len(actions) <= 1000 {
		_, l := mustGrammar(t, p, GrammarOptions{Format: GrammarFormats()[len(problem)%4], Actions: actions})
		out = append(out, l)
	}
	return out, judge
}

// canonicalPlan writes a plan as grammars do, through the reader.
func canonicalPlan(t *testing.T, text string) string {
	t.Helper()
	plan, diags := pddl.ParsePlan(pddl.NewSource("plan", text))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	out := ""
	for i := range plan.Steps {
		out += strings.ToLower(plan.Steps[i].String()) + "\n"
	}
	return out
}

// TestGrammarJudged: no plan of a grammar is refused for how it is written.
func TestGrammarJudged(t *testing.T) {
	for name, p := range grammarProblems(t) {
		judge, err := validator.NewJudge(p, validator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, l := mustGrammar(t, p, GrammarOptions{})
		rng := rand.New(rand.NewPCG(7, 8))
		s := judge.NewScratch()
		for range 300 {
			var b strings.Builder
			l.draw(rng, &b)
			v, _ := judge.ValidateText(pddl.NewSource("plan", b.String()), s)
			if v.Failure == nil {
				continue
			}
			switch v.Failure.Kind {
			case validator.FailSyntax, validator.FailUnknownAction, validator.FailArity, validator.FailUnknownObject, validator.FailType:
				t.Fatalf("%s: %s: %s", name, v.Failure.Kind, b.String())
			}
		}
	}
}

// FuzzGrammar: whatever names a task has, its grammar can be read back and takes exactly
// the steps of the right types.
func FuzzGrammar(f *testing.F) {
	f.Add(oddDomain, oddProblem)
	f.Add(pddltest.PlainDomain, pddltest.PlainProblem)
	f.Add(`(define (domain d) (:predicates (p)) (:action a\" :parameters (?x) :effect (p)))`, `(define (problem p) (:domain d) (:objects "]" ^ - \ é) (:init) (:goal (p)))`)
	f.Fuzz(func(t *testing.T, domain, problem string) {
		dom, _ := pddl.ParseDomain(pddl.NewSource("domain", domain), pddl.Options{})
		if dom == nil {
			return
		}
		p, _ := pddl.ParseProblem(pddl.NewSource("problem", problem), dom, pddl.Options{})
		if p == nil {
			return
		}
		for _, format := range GrammarFormats() {
			g, err := NewGrammar(p, GrammarOptions{Format: format, MaxBytes: 1 << 16})
			if err != nil {
				if !errors.Is(err, ErrGrammar) && !errors.Is(err, search.ErrLimit) {
					t.Fatal(err)
				}
				continue
			}
			l, err := readGrammar(g)
			if err != nil {
				t.Fatalf("%s: %v\n%s", format, err, g.Text)
			}
			for _, a := range dom.Actions {
				st := pddl.Step{Name: atomtext.LowerASCII(a.Name)}
				for _, v := range a.Vars[:a.NumParams] {
					if ids := p.ObjectsOfType(v.Type); len(ids) > 0 {
						st.Args = append(st.Args, atomtext.LowerASCII(p.Objects[ids[len(ids)-1]].Name))
					}
				}
				if want := len(st.Args) == a.NumParams; l.accepts(st.String()+"\n") != want {
					t.Fatalf("%s: %s: %v\n%s", format, st.String(), !want, g.Text)
				}
			}
		}
	})
}

func BenchmarkGrammar(b *testing.B) {
	d, p, err := domains.Load("logistics:5-5-10-1")
	if err != nil {
		b.Fatal(err)
	}
	_, prob := pddltest.Parse(b, d.Text, p.Text)
	actions, err := GroundActions(context.Background(), prob, search.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range GrammarFormats() {
		for _, ground := range [][]string{nil, actions} {
			b.Run(fmt.Sprintf("%s/ground=%v", f, ground != nil), func(b *testing.B) {
				for b.Loop() {
					g, err := NewGrammar(prob, GrammarOptions{Format: f, Actions: ground})
					if err != nil {
						b.Fatal(err)
					}
					b.SetBytes(int64(len(g.Text)))
				}
			})
		}
	}
}

// judgedPlans are the rows of the corpus of judged plans, and the folder of its tasks.
func judgedPlans(t *testing.T) (root string, in *bufio.Scanner) {
	root = testkit.Shared(t, "data")
	f, err := os.Open(filepath.Join(root, "validator", "cases-dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	in = bufio.NewScanner(f)
	in.Buffer(nil, 1<<26)
	return root, in
}
