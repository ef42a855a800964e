package reward

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
)

// byName finds a reward among those of the tests.
func byName(t testing.TB, name string) *Spec {
	t.Helper()
	for _, s := range allRewards(t) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no reward %s", name)
	return nil
}

func TestMultirobotReward(t *testing.T) {
	thought, bare := Format{Plan: true, Think: true}, Format{Plan: true}
	for _, c := range []struct {
		name  string
		e     Evidence
		want  float64
		wrong float64 // ref_not_optimal
	}{
		{"optimal", evidence(thought, 4, 0, 4, 4, true), 1.1, 0},
		{"optimal without thoughts", evidence(bare, 4, 0, 4, 4, true), 1, 0},
		{"two more", evidence(thought, 4, 0, 6, 6, true), 0.1 + 1 - 0.1*2, 0},
		{"twenty more", evidence(thought, 4, 0, 24, 24, true), 0.2, 0},
		{"twenty more without thoughts", evidence(bare, 4, 0, 24, 24, true), 0.2, 0},
		{"shorter than the reference", evidence(thought, 4, 0, 3, 3, true), 1.1, 1},
		{"invalid", evidence(thought, 4, 2, 2, 3, false), 0.1, 0},
		{"invalid without thoughts", evidence(bare, 4, 2, 2, 3, false), 0, 0},
		{"invalid and short", evidence(thought, 4, 4, 0, 0, false), 0.1, 0},
	} {
		if r, parts := byName(t, "multirobot").Eval(&c.e); math.Abs(r-c.want) > 1e-12 || parts["ref_not_optimal"] != c.wrong {
			t.Errorf("%s: %v, %v", c.name, r, parts)
		}
	}
	// The floor to the letter, 2 x r_format(s), is 0 for a response in another form.
	letter, diags := Read(pddl.NewSource("r", `{"schema":"planproof.reward/1","name":"letter","kind":"multirobot","floor":"formatted"}`))
	if diags.HasErrors() || letter.ValidWins {
		t.Fatalf("%v, a valid plan always wins: %v", diags, letter.ValidWins)
	}
	for _, c := range []struct {
		e    Evidence
		want float64
	}{{evidence(thought, 4, 0, 24, 24, true), 0.2}, {evidence(bare, 4, 0, 24, 24, true), 0}, {evidence(bare, 4, 0, 6, 6, true), 0.8}} {
		if r, _ := letter.Eval(&c.e); math.Abs(r-c.want) > 1e-12 {
			t.Errorf("to the letter: %v, want %v", r, c.want)
		}
	}
	e := evidence(thought, 4, 2, 2, 3, false)
	e.Extraction.Status = "no-plan"
	if r, _ := byName(t, "multirobot").Eval(&e); r != 0 {
		t.Errorf("thoughts without a plan earn %v", r)
	}
}

func TestBudgetReward(t *testing.T) {
	plan := func(cost int64) Evidence { // optimal 4, slack 4, budget of the row 6
		return evidence(Format{}, 4, 0, int(cost), int(cost), true)
	}
	for _, c := range []struct {
		reward string
		cost   int64
		want   float64
	}{
		{"budget", 4, 1}, {"budget", 6, 1}, {"budget", 7, 0},
		{"tight", 4, 0.5}, {"tight", 5, 0},
		{"loose", 4, 1}, {"loose", 8, 0.5}, {"loose", 9, 0},
		{"fixed", 12, 1}, {"fixed", 13, 0}, {"free", 400, 0.01},
	} {
		if r, parts := pay(byName(t, c.reward), plan(c.cost)); r != c.want || parts["valid"] != 1 || parts["cost"] != float64(c.cost) {
			t.Errorf("%s of cost %d: %v, %v", c.reward, c.cost, r, parts)
		}
		if r, _ := pay(byName(t, c.reward), evidence(Format{}, 4, 1, int(c.cost), int(c.cost), false)); r != 0 {
			t.Errorf("%s of an invalid plan: %v", c.reward, r)
		}
	}
	_, parts := pay(byName(t, "loose"), plan(9))
	if parts["regret"] != 5 || parts["optimality"] != 0 || parts["optimal"] != 4 {
		t.Errorf("%v", parts)
	}
	third := pddl.Fraction(1, 3)
	e := plan(1)
	e.Verdict.Cost, e.Gold.Cost = third, &third
	if r, _ := byName(t, "tight").Eval(&e); r != 0.5 {
		t.Errorf("an optimal plan of cost 1/3: %v", r)
	}
}

// TestShapingKeepsTheBest: with the shaping added, valid plans stand in the order of the
// base, and no other response reaches one of them.
func TestShapingKeepsTheBest(t *testing.T) {
	for _, text := range []string{
		`"base":"valid","weight":0.5`, `"base":"valid","weight":1000`, `"base":"multirobot","weight":1`, `"base":"process","weight":50`,
		`"base":{"kind":"budget","budget":"tight","measure":"cost_ratio"},"weight":3`,
	} {
		shaped := readReward(t, `{"schema":"planproof.reward/1","name":"s","kind":"shaped",`+text+`}`)
		rapid.Check(t, func(t *rapid.T) {
			gold := rapid.Int64Range(0, 12).Draw(t, "gold")
			f := Format{Plan: true, Think: rapid.Bool().Draw(t, "think")}
			a, b := drawEvidence(t, "a", gold, f), drawEvidence(t, "b", gold, f)
			ra, pa := shaped.Eval(&a)
			rb, pb := shaped.Eval(&b)
			switch {
			case a.Verdict.Valid && b.Verdict.Valid:
				if pa["shaping"] != pb["shaping"] || (pa["base"] < pb["base"]) != (ra < rb) && math.Abs(pa["base"]-pb["base"]) > 1e-9 {
					t.Fatalf("bases %v and %v, shaped %v and %v", pa["base"], pb["base"], ra, rb)
				}
			case a.Verdict.Valid && pa["base.within"] == boolFloat(strings.Contains(text, "budget")):
				if ra <= rb {
					t.Fatalf("valid %v, invalid %v", ra, rb)
				}
			}
		})
	}
}

func TestNoise(t *testing.T) {
	spec := func(flip float64, seed int) *Spec {
		return readReward(t, fmt.Sprintf(`{"schema":"planproof.reward/1","name":"n","kind":"valid","noise":{"flip":%v,"seed":%d}}`, flip, seed))
	}
	const n = 4000
	flipped := func(s *Spec) (set [n]bool, count int) {
		for i := range n {
			e := evidence(Format{}, 4, 0, 4, 4, i%2 == 0)
			e.Response = fmt.Sprint("response ", i)
			r, parts := s.Eval(&e)
			set[i] = parts["flipped"] == 1
			if r != math.Abs(parts["clean"]-parts["flipped"]) || parts["clean"] != parts["valid"] || parts["valid"] != boolFloat(i%2 == 0) {
				t.Fatalf("%v, %v", r, parts)
			}
			if set[i] {
				count++
			}
		}
		return set, count
	}
	five, n5 := flipped(spec(0.05, 1))
	ten, n10 := flipped(spec(0.1, 1))
	other, _ := flipped(spec(0.05, 2))
	if n5 < n*4/100 || n5 > n*6/100 || n10 < n*9/100 || n10 > n*11/100 {
		t.Errorf("%d and %d of %d flipped", n5, n10, n)
	}
	same := 0
	for i := range five {
		if five[i] && !ten[i] {
			t.Fatalf("response %d is flipped at 5 %% and not at 10 %%", i)
		}
		if five[i] && other[i] {
			same++
		}
	}
	if same > n5/4 {
		t.Errorf("two seeds flip the same %d of %d", same, n5)
	}
	if _, none := flipped(spec(0, 1)); none != 0 {
		t.Errorf("%d flipped at 0", none)
	}
	if _, all := flipped(spec(1, 1)); all != n {
		t.Errorf("%d flipped at 1", all)
	}
	if s := spec(0.05, 1); s.ValidWins || s.SHA() == spec(0.05, 2).SHA() {
		t.Errorf("%+v", s)
	}
	// The draw is part of what is published: other programs make the same one.
	e := Evidence{Response: "x"}
	if u := e.draw([]byte("planproof.noise/1\x001\x00")); u != 0xacef2080450be51e {
		t.Errorf("draw %#x", u)
	}
}

// TestShorterBeatsLonger: of two valid plans the one with fewer steps never earns less,
// and more where a reward tells lengths apart at all.
func TestShorterBeatsLonger(t *testing.T) {
	strict := map[string]int64{"multirobot": 9, "robots": 20, "loose": 4, "free": 1 << 40, "near": 9, "mix2": 1 << 40} // up to this many steps more than the optimum
	for _, spec := range allRewards(t) {
		rapid.Check(t, func(t *rapid.T) {
			gold := rapid.Int64Range(1, 15).Draw(t, "gold")
			f := Format{Plan: true, Think: true}
			n := gold + rapid.Int64Range(0, 12).Draw(t, "more")
			m := n + rapid.Int64Range(1, 12).Draw(t, "still more")
			short, _ := pay(spec, evidence(f, gold, 0, int(n), int(n), true))
			long, _ := pay(spec, evidence(f, gold, 0, int(m), int(m), true))
			limit := strict[spec.Name]
			if spec.Name == "loose" {
				limit = gold // the slack of the evidence
			}
			if long > short || m-gold <= limit && long == short {
				t.Fatalf("%s: %d of %d steps earn %v, %d earn %v", spec.Name, n, gold, short, m, long)
			}
			if spec.Name == "process" && n == gold && long != short-optimalBonus {
				t.Fatalf("%d steps earn %v, %d earn %v", n, short, m, long)
			}
		})
	}
}
