package travel

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/rowjson"
)

// ReadRequest reads the sentences in which TravelPlanner's repository states a query, for trips of 3, 5 and 7 days in
// 2022. The cities are all that may be named. What is not said in one way that is known is an error and never a guess,
// and the number of constraints must be that of the level ("" for any).
func ReadRequest(text string, cities []string, level string) (*Query, error) {
	r := &request{text: text, q: &Query{HasBudget: true, Level: level}}
	for _, read := range []func() error{r.dates, r.budget, r.people, func() error { return r.places(cities) }, r.local} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return r.q, nil
}

type request struct {
	text string
	q    *Query
}

func unsaid(member, format string, args ...any) error {
	return rowjson.Errorf(rowjson.CodeValue, member, format, args...)
}

var (
	dateText   = pattern.New(`March (\d+)(?:st|nd|rd|th)?\b|\b(?:to|and|the) (?:the )?(\d+)(?:st|nd|rd|th)\b`)
	lengthText = pattern.New(`(?i)\b(3|5|7|three|five|seven)[- ]days?\b|\b(?:a|one|1)[- ]week\b`)
	budgetText = pattern.New(`\$([\d,]*\d)`)
	numberText = `(\d+|one|two|three|four|five|six|seven|eight)`
	peopleText = pattern.New(`(?i)\b(?:group|party) of ` + numberText + `\b|\b` + numberText + ` (?:people|persons?|individuals|travell?ers|participants|adults)\b|\b(?:for|for a group of) ` + numberText + `\b(?: from|,| leaving| departing| starting| travell?ing|\?|\.)`)
	pairText   = pattern.New(`(?i)\b(?:couple|duo|pair)\b`)
	citiesText = pattern.New(`(?i)\b` + numberText + ` (?:different |distinct |unique |separate )?(?:cities|city)\b`)
)

var numerals = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}

func numeral(s string) int {
	if n, ok := numerals[strings.ToLower(s)]; ok {
		return n
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// firstGroup is the group of a match that took part in it.
func firstGroup(m []string) string {
	for _, g := range m[1:] {
		if g != "" {
			return g
		}
	}
	return ""
}

// dates reads the first and the last day; the length of the trip, if said, must agree.
func (r *request) dates() error {
	var days []int
	for _, m := range dateText.FindAllStringSubmatch(r.text, -1) {
		if d := numeral(firstGroup(m)); !slices.Contains(days, d) {
			days = append(days, d)
		}
	}
	if len(days) != 2 || days[0] < 1 || days[1] < days[0] || days[1] > 31 {
		return unsaid("date", "the text names the days %v of March, not a first and a last", days)
	}
	r.q.Days = days[1] - days[0] + 1
	for d := days[0]; d <= days[1]; d++ {
		r.q.Dates = append(r.q.Dates, time.Date(2022, time.March, d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	}
	for _, m := range lengthText.FindAllStringSubmatch(r.text, -1) {
		if said := max(numeral(m[1]), 0); said == 0 && r.q.Days != 7 || said > 0 && said != r.q.Days {
			return unsaid("days", "the text says %q, and the dates are %d days", m[0], r.q.Days)
		}
	}
	if r.q.Days != 3 && r.q.Days != 5 && r.q.Days != 7 {
		return unsaid("days", "a trip of %d days", r.q.Days)
	}
	return nil
}

func (r *request) budget() error {
	m := budgetText.FindAllStringSubmatch(r.text, -1)
	if len(m) != 1 {
		return unsaid("budget", "the text names %d amounts, not one budget", len(m))
	}
	var err error
	r.q.Budget, err = amount("budget", m[0][1])
	return err
}

// maxPeople bounds a group, so that costs stay in 64 bits.
const maxPeople = 1_000_000

// people reads how many travel; who says nothing travels alone.
func (r *request) people() error {
	r.q.People = 1
	var said []int
	for _, m := range peopleText.FindAllStringSubmatch(r.text, -1) {
		said = append(said, numeral(firstGroup(m)))
	}
	if pairText.MatchString(r.text) {
		said = append(said, 2)
	}
	for _, n := range said {
		if n < 1 || n > maxPeople || n != said[0] {
			return unsaid("people_number", "the text names %v as numbers of people", said)
		}
		r.q.People = n
	}
	if r.q.Level != "" && r.q.Level != "easy" && r.q.People == 1 {
		return unsaid("people_number", "the text does not say how many people travel, and a query of level %s is of several", r.q.Level)
	}
	return nil
}

// originText ends before the city in which a trip begins.
var originText = pattern.New(`(?i)(?:\bfrom|\bin|\bat|\bdepart(?:s|ing)?|\bleav(?:e|es|ing))\s+$`)

// mention is a place that a text names.
type mention struct {
	name       string
	begin, end int
}

// places reads the city where the trip begins and the city or the state that it goes to.
func (r *request) places(cities []string) error {
	var list []mention
	names := slices.Concat(cities, states)
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range slices.Compact(names) {
		for from := 0; ; {
			at := strings.Index(r.text[from:], name)
			if at < 0 {
				break
			}
			m := mention{name, from + at, from + at + len(name)}
			from = m.end
			whole := !wordAt(r.text, m.begin-1) && !wordAt(r.text, m.end)
			if whole && !slices.ContainsFunc(list, func(o mention) bool { return m.begin < o.end && o.begin < m.end }) {
				list = append(list, m)
			}
		}
	}
	slices.SortFunc(list, func(a, b mention) int { return a.begin - b.begin })
	origin := slices.IndexFunc(list, func(m mention) bool { return originText.MatchString(r.text[:m.begin]) })
	if origin < 0 {
		return unsaid("org", "the text does not say where the trip begins")
	}
	r.q.Org = list[origin].name
	for i, m := range list {
		ofOrigin := i == origin+1 && slices.Contains(states, m.name) && regexp.MustCompile(`^,? (?:in )?$`).MatchString(r.text[list[origin].end:m.begin])
		ofDest := i > 0 && m.name != r.q.Org && list[i-1].name == r.q.Dest && r.text[list[i-1].end:m.begin] == ", "
		switch {
		case i == origin || ofOrigin || ofDest || m.name == r.q.Dest || m.name == r.q.Org:
		case r.q.Dest != "":
			return unsaid("dest", "the text names both %s and %s", r.q.Dest, m.name)
		default:
			r.q.Dest = m.name
		}
	}
	if r.q.Dest == "" {
		return unsaid("dest", "the text does not say where the trip goes")
	}
	if r.q.Days > 3 && !slices.Contains(states, r.q.Dest) {
		return unsaid("dest", "%s is no state", r.q.Dest)
	}
	return r.number()
}

func wordAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= 0x80)
}

// number reads how many cities are visited: one in 3 days, two in 5, three in 7.
func (r *request) number() error {
	r.q.Cities = (r.q.Days - 1) / 2
	for _, m := range citiesText.FindAllStringSubmatch(r.text, -1) {
		if n := numeral(m[1]); n != r.q.Cities {
			return unsaid("visiting_city_number", "the text says %q for %d days", m[0], r.q.Days)
		}
	}
	return nil
}

var (
	flightText  = pattern.New(`(?i)\b(?:flights?|fly|flying|air travel|airline)\b`)
	drivingText = pattern.New(`(?i)self-driv\w*|\b(?:drive|driving) (?:ourselves|myself|themselves)\b`)
	refusal     = pattern.New(`(?i)\b(?:no|not|non|without|avoid|exclud\w+|rather|cannot|never)\b|n't\b`)
	sentences   = pattern.New(`[.?!](?:\s+|$)`)
	cuisineText = pattern.New(`\b(?:American|Chinese|French|Indian|Italian|Mediterranean|Mexican)\b`)
	unshared    = pattern.New(`(?i)\b(?:non-|not |not be |un)shared\b|n't shared\b|\bneither shared\b|\bare not to be shared\b`)
	noRules     = pattern.New(`(?i)no (?:specific|particular) house rules`)
)

// ruleTexts are the words for what a hotel must allow, roomTexts those for rooms.
var (
	ruleTexts = []struct {
		rule string
		text *pattern.Pattern
	}{
		{"smoking", pattern.New(`(?i)\bsmok(?:ing|ers?)\b`)},
		{"parties", pattern.New(`(?i)\bparties\b`)},
		{"children under 10", pattern.New(`(?i)\bchild(?:ren)?\b|\bkids\b`)},
		{"pets", pattern.New(`(?i)\bpets?\b`)},
		{"visitors", pattern.New(`(?i)\bvisitors?\b`)},
	}
	roomTexts = []struct {
		room string
		text *pattern.Pattern
	}{
		{"entire room", pattern.New(`(?i)\bentire (?:rooms?|homes?)\b|\brooms?,? entire`)},
		{"private room", pattern.New(`(?i)\bprivate rooms?\b`)},
		{"shared room", pattern.New(`(?i)(?:^|[^-\w])shared rooms?\b`)},
	}
)

// local reads the constraints. Two of a kind are an error.
func (r *request) local() error {
	if err := r.rooms(); err != nil {
		return err
	}
	for _, x := range ruleTexts {
		switch {
		case !x.text.MatchString(r.text):
		case r.q.HouseRule != "":
			return unsaid("house rule", "the text asks for %s and %s", r.q.HouseRule, x.rule)
		default:
			r.q.HouseRule = x.rule
		}
	}
	if r.q.HouseRule != "" && noRules.MatchString(r.text) {
		return unsaid("house rule", "the text names %s and no house rule", r.q.HouseRule)
	}
	for _, label := range cuisineText.FindAllString(r.text, -1) {
		if !slices.Contains(r.q.Cuisines, label) {
			r.q.Cuisines = append(r.q.Cuisines, label)
		}
	}
	for _, sentence := range sentences.Split(r.text, -1) {
		for _, x := range []struct {
			choice string
			text   *pattern.Pattern
		}{{noFlight, flightText}, {noCar, drivingText}} {
			at := x.text.FindStringIndex(sentence)
			if at == nil {
				continue
			}
			if !refusal.MatchString(sentence) || r.q.Transportation != "" && r.q.Transportation != x.choice {
				return unsaid("transportation", "%q", sentence)
			}
			r.q.Transportation = x.choice
		}
	}
	want, known := map[string]int{"easy": 0, "medium": 1, "hard": 3}[r.q.Level]
	if n := len(r.q.Hard()) - 1; known && n != want {
		return unsaid("local_constraint", "the text has %d constraints, a query of level %s has %d", n, r.q.Level, want)
	}
	return nil
}

func (r *request) rooms() error {
	if unshared.MatchString(r.text) {
		r.q.RoomType = "not shared room"
	}
	text := unshared.ReplaceAllString(r.text, "")
	for _, x := range roomTexts {
		switch {
		case !x.text.MatchString(text):
		case r.q.RoomType != "":
			return unsaid("room type", "the text asks for %s and %s", r.q.RoomType, x.room)
		default:
			r.q.RoomType = x.room
		}
	}
	return nil
}

// states are those that a trip can go to.
var states = strings.Split("Alabama,Alaska,Arizona,Arkansas,California,Colorado,Connecticut,Delaware,Florida,Georgia,Hawaii,Idaho,"+
	"Illinois,Indiana,Iowa,Kansas,Kentucky,Louisiana,Maine,Maryland,Massachusetts,Michigan,Minnesota,Mississippi,Missouri,Montana,Nebraska,"+
	"Nevada,New Hampshire,New Jersey,New Mexico,New York,North Carolina,North Dakota,Ohio,Oklahoma,Oregon,Pennsylvania,Rhode Island,"+
	"South Carolina,South Dakota,Tennessee,Texas,Utah,Vermont,Virginia,Washington,West Virginia,Wisconsin,Wyoming,Puerto Rico", ",")

// LevelOf is the level of a query of a set in which the three levels follow each other, each a third of it.
func LevelOf(number, of int) string {
	return []string{"easy", "medium", "hard"}[min(2, max(0, number-1)*3/max(1, of))]
}
