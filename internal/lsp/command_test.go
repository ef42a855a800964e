package lsp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/domains"
)

func (c *client) command(name string, arguments ...any) json.RawMessage {
	c.t.Helper()
	return c.call("workspace/executeCommand", map[string]any{"command": name, "arguments": arguments})
}

// TestCommands: the lenses' commands solve and judge what the editor has, not what is on disk.
func TestCommands(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	problem, plan := filepath.Join(dir, "p1.pddl"), filepath.Join(dir, "p1.plan")
	c.open(problem)
	c.openText(plan, "(pick-up a)\n(stack a a)\n(stack a b)\n")
	for path, want := range map[string][]string{problem: {"solve " + uriOf(problem), "validate p1.plan " + uriOf(plan)}, plan: {"validate this plan " + uriOf(plan)}} {
		var lenses []codeLens
		json.Unmarshal(c.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}}), &lenses)
		var got []string
		for _, l := range lenses {
			got = append(got, l.Command.Title+" "+l.Command.Arguments[0])
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var a commandAnswer
	json.Unmarshal(c.command(commandSolve, uriOf(problem)), &a)
	if !strings.Contains(a.Message, "cost 2 in 2 steps, and no plan is cheaper") || !strings.Contains(a.Text, "(pick-up a)\n(stack a b)\n") {
		t.Errorf("%+v", a)
	}
	a = commandAnswer{}
	json.Unmarshal(c.command(commandValidate, uriOf(plan)), &a)
	if a.Valid == nil || *a.Valid || !strings.Contains(a.Text, "step 2") || !strings.Contains(a.Message, "p1.plan: ") {
		t.Errorf("%+v", a)
	}
	c.waitFor("window/showMessage", func(m json.RawMessage) bool { return strings.Contains(string(m), "p1.plan: ") })
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uriOf(plan), "version": 2},
		"contentChanges": []any{map[string]any{"text": "(pick-up a)\n(stack a b)\n"}}})
	a = commandAnswer{}
	json.Unmarshal(c.command(commandValidate, uriOf(plan)), &a)
	if a.Valid == nil || !*a.Valid {
		t.Errorf("%+v", a)
	}
	for _, bad := range []any{
		map[string]any{"command": "rm", "arguments": []any{uriOf(plan)}},
		map[string]any{"command": commandSolve},
		map[string]any{"command": commandSolve, "arguments": []any{7}},
		map[string]any{"command": commandSolve, "arguments": []any{uriOf(plan)}},
		map[string]any{"command": commandSolve, "arguments": []any{"file:///etc/passwd"}},
		map[string]any{"command": commandValidate, "arguments": []any{uriOf(problem)}},
	} {
		c.fail("workspace/executeCommand", bad)
	}
	c.end()
}

// TestInlay: behind each step stands what it changes; the state comes when it is asked for.
func TestInlay(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	plan := filepath.Join(dir, "p1.plan")
	c.openText(plan, "; first\n(pick-up a)\n(stack a b)\n(stack a b)\n")
	var hints []inlayHint
	json.Unmarshal(c.call("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": uriOf(plan)}, "range": Range{Position{0, 0}, Position{99, 0}}}), &hints)
	var got []string
	for _, h := range hints {
		got = append(got, h.Label)
	}
	want := "; -(clear a) -(ontable a) -(handempty) +(holding a)|; -(holding a) -(clear b) +(on a b) +(clear a) +(handempty)"
	if strings.Join(got, "|") != want || hints[0].Position != (Position{1, 11}) {
		t.Errorf("%q at %v, want %q", got, hints, want)
	}
	var h inlayHint
	json.Unmarshal(c.call("inlayHint/resolve", hints[1]), &h)
	if h.Tooltip != "(clear a)\n(handempty)\n(on a b)\n(ontable b)" {
		t.Errorf("%q", h.Tooltip)
	}
	hints[1].Data.After = 99
	c.call("inlayHint/resolve", hints[1])
	// A step that fails is a fault at its place, and the goal is only missed at the end.
	c.waitFor("textDocument/publishDiagnostics", func(m json.RawMessage) bool {
		var p publishParams
		json.Unmarshal(m, &p)
		return p.URI == uriOf(plan) && len(p.Diagnostics) == 1 && p.Diagnostics[0].Code == "precondition" && p.Diagnostics[0].Range.Start == (Position{3, 0})
	})
	c.end()
}

// TestInlayTimed: a step that takes time says what it changes when; what the world does of itself is in the states.
func TestInlayTimed(t *testing.T) {
	dir := workspaceOf(t, `-- domain.pddl --
(define (domain lamps) (:requirements :typing :durative-actions :timed-initial-literals :fluents)
  (:predicates (on ?x) (busy ?x) (night)) (:functions (used))
  (:durative-action light :parameters (?x) :duration (= ?duration 5)
    :condition (at start (not (busy ?x)))
    :effect (and (at start (busy ?x)) (at end (not (busy ?x))) (at end (on ?x)) (at end (increase (used) 2)))))
-- p.pddl --
(define (problem p) (:domain lamps) (:objects a b) (:init (= (used) 0) (at 3 (night))) (:goal (and (on a) (on b))))
`)
	c := begin(t, dir)
	plan := filepath.Join(dir, "p.plan")
	c.openText(plan, "0: (light a) [5] ; first\n2: (light b) [5]\n")
	var hints []inlayHint
	json.Unmarshal(c.call("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": uriOf(plan)}, "range": Range{Position{0, 0}, Position{99, 0}}}), &hints)
	var got []string
	for _, h := range hints {
		got = append(got, fmt.Sprint(h.Position, h.Label))
	}
	want := []string{
		"{0 17}; 0: +(busy a); 5: -(busy a) +(on a) (used) = 2",
		"{1 16}; 2: +(busy b); 7: -(busy b) +(on b) (used) = 4",
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i, want := range []string{"after 5:\n(busy b)\n(night)\n(on a)\n(used) = 2", "after 7:\n(night)\n(on a)\n(on b)\n(used) = 4"} {
		var h inlayHint
		if json.Unmarshal(c.call("inlayHint/resolve", hints[i]), &h); h.Tooltip != want {
			t.Errorf("%q, want %q", h.Tooltip, want)
		}
	}
	c.end()
}

// TestCancel: a command that runs ends when the client cancels it, and the server goes on.
func TestCancel(t *testing.T) {
	domain, problem, err := domains.Load("blocksworld:60-1")
	if err != nil {
		t.Fatal(err)
	}
	dir := workspaceOf(t, "-- domain.pddl --\n"+domain.Text+"-- p.pddl --\n"+problem.Text)
	c := begin(t, dir)
	c.open(filepath.Join(dir, "p.pddl"))
	id, wait := c.start("workspace/executeCommand", map[string]any{"command": commandSolve, "arguments": []any{uriOf(filepath.Join(dir, "p.pddl"))}})
	time.Sleep(200 * time.Millisecond)
	c.notify("$/cancelRequest", map[string]any{"id": id})
	if r := c.await("the cancelled command", wait); r.Error == nil || r.Error.Code != codeCancelled {
		t.Errorf("%+v", r)
	}
	c.notify("$/cancelRequest", map[string]any{"id": 12345})
	c.notify("$/cancelRequest", map[string]any{"id": map[string]any{}})
	c.end()
}

// TestFaultyTask: a command on a task with faults names the file with the first.
func TestFaultyTask(t *testing.T) {
	domain, problem, err := domains.Load("blocksworld:3-1")
	if err != nil {
		t.Fatal(err)
	}
	for name, texts := range map[string][2]string{
		"p01.pddl:":    {domain.Text, strings.Replace(problem.Text, "(:goal ", "(:goal (flies a) ", 1)},
		"domain.pddl:": {strings.Replace(domain.Text, "(:predicates", "(:predicates (p ?x - nothing)", 1), problem.Text},
	} {
		dir := workspaceOf(t, "-- domain.pddl --\n"+texts[0]+"-- p01.pddl --\n"+texts[1])
		c := begin(t, dir)
		_, wait := c.start("workspace/executeCommand", map[string]any{"command": commandSolve, "arguments": []any{uriOf(filepath.Join(dir, "p01.pddl"))}})
		if r := c.await("solve", wait); r.Error == nil || !strings.HasPrefix(r.Error.Message, name) {
			t.Errorf("%s: %+v %s", name, r.Error, r.Result)
		}
		c.end()
	}
}

// TestLimits: a search ends when its time is up and says so, and no more than two commands run at a time.
func TestLimits(t *testing.T) {
	domain, problem, err := domains.Load("blocksworld:60-1")
	if err != nil {
		t.Fatal(err)
	}
	dir := workspaceOf(t, "-- domain.pddl --\n"+domain.Text+"-- p.pddl --\n"+problem.Text)
	solve := map[string]any{"command": commandSolve, "arguments": []any{uriOf(filepath.Join(dir, "p.pddl"))}}
	c := newClient(t, Options{Time: 300 * time.Millisecond})
	c.call("initialize", map[string]any{"rootUri": uriOf(dir)})
	c.notify("initialized", map[string]any{})
	var a commandAnswer
	if json.Unmarshal(c.call("workspace/executeCommand", solve), &a); !strings.Contains(a.Message, "no answer") {
		t.Errorf("%+v", a)
	}
	c.end()
	c = begin(t, dir)
	var ids []int
	var waits []chan reply
	for range 2 {
		id, wait := c.start("workspace/executeCommand", solve)
		ids, waits = append(ids, id), append(waits, wait)
	}
	time.Sleep(50 * time.Millisecond)
	if code := c.fail("workspace/executeCommand", solve); code != codeRequestFailed {
		t.Errorf("a third command: code %d", code)
	}
	for i, id := range ids {
		c.notify("$/cancelRequest", map[string]any{"id": id})
		c.await("a cancelled command", waits[i])
	}
	c.end()
}

// TestProgress: where the client shows progress, a command shows it and its user can end it.
func TestProgress(t *testing.T) {
	domain, problem, err := domains.Load("blocksworld:60-1")
	if err != nil {
		t.Fatal(err)
	}
	dir := workspaceOf(t, "-- domain.pddl --\n"+domain.Text+"-- p.pddl --\n"+problem.Text)
	c := newClient(t, Options{})
	token, watched := make(chan json.RawMessage, 1), make(chan string, 1)
	c.asked = func(method string, params json.RawMessage) any {
		if method == "client/registerCapability" {
			watched <- string(params)
		}
		if method == "window/workDoneProgress/create" {
			var p struct{ Token json.RawMessage }
			json.Unmarshal(params, &p)
			token <- p.Token
		}
		return nil
	}
	c.call("initialize", map[string]any{"capabilities": map[string]any{"window": map[string]any{"workDoneProgress": true},
		"workspace": map[string]any{"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true}}}, "rootUri": uriOf(dir)})
	c.notify("initialized", map[string]any{})
	if got := <-watched; !strings.Contains(got, "workspace/didChangeWatchedFiles") || !strings.Contains(got, "*.{pddl") {
		t.Errorf("%s", got)
	}
	_, wait := c.start("workspace/executeCommand", map[string]any{"command": commandSolve, "arguments": []any{uriOf(filepath.Join(dir, "p.pddl"))}})
	made := <-token
	c.waitFor("$/progress", func(m json.RawMessage) bool { return strings.Contains(string(m), `"begin"`) })
	c.notify("window/workDoneProgress/cancel", map[string]any{"token": made})
	if r := c.await("the command", wait); r.Error == nil || r.Error.Code != codeCancelled {
		t.Errorf("%+v", r)
	}
	c.waitFor("$/progress", func(m json.RawMessage) bool { return strings.Contains(string(m), `"end"`) })
	c.end()
}
