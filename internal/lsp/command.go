package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"

	"github.com/creachadair/jrpc2"
)

// The commands of the code lenses. Each has one argument, the URI of a problem or plan.
const (
	commandSolve    = "planproof.solve"
	commandValidate = "planproof.validate"
)

type command struct {
	Title     string   `json:"title"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

type codeLens struct {
	Range   Range   `json:"range"`
	Command command `json:"command"`
}

func (s *Server) lenses(_ context.Context, p *documentParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	f, v := d.File(), s.space.view()
	list := []codeLens{}
	switch d.Kind() {
	case syntax.Problem:
		if f.Name >= 0 && v.domainOf(d) != nil {
			list = append(list, codeLens{d.word(f.Name), command{"solve", commandSolve, []string{d.URI}}})
		}
		for _, x := range v.docs {
			if f.Name >= 0 && x.Kind() == syntax.Plan && v.problemOf(x) == d && len(list) < 10 {
				list = append(list, codeLens{d.word(f.Name), command{"validate " + x.base(), commandValidate, []string{x.URI}}})
			}
		}
	case syntax.Plan:
		if v.problemOf(d) != nil {
			list = append(list, codeLens{d.span(0, 0), command{"validate this plan", commandValidate, []string{d.URI}}})
		}
	}
	return list, nil
}

type executeParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// commandAnswer is what a command returns; Message is also shown.
type commandAnswer struct {
	Message string `json:"message"`
	// Text is a plan, or the explanation of a verdict, for a client to show as a document.
	Text  string `json:"text,omitempty"`
	Valid *bool  `json:"valid,omitempty"`
}

// execute runs a command. At most two run at a time; each ends when its time is up, or when the client cancels the request
// or the progress that it shows.
func (s *Server) execute(ctx context.Context, p *executeParams) (any, error) {
	run := map[string]func(context.Context, *view, *Document) (*commandAnswer, error){commandSolve: s.solve, commandValidate: s.validate}[p.Command]
	if run == nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "unknown command %.100q", p.Command)
	}
	if len(p.Arguments) != 1 {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s has one argument, the URI of a document", p.Command)
	}
	uri, err := rowjson.String(p.Arguments[0])
	if err != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s has one argument, the URI of a document", p.Command)
	}
	d, err := s.document(uri)
	if err != nil {
		return nil, err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return nil, jrpc2.Errorf(codeRequestFailed, "%d commands are running already: wait for one, or cancel it", cap(s.slots))
	}
	ctx, cancel := context.WithTimeout(ctx, s.opt.Time+grace) // a search that runs out of time says so itself
	defer cancel()
	ctx, done := s.progress(ctx, strings.TrimPrefix(p.Command, "planproof.")+" "+d.base())
	defer done()
	answer, err := run(ctx, s.space.view(), d)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, jrpc2.Errorf(codeRequestFailed, "no answer within %v", s.opt.Time)
	case ctx.Err() != nil:
		return nil, jrpc2.Errorf(codeCancelled, "cancelled")
	case err != nil:
		return nil, failed(err)
	}
	s.tell(ctx, messageInfo, answer.Message)
	return answer, nil
}

// failed words why a command has no answer.
func failed(err error) error {
	if diags := (pddl.Diagnostics)(nil); errors.As(err, &diags) && diags.FirstError() != nil {
		err = diags.FirstError()
	}
	return jrpc2.Errorf(codeRequestFailed, "%s", err.Error())
}

// task reads the task of a problem from the texts that the editor has.
func (v *view) task(ctx context.Context, problem *Document) (*planproof.Task, error) {
	dom := v.domainOf(problem)
	if dom == nil {
		return nil, fmt.Errorf("no file of the workspace defines the domain of %s", problem.base())
	}
	t, err := planproof.ParseTaskContext(ctx, dom.Text, problem.Text)
	if diags := (pddl.Diagnostics)(nil); errors.As(err, &diags) {
		err = withNames(diags, map[string]string{"domain": dom.base(), "problem": problem.base()})
	}
	return t, err
}

// withNames returns faults of texts as those of the documents that have the texts.
func withNames(diags pddl.Diagnostics, names map[string]string) pddl.Diagnostics {
	diags = slices.Clone(diags)
	for i := range diags {
		if src := diags[i].Source; src != nil && names[src.Name] != "" {
			diags[i].Source = pddl.NewSource(names[src.Name], src.Text)
		}
	}
	return diags
}

func (s *Server) solve(ctx context.Context, v *view, d *Document) (*commandAnswer, error) {
	if d.Kind() != syntax.Problem {
		return nil, fmt.Errorf("%s is no problem", d.base())
	}
	t, err := v.task(ctx, d)
	if err != nil {
		return nil, err
	}
	r, err := planproof.Solve(ctx, t, planproof.SolveOptions{Time: s.opt.Time, Memory: s.opt.Memory})
	if err != nil {
		return nil, err
	}
	a := &commandAnswer{}
	switch {
	case len(r.Plan) > 0 || r.Status == search.SolvedOptimally:
		a.Message = fmt.Sprintf("%s: cost %s in %s, and no plan is cheaper", d.base(), r.Cost, spell.Plural(len(r.Plan), "step"))
		a.Text = fmt.Sprintf("; %s\n%s\n", a.Message, strings.Join(r.Plan, "\n"))
	case r.Status == search.Unsolvable:
		a.Message = fmt.Sprintf("%s: proved that no plan exists", d.base())
	default:
		a.Message = fmt.Sprintf("%s: no answer: %s %s", d.base(), r.Status, r.Reason)
	}
	return a, nil
}

func (s *Server) validate(ctx context.Context, v *view, d *Document) (*commandAnswer, error) {
	problem := v.problemOf(d)
	if d.Kind() != syntax.Plan || problem == nil {
		return nil, fmt.Errorf("%s is no plan of a problem in the workspace", d.base())
	}
	t, err := v.task(ctx, problem)
	if err != nil {
		return nil, err
	}
	verdict, err := planproof.Explain(ctx, t, d.Text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if verdict.Valid {
		err = verdict.WriteText(&b)
	} else {
		err = validator.Explain(verdict, &b)
	}
	text := strings.TrimSpace(b.String())
	first, _, _ := strings.Cut(text, "\n")
	return &commandAnswer{Message: d.base() + ": " + first, Text: text + "\n", Valid: &verdict.Valid}, err
}

// progress shows the client that a command runs, if it can, and lets its user cancel that.
func (s *Server) progress(ctx context.Context, title string) (context.Context, func()) {
	s.mu.Lock()
	shows := s.showsProgress
	s.lastToken++
	token := fmt.Sprintf("planproof-%d", s.lastToken)
	s.mu.Unlock()
	if !shows {
		return ctx, func() {}
	}
	asked, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	if _, err := s.rpc.Callback(asked, "window/workDoneProgress/create", object{"token": token}); err != nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.cancels[token] = cancel
	s.mu.Unlock()
	s.rpc.Notify(ctx, "$/progress", object{"token": token, "value": object{"kind": "begin", "title": title, "cancellable": true}})
	return ctx, func() {
		cancel()
		s.mu.Lock()
		delete(s.cancels, token)
		s.mu.Unlock()
		s.rpc.Notify(s.ctx, "$/progress", object{"token": token, "value": object{"kind": "end"}})
	}
}

type tokenParams struct {
	Token json.RawMessage `json:"token"`
}

func (s *Server) cancelProgress(_ context.Context, p *tokenParams) (any, error) {
	token, err := rowjson.String(p.Token)
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.cancels[token]; cancel != nil && err == nil {
		cancel()
	}
	return nil, nil
}
