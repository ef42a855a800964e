package lsp

import (
	"context"
	"fmt"
	"sync"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"
	"github.com/planproof/planproof/validator"
)

// diagnoser collects the documents that changed. One goroutine works on them: while it does, changes gather, so that
// fast typing is diagnosed as often as the machine can and never queues up.
type diagnoser struct {
	mu    sync.Mutex
	dirty map[string]bool    // changed
	later map[string]bool    // depend on what has changed; they wait for what the user types in
	stop  context.CancelFunc // ends the work on those; nil while there is none
	wake  chan struct{}
}

func (d *diagnoser) init() {
	d.dirty, d.later, d.wake = map[string]bool{}, map[string]bool{}, make(chan struct{}, 1)
}

// changed notes that a document is new, changed or gone.
func (d *diagnoser) changed(uri string) {
	d.mu.Lock()
	if d.dirty[uri] = true; d.stop != nil {
		d.stop()
	}
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

func (d *diagnoser) all(docs []*Document) {
	for _, x := range docs {
		d.changed(x.URI)
	}
}

func (d *diagnoser) take() (dirty, later map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dirty, later = d.dirty, d.later
	d.dirty, d.later = map[string]bool{}, map[string]bool{}
	return dirty, later
}

// background returns a context that ends with the next change; it has ended if there was one already.
func (d *diagnoser) background(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop = cancel; len(d.dirty) > 0 {
		cancel()
	}
	return ctx, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.stop = nil
		cancel()
	}
}

// diagnose publishes the faults of open documents until the connection ends: first of those that changed, then, until the next
// change, of those that depend on them.
func (s *Server) diagnose() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.judge.wake:
		}
		dirty, later := s.judge.take()
		open := s.space.view().open()
		var rest []*Document
		for _, d := range open {
			switch {
			case dirty[d.URI]:
				s.publish(s.ctx, d)
			case later[d.URI] || s.dependsOn(d, dirty):
				rest = append(rest, d)
			}
		}
		ctx, done := s.judge.background(s.ctx)
		for i, d := range rest {
			if s.publish(ctx, d); ctx.Err() != nil {
				s.judge.postpone(rest[i:])
				break
			}
		}
		done()
	}
}

// postpone leaves documents to the next round.
func (d *diagnoser) postpone(docs []*Document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range docs {
		d.later[x.URI] = true
	}
}

// dependsOn reports whether a document is to be read anew because another has changed. A document that is gone may have
// been anything.
func (s *Server) dependsOn(d *Document, dirty map[string]bool) bool {
	for uri := range dirty {
		x := s.space.get(uri)
		switch {
		case x == nil:
			return true
		case d.Kind() == syntax.Problem && x.Kind() == syntax.Domain:
			return true
		case d.Kind() == syntax.Plan && x.Kind() != syntax.Plan:
			return true
		}
	}
	return false
}

// publish sends the faults of a document if it is still the newest and ctx has not ended.
func (s *Server) publish(ctx context.Context, d *Document) {
	faults := s.faultsOf(ctx, d)
	if ctx.Err() != nil || s.space.get(d.URI) != d {
		return
	}
	s.rpc.Notify(s.ctx, "textDocument/publishDiagnostics", publishParams{URI: d.URI, Version: &d.Version, Diagnostics: faults})
}

// faultsOf returns what is wrong with a document; some of it if ctx ends.
func (s *Server) faultsOf(ctx context.Context, d *Document) []diagnostic {
	out := []diagnostic{}
	if d.tooLarge() {
		return append(out, diagnostic{Severity: 2, Source: "planproof", Code: string(pddl.FileTooLarge),
			Message: fmt.Sprintf("a document of more than %d MB is not looked into; `planproof check` reads it", maxAnalysed>>20)})
	}
	var list pddl.Diagnostics
	switch d.Kind() {
	case syntax.Plan:
		return append(out, s.planFaults(ctx, d)...)
	case syntax.Problem:
		dom := s.space.view().domainOf(d)
		r, err := d.reading(ctx, dom)
		if err != nil {
			return out
		}
		list = r.faults
		if f := d.File(); dom == nil && f.Of >= 0 {
			out = append(out, diagnostic{Range: d.word(f.Of), Severity: 2, Source: "planproof", Code: "missing-domain",
				Message: fmt.Sprintf("no file of the workspace defines the domain %.100q: names are not checked", f.Spelling(f.Of))})
		}
		if f := d.File(); dom != nil && r.problem == nil && f.Of >= 0 && !list.HasErrors() {
			out = append(out, diagnostic{Range: d.word(f.Of), Severity: 3, Source: "planproof", Code: "broken-domain",
				Message: "the domain has errors: until they are mended, names and types are not checked here"})
		}
	default:
		_, list = d.domain()
	}
	for i := range list {
		out = append(out, d.diagnostic(&list[i]))
	}
	return out
}

func (d *Document) diagnostic(x *pddl.Diagnostic) diagnostic {
	message := x.Message
	if x.Hint != "" {
		message += " (" + x.Hint + ")"
	}
	end := max(x.End, x.Pos)
	if end == x.Pos {
		end++
	}
	return diagnostic{
		Range: d.span(uint32(x.Pos), uint32(end)), Severity: 1 + int(x.Severity), Code: string(x.Code), Source: "planproof",
		Message: message, Data: &hint{x.Hint},
	}
}

// planFaults returns the faults of a plan's text, and the names that its task does not have.
func (s *Server) planFaults(ctx context.Context, d *Document) (out []diagnostic) {
	_, list := pddl.ParsePlan(pddl.NewSource(d.Path, d.Text))
	for i := range list {
		out = append(out, d.diagnostic(&list[i]))
	}
	problem := s.space.view().problemOf(d)
	if problem == nil {
		return out
	}
	names := s.namesOf(problem)
	f := d.File()
	for i := range f.Words {
		x := &f.Words[i]
		var known []string
		var code pddl.Code
		what := ""
		switch x.Role {
		case syntax.Action:
			known, code, what = names.actions, "unknown-action", "action"
		case syntax.Object:
			known, code, what = names.objects, pddl.UndeclaredObject, "object"
		default:
			continue
		}
		if len(out) >= pddl.MaxDiagnostics || names.has(x.Role, f.Key(int32(i))) || !names.complete {
			continue
		}
		fault := diagnostic{Range: d.word(int32(i)), Severity: 1, Code: string(code), Source: "planproof", Data: &hint{},
			Message: fmt.Sprintf("undeclared %s '%s'", what, spell.Clip(f.Spelling(int32(i)), 60))}
		if n := spell.Nearest(f.Spelling(int32(i)), known); n != "" {
			fault.Data.Hint = "did you mean '" + n + "'?"
			fault.Message += " (" + fault.Data.Hint + ")"
		}
		out = append(out, fault)
	}
	if len(out) == 0 {
		out = s.verdictFault(ctx, d)
	}
	return out
}

// verdictFault says which step of a plan without other faults fails. That the goal is not reached is no fault while
// somebody types, but worth saying.
func (s *Server) verdictFault(ctx context.Context, d *Document) []diagnostic {
	if len(d.File().Sections) == 0 || len(d.File().Sections) > maxTraced {
		return nil
	}
	j, err := s.space.view().judgeOf(ctx, d)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, traceTime)
	defer cancel()
	scratch := j.NewScratch()
	scratch.Context, scratch.Brief = ctx, true
	src := pddl.NewSource(d.Path, d.Text)
	v, _ := j.ValidateText(src, scratch)
	if v.Valid || !v.Decided() {
		return nil
	}
	x := diagnostic{Severity: 1, Code: string(v.Failure.Kind), Source: "planproof", Message: v.Failure.Message}
	if v.Failure.Kind == validator.FailGoal {
		x.Severity = 3
	}
	step := d.File().Sections[len(d.File().Sections)-1].Span
	for _, section := range d.File().Sections {
		if line, col := src.LineCol(pddl.Pos(section.Off)); line == v.Failure.Line && col == v.Failure.Column {
			step = section.Span
		}
	}
	x.Range = d.span(step.Off, step.Lim)
	return []diagnostic{x}
}

// taskNames is the names that a plan can use.
type taskNames struct {
	actions, objects []string
	known            map[syntax.Role]map[string]bool
	complete         bool // there is a domain
}

func (n *taskNames) has(role syntax.Role, key string) bool { return n.known[role][key] }

func (s *Server) namesOf(problem *Document) *taskNames {
	dom := s.space.view().domainOf(problem)
	n := &taskNames{known: map[syntax.Role]map[string]bool{syntax.Action: {}, syntax.Object: {}}, complete: dom != nil}
	for _, d := range []*Document{dom, problem} {
		if d == nil {
			continue
		}
		f := d.File()
		for i := range f.Words {
			if x := &f.Words[i]; x.Use == syntax.Declare && (x.Role == syntax.Action || x.Role == syntax.Object) {
				n.known[x.Role][f.Key(int32(i))] = true
				if x.Role == syntax.Action {
					n.actions = append(n.actions, f.Spelling(int32(i)))
				} else {
					n.objects = append(n.objects, f.Spelling(int32(i)))
				}
			}
		}
	}
	return n
}
