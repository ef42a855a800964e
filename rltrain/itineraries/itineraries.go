// Package itineraries scores answers that are itineraries:
//
//	row ─► domains/travel (judge) ─► checks, verdict ─► reward ─► {"id", "reward", "components", "violations", "status"}
//
// A row is one of `planproof travel judge`, with a "plan" or a "response" in which the plan stands. Scores of a "group"
// go to `planproof group`, as those of plans do.
package itineraries

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/planproof/planproof/domains/travel"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/rltrain/reward"
)

// Options of [Score].
type Options struct {
	World   *travel.World
	Reward  *reward.Spec
	Workers int // 0 is one per processor
}

// maxRow is the longest row that is read, in bytes.
const maxRow = 64 << 20

// Checks counts what a plan satisfies, for the staged reward: the plan can be read as far as rules can be judged, the
// eight rules of common sense, and the constraints of the query.
func Checks(q *travel.Query, j *travel.Judgement) *reward.Checks {
	k := &reward.Checks{Schema: j.Delivered && !j.Violates(travel.FMT), CommonsenseAll: 8, HardAll: len(q.Hard())}
	for r := travel.C1; r <= travel.C8; r++ {
		if !j.Violates(r) {
			k.Commonsense++
		}
	}
	for _, r := range q.Hard() {
		if !j.Violates(r) {
			k.Hard++
		}
	}
	return k
}

// Check refuses rewards that need what an itinerary does not have, such as distances to the goal.
func Check(s *reward.Spec) error {
	if s.NeedsDistances || s.NeedsProgress() || s.NeedsSkipping() || s.NeedsFormat() || s.NeedsGold() {
		return fmt.Errorf("the reward %s needs what itineraries do not have: use valid, staged or a mix of them", s.Name)
	}
	return nil
}

// Score scores rows in order. A row that cannot be judged has the status bad-row and no reward; faults counts them.
func Score(ctx context.Context, in io.Reader, w io.Writer, o Options) (rows, faults int, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	type answer struct {
		text []byte
		bad  bool
	}
	err = rowstream.Run(ctx, in, rowstream.Options{Workers: o.Workers, MaxLine: maxRow, Finish: time.Second},
		func(_ context.Context, line *rowstream.Line) answer {
			text, fault := o.score(line)
			return answer{text, fault}
		},
		func(a answer) error {
			if rows++; a.bad {
				faults++
			}
			_, err := out.Write(a.text)
			return err
		}, out.Flush)
	return rows, faults, err
}

func (o *Options) score(line *rowstream.Line) (text []byte, bad bool) {
	var names struct {
		Group json.RawMessage `json:"group"`
	}
	var row *travel.Row
	err := fmt.Errorf("%d bytes, more than %d", line.Length, maxRow)
	if line.Text != nil {
		body := bytes.TrimRight(line.Text, "\r\n")
		if row, err = travel.ParseRow(body, o.World); err == nil {
			err = rowjson.Unmarshal(body, &names, false)
		}
	}
	var b []byte
	if row != nil {
		b = rowjson.AppendRaw([]byte(`{"id":`), row.Name)
	} else {
		b = []byte(`{"id":null`)
	}
	if rowjson.Present(names.Group) {
		b = rowjson.AppendRaw(append(b, `,"group":`...), rowjson.Echo(names.Group))
	}
	if err != nil {
		b = append(b, `,"reward":null,"status":"bad-row","error":`...)
		return append(rowjson.AppendText(b, fmt.Sprintf("row %d: %s", line.Row, rowjson.Fault(err))), '}', '\n'), true
	}
	j := travel.Judge(row.World, row.Query, row.Plan)
	e := &reward.Evidence{Verdict: j.Verdict(), Checks: Checks(row.Query, j), Task: sha256.Sum256(row.Query.AppendJSON(nil)), Response: string(row.Plan.AppendJSON(nil))}
	r, parts := o.Reward.Eval(e)
	b = rowjson.AppendFloat(append(b, `,"reward":`...), r)
	b = rowjson.Append(append(b, `,"components":`...), parts)
	violations := []string{}
	for _, rule := range j.Violations() {
		violations = append(violations, rule.String())
	}
	b = rowjson.AppendTexts(append(b, `,"violations":`...), violations)
	status := "invalid"
	switch {
	case j.Valid():
		status = "valid"
	case !j.Delivered:
		status = "no-plan"
	}
	return append(rowjson.AppendText(append(b, `,"status":`...), status), '}', '\n'), false
}
