package travel

import (
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// way returns where a journey goes: by its own text, else by the day's cities.
func (e *evaluator) way(i int, text string) (from, to string, ok bool) {
	if from, to, ok = upstreamFromTo(text); ok {
		return from, to, true
	}
	return upstreamFromTo(e.get(i, fieldCity))
}

func flightNumber(text string) string {
	_, rest, found := strings.Cut(text, "Flight Number: ")
	if !found {
		panic(crash("IndexError: list index out of range"))
	}
	rest, _, _ = strings.Cut(rest, "Flight Number: ")
	number, _, _ := strings.Cut(rest, ",")
	return number
}

// roadCost is the cost of one vehicle, false where the road cannot be used.
func (e *evaluator) roadCost(from, to, means string) (int64, bool) {
	from, to = beforeParenthesis(from), beforeParenthesis(to)
	for i := range e.w.Roads {
		if r := &e.w.Roads[i]; r.From == from && r.To == to {
			if means == car {
				return r.carCost(), !r.NoCar
			}
			return r.taxiCost(), !r.NoTaxi
		}
	}
	return 0, false
}

func (e *evaluator) inSandbox() bool {
	for i := range e.days {
		if text, ok := e.must(i, fieldTransport); ok && !e.transportInSandbox(i, text) {
			return false
		}
		for _, field := range meals {
			if text, ok := e.filled(i, field); ok && e.restaurantRow(text) == nil {
				return false
			}
		}
		for _, text := range e.attractionsOf(i) {
			name, city := upstreamNameCity(text)
			if !slices.ContainsFunc(e.w.Attractions, func(a Attraction) bool { return a.City == city && strings.Contains(a.Name, name) }) {
				return false
			}
		}
		if text, ok := e.filled(i, fieldAccommodation); ok && len(e.hotels(text)) == 0 {
			return false
		}
	}
	return true
}

func (e *evaluator) transportInSandbox(i int, text string) bool {
	from, to, ok := e.way(i, text)
	switch lower := strings.ToLower(text); {
	case strings.Contains(lower, "flight number"):
		if !ok {
			panic(crash("ValueError: The transportation cannot be parsed."))
		}
		number := flightNumber(text)
		from, to = beforeParenthesis(from), beforeParenthesis(to)
		return slices.ContainsFunc(e.w.Flights, func(f Flight) bool { return f.Number == number && f.From == from && f.To == to })
	case strings.Contains(lower, car):
		_, ok := e.roadCost(from, to, car)
		return ok
	case strings.Contains(lower, taxi):
		_, ok := e.roadCost(from, to, taxi)
		return ok
	}
	return true
}

func (e *evaluator) notAbsent() bool {
	days := 0
	for i := range e.days {
		if len(e.days[i].Fields) > 0 && e.get(i, fieldCity) != filler {
			days++
		}
	}
	if days != e.q.Days || !e.cityNumber() {
		return false
	}
	info := 0
	for i := range e.days {
		ok, filled := e.dayComplete(i)
		if !ok {
			return false
		}
		info += filled
	}
	return info*2 >= 6*e.q.Days
}

func (e *evaluator) cityNumber() bool {
	seen := map[string]bool{}
	for i := range e.days {
		c := e.cities(i)
		if i == 0 && len(c) == 2 && c[0] != e.q.Org {
			return false
		}
		for _, city := range c {
			seen[city] = true
		}
	}
	delete(seen, e.q.Org)
	return len(seen) == e.q.Cities
}

func (e *evaluator) dayComplete(i int) (ok bool, filled int) {
	for _, field := range required {
		if !e.has(i, field) {
			return false, 0
		}
	}
	empty := func(field string) bool { text := e.get(i, field); return text == "" || text == "-" }
	city := e.get(i, fieldCity)
	from, to := strings.Contains(city, "from "), strings.Contains(city, "to ")
	switch {
	case (from || to) && empty(fieldTransport),
		!from && !strings.Contains(city, " to ") && empty(fieldAttraction),
		i != e.q.Days-1 && empty(fieldAccommodation),
		!from && (empty(fieldBreakfast) || empty(fieldLunch) || empty(fieldDinner)):
		return false, 0
	}
	for _, f := range e.days[i].Fields {
		if f.Broken != "" || f.Text != "" && f.Text != "-" { // a number, such as that of the day, counts
			filled++
		}
	}
	return true, filled
}

func (e *evaluator) cuisine() Answer {
	if len(e.q.Cuisines) == 0 {
		return Unasked
	}
	found := map[string]bool{}
	for i := range e.days {
		for _, field := range meals {
			text, ok := e.must(i, field)
			if !ok {
				continue
			}
			if _, city := upstreamNameCity(text); city == e.q.Org {
				break // the rest of the day is not looked at
			}
			if r := e.restaurantRow(text); r != nil {
				for _, label := range e.q.Cuisines {
					if strings.Contains(strings.Join(r.Cuisines, ", "), label) {
						found[label] = true
					}
				}
			}
		}
	}
	return passed(len(found) == len(e.q.Cuisines))
}

// rooms calls check with the row of each night's hotel.
func (e *evaluator) rooms(check func(*Hotel) bool) Answer {
	for i := range e.days {
		if text, ok := e.must(i, fieldAccommodation); ok {
			if rows := e.hotels(text); len(rows) > 0 && !check(rows[0]) {
				return Failed
			}
		}
	}
	return Passed
}

func (e *evaluator) roomRule() Answer {
	if e.q.HouseRule == "" {
		return Unasked
	}
	return e.rooms(func(h *Hotel) bool { return !strings.Contains(strings.Join(h.Rules, " & "), "No "+e.q.HouseRule) })
}

func (e *evaluator) roomType() Answer {
	if e.q.RoomType == "" {
		return Unasked
	}
	return e.rooms(e.q.allowsRoom)
}

func (e *evaluator) noTransport() Answer {
	if e.q.Transportation == "" {
		return Unasked
	}
	word := map[string]string{noFlight: "Flight", noCar: "Self-driving"}[e.q.Transportation]
	for i := range e.days {
		if text, ok := e.must(i, fieldTransport); ok && strings.Contains(text, word) {
			return Failed
		}
	}
	return Passed
}

func (e *evaluator) cost() (sum pddl.Number) {
	for i := range e.days {
		if text, ok := e.must(i, fieldTransport); ok {
			sum = sum.Add(e.transportCost(i, text))
		}
		for _, field := range meals {
			if text, ok := e.must(i, field); ok {
				if r := e.restaurantRow(text); r != nil {
					sum = sum.Add(money(r.Cost, int64(e.q.People)))
				}
			}
		}
		if text, ok := e.must(i, fieldAccommodation); ok {
			if rows := e.hotels(text); len(rows) > 0 {
				sum = sum.Add(money(rows[0].Price, e.q.units(rows[0].Occupancy)))
			}
		}
	}
	return sum
}

func (e *evaluator) transportCost(i int, text string) (cost pddl.Number) {
	from, to, ok := e.way(i, text)
	if !ok {
		return cost
	}
	means, seats := "", 0
	switch lower := strings.ToLower(text); {
	case strings.Contains(lower, "flight number"):
		number := flightNumber(text)
		for j := range e.w.Flights {
			if e.w.Flights[j].Number == number {
				return money(e.w.Flights[j].Price, int64(e.q.People))
			}
		}
		return cost
	case strings.Contains(lower, car):
		means, seats = car, carSeats
	case strings.Contains(lower, taxi):
		means, seats = taxi, taxiSeats
	default:
		return cost
	}
	one, usable := e.roadCost(from, to, means)
	if !usable {
		panic(crash("TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'"))
	}
	return money(pddl.Int(one), e.q.units(seats))
}
