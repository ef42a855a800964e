package proof

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/planproof/planproof/search/sat"
)

// TestSolverProofs: the checker accepts what the solver writes about formulas without a solution, with
// clauses that are deleted, and refuses it when a clause of the formula is missing that was needed.
func TestSolverProofs(t *testing.T) {
	proved, needed := 0, 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		const vars = 90
		var cnf [][]int32
		for range 460 {
			var c []int32
			for _, v := range r.Perm(vars)[:3] {
				c = append(c, int32((v+1)*(1-2*r.IntN(2))))
			}
			cnf = append(cnf, c)
		}
		s := sat.New()
		for range vars {
			s.NewVar()
		}
		var lemmas []Lemma
		s.Proof = func(lits []int, gone bool) {
			l := Lemma{Gone: gone}
			for _, n := range lits {
				l.Lits = append(l.Lits, int32(n))
			}
			lemmas = append(lemmas, l)
		}
		for _, c := range cnf {
			s.Add(int(c[0]), int(c[1]), int(c[2]))
		}
		got, err := s.Solve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got != sat.Unsatisfiable {
			continue
		}
		proved++
		if !refuted(cnf, vars, lemmas) {
			t.Errorf("seed %d: a proof is refused", seed)
		}
		if !refuted(cnf[:len(cnf)/2], vars, lemmas) {
			needed++
		}
	}
	if proved < 5 || needed != proved {
		t.Errorf("%d formulas without a solution, %d proofs refused for half a formula", proved, needed)
	}
}

func refuted(cnf [][]int32, vars int, lemmas []Lemma) bool {
	c := newChecker(vars)
	for _, clause := range cnf {
		c.add(clause...)
	}
	for _, l := range lemmas {
		if l.Gone {
			c.remove(l.Lits)
		} else if c.lemma(l.Lits) != nil {
			return false
		}
	}
	return c.empty
}
