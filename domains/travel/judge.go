package travel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// Judge judges a plan by the rules of section 1.9 of travel-tools.md: every rule by itself, and all of them whatever
// else is wrong. What cannot be read is FMT, and nothing else is concluded from it.
func Judge(w *World, q *Query, p *Plan) *Judgement {
	t := &trial{w: w, q: q, plan: p, out: &Judgement{Delivered: p.Delivered, days: q.Days}}
	if p.Broken != "" {
		t.add(FMT, 0, "", p.Broken, "")
		return t.out
	}
	t.days = make([]day, q.Days)
	for i := range t.days {
		t.readDay(i)
	}
	t.complete()
	t.route()
	for i := range t.days {
		t.resolveDay(i)
	}
	t.distinct()
	t.transportRules()
	t.nights()
	t.hard()
	slices.SortStableFunc(t.out.Findings, func(a, b Finding) int {
		if a.Rule != b.Rule {
			return int(a.Rule) - int(b.Rule)
		}
		return a.Day - b.Day
	})
	return t.out
}

// trial is a plan while it is judged.
type trial struct {
	w    *World
	q    *Query
	plan *Plan
	days []day
	out  *Judgement
}

// where says what is known about the cities of a day.
type where uint8

const (
	absent  where = iota // there is no such day
	unknown              // it cannot be read
	stay                 // in one city
	travels              // between two
)

// day is a day as it was understood. Cities are in normal form.
type day struct {
	*Day
	where    where
	from, to string // of a stay both are the city
	moves    *transport
	ride     *Road   // of a car or taxi
	flight   *Flight // that the number names
	meals    [3]visit
	sights   []visit
	hotel    visit
}

// visit is a restaurant, an attraction or a hotel as a plan names it.
type visit struct {
	field   string
	named   bool   // something that can be read is there
	broken  bool   // something is there that cannot be read
	row     int    // in its table, -1 if there is none
	city    string // normal form
	display string
}

// known reports whether it is in the tables.
func (v *visit) known() bool { return v.named && v.row >= 0 }

func (t *trial) add(r Rule, day int, field, reason, compared string) {
	t.out.Findings = append(t.out.Findings, Finding{r, day, field, reason, compared})
}

// readDay reads the form of a day.
func (t *trial) readDay(i int) {
	d := &t.days[i]
	d.Day = &Day{Empty: true}
	if i < len(t.plan.Days) {
		d.Day = &t.plan.Days[i]
	}
	switch {
	case d.Broken != "":
		d.where = unknown
		t.add(FMT, i+1, "", d.Broken, "")
		return
	case d.Empty:
		return
	}
	for _, field := range required {
		if broken := d.Fields[field].Broken; broken != "" {
			t.add(FMT, i+1, field, broken, "")
		}
	}
	t.readCity(i)
}

// readCity reads "X" or "from A to B".
func (t *trial) readCity(i int) {
	d := &t.days[i]
	f, ok := d.Fields[fieldCity]
	text := strings.TrimSpace(f.Text)
	d.where = unknown
	switch {
	case !ok:
		t.add(FMT, i+1, fieldCity, "the field is missing", "")
	case f.Broken != "":
		t.add(FMT, i+1, fieldCity, f.Broken, "")
	case nothing(text):
		t.add(FMT, i+1, fieldCity, "the field names no city", "")
	case !journey.MatchString(text):
		d.where, d.from = stay, t.w.city(text)
		d.to = d.from
	default:
		l, _, _, ok := findLeg(text)
		if !ok {
			t.add(FMT, i+1, fieldCity, fmt.Sprintf("%q is not \"from A to B\"", text), "")
			return
		}
		l = t.w.resolveLeg(l)
		d.where, d.from, d.to = travels, t.w.city(l.from), t.w.city(l.to)
	}
}

// text returns the text of a field, and whether something that could be read is planned there.
func (d *day) text(field string) (string, bool) {
	f, ok := d.Fields[field]
	return f.Text, ok && f.Broken == "" && !nothing(f.Text)
}

// lacks reports whether a field is there and plans nothing.
func (d *day) lacks(field string) bool {
	f, ok := d.Fields[field]
	return ok && f.Broken == "" && nothing(f.Text)
}

// complete is rule C4.
func (t *trial) complete() {
	if n := len(t.plan.Days); n > t.q.Days {
		t.add(C4, t.q.Days+1, "", fmt.Sprintf("the plan has %d days", n), fmt.Sprintf("the query has %d", t.q.Days))
	}
	for i := range t.days {
		d, number := &t.days[i], i+1
		if d.Day.Empty {
			t.add(C4, number, "", "the day is missing", fmt.Sprintf("the query has %d days", t.q.Days))
			continue
		}
		if d.Day.Broken != "" {
			continue
		}
		for _, field := range required {
			if _, ok := d.Fields[field]; !ok {
				t.add(C4, number, field, "the field is missing", "")
			}
		}
		if d.where == travels && d.lacks(fieldTransport) {
			t.add(C4, number, fieldTransport, "a travel day needs transport", "")
		}
		if d.where == stay {
			for _, field := range [...]string{fieldBreakfast, fieldAttraction, fieldLunch, fieldDinner} {
				if d.lacks(field) {
					t.add(C4, number, field, "a day without travel needs it", "")
				}
			}
		}
		if number < t.q.Days && d.lacks(fieldAccommodation) {
			t.add(C4, number, fieldAccommodation, "every night but the last day's needs it", "")
		}
	}
}

// route is rule C1. A day that cannot be read may be anything, so nothing is held against it.
func (t *trial) route() {
	org := t.w.city(t.q.Org)
	at := org // where the traveller is, "" if nobody knows
	bad := func(i int, reason, compared string) { t.add(C1, i+1, fieldCity, reason, compared) }
	for i := range t.days {
		d, last := &t.days[i], i == len(t.days)-1
		switch {
		case d.where == unknown:
			at = ""
			continue
		case d.where == absent && i == 0:
			bad(i, "the first day does not leave "+t.q.Org, "")
		case d.where == absent && last:
			bad(i, "the last day does not return to "+t.q.Org, "")
		}
		if d.where == absent {
			continue
		}
		if i == 0 && (d.where != travels || d.from != org) {
			bad(i, "the first day does not leave "+t.q.Org, d.from)
		} else if at != "" && d.from != at {
			bad(i, fmt.Sprintf("the day begins in %s", d.from), "the day before ends in "+at)
		}
		if last && (d.where != travels || d.to != org) {
			bad(i, "the last day does not return to "+t.q.Org, d.to)
		}
		at = d.to
	}
	t.visited(org)
}

// visited checks the cities in which nights are spent.
func (t *trial) visited(org string) {
	seen, doubts, before := map[string]bool{}, 0, ""
	for i := range t.days[:len(t.days)-1] {
		d := &t.days[i]
		if d.where == unknown {
			doubts, before = doubts+1, ""
			continue
		}
		if d.where == absent || d.to == before {
			continue
		}
		before = d.to
		_, known := t.w.states[d.to]
		switch {
		case d.to == org:
			t.add(C1, i+1, fieldCity, "a night is spent where the trip begins", t.q.Org)
			continue
		case seen[d.to]:
			if doubts == 0 || !t.couldJoin(i) {
				t.add(C1, i+1, fieldCity, "the city is visited a second time", d.to)
			}
		case !known:
			t.add(C1, i+1, fieldCity, "the list of cities does not have it", d.to)
		case !t.w.inDestination(d.to, t.q):
			t.add(C1, i+1, fieldCity, "the city is not in the destination", t.q.Dest)
		}
		seen[d.to] = true
	}
	if n := len(seen); n > t.q.Cities || n+doubts < t.q.Cities {
		t.add(C1, 0, "", fmt.Sprintf("%d cities are visited", n), fmt.Sprintf("the query asks for %d", t.q.Cities))
	}
}

// couldJoin reports whether only days that cannot be read lie between day i and the day before with the same city.
func (t *trial) couldJoin(i int) bool {
	for j := i - 1; j >= 0; j-- {
		if t.days[j].where != unknown {
			return t.days[j].to == t.days[i].to
		}
	}
	return false
}

// distinct is rules C5 and C6. What is not in the tables is left to C2.
func (t *trial) distinct() {
	eaten, seen := map[int]string{}, map[int]string{}
	check := func(r Rule, day int, v *visit, before map[int]string) {
		if !v.known() {
			return
		}
		if where, twice := before[v.row]; twice {
			t.add(r, day, v.field, fmt.Sprintf("%s is in the plan already", v.display), where)
			return
		}
		before[v.row] = fmt.Sprintf("day %d, %s", day, v.field)
	}
	for i := range t.days {
		for m := range t.days[i].meals {
			check(C5, i+1, &t.days[i].meals[m], eaten)
		}
		for s := range t.days[i].sights {
			check(C6, i+1, &t.days[i].sights[s], seen)
		}
	}
}

// nights is rule C8. A night that cannot be read may belong to the runs beside it.
func (t *trial) nights() {
	for i := 0; i < len(t.days); {
		v := &t.days[i].hotel
		if !v.known() {
			i++
			continue
		}
		end, first := i+1, i
		for end < len(t.days) && t.days[end].hotel.known() && t.days[end].hotel.row == v.row {
			end++
		}
		open := end < len(t.days) && t.mayHold(end) || i > 0 && t.mayHold(i-1)
		if need := t.w.Hotels[v.row].MinNights; end-i < need && !open {
			t.add(C8, first+1, fieldAccommodation, v.display+" for "+spell.Plural(end-i, "night"), fmt.Sprintf("minimum nights: %d", need))
		}
		i = end
	}
}

// mayHold reports whether a day's hotel cannot be read.
func (t *trial) mayHold(i int) bool { return t.days[i].hotel.broken }

// money multiplies a price.
func money(price pddl.Number, times int64) pddl.Number { return price.Mul(pddl.Int(times)) }
