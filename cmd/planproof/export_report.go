package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/planproof/planproof/internal/progress"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
)

// plainText is a name as a terminal can show it: quoted if it holds control characters.
func plainText(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

// tellFaults tells of tasks that were left out: those for one reason, in the same words, in
// one line, and of reasons and words at most 20. written is whether there is a manifest with all.
func (e env) tellFaults(m *dataset.Manifest, written bool) {
	const lines, names = 20, 5
	all := ""
	if written {
		all = "; " + filepath.Join(e.String("output"), dataset.ManifestName) + " lists all"
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
			diags.Format(e.err)
		case len(ids) == 1:
			fmt.Fprintf(e.err, "planproof: %s: left out (%s): %s\n", ids[0], f.Reason, f.Message)
		default:
			text := strings.Join(ids[:min(len(ids), names)], ", ")
			if more := len(ids) - names; more > 0 {
				text += fmt.Sprintf(" and %d more%s", more, all)
			}
			fmt.Fprintf(e.err, "planproof: %d tasks left out (%s): %s: %s\n", len(ids), f.Reason, f.Message, text)
		}
	}
	if left > 0 {
		fmt.Fprintf(e.err, "planproof: and %d more%s\n", left, all)
	}
}

// exported reports a data set and sets the exit code.
func (e env) exported(m *dataset.Manifest, written bool) error {
	e.tellFaults(m, written)
	e.emptyFiles(m)
	if e.Bool("json") {
		if err := printJSON(e.out, m); err != nil {
			return err
		}
	} else {
		e.printManifest(m)
	}
	switch {
	case m.Dropped[dataset.DropBroken] > 0 || m.Dropped[dataset.DropTrace] > 0 || m.Dropped[dataset.DropDistances] > 0:
		return exit(exitBad)
	case m.Dropped[dataset.DropLimit] > 0:
		return exit(exitLimit)
	}
	return nil
}

func (e env) printManifest(m *dataset.Manifest) {
	fmt.Fprintf(e.out, "%s with %s in %s\n", plural(m.Rows, "row"), plural(m.Structures, "structure"), e.String("output"))
	for _, s := range m.Splits {
		fmt.Fprintf(e.out, "  %-18s %7d rows %7d structures\n", s.Name, s.Rows, s.Structures)
	}
	for _, b := range m.Bins {
		fmt.Fprintf(e.out, "  cost %-13s %7d rows\n", b.Name, b.Rows)
	}
	for _, reason := range []string{dataset.DropIsomorphic, dataset.DropSame, dataset.DropExcluded, dataset.DropGoalHolds, dataset.DropUnsolvable, dataset.DropFree, dataset.DropBroken, dataset.DropLimit, dataset.DropTrace, dataset.DropDistances} {
		if n := m.Dropped[reason]; n > 0 {
			fmt.Fprintf(e.out, "  left out %-13s %7d tasks\n", reason, n)
		}
	}
	if m.Inexact > 0 {
		fmt.Fprintf(e.out, "  %s found only up to names\n", plural(m.Inexact, "structure"))
	}
	c, w := m.Prompts.Characters, m.Prompts.Words
	fmt.Fprintf(e.out, "  prompts of %d to %d characters (99 %% at most %d), %d to %d words (99 %% at most %d)\n", c.Min, c.Max, c.P99, w.Min, w.Max, w.P99)
}

// stageBar shows how far each of several stages is.
type stageBar struct {
	env
	stage     string
	at, total int
	bar       *progress.Line
	last      time.Time
}

func (e env) stageProgress() *stageBar { return &stageBar{env: e} }

func (b *stageBar) show(stage string, done, total int) {
	if stage != b.stage {
		b.bar.Done()
		b.stage, b.bar = stage, b.countProgress(total, stage)
	}
	b.at, b.total = done, total
	if now := time.Now(); done == total || now.Sub(b.last) > 50*time.Millisecond {
		b.last = now
		b.bar.Set(done)
	}
}

func (b *stageBar) done() { b.bar.Done() }

// where says in words how far the work is.
func (b *stageBar) where() string {
	if b.stage == "" {
		return ""
	}
	return fmt.Sprintf(" at %s, with %d of %d done", b.stage, b.at, b.total)
}
