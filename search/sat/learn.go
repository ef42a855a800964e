package sat

import "slices"

// learn turns a violated clause into a new one that would have prevented the dead end,
// and goes back to where it forces its first literal.
func (s *Solver) learn(conflict ref) {
	c := s.firstUIP(conflict)
	back := 0
	if len(c) > 1 {
		at := 1
		for i := 2; i < len(c); i++ {
			if s.level[c[i].v()] > s.level[c[at].v()] {
				at = i
			}
		}
		c[1], c[at] = c[at], c[1]
		back = int(s.level[c[1].v()])
	}
	lbd := s.distinctLevels(c)
	s.restarts.add(lbd)
	s.note(c, false)
	s.backtrack(back)
	if len(c) == 1 {
		s.assign(c[0], 0)
	} else {
		r := s.attach(c, lbd)
		s.learned = append(s.learned, r)
		s.assign(c[0], r)
	}
	s.step *= 1 / 0.95
	if s.step > 1e100 {
		s.order.scale(1e-100)
		s.step *= 1e-100
	}
}

// firstUIP resolves the violated clause with reasons until one literal of the last level is
// left, which comes first.
func (s *Solver) firstUIP(conflict ref) []lit {
	c := append(s.lemma[:0], 0)
	pending, at := 0, len(s.trail)-1
	now := int32(len(s.limits))
	var p lit
	for why := conflict; ; {
		s.db.use(why)
		for _, q := range s.db.lits(why) {
			v := q.v()
			if q == p || s.seen[v] != 0 || s.level[v] == 0 {
				continue
			}
			s.seen[v] = 1
			s.toClear = append(s.toClear, v)
			s.order.bump(v, s.step)
			if s.level[v] == now {
				pending++
			} else {
				c = append(c, q)
			}
		}
		for s.seen[s.trail[at].v()] == 0 {
			at--
		}
		p, why = s.trail[at], s.reason[s.trail[at].v()]
		at--
		if pending--; pending == 0 {
			break
		}
	}
	c[0] = p.not()
	kept := c[:1]
	for _, q := range c[1:] {
		if s.reason[q.v()] == 0 || !s.redundant(q) {
			kept = append(kept, q)
		}
	}
	for _, v := range s.toClear {
		s.seen[v] = 0
	}
	s.toClear, s.lemma = s.toClear[:0], c
	return kept
}

// redundant reports whether a literal of the learned clause follows from the others.
func (s *Solver) redundant(q lit) bool {
	s.stack = append(s.stack[:0], q)
	top := len(s.toClear)
	for len(s.stack) > 0 {
		p := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		for _, l := range s.db.lits(s.reason[p.v()]) {
			v := l.v()
			if v == p.v() || s.seen[v] == 1 || s.level[v] == 0 {
				continue
			}
			if s.reason[v] == 0 {
				for _, u := range s.toClear[top:] {
					s.seen[u] = 0
				}
				s.toClear = s.toClear[:top]
				return false
			}
			s.seen[v] = 1
			s.toClear = append(s.toClear, v)
			s.stack = append(s.stack, l)
		}
	}
	return true
}

// distinctLevels counts the decision levels of a clause (its LBD).
func (s *Solver) distinctLevels(c []lit) (n int32) {
	s.count++
	for _, l := range c {
		if at := s.level[l.v()]; s.levels[at] != s.count {
			s.levels[at] = s.count
			n++
		}
	}
	return n
}

// reduceLearned deletes the half of the learned clauses that was of least use.
func (s *Solver) reduceLearned() {
	s.reduce += 300
	s.reduceAt = s.Conflicts + s.reduce
	s.backtrack(0)
	slices.SortStableFunc(s.learned, func(a, b ref) int { return s.db.rank(a) - s.db.rank(b) })
	kept := s.learned[:0]
	for i, r := range s.learned {
		if i < len(s.learned)/2 || s.db.lbd(r) <= 2 || s.isReason(r) {
			kept = append(kept, r)
			continue
		}
		s.note(s.db.lits(r), true)
		s.db.free(r)
	}
	s.learned = kept
	s.db.forget(s.learned)
	s.compact()
}

// isReason reports whether a clause forces its first literal now.
func (s *Solver) isReason(r ref) bool {
	first := s.db.lits(r)[0]
	return s.value[first] == yes && s.reason[first.v()] == r
}

// compact moves the clauses together and watches them again.
func (s *Solver) compact() {
	for i := range s.watches {
		s.watches[i] = s.watches[i][:0]
	}
	moved := clauses{data: make([]int32, 1, len(s.db.data))}
	for _, list := range [][]ref{s.original, s.learned} {
		for i, r := range list {
			c := s.db.lits(r)
			to := moved.copy(&s.db, r)
			if s.isReason(r) {
				s.reason[c[0].v()] = to
			}
			list[i] = to
			s.watches[c[0].not()] = append(s.watches[c[0].not()], watch{to, c[1]})
			s.watches[c[1].not()] = append(s.watches[c[1].not()], watch{to, c[0]})
		}
	}
	s.db = moved
}

// restarts decides when to begin anew: when the clauses learned of late join more levels
// than they did on average (Glucose).
type restarts struct {
	recent        [50]int64
	fresh         int // of recent: learned since the last restart
	sum           int64
	total, number int64 // of all
}

func (r *restarts) add(lbd int32) {
	at := r.number % int64(len(r.recent))
	r.sum += int64(lbd) - r.recent[at]
	r.recent[at] = int64(lbd)
	r.total += int64(lbd)
	r.number++
	r.fresh++
}

// due compares 0.8 * sum/50 with total/number.
func (r *restarts) due() bool {
	if r.fresh < len(r.recent) || 4*r.sum*r.number <= 5*r.total*int64(len(r.recent)) {
		return false
	}
	r.fresh = 0
	return true
}
