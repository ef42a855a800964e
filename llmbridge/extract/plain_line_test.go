package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
)

// TestPlainLines: what readPlain reads of the lines of the corpus, and of these lines with signs and words around them, read
// finds as well.
func TestPlainLines(t *testing.T) {
	rows := pddltest.PlanBenchRows(t)
	tasks := newPlanbenchTasks(t)
	around := []string{"%", "%.", "3. %", "(%)", "% again", "(%", "%)", "12. %, then", "not %", "% 2", "%: [1]", "first %", "2 %", "% and %", "%. done", "%. Not this", "%, (ok)"}
	type key struct {
		r    *Reader
		line string
	}
	known := map[key]bool{}
	plain := 0
	for i := range rows {
		r := tasks.task(t, &rows[i]).reader
		for line := range strings.Lines(rows[i].Response) {
			if line = strings.TrimSpace(line); line == "" || known[key{r, line}] || len(line) > 80 {
				continue
			}
			known[key{r, line}] = true
			for _, form := range around {
				if readsPlain(t, r, strings.ReplaceAll(form, "%", line)) {
					plain++
				}
			}
		}
	}
	if plain < 10_000 {
		t.Errorf("only %d lines are read plainly", plain)
	}
}

// readsPlain reports whether readPlain reads a line, and fails if read finds something else, or readSteps something else than
// plainStep.
func readsPlain(t *testing.T, r *Reader, raw string) bool {
	first := byteClass[raw[0]]
	_, number := numberBefore(raw)
	if r.lexicon.numbers {
		number = 0
	}
	if first < classDigit && raw[0] != '(' || first == classDigit && number == 0 {
		return false
	}
	o, other := r.outline(), r.outline()
	defer outlines.Put(o)
	defer outlines.Put(other)
	a, b := lineReading{entry: new(entry)}, lineReading{entry: new(entry)}
	o.inferred, other.inferred = false, false
	o.load(raw)
	if !o.readPlain(&a, number) {
		return false
	}
	other.load(raw)
	other.read(&b, raw)
	if *a.entry != *b.entry || a.counts != b.counts || a.head != b.head || a.anew != b.anew || !slices.Equal(a.steps, b.steps) || o.inferred != other.inferred {
		t.Errorf("%q: plainly %+v %q, else %+v %q", raw, *a.entry, a.steps, *b.entry, b.steps)
	}
	var h lineHead
	o.head(raw, &h)
	var step, steps lineResult
	if o.plainStep(h.at, &step) {
		other.load(raw)
		other.readSteps(h.at, &steps) // which notes proper, too, for labels
		if steps.proper = false; step != steps || !slices.Equal(o.out, other.out) {
			t.Errorf("%q: plainly %+v %q, else %+v %q", raw, step, o.out, steps, other.out)
		}
	}
	return true
}
