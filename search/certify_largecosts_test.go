package search

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/search/heuristic"
)

// bigCosts returns the goal distances of all states of sp without a limit on their size,
// nil for dead ends.
func bigCosts(sp *tasktest.Space) []*big.Int {
	d := make([]*big.Int, len(sp.States))
	for i, s := range sp.States {
		if sp.Holds(sp.Task.Goal, s) {
			d[i] = new(big.Int)
		}
	}
	for changed := true; changed; {
		changed = false
		sp.EachEdge(func(from, to int, cost int64) {
			if d[to] == nil {
				return
			}
			if x := new(big.Int).Add(d[to], big.NewInt(cost)); d[from] == nil || x.Cmp(d[from]) < 0 {
				d[from], changed = x, true
			}
		})
	}
	return d
}

// TestLargeCosts holds searches, their certificates and pattern databases to the truth on
// tasks whose plans may cost more than 63 bits hold.
func TestLargeCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := tasktest.LargeCosts(choose(t))
		sp := tasktest.Enumerate(task)
		truth := bigCosts(sp)
		fits := truth[0] != nil && truth[0].IsInt64()
		s := rapid.SampledFrom(certifiedSearches).Draw(t, "search")
		r, err := Run(context.Background(), task, Config{Search: s})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Status == SolvedOptimally && fits && r.Cost == truth[0].Int64():
		case r.Status == Unsolvable && truth[0] == nil:
		case r.Status == Unsupported && (!fits || r.Reason != ""):
		default:
			t.Fatalf("%s: %s %d %s, the truth is %v\n%+v", s, r.Status, r.Cost, r.Reason, truth[0], task)
		}
		if r.Status == SolvedOptimally && r.Cost == certificate.Infinite {
			if _, err := Certify(context.Background(), task, r, Limits{}, nil); !errors.Is(err, ErrNoClaim) {
				t.Fatalf("a cost that means infinite: %v", err)
			}
			return
		}
		if _, c := certify(t, task, s); c != nil {
			if _, _, err := tasktest.CheckCertificate(t, task, c.Certificate); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			forge(t, task, c.Certificate, truth[0])
		}
		checkPDB(t, sp, truth)
	})
}

// forge tries false claims with the parts of a right certificate.
func forge(t *rapid.T, task *grounder.Task, c *certificate.Certificate, truth *big.Int) {
	refuse := func(what string, c *certificate.Certificate) {
		if _, _, err := tasktest.CheckCertificate(t, task, c); err == nil && truth != nil && (c.Bound == certificate.Infinite || truth.Cmp(big.NewInt(c.Bound)) < 0) {
			t.Fatalf("%s: a claim of %d is accepted, the truth is %v", what, c.Bound, truth)
		}
	}
	higher := clone(c)
	if higher.Plan = nil; higher.Claim == certificate.Optimal {
		higher.Claim = certificate.LowerBound
		higher.Bound++
		refuse("one more", higher)
	}
	higher.Claim, higher.Bound = certificate.Unsolvable, certificate.Infinite
	for i := range higher.Bounds {
		higher.Bounds[i] = certificate.Infinite
	}
	refuse("all infinite", higher)
	sum := clone(c)
	var group certificate.Group
	for i := range sum.Parts {
		term := certificate.Term{Part: int32(i)}
		if len(sum.Parts[i].Vars) == 0 {
			term.Cost = rapid.SampledFrom([]int64{0, 1, 1 << 61, grounder.MaxCost, certificate.Infinite - 1, certificate.Infinite}).Draw(t, "value")
		}
		group = append(group, term)
	}
	sum.Groups, sum.Base = []certificate.Group{group}, 1
	sum.Rows, sum.Bounds, sum.Evidence, sum.Plan = nil, nil, nil, nil
	sum.Claim, sum.Bound = certificate.Unsolvable, certificate.Infinite
	refuse("the sum of all parts", sum)
}

// checkPDB checks that pattern databases with any options are admissible and consistent.
func checkPDB(t *rapid.T, sp *tasktest.Space, truth []*big.Int) {
	h, err := heuristic.NewPDB(sp.Task, map[string]int64{
		"states": rapid.SampledFrom([]int64{1, 2, 6, 50, 20000}).Draw(t, "states"),
		"total":  rapid.SampledFrom([]int64{1, 2, 20, 1000, 1 << 27}).Draw(t, "total"),
		"orders": rapid.SampledFrom([]int64{1, 2, 100}).Draw(t, "orders"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	estimates := make([]int64, len(sp.States))
	for i, s := range sp.States {
		estimates[i] = h.Estimate(s)
		if truth[i] != nil && (estimates[i] == heuristic.DeadEnd || truth[i].Cmp(big.NewInt(estimates[i])) < 0) {
			t.Fatalf("state %v: estimate %d, the truth is %v", s, estimates[i], truth[i])
		}
	}
	sp.EachEdge(func(from, to int, cost int64) {
		if estimates[to] < heuristic.DeadEnd && (estimates[from] == heuristic.DeadEnd || estimates[from]-estimates[to] > cost) {
			t.Fatalf("from %v to %v at cost %d the estimate falls from %d to %d", sp.States[from], sp.States[to], cost, estimates[from], estimates[to])
		}
	})
}
