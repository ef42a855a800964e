package costmodel

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// maxScheduleLength bounds the text of a schedule in bytes.
const maxScheduleLength = 1 << 20

// Schedule is one cost per action schema. The zero value is the empty schedule,
// which changes nothing.
type Schedule struct {
	names []string // lower case, in the order written
	costs map[string]pddl.Number
	// fallback is the cost of actions that are not named, if hasFallback.
	fallback    pddl.Number
	hasFallback bool
}

// Empty reports whether s changes nothing.
func (s Schedule) Empty() bool { return len(s.names) == 0 && !s.hasFallback }

// ParseSchedule reads "name=cost,name=cost,...". Names are case-insensitive;
// `*=cost` is the cost of every action that is not named. A cost is a non-negative
// integer, decimal or fraction ("20", "0.5", "1/3"). The empty text is the empty
// schedule.
func ParseSchedule(text string) (Schedule, error) {
	s := Schedule{costs: map[string]pddl.Number{}}
	if len(text) > maxScheduleLength {
		return Schedule{}, fmt.Errorf("schedule of %d bytes: at most %d are read", len(text), maxScheduleLength)
	}
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	for i, entry := range strings.Split(text, ",") {
		name, value, found := strings.Cut(entry, "=")
		if !found || !isScheduleName(strings.TrimSpace(name)) {
			return Schedule{}, fmt.Errorf("schedule entry %d is %q, not name=cost", i+1, clip(entry))
		}
		if _, fault := s.add(strings.TrimSpace(name), strings.TrimSpace(value)); fault != "" {
			return Schedule{}, fmt.Errorf("schedule entry %d: %s", i+1, fault)
		}
	}
	return s, nil
}

func isScheduleName(name string) bool {
	return name != "" && !strings.ContainsAny(name, " \t\r\n()")
}

// add sets the cost of one action, or of `*`. It returns what is wrong in words, "" if nothing
// is, and whether the name is at fault rather than the value.
func (s *Schedule) add(name, value string) (ofName bool, fault string) {
	name = strings.ToLower(name)
	cost, ok := pddl.ParseFraction(value)
	_, twice := s.costs[name]
	switch {
	case twice || name == "*" && s.hasFallback:
		return true, "a second cost for " + clip(name)
	case !ok:
		return false, fmt.Sprintf("%q is not a number", clip(value))
	case cost.Sign() < 0:
		return false, fmt.Sprintf("the cost of %s is negative (%s)", clip(name), clip(value))
	}
	if name == "*" {
		s.fallback, s.hasFallback = cost, true
		return false, ""
	}
	s.names = append(s.names, name)
	s.costs[name] = cost
	return false, ""
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}

// String writes s as ParseSchedule reads it, in the order given, the default last.
func (s Schedule) String() string {
	var parts []string
	for _, n := range s.names {
		parts = append(parts, n+"="+s.costs[n].String())
	}
	if s.hasFallback {
		parts = append(parts, "*="+s.fallback.String())
	}
	return strings.Join(parts, ",")
}

// Cost returns what an action costs under s; false when s does not say.
func (s Schedule) Cost(action string) (pddl.Number, bool) {
	if c, ok := s.costs[strings.ToLower(action)]; ok {
		return c, true
	}
	return s.fallback, s.hasFallback
}

// Check compares s with the actions of a domain: each must have a cost, and each name must
// be that of an action. Durative actions are an error.
func (s Schedule) Check(dom *pddl.Domain) error {
	if len(dom.Durative) > 0 {
		return fmt.Errorf("a schedule prices instantaneous actions; domain %s has the durative action %s", dom.Name, dom.Durative[0].Name)
	}
	if x := dom.Nature(); len(x) > 0 {
		return fmt.Errorf("a schedule prices actions; domain %s has the process or event %s", dom.Name, x[0].Name)
	}
	for _, name := range s.names {
		if _, ok := dom.ActionByName(name); ok {
			continue
		}
		err := fmt.Errorf("schedule: domain %s has no action %q", dom.Name, clip(name))
		names := make([]string, len(dom.Actions))
		for i, a := range dom.Actions {
			names[i] = strings.ToLower(a.Name)
		}
		if best := spell.Nearest(name, names); best != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, best)
		}
		return err
	}
	var missing []string
	for _, a := range dom.Actions {
		if _, ok := s.Cost(a.Name); !ok {
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("schedule: no cost for %s; name every action or give the others one with *=COST", clip(strings.Join(missing, ", ")))
	}
	return nil
}
