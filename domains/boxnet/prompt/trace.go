package prompt

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains/boxnet"
)

// Trace is a chain of thoughts that leads to a valid plan, in the three patterns of the paper: analysis of the
// state, verification of each move, and efficiency. Every sentence is made from a fact that has been
// checked with exact geometry.
type Trace struct {
	Text string
	// Reach and Collision count the checks in the text of what an arm reaches, and of whether moves collide:
	// the paper's "Rea." and "Col.".
	Reach, Collision int
}

// TraceOptions say what else is known.
type TraceOptions struct {
	// Optimal reports whether no plan has fewer steps. Lower is a lower bound on the steps that needs no search.
	Optimal bool
	Lower   int
}

// TracePlan writes the thoughts for a whole plan, which must be valid under the judge's reading.
func TracePlan(j *boxnet.Judge, plan boxnet.Plan, opt TraceOptions) (Trace, error) {
	t := &tracer{j: j, in: j.Instance, plan: plan, st: j.Start()}
	if res := j.Judge(plan); !res.Verdict.Valid {
		return Trace{}, fmt.Errorf("the plan is not valid: %s", res.Verdict.Failure.Message)
	}
	t.analysis()
	for n := range plan {
		t.step(n)
	}
	t.efficiency(opt)
	return t.done(), nil
}

// TraceStep writes the thoughts for step n of a valid plan, from 0, given the state before it.
func TraceStep(j *boxnet.Judge, st *boxnet.State, plan boxnet.Plan, n int) Trace {
	t := &tracer{j: j, in: j.Instance, plan: plan, st: st.Clone()}
	t.analysis()
	t.step(n)
	return t.done()
}

type tracer struct {
	j       *boxnet.Judge
	in      *boxnet.Instance
	plan    boxnet.Plan
	st      *boxnet.State
	b       strings.Builder
	counted Trace
}

func (t *tracer) say(format string, args ...any) { fmt.Fprintf(&t.b, format+"\n", args...) }

func (t *tracer) done() Trace {
	t.counted.Text = strings.TrimRight(t.b.String(), "\n")
	return t.counted
}

// reaches lists the robots that reach a point: each is a check.
func (t *tracer) reaches(p boxnet.Point) (names []string) {
	for _, r := range t.in.Robots {
		if t.in.Reaches(r.Base, p) {
			names = append(names, fmt.Sprintf("%s (base %v)", r.Name, r.Base))
		}
	}
	t.counted.Reach += len(names)
	return names
}

// analysis says where the objects that are not done are and have to go, and who reaches these places.
func (t *tracer) analysis() {
	t.say("Let me look at the state first.")
	for i, o := range t.in.Objects {
		at := t.st.Objects[i]
		if at == *o.Target {
			t.say("- %s is at its target %v.", o.Name, at)
			continue
		}
		from, to := t.reaches(at), t.reaches(*o.Target)
		t.say("- %s is at %v and has to go to %v. %s can reach %v; %s can reach %v.", o.Name, at, *o.Target, list(from), at, list(to), *o.Target)
		if !share(from, to) {
			t.say("  No robot reaches both, so it has to be handed over.")
		}
	}
}

func list(names []string) string {
	switch n := len(names); n {
	case 0:
		return "Nobody"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

func share(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// step explains one step: what each move is for, that it is legal, and why a robot that waits does not go
// already now.
func (t *tracer) step(n int) {
	step := t.plan[n]
	t.say("\nStep %d: %s", n+1, moving(step))
	for i := range step {
		m := &step[i]
		t.say("- %s moves %v -> %v: %s.", m.Robot, t.tip(m), m.To, t.purpose(n, m))
		base := t.in.Robots[t.j.Robot(m.Robot)].Base
		t.say("  Reach check: %s (base %v) can reach %v, since %s.", m.Robot, base, m.To, t.whyReached(base, m.To))
		t.counted.Reach++
	}
	t.swept(step)
	t.pairs(step)
	t.waiting(n)
	if f := t.j.Step(t.st, step, new(boxnet.Scratch)); f != nil {
		panic("boxnet: a step of a valid plan is not legal: " + f.Words(step))
	}
}

// tip is where the arm of a move is before the step.
func (t *tracer) tip(m *boxnet.Move) boxnet.Point { return t.st.Arms[t.j.Robot(m.Robot)] }

func (t *tracer) whyReached(base, to boxnet.Point) string {
	if t.in.Swings() {
		return "its distance from the base is between 0.4 and 0.8"
	}
	return fmt.Sprintf("|%v - %v| and |%v - %v| are less than 1", to.X, base.X, to.Y, base.Y)
}

// swept says of each move of BoxNet3D that it passes over none of the other objects that the arm reaches.
func (t *tracer) swept(step boxnet.Step) {
	for i := range step {
		m := t.motion(step, step[i].Robot)
		var names []string
		for k, o := range t.in.Objects {
			at := t.st.Objects[k]
			if t.in.Swings() && !t.in.Aligned(m.From, at) && at != m.To && t.in.Reaches(m.Base, at) && !m.Sweeps(at) {
				names = append(names, o.Name)
			}
		}
		if len(names) > 0 {
			t.counted.Collision++
			t.say("  Collision check: the way of %s passes over none of the objects within its reach: %s.", step[i].Robot, strings.Join(names, ", "))
		}
	}
}

func moving(step boxnet.Step) string {
	switch len(step) {
	case 0:
		return "nobody moves."
	case 1:
		return "one robot moves."
	}
	return fmt.Sprintf("%d robots move at the same time.", len(step))
}

// purpose says what a move is for, as the rest of the plan shows.
func (t *tracer) purpose(n int, m *boxnet.Move) string {
	if m.Carry {
		after := t.st.Clone()
		t.j.Step(after, t.plan[n], new(boxnet.Scratch))
		for i, o := range t.in.Objects {
			if after.Objects[i] != m.To {
				continue
			}
			if m.To == *o.Target {
				return "it carries " + o.Name + " to its target"
			}
			return "it carries " + o.Name + " on to where it is needed next"
		}
	}
	for i, o := range t.in.Objects {
		if t.st.Objects[i] == m.To {
			return "it comes to " + o.Name + " to carry it later"
		}
	}
	for _, later := range t.plan[n+1:] {
		for k := range later {
			if later[k].Robot == m.Robot && later[k].Carry && later[k].From == m.To {
				return "it waits where an object will be"
			}
		}
	}
	return "it makes room for the others"
}

// pairs checks the moves of a step against each other and against arms that rest.
func (t *tracer) pairs(step boxnet.Step) {
	for i := range step {
		a := t.motion(step, step[i].Robot)
		for _, r := range t.in.Robots {
			if r.Name == step[i].Robot {
				continue
			}
			b := t.motion(step, r.Name)
			near := t.in.MayMeet(a.Base, b.Base)
			if !near || b.Moves && t.j.Robot(r.Name) < t.j.Robot(step[i].Robot) || t.in.Collision(t.j.Reading, &a, &b) != "" {
				continue
			}
			t.counted.Collision++
			t.say("  Collision check: %s", t.apart(step[i].Robot, r.Name, &b))
		}
	}
}

// apart is a sentence about two robots that do not collide, the second with a motion. Of BoxNet3D only the arms' tips are
// looked at, but under the reading Arms.
func (t *tracer) apart(first, second string, m *boxnet.Motion) string {
	tips := t.in.Swings() && t.j.Reading != boxnet.Arms
	switch {
	case tips && m.Moves:
		return fmt.Sprintf("%s and %s both move; their ends differ, and their ways do not meet.", first, second)
	case tips:
		return fmt.Sprintf("the way of %s does not pass over the tip of %s, which rests at %v.", first, second, m.To)
	case m.Moves:
		return fmt.Sprintf("%s and %s both move; their ends differ, and their arms and paths do not meet.", first, second)
	}
	return fmt.Sprintf("the path and the arm of %s do not meet the resting arm of %s at %v.", first, second, m.To)
}

// motion is what a robot does in a step from the current state.
func (t *tracer) motion(step boxnet.Step, robot string) boxnet.Motion {
	i := t.j.Robot(robot)
	m := boxnet.Motion{Base: t.in.Robots[i].Base, From: t.st.Arms[i], To: t.st.Arms[i]}
	for k := range step {
		if step[k].Robot == robot {
			m.To, m.Moves, m.Carries = step[k].To, true, step[k].Carry
		}
	}
	return m
}

// waiting asks for the first robot that waits whether its next move could be part of this step, and says why not.
func (t *tracer) waiting(n int) {
	if n+1 >= len(t.plan) {
		return
	}
	step := t.plan[n]
	for k := range t.plan[n+1] {
		next := t.plan[n+1][k]
		if t.motion(step, next.Robot).Moves {
			continue
		}
		f := t.j.Step(t.st.Clone(), append(step[:len(step):len(step)], next), new(boxnet.Scratch))
		if f == nil {
			continue
		}
		t.say("Wait, could %s already move %v -> %v in this step? No: %s.", next.Robot, t.tip(&next), next.To, t.why(f, next.Robot))
		if f.Move < 0 {
			t.counted.Collision++
		}
		return
	}
}

// why words a fault of a step in which a robot would also move.
func (t *tracer) why(f *boxnet.Fault, robot string) string {
	switch {
	case f.Reason == boxnet.NoObject:
		return "the object is not there yet"
	case f.Move >= 0:
		return string(f.Reason)
	}
	other := f.Pair[0]
	if other == robot {
		other = f.Pair[1]
	}
	return fmt.Sprintf("with %s: %s", other, f.Reason)
}

// efficiency says why no plan is shorter, as far as that is known.
func (t *tracer) efficiency(opt TraceOptions) {
	t.say("\nAll objects are at their targets after %d steps.", len(t.plan))
	switch {
	case opt.Optimal && opt.Lower == len(t.plan) && t.j.Reading == boxnet.NoFollow:
		t.say("Can it be done in fewer? No: to align and to carry are steps of their own, no arm enters a place in the step in which another one leaves it, and counting gives at least %d steps.", opt.Lower)
	case opt.Optimal && opt.Lower == len(t.plan):
		t.say("Can it be done in fewer? No: to align and to carry are steps of their own, and counting them gives at least %d steps.", opt.Lower)
	case opt.Optimal:
		t.say("Can it be done in fewer? Counting the moves gives at least %d steps, but the arms are in each other's way: %d steps are not enough.", opt.Lower, len(t.plan)-1)
	}
}

// FullAnswer is the answer to a FullPlan prompt.
func FullAnswer(t Trace, plan boxnet.Plan) string {
	return thinkOpen + "\n" + t.Text + "\n" + thinkClose + "\n```json\n" + plan.Text() + "\n```\n"
}

// StepAnswer is the answer to one turn of a Replan prompt.
func StepAnswer(t Trace, step boxnet.Step) string {
	return thinkOpen + "\n" + t.Text + "\n" + thinkClose + "\n```json\n" + step.Text() + "\n```\n"
}
