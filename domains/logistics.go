package domains

import (
	"fmt"
	"math/big"
)

// logisticsProblem puts trucks, airplanes and packages in random places and gives each
// package a goal elsewhere (if there is another place). Every city has a truck and an
// airport, and there is an airplane, so every task is solvable.
func logisticsProblem(name string, params []int, seed *big.Int) string {
	cities, locations, packages := params[0], params[1], params[2]
	airplanes := (cities + 1) / 2
	r := newRandom('l', uint64(cities), uint64(locations), uint64(packages), seed.Uint64())
	w := newWriter(name, "logistics")
	w.section("objects")
	w.objects(numbered("c", cities), "city")
	place := func(i int) string { return fmt.Sprintf("l%d-%d", i/locations, i%locations) }
	var airports, others []string
	for i := 0; i < cities*locations; i++ {
		if i%locations == 0 {
			airports = append(airports, place(i))
		} else {
			others = append(others, place(i))
		}
	}
	w.objects(airports, "airport")
	w.objects(others, "location")
	w.objects(numbered("t", cities), "truck")
	w.objects(numbered("a", airplanes), "airplane")
	w.objects(numbered("p", packages), "package")
	w.end()

	w.section("init")
	for i := 0; i < cities*locations; i++ {
		w.line("(in-city %s c%d)", place(i), i/locations)
	}
	for c := 0; c < cities; c++ {
		w.line("(at t%d l%d-%d)", c, c, r.intn(locations))
	}
	for a := 0; a < airplanes; a++ {
		w.line("(at a%d l%d-0)", a, r.intn(cities))
	}
	goals := make([]int, packages)
	for p := range goals {
		from := r.intn(cities * locations)
		goals[p] = from
		if cities*locations > 1 {
			goals[p] = (from + 1 + r.intn(cities*locations-1)) % (cities * locations)
		}
		w.line("(at p%d %s)", p, place(from))
	}
	w.end()
	w.section("goal (and")
	for p, to := range goals {
		w.line("(at p%d %s)", p, place(to))
	}
	w.b.WriteString(")")
	w.end()
	return w.finish()
}
