package domains

import (
	"fmt"
	"math/big"
)

// gridLine is a line between two stations of a powerGrid.
type gridLine struct {
	a, b           int
	closed, broken bool
	mending        int
}

// powerGrid is a powergrid task before it is written down. Stations 0 to
// substations-1 are substations, the rest are plants.
type powerGrid struct {
	substations, plants int
	lines               []gridLine
	road                map[[2]int]int // drive time by {smaller, larger} station
	roads               [][2]int       // its keys in the order drawn
	crews               []int          // where each crew is
	customer            []bool
}

// newPowerGrid draws a connected grid with a few redundant lines, lets the plants
// feed it over a forest of closed lines, then breaks lines and trips breakers.
//
// The task is solvable: roads follow the lines, so a crew can reach every breaker; with all
// breakers open no substation has power, and no broken line ends at a plant, so all lines
// can be mended; then the lines of a spanning tree around one plant can be closed one by
// one.
func newPowerGrid(substations, plants, broken int, seed uint64) *powerGrid {
	r := newRandom('p', uint64(substations), uint64(plants), uint64(broken), seed)
	g := &powerGrid{substations: substations, plants: plants, road: map[[2]int]int{}, customer: make([]bool, substations)}
	joined := map[[2]int]bool{}
	join := func(a, b int) {
		if key := [2]int{min(a, b), max(a, b)}; a != b && !joined[key] {
			joined[key] = true
			g.lines = append(g.lines, gridLine{a: a, b: b, mending: 3 + r.intn(7)})
			g.addRoad(r, a, b)
		}
	}
	for s := 1; s < substations; s++ {
		join(r.intn(s), s)
	}
	for n := substations / 3; n > 0; n-- {
		join(r.intn(substations), r.intn(substations))
	}
	inner := len(g.lines)
	for p := 0; p < plants; p++ {
		join(substations+p, r.intn(substations))
	}
	for n := substations / 3; n > 0; n-- {
		g.addRoad(r, r.intn(substations), r.intn(substations))
	}
	for n := 1 + substations/8; n > 0; n-- {
		g.crews = append(g.crews, r.intn(substations))
	}
	g.energise(r)
	g.storm(r, inner, broken)
	g.chooseCustomers(r)
	return g
}

func (g *powerGrid) addRoad(r *random, a, b int) {
	key := [2]int{min(a, b), max(a, b)}
	if _, known := g.road[key]; !known && a != b {
		g.road[key] = 2 + r.intn(5)
		g.roads = append(g.roads, key)
	}
}

// energise closes lines so that each station is fed by exactly one plant.
func (g *powerGrid) energise(r *random) {
	fed := make([]bool, g.substations+g.plants)
	for p := 0; p < g.plants; p++ {
		fed[g.substations+p] = true
	}
	for grown := true; grown; {
		grown = false
		for _, i := range r.perm(len(g.lines)) {
			if l := &g.lines[i]; fed[l.a] != fed[l.b] {
				l.closed, fed[l.a], fed[l.b], grown = true, true, true, true
			}
		}
	}
}

// storm breaks lines between substations, closed ones first, and opens some of
// the other breakers; at least one substation is dark afterwards.
func (g *powerGrid) storm(r *random, inner, broken int) {
	var order []int
	for _, wanted := range []bool{true, false} {
		for _, i := range r.perm(inner) {
			if g.lines[i].closed == wanted {
				order = append(order, i)
			}
		}
	}
	for _, i := range order[:min(broken, len(order))] {
		g.lines[i].broken, g.lines[i].closed = true, false
	}
	for i := range g.lines {
		if l := &g.lines[i]; l.closed && r.intn(6) == 0 {
			l.closed = false
		}
	}
	for i := len(g.lines) - 1; i >= 0 && len(g.dark()) == 0; i-- {
		g.lines[i].closed = false
	}
}

// dark lists the substations without power.
func (g *powerGrid) dark() []int {
	powered := make([]bool, g.substations+g.plants)
	for p := 0; p < g.plants; p++ {
		powered[g.substations+p] = true
	}
	for grown := true; grown; {
		grown = false
		for _, l := range g.lines {
			if l.closed && powered[l.a] != powered[l.b] {
				powered[l.a], powered[l.b], grown = true, true, true
			}
		}
	}
	var dark []int
	for s := 0; s < g.substations; s++ {
		if !powered[s] {
			dark = append(dark, s)
		}
	}
	return dark
}

// chooseCustomers makes most substations customers, a dark one among them.
func (g *powerGrid) chooseCustomers(r *random) {
	for s := range g.customer {
		g.customer[s] = r.intn(4) > 0
	}
	dark := g.dark()
	g.customer[dark[r.intn(len(dark))]] = true
}

// station names a station.
func (g *powerGrid) station(s int) string {
	if s < g.substations {
		return fmt.Sprintf("s%d", s)
	}
	return fmt.Sprintf("plant%d", s-g.substations)
}

func powergridProblem(name string, params []int, seed *big.Int) string {
	g := newPowerGrid(params[0], params[1], params[2], seed.Uint64())
	w := newWriter(name, "powergrid")
	w.section("objects")
	w.objects(numbered("s", g.substations), "substation")
	w.objects(numbered("plant", g.plants), "plant")
	w.objects(numbered("l", len(g.lines)), "line")
	w.objects(numbered("crew", len(g.crews)), "crew")
	w.end()
	w.section("init")
	w.line("(= (total-cost) 0)")
	for _, key := range g.roads {
		for _, way := range [][2]int{key, {key[1], key[0]}} {
			w.line("(road %s %s)", g.station(way[0]), g.station(way[1]))
			w.line("(= (drive-time %s %s) %d)", g.station(way[0]), g.station(way[1]), g.road[key])
		}
	}
	for i, l := range g.lines {
		w.line("(ends l%d %s %s)", i, g.station(l.a), g.station(l.b))
		w.line("(= (mending l%d) %d)", i, l.mending)
		if l.closed {
			w.line("(closed l%d)", i)
		}
		if l.broken {
			w.line("(broken l%d)", i)
		}
	}
	for s, c := range g.customer {
		if c {
			w.line("(customer s%d)", s)
		}
	}
	for c, s := range g.crews {
		w.line("(at crew%d %s)", c, g.station(s))
	}
	w.end()
	w.section("goal")
	w.line("(forall (?s - substation) (imply (customer ?s) (powered ?s)))")
	w.end()
	w.section("metric minimize (total-cost)")
	w.end()
	return w.finish()
}
