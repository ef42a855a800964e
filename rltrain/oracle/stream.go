package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/groups"
	"github.com/planproof/planproof/rltrain/rows"
)

// Summary counts what a stream held. A line that is no request, and so has no
// list of responses, counts as one response without a reward.
type Summary struct {
	Lines, Responses int
	ByStatus         map[rows.Status]int
	// ByReader counts the responses that each reader has read.
	ByReader map[extract.Kind]int
	// Scored responses and the sum of their rewards.
	Scored    int
	RewardSum float64
	// PaidInvalid counts the responses that earn something without a valid plan, for
	// their form or for progress, PaidInvalidSum adds up what. Where the mean reward
	// rises and the valid ones do not, it is here.
	PaidInvalid    int
	PaidInvalidSum float64
}

// WriteText writes the counts and means for people.
func (s *Summary) WriteText(w io.Writer) error {
	var b bytes.Buffer
	mean := "no mean reward"
	if s.Scored > 0 {
		mean = fmt.Sprintf("mean reward %.4f", s.RewardSum/float64(s.Scored))
	}
	fmt.Fprintf(&b, "%s, %d scored, %s\n", spell.Plural(s.Responses, "response"), s.Scored, mean)
	if s.PaidInvalid > 0 {
		fmt.Fprintf(&b, "without a valid plan %s earn something, %.4f on the mean\n", spell.Plural(s.PaidInvalid, "response"), s.PaidInvalidSum/float64(s.PaidInvalid))
	}
	for _, reader := range slices.Sorted(maps.Keys(s.ByReader)) {
		fmt.Fprintf(&b, "%s read by the %s reader\n", spell.Plural(s.ByReader[reader], "response"), reader)
	}
	for _, status := range slices.Sorted(maps.Keys(s.ByStatus)) {
		fmt.Fprintf(&b, "  %-18s %d\n", status, s.ByStatus[status])
	}
	_, err := w.Write(b.Bytes())
	return err
}

// ScoreStream scores JSON Lines: one output line for each input line that is not
// blank, in order, whatever the number of workers. Rows that belong to a group get
// their advantage; since members may stand anywhere, output from the first such
// row on is held back until the input ends.
//
// The error is nil unless reading or writing fails or ctx ends; rows that cannot
// be scored are output lines with a status.
func (o *Oracle) ScoreStream(ctx context.Context, in io.Reader, out io.Writer) (*Summary, error) {
	return o.stream(ctx, in, out, true)
}

// ServeStdio is the oracle over a pipe: like ScoreStream, but each line is
// answered as soon as it and those before it are done, and a row of a group is
// answered alone, since the others may never come. (Groups within one line have
// their advantages.) It ends, after answering what it has read, when the input
// ends or ctx does; then the error is nil. Rows whose scoring the end of ctx cuts off
// or prevents are answered with the status timeout.
//
// At most a few lines per worker are read ahead: a caller that does not read its
// answers is not read from either.
func (o *Oracle) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	_, err := o.stream(ctx, in, out, false)
	return err
}

// finishTime is how long rows that have been read may take to be scored after a signal. The
// server's is as long.
const finishTime = 3 * time.Second

// job is one input line and the answer to it.
type job struct {
	number int // of the line, from 1
	line   []byte
	read   time.Time // when it had been read

	text   []byte // the answer with its line end
	scores []*rows.Score
	counts map[rows.Status]int // of a request with a schema
	list   bool
	pong   bool
	failed bool // the line is no request
}

func (o *Oracle) stream(ctx context.Context, in io.Reader, out io.Writer, groups bool) (*Summary, error) {
	w := newAnswerWriter(out, groups)
	err := rowstream.Run(ctx, in, rowstream.Options{Workers: o.opt.Workers, MaxLine: o.opt.Limits.LineBytes, Finish: finishTime},
		func(ctx context.Context, l *rowstream.Line) *job {
			j := &job{number: l.Number, line: l.Text, read: l.Read}
			if l.Text == nil {
				j.fail(nil, fmt.Sprintf("%v: line %d has %d bytes, more than %d", rows.ErrRow, j.number, l.Length, o.opt.Limits.LineBytes))
				return j
			}
			o.answer(ctx, j)
			return j
		}, w.write, w.out.Flush)
	if err := w.end(); err != nil { // a writer that failed fails again
		return w.summary, err
	}
	return w.summary, err
}

// rowError is the answer to a line that is no request.
type rowError struct {
	ID     json.RawMessage `json:"id"`
	Line   int             `json:"line"`
	Reward *float64        `json:"reward"`
	Status rows.Status     `json:"status"`
	Error  string          `json:"error"`
}

// answer scores one line.
func (o *Oracle) answer(ctx context.Context, j *job) {
	if isCall(j.line) {
		o.answerCall(ctx, j)
		return
	}
	r, err := rows.ParseRequest(j.line, o.opt.Limits.Items)
	j.line = nil
	if err != nil {
		id := rowjson.Null
		if r != nil {
			id = r.ID
		}
		j.fail(id, fmt.Sprintf("line %d: %v", j.number, err))
		return
	}
	if r.Ping != nil {
		j.pong = true
		j.encode(map[string]json.RawMessage{"pong": r.Ping})
		return
	}
	if r.Mask != nil {
		a := o.Mask(ctx, r.Mask)
		a.ID = r.ID
		j.encode(a)
		return
	}
	for i := range r.Items {
		r.Items[i].Read = j.read
	}
	scores := o.ScoreAll(ctx, r.Items, r.Reward)
	j.scores, j.list = scores, r.List
	if !r.List {
		scores[0].ID = r.ID
		if scores[0].Status == rows.StatusBadRow {
			scores[0].Error = fmt.Sprintf("line %d: %s", j.number, scores[0].Error)
		}
		j.text = append(scores[0].AppendRow(make([]byte, 0, 640)), '\n')
		return
	}
	setBatchAdvantages(scores, r.OnePrompt)
	a := rows.Batch{ID: r.ID, Rewards: []*float64{}, Statuses: []rows.Status{}, Items: scores}
	for _, s := range scores {
		a.Rewards = append(a.Rewards, s.Reward)
		a.Statuses = append(a.Statuses, s.Status)
	}
	j.text = append(a.AppendRow(make([]byte, 0, 640*len(scores))), '\n')
}

// answerCall answers a request with a schema.
func (o *Oracle) answerCall(ctx context.Context, j *job) {
	reply, fault := o.Call(ctx, "", j.line)
	j.line = nil
	if fault != nil {
		j.failed = true
		j.text = append(fault.JSON(), '\n')
		return
	}
	j.counts, j.text = reply.Statuses, append(reply.Body, '\n')
}

// ScoreAll scores many responses, several at a time, in order. Advantages are not
// set.
func (o *Oracle) ScoreAll(ctx context.Context, items []rows.Item, reward string) []*rows.Score {
	scores := make([]*rows.Score, len(items))
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
			scores[i] = o.Score(ctx, &items[i], reward)
		}
	}
	// A goroutine costs about as much as a few responses.
	var pool sync.WaitGroup
	for range min(o.opt.Workers, len(items)/8) - 1 {
		pool.Go(work)
	}
	work()
	pool.Wait()
	return scores
}

// setBatchAdvantages sets the advantages within a line: of the whole list if it
// answers one prompt, else of the groups that its items name.
func setBatchAdvantages(scores []*rows.Score, onePrompt bool) {
	if !onePrompt {
		groups.SetAdvantages(scores)
		return
	}
	for i, a := range groups.Group(scores).Advantages() {
		scores[i].Advantage = &a
	}
}

// fail answers with an error.
func (j *job) fail(id json.RawMessage, message string) {
	if id == nil {
		id = rowjson.Null
	}
	j.failed = true
	j.encode(rowError{ID: id, Line: j.number, Status: rows.StatusBadRow, Error: spell.Clip(message, maxErrorText)})
}

// encode writes the answer.
func (j *job) encode(v any) {
	text, err := rowjson.AppendValue(nil, v)
	if err != nil {
		text = fmt.Appendf(nil, "{\"id\":null,\"line\":%d,\"reward\":null,\"status\":%q,\"error\":%q}", j.number, rows.StatusInternal, err)
	}
	j.text = append(text, '\n')
}
