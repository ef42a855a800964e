package grounder

import (
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// MaxCost is the largest operator cost of a Task. The sum of two operator costs never
// overflows; longer sums must be checked.
const MaxCost = 1<<62 - 1

// maxSASBytes bounds what ReadSAS reads. Fast Downward's largest outputs are
// around 1 GB.
const maxSASBytes = 4 << 30

// SASError is an error in a translator output file, at a line that counts from 1.
type SASError struct {
	Line    int
	Message string
}

// Error writes the line and the message.
func (e *SASError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// ReadSAS reads Fast Downward's translator output, format version 3. Each operator has
// an entry of its own in SchemaNames (the operator's text in the file) and no Args.
// CostUnit is 1, or the inverse of the factor that WriteSAS has left in the file.
//
// The file is checked as a whole: every fact exists, no condition or goal requires two
// values of one variable, operators change only state variables and axioms only derived
// ones, and the layers of the axioms make their result unique (a body reads defaults
// from lower layers only). Errors are *SASError; an input
// over 4 GB ends with ErrMemory.
func ReadSAS(r io.Reader) (*Task, error) {
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(r, maxSASBytes+1))
	if err != nil {
		return nil, err
	}
	if n > maxSASBytes {
		return nil, fmt.Errorf("%w: translator output of more than %d bytes", ErrMemory, int64(maxSASBytes))
	}
	p := sasReader{text: text.String(), task: &Task{Name: "sas", CostUnit: pddl.Int(1)}}
	for _, section := range []func(*sasReader) error{
		(*sasReader).header, (*sasReader).variables, (*sasReader).mutexes, (*sasReader).initial,
		(*sasReader).goal, (*sasReader).operators, (*sasReader).axioms, (*sasReader).end,
	} {
		if err := section(&p); err != nil {
			return nil, err
		}
	}
	return p.task, nil
}

// sasFactor reads a positive number; anything else is 0.
func sasFactor(s string) pddl.Number {
	if num, den, ok := strings.Cut(strings.TrimSpace(s), "/"); ok {
		a, okA := pddl.ParseNumber(num)
		b, okB := pddl.ParseNumber(den)
		if q, ok := a.Div(b); okA && okB && ok && q.Sign() > 0 {
			return q
		}
		return pddl.Number{}
	}
	if v, ok := pddl.ParseNumber(strings.TrimSpace(s)); ok && v.Sign() > 0 {
		return v
	}
	return pddl.Number{}
}

// sasReader reads lines of integers. Counts are compared with the bytes left
// before anything is allocated for them, so memory stays proportional to the file.
type sasReader struct {
	text string
	line int // of the line read last
	cur  string
	task *Task

	facts   arena[Fact]
	effects arena[Effect]
	scratch []Fact
	cond    []Fact
	effbuf  []Effect
}

func (p *sasReader) header() error {
	if err := p.expect("begin_version"); err != nil {
		return err
	}
	if _, err := p.lineInt("the format version", 3, 3); err != nil {
		return err
	}
	if err := p.expect("end_version"); err != nil {
		return err
	}
	if err := p.expect("begin_metric"); err != nil {
		return err
	}
	metric, err := p.lineInt("the metric flag", 0, 1)
	if err != nil {
		return err
	}
	p.task.Metric = metric == 1
	return p.expect("end_metric")
}

func (p *sasReader) variables() error {
	n, err := p.count("the number of variables", len("begin_variable\nx\n0\n1\nx\nend_variable\n"))
	if err != nil {
		return err
	}
	p.task.Variables = make([]Variable, 0, n)
	for i := range n {
		if err := p.expect("begin_variable"); err != nil {
			return err
		}
		if err := p.next(); err != nil { // its name
			return err
		}
		if _, factor, ok := strings.Cut(p.cur, sasFactorMark); ok && i == 0 {
			if p.task.CostUnit, ok = pddl.Int(1).Div(sasFactor(factor)); !ok {
				return p.errorf("expected a factor of the costs, found %q", clip(factor))
			}
		}
		layer, err := p.lineInt("the axiom layer", -1, 1<<31-1)
		if err != nil {
			return err
		}
		size, err := p.count("the number of values", 1)
		if err != nil {
			return err
		}
		if size < 1 || layer >= 0 && size != 2 {
			return p.errorf("a variable with %d values (a derived one has 2, any other at least 1)", size)
		}
		values := make([]string, size)
		for i := range values {
			if err := p.next(); err != nil {
				return err
			}
			values[i] = p.cur
		}
		p.task.Variables = append(p.task.Variables, Variable{Layer: int32(layer), Values: values})
		if err := p.expect("end_variable"); err != nil {
			return err
		}
	}
	return nil
}

func (p *sasReader) mutexes() error {
	n, err := p.count("the number of mutex groups", len("begin_mutex_group\n0\nend_mutex_group\n"))
	if err != nil {
		return err
	}
	for range n {
		if err := p.expect("begin_mutex_group"); err != nil {
			return err
		}
		size, err := p.count("the size of the mutex group", len("0 0\n"))
		if err != nil {
			return err
		}
		if p.scratch, err = p.factLines(p.scratch[:0], size); err != nil {
			return err
		}
		p.task.Mutexes = append(p.task.Mutexes, MutexGroup(p.facts.copy(p.scratch)))
		if err := p.expect("end_mutex_group"); err != nil {
			return err
		}
	}
	return nil
}

func (p *sasReader) initial() error {
	if err := p.expect("begin_state"); err != nil {
		return err
	}
	p.task.Init = make([]int32, len(p.task.Variables))
	for i := range p.task.Init {
		if err := p.next(); err != nil {
			return err
		}
		val, err := p.value(int32(i))
		if err != nil {
			return err
		}
		if err := p.done(); err != nil {
			return err
		}
		p.task.Init[i] = val
		if v := &p.task.Variables[i]; v.Layer >= 0 {
			v.Default = val
		}
	}
	return p.expect("end_state")
}

func (p *sasReader) goal() error {
	if err := p.expect("begin_goal"); err != nil {
		return err
	}
	n, err := p.count("the number of goal facts", len("0 0\n"))
	if err != nil {
		return err
	}
	if p.scratch, err = p.factLines(p.scratch[:0], n); err != nil {
		return err
	}
	if p.task.Goal, err = p.condition(p.scratch); err != nil {
		return err
	}
	return p.expect("end_goal")
}

func (p *sasReader) operators() error {
	n, err := p.count("the number of operators", len("begin_operator\n\n0\n0\n0\nend_operator\n"))
	if err != nil {
		return err
	}
	p.task.SchemaNames = make([]string, n)
	for i := range n {
		op := Operator{Schema: int32(i)}
		if err := p.expect("begin_operator"); err != nil {
			return err
		}
		if err := p.next(); err != nil {
			return err
		}
		p.task.SchemaNames[i] = p.cur
		if err := p.operatorBody(&op); err != nil {
			return err
		}
		if op.Cost, err = p.lineInt("the operator's cost", 0, MaxCost); err != nil {
			return err
		}
		if !p.task.Metric {
			op.Cost = 1
		}
		if err := p.expect("end_operator"); err != nil {
			return err
		}
		p.task.Operators.Append(op)
	}
	return nil
}

// operatorBody reads prevail conditions and effects. The precondition consists of the
// prevail conditions and the old values that effects require.
func (p *sasReader) operatorBody(op *Operator) error {
	n, err := p.count("the number of prevail conditions", len("0 0\n"))
	if err != nil {
		return err
	}
	pre, err := p.factLines(p.scratch[:0], n)
	if err != nil {
		return err
	}
	if n, err = p.count("the number of effects", len("0 0 0 0\n")); err != nil {
		return err
	}
	effects := p.effbuf[:0]
	for range n {
		e, old, err := p.effect()
		if err != nil {
			return err
		}
		if old >= 0 {
			pre = append(pre, Fact{Var: e.Var, Val: old})
		}
		effects = append(effects, e)
	}
	op.Effects = p.effects.copy(effects)
	p.scratch, p.effbuf = pre, effects
	op.Pre, err = p.sorted(pre) // the table copies them
	return err
}

// effect reads a line with an effect; old is the value that its variable must have
// before, or -1 for any.
func (p *sasReader) effect() (e Effect, old int32, err error) {
	if err = p.next(); err != nil {
		return e, 0, err
	}
	conds, err := p.int()
	if err != nil {
		return e, 0, err
	}
	if conds < 0 || conds > int64(len(p.cur)) {
		return e, 0, p.errorf("%d effect conditions do not fit in the line", conds)
	}
	p.cond = p.cond[:0]
	for range conds {
		f, err := p.fact()
		if err != nil {
			return e, 0, err
		}
		p.cond = append(p.cond, f)
	}
	if e.Cond, err = p.condition(p.cond); err != nil {
		return e, 0, err
	}
	if e.Var, err = p.variable(); err != nil {
		return e, 0, err
	}
	if p.task.Variables[e.Var].Layer >= 0 {
		return e, 0, p.errorf("an operator changes variable %d, which is derived", e.Var)
	}
	old = -1
	if rest := strings.TrimLeft(p.cur, " "); strings.HasPrefix(rest, "-1 ") {
		p.cur = rest[2:]
	} else if old, err = p.value(e.Var); err != nil {
		return e, 0, err
	}
	if e.Val, err = p.value(e.Var); err != nil {
		return e, 0, err
	}
	return e, old, p.done()
}

func (p *sasReader) axioms() error {
	n, err := p.count("the number of axiom rules", len("begin_rule\n0\n0 0 0\nend_rule\n"))
	if err != nil {
		return err
	}
	p.task.Axioms = make([]Axiom, n)
	for i := range p.task.Axioms {
		if err := p.axiom(&p.task.Axioms[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *sasReader) axiom(a *Axiom) error {
	if err := p.expect("begin_rule"); err != nil {
		return err
	}
	n, err := p.count("the number of conditions", len("0 0\n"))
	if err != nil {
		return err
	}
	if p.scratch, err = p.factLines(p.scratch[:0], n); err != nil {
		return err
	}
	if a.Body, err = p.condition(p.scratch); err != nil {
		return err
	}
	if err := p.next(); err != nil {
		return err
	}
	if a.Head.Var, err = p.variable(); err != nil {
		return err
	}
	head := &p.task.Variables[a.Head.Var]
	if head.Layer < 0 {
		return p.errorf("an axiom changes variable %d, which is not derived", a.Head.Var)
	}
	old, err := p.value(a.Head.Var)
	if err != nil {
		return err
	}
	if a.Head.Val, err = p.value(a.Head.Var); err != nil {
		return err
	}
	if err := p.done(); err != nil {
		return err
	}
	if old != head.Default || a.Head.Val == head.Default {
		return p.errorf("an axiom must change variable %d from its default %d", a.Head.Var, head.Default)
	}
	for _, f := range a.Body {
		v := &p.task.Variables[f.Var]
		if v.Layer > head.Layer || v.Layer >= 0 && v.Layer == head.Layer && f.Val == v.Default {
			return p.errorf("an axiom of layer %d reads variable %d of layer %d too early", head.Layer, f.Var, v.Layer)
		}
	}
	return p.expect("end_rule")
}

func (p *sasReader) end() error {
	for p.text != "" {
		if err := p.next(); err != nil {
			return err
		}
		if err := p.done(); err != nil {
			return err
		}
	}
	return nil
}
