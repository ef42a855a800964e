package dataset

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/oracle"
	"github.com/planproof/planproof/rltrain/rows"
)

// candidate is a judged response to a record's prompt.
type candidate struct {
	text string
	// origin says where it comes from: gold, drop 3, a response's id.
	origin        string
	unconstrained bool
	truncated     bool
	kl            float64

	valid bool
	// steps are those of the plan that it commits to, as the judge read them.
	steps []string
}

// candidates collects and judges the responses to the records of one file.
type candidates struct {
	o      *TrainerOptions
	m      *Manifest
	oracle *oracle.Oracle
}

// oracleCache bounds the compiled tasks that are kept: all responses to a record are judged
// at once, and no other record has its task.
const oracleCache = 8 << 20

func newCandidates(m *Manifest) (*candidates, error) {
	oracle, err := oracle.New(oracle.Options{Reader: m.Options.reader(), Limits: oracle.Limits{CacheBytes: oracleCache}})
	return &candidates{o: m.trainers(), m: m, oracle: oracle}, err
}

// of returns the judged responses to a record: those that were given, else the gold answer,
// which comes first, and spoiled ones. All files of a set share them.
func (c *candidates) of(ctx context.Context, r *Record) ([]candidate, error) {
	return r.derive(c.m).candidates.get(func() ([]candidate, error) { return c.make(ctx, r) })
}

func (c *candidates) make(ctx context.Context, r *Record) ([]candidate, error) {
	if c.o.Responses != nil {
		list, err := c.o.Responses.take(r, func() (*answerForm, error) { return c.m.answerForm(r) })
		if err != nil {
			return nil, err
		}
		return list, c.judge(ctx, r, list)
	}
	return c.synthetic(ctx, r)
}

// judge fills in what the judge says of each response, on the whole task of the record.
func (c *candidates) judge(ctx context.Context, r *Record, list []candidate) (err error) {
	items := make([]rows.Item, len(list))
	for i, x := range list {
		items[i] = rows.Item{Task: taskref.Ref{DomainText: r.DomainText, ProblemText: r.ProblemText}, Response: x.text, Truncated: x.truncated}
	}
	var faults []error
	defer func() {
		if ctx.Err() != nil {
			err = ctx.Err() // what was not judged is no fault of the row
		}
	}()
	for i, s := range c.oracle.ScoreAll(ctx, items, "valid") {
		if s.Reward == nil {
			faults = append(faults, fmt.Errorf("%s: the response %s is not judged (%s): %s", r.ID, list[i].origin, s.Status, s.Error))
			continue
		}
		list[i].valid = s.Status == rows.StatusValid
		if text := strings.TrimSpace(s.Extracted); text != "" {
			list[i].steps = strings.Split(text, "\n")
		}
	}
	return errors.Join(faults...)
}

// answerForm is how answers to a record's prompt are written: like the gold answer.
type answerForm struct {
	prob          *pddl.Problem
	before, after string
	say           func(step string) string
}

var errForm = errors.New("other plans cannot be written as the gold answer is")

// answerForm finds the plan in the gold answer.
func (m *Manifest) answerForm(r *Record) (*answerForm, error) {
	prob, err := r.derive(m).task()
	if err != nil {
		return nil, err
	}
	bad := fmt.Errorf("%s: %w (prompts with --reasoning state ask for such answers)", r.ID, errForm)
	if m.Options.Reasoning == string(prompt.ReasonState) { // its states are those of the gold plan
		return nil, bad
	}
	ways := []func(string) string{func(s string) string { return s }}
	if !symbolic(m.Options.Style) {
		if render, ok := prompt.NewRendererFor(m.Options.reader(), prob, m.Options.Templates); ok {
			ways = append(ways, render.Step)
		}
	}
	for _, say := range ways {
		f := &answerForm{prob: prob, say: say}
		told := f.lines(r.Gold.Plan)
		var ok bool
		if f.before, f.after, ok = strings.Cut(r.Answer, told); ok && told != "" {
			return f, nil
		}
	}
	return nil, bad
}

func (f *answerForm) lines(steps []string) string {
	var out strings.Builder
	for _, s := range steps {
		if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") { // else it is malformed: as it stands
			s = f.say(s)
		}
		out.WriteString(s + "\n")
	}
	return out.String()
}

func (f *answerForm) write(steps []string) string { return f.before + f.lines(steps) + f.after }
