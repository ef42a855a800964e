package report

import (
	"io"

	"github.com/planproof/planproof/internal/rowjson"
)

// Form says how an analysis is written: as JSON Lines or as text, in full or summed up.
type Form struct {
	JSON    bool
	Summary bool // with JSON: means and rates instead of rows
	Several bool // as text: a table and not each row in full
}

// Write writes the rows; a summary of them is the rows.
func (rows BudgetRows) Write(w io.Writer, f Form) error {
	switch {
	case f.JSON:
		return rowjson.WriteLines(w, rows)
	case f.Several:
		rows.writeTable(w)
	default:
		rows.writeText(w)
	}
	return nil
}

// Write writes a row for each task and schedule, or the rates of shifts.
func (s *ShiftSet) Write(w io.Writer, f Form) error {
	switch {
	case f.JSON && f.Summary:
		return rowjson.WriteLines(w, s.Rates())
	case f.JSON:
		return rowjson.WriteLines(w, s.Rows(f.Several || len(s.Schedules) > 1))
	case f.Several:
		s.writeTable(w)
	default:
		s.writeText(w)
	}
	return nil
}

// Write writes a row for each plan and budget, or means.
func (m *Metrics) Write(w io.Writer, f Form) error {
	switch {
	case f.JSON && f.Summary:
		return rowjson.WriteLines(w, m.Cells())
	case f.JSON:
		return rowjson.WriteLines(w, m.Rows)
	case f.Several:
		m.writeTable(w)
	default:
		m.writePlans(w)
	}
	return nil
}
