package toolworlds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
)

// candidate is a constraint that a plan violates, in words of any naming: the form of docs/RESTRICTIONS.md and a sentence.
type candidate func(n naming) (form, sentence string)

// step is a step of a plan by numbers.
type step struct {
	function *function // nil for one that finds objects
	kind     int       // of the objects that it finds
	object   int       // the argument, -1 for none
	channel  string
}

// name is the function that a step calls.
func (s *step) name(n naming) string {
	if s.function == nil {
		return n.find(s.kind)
	}
	return n.call(s.function)
}

// of is the kind of a step's argument.
func (s *step) of(n naming) int {
	switch {
	case s.function == nil:
		return n.d.kinds[s.kind].parent
	case s.function.way == bulk:
		return n.d.kinds[s.function.kind].parent
	}
	return s.function.kind
}

// pattern writes a step with any arguments.
func (s *step) pattern(n naming) string {
	words := []string{action(s.name(n))}
	if s.object >= 0 {
		words = append(words, "?")
	}
	if s.channel != "" {
		words = append(words, "?")
	}
	return "(" + strings.Join(words, " ") + ")"
}

// steps reads a plan of a world.
func (n naming) steps(plan []string) (list []step) {
	for _, text := range plan {
		words := atomtext.Words(text)
		s := step{function: n.functionOf(words[0]), object: -1}
		for k := range n.d.kinds {
			if s.function == nil && action(n.find(k)) == words[0] {
				s.kind = k
			}
		}
		if len(words) > 1 {
			for o := range n.d.Objects {
				if n.atom(s.of(n), o) == words[1] {
					s.object = o
				}
			}
		}
		if len(words) > 2 {
			s.channel = words[2]
		}
		list = append(list, s)
	}
	return list
}

// candidates are constraints that a plan violates, drawn in some order.
func (n naming) candidates(plan []string, r *rand.Rand) (list []candidate) {
	steps := n.steps(plan)
	times := map[string]int{}
	var seen []step
	var changes []step
	for _, s := range steps {
		if times[s.name(n)]++; times[s.name(n)] == 1 {
			seen = append(seen, s)
		}
		if s.function != nil {
			changes = append(changes, s)
		}
	}
	for _, i := range r.Perm(len(changes))[:min(2, len(changes))] { // not most of the list
		s := changes[i]
		list = append(list, func(n naming) (string, string) {
			args := fmt.Sprintf("%s=%s", n.typ(s.of(n)), n.object(s.of(n), s.object))
			form := "(forbidden (" + action(s.name(n)) + " " + n.atom(s.of(n), s.object)
			if s.channel != "" {
				args, form = args+", channel="+s.channel, form+" "+s.channel
			}
			return form + "))", fmt.Sprintf("Never call %s(%s).", s.name(n), args)
		})
	}
	for i, s := range seen {
		if s.function != nil {
			list = append(list, func(n naming) (string, string) {
				return "(unavailable " + action(s.name(n)) + ")", fmt.Sprintf("Do not call %s.", s.name(n))
			})
		}
		if most := times[s.name(n)] - 1; most > 0 {
			list = append(list, func(n naming) (string, string) {
				return fmt.Sprintf("(at-most %d %s)", most, s.pattern(n)), fmt.Sprintf("Call %s at most %d times.", s.name(n), most)
			})
		}
		if i > 0 {
			first := seen[i-1]
			list = append(list, func(n naming) (string, string) {
				return fmt.Sprintf("(before %s %s)", s.pattern(n), first.pattern(n)), fmt.Sprintf("Call %s only after %s.", first.name(n), s.name(n))
			})
		}
	}
	if slices.ContainsFunc(steps, func(s step) bool { return s.channel != "" }) {
		list = append(list, func(naming) (string, string) { return "(avoid external)", "Use no channel that is external." })
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
