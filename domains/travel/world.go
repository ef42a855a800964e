package travel

import (
	"github.com/planproof/planproof/pddl"
)

// A Flight is a row of the table of flights. Price is per person.
type Flight struct {
	Number, From, To, Date string
	Depart, Arrive         string // "15:40"
	Duration, Distance     string // as written, "" if the table does not say
	Price                  pddl.Number
}

// A Road is what the table of distances says about driving from one city to another, by taxi or in one's own car.
type Road struct {
	From, To           string
	Duration, Distance string // "10 hours 55 mins", "1,144 km"
	Kilometres         pddl.Number
	// NoCar and NoTaxi report that this way of driving cannot be used: the row is empty, or takes a day or longer.
	NoCar, NoTaxi bool
}

// carCost is the cost of one car of one's own, a twentieth of the kilometres, without the fraction.
func (r *Road) carCost() int64 { return floor(r.Kilometres.Mul(pddl.Fraction(1, 20))) }

// taxiCost is the cost of one taxi, the kilometres without the fraction.
func (r *Road) taxiCost() int64 { return floor(r.Kilometres) }

// A Restaurant is a row of the table of restaurants. Cost is per person and meal.
type Restaurant struct {
	Name, City string
	Cuisines   []string
	Cost       pddl.Number
}

// A Hotel is a row of the table of accommodations. Price is per night and unit, and a unit holds Occupancy people.
type Hotel struct {
	Name, City string
	RoomType   string
	Rules      []string // "No pets"
	MinNights  int
	Occupancy  int
	Price      pddl.Number
}

// An Attraction is a row of the table of attractions.
type Attraction struct{ Name, City string }

// A City and the state it lies in.
type City struct{ Name, State string }

// World holds the tables that plans are judged by. Rows stand in the order of their file, since of rows with equal
// names the first counts. Fill the tables, then call Index; a World that is indexed is not changed any more.
type World struct {
	Flights     []Flight
	Roads       []Road
	Restaurants []Restaurant
	Hotels      []Hotel
	Attractions []Attraction
	Cities      []City

	flights                          map[string][]int32 // by number
	legs                             map[place][]int32  // flights by from and to
	roads                            map[place]int32    // by from and to
	restaurants, hotels, attractions map[place]entry
	restaurantsIn, hotelsIn          map[string][]int32 // by city, first rows only
	attractionsIn                    map[string][]int32
	states                           map[string]string // by city, normal form
	names                            map[string]string // of cities as written, by normal form
	isState                          map[string]bool
}

// place is a name in a city, or two cities, in normal form.
type place struct{ name, city string }

// entry is the first row of a name in a city, and how many rows have it.
type entry struct{ row, rows int32 }

// Index makes the tables searchable.
func (w *World) Index() {
	w.flights, w.legs, w.roads = map[string][]int32{}, map[place][]int32{}, map[place]int32{}
	for i := range w.Flights {
		f := &w.Flights[i]
		w.flights[normal(f.Number)] = append(w.flights[normal(f.Number)], int32(i))
		way := place{normal(f.From), normal(f.To)}
		w.legs[way] = append(w.legs[way], int32(i))
	}
	for i := range w.Roads {
		way := place{normal(w.Roads[i].From), normal(w.Roads[i].To)}
		if _, twice := w.roads[way]; !twice {
			w.roads[way] = int32(i)
		}
	}
	w.restaurants, w.restaurantsIn = indexed(len(w.Restaurants), func(i int) (string, string) { return w.Restaurants[i].Name, w.Restaurants[i].City })
	w.hotels, w.hotelsIn = indexed(len(w.Hotels), func(i int) (string, string) { return w.Hotels[i].Name, w.Hotels[i].City })
	w.attractions, w.attractionsIn = indexed(len(w.Attractions), func(i int) (string, string) { return w.Attractions[i].Name, w.Attractions[i].City })
	w.states, w.names, w.isState = map[string]string{}, map[string]string{}, map[string]bool{}
	for _, c := range w.Cities {
		w.states[normal(c.Name)], w.names[normal(c.Name)] = normal(c.State), c.Name
		w.isState[normal(c.State)] = c.State != ""
	}
}

// indexed returns the rows of a table by name and city, and those of each city, without rows whose name an earlier
// one of the city has.
func indexed(n int, of func(i int) (name, city string)) (map[place]entry, map[string][]int32) {
	byName, byCity := make(map[place]entry, n), map[string][]int32{}
	for i := range n {
		name, city := of(i)
		key := place{normal(name), normal(city)}
		e, twice := byName[key]
		if !twice {
			e.row = int32(i)
			byCity[key.city] = append(byCity[key.city], int32(i))
		}
		e.rows++
		byName[key] = e
	}
	return byName, byCity
}

// city returns the normal form of a city as a plan writes it. A state in parentheses after it is dropped, unless the
// world puts that city into another state.
func (w *World) city(s string) string {
	name, state := splitState(s)
	if key := normal(name); state != "" {
		if known := w.states[key]; known == "" || known == normal(state) {
			return key
		}
	}
	return normal(s)
}

// knowsCity reports whether the list of cities has a city.
func (w *World) knowsCity(s string) bool {
	_, ok := w.states[w.city(s)]
	return ok
}

// inDestination reports whether a city (in normal form) is where the trip is to go. Short trips go to one city, trips
// of more than three days into a state (1.3 of travel-tools.md).
func (w *World) inDestination(city string, q *Query) bool {
	dest := w.city(q.Dest)
	_, isCity := w.states[dest]
	switch {
	case q.Days > 3 && w.isState[dest], !isCity && w.isState[dest]:
		return w.states[city] == dest
	}
	return city == dest
}

// floor is the integer part of a number that is not negative.
func floor(n pddl.Number) int64 {
	r := n.Rat()
	q := r.Num().Quo(r.Num(), r.Denom())
	if !q.IsInt64() {
		return 0
	}
	return q.Int64()
}
