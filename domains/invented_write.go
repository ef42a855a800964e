package domains

import (
	"fmt"
	"strings"
)

// words draws words that are in no dictionary and no keyword of PDDL, each once.
type words struct {
	r    *random
	used map[string]bool
}

// next draws a word of two or three syllables.
func (w *words) next() string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	for {
		word := ""
		for range 2 + w.r.intn(2) {
			word += string(consonants[w.r.intn(len(consonants))]) + string(vowels[w.r.intn(len(vowels))])
		}
		if !w.used[word] && word != "define" {
			w.used[word] = true
			return word
		}
	}
}

// domainText writes the invention as PDDL.
func (v *invention) domainText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "(define (domain %s)\n  (:requirements :strips :typing)\n  (:types %s)\n  (:predicates", v.name, strings.Join(v.types, " "))
	for _, p := range v.preds {
		fmt.Fprintf(&b, "\n    (%s", p.name)
		for k, t := range p.types {
			fmt.Fprintf(&b, " ?%c - %s", 'a'+k, v.types[t])
		}
		b.WriteString(")")
	}
	b.WriteString(")\n")
	for _, a := range v.actions {
		fmt.Fprintf(&b, "  (:action %s\n    :parameters (", a.name)
		for k, t := range a.params {
			if k > 0 {
				b.WriteString(" ")
			}
			fmt.Fprintf(&b, "%s - %s", variable(k), v.types[t])
		}
		fmt.Fprintf(&b, ")\n    :precondition (and%s)\n    :effect (and%s%s))\n", v.literals(a.pre, " %s"), v.literals(a.del, " (not %s)"), v.literals(a.add, " %s"))
	}
	return strings.TrimSuffix(b.String(), "\n") + ")\n"
}

func variable(k int) string { return fmt.Sprintf("?x%d", k) }

func (v *invention) literals(ls []inventedLiteral, form string) string {
	var b strings.Builder
	for _, l := range ls {
		atom := "(" + v.preds[l.pred].name
		for _, a := range l.args {
			atom += " " + variable(a)
		}
		fmt.Fprintf(&b, form, atom+")")
	}
	return b.String()
}

func inventedDomain(params []int) string { return inventedOf(params).domainText() }
