package grounder

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/rowjson"
)

// Stats are the figures that `planproof ground` prints.
type Stats struct {
	// Facts is the number of values of all variables, counted as Fast Downward's
	// translator does: the value "none of those" counts, and so does the negation of an
	// atom with a variable of its own.
	Facts       int `json:"facts"`
	Variables   int `json:"variables"`
	Operators   int `json:"operators"`
	Axioms      int `json:"axioms"`
	MutexGroups int `json:"mutex_groups"`
	// Fluents are numeric state variables, and Comparisons what is compared of them.
	Fluents     int `json:"fluents,omitempty"`
	Comparisons int `json:"comparisons,omitempty"`
}

// Stats counts the parts of t.
func (t *Task) Stats() Stats {
	s := Stats{Variables: len(t.Variables), Operators: t.Operators.Len(), Axioms: len(t.Axioms), MutexGroups: len(t.Mutexes)}
	for i := range t.Variables {
		s.Facts += t.Variables[i].Size()
	}
	if t.Numeric != nil {
		s.Fluents, s.Comparisons = len(t.Numeric.Fluents), len(t.Numeric.Comparisons)
	}
	return s
}

// WriteSummary writes the figures for people, one per line.
func (t *Task) WriteSummary(w io.Writer) error {
	s := t.Stats()
	derived := 0
	for i := range t.Variables {
		if t.Variables[i].Layer >= 0 {
			derived++
		}
	}
	_, err := fmt.Fprintf(w, "facts         %d\nvariables     %d (%d derived)\noperators     %d\naxioms        %d\nmutex groups  %d\n",
		s.Facts, s.Variables, derived, s.Operators, s.Axioms, s.MutexGroups)
	if err == nil && t.Numeric != nil {
		_, err = fmt.Fprintf(w, "fluents       %d\ncomparisons   %d\n", s.Fluents, s.Comparisons)
	}
	if err == nil && t.Unsolvable {
		_, err = fmt.Fprintln(w, "unsolvable: grounding shows that the goal cannot be reached")
	}
	return err
}

// WriteJSON writes the figures, with the given CPU time and peak memory of grounding, as
// one JSON object on one line.
func (t *Task) WriteJSON(w io.Writer, cpuSeconds float64, peakKB int64) error {
	return rowjson.WriteLine(w, struct {
		Stats
		CPU  float64 `json:"cpu_s"`
		Peak int64   `json:"peak_kb"`
	}{t.Stats(), cpuSeconds, peakKB})
}
