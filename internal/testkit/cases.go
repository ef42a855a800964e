package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Case is a small task with a known optimal cost, from /testdata/*.txtar.
type Case struct {
	Name            string // of the file, without .txtar
	Comment         string
	Domain, Problem string // PDDL text
	Cost            string // optimal
	Plan            string // an optimal plan, one step per line
}

// Cases reads the cases that the tests of all packages share, sorted by name.
func Cases(tb testing.TB) []Case {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(Root(), "testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no cases in testdata: %v", err)
	}
	cases := make([]Case, len(files))
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		cases[i] = parseCase(string(data))
		cases[i].Name = strings.TrimSuffix(filepath.Base(file), ".txtar")
	}
	return cases
}

// parseCase reads the txtar format: a comment, then files that each begin with a
// line "-- name --".
func parseCase(text string) Case {
	var c Case
	field := &c.Comment
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		if name, ok2 := strings.CutSuffix(name, " --"); ok && ok2 {
			switch name {
			case "domain.pddl":
				field = &c.Domain
			case "problem.pddl":
				field = &c.Problem
			case "cost":
				field = &c.Cost
			case "plan":
				field = &c.Plan
			default:
				field = new(string)
			}
			continue
		}
		*field += line
	}
	c.Cost = strings.TrimSpace(c.Cost)
	return c
}

// Format writes a case as the text of its file.
func (c Case) Format() string {
	return fmt.Sprintf("%s\n\n-- domain.pddl --\n%s-- problem.pddl --\n%s-- cost --\n%s\n-- plan --\n%s",
		strings.TrimSpace(c.Comment), c.Domain, c.Problem, c.Cost, c.Plan)
}
