package travel

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/pddl"
)

// Size says how large a generated trip is, and how hard.
type Size struct {
	Days, Cities int // of the trip
	// Candidates are the cities of the destination that can be visited, at least Cities.
	Candidates int
	// Restaurants, Hotels and Attractions are the rows of each city, without decoys.
	Restaurants, Hotels, Attractions int
	// Level is easy (one person, only a budget), medium (one more constraint) or hard (three).
	Level string
	// Slack is what the budget has beyond the optimum, in percent; -1 makes the query unsolvable by one unit.
	Slack int
	// Decoys of each kind are cheaper than what the optimum books, and each violates exactly one rule.
	Decoys int
}

// DefaultSize is that of TravelPlanner's trips of three days.
var DefaultSize = Size{Days: 3, Cities: 1, Candidates: 1, Restaurants: 30, Hotels: 12, Attractions: 20, Level: "medium", Slack: 25, Decoys: 1}

// ParseSize reads "days=5 cities=2 ..." into a size; level is easy=1, medium=2, hard=3.
func ParseSize(params map[string]int) (Size, error) {
	s := DefaultSize
	level := 2
	fields := map[string]*int{
		"days": &s.Days, "cities": &s.Cities, "candidates": &s.Candidates, "restaurants": &s.Restaurants, "hotels": &s.Hotels,
		"attractions": &s.Attractions, "slack": &s.Slack, "decoys": &s.Decoys, "level": &level,
	}
	for name, n := range params {
		into, ok := fields[name]
		if !ok {
			return s, fmt.Errorf("travel has no parameter %q: it has days, cities, candidates, restaurants, hotels, attractions, level, slack, decoys", name)
		}
		*into = n
	}
	if _, given := params["candidates"]; !given {
		s.Candidates = s.Cities
	}
	if level < 1 || level > 3 {
		return s, fmt.Errorf("level=%d is not 1 (easy), 2 (medium) or 3 (hard)", level)
	}
	s.Level = []string{"easy", "medium", "hard"}[level-1]
	return s, s.check()
}

func (s *Size) check() error {
	switch {
	case s.Days < 2 || s.Days > maxDays:
		return fmt.Errorf("days=%d is not from 2 to %d", s.Days, maxDays)
	case s.Cities < 1 || s.Cities > s.Days-1:
		return fmt.Errorf("cities=%d is not from 1 to %d, a night for each", s.Cities, s.Days-1)
	case s.Candidates < s.Cities || s.Candidates > 200:
		return fmt.Errorf("candidates=%d is not from %d to 200", s.Candidates, s.Cities)
	case s.Restaurants < 3*(s.Days-2) || s.Restaurants > 10_000:
		return fmt.Errorf("restaurants=%d is not from %d to 10,000", s.Restaurants, 3*(s.Days-2))
	case s.Hotels < 1 || s.Hotels > 10_000, s.Attractions < s.Days-2 || s.Attractions > 10_000:
		return fmt.Errorf("hotels=%d and attractions=%d are not from 1 and %d to 10,000", s.Hotels, s.Attractions, s.Days-2)
	case s.Slack < -1 || s.Slack > 1_000_000 || s.Decoys < 0 || s.Decoys > 100:
		return fmt.Errorf("slack=%d is not from -1 to 1,000,000, or decoys=%d not from 0 to 100", s.Slack, s.Decoys)
	}
	return nil
}

// A Trip is a generated query with its world and its proven optimum.
type Trip struct {
	Name  string
	World *World
	Query *Query
	// Optimum is the cheapest itinerary without the budget; the budget decides whether it is within the query.
	Optimum *Optimum
	// Restores are the constraints without which the query can be solved, if it cannot with all of them.
	Restores []Relaxed
}

// maxDraws bounds the worlds that are drawn until one has an itinerary.
const maxDraws = 50

// Generate makes a trip. A seed gives the same trip always; each table of each city has random numbers of its own, so
// that more rows or cities leave the others as they are. Trips without any itinerary are drawn again: the exact solver
// proves each one.
func Generate(ctx context.Context, size Size, seed uint64) (*Trip, error) {
	if err := size.check(); err != nil {
		return nil, err
	}
	for draw := range maxDraws {
		g := &generator{Size: size, seed: seed, draw: draw, w: &World{}}
		t, err := g.trip(ctx)
		if errors.Is(err, ErrNoItinerary) {
			continue
		}
		return t, err
	}
	return nil, fmt.Errorf("no world of this size has an itinerary in %d draws: ask for more hotels or restaurants", maxDraws)
}

type generator struct {
	Size
	seed uint64
	draw int
	w    *World
	q    *Query
}

func (g *generator) rand(purpose string) *rand.Rand {
	return seeded.Rand(g.seed, fmt.Sprintf("travel/%d/%s", g.draw, purpose))
}

func (g *generator) trip(ctx context.Context) (*Trip, error) {
	g.cities()
	g.query()
	for _, c := range g.w.Cities {
		g.city(c.Name)
	}
	g.roads()
	g.w.Index()
	budget := g.q.HasBudget
	g.q.HasBudget = false
	o, err := FreeOptimum(ctx, g.w, g.q)
	if err != nil {
		return nil, err
	}
	g.decoys(o)
	g.shuffle()
	g.w.Index()
	again, err := FreeOptimum(ctx, g.w, g.q)
	if err != nil || !again.Cost.Equal(o.Cost) {
		return nil, fmt.Errorf("internal error: decoys change the optimum %s: %v", o.Cost, err)
	}
	g.q.HasBudget = budget
	g.budget(again.Cost)
	t := &Trip{Name: fmt.Sprintf("travel-%d-%d-%d-%s-%d", g.Days, g.Cities, g.Candidates, g.Level, g.seed), World: g.w, Query: g.q, Optimum: again}
	if again.Cost.Cmp(g.q.Budget) > 0 {
		t.Restores, err = relax(ctx, g.w, g.q)
	}
	return t, err
}

// budget is the optimum and the slack, rounded up to whole units; without slack it is exact.
func (g *generator) budget(optimum pddl.Number) {
	g.q.Budget = optimum.Mul(pddl.Fraction(int64(100+g.Slack), 100))
	switch {
	case g.Slack < 0:
		g.q.Budget = optimum.Sub(pddl.Int(1))
	case g.Slack > 0 && !g.q.Budget.IsInt():
		g.q.Budget = pddl.Int(floor(g.q.Budget) + 1)
	}
}

var (
	syllables = strings.Fields("al bor cas del eri fin gar hol ist jor kel lun mar nor osk pel quin ros sul tor ulm ves win yar zel")
	endings   = strings.Fields("burg ville ton field port mouth ford haven")
	labels    = strings.Fields("American Chinese French Indian Italian Mediterranean Mexican BBQ Bakery Cafe Desserts Pizza Seafood Tea")
	askable   = labels[:7]
	houses    = strings.Split("smoking,parties,children under 10,visitors,pets", ",")
	roomKinds = []string{"Entire home/apt", "Private room", "Shared room"}
	roomAsks  = []string{"entire room", "private room", "not shared room", "shared room"}
	eateries  = strings.Split("Kitchen,Table,Grill,Corner,House,Garden,Café,Terrace (old town),Bar & Sons,L'Étoile", ",")
	lodgings  = strings.Split("Loft,Inn,Rooms,Residence,Studio, near the station,Villa,Haus Müller,B&B", ",")
	sights    = strings.Split("Museum,Tower,Park,Bridge,Market,Castle,Gallery,Botanic Garden", ",")
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// cities names the origin and the candidates.
func (g *generator) cities() {
	seen := map[string]bool{}
	for i := range g.Candidates + 1 {
		r, name := g.rand(fmt.Sprint("city ", i)), ""
		for name == "" || seen[name] {
			name = pick(r, syllables) + pick(r, syllables) + pick(r, endings)
			name = strings.ToUpper(name[:1]) + name[1:]
		}
		seen[name] = true
		state := "Westmark"
		if i == 0 {
			state = "Eastmark"
		}
		g.w.Cities = append(g.w.Cities, City{name, state})
	}
}

// query draws who travels, and what they want.
func (g *generator) query() {
	r := g.rand("query")
	g.q = &Query{Org: g.w.Cities[0].Name, Dest: "Westmark", Days: g.Days, Cities: g.Cities, People: 1, HasBudget: true, Level: g.Level}
	if g.Days <= 3 && g.Candidates == 1 {
		g.q.Dest = g.w.Cities[1].Name
	}
	first := 1 + r.IntN(28)
	for d := range g.Days { // months of a year without a leap day
		day, month := first+d, 3
		for _, length := range [...]int{31, 30, 31} {
			if day > length {
				day, month = day-length, month+1
			}
		}
		g.q.Dates = append(g.q.Dates, fmt.Sprintf("2022-%02d-%02d", month, day))
	}
	if g.Level == "easy" {
		return
	}
	if g.q.People = 2; r.IntN(2) == 0 {
		g.q.People = 3 + r.IntN(6)
	}
	count := 1
	if g.Level == "hard" {
		count = 3
	}
	kinds := []string{"house", "room", "cuisine", "transport"}
	if count == 1 {
		kinds = kinds[:3]
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for _, kind := range kinds[:count] {
		switch kind {
		case "house":
			g.q.HouseRule = pick(r, houses)
		case "room":
			g.q.RoomType = pick(r, roomAsks[:2+2*min(1, 3/(g.q.People+1))])
		case "cuisine":
			order := r.Perm(len(askable))
			for _, i := range order[:2*min(count, 2)] {
				g.q.Cuisines = append(g.q.Cuisines, askable[i])
			}
		case "transport":
			g.q.Transportation = pick(r, []string{noFlight, noCar})
		}
	}
}

// city draws the rows of a city. The first words of names are numbered, so that no two are the same.
func (g *generator) city(city string) {
	r := g.rand("restaurants " + city)
	for i := range g.Restaurants {
		var cuisines []string
		for _, k := range r.Perm(len(labels))[:1+r.IntN(4)] {
			cuisines = append(cuisines, labels[k])
		}
		g.w.Restaurants = append(g.w.Restaurants, Restaurant{Name: g.name(r, i, eateries), City: city, Cuisines: cuisines, Cost: pddl.Int(int64(10 + r.IntN(101)))})
	}
	r = g.rand("hotels " + city)
	for i := range g.Hotels {
		var rules []string
		for _, k := range r.Perm(len(houses))[:1+r.IntN(3)] {
			rules = append(rules, "No "+houses[k])
		}
		nights := 1 + r.IntN(3)
		if r.IntN(5) == 0 {
			nights = 2 + r.IntN(29)
		}
		g.w.Hotels = append(g.w.Hotels, Hotel{Name: g.name(r, i, lodgings), City: city, RoomType: pick(r, roomKinds), Rules: rules,
			MinNights: nights, Occupancy: 1 + r.IntN(6), Price: pddl.Int(int64(51 + r.IntN(1145)))})
	}
	r = g.rand("attractions " + city)
	for i := range g.Attractions {
		g.w.Attractions = append(g.w.Attractions, Attraction{g.name(r, i, sights), city})
	}
}

func (g *generator) name(r *rand.Rand, i int, kinds []string) string {
	a := pick(r, syllables) + pick(r, syllables)
	name := strings.ToUpper(a[:1]) + a[1:] + " " + pick(r, kinds)
	if i >= 20 || r.IntN(4) == 0 {
		return fmt.Sprintf("%s %d", name, i+1)
	}
	return fmt.Sprintf("%s No. %d", name, i+1)
}

// roads draws flights and roads between all cities.
func (g *generator) roads() {
	for i, a := range g.w.Cities {
		for j, b := range g.w.Cities {
			if i == j {
				continue
			}
			r := g.rand("leg " + a.Name + " " + b.Name)
			km := 80 + r.IntN(2400)
			road := Road{From: a.Name, To: b.Name, Distance: fmt.Sprintf("%d km", km), Duration: fmt.Sprintf("%d hours %d mins", km/90, r.IntN(60)), Kilometres: pddl.Int(int64(km))}
			if km/90 >= 24 {
				road.Duration, road.NoCar, road.NoTaxi = fmt.Sprintf("1 day %d hours", km/90-24), true, true
			}
			g.w.Roads = append(g.w.Roads, road)
			for _, date := range g.q.Dates {
				for range r.IntN(4) {
					out := 60*(5+r.IntN(15)) + r.IntN(60)
					in := out + 50 + km/12
					g.w.Flights = append(g.w.Flights, Flight{Number: fmt.Sprintf("F%07d", 3_500_000+len(g.w.Flights)), From: a.Name, To: b.Name, Date: date,
						Depart: fmt.Sprintf("%02d:%02d", out/60%24, out%60), Arrive: fmt.Sprintf("%02d:%02d", in/60%24, in%60),
						Duration: fmt.Sprintf("%d hours %d minutes", (in-out)/60, (in-out)%60), Distance: fmt.Sprint(km * 5 / 8), Price: pddl.Int(int64(50 + r.IntN(500)))})
				}
			}
		}
	}
}

// shuffle orders the rows by chance, so that decoys are not the last ones.
func (g *generator) shuffle() {
	r := g.rand("order")
	r.Shuffle(len(g.w.Restaurants), func(i, j int) {
		g.w.Restaurants[i], g.w.Restaurants[j] = g.w.Restaurants[j], g.w.Restaurants[i]
	})
	r.Shuffle(len(g.w.Hotels), func(i, j int) { g.w.Hotels[i], g.w.Hotels[j] = g.w.Hotels[j], g.w.Hotels[i] })
	r.Shuffle(len(g.w.Flights), func(i, j int) { g.w.Flights[i], g.w.Flights[j] = g.w.Flights[j], g.w.Flights[i] })
}

// decoys adds, for what the optimum books, cheaper rows that violate exactly one rule each.
func (g *generator) decoys(o *Optimum) {
	one := pddl.Int(1)
	for n := range g.Decoys {
		for _, city := range o.Route.Cities {
			base := g.w.Hotels[slices.IndexFunc(g.w.Hotels, func(h Hotel) bool { return h.City == city && h.Name == bookedIn(o, city) })]
			add := func(what string, change func(*Hotel)) {
				h := base
				h.Name, h.Price, h.Rules = fmt.Sprintf("%s %s %d", base.Name, what, n+1), one, slices.Clone(base.Rules)
				change(&h)
				g.w.Hotels = append(g.w.Hotels, h)
			}
			add("Annex", func(h *Hotel) { h.MinNights = g.Days }) // a night too long for every stay
			if g.q.HouseRule != "" {
				add("Court", func(h *Hotel) { h.Rules = append(h.Rules, "No "+g.q.HouseRule) })
			}
			if g.q.RoomType != "" {
				add("Dormitory", func(h *Hotel) { h.RoomType = otherRoom[g.q.RoomType] })
			}
		}
		g.cheapFlights(n, o)
	}
}

// otherRoom is a room type that is not what a query asks for.
var otherRoom = map[string]string{"shared room": "Entire home/apt", "entire room": "Private room", "private room": "Shared room", "not shared room": "Shared room"}

// cheapFlights adds cheap flights on the day before or after, and with the cities of a leg swapped.
func (g *generator) cheapFlights(n int, o *Optimum) {
	for i, f := range []Flight{{From: g.q.Org, To: o.Route.Cities[0], Date: "2022-02-28"}, {From: o.Route.Cities[0], To: g.q.Org, Date: "2022-07-31"}} {
		f.Number, f.Depart, f.Arrive, f.Duration, f.Distance, f.Price = fmt.Sprintf("F%07d", 9_000_000+2*n+i), "09:00", "10:00", "1 hours 0 minutes", "300", pddl.Int(1)
		g.w.Flights = append(g.w.Flights, f)
	}
}

// bookedIn is the hotel of the first night in a city.
func bookedIn(o *Optimum, city string) string {
	for _, d := range o.Plan.Days {
		if name, in, ok := splitPlace(d.Fields[fieldAccommodation].Text); ok && in == city {
			return name
		}
	}
	return ""
}
