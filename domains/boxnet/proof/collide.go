package proof

import (
	"math/big"

	"github.com/planproof/planproof/domains/boxnet"
)

// The geometry of this package computes the set that two segments share, as fractions, and asks
// the questions of docs/BOXNET.md about that set.

type rat = *big.Rat

type spot struct{ x, y rat }

func spotOf(p boxnet.Point) spot {
	return spot{big.NewRat(int64(p.X), int64(boxnet.One)), big.NewRat(int64(p.Y), int64(boxnet.One))}
}

func (p spot) equal(q spot) bool { return p.x.Cmp(q.x) == 0 && p.y.Cmp(q.y) == 0 }
func (p spot) minus(q spot) spot {
	return spot{new(big.Rat).Sub(p.x, q.x), new(big.Rat).Sub(p.y, q.y)}
}
func (p spot) along(d spot, t rat) spot {
	return spot{new(big.Rat).Add(p.x, new(big.Rat).Mul(t, d.x)), new(big.Rat).Add(p.y, new(big.Rat).Mul(t, d.y))}
}
func times(a, b rat) rat { return new(big.Rat).Mul(a, b) }
func det(a, b spot) rat  { return new(big.Rat).Sub(times(a.x, b.y), times(a.y, b.x)) }
func dot(a, b spot) rat  { return new(big.Rat).Add(times(a.x, b.x), times(a.y, b.y)) }

type segment struct{ a, b spot }

// common is the set that two segments share: nothing, one spot, or the ends of a segment.
func common(s, t segment) []spot {
	d, e, w := s.b.minus(s.a), t.b.minus(t.a), t.a.minus(s.a)
	zero, one := new(big.Rat), big.NewRat(1, 1)
	inside := func(p rat) bool { return p.Cmp(zero) >= 0 && p.Cmp(one) <= 0 }
	if D := det(d, e); D.Sign() != 0 {
		p, q := new(big.Rat).Quo(det(w, e), D), new(big.Rat).Quo(det(w, d), D)
		if inside(p) && inside(q) {
			return []spot{s.a.along(d, p)}
		}
		return nil
	}
	if dot(d, d).Sign() == 0 { // s is a spot
		if dot(e, e).Sign() == 0 {
			if s.a.equal(t.a) {
				return []spot{s.a}
			}
			return nil
		}
		back := s.a.minus(t.a)
		if det(e, back).Sign() != 0 || !inside(new(big.Rat).Quo(dot(back, e), dot(e, e))) {
			return nil
		}
		return []spot{s.a}
	}
	if det(d, w).Sign() != 0 {
		return nil
	}
	// On one line: positions of t's ends along s.
	lo := new(big.Rat).Quo(dot(w, d), dot(d, d))
	hi := new(big.Rat).Quo(dot(t.b.minus(s.a), d), dot(d, d))
	if lo.Cmp(hi) > 0 {
		lo, hi = hi, lo
	}
	if lo.Cmp(zero) < 0 {
		lo = zero
	}
	if hi.Cmp(one) > 0 {
		hi = one
	}
	switch lo.Cmp(hi) {
	case 1:
		return nil
	case 0:
		return []spot{s.a.along(d, lo)}
	}
	return []spot{s.a.along(d, lo), s.a.along(d, hi)}
}

func isEnd(p spot, s segment) bool { return p.equal(s.a) || p.equal(s.b) }

// inner reports whether a spot lies strictly between the ends of a segment that holds it.
func inner(p spot, s segment) bool { return !isEnd(p, s) }

// Collision is the rule that two motions break, "" for none. It must say the same as [boxnet.Reading.Collision].
func Collision(rd boxnet.Reading, r, s *boxnet.Motion) boxnet.Reason {
	rb, rf, rt := spotOf(r.Base), spotOf(r.From), spotOf(r.To)
	sb, sf, st := spotOf(s.Base), spotOf(s.From), spotOf(s.To)
	if rt.equal(st) {
		return boxnet.SameEnd
	}
	if len(common(segment{rb, rt}, segment{sb, st})) > 0 {
		return boxnet.ArmsTouch
	}
	rPath, sPath := segment{rf, rt}, segment{sf, st}
	if r.Moves != s.Moves {
		if r.Moves && len(common(rPath, segment{sb, st})) > 0 || s.Moves && len(common(sPath, segment{rb, rt})) > 0 {
			return boxnet.MeetsResting
		}
		return ""
	}
	if !r.Moves {
		return ""
	}
	shared := common(rPath, sPath)
	proper := len(shared) == 1 && inner(shared[0], rPath) && inner(shared[0], sPath)
	if proper {
		return boxnet.PathsCross
	}
	if rd == boxnet.CrossingOnly {
		return ""
	}
	exchange := rf.equal(st) && sf.equal(rt)
	endOfBoth := len(shared) == 1 && isEnd(shared[0], rPath) && isEnd(shared[0], sPath)
	if len(shared) > 0 && !(rd == boxnet.Default && (exchange || endOfBoth)) {
		return boxnet.PathsTouch
	}
	for _, c := range []struct {
		path segment
		tip  spot
		base spot
	}{{rPath, sf, sb}, {rPath, st, sb}, {sPath, rf, rb}, {sPath, rt, rb}} {
		meets := common(c.path, segment{c.base, c.tip})
		if len(meets) == 0 || rd == boxnet.Default && len(meets) == 1 && meets[0].equal(c.tip) && isEnd(c.tip, c.path) {
			continue
		}
		return boxnet.MeetsMoving
	}
	return ""
}
