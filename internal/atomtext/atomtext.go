// Package atomtext works on ground atoms and steps as text: "(on a b)".
package atomtext

import (
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// Gained lists the facts of after that before does not have, in the order of after.
func Gained(before, after []string) []string {
	had := map[string]bool{}
	for _, f := range before {
		had[f] = true
	}
	var out []string
	for _, f := range after {
		if !had[f] {
			out = append(out, f)
		}
	}
	return out
}

// Initial lists the atoms of the initial state in lower case, sorted.
func Initial(prob *pddl.Problem) []string {
	out := make([]string, prob.Init.Atoms.Len())
	for i := range out {
		pred, args := prob.Init.Atoms.Atom(i)
		out[i] = strings.ToLower(prob.FormatAtom(pred, args))
	}
	Sort(out)
	return slices.Compact(out)
}

// OfValue returns the fact that the name of a grounded variable's value is about, "(on a b)" for both
// "Atom on(a, b)" and "NegatedAtom on(a, b)", and reports whether it holds. It returns "" for values
// about no fact.
func OfValue(value string) (fact string, holds bool) {
	kind, atom, _ := strings.Cut(value, " ")
	if kind != "Atom" && kind != "NegatedAtom" {
		return "", false
	}
	name, args, _ := strings.Cut(strings.ToLower(atom), "(")
	if args = strings.TrimSuffix(args, ")"); args != "" {
		name += " " + strings.ReplaceAll(args, ", ", " ")
	}
	return "(" + name + ")", kind == "Atom"
}

// Sort sorts atoms by their predicate and then their arguments, as PlanBench does in states.
func Sort(facts []string) {
	slices.SortFunc(facts, func(a, b string) int {
		return strings.Compare(strings.Trim(a, "()"), strings.Trim(b, "()"))
	})
}

// Same reports whether two lists hold the same facts, in any order.
func Same(a, b []string) bool {
	return len(Gained(a, b))+len(Gained(b, a)) == 0
}

// Words splits an atom or step, "(on a b)", into its words.
func Words(atom string) []string { return strings.Fields(strings.Trim(atom, "()")) }

// LowerASCII writes a name in lower case, as plans are written. Letters beyond ASCII stay as they
// are: names that differ in their case are different names in PDDL.
func LowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for k := i; k < len(b); k++ {
				if 'A' <= b[k] && b[k] <= 'Z' {
					b[k] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
