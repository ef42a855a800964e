package travel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// Fields of a day, as a plan names them.
const (
	fieldCity          = "current_city"
	fieldTransport     = "transportation"
	fieldBreakfast     = "breakfast"
	fieldAttraction    = "attraction"
	fieldLunch         = "lunch"
	fieldDinner        = "dinner"
	fieldAccommodation = "accommodation"
)

// required are the fields that each day must have, "-" included, in the order in which plans write them.
var required = [...]string{fieldTransport, fieldBreakfast, fieldAttraction, fieldLunch, fieldDinner, fieldAccommodation}

var meals = [...]string{fieldBreakfast, fieldLunch, fieldDinner}

// filler is what the form of the benchmark's website writes into days that are not needed.
const filler = "You don't need to fill in the information for this or later days."

// A Plan is an itinerary as delivered: the texts of each day, not yet understood.
type Plan struct {
	Days []Day
	// Broken says why the plan as a whole is no list of days; "" if it is one.
	Broken string
	// Delivered is false for null and for an empty list.
	Delivered bool
}

// A Day holds the fields of one day.
type Day struct {
	Fields map[string]Field
	// Empty reports that there is nothing in it: {}, null, or the form's filler.
	Empty bool
	// Broken says why the day is no object of fields, "" if it is one.
	Broken string
}

// A Field is the text of a field, or what is there instead of a text.
type Field struct {
	Text   string
	Broken string
}

// ReadPlan reads the plan of a row: null, a list of days, or a text that holds such a list as JSON or as a Python
// literal, or the days in TravelPlanner's text form. It never fails: what cannot be read is noted where it stands.
func ReadPlan(raw []byte) *Plan {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		text, err := rowjson.String(raw)
		list, found := findList(text)
		if labelled, ok := readLabels(text); ok && !found {
			return labelled
		}
		if err != nil || !found {
			return &Plan{Broken: "the plan is a text without a list of days", Delivered: true}
		}
		raw = list
	}
	if !rowjson.Present(raw) {
		return &Plan{}
	}
	items, n, err := rowjson.Elements[[]byte](raw, maxPlanDays)
	if err != nil {
		return &Plan{Broken: "the plan is not a list of days", Delivered: true}
	}
	p := &Plan{Delivered: n > 0}
	for _, item := range items {
		p.Days = append(p.Days, readDay(item))
	}
	for len(p.Days) < n && len(p.Days) <= maxDays {
		p.Days = append(p.Days, Day{Broken: "too many days"})
	}
	return p
}

// findList finds the list of days in an answer, as JSON or as a Python literal: the first list that has an object, or a
// text that is a list.
func findList(text string) (json.RawMessage, bool) {
	if value, err := rowjson.ReadLiteral(text); err == nil {
		return value, true
	}
	var days json.RawMessage
	found := rowjson.FindList(text, func(list json.RawMessage) bool {
		days = list
		items, _, _ := rowjson.Elements[[]byte](list, maxPlanDays)
		return slices.ContainsFunc(items, func(item []byte) bool { return item[0] == '{' })
	})
	return days, found
}

// maxPlanDays bounds the days that are read: those after the query's are not looked at.
const maxPlanDays = 2 * maxDays

func readDay(raw []byte) Day {
	if !rowjson.Present(raw) {
		return Day{Empty: true}
	}
	d := Day{Fields: map[string]Field{}}
	err := rowjson.EachMember(raw, func(name string, value []byte) error {
		d.Fields[name] = readField(value)
		return nil
	})
	switch {
	case err == rowjson.ErrSyntax:
		d.Broken = "the day is not an object"
	case err != nil:
		d.Broken = rowjson.Fault(err)
	}
	d.Empty = d.Broken == "" && (len(d.Fields) == 0 || d.Fields[fieldCity].Text == filler)
	return d
}

func readField(value []byte) Field {
	switch {
	case len(value) > 0 && value[0] == '"':
		text, err := rowjson.String(value)
		if err != nil {
			return Field{Broken: rowjson.Fault(err)}
		}
		return Field{Text: text}
	case string(value) == "null":
		return Field{}
	}
	return Field{Broken: fmt.Sprintf("not a text but %.40s", value)}
}

// transport is what a field says about a journey.
type transport struct {
	means  string // "flight", "self-driving", "taxi", or another word as written
	number string // of a flight
	leg    leg
	facts  []fact
}

// fact is a quoted fact, such as "Departure Time: 15:40".
type fact struct{ name, value string }

const (
	flight = "flight"
	car    = "self-driving"
	taxi   = "taxi"
)

// readTransport reads "Flight Number: F1, from A to B, Departure Time: .., Arrival Time: ..", "Self-driving, from A to
// B, duration: .., distance: .., cost: .." and "Taxi, ...".
func readTransport(text string) (t transport, err error) {
	l, begin, end, ok := findLeg(text)
	head := strings.TrimSpace(text)
	if ok {
		head = strings.TrimRight(strings.TrimSpace(text[:begin]), ", ")
	}
	switch lower := strings.ToLower(head); {
	case strings.HasPrefix(lower, "flight"):
		rest, found := cutPrefixFold(head, "flight number")
		rest, colon := strings.CutPrefix(strings.TrimSpace(rest), ":")
		if t.means, t.number = flight, strings.TrimSpace(rest); !found || !colon || t.number == "" {
			return t, fmt.Errorf("no flight number: want \"Flight Number: F123, from A to B\"")
		}
	case strings.HasPrefix(lower, car):
		t.means = car
	case strings.HasPrefix(lower, taxi):
		t.means = taxi
	default:
		t.means = head
	}
	if !ok {
		return t, fmt.Errorf("it does not say \"from A to B\"")
	}
	if t.leg = l; t.means == "" {
		return t, fmt.Errorf("no means of transport before \"from\"")
	}
	t.facts, err = readFacts(text[end:])
	return t, err
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// readFacts reads ", name: value, name: value". A value may have commas ("1,057 km"), so a part without a name belongs
// to the value before it.
func readFacts(text string) (facts []fact, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, named := strings.Cut(part, ":")
		name = normal(name)
		if named && name != "" && (name[0] < '0' || name[0] > '9') {
			facts = append(facts, fact{name, strings.TrimSpace(value)})
			continue
		}
		if len(facts) == 0 {
			return facts, fmt.Errorf("%q is no fact such as \"cost: 52\"", strings.TrimSpace(part))
		}
		facts[len(facts)-1].value += "," + part
	}
	return facts, nil
}

// readAttractions splits "Name, City;Name, City;" at its semicolons. The last one may be missing.
func readAttractions(text string) []string {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	return strings.Split(text, ";")
}

// Trimmed is the plan without the empty days at its end, with which some files fill it up.
func (p *Plan) Trimmed() *Plan {
	out := *p
	for len(out.Days) > 0 && out.Days[len(out.Days)-1].Empty {
		out.Days = out.Days[:len(out.Days)-1]
	}
	return &out
}

// Text is the text of a field of a day, from 1.
func (p *Plan) Text(day int, field string) string {
	if day < 1 || day > len(p.Days) {
		return ""
	}
	return p.Days[day-1].Fields[field].Text
}

// WithoutQuotes is the plan without the facts that its journeys quote: number and way are left.
func (p *Plan) WithoutQuotes() *Plan {
	out := *p
	out.Days = make([]Day, len(p.Days))
	for i, d := range p.Days {
		f, ok := d.Fields[fieldTransport]
		if _, _, end, found := findLeg(f.Text); ok && found {
			d.Fields = maps.Clone(d.Fields)
			d.Fields[fieldTransport] = Field{Text: f.Text[:end]}
		}
		out.Days[i] = d
	}
	return &out
}

// SupposeFlights returns the world in which every flight that a plan names goes as the plan says, at no cost but what the
// plan quotes. It stands for one whose table of flights is not at hand: a plan that is not valid in it is in none.
func (w *World) SupposeFlights(q *Query, p *Plan) *World {
	out := *w
	out.Flights = nil
	for i := range p.Days {
		m, err := readTransport(p.Days[i].Fields[fieldTransport].Text)
		if err != nil || m.means != flight {
			continue
		}
		f := Flight{Number: m.number, From: m.leg.from, To: m.leg.to, Date: q.Date(i + 1)}
		for _, x := range m.facts {
			switch x.name {
			case "departure time":
				f.Depart = x.value
			case "arrival time":
				f.Arrive = x.value
			case "duration":
				f.Duration = x.value
			case "distance":
				f.Distance = x.value
			case "price", "cost":
				f.Price, _ = plainNumber(x.value)
			}
		}
		out.Flights = append(out.Flights, f)
	}
	out.Index()
	return &out
}
