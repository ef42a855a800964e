package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

func file(t testing.TB, name string) string {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func runner(t testing.TB) *Runner {
	s, err := ReadSet("tools.json", []byte(file(t, "tools.json")))
	if err != nil {
		t.Fatal(err)
	}
	d, diags := pddl.ParseDomain(pddl.NewSource("booking.pddl", file(t, "booking.pddl")), pddl.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	p, diags := pddl.ParseProblem(pddl.NewSource("trip.pddl", file(t, "trip.pddl")), d, pddl.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	r, err := NewRunner(t.Context(), s, p, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	searchRome  = `{"id":0,"name":"Hotel.search","args":{"city":"Rome"}}`
	searchOslo  = `{"id":1,"name":"Hotel.search","args":{"city":"Oslo"}}`
	checkGarden = `{"id":2,"name":"Hotel.check","args":{"hotel":"Garden Hotel"}}`
	checkFjord  = `{"id":3,"name":"Hotel.check","args":{"hotel":"$1.id[0]"}}`
	bookGarden  = `{"id":4,"name":"Hotel.book","args":{"guest":"Anna Smith","hotel":"$0.id","beds":2}}`
	bookFjord   = `{"id":5,"name":"Hotel.book","args":{"guest":"Anna Smith","hotel":"fjord"}}`
	tell        = `{"id":6,"name":"Mail.tell","args":{"guest":"anna","hotel":"fjord"}}`
	now         = `{"id":7,"name":"Clock.now","args":{}}`
)

// TestExecute: all plans that do what is to be done succeed, whatever their order and their other calls; others fail at
// a call, with the reason and what to do.
func TestExecute(t *testing.T) {
	r := runner(t)
	for _, c := range []struct {
		plan         []string
		success      bool
		says, repair string
	}{
		{[]string{searchRome, searchOslo, checkGarden, checkFjord, bookGarden, bookFjord, tell}, true, "", ""},
		{[]string{now, searchOslo, checkFjord, bookFjord, tell, searchRome, checkGarden, strings.Replace(bookGarden, "$0.id", "Garden Hotel", 1)}, true, "", ""},
		{[]string{searchRome, checkGarden, bookGarden}, false, "goal", ""},
		{[]string{searchRome, bookGarden}, false, "(checked garden)", "first call Hotel.check(hotel=Garden Hotel)"},
		{[]string{searchRome, checkGarden, bookGarden, bookGarden}, false, "(free garden)", ""},
		{[]string{checkGarden}, false, "(found garden)", "first call Hotel.search(city=rome)"},
		{[]string{strings.Replace(searchRome, "Rome", "Roma", 1)}, false, `nothing is called "Roma"`, ""},
		{[]string{strings.Replace(searchRome, "search", "serch", 1)}, false, `no function is called "Hotel.serch"`, "call Hotel.search"},
		{[]string{`{"id":0,"name":"Hotel.search","args":{"town":"Rome"}}`}, false, "Hotel.search needs city", "give city"},
		{[]string{searchRome, checkGarden, strings.Replace(bookGarden, "2", `"two"`, 1)}, false, "beds is to be a JSON integer", ""},
		{[]string{searchRome, checkGarden, strings.Replace(bookGarden, `"beds":2`, `"beds":3`, 1)}, false, "none of the values", ""},
		{[]string{searchRome, strings.Replace(checkFjord, "$1.id", "$0.name", 1)}, false, "Hotel.search returns no name", ""},
		{[]string{checkFjord, searchOslo}, false, "step 2: ", ""},
	} {
		p := plan(t, "["+strings.Join(c.plan, ",")+"]")
		j := r.Judge(p)
		said := ""
		for i := range j.Faults {
			said += j.Faults[i].String() + "\n"
		}
		if j.Verdict.Failure != nil {
			said += j.Verdict.Failure.Message
		}
		if j.Success() != c.success || c.says != "step 2: " && !strings.Contains(said, c.says) || !strings.Contains(j.Repair, c.repair) {
			t.Errorf("%v: success %v, %q, repair %q; want %v, %q, %q", c.plan, j.Success(), said, j.Repair, c.success, c.says, c.repair)
		}
	}
}

func TestGuard(t *testing.T) {
	r := runner(t)
	rows := `{"id":1,"call":` + searchRome + `}
{"id":2,"call":` + bookGarden + `}
{"id":3,"call":{"name":"Hotel.check","arguments":"{\"hotel\": \"Garden Hotel\"}"}}
{"id":4,"call":` + bookGarden + `}
{"id":5,"call":` + bookGarden + `,"history":[]}
{"id":6}
{"id":7,"call":{"function":{"name":"Hotel.buy","arguments":"{}"}},"history":{"messages":[]}}
`
	want := `{"id":1,"decision":"allow"}
{"id":2,"decision":"deny","reason":"step 2 (book anna garden): (checked garden) does not hold","repair":"first call Hotel.check(hotel=Garden Hotel)"}
{"id":3,"decision":"allow"}
{"id":4,"decision":"allow"}
{"id":5,"decision":"deny","reason":"no earlier step has the id 0"}
{"id":6,"error":"row 6: the row has no call"}
{"id":7,"decision":"deny","reason":"no function is called \"Hotel.buy\"","repair":"call Hotel.book"}
`
	var out strings.Builder
	denied, faults, err := r.GuardRows(t.Context(), strings.NewReader(rows), &out, true)
	if err != nil || out.String() != want || denied != 3 || faults != 1 {
		t.Errorf("%v, %d denied, %d faults:\n%s\nwant\n%s", err, denied, faults, out.String(), want)
	}
}

// BenchmarkDecide decides about a call after a hundred others.
func BenchmarkDecide(b *testing.B) {
	r := runner(b)
	before := &Plan{}
	for i := range 100 {
		before.Steps = append(before.Steps, plan(b, "["+searchRome+"]").Steps[0])
		before.Steps[i].ID = i
	}
	call := plan(b, "["+bookGarden+"]").Steps[0]
	call.ID = 100
	var longest time.Duration
	for b.Loop() {
		began := time.Now()
		if r.Decide(before, call).Allow {
			b.Fatal("allowed")
		}
		longest = max(longest, time.Since(began))
	}
	b.ReportMetric(float64(longest.Microseconds()), "µs/longest")
}

// TestTEvalTools reads the tools of T-Eval.
func TestTEvalTools(t *testing.T) {
	text, err := os.ReadFile(testkit.Shared(t, "data", "travel", "teval-api-descrip.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadSet("api.json", text)
	if err != nil || len(s.Tools) != 50 {
		t.Fatalf("%v, %d functions, want 50", err, len(s.Tools))
	}
	good := plan(t, `[{"id":0,"name":"AirbnbSearch.search_property_by_place","args":{"place":"Oslo"}},
		{"id":1,"name":"AirbnbSearch.get_property_details","args":{"propertyId":"$0.property"}},{"id":2,"name":"FinishAction","args":{}}]`)
	if faults := s.Check(good); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
	bad := plan(t, `[{"id":0,"name":"AirbnbSearch.get_property_details","args":{"propertyId":"seven"}},{"id":1,"name":"AirbnbSearch.get_property_details","args":{"propertyId":"$0.rooms"}}]`)
	if faults := s.Check(bad); len(faults) != 2 || faults[0].Kind != WrongType || faults[1].Kind != WrongReference {
		t.Errorf("%v", faults)
	}
}

func TestBadSets(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                           "t.json:1:",
		`{"tool": []}`:                "unknown-member",
		`[{"function":{"name":""}}]`:  "tool 1: the function has no name",
		`[{"name":"a"},{"name":"a"}]`: "tool 2: the function a is described twice",
		`[{"name":"a","parameters":{"required":["x"]}}]`: `the required parameter "x" is not described`,
	} {
		if _, err := ReadSet("t.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	r := runner(t)
	for action, want := range map[string]string{"(fly ?city)": "no action fly", "(search)": "search has 1 parameters, not 0", "(search ?town)": "no parameter town"} {
		s, err := ReadSet("t.json", []byte(`[{"name":"a","pddl":`+string(must(json.Marshal(action)))+`,"parameters":{"properties":{"city":{}}}}]`))
		if err == nil {
			_, err = NewRunner(t.Context(), s, r.world.Prob, search.Limits{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", action, err, want)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
