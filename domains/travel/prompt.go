package travel

import (
	"fmt"
	"slices"
	"strings"
)

// Sentence puts a constraint into words. Each constraint has a sentence of its own, so that a prompt without some of
// them is the prompt with those sentences left out.
func (q *Query) Sentence(r Rule) string {
	switch r {
	case H1:
		return fmt.Sprintf("The budget is $%s.", q.Budget)
	case H2:
		if q.HouseRule == "children under 10" {
			return "The accommodation must allow children under 10."
		}
		return fmt.Sprintf("The accommodation must allow %s.", q.HouseRule)
	case H3:
		return map[string]string{
			"shared room": "We want a shared room.", "not shared room": "We do not want a shared room.",
			"private room": "We want a private room.", "entire room": "We want an entire home or apartment.",
		}[q.RoomType]
	case H4:
		return fmt.Sprintf("We want to eat %s food on the way.", strings.Join(q.Cuisines, ", "))
	case H5:
		return map[string]string{noFlight: "We do not want to fly.", noCar: "We do not want to drive ourselves."}[q.Transportation]
	}
	return ""
}

// ask puts the query into words: the trip, and a sentence for each constraint that is not left out.
func (q *Query) ask(without ...Rule) string {
	people := "one person"
	if q.People > 1 {
		people = fmt.Sprintf("%d people", q.People)
	}
	cities := "one city"
	if q.Cities > 1 {
		cities = fmt.Sprintf("%d cities", q.Cities)
	}
	text := fmt.Sprintf("Plan a trip of %d days for %s from %s to %s, visiting %s", q.Days, people, q.Org, q.Dest, cities)
	if len(q.Dates) > 0 {
		text += fmt.Sprintf(", from %s to %s", q.Dates[0], q.Dates[len(q.Dates)-1])
	}
	text += "."
	for _, r := range q.Hard() {
		if !slices.Contains(without, r) {
			text += " " + q.Sentence(r)
		}
	}
	return text
}

// Commonsense are the rules of common sense, a sentence for each.
var commonsense = []string{
	"All facts must come from the given information, as they are written there.",
	"The trip begins and ends at the origin; the nights in a city follow each other.",
	"On a travel day give transport and write the city as \"from A to B\"; on other days give an attraction and all three meals.",
	"Every night but the last day's needs an accommodation in the city of that evening, for at least its minimum nights.",
	"No restaurant and no attraction is visited twice.",
	"Self-driving excludes flights and taxis on the same trip.",
}

// Prompt is the whole prompt of a query with its tables. constrained is false for the prompt without any constraint,
// neither the query's nor those of common sense: CARL compares what a model does with and without them.
func Prompt(w *World, q *Query, constrained bool) string {
	var b strings.Builder
	b.WriteString("You plan trips. Answer with a JSON list that has an object for each day, with the members days, current_city, transportation, ")
	b.WriteString("breakfast, attraction, lunch, dinner, accommodation. Write \"-\" for nothing, \"Name, City\" for places, \"Name, City;Name, City;\" for attractions, ")
	b.WriteString("\"Flight Number: F1, from A to B, Departure Time: 10:00, Arrival Time: 11:00\", \"Self-driving, from A to B\" or \"Taxi, from A to B\" for transport.\n")
	if constrained {
		b.WriteString("\n")
		for _, rule := range commonsense {
			b.WriteString("- " + rule + "\n")
		}
	}
	b.WriteString("\nGiven information:\n")
	w.writeTables(&b)
	b.WriteString("\nQuery: ")
	if constrained {
		b.WriteString(q.ask())
	} else {
		b.WriteString(q.ask(q.Hard()...))
	}
	b.WriteString("\nTravel Plan:")
	return b.String()
}

// writeTables writes the tables for a prompt.
func (w *World) writeTables(b *strings.Builder) {
	b.WriteString("Cities (city; state)\n")
	for _, c := range w.Cities {
		fmt.Fprintf(b, "%s; %s\n", c.Name, c.State)
	}
	b.WriteString("Flights (number; from; to; date; departure; arrival; price per person)\n")
	for _, f := range w.Flights {
		fmt.Fprintf(b, "%s; %s; %s; %s; %s; %s; %s\n", f.Number, f.From, f.To, f.Date, f.Depart, f.Arrive, f.Price)
	}
	b.WriteString("Roads (from; to; duration; distance; self-driving cost per car of 5; taxi cost per taxi of 4)\n")
	for i := range w.Roads {
		r := &w.Roads[i]
		if r.NoCar && r.NoTaxi {
			fmt.Fprintf(b, "%s; %s; %s; %s; too long; too long\n", r.From, r.To, r.Duration, r.Distance)
			continue
		}
		fmt.Fprintf(b, "%s; %s; %s; %s; %d; %d\n", r.From, r.To, r.Duration, r.Distance, r.carCost(), r.taxiCost())
	}
	b.WriteString("Restaurants (name; city; cuisines; cost per person)\n")
	for _, r := range w.Restaurants {
		fmt.Fprintf(b, "%s; %s; %s; %s\n", r.Name, r.City, strings.Join(r.Cuisines, ", "), r.Cost)
	}
	b.WriteString("Accommodations (name; city; room type; house rules; minimum nights; maximum occupancy; price per night)\n")
	for _, h := range w.Hotels {
		fmt.Fprintf(b, "%s; %s; %s; %s; %d; %d; %s\n", h.Name, h.City, h.RoomType, strings.Join(h.Rules, " & "), h.MinNights, h.Occupancy, h.Price)
	}
	b.WriteString("Attractions (name; city)\n")
	for _, a := range w.Attractions {
		fmt.Fprintf(b, "%s; %s\n", a.Name, a.City)
	}
}
