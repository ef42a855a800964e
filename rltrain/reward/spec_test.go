package reward

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/rewardtest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

func readReward(t testing.TB, text string) *Spec {
	t.Helper()
	s, diags := Read(pddl.NewSource("r.json", text))
	if diags.HasErrors() {
		t.Fatalf("%s: %v", text, diags)
	}
	return s
}

// TestExpressions evaluates expressions over a = 2, b = -3, c = 0.
func TestExpressions(t *testing.T) {
	values := map[string]float64{"a": 2, "b": -3, "c": 0, "p.x": 0.5, "p.q.x": 8}
	names := []string{"a", "b", "c", "p.q.x", "p.x"}
	known := func(n string) bool { _, ok := values[n]; return ok }
	for _, c := range []struct {
		text string
		want float64
	}{
		{"1", 1}, {"a+b*2", -4}, {"(a+b)*2", -2}, {"a-b-1", 4}, {"-a", -2}, {"+a", 2}, {"a/4", 0.5}, {"1e2", 100}, {".5+0.25", 0.75},
		{"min(a, b, c)", -3}, {"max(a, b, c)", 2}, {"abs(b)", 3}, {"clamp(a, 0, 1)", 1}, {"clamp(b, 0, 1)", 0}, {"clamp(p.x, 0, 1)", 0.5},
		{"choose(a > b, 10, 20)", 10}, {"choose(c, 10, 20)", 20}, {"(a<b)+(a<=2)*2+(a>=2)*4+(a==2)*8+(a!=2)*16", 14},
		{"p.q.x * p.x", 4}, {"a\n+ 1", 3}, {"1 - 0.1 - 0.1", 1 - 0.1 - 0.1},
	} {
		x, faults := parseExpr(c.text, known, names)
		if len(faults) > 0 {
			t.Errorf("%s: %v", c.text, faults)
			continue
		}
		vars := make([]float64, len(x.names))
		for i, n := range x.names {
			vars[i] = values[n]
		}
		if got := x.eval(vars, make([]float64, x.depth)); got != c.want {
			t.Errorf("%s = %v, want %v", c.text, got, c.want)
		}
		if i, err := x.bounds(func(n string) interval { return interval{values[n], values[n]} }); err != nil || i.lo > c.want || i.hi < c.want {
			t.Errorf("%s = %v outside %v (%v)", c.text, c.want, i, err)
		}
	}
}

func TestBadExpressions(t *testing.T) {
	known := func(n string) bool { return n == "valid" || n == "v.cost" }
	for _, c := range []struct {
		text, want string
		at         int
	}{
		{"", "not an expression", 0}, {"1 +", "not an expression", 3}, {"valdi", "no component valdi", 0}, {"1 + v.cots", "no component v.cots", 4},
		{"valid % 2", "operator %", 0}, {"!valid", "operator !", 0}, {"pow(2, 3)", "no function pow", 0}, {"abs()", "abs with 0 arguments", 0},
		{"min(1)", "min with 1 arguments", 0}, {`"x"`, "is no number", 0}, {"0x10", "is no number", 0}, {"010", "is no number", 0}, {"1i", "is no number", 0},
		{"1e999", "is no number", 0}, {"1e305", "too large", 0}, {"valid[0]", "not arithmetic", 0}, {"func() {}", "not arithmetic", 0}, {"valid.x.y.z.w", "no name", 0},
		{"valid; valid", "not an expression", 5}, {"min(valid...)", "no function", 0}, {"valid && valid", "operator &&", 0}, {"v.cost.cost", "no component v.cost.cost", 0},
		{strings.Repeat("(", 80) + "1" + strings.Repeat(")", 80), "levels", 65}, {strings.Repeat("-", 5000), "at most", 0},
		{strings.Repeat("- ", 1000) + "1", "levels", 130},
	} {
		x, faults := parseExpr(c.text, known, []string{"v.cost", "valid"})
		if x != nil || len(faults) == 0 || !strings.Contains(faults[0].text, c.want) || faults[0].at != c.at {
			t.Errorf("%.40q: %v, want %q at %d", c.text, faults, c.want, c.at)
		}
	}
}

// TestExprBounds draws expressions and values: values stay within the bounds, and are
// numbers.
func TestExprBounds(t *testing.T) {
	of := map[string]interval{"a": unit, "b": {-2, 5}, "c": natural, "d": {1, 3}}
	known := func(n string) bool { _, ok := of[n]; return ok }
	rapid.Check(t, func(t *rapid.T) {
		var draw func(depth int) string
		draw = func(depth int) string {
			if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
				return rapid.SampledFrom([]string{"a", "b", "c", "d", "0", "1", "0.1", "3", "(-2)"}).Draw(t, "name")
			}
			x, y, z := draw(depth-1), draw(depth-1), draw(depth-1)
			form := rapid.SampledFrom([]string{"(X+Y)", "(X-Y)", "(X*Y)", "(X/Y)", "min(X,Y)", "max(X,Y,Z)", "abs(X)", "clamp(X,Y,Z)", "choose(X,Y,Z)", "(X<Y)", "(X<=Y)", "(X==Y)", "(X!=Y)", "(X>Y)", "(X>=Y)", "(-X)"}).Draw(t, "form")
			return strings.NewReplacer("X", x, "Y", y, "Z", z).Replace(form)
		}
		text := draw(4)
		x, faults := parseExpr(text, known, nil)
		if x == nil {
			t.Fatalf("%s: %v", text, faults)
		}
		b, err := x.bounds(func(n string) interval { return of[n] })
		if err != nil {
			return // a divisor that may be 0, or too large
		}
		vars := make([]float64, len(x.names))
		for i, n := range x.names {
			vars[i] = rapid.OneOf(rapid.Float64Range(of[n].lo, of[n].hi), rapid.SampledFrom([]float64{of[n].lo, of[n].hi})).Draw(t, n)
		}
		if v := x.eval(vars, make([]float64, x.depth)); !(v >= b.lo && v <= b.hi) || math.IsInf(v, 0) {
			t.Fatalf("%s of %v = %v outside %v", text, vars, v, b)
		}
	})
}

// TestBadRewardFiles: each fault at its place, all of them at once.
func TestBadRewardFiles(t *testing.T) {
	head := `{"schema":"planproof.reward/1","name":"x",`
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{"r.json:1:1: error[bad-reward]: no JSON"}},
		{"[]", []string{"1:1: error[bad-reward]: a reward is a list, not an object"}},
		{`{"schema":`, []string{"1:11: error[bad-reward]: no JSON: the text ends too early"}},
		{head + `"kind":"valid"} {}`, []string{"more text after"}},
		{head + `"kind":"valid","kind":"valid"}`, []string{`a second member "kind"`}},
		{`{"schema":"planproof.reward/2","name":"valid","kind":"valid"}`, []string{`1:11: error[bad-reward]: schema is "planproof.reward/2"`, `1:39: error[bad-reward]: "valid" is the name of a reward that needs no file`}},
		{`{"schema":"planproof.reward/1","name":"A b","kind":"valid"}`, []string{`a reward needs a name; "A b" is none`}},
		{head + `"kind":"vald"}`, []string{`1:50: error[bad-reward]: "vald" is no kind`}},
		{head + `"kind":"valid","weight":1}`, []string{`1:58: error[bad-reward]: a reward has no member "weight"`}},
		{head + `"kind":"multirobot","format":2,"form":"loud","per_step":"x"}`, []string{"format is no number from 0 to 0.5", "per_step is no number", "form is none of think, parsed"}},
		{head + `"kind":"budget","budget":"-1","measure":"cost"}`, []string{"measure is none of within", "budget -1 is negative"}},
		{head + `"kind":"shaped","base":"format"}`, []string{`1:66: error[bad-reward]: under the base of a shaped reward`}},
		{head + `"kind":"shaped","base":{"kind":"valid","noise":{"flip":0.1}}}`, []string{`under the base of a shaped reward`}},
		{head + `"kind":"valid","noise":{"flip":1.5,"sed":1}}`, []string{"flip is no number from 0 to 1", `noise has no member "sed"`}},
		{head + `"kind":"valid","noise":{}}`, []string{"noise needs a probability"}},
		{head + `"kind":"weighted"}`, []string{"needs parts"}},
		{head + `"kind":"weighted","parts":{}}`, []string{"0 parts", "needs reward"}},
		{head + `"kind":"weighted","parts":{"min":"valid","b c":"valid","range":"valid"},"reward":"1"}`, []string{`"min" cannot be`, `"b c" cannot be`, `"range" cannot be`}},
		{head + `"kind":"weighted","parts":{"v":"vald"},"reward":"v"}`, []string{"did you mean"}},
		{head + `"kind":"weighted","parts":{"v":"valid"},"reward":"v + 2 * w"}`, []string{"1:101: error[bad-reward]: no component w"}},
		{head + `"kind":"weighted","parts":{"v":"valid"},"reward":"1/v"}`, []string{"for an invalid plan the divisor may be 0: it is always 0"}},
		{head + `"kind":"weighted","parts":{"p":"process"},"reward":"1/p.gold_steps"}`, []string{"the divisor may be 0: it is at least 0"}},
		{head + `"kind":"weighted","parts":{"s":"shaped"},"reward":"1/(s - 0.01)"}`, []string{"for an invalid plan the divisor may be 0: it is between"}},
		{head + `"kind":"weighted","parts":{"p":"process"},"reward":"p.gold_steps"}`, []string{"clamp it"}},
		{head + `"kind":"weighted","parts":{"v":"valid"},"reward":3}`, []string{"reward is a number, not an expression"}},
		{head + `"kind":"weighted","parts":{"a":` + strings.Repeat(`{"kind":"weighted","parts":{"a":`, 4) + `"valid"` + strings.Repeat(`},"reward":"a"}`, 4) + `},"reward":"a"}`, []string{"more than 3 levels"}},
		{strings.Repeat("[", 100), []string{"more than 12 levels"}},
		{strings.Repeat(" ", 70000), []string{"at most 65536 are read"}},
	} {
		s, diags := Read(pddl.NewSource("r.json", c.text))
		text := diags.Error()
		if s != nil || len(diags) == 0 {
			t.Errorf("%.200s: accepted", c.text)
		}
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%.200s:\n%s\nhas no %q", c.text, text, w)
			}
		}
	}
}

// TestSpecAddresses: the address depends on what a reward is and on nothing else.
func TestSpecAddresses(t *testing.T) {
	seen := map[string]string{}
	for _, s := range Builtin() {
		if other, twice := seen[s.SHA()]; twice {
			t.Errorf("%s and %s have one address", s.Name, other)
		}
		seen[s.SHA()] = s.Name
		if found, err := Find(s.SHA(), nil); err != nil || found != s {
			t.Errorf("%s is not found by its address: %v", s.Name, err)
		}
	}
	for _, text := range rewardtest.Mixes {
		s := readReward(t, text)
		if other, twice := seen[s.SHA()]; twice {
			t.Errorf("%s and %s have one address", s.Name, other)
		}
		seen[s.SHA()] = s.Name
		// Read again from its canonical form, under another name, it is the same.
		var m map[string]any
		d := json.NewDecoder(bytes.NewReader(s.Canonical()))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		dropVersions(m)
		m["schema"], m["name"] = SchemaReward, "again"
		again, _ := json.Marshal(m)
		if r := readReward(t, string(again)); r.SHA() != s.SHA() || !bytes.Equal(r.Canonical(), s.Canonical()) {
			t.Errorf("%s\nis read again as\n%s", s.Canonical(), r.Canonical())
		}
	}
	same := readReward(t, "{\n \"kind\": \"budget\", \"name\": \"y\", \"schema\": \"planproof.reward/1\", \"doc\": \"other words\", \"budget\": 12.50 }")
	if seen[same.SHA()] != "fixed" {
		t.Errorf("%s has another address than %s", same.Canonical(), rewardtest.Mixes[4])
	}
	// Logged addresses mean something only if they stay what they are.
	if sha := Builtin()[0].SHA(); sha != "sha256:9af75649df80eb8ccdc1472b7611658598710938c177a72f57969302cc71eb9b" {
		t.Errorf("the address of %s is %s", Builtin()[0].Canonical(), sha)
	}
}

func dropVersions(v any) {
	if m, ok := v.(map[string]any); ok {
		if _, isSpec := m["kind"]; isSpec {
			delete(m, "version")
		}
		for _, x := range m {
			dropVersions(x)
		}
	}
}

func FuzzReadReward(f *testing.F) {
	for _, m := range rewardtest.Mixes {
		f.Add(m)
	}
	f.Add(`{"schema":"planproof.reward/1","name":"x","kind":"weighted","parts":{"v":{"kind":"valid","noise":{"flip":0.5,"seed":-1}}},"reward":"1/(1+v)"}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, diags := Read(pddl.NewSource("r.json", text))
		if (s == nil) != diags.HasErrors() {
			t.Fatalf("%v, %v", s, diags)
		}
		if s == nil {
			return
		}
		e := evidence(Format{Plan: true}, 4, 0, 4, 4, true)
		if r, parts := s.Eval(&e); math.IsNaN(r) || r < s.Min || r > s.Max || len(parts)+1 != len(s.bounds(true)) {
			t.Fatalf("%s: %v, %v", text, r, parts)
		}
	})
}

// TestRewardsPage reads the reward file of docs/REWARDS.md, which lists every reward.
func TestRewardsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "REWARDS.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```json\n")
	text, _, ok := strings.Cut(rest, "```")
	if s := readReward(t, text); !ok || !s.NeedsDistances || s.Max != 1 || s.Min != 0 {
		t.Errorf("%+v", s)
	}
	for _, s := range Builtin() {
		if !strings.Contains(string(page), "| `"+s.Name+"`") {
			t.Errorf("the page does not list %s", s.Name)
		}
	}
}

// TestNamedParts: in a mix a reward that is only named is from 0 to 1; as an object it is what
// the object says.
func TestNamedParts(t *testing.T) {
	for _, c := range []struct {
		part     string
		min, max float64
	}{
		{`"process"`, 0, 1}, {`"process-skip"`, 0, 1}, {`"thesis"`, 0, 1}, {`"valid"`, 0, 1}, {`"format"`, 0, 1}, {`"budget"`, 0, 1},
		{`{"kind":"process"}`, 0, 105}, {`{"kind":"process","normalised":true}`, 0, 1},
	} {
		text := `{"schema":"planproof.reward/1","name":"x","kind":"weighted","parts":{"p":` + c.part + `},"reward":"p"}`
		s, diags := Read(pddl.NewSource("x.json", text))
		if s == nil || s.Min != c.min || s.Max != c.max {
			t.Errorf("%s: %+v %v", c.part, s, diags)
		}
	}
}
