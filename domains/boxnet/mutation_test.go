package boxnet

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// mutants are changes to the rules: some test must notice each. Nothing can notice what glance.go does at the ends of a
// way (isEnd, mayBeAllowed, parallels): without it floats leave these places open, and exact arithmetic decides.
var mutants = []struct{ file, old, fresh string }{
	{"geometry.go", "-One < dx && dx < One", "-One <= dx && dx < One"},
	{"geometry.go", "-One < dx && dx < One", "-One < dx && dx <= One"},
	{"geometry.go", "-One < dy && dy < One", "-One <= dy && dy < One"},
	{"geometry.go", "-One < dy && dy < One", "-One < dy && dy <= One"},
	{"geometry.go", "orient(a, b, c)*orient(a, b, d) <= 0 &&", "orient(a, b, c)*orient(a, b, d) < 0 &&"},
	{"geometry.go", "orient(c, d, a)*orient(c, d, b) <= 0", "orient(c, d, a)*orient(c, d, b) < 0"},
	{"geometry.go", "max(a.Y, b.Y) < min(c.Y, d.Y)", "max(a.Y, b.Y) <= min(c.Y, d.Y)"},
	{"geometry.go", "c.Y-a.Y) <= 0", "c.Y-a.Y) < 0"},
	{"geometry.go", "- int64(a>>63)&int64(b)", ""},
	{"rules.go", "case r.To == s.To:\n\t\treturn SameEnd", "case false:\n\t\treturn SameEnd"},
	{"rules.go", "case touch(r.Base, r.To, s.Base, s.To):", "case cross(r.Base, r.To, s.Base, s.To):"},
	{"rules.go", "if touch(r.From, r.To, resting.Base, resting.To)", "if cross(r.From, r.To, resting.Base, resting.To)"},
	{"rules.go", "if cross(r.From, r.To, s.From, s.To)", "if false"},
	{"rules.go", "case rd == CrossingOnly:", "case false:"},
	{"rules.go", "case rd.pathsTouch(r, s):", "case false:"},
	{"rules.go", "case meetsMoving(r, s) || meetsMoving(s, r):", "case meetsMoving(r, s):"},
	{"rules.go", "case meetsMoving(r, s) || meetsMoving(s, r):", "case meetsMoving(s, r):"},
	{"rules.go", "case rd == NoFollow:\n\t\treturn true", "case false:\n\t\treturn true"},
	{"rules.go", "case r.From == s.To && s.From == r.To:", "case false:"},
	{"rules.go", "return !meetOnlyAt(r.From, r.To, s.From)", "return false"},
	{"rules.go", "return !meetOnlyAt(s.From, s.To, r.From)", "return true"},
	{"rules.go", "[2]Point{s.From, s.To}", "[1]Point{s.From}"},
	{"rules.go", "[2]Point{s.From, s.To}", "[1]Point{s.To}"},
	{"rules.go", "tip == r.From && meetOnlyAt(tip, r.To, s.Base)", "tip == r.From"},
	{"rules.go", "tip == r.To && meetOnlyAt(tip, r.From, s.Base)", "false"},
	{"judge.go", "case motion.Moves:", "case false:"},
	{"judge.go", "case !m.Bare && m.From != st.Arms[i]:", "case false:"},
	{"judge.go", "case !j.Instance.Reaches(motion.Base, m.To):", "case false:"},
	{"judge.go", "!j.Instance.Aligned(tip, at) || ", ""},
	{"judge.go", "if !m.Carry {", "if true {"},
	{"judge.go", "if at == to {", "if false && at == to {"},
	{"judge.go", "if c == int32(b) {", "if false && c == int32(b) {"},
	{"judge.go", "if st.clear && !r.Moves {", "if !r.Moves {"},
	{"judge.go", "*o.Target != st.Objects[i]", "false"},
	{"space.go", "-limit < dy && dy < limit", "-limit/2 < dy && dy < limit/2"},
	{"move.go", `return word == "True"`, "return true"},
	{"space.go", "d.above(nearest3D) && ", ""},
	{"space.go", "d.below(farthest3D)", "d.below(farthest3D+1)"},
	{"space.go", "squared(tip, object).below(aligned3D)", "tip == object"},
	{"space.go", "squared(tip, object).below(aligned3D)", "squared(tip, object).below(aligned3D+1)"},
	{"rules3d.go", "squared(r.To, s.To).below(aligned3D)", "r.To == s.To"},
	{"rules3d.go", "case rd == Arms && armsTouch(r, s, known):", "case false:"},
	{"rules3d.go", "case rd.waysTouch(r, s, known):", "case false:"},
	{"rules3d.go", "case rd == Arms && (swingsThrough(r, s, known) || swingsThrough(s, r, known)):", "case rd == Arms && swingsThrough(r, s, known):"},
	{"rules3d.go", "case r.Carries && s.Carries && straightWaysCross(r, s):", "case straightWaysCross(r, s):"},
	{"rules3d.go", "case r.Carries && s.Carries && straightWaysCross(r, s):", "case false:"},
	{"rules3d.go", "if way.passes(resting.To) {", "if false {"},
	{"rules3d.go", "arm := armTrack(resting.Base, resting.To); way.meets(&arm, nil, known)", "arm := armTrack(resting.Base, resting.To); false && way.meets(&arm, nil, known)"},
	{"rules3d.go", "if rd == NoFollow {", "if false {"},
	{"rules3d.go", "a.turn == -b.turn && (r.Base == s.Base || a.turn == 0)", "false"},
	{"rules3d.go", "if p == s.From || p == s.To {", "if true {"},
	{"rules3d.go", "if p == s.From || p == s.To {", "if p == s.From {"},
	{"rules3d.go", "[2]Point{s.From, s.To}", "[1]Point{s.To}"},
	{"rules3d.go", "way.meets(&arm, []Point{tip}, known)", "way.meets(&arm, nil, known)"},
	{"rules3d.go", "way.meets(&arm, []Point{tip}, known)", "way.meets(&arm, []Point{tip, r.From}, known)"},
	{"rules3d.go", "r.From == s.To && s.From == r.To || Default", "Default"},
	{"rules3d.go", "!m.Moves || p == m.From || p == m.To", "!m.Moves"},
	{"swing.go", "s.inner.Cmp(s.outer) > 0", "false"},
	{"swing.go", "s.turn == 0 && s.from.dot(s.to).Sign() < 0", "false"},
	{"swing.go", "\t\ts.turn = 1\n", "\t\ts.turn = -1\n"},
	{"swing.go", "s.turn*after >= 0 && ", "s.turn*after >= -1 && "},
	{"swing.go", "return atInner >= 0 && ", "return "},
	{"swing.go", " && s.far.dotted(x, y).sign(p.root) >= 0", ""},
	{"swing.go", "list = append(list, lineLine(s.far, w, t.far)...)", ""},
	{"swing.go", "list = append(list, lineCircle(s.far, w, t.inner)...)", ""},
	{"swing.go", "list = append(list, circleCircle(s.inner, w, t.inner)...)", ""},
	{"track.go", "squared(middle, t.from).compare(edge.inner) <= 0 || ", ""},
	{"track.go", "t.inner.compare(t.outer) > 0", "false"},
	{"track.go", "t.turn == 0 && dotSign(base, from, to) < 0", "false"},
	{"track.go", "t.turn*orient(t.base, q, t.to) >= 0", "true"},
	{"track.go", "d.compare(t.outer) <= 0 && ", ""},
	{"track.go", " && dotSign(t.base, t.far, q) >= 0", ""},
	{"track.go", "{other, t}", "{t, other}"},
	{"track.go", "&& !slices.Contains(allowed, end)", "&& (!slices.Contains(allowed, end) || true)"},
	{"track.go", "\tg.straights()\n", ""},
	{"track.go", "\tg.straightAndArc(0)\n", ""},
	{"track.go", "\tg.straightAndArc(1)\n", ""},
	{"track.go", "\tg.arcs()\n", ""},
	{"glance.go", "[2]arrow{w, w.back()}", "[2]arrow{w, w}"},
	{"glance.go", "middle.minus(side))", "middle.plus(side))"},
	{"glance.go", "d.times(along.minus(root)))", "d.times(along.plus(root)))"},
	{"glance.go", "!g.way[way].on(p, end) || !g.way[1-way].on(q, end)", "!g.way[way].on(p, end)"},
	{"glance.go", "along.minus(f.near.times(den))", "along"},
	{"glance.go", "all(at.cross(f.from), f.to.cross(at))", "all(f.from.cross(at), at.cross(f.to))"},
	{"glance.go", "det, t = det.neg(), t.neg()", ""},
	{"approx.go", "math.Abs(a.v)*b.e + math.Abs(b.v)*a.e + ", ""},
	{"approx.go", "(a.e + b.e + math.Abs(v)*halfUnit)", "(a.e + b.e)"},
	{"approx.go", "(a.e/v + v*halfUnit)", "(v*halfUnit)"},
	{"approx.go", "case !a.positive():", "case false:"},
	{"space.go", "hi + hi2 + carry", "hi + hi2 + 0*carry"},
	{"swing.go", "append(lineCircle(s.far, w, r2), circleCircle(s.inner, w, r2)...)", "lineCircle(s.far, w, r2)"},
	{"swing.go", "append(lineCircle(s.far, w, r2), circleCircle(s.inner, w, r2)...)", "circleCircle(s.inner, w, r2)"},
	{"surd.go", "return s.a.Sign() * mulInt", "return -s.a.Sign() * mulInt"},
	{"surd.go", "case 0:\n\t\treturn []*spot", "case 0:\n\t\treturn nil\n\tcase 7:\n\t\treturn []*spot"},
	{"judge.go", "m.Bare && !j.Instance.Swings()", "false"},
	{"judge.go", "o != nil && motion.travels()", "false"},
	{"judge.go", "int(s.carried[r]) != o && ", ""},
	{"judge.go", "s.motions[r].Sweeps(at)", "false"},
	{"judge.go", "best < 0 || Nearer(tip, at, st.Objects[best])", "best < 0"},
}

// TestMutants changes one rule at a time and runs the tests, which must fail.
func TestMutants(t *testing.T) {
	if os.Getenv("PLANPROOF_LONG") == "" {
		t.Skip("compiles the package once for each mutant: set PLANPROOF_LONG=1")
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range mutants {
		path := filepath.Join(dir, m.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), m.old) {
			t.Errorf("mutant %d: %s does not hold %q", i, m.file, m.old)
			continue
		}
		overlay := testkit.Overlay(t, map[string]string{path: strings.Replace(string(text), m.old, m.fresh, 1)})
		cmd := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-run", "Steps|Plans|SecondChecker|BadRows|Products|Nearest|Glance|Approx", ".")
		cmd.Env = append(os.Environ(), "PLANPROOF_LONG=", "PLANPROOF_SHARED=/nowhere")
		out, err := cmd.CombinedOutput()
		switch {
		case err == nil:
			t.Errorf("no test notices mutant %d: %s: %q instead of %q", i, m.file, m.fresh, m.old)
		case !strings.Contains(string(out), "--- FAIL"):
			t.Errorf("mutant %d: %s: %q does not compile: %s", i, m.file, m.fresh, out)
		}
	}
}
