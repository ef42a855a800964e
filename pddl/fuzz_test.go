package pddl

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// seeds adds the construct and fault tables, and small files of the corpus when it
// is there.
func seeds(f *testing.F) {
	for _, c := range constructs {
		f.Add(c.in)
	}
	for _, c := range faults {
		f.Add(c.in)
	}
	for _, c := range problemFaults {
		f.Add(c.in)
	}
	f.Add(benchDomain)
	f.Add(generateProblem(2000))
	f.Add("0.0: (a b) [1]\n(c) ; x\n")
	root := os.Getenv("PLANPROOF_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	files, _ := filepath.Glob(filepath.Join(root, "data", "bug-inputs", "*", "*.*"))
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil {
			f.Add(string(b))
		}
	}
}

// checkPlaces checks that every place is inside the text, at the start of a
// character, and that the messages can be written.
func checkPlaces(t *testing.T, text string, ds Diagnostics) {
	t.Helper()
	for _, d := range ds {
		if int(d.Pos) > len(text) || int(d.End) > len(text) || d.End < d.Pos {
			t.Fatalf("place %d-%d outside the text of %d bytes: %s", d.Pos, d.End, len(text), d.Message)
		}
		if d.Code == "" || d.Message == "" {
			t.Fatalf("a diagnostic without code or message: %+v", d)
		}
		if utf8.ValidString(text) && int(d.Pos) < len(text) && !utf8.RuneStart(text[d.Pos]) {
			t.Fatalf("place %d inside a character: %s", d.Pos, d.Message)
		}
	}
	_ = ds.Error()
}

func FuzzParseDomain(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		d, ds := ParseDomain(NewSource("d", text), Options{})
		checkPlaces(t, text, ds)
		if d == nil {
			if !ds.HasErrors() {
				t.Fatal("neither a domain nor an error")
			}
			return
		}
		first := d.String()
		again, ds := ParseDomain(NewSource("printed", first), Options{})
		if again == nil || again.String() != first {
			t.Fatalf("printing is not stable: %v\n%s", ds, first)
		}
	})
}

func FuzzParseProblem(f *testing.F) {
	seeds(f)
	for _, p := range []string{
		"(define (problem p) (:domain haul) (:objects a b - place t - truck) (:init (at t a) (linked a b) (= (distance a b) 3)) (:goal (at t b)) (:metric minimize (total-cost)))",
		"(define (problem p) (:domain haul) (:objects a - (either place package)) (:init (not (at t a)) (at 3 (= (total-cost) 1))) (:goal (exists (?x - place) (stored ?x ?x))))",
	} {
		f.Add(p)
	}
	d := mustDomain(f, benchDomain)
	f.Fuzz(func(t *testing.T, text string) {
		_, ds := ParseProblem(NewSource("p", text), nil, Options{})
		checkPlaces(t, text, ds)
		p, ds := ParseProblem(NewSource("p", text), d, Options{})
		checkPlaces(t, text, ds)
		if p == nil {
			if !ds.HasErrors() {
				t.Fatal("neither a problem nor an error")
			}
			return
		}
		first := p.String()
		again, ds := ParseProblem(NewSource("printed", first), d, Options{})
		if again == nil || again.String() != first {
			t.Fatalf("printing is not stable: %v\n%s", ds, first)
		}
		for ty := range p.Domain.Types {
			for _, o := range p.ObjectsOfType(TypeID(ty)) {
				if !p.Domain.IsSubtype(p.Objects[o].Type, TypeID(ty)) {
					t.Fatal("ObjectsOfType")
				}
			}
		}
	})
}

func FuzzParsePlan(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, ds := ParsePlan(NewSource("p", text))
		checkPlaces(t, text, ds)
		if p == nil {
			if !ds.HasErrors() {
				t.Fatal("neither a plan nor an error")
			}
			return
		}
		first := p.String()
		again, ds := ParsePlan(NewSource("printed", first))
		if again == nil || again.String() != first {
			t.Fatalf("printing is not stable: %v\n%s", ds, first)
		}
		// A plan holds exactly the words of its text.
		words := 0
		for _, s := range p.Steps {
			words += 1 + len(s.Args)
		}
		if n := countWords(text); n != words {
			t.Fatalf("%d words in the text, %d in the plan", n, words)
		}
	})
}

// countWords counts the names inside parentheses, in a simple way of its own.
func countWords(text string) int {
	n, depth, in, comment := 0, 0, false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		blank := c == ' ' || c >= '\t' && c <= '\r'
		switch {
		case c == '\n' || c == '\r':
			comment, in = false, false
		case comment:
		case c == ';':
			comment, in = true, false
		case c == '(':
			depth++
			in = false
		case c == ')':
			depth--
			in = false
		case blank:
			in = false
		case depth > 0 && !in:
			in = true
			n++
		}
	}
	return n
}

func FuzzFormat(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		src := NewSource("f", text)
		out, ds := Format(src)
		checkPlaces(t, text, ds)
		if ds.HasErrors() {
			return
		}
		again, _ := Format(NewSource("formatted", out))
		if again != out {
			t.Fatalf("not idempotent:\n%q\n%q", out, again)
		}
		if a, b := tokensOf(text), tokensOf(out); a != b {
			t.Fatalf("tokens changed:\n%q\n%q", a, b)
		}
		d, _ := ParseDomain(src, Options{})
		if d == nil {
			return
		}
		e, ds := ParseDomain(NewSource("formatted", out), Options{})
		if e == nil || e.String() != d.String() {
			t.Fatalf("formatting changed the domain: %v\n%s", ds, out)
		}
	})
}
