package syntax_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"
)

// reference is what the readers of pddl say that a text names: the places of lists and their heads.
type reference struct {
	t    *testing.T
	file *syntax.File
	at   map[uint32]int32 // words by their first byte
	seen int
}

func (r *reference) head(pos pddl.Pos, name string, role syntax.Role, uses ...syntax.Use) {
	r.seen++
	off := uint32(pos)
	for text := r.file.Text; off < uint32(len(text)) && (text[off] == '(' || text[off] == ' ' || text[off] == '\n' || text[off] == '\t' || text[off] == '\r'); {
		off++
	}
	w, ok := r.at[off]
	if !ok {
		r.t.Fatalf("no word at %d, where the reader has %s", off, name)
	}
	x := r.file.Words[w]
	if x.Role != role || r.file.Key(w) != syntax.Fold(name) || !slices.Contains(uses, x.Use) {
		r.t.Fatalf("%q at %d has role %d and use %d, want %q with role %d and a use of %d", r.file.Spelling(w), off, x.Role, x.Use, name, role, uses)
	}
}

func (r *reference) formula(d *pddl.Domain, f *pddl.Formula, use syntax.Use) {
	if f == nil {
		return
	}
	if f.Kind == pddl.FormulaAtom && r.file.Text[f.Pos] == '(' {
		r.head(f.Pos, d.Predicates[f.Pred].Name, syntax.Predicate, use)
	}
	for _, c := range f.Children {
		r.formula(d, c, use)
	}
	for _, e := range []*pddl.NumExpr{f.Left, f.Right} {
		r.number(d, e, use)
	}
}

func (r *reference) number(d *pddl.Domain, e *pddl.NumExpr, use syntax.Use) {
	if e == nil {
		return
	}
	if e.Kind == pddl.NumFluent {
		r.head(e.Pos, d.Functions[e.Func].Name, syntax.Function, use)
	}
	for _, c := range e.Children {
		r.number(d, c, use)
	}
}

func (r *reference) effect(d *pddl.Domain, e *pddl.Effect) {
	switch e.Kind {
	case pddl.EffectAdd:
		r.head(e.Pos, d.Predicates[e.Pred].Name, syntax.Predicate, syntax.Add)
	case pddl.EffectDelete:
		at := e.Pos // of (not
		if n := strings.Index(strings.ToLower(r.file.Text[at:]), "not"); n >= 0 {
			at += pddl.Pos(n + len("not"))
		}
		r.head(at, d.Predicates[e.Pred].Name, syntax.Predicate, syntax.Delete)
	case pddl.EffectNumeric:
		r.number(d, e.Value, syntax.Read)
	}
	r.formula(d, e.Condition, syntax.Read)
	for _, c := range e.Children {
		r.effect(d, c)
	}
}

func referenceOf(t *testing.T, text string) *reference {
	r := &reference{t: t, file: syntax.Parse(text), at: map[uint32]int32{}}
	for i, w := range r.file.Words {
		r.at[w.Off] = int32(i)
	}
	return r
}

// agrees holds the words of a domain against the model of the readers.
func agrees(t *testing.T, text string) (checked int) {
	d, diags := pddl.ParseDomain(pddl.NewSource("d", text), pddl.Options{})
	if d == nil {
		return 0
	}
	_ = diags
	r := referenceOf(t, text)
	if r.file.Kind != syntax.Domain || r.file.Key(r.file.Name) != syntax.Fold(d.Name) {
		t.Fatalf("domain %q, want %q", r.file.Spelling(r.file.Name), d.Name)
	}
	for _, p := range d.Predicates {
		r.head(p.Pos, p.Name, syntax.Predicate, syntax.Declare, syntax.Derive)
	}
	for _, o := range d.Constants {
		r.head(o.Pos, o.Name, syntax.Object, syntax.Declare)
	}
	for _, f := range d.Functions {
		if f.Pos > d.NamePos {
			r.head(f.Pos, f.Name, syntax.Function, syntax.Declare)
		}
	}
	actions := slices.Concat(d.Actions, d.Processes, d.Events)
	for _, a := range actions {
		r.head(a.Pos, a.Name, syntax.Action, syntax.Declare)
		for _, v := range a.Vars {
			if !v.Fluent {
				r.head(v.Pos, v.Name, syntax.Variable, syntax.Declare)
			}
		}
		r.formula(d, a.Precondition, syntax.Read)
		r.effect(d, a.Effect)
	}
	for _, a := range d.Durative {
		r.head(a.Pos, a.Name, syntax.Action, syntax.Declare)
		r.formula(d, a.Condition, syntax.Read)
		r.effect(d, a.Effect)
	}
	for _, a := range d.Axioms {
		r.formula(d, a.Body, syntax.Read)
	}
	return r.seen
}

// problemAgrees holds the words of a problem against the model of the readers.
func problemAgrees(t *testing.T, name string) (checked int) {
	dom, prob, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := pddl.ParseDomain(dom, pddl.Options{})
	p, diags := pddl.ParseProblem(prob, d, pddl.Options{})
	if p == nil {
		t.Fatal(diags)
	}
	r := referenceOf(t, prob.Text)
	if r.file.Kind != syntax.Problem || r.file.Key(r.file.Of) != syntax.Fold(d.Name) || r.file.Key(r.file.Name) != syntax.Fold(p.Name) {
		t.Fatalf("problem %q of %q", r.file.Spelling(r.file.Name), r.file.Spelling(r.file.Of))
	}
	for _, o := range p.Objects[len(d.Constants):] {
		r.head(o.Pos, o.Name, syntax.Object, syntax.Declare)
	}
	for i, pred := range p.Init.Atoms.Pred {
		r.head(p.Init.Atoms.Pos[i], d.Predicates[pred].Name, syntax.Predicate, syntax.Initial)
	}
	r.formula(d, p.Goal.Formula, syntax.Goal)
	if p.Metric != nil {
		r.number(d, p.Metric.Expr, syntax.Goal)
	}
	return r.seen
}

// TestProblemsAgree is TestAgrees for objects, initial states, goals and metrics.
func TestProblemsAgree(t *testing.T) {
	for _, name := range []string{"blocksworld:6-1", "logistics:2-2-2-1", "elevator:4-3-1-1", "trip:4-3-1", "powergrid:4-2-2-1", "gripper:4"} {
		if n := problemAgrees(t, name); n < 8 {
			t.Errorf("%s: only %d names were compared", name, n)
		}
	}
}

// TestAgrees: every atom, declaration and variable that the readers of pddl find has the word, role and use that this
// package gives it, in all bundled domains and all domains of the corpora.
func TestAgrees(t *testing.T) {
	checked := 0
	for _, k := range domains.List() {
		src, err := domains.Domain(k.Name)
		if err != nil {
			continue
		}
		checked += agrees(t, src.Text)
	}
	if checked < 500 {
		t.Errorf("only %d names of bundled domains were compared", checked)
	}
	files := 0
	root := testkit.Shared(t, "data")
	filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".pddl") && (!testing.Short() || files < 200) {
			if text, err := os.ReadFile(path); err == nil && len(text) < 1<<20 {
				t.Run(path[len(root):], func(t *testing.T) {
					if agrees(t, string(text)) > 0 {
						files++
					}
				})
			}
		}
		return nil
	})
	if files < 50 {
		t.Errorf("only %d domains of the corpora were compared", files)
	}
}

// FuzzParse: no text makes the walk fail; words are in order, inside the text, and refer to words.
func FuzzParse(f *testing.F) {
	f.Add("(define (domain d) (:types a - b) (:predicates (p ?x - a)) (:action q :parameters (?x - a) :precondition (and (p ?x) :effect (not (p ?x))))", uint32(40))
	f.Add("(define (problem p) (:domain d) (:objects o - a) (:init (= (f o) 3) (at 2 (p o))) (:goal (forall (?x - a) (p ?x))) (:metric minimize (f o)))", uint32(90))
	f.Add("0.1: (q o) [3] ; comment\n(q", uint32(27))
	f.Add("))) (:init (a", uint32(3))
	f.Fuzz(func(t *testing.T, text string, off uint32) {
		if len(text) > 1<<20 {
			return
		}
		for _, plan := range []bool{false, true} {
			file := syntax.Parse(text)
			if plan {
				file = syntax.ParsePlan(text)
			}
			wellFormed(t, file, text)
			p := syntax.At(text, off%uint32(len(text)+1), plan)
			wellFormed(t, p.File, p.File.Text)
			for _, w := range p.Scope {
				if int(w) >= len(p.File.Words) || p.File.Words[w].Role != syntax.Variable {
					t.Fatalf("scope %v", p.Scope)
				}
			}
		}
	})
}

func wellFormed(t *testing.T, f *syntax.File, text string) {
	n := int32(len(f.Words))
	last := uint32(0)
	ref := func(i int32) {
		if i < -1 || i >= n {
			t.Fatalf("word %d of %d", i, n)
		}
	}
	for i, w := range f.Words {
		if w.Off < last || w.Lim <= w.Off || w.Lim > uint32(len(text)) {
			t.Fatalf("word %d at %d to %d after %d", i, w.Off, w.Lim, last)
		}
		last = w.Lim
		ref(w.Bind)
		ref(w.Head)
		if int(w.Type) >= len(f.Types) || int(w.In) >= len(f.Sections) {
			t.Fatalf("word %+v", w)
		}
		if f.WordAt(w.Off) != int32(i) {
			t.Fatalf("word %d is not found at %d", i, w.Off)
		}
	}
	for _, s := range f.Sections {
		ref(s.Name)
		if s.Lim < s.Off || s.Lim > uint32(len(text)) {
			t.Fatalf("section %+v", s)
		}
		for _, p := range s.Params {
			ref(p)
		}
	}
	ref(f.Name)
	ref(f.Of)
}
