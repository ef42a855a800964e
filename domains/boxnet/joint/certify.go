package joint

import "github.com/planproof/planproof/domains/boxnet/proof"

// names gives the variables of the formula their numbers in certificates.
func (f *formula) names() {
	var sizes []int
	for _, own := range f.reach {
		sizes = append(sizes, len(own))
	}
	v := proof.NewVariables(f.steps, f.ordinary, len(f.at), sizes)
	f.name = make([]int32, f.solver.Vars()+1)
	for t := range f.arm {
		for r, spots := range f.arm[t] {
			for i, n := range spots {
				f.name[n] = v.Arm(t, r, i)
			}
			for o, n := range f.carry[t][r] {
				f.name[n] = v.Carry(t, r, o)
			}
		}
		for o, list := range f.object[t] {
			for q, n := range list {
				if n != 0 {
					f.name[n] = v.Object(t, o, q)
				}
			}
		}
	}
	f.name[0] = 0
}

// record has the solver of a formula write its lemmas down, if a certificate is asked for.
func (s *search) record(f *formula) {
	if !s.opt.Certificate {
		return
	}
	f.names()
	s.lemmas = nil
	f.solver.Proof = func(lits []int, gone bool) {
		if len(s.lemmas) > 0 && len(s.lemmas[len(s.lemmas)-1].Lits) == 0 {
			return // refuted
		}
		l := proof.Lemma{Gone: gone, Lits: make([]int32, len(lits))}
		for i, n := range lits {
			if l.Lits[i] = f.name[max(n, -n)]; n < 0 {
				l.Lits[i] = -l.Lits[i]
			}
		}
		s.lemmas = append(s.lemmas, l)
	}
}

// certificate puts together what shows that the plan has the fewest steps.
func (s *search) certificate(res *Result) *proof.Certificate {
	c := &proof.Certificate{Instance: s.in, Reading: s.opt.Reading, Plan: res.Plan, Refuted: -1}
	if res.Refuted < 0 {
		return c
	}
	c.Refuted, c.Lemmas = res.Refuted, s.refutedIn
	for _, k := range s.refutedBy {
		for _, o := range s.collisions.known[k] {
			x := [6]int32{k.r, k.from, k.to, k.s, o.from, o.to}
			if k.loaded {
				c.Loaded = append(c.Loaded, x)
			} else {
				c.Clashes = append(c.Clashes, x)
			}
		}
	}
	return c
}
