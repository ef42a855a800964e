package sat

import (
	"context"
	"math/rand/v2"
	"testing"
)

// bruteForce reports whether a formula over few variables has a solution.
func bruteForce(vars int, cnf [][]int, assumptions []int) bool {
	holds := func(bits, n int) bool {
		if n < 0 {
			return bits>>(-n-1)&1 == 0
		}
		return bits>>(n-1)&1 == 1
	}
next:
	for bits := range 1 << vars {
		for _, n := range assumptions {
			if !holds(bits, n) {
				continue next
			}
		}
		for _, c := range cnf {
			ok := false
			for _, n := range c {
				ok = ok || holds(bits, n)
			}
			if !ok {
				continue next
			}
		}
		return true
	}
	return false
}

func randomClause(r *rand.Rand, vars, size int) (c []int) {
	for _, v := range r.Perm(vars)[:size] {
		c = append(c, (v+1)*(1-2*r.IntN(2)))
	}
	return c
}

// TestRandom compares answers with brute force, with clauses added between the calls.
func TestRandom(t *testing.T) {
	answers := map[Status]int{}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		vars := 4 + r.IntN(9)
		s := New()
		for range vars {
			s.NewVar()
		}
		var cnf [][]int
		for range 4 {
			for range vars {
				c := randomClause(r, vars, 1+min(r.IntN(4)+r.IntN(2), 3))
				cnf = append(cnf, c)
				s.Add(c...)
			}
			for _, assumptions := range [][]int{nil, randomClause(r, vars, 2)} {
				got, err := s.Solve(context.Background(), assumptions...)
				if err != nil {
					t.Fatal(err)
				}
				answers[got]++
				if want := bruteForce(vars, cnf, assumptions); want != (got == Satisfiable) {
					t.Fatalf("seed %d: %v for %v under %v", seed, got, cnf, assumptions)
				}
				if got == Satisfiable {
					checkModel(t, s, append(cnf[:len(cnf):len(cnf)], units(assumptions)...))
				}
			}
		}
	}
	if answers[Satisfiable] < 100 || answers[Unsatisfiable] < 100 {
		t.Errorf("answers %v", answers)
	}
}

func units(lits []int) (cnf [][]int) {
	for _, n := range lits {
		cnf = append(cnf, []int{n})
	}
	return cnf
}

func checkModel(t *testing.T, s *Solver, cnf [][]int) {
	t.Helper()
	for _, c := range cnf {
		ok := false
		for _, n := range c {
			ok = ok || s.Value(max(n, -n)) == (n > 0)
		}
		if !ok {
			t.Fatalf("the solution violates %v", c)
		}
	}
}

// pigeons says that holes+1 pigeons sit in as many holes, one in each.
func pigeons(s *Solver, holes int) {
	in := make([][]int, holes+1)
	for p := range in {
		for range holes {
			in[p] = append(in[p], s.NewVar())
		}
		s.Add(in[p]...)
	}
	for h := range holes {
		for p := range in {
			for q := range p {
				s.Add(-in[p][h], -in[q][h])
			}
		}
	}
}

// TestReduction needs so many dead ends that learned clauses are deleted and moved.
func TestReduction(t *testing.T) {
	s := New()
	gone := 0
	s.Proof = func(_ []int, deleted bool) {
		if deleted {
			gone++
		}
	}
	pigeons(s, 7)
	got, err := s.Solve(context.Background())
	if got != Unsatisfiable || err != nil || gone == 0 {
		t.Errorf("%v, %v; %d clauses deleted", got, err, gone)
	}
	hard := 0
	for seed := range uint64(3) { // at the threshold: some with a solution, some without
		r := rand.New(rand.NewPCG(seed, 2))
		s := New()
		var cnf [][]int
		for range 170 {
			s.NewVar()
		}
		for range 700 {
			c := randomClause(r, 170, 3)
			cnf = append(cnf, c)
			s.Add(c...)
		}
		if got, _ := s.Solve(context.Background()); got == Satisfiable {
			checkModel(t, s, cnf)
		}
		hard += int(s.Conflicts)
	}
	t.Log(s.Conflicts, hard)
}

// TestStop ends a search that would take for ever.
func TestStop(t *testing.T) {
	s := New()
	pigeons(s, 30)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := s.Solve(ctx); got != Unknown || err != context.Canceled {
		t.Errorf("%v, %v", got, err)
	}
	s.MaxBytes = 1000
	if got, err := s.Solve(context.Background()); got != Unknown || err != ErrMemory {
		t.Errorf("%v, %v", got, err)
	}
}
