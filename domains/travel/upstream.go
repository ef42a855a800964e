package travel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/pddl"
)

// Upstream is what TravelPlanner's evaluator answers about a plan, quirks and crashes included (1.5 to 1.8 of
// travel-tools.md). It is for comparison with published numbers; [Judge] is the judge.
type Upstream struct {
	// Commonsense has the eight checks in the evaluator's order.
	Commonsense [8]bool
	// Gate reports whether the hard checks were run: only if nothing is absent and everything is in the tables.
	Gate bool
	// Hard has the five checks in the evaluator's order; nil values of a query without the constraint are Unasked.
	Hard [5]Answer
	Cost pddl.Number // if Gate
	// Crash is the error of Python with which the evaluator ends, "" if it does not.
	Crash string
	// Delivered is false for null and an empty list, which are not evaluated.
	Delivered bool
}

// Answer of a hard check.
type Answer uint8

// The answers.
const (
	Unasked Answer = iota
	Passed
	Failed
)

// Names of the evaluator's checks.
var (
	UpstreamCommonsense = [8]string{
		"is_reasonable_visiting_city", "is_valid_restaurants", "is_valid_attractions", "is_valid_accommodation", "is_valid_transportation",
		"is_valid_information_in_current_city", "is_valid_information_in_sandbox", "is_not_absent",
	}
	UpstreamHard = [5]string{"valid_cuisine", "valid_room_rule", "valid_transportation", "valid_room_type", "valid_cost"}
)

// crash is the panic that stands for an exception of Python.
type crash string

// JudgeUpstream evaluates a plan as TravelPlanner's evaluator does.
func JudgeUpstream(w *World, q *Query, p *Plan) (u *Upstream) {
	u = &Upstream{Delivered: p.Delivered}
	if !p.Delivered {
		return u
	}
	defer func() {
		if x := recover(); x != nil {
			text, ours := x.(crash)
			if !ours {
				panic(x)
			}
			u.Crash, u.Gate = string(text), false
		}
	}()
	e := evaluator{w: w, q: q, days: p.Days[:min(len(p.Days), q.Days)]}
	if p.Broken != "" {
		panic(crash("TypeError: " + p.Broken))
	}
	for i, check := range [...]func() bool{e.route, e.restaurants, e.attractions, e.nights, e.transport, e.inCity, e.inSandbox, e.notAbsent} {
		u.Commonsense[i] = check()
	}
	if u.Gate = u.Commonsense[6] && u.Commonsense[7]; !u.Gate {
		return u
	}
	for i, check := range [...]func() Answer{e.cuisine, e.roomRule, e.noTransport, e.roomType} {
		u.Hard[i] = check()
	}
	u.Cost = e.cost()
	u.Hard[4] = passed(!q.HasBudget || u.Cost.Cmp(q.Budget) <= 0)
	return u
}

func passed(ok bool) Answer {
	if ok {
		return Passed
	}
	return Failed
}

type evaluator struct {
	w    *World
	q    *Query
	days []Day
}

// get is unit[field].
func (e *evaluator) get(i int, field string) string {
	f, ok := e.days[i].Fields[field]
	switch {
	case !ok:
		panic(crash(fmt.Sprintf("KeyError: '%s'", field)))
	case f.Broken != "":
		panic(crash("TypeError: " + field + " is " + f.Broken))
	}
	return f.Text
}

// has is 'field' in unit.
func (e *evaluator) has(i int, field string) bool {
	_, ok := e.days[i].Fields[field]
	return ok
}

// filled is: the field is there, not empty and not "-".
func (e *evaluator) filled(i int, field string) (string, bool) {
	if !e.has(i, field) {
		return "", false
	}
	text := e.get(i, field)
	return text, text != "" && text != "-"
}

// must is filled for a field that the evaluator takes to be there.
func (e *evaluator) must(i int, field string) (string, bool) {
	text := e.get(i, field)
	return text, text != "" && text != "-"
}

var upstreamLeg = pattern.New(`from\s+(.+?)\s+to\s+([^,]+)`)

func upstreamFromTo(text string) (from, to string, ok bool) {
	m := upstreamLeg.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], strings.TrimSuffix(m[2], "\n"), true
}

var parenthesis = pattern.New(`^(.*?)\([^)]*\)`)

func beforeParenthesis(s string) string {
	if m := parenthesis.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return s
}

var nameCity = pattern.New(`(.*?),\s*([^,]+)(\(\w[\w\s]*\))?$`)

func upstreamNameCity(text string) (name, city string) {
	m := nameCity.FindStringSubmatch(text)
	if m == nil {
		return "-", "-"
	}
	return strings.TrimSpace(m[1]), strings.TrimSpace(beforeParenthesis(strings.TrimSpace(m[2])))
}

// cities are those that a day's current_city names: two of a journey, else one. Where they are asked for of a text
// with "from" that does not parse, Python ends.
func (e *evaluator) cities(i int) []string {
	text := e.get(i, fieldCity)
	if !strings.Contains(text, "from") {
		return []string{beforeParenthesis(text)}
	}
	from, to, ok := upstreamFromTo(text)
	if !ok {
		panic(crash("TypeError: expected string or bytes-like object"))
	}
	return []string{beforeParenthesis(from), beforeParenthesis(to)}
}

func (e *evaluator) route() bool {
	var list []string
	for i := range e.days {
		c := e.cities(i)
		if i == 0 && len(c) == 2 && c[0] != e.q.Org {
			return false
		}
		list = append(list, c...)
	}
	if list[0] != list[len(list)-1] || !upstreamSequence(list) {
		return false
	}
	for i, city := range list {
		state, known := e.state(city)
		if !known || i > 0 && i < len(list)-1 && e.q.Days > 3 && state != e.q.Dest {
			return false
		}
	}
	return true
}

func (e *evaluator) state(city string) (string, bool) {
	for i := len(e.w.Cities) - 1; i >= 0; i-- {
		if e.w.Cities[i].Name == city {
			return e.w.Cities[i].State, true
		}
	}
	return "", false
}

func upstreamSequence(list []string) bool {
	if len(list) < 3 {
		return false
	}
	visited := map[string]bool{}
	for i := 0; i < len(list); {
		city, begin := list[i], i
		if visited[city] && i != 0 && i != len(list)-1 {
			return false
		}
		for i < len(list) && list[i] == city {
			i++
		}
		if i-begin == 1 && begin > 0 && begin < len(list)-1 {
			return false
		}
		visited[city] = true
	}
	return true
}

func (e *evaluator) restaurants() bool {
	var before []string
	for i := range e.days {
		for _, field := range meals {
			if text, ok := e.filled(i, field); ok {
				if slices.Contains(before, text) {
					return false
				}
				before = append(before, text)
			}
		}
	}
	return true
}

// attractionsOf are the parts before the last semicolon: what follows it is never looked at.
func (e *evaluator) attractionsOf(i int) []string {
	text, ok := e.filled(i, fieldAttraction)
	if !ok {
		return nil
	}
	parts := strings.Split(text, ";")
	return parts[:len(parts)-1]
}

func (e *evaluator) attractions() bool {
	var before []string
	for i := range e.days {
		for _, text := range e.attractionsOf(i) {
			if slices.Contains(before, text) {
				return false
			}
			before = append(before, text)
		}
	}
	return true
}

func (e *evaluator) nights() bool {
	for i := range e.days {
		if !e.has(i, fieldAccommodation) {
			return false
		}
	}
	for i := 0; i < len(e.days); {
		text, begin := e.get(i, fieldAccommodation), i
		for i < len(e.days) && e.get(i, fieldAccommodation) == text {
			i++
		}
		if text == "-" || text == "" {
			continue
		}
		if rows := e.hotels(text); len(rows) == 1 && i-begin < rows[0].MinNights {
			return false
		}
	}
	return true
}

// hotels are the rows of the city whose names contain the name.
func (e *evaluator) hotels(text string) (rows []*Hotel) {
	name, city := upstreamNameCity(text)
	for i := range e.w.Hotels {
		if h := &e.w.Hotels[i]; h.City == city && strings.Contains(h.Name, name) {
			rows = append(rows, h)
		}
	}
	return rows
}

func (e *evaluator) restaurantRow(text string) *Restaurant {
	name, city := upstreamNameCity(text)
	for i := range e.w.Restaurants {
		if r := &e.w.Restaurants[i]; r.City == city && strings.Contains(r.Name, name) {
			return r
		}
	}
	return nil
}

func upstreamMeans(text string) string {
	for _, means := range [...]string{taxi, car, flight} {
		if strings.Contains(strings.ToLower(text), means) {
			return means
		}
	}
	return ""
}

func (e *evaluator) transport() bool {
	first, ok := e.must(0, fieldTransport)
	if !ok {
		return false
	}
	means := map[string]bool{upstreamMeans(first): true}
	for i := range e.days {
		if text, ok := e.filled(i, fieldTransport); ok {
			means[upstreamMeans(text)] = true
		}
	}
	return !means[car] || !means[flight] && !means[taxi]
}

func (e *evaluator) inCity() bool {
	for i := range e.days {
		cities := e.cities(i)
		if len(cities) == 1 { // Python iterates over the letters
			cities = strings.Split(cities[0], "")
		}
		if text, ok := e.filled(i, fieldTransport); ok {
			for _, city := range cities {
				if !strings.Contains(text, city) {
					return false
				}
			}
		}
		named := func(text string) bool {
			return slices.ContainsFunc(cities, func(city string) bool { return strings.Contains(text, city) })
		}
		for _, field := range meals {
			if text, ok := e.filled(i, field); ok && !named(text) {
				return false
			}
		}
		if slices.ContainsFunc(e.attractionsOf(i), func(text string) bool { return !named(text) }) {
			return false
		}
		if text, ok := e.filled(i, fieldAccommodation); ok {
			if len(cities) == 0 {
				panic(crash("IndexError: string index out of range"))
			}
			if !strings.Contains(text, cities[len(cities)-1]) {
				return false
			}
		}
	}
	return true
}
