package validator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// builder puts a failure into words.
type builder struct {
	s    *Scratch
	plan *pddl.Plan
	r    Result
	f    *Failure
	head [4]string // what the message of an unmet condition begins with
	// ahead is set for a condition that still holds at the moment of the failure, but not right after.
	ahead bool
}

func (b *builder) build(v *Verdict) {
	switch {
	case b.r.Kind == FailConstraint:
		b.brokenConstraint()
		return
	case b.r.Kind == FailEvent:
		b.natureFailure()
		return
	case b.s.timed != nil && b.r.Step > 0:
		b.timedFailure(v)
		return
	}
	if b.r.Step == 0 {
		b.goal(v)
		return
	}
	st := &b.plan.Steps[b.r.index]
	b.f.Action = b.s.words.step(st)
	if b.plan.Source != nil {
		b.f.Line, b.f.Column = b.plan.Source.LineCol(st.Pos)
	}
	b.head = [...]string{"step ", strconv.Itoa(b.r.Step), " ", b.f.Action}
	if i := b.s.j.actionNames.find(st.Name); i >= 0 && (b.r.Kind == FailPrecondition || b.r.Kind == FailNumeric && b.r.fault == faultNone) {
		a := &b.s.j.actions[i]
		b.condition(v, a.pre, a.schema.Vars, b.s.env)
		return
	}
	b.f.Message = b.s.words.join(b.head[0], b.head[1], b.head[2], b.head[3], ": ", b.fault(st))
}

// goal puts a failure after the last step into words.
func (b *builder) goal(v *Verdict) {
	switch b.r.Kind {
	case FailTimeout:
		b.f.Message = b.limit() + b.s.eventsSoFar()
	default:
		b.head[0] = "goal"
		b.condition(v, b.s.j.goal, b.s.j.prob.Goal.Vars, b.s.goalFrame())
	}
}

// condition puts an unmet condition in the current state into words.
func (b *builder) condition(v *Verdict, node int32, vars []pddl.Variable, env []int32) {
	rs := b.unmet(node, vars, env)
	if !b.s.Brief {
		v.Changes = b.changes()
	}
	b.f.Unsatisfied = slices.Grow(b.f.Unsatisfied, len(rs.list))
	for i := range rs.list {
		b.f.Unsatisfied = append(b.f.Unsatisfied, rs.list[i].Literal)
	}
	verb := " does not hold"
	switch {
	case b.r.Kind == FailNumeric:
		verb = " cannot be decided"
	case b.ahead:
		verb = " does not hold any more"
	}
	values := ""
	if len(rs.list) > 0 {
		if values = b.s.operands(&rs.list[0]); values != "" {
			values = ": " + values
		}
	}
	what, colon := "the condition", ": "
	switch n := len(rs.list) + rs.more; {
	case n == 1 && b.forbidden(&rs.list[0]):
		what, colon, verb = "", "", " is forbidden here"
	case n == 1:
		what = abbreviate(rs.list[0].Literal)
	case n == 2:
		what = b.s.words.join(abbreviate(rs.list[0].Literal), " and ", abbreviate(rs.list[1].Literal))
	case n > 2:
		what = fmt.Sprintf("%s and %d more", abbreviate(rs.list[0].Literal), n-1)
	}
	if len(rs.list)+rs.more > 1 {
		verb = strings.Replace(verb, "does", "do", 1)
	}
	b.f.Message = b.s.words.join(b.head[0], b.head[1], b.head[2], b.head[3], colon, what, verb, values)
	if len(rs.list) > 0 {
		b.trace(rs.list)
		b.f.Because = rs.list[0].Because
	}
	v.Reasons = rs.list
}

// unmet returns the unmet parts of a condition, now or right after.
func (b *builder) unmet(node int32, vars []pddl.Variable, env []int32) (rs reasons) {
	if !b.ahead {
		return b.s.unmet(node, vars, env)
	}
	b.s.ahead(func() { rs = b.s.unmet(node, vars, env) })
	return rs
}

// trace fills in why the reasons do not hold.
func (b *builder) trace(list []Reason) {
	if !b.ahead {
		b.s.trace(b.plan, list)
		return
	}
	for i := range list[:min(len(list), maxTraced)] {
		list[i].held, list[i].Because = true, b.s.drift(&list[i])
	}
}

// schemaOf returns the schema of an action, instantaneous or durative, by its number.
func (j *Judge) schemaOf(i int32) *pddl.Schema {
	if n := int32(len(j.actions)); i >= n {
		return &j.dom.Durative[i-n].Schema
	}
	return &j.actions[i].schema.Schema
}

// forbidden reports whether an unmet condition comes from a restriction of the task, which
// is a static fact such as (forbidden-stack a b) (see docs/RESTRICTIONS.md).
func (b *builder) forbidden(r *Reason) bool {
	if b.r.Step == 0 || r.want {
		return false
	}
	op := b.s.j.nodes[r.node].op
	name, _, _ := strings.Cut(strings.Trim(b.f.Action, "()"), " ")
	return (op == opStatic || op == opSparseStatic) && strings.HasPrefix(strings.ToLower(r.Literal), "(not (forbidden-"+strings.ToLower(name))
}

// fault puts a failure other than an unmet condition into words.
func (b *builder) fault(st *pddl.Step) string {
	j, s := b.s.j, b.s
	switch b.r.Kind {
	case FailSyntax:
		return fmt.Sprintf("its time %s is negative", st.Time)
	case FailUnknownAction:
		return fmt.Sprintf("there is no action %s%s", st.Name, hint(st.Name, j.actionNames.names))
	case FailArity:
		a := j.schemaOf(j.actionNames.find(st.Name))
		names := make([]string, a.NumParams)
		for i := range names {
			names[i] = a.Vars[i].Name
		}
		return fmt.Sprintf("%s takes %s (%s), not %d", a.Name, count(a.NumParams, "argument"), strings.Join(names, " "), len(st.Args))
	case FailUnknownObject:
		name := st.Args[b.r.arg]
		return fmt.Sprintf("there is no object %s%s", name, hint(name, j.objectNames.names))
	case FailType:
		a := j.schemaOf(j.actionNames.find(st.Name))
		o := j.prob.Objects[j.objectNames.find(st.Args[b.r.arg])]
		p := a.Vars[b.r.arg]
		return fmt.Sprintf("%s is of type %s, but parameter %s of %s needs %s", o.Name, j.dom.TypeName(o.Type), p.Name, a.Name, j.dom.TypeName(p.Type))
	case FailMutex:
		other := &b.plan.Steps[s.at(b.plan, int(b.r.other))]
		b.f.Unsatisfied = []string{s.clash}
		when := "at the same time " + numberText(st.Time)
		if !other.Time.Equal(st.Time) {
			when = fmt.Sprintf("only %s earlier", numberText(st.Time.Sub(other.Time)))
		}
		return fmt.Sprintf("it interferes with step %d %s %s: both use %s", b.r.other+1, stepText(other), when, s.clash)
	case FailEffectConflict:
		what := s.valueText(s.conflict)
		b.f.Unsatisfied = []string{what}
		return "its effects change " + what + " in conflicting ways"
	case FailNumeric:
		return b.undefined()
	}
	return b.limit()
}

// undefined puts an effect without a value into words.
func (b *builder) undefined() string {
	s := b.s
	if b.r.fault == faultUndefinedRead {
		what := s.valueText(s.conflict)
		b.f.Unsatisfied = []string{what}
		if s.defined[s.conflict] {
			return "its effect divides " + what + " by 0"
		}
		return "its effect changes " + what + ", which has no value"
	}
	if s.undefined < 0 {
		return "an effect has no value"
	}
	x := &s.j.exprs[s.undefined]
	what := s.j.exprText(x.source, s.undefinedEnv)
	b.f.Unsatisfied = []string{what}
	if x.op == pddl.NumDiv {
		return what + " in its effect divides by 0"
	}
	return what + ", which its effect reads, has no value"
}

// limit puts the limit that ended judging into words.
func (b *builder) limit() string {
	switch b.s.stop {
	case stopNumber:
		return fmt.Sprintf("not judged: a value needs more than %d bits", b.s.j.opt.MaxNumberBits)
	case stopDepth:
		return "not judged: its conditions are nested too deeply"
	case stopMemory:
		return "not judged: it changes too many atoms"
	case stopTime:
		return "not judged: the time limit came first"
	}
	return "not judged: it takes too many evaluations"
}

// maxChanges bounds the atoms that Verdict.Changes lists.
const maxChanges = 40

// changes lists how the current state differs from the initial one, in the order of the
// first changes.
func (b *builder) changes() []string { return b.s.changesOf(b.s.undo) }

// changesOf lists the atoms that an odd number of the flips change, in the order of their first flip.
func (s *Scratch) changesOf(flipped []int32) []string {
	flips := map[int32]int{}
	for _, id := range flipped {
		flips[id]++
	}
	var out []string
	for _, id := range flipped {
		if flips[id]%2 == 0 {
			continue
		}
		flips[id] = 0
		sign := "- "
		if getBit(s.bits, id) {
			sign = "+ "
		}
		if len(out) == maxChanges {
			return append(out, "...")
		}
		out = append(out, sign+s.atomText(change{id, s.predOf(id)}))
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func hint(name string, names []string) string {
	if n := spell.Nearest(name, names); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}
