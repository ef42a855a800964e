package eval

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/model"
)

// Results are the rows of a run with their summary.
type Results struct {
	Rows  []Row
	Cells []Cell
}

// NewResults sums rows up: pass@k for each of ks, and what the models cost.
func NewResults(rows []Row, ks []int, prices map[string]model.Price) *Results {
	return &Results{rows, Summarise(rows, ks, prices)}
}

// Complete reports whether every row is graded.
func (r *Results) Complete() bool {
	return !slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Graded < c.Rows })
}

// JSON is the object of planproof eval --json.
func (r *Results) JSON() any { return map[string]any{"cells": r.Cells} }

// Draw writes a chart of the rates as SVG.
func (r *Results) Draw(w io.Writer) error {
	title := "pass@k over graded tasks with 95 % Wilson intervals; the mark counts ungraded rows as wrong"
	if slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Levels != nil }) {
		title += "; of verified plans, answers that name the kind"
	}
	return WriteChart(w, title, rateBars(r.Cells))
}

// WriteText writes the summary for people.
func (r *Results) WriteText(out, _ io.Writer) error { return writeCells(out, r.Cells) }

// ResponseResults are graded answers of others with their summary.
type ResponseResults struct {
	Rows       []GradedResponse
	Cells      []ResponseCell
	Causes     []CauseCount
	Unanswered int // rows without an answer, which are left out
}

// NewResponseResults sums rows up.
func NewResponseResults(rows []GradedResponse, unanswered int) *ResponseResults {
	r := &ResponseResults{Rows: rows, Unanswered: unanswered}
	r.Cells, r.Causes = SummariseResponses(rows)
	return r
}

// Complete reports whether every row is graded.
func (r *ResponseResults) Complete() bool {
	return !slices.ContainsFunc(r.Cells, func(c ResponseCell) bool { return c.Graded < c.Rows })
}

// JSON is the object of planproof eval --responses --json.
func (r *ResponseResults) JSON() any {
	return map[string]any{"groups": r.Cells, "causes": r.Causes, "unanswered": r.Unanswered}
}

// Draw writes a chart of the rates as SVG.
func (r *ResponseResults) Draw(w io.Writer) error {
	return WriteChart(w, "correct answers with 95 % Wilson intervals; the mark is the recorded rate", responseBars(r.Cells))
}

// WriteText writes the summary to out, and what was left out or not graded to notes.
func (r *ResponseResults) WriteText(out, notes io.Writer) error {
	if r.Unanswered > 0 {
		fmt.Fprintf(notes, "%s without an answer left out\n", spell.Plural(r.Unanswered, "entry"))
	}
	err := writeResponseCells(out, r.Cells, r.Causes)
	writeUngraded(notes, ungraded(r.Rows))
	return err
}

// ParseMethods reads the names of methods, each once, see [ParseMethod].
func ParseMethods(names []string) (methods []*Method, err error) {
	for _, name := range names {
		if slices.ContainsFunc(methods, func(m *Method) bool { return m.Name == name }) {
			return nil, fmt.Errorf("names %s twice: its answers would be counted twice; --samples asks several times", name)
		}
		m, err := ParseMethod(name, nil)
		if err != nil {
			return nil, err
		}
		methods = append(methods, m)
	}
	return methods, nil
}

// ParsePassNumbers reads the numbers k of pass@k, "1,5", each from 1 to samples.
func ParsePassNumbers(text string, samples int) (ks []int, err error) {
	for _, word := range strings.Split(text, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || k < 1 || k > samples {
			return nil, fmt.Errorf("%q: %q is not a number from 1 to --samples %d", text, word, samples)
		}
		if slices.Contains(ks, k) {
			return nil, fmt.Errorf("%q names %d twice", text, k)
		}
		ks = append(ks, k)
	}
	return ks, nil
}
