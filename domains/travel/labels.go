package travel

import (
	"strings"

	"github.com/planproof/planproof/internal/pattern"
)

// dayLabels are the words before the fields of a day in TravelPlanner's text form.
var dayLabels = map[string]string{
	"current city": fieldCity, "transportation": fieldTransport, "breakfast": fieldBreakfast, "attraction": fieldAttraction, "attractions": fieldAttraction,
	"lunch": fieldLunch, "dinner": fieldDinner, "accommodation": fieldAccommodation,
}

var (
	dayLine   = pattern.New(`(?i)^[\s#*_-]*day\s+([0-9]+)\s*[:.]?[\s*_:]*$`)
	labelLine = pattern.New(`(?i)^[\s#*_-]*(current city|transportation|breakfast|attractions?|lunch|dinner|accommodation)[\s*_]*:[\s*_]*(.*?)[\s*_]*$`)
)

// readLabels reads the text form of a plan:
//
//	Day 1:
//	Current City: from Ithaca to Charlotte
//	Transportation: Flight Number: F3633413, from Ithaca to Charlotte, ...
//	Breakfast: -
//
// A second "Day 1" begins the plan anew: the last one counts. ok is false where there is no day with a field.
func readLabels(text string) (p *Plan, ok bool) {
	p = &Plan{Delivered: true}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := dayLine.FindStringSubmatch(line); m != nil {
			if strings.TrimLeft(m[1], "0") == "1" {
				p.Days = nil
			}
			if len(p.Days) < maxPlanDays {
				p.Days = append(p.Days, Day{Fields: map[string]Field{}, Empty: true})
			}
			continue
		}
		m := labelLine.FindStringSubmatch(line)
		if m == nil || len(p.Days) == 0 {
			continue
		}
		d := &p.Days[len(p.Days)-1]
		d.Fields[dayLabels[strings.ToLower(m[1])]] = Field{Text: m[2]}
		d.Empty, ok = false, true
	}
	return p, ok
}
