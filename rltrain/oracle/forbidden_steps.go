package oracle

import (
	"strconv"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// forbidden finds the steps that a task forbids (domains.Forbidden). Looking a step up
// takes a look at each set of places that some restriction of its action fixes, however
// many restrictions there are.
type forbidden struct {
	byAction map[string][]placedArgs
	count    int
}

// placedArgs are the restrictions of an action that fix the same places.
type placedArgs struct {
	arity  int
	places []int
	args   map[string]bool // joined by spaces
}

// newForbidden compiles the restrictions of a task, nil for none.
func newForbidden(prob *pddl.Problem) *forbidden {
	list := domains.Restrictions(prob)
	if len(list) == 0 {
		return nil
	}
	f := &forbidden{byAction: map[string][]placedArgs{}, count: len(list)}
	at := map[string]int{} // by action and places: index in byAction
	for _, r := range list {
		var places []int
		sign, args := r.Action, []string{}
		for i, a := range r.Args {
			if a != domains.AnyObject {
				places, args = append(places, i), append(args, a)
				sign += " " + strconv.Itoa(i)
			}
		}
		i, ok := at[sign]
		if !ok {
			i = len(f.byAction[r.Action])
			at[sign] = i
			f.byAction[r.Action] = append(f.byAction[r.Action], placedArgs{len(r.Args), places, map[string]bool{}})
		}
		f.byAction[r.Action][i].args[strings.Join(args, " ")] = true
	}
	return f
}

// violations counts the steps of a plan, in PDDL, that are forbidden, whether they can be
// reached or not.
func (f *forbidden) violations(plan []string) int {
	n := 0
	var words []string
	var key []byte
	for _, step := range plan {
		from, to := strings.IndexByte(step, '('), strings.IndexByte(step, ')')
		if from < 0 || to < from {
			continue
		}
		words = append(words[:0], strings.Fields(strings.ToLower(step[from+1:to]))...)
		if len(words) == 0 {
			continue
		}
		for _, p := range f.byAction[words[0]] {
			if p.arity != len(words)-1 {
				continue
			}
			key = key[:0]
			for i, place := range p.places {
				if i > 0 {
					key = append(key, ' ')
				}
				key = append(key, words[1+place]...)
			}
			if p.args[string(key)] {
				n++
				break
			}
		}
	}
	return n
}
