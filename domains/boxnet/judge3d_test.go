package boxnet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// swingingArms is a state of two robots of BoxNet3D on neighbouring joints with two objects.
const swingingArms = `{"dimensions": 3, "map": [3, 2],
	"robots": [{"name": "A", "base": [1.1, 1.1], "arm": [0.55, 1.65]}, {"name": "B", "base": [2.2, 1.1], "arm": [2.2, 0.6]}],
	"objects": [{"name": "x", "at": [0.55, 1.65], "target": [0.55, 0.55]}, {"name": "y", "at": [2.75, 1.65], "target": [2.75, 1.65]}]}`

// stepCases3D are steps from swingingArms or a variant, one for each thing that can be wrong and its nearest legal
// neighbours: the reasons under default, no-follow and arms.
var stepCases3D = []struct {
	name, from, step string
	want             [3]Reason
}{
	{"nothing", "", `{}`, [3]Reason{}},
	{"carry a quarter", "", `{"A": "Move [0.55, 0.55], True"}`, [3]Reason{}},
	{"without comma, as in the paper", "", `{"A": "Move [0.55, 0.55] True"}`, [3]Reason{}},
	{"with its start", "", `{"A": "[0.55, 1.65] -> [0.55, 0.55], True"}`, [3]Reason{}},
	{"with a wrong start", "", `{"A": "[0.55, 1.650000000001] -> [0.55, 0.55], True"}`, [3]Reason{WrongStart, WrongStart, WrongStart}},
	{"nobody", "", `{"C": "Move [0.55, 0.55], True"}`, [3]Reason{UnknownRobot, UnknownRobot, UnknownRobot}},
	{"the inner edge of the band", "", `{"A": "Move [1.1, 0.7], False"}`, [3]Reason{OutOfReach, OutOfReach, OutOfReach}},
	{"just beyond the inner edge", "", `{"A": "Move [1.1, 0.699999999999], False"}`, [3]Reason{}},
	{"the outer edge of the band", "", `{"A": "Move [1.1, 0.3], False"}`, [3]Reason{OutOfReach, OutOfReach, OutOfReach}},
	{"just within the outer edge", "", `{"A": "Move [1.1, 0.300000000001], False"}`, [3]Reason{}},
	{"a point of the outer circle", "", `{"A": "Move [0.62, 0.46], False"}`, [3]Reason{OutOfReach, OutOfReach, OutOfReach}}, // 0.48, 0.64
	{"huge", "", `{"A": "Move [1e300, -1e300], False"}`, [3]Reason{OutOfReach, OutOfReach, OutOfReach}},
	{"aligned a little off", `"arm": [0.55, 1.65]>"arm": [0.61, 1.57000001]`, `{"A": "Move [0.55, 0.55], True"}`, [3]Reason{}},
	{"a tenth is not aligned", `"arm": [0.55, 1.65]>"arm": [0.61, 1.57]`, `{"A": "Move [0.55, 0.55], True"}`, [3]Reason{NoObject, NoObject, NoObject}},
	{"tips a tenth apart", `"arm": [2.2, 0.6]>"arm": [1.6, 1.1]`, `{"A": "Move [1.7, 1.1], False"}`, [3]Reason{"", "", ArmsTouch}},
	{"tips less than a tenth apart", `"arm": [2.2, 0.6]>"arm": [1.6, 1.1]`, `{"A": "Move [1.699999999999, 1.1], False"}`, [3]Reason{SameEnd, SameEnd, SameEnd}},
	{"over a resting tip", `"arm": [2.2, 0.6]>"arm": [1.65, 1.65];"arm": [0.55, 1.65]>"arm": [0.55, 0.55]`, `{"A": "Move [1.65, 0.55], False"}`, [3]Reason{"", "", ""}},
	{"over a resting tip, half around", `"arm": [2.2, 0.6]>"arm": [1.65, 0.55];"arm": [0.55, 1.65]>"arm": [0.55, 0.55]`, `{"A": "Move [1.65, 1.65], False"}`, [3]Reason{MeetsResting, MeetsResting, MeetsResting}},
	{"half around the other way", `"arm": [2.2, 0.6]>"arm": [1.65, 0.55];"arm": [0.55, 1.65]>"arm": [1.65, 1.65];"x", "at": [0.55, 1.65]>"x", "at": [2.75, 0.55]`, `{"A": "Move [0.55, 0.55], False"}`, [3]Reason{}},
	{"across a resting arm", `"arm": [2.2, 0.6]>"arm": [1.6, 1.1];"arm": [0.55, 1.65]>"arm": [1.65, 1.65]`, `{"A": "Move [1.65, 0.55], False"}`, [3]Reason{"", "", MeetsResting}},
	{"follow", `"arm": [2.2, 0.6]>"arm": [1.65, 1.65]`, `{"A": "Move [1.65, 1.65], False", "B": "Move [2.75, 1.65], False"}`, [3]Reason{"", PathsTouch, ""}},
	{"ways cross", `"arm": [2.2, 0.6]>"arm": [1.65, 0.55];"arm": [0.55, 1.65]>"arm": [1.65, 1.65]`,
		`{"A": "Move [1.65, 0.56], False", "B": "Move [1.65, 1.65], False"}`, [3]Reason{PathsTouch, PathsTouch, PathsTouch}},
	{"exchange", `"arm": [2.2, 0.6]>"arm": [1.65, 0.55];"arm": [0.55, 1.65]>"arm": [1.65, 1.65]`,
		`{"A": "Move [1.65, 0.55], False", "B": "Move [1.65, 1.65], False"}`, [3]Reason{"", PathsTouch, ""}},
	{"exchange of objects", `"arm": [2.2, 0.6]>"arm": [1.65, 0.55];"arm": [0.55, 1.65]>"arm": [1.65, 1.65];"x", "at": [0.55, 1.65]>"x", "at": [1.65, 0.55];"y", "at": [2.75, 1.65]>"y", "at": [1.65, 1.65]`,
		`{"A": "Move [1.65, 0.55], True", "B": "Move [1.65, 1.65], True"}`, [3]Reason{ObjectsCross, PathsTouch, ObjectsCross}},
	{"exchange along one line", `"arm": [2.2, 0.6]>"arm": [1.7, 1.1];"arm": [0.55, 1.65]>"arm": [1.55, 1.1]`,
		`{"A": "Move [1.7, 1.1], False", "B": "Move [1.55, 1.1], False"}`, [3]Reason{PathsTouch, PathsTouch, ArmsTouch}},
	{"sweep an object", `"x", "at": [0.55, 1.65]>"x", "at": [0.55, 0.55]`, `{"A": "Move [1.65, 0.55], False"}`, [3]Reason{SweepsObject, SweepsObject, SweepsObject}},
	{"sweep nearer to the base", `"x", "at": [0.55, 1.65]>"x", "at": [0.55, 0.55]`, `{"A": "Move [1.64, 0.55], False"}`, [3]Reason{}},
	{"carry what lies on the way", `"x", "at": [0.55, 1.65]>"x", "at": [1.1, 1.6];"arm": [0.55, 1.65]>"arm": [1.1, 1.65]`, `{"A": "Move [1.1, 1.55], True"}`, [3]Reason{}},
	{"leave an object", "", `{"A": "Move [0.55, 0.55], False"}`, [3]Reason{}},
	{"onto an object", `"y", "at": [2.75, 1.65]>"y", "at": [0.55, 0.55]`, `{"A": "Move [0.55, 0.55], True"}`, [3]Reason{ObjectsCollide, ObjectsCollide, ObjectsCollide}},
	{"through a pillar", `"map">"obstacles": [{"name": "p", "at": [0.1, 1.1], "radius": 0.23, "height": 0.1}], "map"`, `{"A": "Move [0.55, 0.55], True"}`, [3]Reason{MeetsObstacle, MeetsObstacle, MeetsObstacle}},
	{"beside a pillar", `"map">"obstacles": [{"name": "p", "at": [0.1, 1.1], "radius": 0.22, "height": 0.1}], "map"`, `{"A": "Move [0.55, 0.55], True"}`, [3]Reason{}},
	{"touch a pillar on the straight part", `"map">"obstacles": [{"name": "p", "at": [1.15, 1.7], "radius": 0.05, "height": 0.1}], "map";"arm": [0.55, 1.65]>"arm": [1.1, 1.55]`, `{"A": "Move [1.1, 1.85], False"}`, [3]Reason{MeetsObstacle, MeetsObstacle, MeetsObstacle}},
	{"beside a pillar on the straight part", `"map">"obstacles": [{"name": "p", "at": [1.15, 1.7], "radius": 0.049999999999, "height": 0.1}], "map";"arm": [0.55, 1.65]>"arm": [1.1, 1.55]`, `{"A": "Move [1.1, 1.85], False"}`, [3]Reason{}},
	{"touch a pillar", `"map">"obstacles": [{"name": "p", "at": [1.1, 1.8], "radius": 0.2, "height": 0.1}], "map";"arm": [0.55, 1.65]>"arm": [0.8, 1.5]`, `{"A": "Move [1.5, 1.4], True"}`, [3]Reason{MeetsObstacle, MeetsObstacle, MeetsObstacle}},
}

func swingScene(t *testing.T, from string) *Instance {
	t.Helper()
	text := swingingArms
	if from != "" {
		for _, change := range strings.Split(from, ";") {
			old, fresh, _ := strings.Cut(change, ">")
			if !strings.Contains(text, old) {
				t.Fatalf("no %s", old)
			}
			text = strings.Replace(text, old, fresh, 1)
		}
	}
	in, err := ReadInstance([]byte(text), true)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestSteps3D: each rule of BoxNet3D refuses what it is for, and allows what lies next to it.
func TestSteps3D(t *testing.T) {
	for _, c := range stepCases3D {
		for i, rd := range Readings3D() {
			step, err := ReadStep([]byte(c.step))
			if err != nil {
				t.Fatal(c.name, err)
			}
			j := NewJudge(swingScene(t, c.from), rd)
			got, words := Reason(""), ""
			if f := j.Step(j.Start(), step, new(Scratch)); f != nil {
				got, words = f.Reason, f.Words(step)
			}
			if got != c.want[i] {
				t.Errorf("%s, %s: %q, want %q (%s)", c.name, rd, got, c.want[i], words)
			}
		}
	}
}

// TestPaperExample3D: the plan of the paper's prompt, with the name of its second robot put right, is valid.
func TestPaperExample3D(t *testing.T) {
	in, err := ReadInstance([]byte(`{"dimensions": 3, "map": [2, 3], "objects": [{"name": "Object 1", "at": [0.55, 1.65], "target": [1.65, 0.55]}],
		"robots": [{"name": "Robot 1", "base": [1.1, 1.1], "arm": [1.24, 0.61]}, {"name": "Robot 2", "base": [1.1, 2.2], "arm": [1.24, 1.71]}]}`), true)
	if err != nil {
		t.Fatal(err)
	}
	plan := `[{"Robot 1": "Move [0.55, 1.65] False"}, {"Robot 1": "Move [1.65, 1.65] True"},
		{"Robot 1": "Move [1.10, 1.70] False", "Robot 2": "Move [1.65, 1.66] False"}, {"Robot 2": "Move [1.65, 0.55] True"}]`
	res := NewJudge(in, Default).JudgeText([]byte(plan))
	if res.Reason != OutOfReach || res.Step != 4 { // its second robot does not reach the target
		t.Errorf("%q in step %d", res.Reason, res.Step)
	}
	res = NewJudge(in, Default).JudgeText([]byte(strings.Replace(plan, `"Robot 2": "Move [1.65, 0.55]`, `"Robot 2": "Move [1.65, 2.75]`, 1)))
	if res.Reason != GoalNotReached || res.ParaMax != 2 || res.Moves != 5 {
		t.Errorf("%q in step %d, %+v", res.Reason, res.Step, res)
	}
}

// TestNearest: a tip that is aligned with two objects takes the nearer one, and sets it down where it ends.
func TestNearest(t *testing.T) {
	in := swingScene(t, `"y", "at": [2.75, 1.65]>"y", "at": [0.56, 1.65];"arm": [0.55, 1.65]>"arm": [0.556, 1.65]`)
	j := NewJudge(in, Default)
	st := j.Start()
	step := Step{{Robot: "A", To: Point{11 * One / 20, 11 * One / 20}, Carry: true, Bare: true}}
	if f := j.Step(st, step, new(Scratch)); f != nil || st.Objects[1] != step[0].To || st.Objects[0] != in.Objects[0].At {
		t.Errorf("%v, %v", f, st.Objects)
	}
}

// TestBadRows3D answers rows of BoxNet3D that cannot be read.
func TestBadRows3D(t *testing.T) {
	state := strings.ReplaceAll(swingingArms[1:len(swingingArms)-1], "\n", " ")
	for _, c := range []struct{ old, fresh, want string }{
		{`"dimensions": 3`, `"dimensions": 4`, `dimensions is 4, neither 2 nor 3`},
		{`"dimensions": 3`, `"dimensions": "3"`, `neither 2 nor 3`},
		{`"dimensions": 3`, `"dimensions": NaN`, `"error":"row 1: `},
		{`"dimensions": 3`, `"dimensions": 3, "obstacles": [{"name": "p", "at": [1, 1], "radius": 0.1, "height": -0.1}]`, `height: -0.1 is not above 0`},
		{`"dimensions": 3`, `"dimensions": 3, "obstacles": [{"name": "p", "at": [1, 1], "radius": 0, "height": 1}]`, `radius: 0 is not above 0`},
		{`"dimensions": 3`, `"dimensions": 3, "obstacles": [{"name": "p", "at": [1, 1], "height": 1}]`, `it has no \"radius\"`},
		{`"dimensions": 3`, `"dimensions": 3, "obstacles": {}`, `obstacles is not a list`},
		{`"dimensions": 3`, `"obstacles": [{"name": "p", "at": [1, 1], "radius": 1, "height": 1}]`, `obstacles are only of BoxNet3D`},
		{`[1.1, 1.1]`, `[1.1, 1.1, 0.5]`, `base is [1.1, 1.1, 0.5], not a list of two numbers`},
		{`[1.1, 1.1]`, `[11/10, 1.1]`, `"error":"row 1: `},
		{`"arm": [0.55, 1.65]`, `"arm": [1e9, 1.65]`, `1e9 is a number beyond a million`},
		{`"arm": [0.55, 1.65]`, `"tip": [0.55, 1.65]`, `it has no \"arm\"`},
	} {
		got := check(t, `{"kind":"step","id":1,`+strings.Replace(state, c.old, c.fresh, 1)+`,"step":{}}`+"\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.fresh, got)
		}
	}
	// An arm that starts at its base, or far outside, is moved into the band, or refused, but never a panic.
	for _, start := range []string{"[1.1, 1.1]", "[1000000, -1000000]", "[1.100000000001, 1.1]"} {
		got := check(t, `{"kind":"step","id":1,`+strings.Replace(state, `"arm": [0.55, 1.65]`, `"arm": `+start, 1)+`,"step":{"A":"Move [0.55, 0.55], False"}}`+"\n")
		if !strings.Contains(got, `"legal":true`) {
			t.Errorf("%s: %s", start, got)
		}
	}
	got := check(t, fmt.Sprintf(`{"kind":"step","id":1,%s,"step":{"A":"Move [0.55, 0.55], False"}}`, strings.ReplaceAll(twoArms[1:len(twoArms)-1], "\n", " "))+"\n")
	if !strings.Contains(got, `"legal":false,"reason":"unreadable`) {
		t.Errorf("a move without its start in BoxNet2D: %s", got)
	}
}

// FuzzCheck3D looks for rows of BoxNet3D that are not answered in one line of JSON.
func FuzzCheck3D(f *testing.F) {
	state := strings.ReplaceAll(swingingArms[1:len(swingingArms)-1], "\n", " ")
	for _, c := range stepCases3D {
		f.Add(`{"kind":"step","id":1,` + state + `,"step":` + c.step + `}`)
		f.Add(`{"kind":"plan","id":1,` + state + `,"plan":[` + c.step + `]}`)
	}
	f.Fuzz(answersInOneLine)
}

// BenchmarkStep3D measures a step of two robots of nine, under each reading.
func BenchmarkStep3D(b *testing.B) {
	in := &Instance{Dimensions: 3, Width: 4, Height: 4}
	for x := 1; x < 4; x++ {
		for y := 1; y < 4; y++ {
			base := Point{Coord(x) * Side3D, Coord(y) * Side3D}
			in.Robots = append(in.Robots, Robot{Name: fmt.Sprintf("Robot %d", len(in.Robots)), Base: base, Arm: Point{base.X, base.Y - rest3D}})
		}
	}
	for i := range 4 {
		in.Objects = append(in.Objects, Object{Name: fmt.Sprintf("Object %d", i), At: in.Robots[2*i].Arm})
	}
	for _, rd := range Readings3D() {
		b.Run(string(rd), func(b *testing.B) { benchmarkSteps(b, NewJudge(in, rd)) })
	}
}

func benchmarkSteps(b *testing.B, j *Judge) {
	robots := j.Instance.Robots
	st, s := j.Start(), new(Scratch)
	b.ReportAllocs()
	began := testkit.CPUTime()
	for i := 0; b.Loop(); i++ {
		to := []Coord{-rest3D, 45 * One / 100}[1-i%2]
		step := Step{{Robot: "Robot 4", To: Point{robots[4].Base.X, robots[4].Base.Y + to}, Carry: true, Bare: true}, {Robot: "Robot 1", To: Point{robots[1].Base.X + to, robots[1].Base.Y}, Bare: true}}
		if f := j.Step(st, step, s); f != nil {
			b.Fatal(f.Words(step))
		}
	}
	b.ReportMetric(float64(b.N)/(testkit.CPUTime()-began).Seconds(), "steps/cpu-s")
}
