package lsp

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

const blocks = `
-- domain.pddl --
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block - object)
  (:predicates (on ?x - block ?y - block) (clear ?x - block) (handempty) (holding ?x - block) (ontable ?x - block))
  (:action pick-up
    :parameters (?b - block)
    :precondition (and (clear ?b) (ontable ?b) (handempty))
    :effect (and (holding ?b) (not (clear ?b)) (not (ontable ?b)) (not (handempty))))
  (:action stack
    :parameters (?a ?b - block)
    :precondition (and (holding ?a) (clear ?b))
    :effect (and (on ?a ?b) (clear ?a) (handempty) (not (holding ?a)) (not (clear ?b)))))
-- p1.pddl --
(define (problem p1)
  (:domain blocks)
  (:objects a b - block)
  (:init (ontable a) (ontable b) (clear a) (clear b) (handempty))
  (:goal (on a b)))
-- p1.plan --
(pick-up a)
(stack a b)
-- other/domain.pddl --
(define (domain trucks) (:predicates (on ?x)))
`

// TestFaults: faults come at once for opened documents, and follow what is typed, in the problem and in its domain.
func TestFaults(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	domain, problem, plan := filepath.Join(dir, "domain.pddl"), filepath.Join(dir, "p1.pddl"), filepath.Join(dir, "p1.plan")
	text := c.open(problem)
	if got := c.faults(problem, 1); len(got) != 0 {
		t.Errorf("%q", got)
	}
	edit := func(path string, version int, at Position, insert string) {
		c.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": uriOf(path), "version": version},
			"contentChanges": []any{map[string]any{"range": Range{at, at}, "text": insert}},
		})
	}
	edit(problem, 2, find(t, text, "(ontable a)", 0, 2), "x")
	if got, want := c.faults(problem, 2), []string{"3:10-3:18 undeclared-predicate"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	edit(problem, 3, find(t, text, "(ontable a)", 0, 3), "\n")
	edit(problem, 4, Position{0, 0}, "; a comment with 𝔘nicode\n")
	if got, want := c.faults(problem, 4), []string{"4:10-4:12 undeclared-predicate"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	c.open(plan)
	if got := c.faults(plan, 1); len(got) != 0 {
		t.Errorf("%q", got)
	}
	edit(plan, 2, Position{1, 1}, "un")
	if got, want := c.faults(plan, 2), []string{"1:1-1:8 unknown-action"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// A change of the domain reaches the plan, which is open.
	dtext := c.open(domain)
	c.faults(domain, 1)
	edit(domain, 2, find(t, dtext, ":action stack", 0, 8), "un")
	c.waitFor("textDocument/publishDiagnostics", func(m json.RawMessage) bool {
		var p publishParams
		json.Unmarshal(m, &p)
		return p.URI == uriOf(plan) && *p.Version == 2 && len(p.Diagnostics) == 0
	})
	c.end()
}

// TestUTF16: places after characters beyond the first plane count two units for each.
func TestUTF16(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	path := filepath.Join(dir, "u.pddl")
	c.openText(path, "(define (domain d) ; 𝔘𝔘 é\n (:predicates (p)) #| 𝔘 |# (:action a :effect (𝔘 q)))")
	for _, f := range c.faults(path, 1) {
		if !strings.HasPrefix(f, "1:") && !strings.HasPrefix(f, "0:") {
			t.Errorf("%s is outside of the text", f)
		}
	}
	text := ";𝔘\r\n;é\rx"
	lines, d := lineStarts(text), newDocument("", "", 0, text, false)
	for _, p := range []struct {
		off uint32
		at  Position
	}{{0, Position{0, 0}}, {1, Position{0, 1}}, {5, Position{0, 3}}, {7, Position{1, 0}}, {10, Position{1, 2}}, {11, Position{2, 0}}, {12, Position{2, 1}}} {
		if got := d.position(p.off); got != p.at {
			t.Errorf("byte %d is %v, want %v", p.off, got, p.at)
		}
		if got := offset(text, lines, p.at); got != p.off {
			t.Errorf("%v is byte %d, want %d", p.at, got, p.off)
		}
	}
	for at, want := range map[Position]uint32{{0, 2}: 1, {0, 99}: 5, {99, 0}: 12, {2, 1 << 31}: 12, {1<<32 - 1, 1<<32 - 1}: 12} {
		if got := offset(text, lines, at); got != want {
			t.Errorf("%v is byte %d, want %d", at, got, want)
		}
	}
	c.end()
}

// TestHover: what a name is, and where a predicate is read and written.
func TestHover(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	domain, problem, plan := filepath.Join(dir, "domain.pddl"), filepath.Join(dir, "p1.pddl"), filepath.Join(dir, "p1.plan")
	texts := map[string]string{domain: c.open(domain), problem: c.open(problem), plan: c.open(plan)}
	for _, h := range []struct {
		path, word string
		n, shift   int
		want       []string
	}{
		{domain, "holding", 0, 2, []string{"(holding ?x - block) ; predicate", "read by `stack`", "made true by `pick-up`", "made false by `stack`"}},
		{problem, "handempty", 0, 0, []string{"(handempty)", "read by `pick-up`", "in initial states once"}},
		{domain, "?a", 1, 1, []string{"?a - block ; variable", "argument `?x - block` of `holding`"}},
		{domain, "block", 1, 0, []string{"block - object ; type", "2 objects"}},
		{problem, "a b", 0, 0, []string{"a - block ; object"}},
		{plan, "stack", 0, 0, []string{"(stack ?a - block ?b - block) ; action"}},
		{plan, "b)", 0, 0, []string{"b - block ; object", "argument `?b - block` of `stack`"}},
		{domain, ":precondition", 0, 3, []string{"must hold before"}},
	} {
		var got hover
		json.Unmarshal(c.call("textDocument/hover", place(h.path, find(t, texts[h.path], h.word, h.n, h.shift))), &got)
		for _, want := range h.want {
			if !strings.Contains(got.Contents.Value, want) {
				t.Errorf("%s %d: %q lacks %q", h.word, h.n, got.Contents.Value, want)
			}
		}
	}
	if got := c.call("textDocument/hover", place(domain, Position{0, 0})); string(got) != "null" {
		t.Errorf("a hover over a parenthesis: %s", got)
	}
	c.end()
}

// TestTyping: a client that does not wait types hundreds of changes into three files, letter by letter, and asks in between. All
// requests are answered, and the last faults are those of the last texts.
func TestTyping(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	rng := rand.New(rand.NewPCG(1, 2))
	texts, versions := map[string]string{}, map[string]int{}
	paths := []string{filepath.Join(dir, "domain.pddl"), filepath.Join(dir, "p1.pddl"), filepath.Join(dir, "p1.plan")}
	for _, path := range paths {
		texts[path], versions[path] = c.open(path), 1
	}
	pieces := []string{"(", ")", "a", "on ", "?x", "\n", ":action ", "", "𝔘", "block", "(clear a)", "- "}
	var waiting []chan reply
	for range 400 {
		path := paths[rng.IntN(3)]
		text := texts[path]
		from := rng.IntN(len(text) + 1)
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
		to := min(len(text), from+rng.IntN(3))
		for to < len(text) && !utf8.RuneStart(text[to]) {
			to++
		}
		d := newDocument("", "", 0, text, false)
		insert := pieces[rng.IntN(len(pieces))]
		versions[path]++
		c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uriOf(path), "version": versions[path]},
			"contentChanges": []any{map[string]any{"range": d.span(uint32(from), uint32(to)), "text": insert}}})
		texts[path] = text[:from] + insert + text[to:]
		for _, method := range []string{"textDocument/completion", "textDocument/hover", "textDocument/semanticTokens/full", "textDocument/inlayHint"}[:rng.IntN(5)] {
			_, wait := c.start(method, requests(uriOf(path), d.position(uint32(from)))[method])
			waiting = append(waiting, wait)
		}
	}
	for _, wait := range waiting {
		if r := c.await("a request", wait); r.Error != nil {
			t.Errorf("%+v", r.Error)
		}
	}
	s := &Server{space: newWorkspace(), ctx: t.Context()}
	s.judge.init()
	s.space.addFolder(uriOf(dir))
	s.space.scan(t.Context())
	for _, path := range paths {
		s.space.put(newDocument(uriOf(path), "", 1, texts[path], true))
	}
	for _, path := range paths {
		var want []string
		for _, d := range s.faultsOf(t.Context(), s.space.get(uriOf(path))) {
			want = append(want, rangeText(d.Range)+" "+d.Code+" "+d.Message)
		}
		c.become(path, want)
	}
	c.end()
}

// become waits until the last faults of a document are these.
func (c *client) become(path string, want []string) {
	c.t.Helper()
	end := time.Now().Add(patience)
	for got := c.lastFaults(path); !slices.Equal(got, want); got = c.lastFaults(path) {
		if time.Now().After(end) {
			c.t.Fatalf("%s: %q, want %q", filepath.Base(path), got, want)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (c *client) lastFaults(path string) (out []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.notes["textDocument/publishDiagnostics"] {
		var p publishParams
		if json.Unmarshal(m, &p); p.URI != uriOf(path) {
			continue
		}
		out = nil
		for _, d := range p.Diagnostics {
			out = append(out, rangeText(d.Range)+" "+d.Code+" "+d.Message)
		}
	}
	return out
}
