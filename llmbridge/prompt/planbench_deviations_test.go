package prompt

import (
	"regexp"
	"slices"
	"strings"
)

// A deviation is a place where our prompts differ from PlanBench's on purpose, as
// docs/PROMPTS.md says: what matches is made one in both before they are compared.
type deviation struct {
	name  string
	kinds []Kind // nil for all
	re    *regexp.Regexp
	to    string
}

var planbenchDeviations = []deviation{
	{"stray-blank", nil, regexp.MustCompile(`(?m)[ ]+$|^ (I have executed)`), "$1"},
	{"objects", nil, regexp.MustCompile(`These are the objects: .*\n`), ""},
	{"blank-line", []Kind{KindVerification}, regexp.MustCompile(`\n+\z`), ""},
	{"least-time", []Kind{KindCostOptimal}, regexp.MustCompile(`(?m)\. I want [a-z ]* time[a-z ]*\.$`), ". LEAST TIME"},
	{"event", []Kind{KindReplanning}, regexp.MustCompile(`During execution, [^"]*("[^"]*") at step (\d+) in .* became true: (.*)\nThe .* false: (.*)\n`), "EVENT $2 $1 +$3 -$4\n"},
	{"event", []Kind{KindReplanning}, regexp.MustCompile(`During execution, .* after step (\d+), ("[^"]*").\nThese .* became true: (.*)\.\nThese .* false: (.*)\.\n`), "EVENT $1 $2 +$3 -$4\n"},
	{"verdict", []Kind{KindVerification}, regexp.MustCompile(`is invalid\. ?The following action at step (\d+) has .*\n(.*)\nThe unmet preconditions? .*\n`), "is invalid: step $1 $2\n"},
	{"verdict", []Kind{KindVerification}, regexp.MustCompile(`is invalid\. Step (\d+), (.*), cannot be executed\. These preconditions .*\n`), "is invalid: step $1 $2\n"},
	{"verdict", []Kind{KindVerification}, regexp.MustCompile(`is invalid\. Th.* goal conditions?.*:\n`), "is invalid: goal\n"},
	{"tracking", []Kind{KindGeneration}, regexp.MustCompile(`(?m)^(As initial conditions I have that, .*[^.])$`), "$1."},
	{"tracking", []Kind{KindGeneration}, regexp.MustCompile(`(?m)^   Reason: .* preconditions; (.*), are satisfied .*$`), "   Reason: $1"},
	{"tracking", []Kind{KindGeneration}, regexp.MustCompile(`(?m)^   Reason: what the action needs holds in the current state: `), "   Reason: "},
	{"tracking", []Kind{KindGeneration}, regexp.MustCompile(`(?m)^ *(Final State: .*\n)The goal .*$`), "$1"},
}

// normal tells a prompt without what deviates, and which deviations it has.
func normal(kind Kind, text string, used map[string]bool) string {
	for _, d := range planbenchDeviations {
		if d.kinds != nil && !slices.Contains(d.kinds, kind) {
			continue
		}
		if next := d.re.ReplaceAllString(text, d.to); next != text {
			used[d.name] = true
			text = next
		}
	}
	return text
}

// toldFacts splits what a prompt tells of a state.
func toldFacts(text string) []string {
	list := strings.Split(text, ", ")
	a, b, ok := strings.Cut(list[len(list)-1], " and ")
	if ok {
		list = append(list[:len(list)-1], a, b)
	}
	return list
}

func placeIn(text, fact string) int { return slices.Index(toldFacts(text), fact) }
