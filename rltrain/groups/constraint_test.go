package groups

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFixedExp compares with the library's functions.
func TestFixedExp(t *testing.T) {
	for i := -20_000; i <= 20_000; i++ {
		x := float64(i)/1000 + 1e-5
		x = clamp(x, 20)
		if got, want := expFixed(x), math.Exp(x); math.Abs(got/want-1) > 5e-16 {
			t.Fatalf("e^%v = %v, want %v", x, got, want)
		}
		if got, want := k3(x), math.Expm1(x)-x; got < 0 || math.Abs(got-want) > 1e-15*math.Max(1, math.Abs(want)) {
			t.Fatalf("k3(%v) = %v, want %v", x, got, want)
		}
	}
	if k3(0) != 0 || math.Abs(k3(1e-9)/5.000000001666667e-19-1) > 1e-15 {
		t.Errorf("k3 near 0: %v, %v", k3(0), k3(1e-9))
	}
}

func TestEstimators(t *testing.T) {
	for _, c := range []struct {
		e          Estimator
		p, u, want float64
	}{
		{Dif, -1, -3, 2}, {Dif, -3, -1, -2}, {Abs, -3, -1, 2}, {MSE, -3, -1, 2}, {MSE, -1, -1, 0},
		{LowVarKL, -1, -1, 0}, {LowVarKL, -1, -2, math.Exp(-1)}, {LowVarKL, -2, -1, math.E - 2},
		{LowVarKL, -1, -1000, 10}, {LowVarKL, -1000, -1, 10},
	} {
		if got := c.e.Token(c.p, c.u); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s(%v, %v) = %v, want %v", c.e, c.p, c.u, got, c.want)
		}
	}
	if MSE.Warning() == "" || LowVarKL.Warning() != "" {
		t.Error("the warning is about mse")
	}
	for _, bad := range []struct{ p, u []float64 }{{[]float64{1}, nil}, {[]float64{math.NaN()}, []float64{1}}, {[]float64{math.Inf(-1)}, []float64{math.Inf(-1)}}, {[]float64{0}, []float64{math.Inf(-1)}}} {
		if _, err := LowVarKL.Tokens(bad.p, bad.u); err == nil {
			t.Errorf("%v and %v are accepted", bad.p, bad.u)
		}
	}
	if _, err := Estimator("kl").Tokens(nil, nil); err == nil || !strings.Contains(err.Error(), "no estimator") {
		t.Errorf("%v", err)
	}
}

// TestTiedGroupIsNotBlownUp: whatever alpha, a group of equal task rewards gets no more
// than alpha times its constraint-aware term, and the form that would blow it up is
// refused.
func TestTiedGroupIsNotBlownUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 16).Draw(t, "n")
		reward := rapid.Float64Range(0, 105).Draw(t, "reward")
		alpha := rapid.Float64Range(0, 0.01).Draw(t, "alpha")
		rewards, ca := make([]float64, n), make([]float64, n)
		largest := 0.0
		for i := range rewards {
			rewards[i], ca[i] = reward, rapid.Float64Range(0, 10).Draw(t, "ca")
			largest = max(largest, ca[i])
		}
		for _, opt := range []AdvantageOptions{{}, {Sample: true, Epsilon: 1e-6}, {LeaveOneOut: true}, {NoStd: true}, {NoStd: true, LeaveOneOut: true}} {
			for _, where := range []Placement{InLoss, AfterNormalisation, InReward} {
				got, err := ConstraintAdvantages(rewards, nil, ca, alpha, where, opt)
				if where == InReward && !opt.NoStd {
					if err == nil {
						t.Fatal("the term in the reward and a division by the deviation are accepted together")
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				// A mean of the others can differ from one's own value by as much again.
				for i, a := range got {
					if math.Abs(a) > alpha*largest*2+1e-12*math.Max(1, reward) || where == InLoss && a != 0 {
						t.Fatalf("%s %+v: advantage %d is %v, alpha %v, terms %v", where, opt, i, a, alpha, ca)
					}
				}
			}
		}
	})
	// What is refused would do this.
	blown := Advantages([]float64{1 + 0.001*0.02, 1 + 0.001*0.01, 1, 1}, nil, AdvantageOptions{})
	if blown[0] < 1 {
		t.Errorf("%v", blown)
	}
}

func TestAdvantageVariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := rapid.SliceOfN(rapid.Float64Range(0, 105), 0, 12).Draw(t, "rewards")
		known := rapid.SliceOfN(rapid.Bool(), len(rs), len(rs)).Draw(t, "known")
		for _, opt := range []AdvantageOptions{{}, {NoStd: true}, {LeaveOneOut: true}, {LeaveOneOut: true, NoStd: true}, {Sample: true, Epsilon: 1e-4}} {
			as := Advantages(rs, known, opt)
			for i := range as {
				if !known[i] && as[i] != 0 || Degenerate(rs, known) && as[i] != 0 || math.IsNaN(as[i]) || math.IsInf(as[i], 0) {
					t.Fatalf("%+v: %v of %v, %v", opt, as, rs, known)
				}
				for j := range as {
					if known[i] && known[j] && rs[i] < rs[j] && as[i] > as[j] {
						t.Fatalf("%+v: %v of %v", opt, as, rs)
					}
				}
			}
			// Left out and not there are the same.
			var some, of []float64
			for i := range rs {
				if known[i] {
					some, of = append(some, rs[i]), append(of, as[i])
				}
			}
			for i, a := range Advantages(some, nil, opt) {
				if a != of[i] {
					t.Fatalf("%+v: %v of %v alone, %v among others", opt, a, some, of)
				}
			}
		}
		// n/(n-1) times the distance from the mean.
		if n := len(rs); n > 1 && !Degenerate(rs, nil) {
			mean, loo := Advantages(rs, nil, AdvantageOptions{NoStd: true}), Advantages(rs, nil, AdvantageOptions{NoStd: true, LeaveOneOut: true})
			for i := range rs {
				if math.Abs(loo[i]-mean[i]*float64(n)/float64(n-1)) > 1e-9 {
					t.Fatalf("leave one out %v, mean %v", loo, mean)
				}
			}
		}
	})
}

// TestObjective checks the terms one by one.
func TestObjective(t *testing.T) {
	one := func(p, old, ref, unc, a float64) float64 {
		v, err := ObjectiveTokens(&TokenLogProbs{Policy: []float64{p}, Old: []float64{old}, Reference: []float64{ref}, Unconstrained: []float64{unc}}, a,
			ObjectiveOptions{ClipLow: 0.2, ClipHigh: 0.3, Alpha: 0.5, Beta: 0.25, Estimator: Abs})
		if err != nil {
			t.Fatal(err)
		}
		return v[0]
	}
	for _, c := range []struct{ got, want float64 }{
		{one(-1, -1, -1, -1, 2), 2},
		{one(0, -1, 0, 0, 2), 1.3 * 2},           // ratio e is clipped from above
		{one(0, -1, 0, 0, -2), -2 * math.E},      // but not for a bad response
		{one(-1, 0, -1, -1, 2), 2 / math.E},      // a smaller ratio is not clipped for a good one
		{one(-1, 0, -1, -1, -2), -0.8 * 2},       // and is for a bad one
		{one(-1, -1, -1, -3, 0), 0.5 * 2},        // the constraint-aware term
		{one(-1, -1, -2, -1, 0), -0.25 / math.E}, // the divergence from the reference
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	if _, err := ObjectiveTokens(&TokenLogProbs{Policy: []float64{0}}, 1, ObjectiveOptions{}); err == nil {
		t.Error("no old log-probabilities, and no error")
	}
}

// TestGAE compares with sums over the future.
func TestGAE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 10).Draw(t, "n")
		small := rapid.Float64Range(-2, 2)
		r, v := rapid.SliceOfN(small, n, n).Draw(t, "rewards"), rapid.SliceOfN(small, n, n).Draw(t, "values")
		mask := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "mask")
		gamma, lambda := rapid.Float64Range(0, 1).Draw(t, "gamma"), rapid.Float64Range(0, 1).Draw(t, "lambda")
		advantages, returns, err := GAE(r, v, mask, gamma, lambda)
		if err != nil {
			t.Fatal(err)
		}
		var at []int
		for i := range mask {
			if mask[i] {
				at = append(at, i)
			} else if advantages[i] != 0 || returns[i] != 0 {
				t.Fatalf("token %d does not count and has %v", i, advantages[i])
			}
		}
		for k, i := range at {
			want := 0.0
			for l := k; l < len(at); l++ {
				next := 0.0
				if l+1 < len(at) {
					next = v[at[l+1]]
				}
				want += math.Pow(gamma*lambda, float64(l-k)) * (r[at[l]] + gamma*next - v[at[l]])
			}
			if math.Abs(advantages[i]-want) > 1e-9 || math.Abs(returns[i]-want-v[i]) > 1e-9 {
				t.Fatalf("token %d: %v, want %v", i, advantages[i], want)
			}
		}
	})
}

// TestPairs checks what every pair must be, whatever is drawn.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "samples"), 0)))
		opt := PairOptions{
			Rule: rapid.SampledFrom([]PairRule{DPO, ConstraintAwareDPO}).Draw(t, "rule"), Count: rapid.IntRange(0, 20).Draw(t, "count"),
			PerPrompt: rapid.IntRange(0, 6).Draw(t, "per prompt"), Seed: rapid.Uint64().Draw(t, "seed"), KeepValid: rapid.Bool().Draw(t, "keep"),
		}
		pairs, counts, err := Pairs(samples, opt)
		if err != nil {
			t.Fatal(err)
		}
		if opt.Count > 0 && len(pairs) > opt.Count {
			t.Fatalf("%d pairs", len(pairs))
		}
		seen := map[Pair]bool{}
		per := map[string]int{}
		for _, p := range pairs {
			c, r := samples[p.Chosen], samples[p.Rejected]
			per[c.Prompt]++
			switch {
			case seen[p], c.Prompt != r.Prompt, c.Text == r.Text, !c.Valid, c.Unconstrained:
				t.Fatalf("pair %+v: %+v, %+v", p, c, r)
			case opt.Rule == DPO && (r.Valid || r.Unconstrained), opt.Rule == ConstraintAwareDPO && (!r.Unconstrained || r.Valid && !opt.KeepValid):
				t.Fatalf("%s rejects %+v", opt.Rule, r)
			}
			seen[p] = true
		}
		for _, n := range per {
			if opt.PerPrompt > 0 && n > opt.PerPrompt {
				t.Fatalf("%d pairs of one prompt", n)
			}
		}
		if len(per) != counts.Paired || counts.Paired+counts.NoChosen+counts.NoRejected > counts.Prompts {
			t.Fatalf("%+v, %d prompts with pairs", counts, len(per))
		}
		if opt.Count == 0 || len(pairs) < opt.Count { // then nothing was left
			more := opt
			more.Count = 0
			if all, _, _ := Pairs(samples, more); len(all) != len(pairs) {
				t.Fatalf("%d pairs, %d without a limit", len(pairs), len(all))
			}
		}
		drop := opt
		drop.DropLowest = 0.3
		kept, droppedCounts, _ := Pairs(samples, drop)
		if len(kept)+droppedCounts.Dropped != len(pairs) || droppedCounts.Dropped != int(0.3*float64(len(pairs))+1e-9) {
			t.Fatalf("%d of %d pairs kept, %+v", len(kept), len(pairs), droppedCounts)
		}
	})
	if _, _, err := Pairs(nil, PairOptions{Rule: "best"}); err == nil {
		t.Error("an unknown rule is accepted")
	}
}

func TestGate(t *testing.T) {
	for _, c := range []struct {
		g             Gate
		valid, parsed bool
		want          bool
	}{{GateNone, false, false, true}, {"", false, false, true}, {GateValid, true, true, true}, {GateValid, false, true, false}, {GateParsed, false, true, true}, {GateParsed, false, false, false}} {
		if c.g.Open(c.valid, c.parsed) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

// Rule 16: making the policy without constraints worse pays at most the bound of a term,
// averaged over tokens, and nothing where a gate is closed.
func TestRule16DegradedReference(t *testing.T) {
	for _, far := range []float64{-50, -500, -5000} {
		with, without := make([]float64, 40), make([]float64, 40)
		for i := range with {
			with[i], without[i] = -0.1, far
		}
		tokens, err := LowVarKL.Tokens(with, without)
		if err != nil {
			t.Fatal(err)
		}
		if m := MeanTokens(tokens, nil); m > maxTerm {
			t.Errorf("log-probability %v pays %v", far, m)
		}
		if longer := MeanTokens(append(slices.Clone(tokens), tokens...), nil); longer > MeanTokens(tokens, nil)+1e-12 {
			t.Errorf("length pays: %v", longer)
		}
	}
	if GateParsed.Open(false, false) || GateValid.Open(false, true) {
		t.Error("a gate is open for a response that is merely different")
	}
}
