package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// WriteText writes the counts of a manifest for people: rows by split and by difficulty, what
// was left out, and the lengths of the prompts. dir is the folder of the data set.
func (m *Manifest) WriteText(w io.Writer, dir string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s with %s in %s\n", spell.Plural(m.Rows, "row"), spell.Plural(m.Structures, "structure"), dir)
	for _, s := range m.Splits {
		fmt.Fprintf(&b, "  %-18s %7d rows %7d structures\n", s.Name, s.Rows, s.Structures)
	}
	for _, bin := range m.Bins {
		fmt.Fprintf(&b, "  cost %-13s %7d rows\n", bin.Name, bin.Rows)
	}
	for _, reason := range []string{DropIsomorphic, DropSame, DropExcluded, DropGoalHolds, DropUnsolvable, DropFree, DropBroken, DropLimit, DropTrace, DropDistances} {
		if n := m.Dropped[reason]; n > 0 {
			fmt.Fprintf(&b, "  left out %-13s %7d tasks\n", reason, n)
		}
	}
	if m.Inexact > 0 {
		fmt.Fprintf(&b, "  %s found only up to names\n", spell.Plural(m.Inexact, "structure"))
	}
	c, words := m.Prompts.Characters, m.Prompts.Words
	fmt.Fprintf(&b, "  prompts of %d to %d characters (99 %% at most %d), %d to %d words (99 %% at most %d)\n", c.Min, c.Max, c.P99, words.Min, words.Max, words.P99)
	_, err := w.Write(b.Bytes())
	return err
}

// Warn hands to warn what people should know of a data set: tasks left out because of a fault
// and files without rows. Tasks with the same fault share a line, and there are at most 20
// lines of faults. all says where the manifest lists every fault, "" if nowhere.
func (m *Manifest) Warn(all string, warn func(error)) {
	m.warnOfFaults(all, warn)
	for _, f := range m.Files {
		if f.Rows == 0 {
			warn(fmt.Errorf("warning: %s has no rows: no prompt of this split has what the format %s needs", f.Name, f.Format))
		}
	}
	if t := m.Trainers; t != nil && t.Responses != nil && t.Responses.Empty > 0 {
		warn(fmt.Errorf("%s without a plan left out: what the model said is not in them", spell.Plural(t.Responses.Empty, "response")))
	}
}

func (m *Manifest) warnOfFaults(all string, warn func(error)) {
	const lines, names = 20, 5
	if all != "" {
		all = "; " + filepath.Join(all, ManifestName) + " lists all"
	}
	same := map[[2]string][]string{}
	for _, f := range m.Faults {
		key := [2]string{f.Reason, f.Message}
		same[key] = append(same[key], plainText(f.ID))
	}
	told, left := 0, 0
	for _, f := range m.Faults {
		key := [2]string{f.Reason, f.Message}
		ids := same[key]
		if ids == nil {
			continue // told with the first
		}
		delete(same, key)
		if told == lines {
			left += len(ids)
			continue
		}
		told++
		var diags pddl.Diagnostics
		switch {
		case errors.As(f.Err, &diags):
			warn(diags)
		case len(ids) == 1:
			warn(fmt.Errorf("%s: left out (%s): %s", ids[0], f.Reason, f.Message))
		default:
			text := strings.Join(ids[:min(len(ids), names)], ", ")
			if more := len(ids) - names; more > 0 {
				text += fmt.Sprintf(" and %d more%s", more, all)
			}
			warn(fmt.Errorf("%d tasks left out (%s): %s: %s", len(ids), f.Reason, f.Message, text))
		}
	}
	if left > 0 {
		warn(fmt.Errorf("and %d more%s", left, all))
	}
}

// plainText is a name as a terminal can show it: quoted if it holds control characters.
func plainText(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}
