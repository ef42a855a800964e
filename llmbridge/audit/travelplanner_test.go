package audit

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/rowjson"
)

// tripReference has the tables of the small world as the repository gives them for a query.
const tripReference = `{"Attractions in West": [{"Name": "Tower", "City": "West"}], "Restaurants in West": [{"Name": "Grill", "Average Cost": 10, "Cuisines": "American", "City": "West"}, {"Name": "Cafe", "Average Cost": 5, "Cuisines": "Cafe", "City": "West"}, ` +
	`{"Name": "Soup", "Average Cost": 7, "Cuisines": "Chinese", "City": "West"}, {"Name": "Curry", "Average Cost": 9, "Cuisines": "Indian", "City": "West"}], ` +
	`"Accommodations in West": [{"NAME": "Loft Deluxe", "price": 90.0, "room type": "Private room", "house_rules": "No pets", "minimum nights": 1.0, "maximum occupancy": 2, "city": "West"}], ` +
	`"Flight from Ost to West on 2022-03-08": [{"Flight Number": "F1", "Price": 50, "DepTime": "08:00", "ArrTime": "09:00"}], "Flight from West to Ost on 2022-03-10": [{"Flight Number": "F2", "Price": 50, "DepTime": "18:00", "ArrTime": "19:00"}], ` +
	`"Taxi from Ost to West": "taxi, from Ost to West, duration: 2 hours, distance: 150 km, cost: 150"}`

// tripRequests are of the levels easy, medium and hard.
var tripRequests = []string{
	"A 3-day trip from Ost to West from March 8th to March 10th, 2022, for $500.",
	"A 3-day trip from Ost to West from March 8th to March 10th, 2022, for two people and $500. We want private rooms.",
	"A 3-day trip from Ost to West from March 8th to March 10th, 2022, for two people and $500. We want private rooms that allow parties, and no self-driving.",
}

var tripTables = map[string]string{
	"accommodations/clean_accommodations_2022.csv": "NAME,room type,price,minimum nights,house_rules,maximum occupancy,city\nLoft Deluxe,Private room,90,1,No pets,2,West\n",
	"restaurants/clean_restaurant_2022.csv":        "Name,City,Cuisines,Average Cost\nGrill,West,American,10\nCafe,West,Cafe,5\nSoup,West,Chinese,7\nCurry,West,Indian,9\n",
	"attractions/attractions.csv":                  "Name,City\nTower,West\n",
	"googleDistanceMatrix/distance.csv":            "origin,destination,cost,duration,distance\nOst,West,,2 hours,150 km\n",
	"background/citySet_with_states.txt":           "Ost\tOhio\nWest\tTexas\n",
}

// tripCheckout writes a checkout with three plans of people and three answers: right, with a wrong quotation, wrong.
func tripCheckout(t *testing.T, tables bool) string {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plans := []string{
		strings.Replace(casePlan, "}]", "}, {}, {}]", 1), strings.Replace(casePlan, "Departure Time: 18:00", "Departure Time: 18:30", 1), strings.Replace(casePlan, "Tower, West;", "Tower, West;Castle, West", 1),
	}
	var annotated, references, answers bytes.Buffer
	for i, request := range tripRequests {
		messages := []map[string]string{{"role": "system", "content": "x"}, {"role": "user", "content": "tables\nQuery:" + request}, {"role": "assistant", "content": plans[i]}}
		annotated.Write(append(rowjson.Append(nil, map[string]any{"messages": messages}), '\n'))
		references.WriteString(tripReference + "\n")
		answers.WriteString(`{"idx": 1, "query": ` + string(rowjson.Append(nil, request)) + `, "plan": ` + strings.ReplaceAll(strings.Replace(plans[i], ", {}, {}]", "]", 1), "\n", " ") + "}\n")
	}
	write(tripAnnotated, annotated.String())
	write(tripReferences, references.String())
	write(tripAnswers, answers.String())
	for name, text := range tripTables {
		if tables {
			write("database/"+name, text)
		}
	}
	return root
}

func TestTravelPlanner(t *testing.T) {
	rep, err := TravelPlanner(context.Background(), tripCheckout(t, true), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Gold.Answers != 3 || len(rep.Gold.Wrong) != 1 || !strings.Contains(rep.Gold.Wrong[0].Message, "Castle") || len(rep.Holes) != 1 || rep.Holes[0].Rows != 1 {
		t.Errorf("gold %+v, holes %+v", rep.Gold, rep.Holes)
	}
	// The wrong time of a flight is not noticed without the table of flights.
	if rep.Rows != 3 || rep.Graded != 3 || rep.NotGraded() != 0 || rep.Agree != 2 || rep.Lost != 1 || rep.Gained != 0 {
		t.Errorf("%s: %+v", rep.Summary(), rep.Ungraded)
	}
	if len(rep.Cases) != len(caseChanges) {
		t.Errorf("%d of %d holes show", len(rep.Cases), len(caseChanges))
	}
	final := map[string]Rate{}
	for _, r := range rep.Rates {
		if r.Rate == "final" {
			final[r.Set] = r
		}
	}
	if r := final[tripAnnotated]; r.Recorded != 3 || r.Correct != 1 || r.Of != 3 {
		t.Errorf("%+v", r)
	}
	var text bytes.Buffer
	if err := rep.WriteMarkdown(&text); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"## Rates, corrected", "## The smallest plan of each hole", "| Any other means of transport", "within sandbox, C2", "upper bounds"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("the page has no %q:\n%s", part, text.String())
		}
	}
}

// TestTravelPlannerTables: without tables the answers have a status, and no grade.
func TestTravelPlannerTables(t *testing.T) {
	rep, err := TravelPlanner(context.Background(), tripCheckout(t, false), func(int) {})
	if err != nil || rep.Rows != 3 || rep.Graded != 0 || rep.NotGraded() != 3 || rep.Gold.Answers != 3 {
		t.Errorf("%+v %v", rep, err)
	}
	if _, err := TravelPlanner(context.Background(), t.TempDir(), func(int) {}); err == nil {
		t.Error("an empty folder was audited")
	}
}

// TestTravelPlannerRecord audits a checkout at PLANPROOF_TRAVELPLANNER, whose figures docs/AUDITS.md has.
func TestTravelPlannerRecord(t *testing.T) {
	root := os.Getenv("PLANPROOF_TRAVELPLANNER")
	if root == "" {
		t.Skip("PLANPROOF_TRAVELPLANNER is not set")
	}
	rep, err := TravelPlanner(context.Background(), root, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	perfect := 0
	for _, k := range rep.Kinds {
		perfect += k.Perfect
	}
	if rep.Gold.Answers != 45 || len(rep.Gold.Wrong) != 1 || perfect != 8 {
		t.Errorf("%d of %d plans of people keep every rule, %d are wrong", perfect, rep.Gold.Answers, len(rep.Gold.Wrong))
	}
	t.Log(rep.Summary())
}
