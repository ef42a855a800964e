package heuristic

// markZone marks the goal zone and collects the operators that enter it at a cost.
func (l *lmcut[C]) markZone() {
	l.nextRound()
	round, zone, rec, goal := l.round, l.zone, l.rec, l.h[l.r.goal]
	stack, cand := append(l.stack[:0], l.r.goal), l.cand[:0]
	zone[l.r.goal] = round
	for len(stack) > 0 {
		z := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		ops := l.r.ach.of(z)
		l.work += int64(len(ops))
		for _, o := range ops {
			x := &rec[o]
			if x.touch == round || l.h[x.watch] == l.inf {
				continue
			}
			x.touch = round
			if x.cost > 0 {
				cand = append(cand, o)
			} else if s, c := l.freshSupport(x); zone[s] != round && !l.tieInZone(x, c, goal) {
				zone[s] = round
				stack = append(stack, s)
			}
		}
	}
	l.stack, l.cand = stack, cand
}

// freshSupport is support, but among equals prefers a precondition that no operator achieves
// which has paid for an earlier cut: then the cut that comes of it shares nothing with those,
// and leaves more for later ones.
func (l *lmcut[C]) freshSupport(x *opRecord[C]) (int32, C) {
	s, c := l.support(x)
	if c == 0 || l.paid[s] != l.state {
		return s, c
	}
	pre := x.conditions(l.lits)
	for i := len(pre) - 1; i >= 0; i-- {
		if p := pre[i]; l.h[p] == c && p != s && l.paid[p] != l.state {
			return p, c
		}
	}
	return s, c
}

// findCut fills cut and returns its least cost.
func (l *lmcut[C]) findCut() C {
	goal := l.h[l.r.goal]
	least := l.inf
	cut := l.cut[:0]
	for _, o := range l.cand {
		x := &l.rec[o]
		if _, c := l.support(x); c >= goal && l.avoidable(x, c, goal) {
			continue
		}
		cut = append(cut, o)
		least = min(least, x.cost)
	}
	l.cut = cut
	return least
}

// tieInZone reports whether a most expensive precondition of x, of cost c, is in the goal zone.
func (l *lmcut[C]) tieInZone(x *opRecord[C], c, goal C) bool {
	if c < goal {
		return false
	}
	for _, p := range x.conditions(l.lits) {
		if l.zone[p] == l.round && l.h[p] == c {
			return true
		}
	}
	return false
}

// avoidable reports whether an operator that enters the zone can be kept out of the cut by
// choosing, among its most expensive preconditions (of cost c), one in the zone or not on the
// state's side.
func (l *lmcut[C]) avoidable(x *opRecord[C], c, goal C) bool {
	if l.tieInZone(x, c, goal) {
		return true
	}
	for _, p := range x.conditions(l.lits) {
		if l.h[p] == c && !l.before(p, goal) {
			return true
		}
	}
	return false
}

// before reports whether the state reaches proposition p, which is outside the goal zone
// and costs at least as much as the goal, in the justification graph without entering the
// zone: whether a backward walk from p along operators that do not touch the zone meets a
// proposition cheaper than the goal. What one walk finds out is kept for the round: the
// path to a cheap proposition is on the state's side, and all of a failed walk is not.
func (l *lmcut[C]) before(p int32, goal C) bool {
	if l.side[p].round == l.round {
		return l.side[p].before
	}
	first := len(l.walked)
	l.walked = append(l.walked, p)
	l.side[p] = side{round: l.round, from: -1}
	stack := append(l.stack[:0], p)
	found := int32(-1)
search:
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		ops := l.r.ach.of(at)
		l.work += int64(len(ops))
		for _, o := range ops {
			x := &l.rec[o]
			if x.touch == l.round || l.h[x.watch] == l.inf {
				continue
			}
			s, c := l.support(x)
			if c < goal {
				found = at
				break search
			}
			if l.zone[s] == l.round || l.tieInZone(x, c, goal) {
				continue
			}
			if x := &l.side[s]; x.round != l.round {
				*x = side{round: l.round, from: at}
				l.walked = append(l.walked, s)
				stack = append(stack, s)
			} else if x.before {
				found = at
				break search
			}
		}
	}
	l.stack = stack
	if found < 0 {
		l.walked = l.walked[:first]
		return false
	}
	// Forget the visited propositions that are not on the path: nothing is known of them.
	for _, q := range l.walked[first:] {
		l.side[q].round = l.round - 1
	}
	l.walked = l.walked[:first]
	for q := found; q >= 0; q = l.side[q].from {
		l.side[q].round, l.side[q].before = l.round, true
	}
	return true
}
