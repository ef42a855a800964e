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
		return fmt.Errorf("the reward %s needs what itineraries and calls of tools do not have: use valid, staged or a mix of them", s.Name)
	}
	return nil
}

// An Answer to a row: the reward of its plan, or why there is none.
type Answer struct {
	Name, Group json.RawMessage // nil for none
	Reward      float64
	Components  reward.Components
	Violations  []string
	Status      string // valid, invalid or no-plan
	Err         error
}

// AnswerRows answers rows in order with {"id", "group", "reward", "components", "violations", "status"}. A row that
// cannot be judged has the status bad-row and no reward; faults counts them. The environments that judge by rules, or by
// executing calls, have this interface in common, so what trains on one trains on all.
func AnswerRows(ctx context.Context, in io.Reader, w io.Writer, workers int, answer func(context.Context, *rowstream.Line) Answer) (rows, faults int, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	type written struct {
		text []byte
		bad  bool
	}
	err = rowstream.Run(ctx, in, rowstream.Options{Workers: workers, MaxLine: maxRow, Finish: time.Second},
		func(ctx context.Context, line *rowstream.Line) written {
			a := guarded(ctx, line, answer)
			return written{a.appendJSON(nil, line.Row), a.Err != nil}
		},
		func(a written) error {
			if rows++; a.bad {
				faults++
			}
			_, err := out.Write(a.text)
			return err
		}, out.Flush)
	return rows, faults, err
}

// guarded answers a row; whatever goes wrong is its answer.
func guarded(ctx context.Context, line *rowstream.Line, answer func(context.Context, *rowstream.Line) Answer) (a Answer) {
	defer func() {
		if x := recover(); x != nil {
			a.Err = fmt.Errorf("internal error (please report it): %v", x)
		}
	}()
	if line.Text == nil {
		return Answer{Err: fmt.Errorf("%d bytes, more than %d", line.Length, maxRow)}
	}
	return answer(ctx, line)
}

func (a *Answer) appendJSON(b []byte, number int) []byte {
	b = rowjson.AppendRaw(append(b, `{"id":`...), rowjson.Echo(a.Name))
	if rowjson.Present(a.Group) {
		b = rowjson.AppendRaw(append(b, `,"group":`...), rowjson.Echo(a.Group))
	}
	if a.Err != nil {
		b = append(b, `,"reward":null,"status":"bad-row","error":`...)
		return append(rowjson.AppendText(b, fmt.Sprintf("row %d: %s", number, rowjson.Fault(a.Err))), '}', '\n')
	}
	b = rowjson.AppendFloat(append(b, `,"reward":`...), a.Reward)
	b = rowjson.Append(append(b, `,"components":`...), a.Components)
	b = rowjson.AppendTexts(append(b, `,"violations":`...), append([]string{}, a.Violations...))
	return append(rowjson.AppendText(append(b, `,"status":`...), a.Status), '}', '\n')
}

// Score scores rows of itineraries ([AnswerRows]).
func Score(ctx context.Context, in io.Reader, w io.Writer, o Options) (rows, faults int, err error) {
	return AnswerRows(ctx, in, w, o.Workers, func(_ context.Context, line *rowstream.Line) Answer { return o.score(line) })
}

func (o *Options) score(line *rowstream.Line) (a Answer) {
	var names struct {
		Group json.RawMessage `json:"group"`
	}
	body := bytes.TrimRight(line.Text, "\r\n")
	row, err := travel.ParseRow(body, o.World)
	if a.Name = row.Name; err == nil {
		err = rowjson.Unmarshal(body, &names, false)
	}
	if a.Group, a.Err = names.Group, err; err != nil {
		return a
	}
	j := travel.Judge(row.World, row.Query, row.Plan)
	e := &reward.Evidence{Verdict: j.Verdict(), Checks: Checks(row.Query, j), Task: sha256.Sum256(row.Query.AppendJSON(nil)), Response: string(row.Plan.AppendJSON(nil))}
	a.Reward, a.Components = o.Reward.Eval(e)
	for _, rule := range j.Violations() {
		a.Violations = append(a.Violations, rule.String())
	}
	a.Status = "invalid"
	switch {
	case j.Valid():
		a.Status = "valid"
	case !j.Delivered:
		a.Status = "no-plan"
	}
	return a
}
