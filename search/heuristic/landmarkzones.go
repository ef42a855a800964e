package heuristic

import "github.com/planproof/planproof/grounder"

// Zones implements Zoned. The zone of a landmark to come for the first time is all facts that are
// not reached without it: an operator none of whose conditions is among them adds one of
// them only if it achieves the landmark for the first time. If it must come again for another
// landmark's sake, its own values join that one's zone, so that only its achievers enter. Each
// takes its greedy share of the costs.
func (h *landmarks) Zones(dst []Zone, values []int32, _ func() bool) ([]Zone, int64) {
	if h.dead {
		return append(dst, Zone{Cost: DeadEnd, Facts: h.unreached}), DeadEnd
	}
	h.lookAhead(values)
	for _, l := range h.ahead {
		if h.kind[l]&landmarkDerived == 0 && len(h.achieving(l)) == 0 {
			return append(dst, Zone{Cost: DeadEnd, Facts: h.zone(l)}), DeadEnd
		}
	}
	h.shares = h.shares[:0]
	h.recording = true
	sum := h.shareGreedily()
	h.recording = false
	for _, x := range h.shares {
		dst = append(dst, Zone{Cost: x.cost, Facts: h.zone(x.landmark)})
	}
	return dst, sum
}

// landmarkShare is what a landmark takes of the costs.
type landmarkShare struct {
	landmark int32
	cost     int64
}

// zone lists the facts of the zone of landmark l, which is ahead, in order.
func (h *landmarks) zone(l int32) []grounder.Fact {
	var chain []int32 // landmarks that come again
	for h.state[l] == landmarkAgain {
		chain = append(chain, l)
		if h.cause[l] < 0 {
			break
		}
		l = h.cause[l]
	}
	var out []grounder.Fact
	for v := range len(h.size) {
		for val := range h.size[v] {
			in := h.state[l] == landmarkFirst && hasBit(h.known[int(h.base[v]+val)*h.words:], l)
			for _, m := range chain {
				in = in || h.variable[m] == int32(v) && h.is(m, val)
			}
			if in {
				out = append(out, grounder.Fact{Var: int32(v), Val: val})
			}
		}
	}
	return out
}
