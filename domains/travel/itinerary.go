package travel

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// result builds the best itinerary as a plan, and has the judge confirm its cost.
func (s *solver) result() (*Optimum, error) {
	if s.overflow {
		return nil, fmt.Errorf("%w: the costs do not fit into 64 bits", ErrTooLarge)
	}
	if !s.found {
		return nil, ErrNoItinerary
	}
	cost, _ := pddl.Int(s.best).Div(s.scale)
	if s.q.HasBudget && cost.Cmp(s.q.Budget) > 0 {
		return nil, fmt.Errorf("%w: the cheapest costs %s, the budget is %s", ErrNoItinerary, cost, s.q.Budget)
	}
	o := &Optimum{Cost: cost, Route: s.route, Plan: s.itinerary()}
	if j := Judge(s.w, s.q, o.Plan); !j.Valid() || !j.Cost.Equal(cost) {
		return nil, fmt.Errorf("internal error: the judge does not confirm the optimum %s, but says %s: %s", cost, j.Cost, j.Explain(false))
	}
	return o, nil
}

// itinerary writes the best itinerary down.
func (s *solver) itinerary() *Plan {
	b := &builder{s: s, days: make([]map[string]string, s.q.Days)}
	for i := range b.days {
		b.days[i] = map[string]string{}
	}
	cities := make([]*cityTable, len(s.route.Cities))
	for i, name := range s.route.Cities {
		cities[i] = s.city(name)
	}
	b.journeys(cities)
	_, ate := s.meals(cities, s.route.Nights, true)
	arrival := 1 // day
	left := slots
	for i, c := range cities {
		nights := s.route.Nights[i]
		b.lodging(c, arrival, nights)
		for d := 1; d < nights; d++ {
			b.set(arrival+d, fieldCity, c.name)
			a := s.w.Attractions[c.sights[d-1]]
			b.set(arrival+d, fieldAttraction, a.Name+", "+a.City+";")
		}
		left = b.eat(c, arrival, nights, left, c.menu.choose(ate[i].count, ate[i].mask))
		arrival += nights
	}
	return b.plan()
}

// builder fills in days, from 1.
type builder struct {
	s    *solver
	days []map[string]string
}

func (b *builder) set(day int, field, text string) { b.days[day-1][field] = text }

// journeys writes the cities and the transport of the travel days.
func (b *builder) journeys(cities []*cityTable) {
	s := b.s
	type journey struct {
		day                        int
		from, to, fromName, toName string
		byCar, otherwise           int64
	}
	var list []journey
	at, name, day := s.org, s.q.Org, 1
	var byCar, otherwise int64
	for i := 0; i <= len(cities); i++ {
		to, toName := s.org, s.q.Org
		if i < len(cities) {
			to, toName = cities[i].key, cities[i].name
		}
		j := journey{day: day, from: at, to: to, fromName: name, toName: toName}
		j.byCar, j.otherwise = s.leg(at, to, day)
		byCar, otherwise = min(byCar+j.byCar, infinite), min(otherwise+j.otherwise, infinite)
		list = append(list, j)
		if at, name = to, toName; i < len(cities) {
			day += s.route.Nights[i]
		}
	}
	for _, j := range list {
		way := fmt.Sprintf("from %s to %s", j.fromName, j.toName)
		b.set(j.day, fieldCity, way)
		road := &Road{}
		if row, ok := s.w.roads[place{j.from, j.to}]; ok {
			road = &s.w.Roads[row]
		}
		f := s.flight(j.from, j.to, j.day)
		drive := func(word string, cost int64) string {
			return fmt.Sprintf("%s, %s, duration: %s, distance: %s, cost: %d", word, way, road.Duration, road.Distance, cost)
		}
		switch {
		case byCar <= otherwise:
			b.set(j.day, fieldTransport, drive("Self-driving", road.carCost()))
		case f != nil && s.amount(money(f.Price, int64(s.q.People))) == j.otherwise:
			b.set(j.day, fieldTransport, fmt.Sprintf("Flight Number: %s, %s, Departure Time: %s, Arrival Time: %s", f.Number, way, f.Depart, f.Arrive))
		default:
			b.set(j.day, fieldTransport, drive("Taxi", road.taxiCost()))
		}
	}
}

// lodging writes the hotels of a city.
func (b *builder) lodging(c *cityTable, arrival, nights int) {
	for n := nights; n > 0; {
		r := c.runs[n]
		h := &b.s.w.Hotels[c.hotels[r.hotel].row]
		for i := n - r.nights; i < n; i++ {
			b.set(arrival+i, fieldAccommodation, h.Name+", "+h.City)
		}
		n -= r.nights
	}
}

// eat writes the meals of a city: the days without travel first, then the travel days from the end of the one on which
// the city is reached. left are the slots of that day, and what is returned those of the day on which it is left.
func (b *builder) eat(c *cityTable, arrival, nights, left int, rows []int32) int {
	var free []func(string)
	slot := func(day int, meal string) {
		free = append(free, func(text string) { b.set(day, meal, text) })
	}
	for d := 1; d < nights; d++ {
		for _, meal := range meals {
			slot(arrival+d, meal)
		}
	}
	for i := range left {
		slot(arrival, meals[slots-left+i])
	}
	for i := range slots {
		slot(arrival+nights, meals[i])
	}
	for i, row := range rows {
		r := &b.s.w.Restaurants[row]
		free[i](r.Name + ", " + r.City)
	}
	return slots - max(0, len(rows)-3*(nights-1)-left)
}

// plan makes the days a plan; what is not set is "-".
func (b *builder) plan() *Plan {
	p := &Plan{Delivered: true}
	for _, texts := range b.days {
		d := Day{Fields: map[string]Field{fieldCity: {Text: texts[fieldCity]}}}
		for _, field := range required {
			text := strings.TrimSpace(texts[field])
			if text == "" {
				text = "-"
			}
			d.Fields[field] = Field{Text: text}
		}
		p.Days = append(p.Days, d)
	}
	return p
}
