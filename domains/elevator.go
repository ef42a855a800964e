package domains

import "math/big"

// elevatorHouse is an elevator task before it is written down.
type elevatorHouse struct {
	floors, lifts int
	at            []int // floor of each lift
	from, to      []int // floors of each passenger
	shuns         [][2]int
	barred        [][2]int // passenger, floor
}

// serves reports whether a lift stops at a floor: the first lift stops at every floor, the
// others at every second one.
func (h *elevatorHouse) serves(lift, floor int) bool { return lift == 0 || floor%2 == 0 }

// newElevatorHouse draws a house and its passengers, brings everyone home with the first
// lift in a random order, and only then draws who shuns whom and who is barred from which
// floor, among the pairs that this journey did not bring together. The journey stays
// legal, so the task is solvable; cheaper journeys may become illegal.
func newElevatorHouse(floors, passengers, lifts int, seed uint64) *elevatorHouse {
	r := newRandom('e', uint64(floors), uint64(passengers), uint64(lifts), seed)
	h := &elevatorHouse{floors: floors, lifts: lifts}
	for l := 0; l < lifts; l++ {
		floor := r.intn(floors)
		if !h.serves(l, floor) {
			floor--
		}
		h.at = append(h.at, floor)
	}
	for p := 0; p < passengers; p++ {
		from := r.intn(floors)
		h.from = append(h.from, from)
		h.to = append(h.to, (from+1+r.intn(floors-1))%floors)
	}
	met, seen := h.journey(r)
	for n := passengers / 2; n > 0 && passengers > 1; n-- {
		p := r.intn(passengers)
		q := (p + 1 + r.intn(passengers-1)) % passengers
		if pair := [2]int{min(p, q), max(p, q)}; !met[pair] {
			met[pair] = true // drawn once
			h.shuns = append(h.shuns, pair)
		}
	}
	for n := (passengers + 1) / 2; n > 0; n-- {
		if pair := [2]int{r.intn(passengers), r.intn(floors)}; !seen[pair] && pair[1] != h.from[pair[0]] {
			seen[pair] = true
			h.barred = append(h.barred, pair)
		}
	}
	return h
}

// journey delivers all passengers with the first lift. It returns which pairs
// were in the lift together and which passengers were aboard when the doors
// opened at which floors.
func (h *elevatorHouse) journey(r *random) (met, seen map[[2]int]bool) {
	met, seen = map[[2]int]bool{}, map[[2]int]bool{}
	var waiting, aboard []int
	for p := range h.from {
		waiting = append(waiting, p)
	}
	for len(waiting)+len(aboard) > 0 {
		var floor int
		if len(aboard) > 0 {
			floor = h.to[aboard[r.intn(len(aboard))]]
		} else {
			floor = h.from[waiting[r.intn(len(waiting))]]
		}
		var inside, outside []int
		for _, p := range aboard {
			seen[[2]int{p, floor}] = true
			if h.to[p] != floor {
				inside = append(inside, p)
			}
		}
		for _, p := range waiting {
			if h.from[p] == floor {
				inside = append(inside, p)
			} else {
				outside = append(outside, p)
			}
		}
		for _, p := range inside {
			for _, q := range inside {
				met[[2]int{p, q}] = true
			}
		}
		waiting, aboard = outside, inside
	}
	return met, seen
}

// distance is the cost of a ride: 2 for starting and braking, and 1 per floor.
func (h *elevatorHouse) distance(from, to int) int { return 2 + max(from-to, to-from) }

func elevatorProblem(name string, params []int, seed *big.Int) string {
	h := newElevatorHouse(params[0], params[1], params[2], seed.Uint64())
	w := newWriter(name, "elevator")
	w.section("objects")
	w.objects(numbered("f", h.floors), "floor")
	w.objects(numbered("p", len(h.from)), "passenger")
	w.objects(numbered("lift", h.lifts), "lift")
	w.end()
	w.section("init")
	w.line("(= (total-cost) 0)")
	for from := 0; from < h.floors; from++ {
		for to := 0; to < h.floors; to++ {
			if from != to {
				w.line("(= (distance f%d f%d) %d)", from, to, h.distance(from, to))
			}
		}
	}
	for l, floor := range h.at {
		w.line("(lift-at lift%d f%d)", l, floor)
		for f := 0; f < h.floors; f++ {
			if h.serves(l, f) {
				w.line("(serves lift%d f%d)", l, f)
			}
		}
	}
	for p := range h.from {
		w.line("(waits p%d f%d)", p, h.from[p])
		w.line("(wants p%d f%d)", p, h.to[p])
	}
	for _, s := range h.shuns {
		w.line("(shuns p%d p%d)", s[0], s[1])
	}
	for _, b := range h.barred {
		w.line("(barred p%d f%d)", b[0], b[1])
	}
	w.end()
	w.section("goal")
	w.line("(forall (?p - passenger) (arrived ?p))")
	w.end()
	w.section("metric minimize (total-cost)")
	w.end()
	return w.finish()
}
