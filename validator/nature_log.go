package validator

import "strings"

// logRound counts the events that have just happened, and puts them into words for who asks.
func (s *Scratch) logRound() {
	t := s.timed
	w := t.world
	w.count += len(w.due)
	w.since += len(w.due)
	if t.observeWorld != nil {
		t.observeWorld(s.eventsText(w.due) + " at " + numberText(s.now))
	}
	if t.observeOccurrence != nil {
		n := s.j.timed.nature
		for _, i := range w.due {
			t.observeOccurrence(EventHappens, s.occurrenceName(n.events, &n.possible[i]))
		}
	}
}

// logProcesses tells who asks which processes start and stop now; ran are those that ran before.
func (s *Scratch) logProcesses(ran []bool) {
	t := s.timed
	if t.observeOccurrence == nil {
		return
	}
	n := s.j.timed.nature
	for i, on := range t.world.active {
		if on != ran[i] {
			what := ProcessStops
			if on {
				what = ProcessStarts
			}
			t.observeOccurrence(what, s.occurrenceName(n.processes, &n.running[i]))
		}
	}
}

// eventsText names events.
func (s *Scratch) eventsText(due []int32) string {
	n := s.j.timed.nature
	var names []string
	for _, i := range due[:min(len(due), 8)] {
		names = append(names, s.occurrenceName(n.events, &n.possible[i]))
	}
	if len(due) == 1 {
		return "the event " + names[0]
	}
	return "the events " + strings.Join(names, ", ")
}
