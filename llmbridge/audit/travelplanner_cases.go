package audit

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains/travel"
	"github.com/planproof/planproof/internal/rowjson"
)

// A small world: a trip from Ost to West, with Sued elsewhere.
const caseWorld = `{
 "flights": [
  {"Flight Number": "F1", "Price": 50, "DepTime": "08:00", "ArrTime": "09:00", "FlightDate": "2022-03-08", "OriginCityName": "Ost", "DestCityName": "West", "ActualElapsedTime": "1 hours", "Distance": 90},
  {"Flight Number": "F2", "Price": 50, "DepTime": "18:00", "ArrTime": "19:00", "FlightDate": "2022-03-10", "OriginCityName": "West", "DestCityName": "Ost", "ActualElapsedTime": "1 hours", "Distance": 90},
  {"Flight Number": "F3", "Price": 20, "DepTime": "18:00", "ArrTime": "19:00", "FlightDate": "2022-03-09", "OriginCityName": "West", "DestCityName": "Ost", "ActualElapsedTime": "1 hours", "Distance": 90}],
 "distance": [
  {"origin": "Ost", "destination": "West", "cost": "", "duration": "2 hours", "distance": "150 km"}, {"origin": "West", "destination": "Ost", "cost": "", "duration": "2 hours", "distance": "150 km"},
  {"origin": "Ost", "destination": "Sued", "cost": "", "duration": "2 hours", "distance": "150 km"}, {"origin": "Sued", "destination": "Ost", "cost": "", "duration": "2 hours", "distance": "150 km"}],
 "restaurants": [
  {"Name": "Grill", "City": "West", "Cuisines": "American", "Average Cost": 10}, {"Name": "Cafe", "City": "West", "Cuisines": "Cafe", "Average Cost": 5},
  {"Name": "Soup", "City": "West", "Cuisines": "Chinese", "Average Cost": 7}, {"Name": "Curry", "City": "West", "Cuisines": "Indian", "Average Cost": 9},
  {"Name": "Beach", "City": "Sued", "Cuisines": "American", "Average Cost": 6}, {"Name": "Bay", "City": "Sued", "Cuisines": "Indian", "Average Cost": 6},
  {"Name": "Dune", "City": "Sued", "Cuisines": "Chinese", "Average Cost": 6}, {"Name": "Tea", "City": "Ost", "Cuisines": "Tea", "Average Cost": 4}],
 "accommodations": [
  {"NAME": "Loft", "city": "West", "room type": "Private room", "house_rules": "No pets", "price": 40, "minimum nights": 2, "maximum occupancy": 2},
  {"NAME": "Loft Deluxe", "city": "West", "room type": "Private room", "house_rules": "No pets", "price": 90, "minimum nights": 1, "maximum occupancy": 2},
  {"NAME": "Hostel", "city": "West", "room type": "Shared room", "house_rules": "No pets", "price": 30, "minimum nights": 1, "maximum occupancy": 1},
  {"NAME": "Inn", "city": "Sued", "room type": "Private room", "house_rules": "No pets", "price": 40, "minimum nights": 1, "maximum occupancy": 2}],
 "attractions": [{"Name": "Tower", "City": "West"}, {"Name": "Museum", "City": "West"}, {"Name": "Lake", "City": "Sued"}],
 "city_state": [["Ost", "Alpha"], ["West", "Beta"], ["Sued", "Beta"]]}`

const caseQuery = `{"org": "Ost", "dest": "West", "days": 3, "visiting_city_number": 1, "date": ["2022-03-08", "2022-03-09", "2022-03-10"], "people_number": 1, "budget": 500, "local_constraint": LOCAL}`

// casePlan is a plan that is right.
const casePlan = `[{"days": 1, "current_city": "from Ost to West", "transportation": "Flight Number: F1, from Ost to West, Departure Time: 08:00, Arrival Time: 09:00", "breakfast": "-", "attraction": "-", "lunch": "-", "dinner": "Grill, West", "accommodation": "Loft Deluxe, West"},
{"days": 2, "current_city": "West", "transportation": "-", "breakfast": "Cafe, West", "attraction": "Tower, West;", "lunch": "Soup, West", "dinner": "Curry, West", "accommodation": "Loft Deluxe, West"},
{"days": 3, "current_city": "from West to Ost", "transportation": "Flight Number: F2, from West to Ost, Departure Time: 18:00, Arrival Time: 19:00", "breakfast": "-", "attraction": "-", "lunch": "-", "dinner": "-", "accommodation": "-"}]`

// noConstraint stands for a query of level easy.
const noConstraint = `{"house rule": null, "cuisine": null, "room type": null, "transportation": null}`

// change of the right plan: old texts and new ones, in turn.
type change struct {
	hole    string
	local   string // constraints, "" for none
	changes []string
}

var caseChanges = []change{
	{"The last attraction is not looked at without a semicolon behind it.", "", []string{`"Tower, West;"`, `"Tower, West;Castle, West"`}},
	{"On a day without travel meals may be anywhere: the check asks for a letter of the city's name.", "", []string{`"Soup, West"`, `"Beach, Sued"`}},
	{"Any other means of transport is taken, and costs nothing.", "", []string{`Flight Number: F1, from Ost to West, Departure Time: 08:00, Arrival Time: 09:00`, `Carpet, from Ost to West`}},
	{"The date of a flight is not compared with the day.", "", []string{"F2", "F3"}},
	{"Quoted times, durations, distances and costs are not compared.", "", []string{"Departure Time: 18:00", "Departure Time: 23:59"}},
	{"A trip of three days may go to any other city.", "", []string{
		"Flight Number: F1, from Ost to West, Departure Time: 08:00, Arrival Time: 09:00", "Taxi, from Ost to Sued", "Flight Number: F2, from West to Ost, Departure Time: 18:00, Arrival Time: 19:00", "Taxi, from Sued to Ost",
		"Grill, West", "Beach, Sued", "Cafe, West", "Bay, Sued", "Soup, West", "Dune, Sued", `"Curry, West"`, `"Beach, Sued "`, "Tower, West", "Lake, Sued", "Loft Deluxe, West", "Inn, Sued", "West", "Sued",
	}},
	{"A part of a name is a name.", "", []string{"Soup, West", "So, West"}},
	{"No name at all is the first row of the city.", "", []string{"Loft Deluxe, West", ", West"}},
	{"The nights of a hotel whose name is part of another's are not counted.", "", []string{`"-", "dinner": "Grill, West", "accommodation": "Loft Deluxe, West"`, `"-", "dinner": "Grill, West", "accommodation": "Loft, West"`}},
	{"A restaurant may come twice, if a blank follows it.", "", []string{`"Curry, West"`, `"Soup, West "`}},
	{"Without self-driving, \"self-driving\" in lower case is taken.", `{"house rule": null, "cuisine": null, "room type": null, "transportation": "no self-driving"}`, []string{
		"Flight Number: F1, from Ost to West, Departure Time: 08:00, Arrival Time: 09:00", "self-driving, from Ost to West", "Flight Number: F2, from West to Ost, Departure Time: 18:00, Arrival Time: 19:00", "self-driving, from West to Ost",
	}},
	{"A breakfast where the trip begins hides the other meals of the day from the check of cuisines.", `{"house rule": null, "cuisine": ["American", "Indian"], "room type": null, "transportation": null}`, []string{
		`"breakfast": "-", "attraction": "-", "lunch": "-", "dinner": "Grill, West"`, `"breakfast": "Tea, Ost", "attraction": "-", "lunch": "-", "dinner": "Grill, West"`,
	}},
	{"A flight number in another case ends the evaluation of the whole file.", "", []string{"Flight Number: F1", "Flight number: F1"}},
	{"A state in parentheses is part of a city's name on one side of the comparison only.", "", []string{`"from Ost to West"`, `"from Ost to West (Beta)"`}},
	{"Days after the query's are not looked at.", "", []string{`"dinner": "-", "accommodation": "-"}]`, `"dinner": "-", "accommodation": "-"}, {"days": 4, "current_city": "Ost"}]`}},
}

// tripCases judges the smallest plan of each hole, and leaves out those that both judge alike.
func tripCases() (list []Case) {
	w, err := travel.ReadWorld("world", []byte(caseWorld))
	if err != nil {
		panic(err) // the text is ours
	}
	for _, c := range caseChanges {
		if x, differs := c.judge(w); differs {
			list = append(list, x)
		}
	}
	return list
}

// judge judges the changed plan by both, and reports whether they differ.
func (c *change) judge(w *travel.World) (x Case, differs bool) {
	local := c.local
	if local == "" {
		local = noConstraint
	}
	q, err := travel.ReadQuery([]byte(strings.Replace(caseQuery, "LOCAL", local, 1)))
	if err != nil {
		panic(err) // the text is ours
	}
	p := travel.ReadPlan([]byte(strings.NewReplacer(c.changes...).Replace(casePlan)))
	u, j := travel.JudgeUpstream(w, q, p), travel.Judge(w, q, p)
	x = Case{Hole: c.hole, Change: string(rowjson.Append(nil, c.changes[0])) + " is " + string(rowjson.Append(nil, c.changes[1])), Evaluator: "passes", Correct: "valid"}
	if n := len(c.changes)/2 - 1; n > 0 {
		x.Change += fmt.Sprintf(", and %d more", n)
	}
	switch {
	case u.Crash != "":
		x.Evaluator = u.Crash
	case !u.Final():
		x.Evaluator = "fails"
	}
	if !j.Valid() {
		x.Correct = j.Findings[0].String()
	}
	return x, u.Final() != j.Valid()
}
