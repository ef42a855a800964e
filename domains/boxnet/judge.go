package boxnet

import (
	"fmt"
	"slices"
	"strings"
)

// State is where everything is between two steps, in the order of the instance's lists.
type State struct {
	Arms, Objects []Point
	clear         bool // no two arms touch
}

// Judge judges steps and plans of one instance under one reading. It may be used by any
// number of goroutines.
type Judge struct {
	Instance *Instance
	Reading  Reading

	robots map[string]int
	near   [][]int32 // of each robot: the others that its arm could ever meet
}

// NewJudge prepares a judge.
func NewJudge(in *Instance, reading Reading) *Judge {
	j := &Judge{Instance: in, Reading: reading, robots: make(map[string]int, len(in.Robots)), near: make([][]int32, len(in.Robots))}
	for i := range in.Robots {
		r := &in.Robots[i]
		j.robots[r.Name] = i
		for k := range in.Robots {
			s := &in.Robots[k]
			if i != k && in.near(r, s) {
				j.near[i] = append(j.near[i], int32(k))
			}
		}
	}
	return j
}

// near reports whether the arms could ever share a point. An arm may start beyond its reach.
func (in *Instance) near(r, s *Robot) bool {
	return in.MayMeet(r.Base, s.Base) || !in.Reaches(r.Base, r.Arm) || !in.Reaches(s.Base, s.Arm)
}

// Start is the state before the first step.
func (j *Judge) Start() *State {
	st := &State{}
	for i := range j.Instance.Robots {
		st.Arms = append(st.Arms, j.Instance.Robots[i].Arm)
	}
	for i := range j.Instance.Objects {
		st.Objects = append(st.Objects, j.Instance.Objects[i].At)
	}
	return st
}

// Fault is why a step is not legal.
type Fault struct {
	Reason Reason
	// Move is the place in the step of the move at fault, -1 if no single one is.
	Move int
	// Pair are the names of the two robots or objects that collide, with the lower number first, or of a
	// robot and the object that it sweeps through.
	Pair [2]string
	// Detail says more, in words: where the arm is, what it reaches.
	Detail string
}

// Scratch is the memory of a judge at work. The zero value is ready.
type Scratch struct {
	motions []Motion
	carried []int32 // of each robot: the object that it takes along, -1 for none
	known   closeCalls
}

// Step carries out a step: it changes st and returns nil, or leaves st as it was and returns
// the first thing that is wrong. Moves are looked at in the order of the step (does the robot
// exist, is the arm there, does it reach the end, is there an object to carry), then pairs of
// robots, then pairs of objects, in the order of the instance.
func (j *Judge) Step(st *State, step Step, s *Scratch) *Fault {
	s.motions, s.carried = s.motions[:0], s.carried[:0]
	for i := range st.Arms {
		s.motions = append(s.motions, Motion{Base: j.Instance.Robots[i].Base, From: st.Arms[i], To: st.Arms[i]})
		s.carried = append(s.carried, -1)
	}
	for i := range step {
		if f := j.move(st, &step[i], s); f != nil {
			f.Move = i
			return f
		}
	}
	if f := j.collisions(st, s); f != nil {
		return f
	}
	if f := j.sweeps(st, s); f != nil {
		return f
	}
	if f := j.objects(st, s); f != nil {
		return f
	}
	for i := range s.motions {
		st.Arms[i] = s.motions[i].To
		if o := s.carried[i]; o >= 0 {
			st.Objects[o] = s.motions[i].To
		}
	}
	st.clear = true
	return nil
}

// move checks one move by itself (rules 1 and 2).
func (j *Judge) move(st *State, m *Move, s *Scratch) *Fault {
	i, known := j.robots[m.Robot]
	if !known {
		return &Fault{Reason: UnknownRobot, Detail: fmt.Sprintf("there is no %s", clip([]byte(m.Robot)))}
	}
	motion := &s.motions[i]
	switch {
	case motion.Moves:
		return &Fault{Reason: MovesTwice}
	case m.Bare && !j.Instance.Swings():
		return &Fault{Reason: Unreadable, Detail: "a move of BoxNet2D has a start"}
	case !m.Bare && m.From != st.Arms[i]:
		return &Fault{Reason: WrongStart, Detail: fmt.Sprintf("its arm is at %v", st.Arms[i])}
	case !j.Instance.Reaches(motion.Base, m.To):
		return &Fault{Reason: OutOfReach, Detail: fmt.Sprintf("its base is %v", motion.Base)}
	}
	motion.Moves, motion.To, motion.Carries = true, m.To, m.Carry
	if o := j.Instance.Blocked(motion); o != nil && motion.travels() {
		return &Fault{Reason: MeetsObstacle, Detail: fmt.Sprintf("%s at %v with radius %v", clip([]byte(o.Name)), o.At, o.Radius)}
	}
	if !m.Carry {
		return nil
	}
	tip := st.Arms[i]
	for o, at := range st.Objects {
		if !j.Instance.Aligned(tip, at) || slices.Contains(s.carried, int32(o)) {
			continue
		}
		if best := s.carried[i]; best < 0 || Nearer(tip, at, st.Objects[best]) {
			s.carried[i] = int32(o)
		}
	}
	if s.carried[i] < 0 {
		return &Fault{Reason: NoObject, Detail: fmt.Sprintf("no object is at %v", tip)}
	}
	return nil
}

// collisions looks for two arms that collide (rule 3), and returns the first pair in the
// order of the instance. Two arms that both rest can only touch before the first step.
func (j *Judge) collisions(st *State, s *Scratch) (first *Fault) {
	at := [2]int{len(s.motions), 0}
	for i := range s.motions {
		r := &s.motions[i]
		if st.clear && !r.Moves {
			continue
		}
		for _, k := range j.near[i] {
			other := &s.motions[k]
			if int(k) < i && (other.Moves || !st.clear) {
				continue // seen from the other side
			}
			pair := [2]int{min(i, int(k)), max(i, int(k))}
			if pair[0] > at[0] || pair[0] == at[0] && pair[1] > at[1] {
				continue
			}
			if why := j.Instance.collision(j.Reading, r, other, &s.known); why != "" {
				at = pair
				first = &Fault{Reason: why, Move: -1, Pair: [2]string{j.Instance.Robots[pair[0]].Name, j.Instance.Robots[pair[1]].Name}}
			}
		}
	}
	return first
}

// sweeps looks for a way that passes over an object which the robot does not carry (BoxNet3D).
func (j *Judge) sweeps(st *State, s *Scratch) *Fault {
	if !j.Instance.Swings() {
		return nil
	}
	for r := range s.motions {
		for o, at := range st.Objects {
			if int(s.carried[r]) != o && s.motions[r].Sweeps(at) {
				return &Fault{Reason: SweepsObject, Move: -1, Pair: [2]string{j.Instance.Robots[r].Name, j.Instance.Objects[o].Name}, Detail: fmt.Sprintf("the object is at %v", at)}
			}
		}
	}
	return nil
}

// objects looks for two objects that would be at one place (rule 4).
func (j *Judge) objects(st *State, s *Scratch) *Fault {
	for r, a := range s.carried {
		if a < 0 {
			continue
		}
		to := s.motions[r].To
		for b := range st.Objects {
			if int32(b) == a {
				continue
			}
			at := st.Objects[b]
			for k, c := range s.carried {
				if c == int32(b) {
					at = s.motions[k].To
				}
			}
			if at == to {
				lo, hi := min(int(a), b), max(int(a), b)
				return &Fault{Reason: ObjectsCollide, Move: -1, Pair: [2]string{j.Instance.Objects[lo].Name, j.Instance.Objects[hi].Name}, Detail: fmt.Sprintf("both would be at %v", to)}
			}
		}
	}
	return nil
}

// Words says what is wrong with a step, in one clause.
func (f *Fault) Words(step Step) string {
	var b strings.Builder
	switch {
	case f.Move >= 0:
		m := &step[f.Move]
		fmt.Fprintf(&b, "%s %s", clip([]byte(m.Robot)), m.text())
	default:
		fmt.Fprintf(&b, "%s and %s", f.Pair[0], f.Pair[1])
	}
	fmt.Fprintf(&b, ": %s", f.Reason)
	if f.Detail != "" {
		b.WriteString(" (" + f.Detail + ")")
	}
	return b.String()
}

// Away lists the objects that are not at their targets.
func (j *Judge) Away(st *State) (list []*Object) {
	for i := range j.Instance.Objects {
		o := &j.Instance.Objects[i]
		if o.Target != nil && *o.Target != st.Objects[i] {
			list = append(list, o)
		}
	}
	return list
}

// Robot is the place of a robot in the instance's list, -1 if there is none of that name.
func (j *Judge) Robot(name string) int {
	if i, ok := j.robots[name]; ok {
		return i
	}
	return -1
}

// Clone returns a state of its own.
func (st *State) Clone() *State {
	return &State{Arms: slices.Clone(st.Arms), Objects: slices.Clone(st.Objects), clear: st.clear}
}
