package reward

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"strconv"
)

// withNoise flips a reward with a probability, as an ablation of CARL does with the task
// reward (appendix D.6): reward becomes max + min - reward, which for a reward of 0 and
// 1 is the other one.
//
// The draw is a function of the seed, the task and the response, not of time or order:
//
//	u = first 8 bytes, big endian, of SHA-256("planproof.noise/1", 0, seed in decimal, 0, SHA-256 of the task, response)
//
// and the reward is flipped when u < flip * 2^64. So one response is flipped or not
// wherever it appears, and what is flipped at 5 % is flipped at 10 %, too. The spec
// no longer promises anything about valid plans.
func withNoise(s *Spec, flip float64, seed int64) *Spec {
	noisy := &Spec{Kind: s.Kind, need: s.need | needText}
	noisy.params = maps.Clone(s.params)
	if noisy.params == nil {
		noisy.params = map[string]any{}
	}
	noisy.params["noise"] = map[string]any{"flip": flip, "seed": seed}
	noisy.bounds = func(valid bool) map[string]interval {
		b := maps.Clone(s.bounds(valid))
		r := b[""]
		b["clean"], b["flipped"] = r, unit
		b[""] = interval{min(r.lo, s.Max+s.Min-r.hi), max(r.hi, s.Max+s.Min-r.lo)}
		return b
	}
	prefix := append([]byte("planproof.noise/1\x00"), strconv.FormatInt(seed, 10)...)
	prefix = append(prefix, 0)
	noisy.eval = func(e *Evidence) (float64, Components) {
		r, c := s.eval(e)
		c["clean"], c["flipped"] = r, 0
		if below(e.draw(prefix), flip) {
			r = s.Max + s.Min - r
			c["flipped"] = 1
		}
		return r, c
	}
	return noisy.seal()
}

// draw is 64 bits that belong to the response.
func (e *Evidence) draw(prefix []byte) uint64 {
	h := sha256.New()
	h.Write(prefix)
	h.Write(e.Task[:])
	h.Write([]byte(e.Response))
	var sum [sha256.Size]byte
	return binary.BigEndian.Uint64(h.Sum(sum[:0]))
}

// below reports u < p * 2^64 for p in [0, 1], exactly.
func below(u uint64, p float64) bool {
	if p >= 1 {
		return true
	}
	return u < uint64(math.Ldexp(p, 64)) // less than 2^64, as p < 1 has 53 bits
}
