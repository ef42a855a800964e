package groups

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// numbers are written as the shortest decimals that read back as the same float64, in
// strings, so that no JSON reader rounds them.
type numbers []float64

func (n numbers) MarshalJSON() ([]byte, error) {
	out := make([]string, len(n))
	for i, x := range n {
		out[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return json.Marshal(out)
}

// goldenCase is one call of a function with what it gave.
type goldenCase struct {
	Function string         `json:"function"`
	In       map[string]any `json:"in"`
	Out      map[string]any `json:"out"`
}

// goldenCases call every function of the group maths with drawn inputs. What is drawn
// is in the file, so others need not draw.
func goldenCases(t *testing.T) (cases []goldenCase) {
	r := rand.New(rand.NewPCG(1, 2))
	add := func(function string, in, out map[string]any) { cases = append(cases, goldenCase{function, in, out}) }
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	draw := func(n int, scale float64) numbers {
		out := make(numbers, n)
		for i := range out {
			out[i] = -scale * r.ExpFloat64()
		}
		return out
	}
	mask := func(n int) []bool {
		out := make([]bool, n)
		for i := range out {
			out[i] = r.IntN(5) > 0
		}
		return out
	}
	groups := []numbers{{0, 1}, {0, 0, 0, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {0.1, 0.1, 0.1}, {5}, {}, {1e-200, 2e-200}, {105, 20, 34.285714285714285, 70, 0, 20, 100, 90}}
	for range 4 {
		g := make(numbers, 8)
		for i := range g {
			g[i] = float64(r.IntN(1051)) / 10
		}
		groups = append(groups, g)
	}
	opts := []AdvantageOptions{{}, {Sample: true, Epsilon: 1e-4}, {Sample: true, Epsilon: 1e-6}, {NoStd: true}, {LeaveOneOut: true, NoStd: true}, {LeaveOneOut: true}}
	for i, g := range groups {
		for _, o := range opts {
			known := mask(len(g))
			if i%3 > 0 {
				for j := range known {
					known[j] = true
				}
			}
			in := map[string]any{"rewards": g, "known": known, "leave_one_out": o.LeaveOneOut, "no_std": o.NoStd, "sample": o.Sample, "epsilon": numbers{o.Epsilon}}
			add("advantages", in, map[string]any{"advantages": numbers(Advantages(g, known, o)), "degenerate": Degenerate(g, known)})
			for _, where := range []Placement{AfterNormalisation, InReward} {
				if i < 6 || where == InReward && !o.NoStd {
					continue
				}
				ca := make(numbers, len(g))
				for j := range ca {
					ca[j] = r.Float64()
				}
				out, err := ConstraintAdvantages(g, known, ca, 0.001, where, o)
				fail(err)
				in := map[string]any{"rewards": g, "known": known, "leave_one_out": o.LeaveOneOut, "no_std": o.NoStd, "sample": o.Sample, "epsilon": numbers{o.Epsilon}, "ca": ca, "alpha": numbers{0.001}, "placement": where}
				add("constraint_advantages", in, map[string]any{"advantages": numbers(out)})
			}
		}
	}
	for i := range 4 {
		n := 9
		tokens := TokenLogProbs{Policy: draw(n, 1), Old: draw(n, 1), Reference: draw(n, 1), Unconstrained: draw(n, []float64{0.1, 1, 5, 40}[i%4]), Mask: mask(n)}
		in := func(more map[string]any) map[string]any {
			m := map[string]any{"policy": numbers(tokens.Policy), "old": numbers(tokens.Old), "reference": numbers(tokens.Reference), "unconstrained": numbers(tokens.Unconstrained), "mask": tokens.Mask}
			for k, v := range more {
				m[k] = v
			}
			return m
		}
		for _, e := range Estimators {
			values, err := e.Tokens(tokens.Policy, tokens.Unconstrained)
			fail(err)
			add("estimate", in(map[string]any{"estimator": e}), map[string]any{"tokens": numbers(values), "mean": numbers{MeanTokens(values, tokens.Mask)}})
			objective, err := ObjectiveTokens(&tokens, 1.5-float64(i), ObjectiveOptions{ClipLow: 0.2, ClipHigh: 0.28, Alpha: 0.001, Beta: 0.002, Estimator: e})
			fail(err)
			add("objective", in(map[string]any{"estimator": e, "advantage": numbers{1.5 - float64(i)}, "clip_low": numbers{0.2}, "clip_high": numbers{0.28}, "alpha": numbers{0.001}, "beta": numbers{0.002}}), map[string]any{"tokens": numbers(objective)})
			rewards, err := TokenRewards(&tokens, 1, PPOOptions{Alpha: 0.001, Beta: 0.002, Estimator: e})
			fail(err)
			values2 := draw(n, 0.5)
			advantages, returns, err := GAE(rewards, values2, tokens.Mask, 0.99, 0.95)
			fail(err)
			add("ppo", in(map[string]any{"estimator": e, "reward": numbers{1}, "alpha": numbers{0.001}, "beta": numbers{0.002}, "values": values2, "gamma": numbers{0.99}, "lambda": numbers{0.95}}),
				map[string]any{"rewards": numbers(rewards), "advantages": numbers(advantages), "returns": numbers(returns)})
		}
	}
	for range 4 {
		rows, masks := [][]float64{}, [][]bool{}
		written := []numbers{}
		for range 5 {
			row := draw(1+r.IntN(6), 1)
			rows, written, masks = append(rows, row), append(written, row), append(masks, mask(len(row)))
		}
		for _, a := range []Aggregation{SequenceMean, TokenMean} {
			v, err := a.Aggregate(rows, masks)
			fail(err)
			add("aggregate", map[string]any{"values": written, "masks": masks, "aggregation": a}, map[string]any{"value": numbers{v}})
		}
	}
	for _, fraction := range []float64{0, 0.005, 0.29, 0.5, 1} {
		values := make(numbers, 100)
		for i := range values {
			values[i] = float64(r.IntN(60)) / 16
		}
		in := map[string]any{"values": append(numbers{}, values...), "fraction": numbers{fraction}}
		FilterLowest(values, fraction)
		add("filter_lowest", in, map[string]any{"values": values})
	}
	xs := draw(64, 6)
	var exps, k3s numbers
	for i := range xs {
		if xs[i] = clamp(xs[i], 20); i%2 == 0 {
			xs[i] = -xs[i]
		}
		exps, k3s = append(exps, expFixed(xs[i])), append(k3s, k3(xs[i]))
	}
	add("exp", map[string]any{"x": xs}, map[string]any{"exp": exps, "k3": k3s})
	for seed := range uint64(4) {
		samples := drawSamples(r)
		for _, rule := range []PairRule{DPO, ConstraintAwareDPO} {
			opt := PairOptions{Rule: rule, Count: 12, PerPrompt: int(seed), Seed: seed, DropLowest: float64(seed) / 20, KeepValid: seed%2 == 1}
			pairs, _, err := Pairs(samples, opt)
			fail(err)
			rows := make([]map[string]any, len(samples))
			for i, s := range samples {
				rows[i] = map[string]any{"prompt": s.Prompt, "text": s.Text, "valid": s.Valid, "unconstrained": s.Unconstrained, "kl": numbers{s.KL}}
			}
			list := make([][2]int, len(pairs))
			for i, p := range pairs {
				list[i] = [2]int{p.Chosen, p.Rejected}
			}
			add("pairs", map[string]any{"samples": rows, "rule": rule, "count": opt.Count, "per_prompt": opt.PerPrompt, "seed": seed, "drop_lowest": numbers{opt.DropLowest}, "keep_valid": opt.KeepValid}, map[string]any{"pairs": list})
		}
	}
	return cases
}

func drawSamples(r *rand.Rand) (samples []Sampled) {
	for range 40 {
		samples = append(samples, Sampled{
			Prompt: "prompt " + strconv.Itoa(r.IntN(5)), Text: "answer " + strconv.Itoa(r.IntN(9)),
			Valid: r.IntN(2) == 0, Unconstrained: r.IntN(2) == 0, KL: float64(r.IntN(100)) / 64,
		})
	}
	return samples
}

// TestGroupsGolden compares the group maths with its published numbers, bit by bit.
// UPDATE=1 writes them anew.
func TestGroupsGolden(t *testing.T) {
	path := filepath.Join("testdata", "groups.golden.json")
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, c := range goldenCases(t) {
		if i > 0 {
			b.WriteString(",\n")
		}
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
	}
	b.WriteString("\n]\n")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		got, was := bytes.Split(b.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
		for i := range min(len(got), len(was)) {
			if !bytes.Equal(got[i], was[i]) {
				t.Fatalf("line %d of %s: now\n%s\nwas\n%s", i+1, path, got[i], was[i])
			}
		}
		t.Fatalf("%d lines, %d in %s", len(got), len(was), path)
	}
}
