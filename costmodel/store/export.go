package store

import (
	"context"
	"io"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/search"
)

// Row is the JSON form of a record. With the texts it can be imported, and filled in
// again: the members that Rows reads have the same names.
type Row struct {
	Key         string        `json:"key"`
	IDs         []string      `json:"ids"`
	Schedule    string        `json:"schedule"`
	Status      search.Status `json:"status"`
	Cost        *string       `json:"cost,omitempty"`
	Steps       *int          `json:"steps,omitempty"`
	Plan        []string      `json:"plan,omitempty"`
	Reason      string        `json:"reason,omitempty"`
	Search      string        `json:"search,omitempty"`
	Expanded    int64         `json:"expanded"`
	Version     string        `json:"version,omitempty"`
	Limits      RowLimits     `json:"limits"`
	Table       string        `json:"table,omitempty"`
	TableStatus string        `json:"table_status,omitempty"`
	Certificate string        `json:"certificate,omitempty"`
	CertStatus  string        `json:"certificate_status,omitempty"`
	Domain      *string       `json:"domain_text,omitempty"`
	Problem     *string       `json:"problem_text,omitempty"`
	// Elapsed and Finished differ from run to run.
	Elapsed  float64 `json:"elapsed_s,omitempty"`
	Finished string  `json:"finished,omitempty"`
}

// RowLimits are limits in JSON; a member that is absent is no limit.
type RowLimits struct {
	Seconds float64 `json:"time_s,omitempty"`
	Memory  int64   `json:"memory_bytes,omitempty"`
	Nodes   int64   `json:"nodes,omitempty"`
}

// NewRow turns a record into a row without texts. With times it says when it was
// made and how long that took, which differs from machine to machine.
func NewRow(r *Record, times bool) *Row {
	row := &Row{
		Key: r.Key.String(), IDs: r.Names, Schedule: r.Schedule, Status: r.Status, Plan: r.Plan, Reason: r.Reason,
		Search: r.Search, Expanded: r.Expanded, Version: r.Version,
		Table: r.Table.File, TableStatus: r.Table.Status, Certificate: r.Certificate.File, CertStatus: r.Certificate.Status,
		Limits: RowLimits{Seconds: r.Limits.Wall.Seconds(), Memory: r.Limits.Memory, Nodes: r.Limits.Nodes},
	}
	if row.IDs == nil {
		row.IDs = []string{}
	}
	if r.Status == search.SolvedOptimally {
		row.Cost, row.Steps = &r.Cost, &r.Steps
	}
	if times {
		row.Elapsed, row.Finished = r.Elapsed.Seconds(), r.Finished.Format(time.RFC3339)
	}
	return row
}

// ExportOptions of Export.
type ExportOptions struct {
	Filter
	Texts bool // with the canonical domain and problem of every row
	Times bool // with times, which differ from run to run
}

// Export writes rows as JSON Lines. Without Times two stores of the same content give
// the same bytes.
func (s *Store) Export(ctx context.Context, w io.Writer, opt ExportOptions) error {
	return s.Each(ctx, opt.Filter, func(r *Record) error {
		row := NewRow(r, opt.Times)
		if opt.Texts {
			domain, problem, err := s.Texts(r)
			if err != nil {
				return err
			}
			row.Domain, row.Problem = &domain, &problem
		}
		return rowjson.WriteLine(w, row)
	})
}
