package travel

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

func testWorld(t testing.TB) *World {
	text, err := os.ReadFile("testdata/world.json")
	if err != nil {
		t.Fatal(err)
	}
	w, err := ReadWorld("world.json", text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const testQuery = `{"org": "Ost", "dest": "West", "days": 3, "visiting_city_number": 1, "date": ["2022-03-07", "2022-03-08", "2022-03-09"], "people_number": 2, "budget": 500,
 "local_constraint": {"house rule": null, "cuisine": null, "room type": null, "transportation": null}}`

// testPlan is valid, and costs 2 x 80 + 2 x 95.5 + 2 x 60 + 2 x (12 + 15 + 9) = 543.
var testPlan = []map[string]any{
	{"days": 1, "current_city": "from Ost to West", "transportation": "Flight Number: F10, from Ost to West, Departure Time: 07:30, Arrival Time: 09:00",
		"breakfast": "-", "attraction": "-", "lunch": "-", "dinner": "-", "accommodation": "Loft, West"},
	{"day": 2, "current_city": "West (Westland)", "transportation": "-", "breakfast": "Café Ünder, West", "attraction": "Tower, West;Harbour, North Side, West", "lunch": "grill, WEST",
		"dinner": "Pasta (and more), West(Westland)", "accommodation": "Loft,  West"},
	{"days": 3, "current_city": "from West to Ost", "transportation": "Flight Number: F11, from West to Ost, Departure Time: 20:00, Arrival Time: 21:30",
		"breakfast": "-", "attraction": "-", "lunch": "-", "dinner": "-", "accommodation": "-"},
}

// variant is the plan with fields of its days replaced ("1.lunch"), or removed (nil).
func variant(changes map[string]any) []map[string]any {
	plan := make([]map[string]any, len(testPlan))
	for i, d := range testPlan {
		plan[i] = map[string]any{}
		for k, v := range d {
			plan[i][k] = v
		}
	}
	for path, v := range changes {
		day, field, _ := strings.Cut(path, ".")
		d := plan[day[0]-'1']
		if d[field] = v; v == nil {
			delete(d, field)
		}
	}
	return plan
}

func judgeJSON(t testing.TB, query string, plan any) *Judgement {
	q, err := ReadQuery([]byte(query))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	return Judge(testWorld(t), q, ReadPlan(text))
}

func TestJudgeRules(t *testing.T) {
	type change = map[string]any
	road := "from Ost to West, duration: 3 hours 5 mins, distance: 1,019.6 km, cost: "
	for name, c := range map[string]struct {
		change change
		query  string // replaced in testQuery: "old => new"
		want   string
		cost   string
	}{
		"the plan":                     {query: `"budget": 500 => "budget": 543`, cost: "543"},
		"budget":                       {want: "H1", cost: "543"},
		"no budget":                    {query: `"budget": 500, => `},
		"name in another form":         {change: change{"2.breakfast": "  CAFE\u0301  U\u0308nder , west"}, want: "H1"},
		"car both ways":                {change: change{"1.transportation": "Self-driving, " + road + "50", "3.transportation": "self-driving, from West to Ost"}, cost: "257"},
		"car's cost is wrong":          {change: change{"1.transportation": "Self-driving, " + road + "51", "3.transportation": "self-driving, from West to Ost"}, want: "C2"},
		"taxi beside a flight":         {change: change{"1.transportation": "Taxi, " + road + "1019"}, query: "500 => 5000", cost: "1402"},
		"car beside a flight":          {change: change{"1.transportation": "Self-driving, " + road + "50"}, want: "C7"},
		"duration in other words":      {change: change{"3.transportation": "Taxi, from West to Ost, duration: 180 mins, cost: $300", "1.transportation": "Taxi, from Ost to West"}, want: "H1"},
		"unknown fact":                 {change: change{"1.transportation": "Flight Number: F10, from Ost to West, Seat: 4A"}, want: "C2 H1"},
		"departure wrong":              {change: change{"1.transportation": "Flight Number: F10, from Ost to West, Departure Time: 07:31"}, want: "C2 H1"},
		"flight of another day":        {change: change{"3.transportation": "Flight Number: F12, from West to Ost"}, want: "C2"},
		"flight elsewhere":             {change: change{"1.transportation": "Flight Number: F11, from Ost to West"}, want: "C2 H1"},
		"transport goes back":          {change: change{"1.transportation": "Flight Number: F10, from West to Ost"}, want: "C2 C3 H1"},
		"transport without cities":     {change: change{"1.transportation": "Flight Number: F10"}, want: "FMT"},
		"transport is a number":        {change: change{"1.transportation": 7}, want: "FMT"},
		"transport on a full day":      {change: change{"2.transportation": "Taxi, from West to Ost"}, want: "C7 H1"},
		"part of a name":               {change: change{"1.accommodation": "Loft, Old, West", "2.accommodation": "Loft, Old, West"}, want: "C2"},
		"hotel whose name has a comma": {change: change{"1.accommodation": "Loft, Old Town, West", "2.accommodation": "Loft, Old Town, West"}, query: "500 => 604", cost: "604"},
		"nights in two hotels":         {change: change{"1.accommodation": "Loft, Old Town, West"}, want: "C8 H1"},
		"too few nights":               {change: change{"1.accommodation": "Castle, West", "2.accommodation": "Castle, West"}, want: "C8"},
		"hotel that cannot be read":    {change: change{"2.accommodation": "Loft"}, want: "FMT"},
		"hotel without rules":          {change: change{"1.accommodation": "Ruleless, West", "2.accommodation": "Ruleless, West"}, want: "C2"},
		"no hotel":                     {change: change{"2.accommodation": "-"}, want: "C4 C8"},
		"meal missing":                 {change: change{"2.lunch": ""}, want: "C4 H1"},
		"field missing":                {change: change{"3.lunch": nil}, want: "C4 H1"},
		"city missing":                 {change: change{"2.current_city": nil}, want: "FMT H1"},
		"city with a remark":           {change: change{"1.current_city": "Travel from Ost to West, early"}, want: "H1"},
		"city half":                    {change: change{"1.current_city": "from Ost"}, want: "FMT H1"},
		"meal at home":                 {change: change{"3.dinner": "Grill, Ost"}, want: "H1", cost: "553"},
		"same restaurant":              {change: change{"3.lunch": "GRILL, West"}, want: "C5 H1"},
		"same attraction":              {change: change{"3.attraction": "Tower, West"}, want: "C6 H1"},
		"attraction elsewhere":         {change: change{"2.attraction": "Gate, Ost;"}, want: "C3 H1"},
		"attraction empty":             {change: change{"2.attraction": "Tower, West;;Harbour, North Side, West;"}, want: "FMT H1"},
		"wrong state":                  {change: change{"2.current_city": "West (Eastland)"}, want: "C1 C3 H1"},
		"house rule":                   {query: `"house rule": null => "house rule": "pets"`, want: "H1 H2"},
		"room type":                    {query: `"room type": null => "room type": "not shared room"`, want: "H1"},
		"private room":                 {query: `"room type": null => "room type": "private room"`, want: "H1 H3"},
		"cuisines":                     {query: `"cuisine": null => "cuisine": ["french", "BBQ"]`, want: "H1"},
		"cuisine in a name":            {query: `"cuisine": null => "cuisine": ["French"]`, change: change{"2.breakfast": "French Windows, West"}, want: "H1 H4"},
		"no flight":                    {query: `"transportation": null => "transportation": "no flight"`, want: "H1 H5"},
		"state for a long trip":        {query: `"dest": "West" => "dest": "Westland"`, want: "H1"},
		"other destination":            {query: `"dest": "West" => "dest": "Far"`, want: "C1 H1"},
		"two cities":                   {query: `"visiting_city_number": 1 => "visiting_city_number": 2`, want: "C1 H1"},
	} {
		old, new, _ := strings.Cut(c.query, " => ")
		j := judgeJSON(t, strings.Replace(testQuery, old, new, 1), variant(c.change))
		if got := strings.Trim(fmt.Sprint(j.Violations()), "[]"); got != c.want {
			t.Errorf("%s: got %q, want %q\n%s", name, got, c.want, j.Explain(true))
		}
		if cost, ok := pddl.ParseNumber(c.cost); ok && !cost.Equal(j.Cost) {
			t.Errorf("%s: costs %s, want %s", name, j.Cost, cost)
		}
		if v := j.Verdict(); v.Valid != j.Valid() || v.Valid == (v.Failure != nil) {
			t.Errorf("%s: the verdict is %+v", name, v)
		}
	}
}

// TestNoPlans: what is not there gets no credit, and is no crash.
func TestNoPlans(t *testing.T) {
	for text, want := range map[string]string{
		`null`: "[C1 C4]", `[]`: "[C1 C4]", `[{},{},{}]`: "[C1 C4]", `{}`: "[FMT]", `"[{"`: "[FMT]", `7`: "[FMT]", `[1,2,3]`: "[FMT]", `"[]"`: "[C1 C4]",
	} {
		q, _ := ReadQuery([]byte(testQuery))
		j := Judge(testWorld(t), q, ReadPlan([]byte(text)))
		if got := fmt.Sprint(j.Violations()); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	j := judgeJSON(t, testQuery, "[{'current_city': 'from Ost'}]")
	if v := j.Verdict(); v.Failure == nil || v.Failure.Kind != validator.FailSyntax || v.Failure.Step != 1 {
		t.Errorf("a plan as a Python literal: %+v", v.Failure)
	}
}

// TestLabels reads plans in the text form, with the decorations that models add.
func TestLabels(t *testing.T) {
	q, _ := ReadQuery([]byte(testQuery))
	text, _ := json.Marshal(variant(nil))
	want := ReadPlan(text)
	for name, form := range map[string]string{
		"plain":     want.text(),
		"decorated": strings.NewReplacer("Day ", "### **Day ", "Current City:", "- **Current City:**", "Lunch:", "* Lunch :").Replace("Here is a plan.\n\n" + want.text()),
		"twice":     strings.Replace(want.text(), "Loft", "Castle", 9) + "I change my mind.\n" + want.text(),
	} {
		quoted, _ := json.Marshal(form)
		got := ReadPlan(quoted)
		a, b := Judge(testWorld(t), q, want), Judge(testWorld(t), q, got)
		if a.Explain(true) != b.Explain(true) || !a.Cost.Equal(b.Cost) || got.text() != want.text() {
			t.Errorf("%s: read as\n%s\n%s", name, got.text(), b.Explain(true))
		}
	}
	if p := ReadPlan([]byte(`"Day 1: we fly.\nDay 2: we rest."`)); p.Broken == "" {
		t.Errorf("prose is read as %s", p.text())
	}
}

func TestAmbiguous(t *testing.T) {
	j := judgeJSON(t, testQuery, variant(nil))
	if got := fmt.Sprint(j.Ambiguous); got != "[grill, WEST]" {
		t.Errorf("ambiguous: %s", got)
	}
}

// TestBadRows: each is answered with its place.
func TestBadRows(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                         "unexpected end",
		`{"query": {}, "plan": []}`: "org",
		`{"query": {"org": "Ost"}}`: "dest",
		strings.Replace(`{"query":Q}`, "Q", strings.Replace(testQuery, `"days": 3`, `"days": 99`, 1), 1):                  "query.days: days is 99",
		strings.Replace(`{"query":Q}`, "Q", strings.Replace(testQuery, `500`, `"much"`, 1), 1):                            "query.budget",
		strings.Replace(`{"query":Q}`, "Q", strings.Replace(testQuery, `"2022-03-09"`, `7`, 1), 1):                        "date[2] is not a string",
		strings.Replace(`{"query":Q}`, "Q", strings.Replace(testQuery, `"room type": null`, `"room type": "tent"`, 1), 1): "no room type",
		strings.Replace(`{"query":Q,"reference":{"Hotels in X": []}}`, "Q", testQuery, 1):                                 "",
		strings.Replace(`{"query":Q,"reference":{"Restaurants in X": [["a"]]}}`, "Q", testQuery, 1):                       "row 1: not a list of 3 cells",
	} {
		var out strings.Builder
		totals, err := JudgeRows(t.Context(), strings.NewReader(strings.ReplaceAll(text, "\n", " ")), &out, Options{JSON: true, World: testWorld(t)})
		if err != nil {
			t.Fatal(err)
		}
		if want != "" && (totals.Errors != 1 || !strings.Contains(out.String(), `"error":"row 1: `) || !strings.Contains(out.String(), want)) {
			t.Errorf("%s: got %s, want an error with %q", text, out.String(), want)
		}
		if !json.Valid([]byte(out.String())) {
			t.Errorf("%s: the answer is no JSON: %s", text, out.String())
		}
	}
}

func TestBadWorlds(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:              "w.json:1:1",
		`{"flights": 1}`:  "w.json:1:2: error[wrong-json-type]",
		`{"planets": []}`: `no table "planets"`,
		"{\n \"restaurants\": [\n  {\"Name\": \"a\", \"City\": \"b\", \"Cuisines\": \"c\", \"Average Cost\": \"d\"}]}": "w.json:3:47: error[bad-value]: restaurants, row 1: \"d\" is not an amount",
		`{"city_state": [["a"]]}`: "city_state, row 1",
		`{"distance": [{"origin": "a", "destination": "b", "duration": "1 hour", "distance": "3 miles"}]}`: "km",
	} {
		if _, err := ReadWorld("w.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// FuzzJudge: no row is a crash, every answer is JSON, and the judge says the same again.
func FuzzJudge(f *testing.F) {
	plan, _ := json.Marshal(testPlan)
	f.Add(testQuery, string(plan))
	f.Add(testQuery, `"[{'current_city': 'from Ost to West', 'transportation': 'Taxi, from Ost to West, cost: 1,019'}, {}, None]"`)
	f.Add(strings.Replace(testQuery, `"cuisine": null`, `"cuisine": ["French"]`, 1), `[{"attraction": ";;", "lunch": ","}]`)
	w := testWorld(f)
	f.Fuzz(func(t *testing.T, query, plan string) {
		row := `{"case":1,"query":` + query + `,"plan":` + plan + `}`
		row = strings.NewReplacer("\n", " ", "\r", " ").Replace(row)
		for _, o := range []Options{{JSON: true, Details: true}, {JSON: true, Upstream: true}, {}} {
			o.World = w
			var one, two strings.Builder
			totals, err := JudgeRows(t.Context(), strings.NewReader(row), &one, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := JudgeRows(t.Context(), strings.NewReader(row), &two, o); err != nil || one.String() != two.String() {
				t.Fatalf("%s: %s, then %s, %v", row, one.String(), two.String(), err)
			}
			if o.JSON && (!json.Valid([]byte(one.String())) || strings.Contains(one.String(), "internal error")) {
				t.Fatalf("%s: %s", row, one.String())
			}
			if totals.Errors+totals.Plans != 1 {
				t.Fatalf("%s: %+v", row, totals)
			}
		}
	})
}

// text writes the plan in TravelPlanner's text form.
func (p *Plan) text() string {
	var b strings.Builder
	for i := range p.Days {
		fmt.Fprintf(&b, "Day %d:\n", i+1)
		for _, f := range [...][2]string{
			{"Current City", fieldCity}, {"Transportation", fieldTransport}, {"Breakfast", fieldBreakfast}, {"Attraction", fieldAttraction},
			{"Lunch", fieldLunch}, {"Dinner", fieldDinner}, {"Accommodation", fieldAccommodation},
		} {
			fmt.Fprintf(&b, "%s: %s\n", f[0], p.Days[i].Fields[f[1]].Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
