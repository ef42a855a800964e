package constraints

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// ErrUnsupported is wrapped where a task or a constraint has no compiled form.
var ErrUnsupported = errors.New("not compiled")

// Compile returns the task whose plans are exactly the plans of the given one that keep the constraints, at the same
// cost: solving it gives solvability and optimum under them. Bans of actions become restrictions ([domains.Restrict]).
// Every other constraint becomes a monitor: facts that actions read and write beside their own, and a part of the goal.
//
//	always F           every action and the goal need F
//	sometime F         an action notes that F held; the goal needs the note, or F
//	at-most-once F     once F has ended, actions and the goal need it not to begin again
//	sometime-before    F needs the note that the other held in an earlier state
//	at-most N, within  a chain of facts counts
//	cost-limit         actions and the goal need (total-cost) not to go beyond
func Compile(prob *pddl.Problem, list []Constraint) (*pddl.Problem, error) {
	if len(prob.Domain.Durative) > 0 {
		return nil, fmt.Errorf("%w: durative actions", ErrUnsupported)
	}
	if len(prob.Domain.Nature()) > 0 {
		return nil, fmt.Errorf("%w: processes and events", ErrUnsupported)
	}
	out, err := inWorld(prob, list)
	if err != nil {
		return nil, err
	}
	m := &monitors{prob: out}
	for _, p := range out.Domain.Predicates { // of constraints that are compiled in already
		if n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(p.Name), "monitor-")); err == nil {
			m.count = max(m.count, n)
		}
	}
	for i := range list {
		if list[i].Kind == CostLimit {
			if err := m.addCost(&list[i]); err != nil {
				return nil, err
			}
			continue
		}
		m.add(&list[i])
	}
	return m.compile()
}

// inWorld applies bans and initial facts.
func inWorld(prob *pddl.Problem, list []Constraint) (*pddl.Problem, error) {
	var bans []domains.Forbidden
	p := *prob
	p.Init.Atoms = cloneAtoms(&prob.Init.Atoms)
	for i := range list {
		c := &list[i]
		switch c.Kind {
		case Missing:
			bans = append(bans, uses(prob, c.Name)...)
		case Unavailable:
			bans = append(bans, anything(schema(prob.Domain, c.Name)))
		case Forbidden:
			bans = append(bans, c.Actions...)
		case Avoid:
			pred, _ := prob.Domain.PredicateByName(c.Name)
			for k := range prob.Init.Atoms.Len() {
				if id, args := prob.Init.Atoms.Atom(k); id == pred {
					bans = append(bans, uses(prob, strings.ToLower(prob.Objects[args[0]].Name))...)
				}
			}
		case Initially:
			setInitially(&p, c)
		}
	}
	again, err := read(p.Domain.String(), p.String())
	if err != nil {
		return nil, err
	}
	return domains.Restrict(again, bans)
}

// anything forbids an action with all objects.
func anything(s *pddl.Schema) domains.Forbidden {
	f := domains.Forbidden{Action: strings.ToLower(s.Name)}
	for range s.NumParams {
		f.Args = append(f.Args, domains.AnyObject)
	}
	return f
}

// uses forbids every action at every place where an object can stand.
func uses(prob *pddl.Problem, object string) (list []domains.Forbidden) {
	id, _ := prob.ObjectByName(object)
	for _, a := range prob.Domain.Actions {
		for i, v := range a.Vars[:a.NumParams] {
			if slices.Contains(prob.ObjectsOfType(v.Type), id) {
				f := anything(&a.Schema)
				f.Args[i] = object
				list = append(list, f)
			}
		}
	}
	return list
}

func cloneAtoms(t *pddl.AtomTable) pddl.AtomTable {
	return pddl.AtomTable{Pred: slices.Clone(t.Pred), Start: slices.Clone(t.Start), Args: slices.Clone(t.Args), Pos: slices.Clone(t.Pos)}
}

// setInitially makes a fact of the initial state true or false.
func setInitially(p *pddl.Problem, c *Constraint) {
	pred, _ := p.Domain.PredicateByName(c.Fact[0])
	var args []pddl.ObjectID
	for _, name := range c.Fact[1:] {
		id, _ := p.ObjectByName(name)
		args = append(args, id)
	}
	out := pddl.AtomTable{Start: []uint32{0}}
	put := func(pred pddl.PredicateID, args []pddl.ObjectID, pos pddl.Pos) {
		out.Args = append(out.Args, args...)
		out.Pred, out.Start, out.Pos = append(out.Pred, pred), append(out.Start, uint32(len(out.Args))), append(out.Pos, pos)
	}
	for i := range p.Init.Atoms.Len() {
		if q, a := p.Init.Atoms.Atom(i); q != pred || !slices.Equal(a, args) {
			put(q, a, p.Init.Atoms.Pos[i])
		}
	}
	if !c.Negated {
		put(pred, args, 1)
	}
	p.Init.Atoms = out
}
