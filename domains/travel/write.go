package travel

import (
	"context"
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

type flightJSON struct {
	Number   string `json:"Flight Number"`
	Price    string `json:"Price"`
	Depart   string `json:"DepTime"`
	Arrive   string `json:"ArrTime"`
	Elapsed  string `json:"ActualElapsedTime"`
	Date     string `json:"FlightDate"`
	From     string `json:"OriginCityName"`
	To       string `json:"DestCityName"`
	Distance string `json:"Distance"`
}

type restaurantJSON struct {
	Name     string `json:"Name"`
	Cost     string `json:"Average Cost"`
	Cuisines string `json:"Cuisines"`
	City     string `json:"City"`
}

type hotelJSON struct {
	Name      string `json:"NAME"`
	Price     string `json:"price"`
	RoomType  string `json:"room type"`
	Rules     string `json:"house_rules"`
	MinNights int    `json:"minimum nights"`
	Occupancy int    `json:"maximum occupancy"`
	City      string `json:"city"`
}

type roadJSON struct {
	From     string `json:"origin"`
	To       string `json:"destination"`
	Duration string `json:"duration"`
	Distance string `json:"distance"`
}

type attractionJSON struct {
	Name string `json:"Name"`
	City string `json:"City"`
}

type worldJSON struct {
	Flights     []flightJSON     `json:"flights"`
	Hotels      []hotelJSON      `json:"accommodations"`
	Restaurants []restaurantJSON `json:"restaurants"`
	Roads       []roadJSON       `json:"distance"`
	Attractions []attractionJSON `json:"attractions"`
	Cities      [][2]string      `json:"city_state"`
}

// AppendJSON writes the tables as [ReadWorld] reads them.
func (w *World) AppendJSON(b []byte) []byte {
	out := worldJSON{}
	for _, f := range w.Flights {
		out.Flights = append(out.Flights, flightJSON{f.Number, f.Price.String(), f.Depart, f.Arrive, f.Duration, f.Date, f.From, f.To, f.Distance})
	}
	for _, h := range w.Hotels {
		out.Hotels = append(out.Hotels, hotelJSON{h.Name, h.Price.String(), h.RoomType, joined(h.Rules, " & "), h.MinNights, h.Occupancy, h.City})
	}
	for _, r := range w.Restaurants {
		out.Restaurants = append(out.Restaurants, restaurantJSON{r.Name, r.Cost.String(), joined(r.Cuisines, ", "), r.City})
	}
	for _, r := range w.Roads {
		out.Roads = append(out.Roads, roadJSON{r.From, r.To, r.Duration, r.Distance})
	}
	for _, a := range w.Attractions {
		out.Attractions = append(out.Attractions, attractionJSON(a))
	}
	for _, c := range w.Cities {
		out.Cities = append(out.Cities, [2]string{c.Name, c.State})
	}
	return rowjson.Append(b, &out)
}

// joined joins a list; "-" stands for none, since an empty cell would remove the row.
func joined(list []string, sep string) string {
	text := "-"
	for i, s := range list {
		if i == 0 {
			text = s
			continue
		}
		text += sep + s
	}
	return text
}

// AppendJSON writes the query as [ReadQuery] reads it.
func (q *Query) AppendJSON(b []byte) []byte {
	b = rowjson.AppendText(append(b, `{"org":`...), q.Org)
	b = rowjson.AppendText(append(b, `,"dest":`...), q.Dest)
	b = fmt.Appendf(b, `,"days":%d,"visiting_city_number":%d,"date":`, q.Days, q.Cities)
	b = rowjson.AppendTexts(b, q.Dates)
	b = append(fmt.Appendf(b, `,"people_number":%d,"budget":`, q.People), number(q.Budget, q.HasBudget)...)
	b = rowjson.AppendText(append(b, `,"level":`...), q.Level)
	b = append(b, `,"local_constraint":{"house rule":`...)
	b = appendChoice(b, q.HouseRule)
	b = rowjson.AppendTexts(append(b, `,"cuisine":`...), q.Cuisines)
	b = appendChoice(append(b, `,"room type":`...), q.RoomType)
	b = appendChoice(append(b, `,"transportation":`...), q.Transportation)
	return append(b, "}}"...)
}

func appendChoice(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return rowjson.AppendText(b, s)
}

func number(n pddl.Number, has bool) []byte {
	if !has {
		return []byte("null")
	}
	return appendNumber(nil, n)
}

// GenerateRows writes trips of consecutive seeds, as rows of JSON Lines or for people, and calls done with their number
// so far.
func GenerateRows(ctx context.Context, w io.Writer, size Size, seed uint64, count int, asJSON bool, done func(int)) error {
	return rowjson.WriteRows(w, count, asJSON, done, func(i int) (*Trip, error) { return Generate(ctx, size, seed+uint64(i)) })
}

// String writes the trip's name, what a cheapest itinerary costs, and the query.
func (t *Trip) String() string {
	said := "optimum " + t.Optimum.Cost.String()
	if len(t.Restores) > 0 {
		said = "unsolvable"
		for _, r := range t.Restores {
			said += fmt.Sprintf(", %s without %s", r.Cost, r.Rule)
		}
	}
	return fmt.Sprintf("%s: %s\n    %s", t.Name, said, t.Query.ask())
}

// AppendJSON writes the trip as a row of a batch: its query, tables, optimum and prompts. The plan is null: it is the
// answer's.
func (t *Trip) AppendJSON(b []byte) []byte {
	b = rowjson.AppendText(append(b, `{"case":`...), t.Name)
	b = t.Query.AppendJSON(append(b, `,"query":`...))
	solvable := len(t.Restores) == 0
	b = fmt.Appendf(b, `,"solvable":%v,"optimum":`, solvable)
	b = appendNumber(b, t.Optimum.Cost)
	if solvable {
		b = t.Optimum.Plan.AppendJSON(append(b, `,"optimal_plan":`...))
	} else {
		b = append(b, `,"restored_without":{`...)
		for i, r := range t.Restores {
			b = appendNumber(fmt.Appendf(b, `%s"%s":`, comma(i), r.Rule), r.Cost)
		}
		b = append(b, '}')
	}
	b = rowjson.AppendText(append(b, `,"prompt":`...), Prompt(t.World, t.Query, true))
	b = rowjson.AppendText(append(b, `,"prompt_unconstrained":`...), Prompt(t.World, t.Query, false))
	b = t.World.AppendJSON(append(b, `,"world":`...))
	return append(b, '}')
}
