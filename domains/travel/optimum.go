package travel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/planproof/planproof/pddl"
)

// A Route is the cities of a trip in their order, and the nights in each. The nights add up to the days less one.
type Route struct {
	Cities []string `json:"cities"`
	Nights []int    `json:"nights"`
}

// An Optimum is a cheapest itinerary.
type Optimum struct {
	Cost  pddl.Number
	Route Route
	Plan  *Plan
}

// ErrNoItinerary is the answer that no itinerary keeps all rules: the search was exhaustive.
var ErrNoItinerary = errors.New("no itinerary keeps all rules")

// ErrTooLarge refuses what the solver has no room for.
var ErrTooLarge = errors.New("too large for the exact solver")

// FixedOptimum returns a cheapest itinerary over a given route that keeps every rule, or ErrNoItinerary. The judge has
// confirmed it.
func FixedOptimum(w *World, q *Query, r Route) (*Optimum, error) {
	s, err := newSolver(w, q)
	if err != nil {
		return nil, err
	}
	if err := s.consider(r); err != nil {
		return nil, err
	}
	return s.result()
}

// FreeOptimum returns a cheapest itinerary over all routes. It visits every ordered choice of the query's number of
// cities and every split of the nights, and leaves out what costs too much already (3.4 of travel-tools.md).
func FreeOptimum(ctx context.Context, w *World, q *Query) (*Optimum, error) {
	s, err := newSolver(w, q)
	if err != nil {
		return nil, err
	}
	var cities []*cityTable
	for _, c := range w.Cities {
		key := normal(c.Name)
		if key != s.org && w.inDestination(key, q) && len(w.hotelsIn[key]) > 0 {
			cities = append(cities, s.city(c.Name))
		}
	}
	if err := s.explore(ctx, cities); err != nil {
		return nil, err
	}
	return s.result()
}

// routeOf returns the route that a plan takes. Days that do not fit together are an error.
func routeOf(w *World, q *Query, p *Plan) (r Route, err error) {
	if len(p.Days) < q.Days {
		return r, fmt.Errorf("the plan has %d days, the query %d", len(p.Days), q.Days)
	}
	t := &trial{w: w, q: q, plan: p, out: &Judgement{}, days: make([]day, q.Days)}
	for i := range t.days[:q.Days-1] {
		t.readDay(i)
		d := &t.days[i]
		if d.where != stay && d.where != travels {
			return r, fmt.Errorf("day %d has no city", i+1)
		}
		if n := len(r.Cities); n > 0 && r.Cities[n-1] == d.to {
			r.Nights[n-1]++
			continue
		}
		r.Cities, r.Nights = append(r.Cities, d.to), append(r.Nights, 1)
	}
	return r, nil
}

// solver finds cheapest itineraries. Costs are integers: amounts in the tables times scale.
type solver struct {
	w      *World
	q      *Query
	org    string
	scale  pddl.Number
	labels []string
	tables map[string]*cityTable

	best     int64 // cost of the best itinerary so far
	route    Route
	found    bool
	overflow bool
}

// infinite is the cost of what cannot be.
const infinite = math.MaxInt64 / 4

// cityTable is what the solver needs to know about a city.
type cityTable struct {
	key, name string
	hotels    []hotelChoice
	lodging   []int64 // by nights
	runs      []run   // the last run of the cheapest lodging, by nights
	food      []foodChoice
	sights    []int32
	menu      *menu
}

type hotelChoice struct {
	row  int32
	min  int
	cost int64 // of a night
}

type run struct{ hotel, nights int }

type foodChoice struct {
	row  int32
	cost int64
	mask int // of the query's cuisines
}

func newSolver(w *World, q *Query) (*solver, error) {
	if len(q.Cuisines) > maxCuisines {
		return nil, fmt.Errorf("%w: %d cuisines, more than %d", ErrTooLarge, len(q.Cuisines), maxCuisines)
	}
	s := &solver{w: w, q: q, org: w.city(q.Org), scale: scaleOf(w), tables: map[string]*cityTable{}, best: infinite}
	for _, label := range q.Cuisines {
		s.labels = append(s.labels, normal(label))
	}
	return s, nil
}

// maxCuisines bounds the cuisines that the solver looks at: each doubles its tables.
const maxCuisines = 10

// scaleOf is a number by which all prices become integers.
func scaleOf(w *World) pddl.Number {
	scale := pddl.Int(1)
	widen := func(n pddl.Number) {
		scale = scale.Mul(pddl.FromRat(new(big.Rat).SetInt(n.Mul(scale).Rat().Denom())))
	}
	for i := range w.Flights {
		widen(w.Flights[i].Price)
	}
	for i := range w.Restaurants {
		widen(w.Restaurants[i].Cost)
	}
	for i := range w.Hotels {
		widen(w.Hotels[i].Price)
	}
	return scale
}

// amount makes a cost an integer.
func (s *solver) amount(n pddl.Number) int64 {
	i, ok := n.Mul(s.scale).Int64()
	if !ok || i > 1<<50 {
		s.overflow = true
		return infinite
	}
	return i
}

// city returns what the solver knows about a city.
func (s *solver) city(name string) *cityTable {
	key := s.w.city(name)
	if t := s.tables[key]; t != nil {
		return t
	}
	if known, ok := s.w.names[key]; ok {
		name = known
	}
	t := &cityTable{key: key, name: name, sights: s.w.attractionsIn[key]}
	for _, row := range s.w.hotelsIn[key] {
		h := &s.w.Hotels[row]
		if s.q.allowsRule(h) && s.q.allowsRoom(h) && h.MinNights < s.q.Days {
			t.hotels = append(t.hotels, hotelChoice{row, h.MinNights, s.amount(money(h.Price, s.q.units(h.Occupancy)))})
		}
	}
	for _, row := range s.w.restaurantsIn[key] {
		r := &s.w.Restaurants[row]
		f := foodChoice{row: row, cost: s.amount(money(r.Cost, int64(s.q.People)))}
		for i, label := range s.labels {
			for _, c := range r.Cuisines {
				if normal(c) == label {
					f.mask |= 1 << i
				}
			}
		}
		t.food = append(t.food, f)
	}
	t.lodge(s.q.Days - 1)
	t.menu = newMenu(t.food, 3*(s.q.Days-2)+6, len(s.labels))
	s.tables[key] = t
	return t
}

// lodge fills in the cheapest lodging for each number of nights: runs of nights in one hotel, each as long as that
// hotel asks for.
func (t *cityTable) lodge(nights int) {
	t.lodging, t.runs = make([]int64, nights+1), make([]run, nights+1)
	for n := 1; n <= nights; n++ {
		t.lodging[n] = infinite
		for h := range t.hotels {
			for length := t.hotels[h].min; length <= n; length++ {
				if cost := t.lodging[n-length] + int64(length)*t.hotels[h].cost; cost < t.lodging[n] {
					t.lodging[n], t.runs[n] = cost, run{h, length}
				}
			}
		}
	}
}

// leg returns the cheapest costs of a journey on a day: by one's own car, and by flight or taxi.
func (s *solver) leg(from, to string, day int) (byCar, otherwise int64) {
	byCar, otherwise = infinite, infinite
	if row, ok := s.w.roads[place{from, to}]; ok {
		r := &s.w.Roads[row]
		if !r.NoCar && s.q.Transportation != noCar {
			byCar = s.amount(money(pddl.Int(r.carCost()), s.q.units(carSeats)))
		}
		if !r.NoTaxi {
			otherwise = s.amount(money(pddl.Int(r.taxiCost()), s.q.units(taxiSeats)))
		}
	}
	if f := s.flight(from, to, day); f != nil {
		otherwise = min(otherwise, s.amount(money(f.Price, int64(s.q.People))))
	}
	return byCar, otherwise
}

// flight returns the cheapest flight of a day, nil for none.
func (s *solver) flight(from, to string, day int) (best *Flight) {
	if s.q.Transportation == noFlight {
		return nil
	}
	for _, row := range s.w.legs[place{from, to}] {
		f := &s.w.Flights[row]
		if date := s.q.Date(day); date != "" && f.Date != date {
			continue
		}
		if best == nil || f.Price.Cmp(best.Price) < 0 {
			best = f
		}
	}
	return best
}

// consider keeps the best itinerary over a route, if it is better than all before.
func (s *solver) consider(r Route) error {
	if len(r.Cities) != s.q.Cities {
		return fmt.Errorf("the route has %d cities, the query asks for %d", len(r.Cities), s.q.Cities)
	}
	cities, sum := make([]*cityTable, len(r.Cities)), 0
	for i, name := range r.Cities {
		cities[i], sum = s.city(name), sum+r.Nights[i]
		if !s.w.inDestination(cities[i].key, s.q) || cities[i].key == s.org {
			return fmt.Errorf("%s is not in the destination", name)
		}
		for _, before := range cities[:i] {
			if before == cities[i] {
				return fmt.Errorf("%s is visited twice", name)
			}
		}
	}
	if sum != s.q.Days-1 {
		return fmt.Errorf("the route has %d nights, the query %d", sum, s.q.Days-1)
	}
	byCar, otherwise, lodging := int64(0), int64(0), int64(0)
	at, day := s.org, 1
	for i, c := range cities {
		car, other := s.leg(at, c.key, day)
		byCar, otherwise, lodging = min(byCar+car, infinite), min(otherwise+other, infinite), min(lodging+c.lodging[r.Nights[i]], infinite)
		at, day = c.key, day+r.Nights[i]
	}
	car, other := s.leg(at, s.org, day)
	s.settle(cities, r.Nights, min(byCar+car, otherwise+other)+lodging)
	return nil
}

// settle adds meals to the cost of transport and lodging.
func (s *solver) settle(cities []*cityTable, nights []int, cost int64) {
	if cost >= s.best {
		return
	}
	for i, c := range cities {
		if len(c.sights) < nights[i]-1 {
			return
		}
	}
	food, _ := s.meals(cities, nights, false)
	if food >= infinite || cost+food >= s.best {
		return
	}
	s.best, s.found = cost+food, true
	s.route = Route{}
	for i, c := range cities {
		s.route.Cities, s.route.Nights = append(s.route.Cities, c.name), append(s.route.Nights, nights[i])
	}
}

// explore tries all routes through the cities.
func (s *solver) explore(ctx context.Context, cities []*cityTable) error {
	var route []*cityTable
	var nights []int
	steps := 0
	var extend func(at string, day int, byCar, otherwise, lodging int64) error
	extend = func(at string, day int, byCar, otherwise, lodging int64) error {
		if steps++; steps%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if min(byCar, otherwise)+lodging >= s.best {
			return nil
		}
		if len(route) == s.q.Cities {
			car, other := s.leg(at, s.org, day)
			s.settle(route, nights, min(byCar+car, otherwise+other)+lodging)
			return nil
		}
		left := s.q.Days - day - (s.q.Cities - len(route) - 1) // nights that this city may have
		for _, c := range cities {
			if c.visited(route) {
				continue
			}
			car, other := s.leg(at, c.key, day)
			least := 1
			if len(route) == s.q.Cities-1 {
				least = left
			}
			for n := least; n <= left; n++ {
				route, nights = append(route, c), append(nights, n)
				err := extend(c.key, day+n, min(byCar+car, infinite), min(otherwise+other, infinite), min(lodging+c.lodging[n], infinite))
				route, nights = route[:len(route)-1], nights[:len(nights)-1]
				if err != nil {
					return err
				}
			}
		}
		return nil
	}
	return extend(s.org, 1, 0, 0, 0)
}

func (c *cityTable) visited(route []*cityTable) bool {
	for _, before := range route {
		if before == c {
			return true
		}
	}
	return false
}
