package travel

import (
	"encoding/json"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// A Query is what a traveller asks for (1.3 of travel-tools.md).
type Query struct {
	Org, Dest string // Dest is a city, or a state for trips of more than three days
	Days      int
	Cities    int // to be visited
	Dates     []string
	People    int
	Budget    pddl.Number
	HasBudget bool
	Level     string // easy, medium, hard, or "" if the row does not say
	// The local constraints; "" and nil stand for none.
	HouseRule      string   // "pets": a hotel must not have the rule "No pets"
	Cuisines       []string // each is to be eaten
	RoomType       string   // "shared room", "not shared room", "private room", "entire room"
	Transportation string   // "no flight", "no self-driving"
}

// maxDays bounds a trip, and what a query may make the judge and the solver do.
const maxDays = 60

type queryJSON struct {
	Org    string          `json:"org"`
	Dest   string          `json:"dest"`
	Days   int             `json:"days"`
	Cities *int            `json:"visiting_city_number"`
	Date   json.RawMessage `json:"date"`
	People *int            `json:"people_number"`
	Budget json.RawMessage `json:"budget"`
	Level  string          `json:"level"`
	Local  json.RawMessage `json:"local_constraint"`
}

type localJSON struct {
	HouseRule      *string         `json:"house rule"`
	Cuisine        json.RawMessage `json:"cuisine"`
	RoomType       *string         `json:"room type"`
	Transportation *string         `json:"transportation"`
}

// ReadQuery reads the query of a row. Errors are located at its members.
func ReadQuery(text []byte) (*Query, error) {
	var in queryJSON
	if err := rowjson.Unmarshal(text, &in, false); err != nil {
		return nil, err
	}
	q := &Query{Org: in.Org, Dest: in.Dest, Days: in.Days, Cities: 1, People: 1, Level: in.Level}
	if in.Cities != nil {
		q.Cities = *in.Cities
	}
	if in.People != nil {
		q.People = *in.People
	}
	switch {
	case q.Org == "":
		return nil, rowjson.Errorf(rowjson.CodeMissing, "org", "the query does not say where the trip begins (org)")
	case q.Dest == "":
		return nil, rowjson.Errorf(rowjson.CodeMissing, "dest", "the query does not say where the trip goes (dest)")
	case q.Days < 2 || q.Days > maxDays:
		return nil, rowjson.Errorf(rowjson.CodeValue, "days", "days is %d, not from 2 to %d", q.Days, maxDays)
	case q.People < 1 || q.People > 1_000_000:
		return nil, rowjson.Errorf(rowjson.CodeValue, "people_number", "people_number is %d, not from 1 to 1,000,000", q.People)
	case q.Cities < 1:
		return nil, rowjson.Errorf(rowjson.CodeValue, "visiting_city_number", "visiting_city_number is %d, not from 1 on", q.Cities)
	}
	var err error
	if q.Dates, err = textList("date", in.Date); err != nil {
		return nil, err
	}
	if len(q.Dates) > 0 && len(q.Dates) != q.Days {
		return nil, rowjson.Errorf(rowjson.CodeValue, "date", "%d dates for %d days", len(q.Dates), q.Days)
	}
	if rowjson.Present(in.Budget) {
		text, err := cell(in.Budget)
		if err == nil {
			q.Budget, err = amount("budget", text)
		}
		if err != nil {
			return nil, rowjson.At(rowjson.CodeValue, "budget", err)
		}
		q.HasBudget = true
	}
	return q, rowjson.Within("local_constraint", q.readLocal(in.Local))
}

func (q *Query) readLocal(text json.RawMessage) error {
	if !rowjson.Present(text) {
		return nil
	}
	if len(text) > 0 && text[0] == '"' { // a Python literal, as in the cells of the published tables
		literal, err := rowjson.String(text)
		if err != nil {
			return err
		}
		value, err := rowjson.ReadLiteral(literal)
		if err != nil {
			return err
		}
		text = value
	}
	var in localJSON
	if err := rowjson.Unmarshal(text, &in, false); err != nil {
		return err
	}
	q.HouseRule, q.RoomType, q.Transportation = choice(in.HouseRule), choice(in.RoomType), choice(in.Transportation)
	var err error
	if q.Cuisines, err = textList("cuisine", in.Cuisine); err != nil {
		return err
	}
	if t := q.RoomType; t != "" && roomTypes[t] == "" {
		return rowjson.Errorf(rowjson.CodeValue, "room type", "no room type is called %q", t)
	}
	if t := q.Transportation; t != "" && t != noFlight && t != noCar {
		return rowjson.Errorf(rowjson.CodeValue, "transportation", "transportation is %q, not %q or %q", t, noFlight, noCar)
	}
	if len(q.Cuisines) > 16 {
		return rowjson.Errorf(rowjson.CodeValue, "cuisine", "%d cuisines, more than 16", len(q.Cuisines))
	}
	return nil
}

const (
	noFlight = "no flight"
	noCar    = "no self-driving"
)

// roomTypes are the room types that a query can ask for, and those of the table that they mean. "not shared room"
// means all but that one.
var roomTypes = map[string]string{
	"shared room": "shared room", "not shared room": "shared room", "private room": "private room", "entire room": "entire home/apt",
}

func choice(s *string) string {
	if s == nil || nothing(*s) {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(*s))
}

// textList reads a list of texts, or null.
func textList(member string, text json.RawMessage) ([]string, error) {
	if !rowjson.Present(text) {
		return nil, nil
	}
	items, _, err := rowjson.Elements[[]byte](text, 1000)
	if err != nil {
		return nil, rowjson.Errorf(rowjson.CodeType, member, "%s is not a list", member)
	}
	list := make([]string, len(items))
	for i, item := range items {
		if list[i], err = rowjson.String(item); err != nil {
			return nil, rowjson.Errorf(rowjson.CodeType, member, "%s[%d] is not a string", member, i)
		}
	}
	return list, nil
}

// Date returns the date of a day from 1 on, "" if the query gives none.
func (q *Query) Date(day int) string {
	if day < 1 || day > len(q.Dates) {
		return ""
	}
	return q.Dates[day-1]
}

// Hard lists the hard rules that the query has.
func (q *Query) Hard() (rules []Rule) {
	for _, r := range []struct {
		rule Rule
		has  bool
	}{{H1, q.HasBudget}, {H2, q.HouseRule != ""}, {H3, q.RoomType != ""}, {H4, len(q.Cuisines) > 0}, {H5, q.Transportation != ""}} {
		if r.has {
			rules = append(rules, r.rule)
		}
	}
	return rules
}

// allows reports whether a hotel keeps the query's rules on houses and rooms.
func (q *Query) allowsRule(h *Hotel) bool {
	for _, rule := range h.Rules {
		if q.HouseRule != "" && normal(rule) == "no "+normal(q.HouseRule) {
			return false
		}
	}
	return true
}

func (q *Query) allowsRoom(h *Hotel) bool {
	is := normal(h.RoomType) == roomTypes[q.RoomType]
	return q.RoomType == "" || is == (q.RoomType != "not shared room")
}

// units is how many of something that holds so many people the travellers need.
func (q *Query) units(holds int) int64 { return int64((q.People + holds - 1) / holds) }
