package store

import (
	"context"
	"os"
	"time"

	"github.com/planproof/planproof/search"
)

// Stats is an overview of a store.
type Stats struct {
	Rows      int          `json:"rows"`
	Tasks     int          `json:"tasks"` // different (domain, problem) pairs
	Domains   int          `json:"domains"`
	Schedules int          `json:"schedules"` // different ones, the domain's own costs included
	Names     int          `json:"names"`
	ByStatus  StatusCounts `json:"by_status"`
	Tables    int          `json:"tables"`
	Proofs    int          `json:"certificates"`
	Bytes     int64        `json:"bytes"`     // of the store's files
	Seconds   float64      `json:"elapsed_s"` // spent on the rows, summed
}

// Stats counts what the store holds. It reads columns without verifying rows.
func (s *Store) Stats(ctx context.Context) (*Stats, error) {
	st := &Stats{ByStatus: StatusCounts{}}
	var elapsed int64
	err := s.db.QueryRowContext(ctx, `SELECT count(*), count(DISTINCT domain || problem), count(DISTINCT domain), count(DISTINCT schedule),
		count(*) FILTER (WHERE tablefile <> ''), count(*) FILTER (WHERE certfile <> ''), coalesce(sum(elapsed), 0), (SELECT count(DISTINCT name) FROM name) FROM truth`).
		Scan(&st.Rows, &st.Tasks, &st.Domains, &st.Schedules, &st.Tables, &st.Proofs, &elapsed, &st.Names)
	if err != nil {
		return nil, s.explain(err)
	}
	st.Seconds = time.Duration(elapsed).Seconds()
	rows, err := s.db.QueryContext(ctx, "SELECT status, count(*) FROM truth GROUP BY status")
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var status search.Status
		var n int
		if err := rows.Scan(&status, &n); err != nil {
			return nil, s.explain(err)
		}
		st.ByStatus[status] = n
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.path + suffix); err == nil {
			st.Bytes += info.Size()
		}
	}
	return st, s.explain(rows.Err())
}
