package boxnet

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutants are changes to the rules: some test must notice each.
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
	{"rules3d.go", "case rd == Arms && arm(r.Base, r.To).meets(arm(s.Base, s.To), none):", "case false:"},
	{"rules3d.go", "case rd.waysTouch(r, s):", "case false:"},
	{"rules3d.go", "case rd == Arms && (swingsThrough(r, s) || swingsThrough(s, r)):", "case rd == Arms && swingsThrough(r, s):"},
	{"rules3d.go", "case r.Carries && s.Carries && straightWaysCross(r, s):", "case straightWaysCross(r, s):"},
	{"rules3d.go", "case r.Carries && s.Carries && straightWaysCross(r, s):", "case false:"},
	{"rules3d.go", "r.way().passes(resting.To) || ", ""},
	{"rules3d.go", "rd == Arms && r.way().meets(arm(resting.Base, resting.To), none)", "false"},
	{"rules3d.go", "if rd == NoFollow {", "if false {"},
	{"rules3d.go", "a.turn == -b.turn && (r.Base == s.Base || a.turn == 0)", "false"},
	{"rules3d.go", "isEnd(p, r, r.Base) && isEnd(p, s, r.Base)", "isEnd(p, s, r.Base)"},
	{"rules3d.go", "[2]Point{s.From, s.To}", "[1]Point{s.To}"},
	{"rules3d.go", "return p.is(at) })", "return p.is(at) && false })"},
	{"rules3d.go", "return p.is(at) })", "return p.is(at) || true })"},
	{"rules3d.go", "r.From == s.To && s.From == r.To || Default", "Default"},
	{"rules3d.go", "p != m.From && p != m.To && ", ""},
	{"swing.go", "s.inner.Cmp(s.outer) > 0", "false"},
	{"swing.go", "s.turn == 0 && s.from.dot(s.to).Sign() < 0", "false"},
	{"swing.go", "\t\ts.turn = 1\n", "\t\ts.turn = -1\n"},
	{"swing.go", "s.turn*after >= 0 && ", "s.turn*after >= -1 && "},
	{"swing.go", "return atInner >= 0 && ", "return "},
	{"swing.go", " && s.far.dotted(x, y).sign(p.root) >= 0", ""},
	{"swing.go", "list = append(list, lineLine(s.far, w, t.far)...)", ""},
	{"swing.go", "list = append(list, lineCircle(s.far, w, t.inner)...)", ""},
	{"swing.go", "list = append(list, circleCircle(s.inner, w, t.inner)...)", ""},
	{"swing.go", "d.dot(d).Cmp(r2) <= 0", "false"},
	{"swing.go", "append(lineCircle(s.far, w, r2), circleCircle(s.inner, w, r2)...)", "lineCircle(s.far, w, r2)"},
	{"swing.go", "append(lineCircle(s.far, w, r2), circleCircle(s.inner, w, r2)...)", "circleCircle(s.inner, w, r2)"},
	{"surd.go", "return s.a.Sign() * mulInt", "return -s.a.Sign() * mulInt"},
	{"surd.go", "case 0:\n\t\treturn []*spot", "case 0:\n\t\treturn nil\n\tcase 7:\n\t\treturn []*spot"},
	{"judge.go", "m.Bare && !j.Instance.Swings()", "false"},
	{"judge.go", "if o := j.Instance.Blocked(motion); o != nil {", "if o := j.Instance.Blocked(motion); false && o != nil {"},
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
		changed := filepath.Join(t.TempDir(), m.file)
		overlay := filepath.Join(t.TempDir(), "overlay.json")
		replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{changed: strings.Replace(string(text), m.old, m.fresh, 1), overlay: string(replace)} {
			if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-run", "Steps|Plans|SecondChecker|BadRows|Products|Nearest", ".")
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
