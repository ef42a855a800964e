package travel

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/rowjson"
)

func TestReadRequest(t *testing.T) {
	cities := []string{"Ost", "West", "West Ost", "Washington", "St. Anna"}
	for _, c := range []struct{ text, level, want string }{
		{"Plan a 3-day trip from Ost to West, from March 3rd to March 5th, 2022, for $1,200.", "easy", "Ost>West 3 1 1 1200   [] "},
		{"We leave West Ost on March 3rd, 2022, and visit 2 cities in Washington until March 7th: two people with $900.", "", "West Ost>Washington 5 2 2 900   [] "},
		{"A week-long trip for a group of 6 starting in Washington and seeing three different cities in New York from March 1st to 7th, 2022. $9,000. No flights, rooms that are not shared, and pets with us.", "hard",
			"Washington>New York 7 3 6 9000 pets not shared room [] no flight"},
		{"A couple departing from St. Anna, heading to Ost from March 28th to March 30th. $70. We like Indian and French cuisine.", "medium", "St. Anna>Ost 3 1 2 70   [Indian French] "},
		{"From Ost to West, a pair, March 3 to March 5, $50. We would not drive ourselves; entire rooms where parties are allowed.", "hard", "Ost>West 3 1 2 50 parties entire room [] no self-driving"},
		// What is not said in one known way.
		{"From Ost to West, March 3 to March 5, $50. Private rooms that are not shared.", "", "error room type"},
		{"From Ost to West, March 3 to March 5, $50, or $60.", "", "error budget"},
		{"From Ost to West, March 3 to March 5, $50, and smoking.", "easy", "error local_constraint"},
		{"From Ost to West, March 3 to March 6, $50.", "", "error days"},
		{"A 5-day trip from Ost to West, March 3 to March 5, $50.", "", "error days"},
		{"From Ost to West, March 3, $50.", "", "error date"},
		{"From Ost to West, March 0 to March 2, $50.", "", "error date"},
		{"From Ost to West, March 3 to March 5, a group of 99999999999999999999, $50.", "", "error people_number"},
		{"From Ost to West, March 3 to March 5, $99,999,999,999,999.", "", "error budget"},
		{"From Ost to West or St. Anna, March 3 to March 5, $50.", "", "error dest"},
		{"From Ost, March 3 to March 5, $50.", "", "error dest"},
		{"From Ost to Ost, March 3 to March 5, $50.", "", "error dest"},
		{"To West, March 3 to March 5, $50.", "", "error org"},
		{"From Ost to West, March 3 to March 5, 2 people or a party of 3, $50.", "", "error people_number"},
		{"From Ost to West, March 3 to March 5, $50. Private rooms.", "medium", "error people_number"},
		{"From Ost to West, two cities, March 3 to March 5, $50.", "", "error visiting_city_number"},
		{"From Ost to West, March 3 to March 5, $50. We fly.", "", "error transportation"},
		{"From Ost to West, March 3 to March 5, $50. Pets and visitors.", "", "error house rule"},
	} {
		got := ""
		q, err := ReadRequest(c.text, cities, c.level)
		if fault := (*rowjson.RowError)(nil); errors.As(err, &fault) {
			got = "error " + fault.Member
		} else if err == nil {
			got = fmt.Sprintf("%s>%s %d %d %d %s %s %s %v %s", q.Org, q.Dest, q.Days, q.Cities, q.People, q.Budget, q.HouseRule, q.RoomType, q.Cuisines, q.Transportation)
		}
		if got != c.want || err == nil && len(q.Dates) != q.Days {
			t.Errorf("%q: got %q, want %q (%v)", c.text, got, c.want, err)
		}
	}
}

// TestTrainingRequests reads the sentences of the training queries, whose fields are known.
func TestTrainingRequests(t *testing.T) {
	for i, line := range lines(t, "data", "travel", "travelplanner-train45.jsonl") {
		want, err := ReadQuery(line)
		if err != nil {
			t.Fatal(err)
		}
		var row struct {
			Query     string
			Reference json.RawMessage
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		cities, err := ReferenceCities(row.Reference)
		if err != nil {
			t.Fatal(err)
		}
		if level := LevelOf(i+1, 45); level != want.Level {
			t.Errorf("%d: level %s, want %s", i+1, level, want.Level)
		}
		got, err := ReadRequest(row.Query, cities, want.Level)
		if err == nil {
			slices.Sort(got.Cuisines)
			slices.Sort(want.Cuisines)
		}
		if err != nil || got.ask() != want.ask() || got.Level != want.Level {
			t.Errorf("%d: %v\n%s\n got %+v\nwant %+v", i+1, err, row.Query, got, want)
		}
	}
}

func TestReadTables(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := ReadTables(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no tables: %v", err)
	}
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("accommodations/clean_accommodations_2022.csv", ",NAME,room type,price,minimum nights,review rate number,house_rules,maximum occupancy,city\n"+
		"0,\"Loft, new\",Private room,40.0,2.0,3.0,No pets & No smoking,2,West\n1,No rules,Private room,40.0,2.0,3.0,,2,West\n")
	write("background/citySet_with_states.txt", "West\tTexas\nOst\tOhio")
	write("googleDistanceMatrix/distance.csv", "origin,destination,cost,duration,distance\nOst,West,,2 hours,\"1,150 km\"\nWest,Ost,,,\n")
	w, missing, err := ReadTables(dir)
	if err != nil || len(missing) != 3 || len(w.Hotels) != 1 || w.Hotels[0].Name != "Loft, new" || w.Hotels[0].MinNights != 2 || len(w.Hotels[0].Rules) != 2 {
		t.Fatalf("%+v %v %v", w, missing, err)
	}
	if len(w.Roads) != 2 || w.Roads[0].carCost() != 57 || !w.Roads[1].NoCar || len(w.Cities) != 2 || !w.knowsCity("Ost") {
		t.Errorf("%+v %+v", w.Roads, w.Cities)
	}
	write("restaurants/clean_restaurant_2022.csv", "Name,City,Cuisines,Average Cost\nGrill,West,Tea,much\n")
	if _, _, err := ReadTables(dir); err == nil || !strings.Contains(err.Error(), "clean_restaurant_2022.csv: ") || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("a price that is no number: %v", err)
	}
}

// TestSupposedFlights: what is refused in the supposed world is refused in every other.
func TestSupposedFlights(t *testing.T) {
	w := quirkWorld(t)
	supposed := 0
	for _, line := range lines(t, "data", "travel", "quirk-cases.jsonl") {
		r, err := ParseRow(line, w)
		if err != nil {
			t.Fatal(err)
		}
		easier := w.SupposeFlights(r.Query, r.Plan)
		if Judge(w, r.Query, r.Plan).Valid() && !Judge(easier, r.Query, r.Plan).Valid() {
			t.Errorf("%s is valid, but not with the flights that it names", r.Name)
		}
		if JudgeUpstream(w, r.Query, r.Plan).Final() && !JudgeUpstream(easier, r.Query, r.Plan).Final() {
			t.Errorf("%s passes, but not with the flights that it names", r.Name)
		}
		supposed += len(easier.Flights)
	}
	if supposed == 0 {
		t.Error("no case has a flight")
	}
}

// FuzzRequest: any sentences are read as a query that the judge takes, or give a located error.
func FuzzRequest(f *testing.F) {
	f.Add("A 3-day trip from Ost to West from March 3rd to March 5th, 2022, for two people and $1,200.", "medium")
	f.Add("We leave West on March 3rd and visit 2 cities in Texas until March 7th: $900; no flights, rooms that are not shared.", "")
	f.Add("From Ost to West, March 0 to March 2, a group of 99999999999999999999, $,,,1.", "hard")
	w := quirkWorld(f)
	f.Fuzz(func(t *testing.T, text, level string) {
		q, err := ReadRequest(text, []string{"Ost", "West", "St. Anna"}, level)
		if err != nil {
			if fault := (*rowjson.RowError)(nil); !errors.As(err, &fault) || fault.Member == "" {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		if q.Days != len(q.Dates) || q.Org == q.Dest || q.Cities != (q.Days-1)/2 || q.People < 1 {
			t.Fatalf("%+v", q)
		}
		Judge(w, q, &Plan{Delivered: true, Days: make([]Day, q.Days)})
	})
}
