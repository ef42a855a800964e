package pddl

import (
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// The tests here compare the result of reading a file with the file's own tokens, found
// by a regular expression: nothing may be dropped, added or moved.

// canonical brings tokens to the printer's form: lower case, numbers by value, no
// comments, and typed lists without their types.
func canonical(tokens []string) []string {
	var out []string
	for i := 0; i < len(tokens); i++ {
		w := strings.ToLower(tokens[i])
		switch {
		case w == "" || w[0] == ';':
			continue
		case w[0] == '-' && i > 0 && tokens[i-1] != "(" && !looksNumeric(w):
			if w == "-" {
				i++
			}
			if i < len(tokens) && tokens[i] == "(" {
				for tokens[i] != ")" {
					i++
				}
			}
			continue
		}
		if looksNumeric(w) {
			if v, ok := ParseNumber(w); ok {
				w = v.String()
			}
		}
		out = append(out, w)
	}
	return out
}

// valueAfter returns the balanced tokens that follow a keyword.
func valueAfter(tokens []string, keyword string) []string {
	i := slices.Index(tokens, keyword)
	if i < 0 {
		return nil
	}
	depth := 0
	for j := i + 1; j < len(tokens); j++ {
		switch tokens[j] {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			return tokens[i+1 : j+1]
		}
	}
	return nil
}

// sectionsWith returns the tokens of each section of a keyword.
func sectionsWith(tokens []string, keyword string) (out [][]string) {
	for i := 1; i < len(tokens); i++ {
		if tokens[i] != keyword || tokens[i-1] != "(" {
			continue
		}
		depth, j := 1, i
		for ; depth > 0; j++ {
			switch tokens[j] {
			case "(":
				depth++
			case ")":
				depth--
			}
		}
		out = append(out, tokens[i:j-1])
	}
	return out
}

// lists counts the lists directly inside a section.
func lists(section []string) int {
	n, depth := 0, 0
	for _, w := range section {
		switch w {
		case "(":
			if depth == 0 {
				n++
			}
			depth++
		case ")":
			depth--
		}
	}
	return n
}

// unwrap drops the parentheses of lists of one word.
func unwrap(tokens []string) (out []string) {
	for _, w := range tokens {
		if n := len(out); w == ")" && n >= 2 && out[n-2] == "(" && out[n-1] != ")" {
			out[n-2] = out[n-1]
			out = out[:n-1]
			continue
		}
		out = append(out, w)
	}
	return out
}

func sourceTokens(src *Source) []string {
	return canonical(strings.Split(tokensOf(src.Text), "\n"))
}

func sameFormula(t *testing.T, where string, source []string, printed string) {
	t.Helper()
	if len(source) == 0 || len(source) == 2 && source[0] == "(" {
		source = []string{"(", "and", ")"}
	}
	// A function without parameters may be written without parentheses.
	source = unwrap(source)
	got := unwrap(canonical(strings.Split(tokensOf(printed), "\n")))
	if !slices.Equal(source, got) {
		t.Errorf("%s: read as\n%s\nfrom\n%s", where, strings.Join(got, " "), strings.Join(source, " "))
	}
}

func TestCorpusFaithful(t *testing.T) {
	testkit.Long(t)
	domains, problems := corpus(t)
	byName := map[string][]*Domain{}
	for _, src := range domains {
		d, _ := ParseDomain(src, Options{})
		if d == nil {
			continue // reported by TestCorpus
		}
		byName[fold(d.Name)] = append(byName[fold(d.Name)], d)
		tokens := sourceTokens(src)
		actions := sectionsWith(tokens, ":action")
		if len(actions) != len(d.Actions) {
			t.Errorf("%s: %d actions of %d", src.Name, len(d.Actions), len(actions))
			continue
		}
		for i, a := range d.Actions {
			n := d.Names(&a.Schema)
			where := src.Name + " " + a.Name
			sameFormula(t, where, valueAfter(actions[i], ":precondition"), n.Formula(a.Precondition))
			sameFormula(t, where, valueAfter(actions[i], ":effect"), n.Effect(a.Effect))
			if params := valueAfter(actions[i], ":parameters"); max(len(params)-2, 0) != a.NumParams {
				t.Errorf("%s: %d parameters of %d", where, a.NumParams, len(params)-2)
			}
		}
		durative := sectionsWith(tokens, ":durative-action")
		if len(durative) != len(d.Durative) {
			t.Errorf("%s: %d durative actions of %d", src.Name, len(d.Durative), len(durative))
			continue
		}
		for i, a := range d.Durative {
			n := d.Names(&a.Schema)
			where := src.Name + " " + a.Name
			sameFormula(t, where, valueAfter(durative[i], ":duration"), n.Formula(a.Duration))
			sameFormula(t, where, valueAfter(durative[i], ":condition"), n.Formula(a.Condition))
			sameFormula(t, where, valueAfter(durative[i], ":effect"), n.Effect(a.Effect))
		}
		if rules := sectionsWith(tokens, ":derived"); len(rules) != len(d.Axioms) {
			t.Errorf("%s: %d rules of %d", src.Name, len(d.Axioms), len(rules))
		}
	}
	for _, src := range problems {
		p, ds := readWithSomeDomain(src, byName)
		if p == nil {
			continue
		}
		tokens := sourceTokens(src)
		n := p.Init.Atoms.Len() + p.Init.Values.Len() + len(p.Init.Objects) + len(p.Init.Timed)
		for _, d := range ds {
			if d.Code == DuplicateInit {
				n++
			}
		}
		for _, s := range sectionsWith(tokens, ":init") {
			negated := 0
			for i := 1; i < len(s); i++ {
				if s[i] == "not" && s[i-1] == "(" && (i < 4 || s[i-3] != "at") {
					negated++
				}
			}
			if lists(s) != n+negated {
				t.Errorf("%s: %d initial elements, read %d", src.Name, lists(s), n)
			}
		}
		sameFormula(t, src.Name, valueAfter(tokens, ":goal"), p.Names(&p.Goal.Schema).Formula(p.Goal.Formula))
		if p.Constraints != nil {
			sameFormula(t, src.Name, valueAfter(tokens, ":constraints"), p.Names(&p.Constraints.Schema).Formula(p.Constraints.Formula))
		}
	}
}
