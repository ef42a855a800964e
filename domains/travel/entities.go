package travel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// resolveDay finds the rows of everything that a day names: rules C2 and C3, and the form of the fields.
func (t *trial) resolveDay(i int) {
	d := &t.days[i]
	if d.Day.Empty || d.Day.Broken != "" {
		d.hotel.broken = d.Day.Broken != ""
		return
	}
	t.resolveTransport(i)
	for m, field := range meals {
		d.meals[m] = t.resolve(i, field, d.Fields[field], t.w.restaurants)
	}
	if text, ok := d.text(fieldAttraction); ok {
		for _, part := range readAttractions(text) {
			d.sights = append(d.sights, t.resolve(i, fieldAttraction, Field{Text: cmp.Or(strings.TrimSpace(part), " ")}, t.w.attractions))
		}
	}
	d.hotel = t.resolve(i, fieldAccommodation, d.Fields[fieldAccommodation], t.w.hotels)
}

// resolve finds the row of "Name, City".
func (t *trial) resolve(i int, field string, f Field, table map[place]entry) visit {
	v := visit{field: field, row: -1}
	if f.Broken != "" {
		v.broken = true
		return v
	}
	if nothing(f.Text) {
		if f.Text == " " && field == fieldAttraction {
			v.broken = true
			t.add(FMT, i+1, field, "an attraction is missing between two semicolons", "")
		}
		return v
	}
	name, city, ok := splitPlace(f.Text)
	if !ok || city == "" {
		v.broken = true
		t.add(FMT, i+1, field, fmt.Sprintf("%q is not \"Name, City\"", strings.TrimSpace(f.Text)), "")
		return v
	}
	v.named, v.city, v.display = true, t.w.city(city), name+", "+city
	if e, found := table[place{normal(name), v.city}]; found {
		v.row = int(e.row)
		if e.rows > 1 && !slices.Contains(t.out.Ambiguous, v.display) {
			t.out.Ambiguous = append(t.out.Ambiguous, v.display)
		}
	} else {
		t.add(C2, i+1, field, fmt.Sprintf("no row is %q in %s", name, city), "")
	}
	t.inCity(i, &v)
	return v
}

// inCity is rule C3 for everything but transport: meals and attractions in one of the day's cities, the hotel in that
// of the evening.
func (t *trial) inCity(i int, v *visit) {
	d := &t.days[i]
	if d.where != stay && d.where != travels || v.city == d.to {
		return
	}
	if v.field == fieldAccommodation {
		t.add(C3, i+1, v.field, v.display+" is not where the night is spent", d.to)
	} else if v.city != d.from {
		t.add(C3, i+1, v.field, v.display+" is not in a city of the day", d.from+", "+d.to)
	}
}

// resolveTransport reads and checks the transport of a day.
func (t *trial) resolveTransport(i int) {
	d := &t.days[i]
	text, ok := d.text(fieldTransport)
	if !ok {
		return
	}
	m, err := readTransport(text)
	if err != nil {
		t.add(FMT, i+1, fieldTransport, err.Error(), "")
		return
	}
	m.leg = t.w.resolveLeg(m.leg)
	d.moves = &m
	from, to := t.w.city(m.leg.from), t.w.city(m.leg.to)
	if d.where == travels && (from != d.from || to != d.to) {
		t.add(C3, i+1, fieldTransport, fmt.Sprintf("it goes from %s to %s", from, to), fmt.Sprintf("the day goes from %s to %s", d.from, d.to))
	}
	if m.means == flight {
		t.resolveFlight(i, from, to)
		return
	}
	if m.means != car && m.means != taxi {
		t.add(C2, i+1, fieldTransport, fmt.Sprintf("no means of transport is called %q", m.means), "")
		return
	}
	row, found := t.w.roads[place{from, to}]
	if found {
		d.ride = &t.w.Roads[row]
	}
	if !found || m.means == car && d.ride.NoCar || m.means == taxi && d.ride.NoTaxi {
		d.ride = nil
		t.add(C2, i+1, fieldTransport, fmt.Sprintf("no usable road from %s to %s", from, to), "")
		return
	}
	cost := d.ride.carCost()
	if m.means == taxi {
		cost = d.ride.taxiCost()
	}
	t.quoted(i, map[string]known{
		"duration": {d.ride.Duration, sameDuration}, "distance": {d.ride.Distance, sameDistance}, "cost": {fmt.Sprint(cost), sameAmount},
	})
}

// resolveFlight finds the flight by number, cities and date.
func (t *trial) resolveFlight(i int, from, to string) {
	d := &t.days[i]
	date, reason, compared := t.q.Date(i+1), "", ""
	for _, row := range t.w.flights[normal(d.moves.number)] {
		f := &t.w.Flights[row]
		if d.flight == nil {
			d.flight = f // it is priced whatever else is wrong, as its number alone names it
		}
		switch {
		case t.w.city(f.From) != from || t.w.city(f.To) != to:
			reason, compared = "the flight goes elsewhere", fmt.Sprintf("%s from %s to %s", f.Number, f.From, f.To)
		case date != "" && f.Date != date:
			reason, compared = "the flight goes on another day than "+date, fmt.Sprintf("%s on %s", f.Number, f.Date)
		default:
			d.flight = f
			t.quoted(i, map[string]known{
				"departure time": {f.Depart, sameTime}, "arrival time": {f.Arrive, sameTime}, "price": {f.Price.String(), sameAmount}, "cost": {f.Price.String(), sameAmount},
				"duration": {f.Duration, sameDuration}, "distance": {f.Distance, sameDistance}, "date": {f.Date, sameText},
			})
			return
		}
	}
	if reason == "" {
		reason = fmt.Sprintf("no flight has the number %s", d.moves.number)
	}
	t.add(C2, i+1, fieldTransport, reason, compared)
}

// known is what a table says, and how a quotation is compared with it.
type known struct {
	value string
	same  func(quoted, value string) bool
}

// quoted compares the facts that the transport of a day quotes with those of its row. What the row does not say cannot
// be confirmed, and is refused.
func (t *trial) quoted(i int, row map[string]known) {
	for _, f := range t.days[i].moves.facts {
		k, ok := row[f.name]
		switch {
		case !ok || k.value == "":
			t.add(C2, i+1, fieldTransport, fmt.Sprintf("the table does not say %q", f.name), "")
		case !k.same(f.value, k.value):
			t.add(C2, i+1, fieldTransport, fmt.Sprintf("%s is quoted as %s", f.name, f.value), k.value)
		}
	}
}

func sameText(a, b string) bool { return normal(a) == normal(b) }

func sameTime(a, b string) bool {
	one, ok1 := clock(a)
	two, ok2 := clock(b)
	return ok1 && ok2 && one == two || sameText(a, b)
}

// clock reads "08:00" as minutes.
func clock(s string) (int, bool) {
	var h, m int
	var rest string
	n, _ := fmt.Sscanf(strings.TrimSpace(s)+" .", "%d:%d %s", &h, &m, &rest)
	return 60*h + m, n == 3 && rest == "." && h >= 0 && m >= 0 && m < 60
}

func sameDuration(a, b string) bool {
	one, ok1 := minutes(a)
	two, ok2 := minutes(b)
	return ok1 && ok2 && one == two || sameText(a, b)
}

func sameDistance(a, b string) bool {
	unit := func(s string) string { return strings.TrimLeft(normal(s), "0123456789., ") }
	return unit(a) == unit(b) && sameAmount(strings.TrimSuffix(normal(a), unit(a)), strings.TrimSuffix(normal(b), unit(b))) || sameText(a, b)
}

func sameAmount(a, b string) bool {
	one, ok1 := plainNumber(a)
	two, ok2 := plainNumber(b)
	return ok1 && ok2 && one.Equal(two)
}

// plainNumber reads "$1,057" as a number.
func plainNumber(s string) (pddl.Number, bool) {
	return pddl.ParseNumber(strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(s), "$"), ",", ""))
}

// transportRules is rule C7. A travel day without transport is C4.
func (t *trial) transportRules() {
	var byCar, otherwise int // days
	for i := range t.days {
		d := &t.days[i]
		if _, there := d.text(fieldTransport); there && d.where == stay {
			t.add(C7, i+1, fieldTransport, "there is transport on a day without travel", d.to)
		}
		switch {
		case d.moves == nil:
		case d.moves.means == car:
			byCar = i + 1
		case d.moves.means == flight || d.moves.means == taxi:
			otherwise = i + 1
		}
	}
	if byCar > 0 && otherwise > 0 {
		t.add(C7, max(byCar, otherwise), fieldTransport, "a car of one's own and flights or taxis exclude each other", fmt.Sprintf("day %d", min(byCar, otherwise)))
	}
}

// hard is rules H1 to H5, and the cost.
func (t *trial) hard() {
	q := t.q
	var rooms []visit
	labels := map[string]bool{}
	for i := range t.days {
		d := &t.days[i]
		t.out.Cost = t.out.Cost.Add(t.dayCost(d))
		for m := range d.meals {
			if v := &d.meals[m]; v.known() && v.city != t.w.city(q.Org) {
				for _, label := range t.w.Restaurants[v.row].Cuisines {
					labels[normal(label)] = true
				}
			}
		}
		if d.moves != nil && (q.Transportation == noFlight && d.moves.means == flight || q.Transportation == noCar && d.moves.means == car) {
			t.add(H5, i+1, fieldTransport, "the query says "+q.Transportation, "")
		}
		if v := d.hotel; v.known() && (len(rooms) == 0 || rooms[len(rooms)-1].row != v.row) {
			rooms = append(rooms, v)
			h := &t.w.Hotels[v.row]
			if !q.allowsRule(h) {
				t.add(H2, i+1, fieldAccommodation, fmt.Sprintf("%s does not allow %s", v.display, q.HouseRule), strings.Join(h.Rules, " & "))
			}
			if !q.allowsRoom(h) {
				t.add(H3, i+1, fieldAccommodation, fmt.Sprintf("%s is no %s", v.display, q.RoomType), h.RoomType)
			}
		}
	}
	if q.HasBudget && t.out.Cost.Cmp(q.Budget) > 0 {
		t.add(H1, 0, "", fmt.Sprintf("the plan costs %s", t.out.Cost), fmt.Sprintf("the budget is %s", q.Budget))
	}
	for _, label := range q.Cuisines {
		if !labels[normal(label)] && !t.mealsUnread() {
			t.add(H4, 0, "", "nothing "+label+" is eaten", "")
		}
	}
}

// mealsUnread reports whether a meal cannot be read, and so may have any cuisine.
func (t *trial) mealsUnread() bool {
	return slices.ContainsFunc(t.days, func(d day) bool {
		return d.Day.Broken != "" || slices.ContainsFunc(d.meals[:], func(v visit) bool { return v.broken })
	})
}

// dayCost is the cost of what a day has in the tables (1.6 of travel-tools.md).
func (t *trial) dayCost(d *day) (cost pddl.Number) {
	people := int64(t.q.People)
	switch {
	case d.flight != nil:
		cost = money(d.flight.Price, people)
	case d.ride != nil && d.moves.means == car:
		cost = money(pddl.Int(d.ride.carCost()), t.q.units(carSeats))
	case d.ride != nil:
		cost = money(pddl.Int(d.ride.taxiCost()), t.q.units(taxiSeats))
	}
	for m := range d.meals {
		if v := &d.meals[m]; v.known() {
			cost = cost.Add(money(t.w.Restaurants[v.row].Cost, people))
		}
	}
	if d.hotel.known() {
		h := &t.w.Hotels[d.hotel.row]
		cost = cost.Add(money(h.Price, t.q.units(h.Occupancy)))
	}
	return cost
}

// Seats of a car of one's own and of a taxi.
const (
	carSeats  = 5
	taxiSeats = 4
)
