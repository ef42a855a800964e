package boxnet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/validator"
)

// twoArms is a state of two robots on neighbouring joints with two objects.
const twoArms = `{"map": [3, 3],
	"robots": [{"name": "A", "base": [1, 1], "arm": [0.75, 0.75]}, {"name": "B", "base": [2, 1], "arm": [2.25, 0.75]}],
	"objects": [{"name": "x", "at": [0.75, 0.75], "target": [0.25, 0.25]}, {"name": "y", "at": [2.25, 0.75], "target": [2.25, 0.75]}]}`

// stepCases are steps from twoArms or a variant of it, one for each thing that can be wrong and its nearest legal
// neighbours. Arms of A and B reach x in (0, 2) and (1, 3).
var stepCases = []struct {
	name, from string // from: replacements in twoArms, "old>new;..."
	step       string
	want       Reason // under the default reading
	crossing   Reason // under crossing-only
	follow     Reason // under no-follow
}{
	{"nothing", "", `{}`, "", "", ""},
	{"rest on the spot", "", `{"A": "[0.75, 0.75] -> [0.75, 0.75], True"}`, "", "", ""},
	{"just within reach", "", `{"A": "[0.75, 0.75] -> [0.000000000001, 0.75], False"}`, "", "", ""},
	{"x on the edge", "", `{"A": "[0.75, 0.75] -> [0, 0.75], False"}`, OutOfReach, OutOfReach, OutOfReach},
	{"y on the edge", "", `{"A": "[0.75, 0.75] -> [0.75, 2], False"}`, OutOfReach, OutOfReach, OutOfReach},
	{"x on the upper edge", "", `{"B": "[2.25, 0.75] -> [3, 0.75], False"}`, OutOfReach, OutOfReach, OutOfReach},
	{"y on the lower edge", "", `{"B": "[2.25, 0.75] -> [2.25, 0], False"}`, OutOfReach, OutOfReach, OutOfReach},
	{"huge", "", `{"A": "[0.75, 0.75] -> [1e300, -1e300], False"}`, OutOfReach, OutOfReach, OutOfReach},
	{"nobody", "", `{"C": "[0.75, 0.75] -> [0.25, 0.75], False"}`, UnknownRobot, UnknownRobot, UnknownRobot},
	{"start elsewhere", "", `{"A": "[0.75, 0.750000000001] -> [0.25, 0.75], True"}`, WrongStart, WrongStart, WrongStart},
	{"nothing to carry", `"x", "at": [0.75, 0.75]>"x", "at": [0.75, 0.7500001]`, `{"A": "[0.75, 0.75] -> [0.25, 0.75], True"}`, NoObject, NoObject, NoObject},
	{"same end", "", `{"A": "[0.75, 0.75] -> [1.25, 1.25], False", "B": "[2.25, 0.75] -> [1.25, 1.25], False"}`, SameEnd, SameEnd, SameEnd},
	{"same end as one that rests", `"arm": [2.25, 0.75]>"arm": [1.25, 0.25]`, `{"A": "[0.75, 0.75] -> [1.25, 0.25], False"}`, SameEnd, SameEnd, SameEnd},
	{"arms cross", "", `{"A": "[0.75, 0.75] -> [1.75, 0.25], False", "B": "[2.25, 0.75] -> [1.25, 0.25], False"}`, ArmsTouch, ArmsTouch, ArmsTouch},
	{"a tip on a resting arm", `"base": [2, 1], "arm": [2.25, 0.75]>"base": [2, 2], "arm": [1.25, 1.25]`, `{"A": "[0.75, 0.75] -> [1.5, 1.5], False"}`, ArmsTouch, ArmsTouch, ArmsTouch},
	{"over a resting tip", `"base": [2, 1], "arm": [2.25, 0.75]>"base": [2, 0], "arm": [1.25, 0.75]`, `{"A": "[0.75, 0.75] -> [1.75, 0.75], False"}`, MeetsResting, MeetsResting, MeetsResting},
	{"along below a resting tip", `"base": [2, 1], "arm": [2.25, 0.75]>"base": [2, 2], "arm": [1.25, 1.25]`, `{"A": "[0.75, 0.75] -> [1.75, 0.75], False"}`, "", "", ""},
	{"paths cross", `"arm": [2.25, 0.75]>"arm": [1.75, 1.75]`, `{"A": "[0.75, 0.75] -> [1.75, 0.75], False", "B": "[1.75, 1.75] -> [1.25, 0.25], False"}`, ArmsTouch, ArmsTouch, ArmsTouch},
	{"paths cross and arms do not", `"base": [2, 1], "arm": [2.25, 0.75]>"base": [0, 0], "arm": [0.25, 0.75];"arm": [0.75, 0.75]>"arm": [0.25, 0.25];"at": [0.75, 0.75]>"at": [0.25, 0.25]`,
		`{"A": "[0.25, 0.25] -> [0.75, 0.75], True", "B": "[0.25, 0.75] -> [0.75, 0.25], False"}`, PathsCross, PathsCross, PathsCross},
	{"through a place that is left", `"base": [2, 1], "arm": [2.25, 0.75]>"base": [1, 2], "arm": [0.75, 1.25];"arm": [0.75, 0.75]>"arm": [0.25, 1.25]`,
		`{"A": "[0.25, 1.25] -> [1.25, 1.25], False", "B": "[0.75, 1.25] -> [1.75, 1.75], False"}`, PathsTouch, "", PathsTouch},
	{"exchange", `"base": [2, 1], "arm": [2.25, 0.75]>"base": [2, 0], "arm": [1.75, 0.75];"arm": [0.75, 0.75]>"arm": [1.25, 0.25]`,
		`{"A": "[1.25, 0.25] -> [1.75, 0.75], False", "B": "[1.75, 0.75] -> [1.25, 0.25], False"}`, "", "", PathsTouch},
	{"follow", `"base": [2, 1], "arm": [2.25, 0.75]>"base": [2, 0], "arm": [1.75, 0.75];"arm": [0.75, 0.75]>"arm": [1.25, 0.25]`,
		`{"A": "[1.25, 0.25] -> [1.75, 0.75], False", "B": "[1.75, 0.75] -> [2.25, 0.25], False"}`, "", "", PathsTouch},
	{"follow on the same line", `"base": [2, 1], "arm": [2.25, 0.75]>"base": [2, 1], "arm": [1.25, 0.25];"arm": [0.75, 0.75]>"arm": [0.25, 0.25]`,
		`{"A": "[0.25, 0.25] -> [1.25, 0.25], False", "B": "[1.25, 0.25] -> [2.25, 0.25], False"}`, "", "", PathsTouch},
	{"through a moving arm", `"base": [2, 1], "arm": [2.25, 0.75]>"base": [0, 1], "arm": [0.75, 1.25];"arm": [0.75, 0.75]>"arm": [0.25, 0.25]`,
		`{"A": "[0.25, 0.25] -> [0.75, 1.25], False", "B": "[0.75, 1.25] -> [0.75, 0.25], False"}`, MeetsMoving, "", PathsTouch},
	{"onto an object", `"y", "at": [2.25, 0.75]>"y", "at": [0.25, 0.75]`, `{"A": "[0.75, 0.75] -> [0.25, 0.75], True"}`, ObjectsCollide, ObjectsCollide, ObjectsCollide},
	{"over an object", `"y", "at": [2.25, 0.75]>"y", "at": [0.5, 0.75]`, `{"A": "[0.75, 0.75] -> [0.25, 0.75], True"}`, "", "", ""},
	{"without the object", `"y", "at": [2.25, 0.75]>"y", "at": [0.25, 0.75]`, `{"A": "[0.75, 0.75] -> [0.25, 0.75], False"}`, "", "", ""},
	{"to where one is carried away", `"arm": [2.25, 0.75]>"arm": [1.75, 0.75];"y", "at": [2.25, 0.75]>"y", "at": [1.75, 0.75]`,
		`{"A": "[0.75, 0.75] -> [1.75, 0.75], True", "B": "[1.75, 0.75] -> [2.25, 0.75], True"}`, "", "", PathsTouch},
	{"to where one is not carried away", `"arm": [2.25, 0.75]>"arm": [1.75, 0.75];"y", "at": [2.25, 0.75]>"y", "at": [1.75, 0.75]`,
		`{"A": "[0.75, 0.75] -> [1.75, 0.75], True", "B": "[1.75, 0.75] -> [2.25, 0.75], False"}`, ObjectsCollide, ObjectsCollide, PathsTouch},
	{"arms that touch before and rest", `"arm": [2.25, 0.75]>"arm": [1.25, 0.75];"arm": [0.75, 0.75]>"arm": [1.75, 0.75]`, `{}`, ArmsTouch, ArmsTouch, ArmsTouch},
}

// scene reads twoArms with replacements.
func scene(t *testing.T, changes string) *Instance {
	t.Helper()
	text := twoArms
	for change := range strings.SplitSeq(changes, ";") {
		old, fresh, _ := strings.Cut(change, ">")
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in the scene", old)
		}
		text = strings.Replace(text, old, fresh, 1)
	}
	in, err := ReadInstance([]byte(text), true)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestSteps judges a step for everything that can be wrong with one, and compares the state
// after a legal one with what it must be.
func TestSteps(t *testing.T) {
	for _, c := range stepCases {
		in := scene(t, c.from)
		step, err := ReadStep([]byte(c.step))
		if err != nil {
			t.Fatal(c.name, err)
		}
		for rd, want := range map[Reading]Reason{Default: c.want, CrossingOnly: c.crossing, NoFollow: c.follow} {
			j := NewJudge(in, rd)
			st := j.Start()
			before := fmt.Sprint(st.Arms, st.Objects)
			f := j.Step(st, step, new(Scratch))
			got := Reason("")
			if f != nil {
				got = f.Reason
				if words := f.Words(step); !strings.Contains(words, string(got)) {
					t.Errorf("%s: the words are %q", c.name, words)
				}
				if after := fmt.Sprint(st.Arms, st.Objects); after != before {
					t.Errorf("%s: a step that is not legal changes the state", c.name)
				}
			}
			if got != want {
				t.Errorf("%s under %s: %q, want %q", c.name, rd, got, want)
			}
			if f != nil {
				continue
			}
			for i := range step {
				if at := st.Arms[j.robots[step[i].Robot]]; at != step[i].To {
					t.Errorf("%s: the arm is at %v", c.name, at)
				}
			}
			for o := range in.Objects {
				want := in.Objects[o].At
				for i := range step {
					if step[i].Carry && step[i].From == want {
						want = step[i].To
						break
					}
				}
				if st.Objects[o] != want {
					t.Errorf("%s: %s is at %v, want %v", c.name, in.Objects[o].Name, st.Objects[o], want)
				}
			}
		}
	}
}

// TestPlans judges plans: what fails first, and in which step.
func TestPlans(t *testing.T) {
	for _, c := range []struct {
		plan     string
		reason   Reason
		step     int
		kind     validator.FailureKind
		executed int
	}{
		{`[{"A": "[0.75, 0.75] -> [0.25, 0.25], True"}]`, "", 0, "", 1},
		{`[{}, {"A": "[0.75, 0.75] -> [0.25, 0.25], True"}, {}]`, "", 0, "", 3},
		{`[]`, GoalNotReached, 0, validator.FailGoal, 0},
		{`[{"A": "[0.75, 0.75] -> [0.25, 0.25], False"}]`, GoalNotReached, 0, validator.FailGoal, 1},
		{`[{}, {"A": "[0.5, 0.75] -> [0.25, 0.25], True"}, 7]`, WrongStart, 2, validator.FailPrecondition, 1},
		{`[{}, {"A": "[0.75, 0.75] => [0.25, 0.25], True"}]`, Unreadable, 2, validator.FailSyntax, 1},
		{`[{}, {"A": "[0.75, 0.75] -> [0.25, 0.25], True", "A": "[0.75, 0.75] -> [0.25, 0.25], True"}]`, MovesTwice, 2, validator.FailSyntax, 1},
		{`[{"A": "[0.75, 0.75] -> [1.25, 1.25], True", "B": "[2.25, 0.75] -> [1.25, 1.25], True"}]`, SameEnd, 1, validator.FailMutex, 0},
		{`{"A": "[0.75, 0.75] -> [0.25, 0.25], True"}`, Unreadable, 0, validator.FailSyntax, 0},
	} {
		r := NewJudge(scene(t, ""), Default).JudgeText([]byte(c.plan))
		v := r.Verdict
		kind := validator.FailureKind("")
		if v.Failure != nil {
			kind = v.Failure.Kind
		}
		if r.Reason != c.reason || r.Step != c.step || kind != c.kind || v.Executed != c.executed || v.Valid != (c.reason == "") || v.GoalReached != v.Valid {
			t.Errorf("%s: %q in step %d, %+v %+v", c.plan, r.Reason, r.Step, v, v.Failure)
		}
		if cost, ok := v.Cost.Int64(); !ok || cost != int64(c.executed) || !v.CostDefined {
			t.Errorf("%s: cost %v", c.plan, v.Cost)
		}
	}
}

// TestStepsNameARobotOnce: the reader of steps refuses a name given twice, and so does the judge.
func TestStepsNameARobotOnce(t *testing.T) {
	j := NewJudge(scene(t, ""), Default)
	m := Move{Robot: "A", From: Point{3 * One / 4, 3 * One / 4}, To: Point{One / 4, One / 4}}
	if f := j.Step(j.Start(), Step{m, m}, new(Scratch)); f == nil || f.Reason != MovesTwice || f.Move != 1 {
		t.Errorf("%+v", f)
	}
}

// BenchmarkStep judges steps of two arms among the 25 of a 6 x 6 map.
func BenchmarkStep(b *testing.B) {
	in := &Instance{Width: 6, Height: 6}
	for x := 1; x < 6; x++ {
		for y := 1; y < 6; y++ {
			base := Point{Coord(x) * One, Coord(y) * One}
			in.Robots = append(in.Robots, Robot{Name: fmt.Sprintf("Robot %d", len(in.Robots)), Base: base, Arm: Point{base.X - One/4, base.Y - One/4}})
		}
	}
	for i := range 5 {
		in.Objects = append(in.Objects, Object{Name: fmt.Sprintf("Object %d", i), At: in.Robots[i*5].Arm})
	}
	j := NewJudge(in, Default)
	there := func(r int, to Point, carry bool) Move {
		return Move{Robot: in.Robots[r].Name, From: in.Robots[r].Arm, To: to, Carry: carry}
	}
	out := Step{there(10, Point{in.Robots[10].Base.X + One/4, in.Robots[10].Base.Y - One/4}, true), there(18, Point{in.Robots[18].Base.X - One/4, in.Robots[18].Base.Y + One/4}, false)}
	back := Step{{Robot: out[0].Robot, From: out[0].To, To: out[0].From, Carry: true}, {Robot: out[1].Robot, From: out[1].To, To: out[1].From}}
	st, s := j.Start(), new(Scratch)
	b.ReportAllocs()
	began := testkit.CPUTime()
	for i := 0; b.Loop(); i++ {
		step := out
		if i%2 == 1 {
			step = back
		}
		if f := j.Step(st, step, s); f != nil {
			b.Fatal(f.Words(step))
		}
	}
	b.ReportMetric(float64(b.N)/(testkit.CPUTime()-began).Seconds(), "steps/cpu-s")
}
