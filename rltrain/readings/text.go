package readings

import (
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
)

// WriteText writes a reading (see [Task.Read]) for people: what the answer says to out, and how
// it was read to notes. name is that of the answer.
func WriteText(out, notes io.Writer, name string, reading any) {
	switch x := reading.(type) {
	case *extract.StateReading:
		writeState(out, notes, name, x)
	case *extract.VerdictReading:
		writeVerdict(out, notes, name, x)
	case *extract.Extraction:
		writePlan(out, notes, name, x)
	}
}

// byReader says by which rule of which reader a plan was read.
func byReader(x *extract.Extraction) string {
	return fmt.Sprintf("%s by the %s reader", x.Reading, x.Reader)
}

func writePlan(out, notes io.Writer, name string, x *extract.Extraction) {
	fmt.Fprintf(notes, "%s: %s (read as %s, confidence %s)\n", name, x.Status, byReader(x), x.Confidence)
	for _, step := range x.Plan {
		fmt.Fprintln(out, step)
	}
	for _, m := range x.Malformed {
		fmt.Fprintf(notes, "%s:%d: step %d is not a step: %s\n", name, m.Line, m.Step, strings.TrimSpace(m.Text+" "+m.Why))
	}
	if x.Unfinished != "" {
		fmt.Fprintf(notes, "%s: cut off where a step was to come: %s\n", name, x.Unfinished)
	}
}

func writeState(out, notes io.Writer, name string, x *extract.StateReading) {
	fmt.Fprintf(notes, "%s: %s (read as %s, confidence %s)\n", name, spell.Plural(len(x.Facts), "fact"), x.Reading, x.Confidence)
	for _, f := range x.Facts {
		fmt.Fprintln(out, f)
	}
	for _, f := range x.Denied {
		fmt.Fprintf(out, "(not %s)\n", f)
	}
	for _, u := range x.Unread {
		fmt.Fprintf(notes, "%s: no fact of the task: %s\n", name, u)
	}
}

func writeVerdict(out, notes io.Writer, name string, x *extract.VerdictReading) {
	fmt.Fprintf(notes, "%s: read as %s, confidence %s\n", name, x.Reading, x.Confidence)
	switch {
	case !x.Found:
		fmt.Fprintln(out, "no verdict")
	case x.Valid:
		fmt.Fprintln(out, "valid")
	default:
		fmt.Fprintln(out, strings.TrimSpace(fmt.Sprintf("invalid %s", x.Kind)))
		if x.Step > 0 || x.Action != "" {
			fmt.Fprintf(out, "step %d %s\n", x.Step, x.Action)
		}
		for _, u := range x.Unmet {
			fmt.Fprintln(out, u)
		}
	}
}
