package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"
)

func at(c *client, method, path string, p Position, more ...any) json.RawMessage {
	c.t.Helper()
	params := place(path, p)
	for i := 0; i+1 < len(more); i += 2 {
		params[more[i].(string)] = more[i+1]
	}
	return c.call(method, params)
}

// places writes locations as the file, the line and the text there.
func places(t *testing.T, m json.RawMessage) (out []string) {
	t.Helper()
	var list []Location
	if err := json.Unmarshal(m, &list); err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		b, err := os.ReadFile(pathOf(l.URI))
		if err != nil {
			t.Fatal(err)
		}
		line := strings.Split(string(b), "\n")[l.Range.Start.Line]
		out = append(out, fmt.Sprintf("%s %d %s", filepath.Base(l.URI), l.Range.Start.Line, line[l.Range.Start.Character:l.Range.End.Character]))
	}
	return out
}

// TestReferences: definitions and references go over domain, problems and plans; those of closed files too.
func TestReferences(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	domain, problem, plan := filepath.Join(dir, "domain.pddl"), filepath.Join(dir, "p1.pddl"), filepath.Join(dir, "p1.plan")
	ptext, plantext := c.open(problem), c.open(plan)
	dtext := c.open(domain)
	for _, x := range []struct {
		path, text, word string
		n, shift         int
		def              string
		refs             []string
	}{
		{problem, ptext, "handempty", 0, 3, "domain.pddl 3 handempty", []string{"domain.pddl 6 handempty", "domain.pddl 7 handempty", "domain.pddl 11 handempty", "p1.pddl 3 handempty"}},
		{plan, plantext, "a)", 0, 0, "p1.pddl 2 a", []string{"p1.pddl 3 a", "p1.pddl 3 a", "p1.pddl 4 a", "p1.plan 0 a", "p1.plan 1 a"}},
		{plan, plantext, "stack", 0, 5, "domain.pddl 8 stack", []string{"p1.plan 1 stack"}},
		{domain, dtext, "?a)", 0, 1, "domain.pddl 9 ?a", []string{"domain.pddl 10 ?a", "domain.pddl 11 ?a", "domain.pddl 11 ?a", "domain.pddl 11 ?a"}},
		{problem, ptext, "block)", 0, 0, "domain.pddl 2 block", nil},
		{problem, ptext, "blocks", 0, 0, "domain.pddl 0 blocks", []string{"p1.pddl 1 blocks"}},
	} {
		p := find(t, x.text, x.word, x.n, x.shift)
		if got := places(t, at(c, "textDocument/definition", x.path, p)); !slices.Equal(got, []string{x.def}) {
			t.Errorf("%s: defined at %q, want %q", x.word, got, x.def)
		}
		got := places(t, at(c, "textDocument/references", x.path, p, "context", map[string]any{"includeDeclaration": false}))
		if x.refs != nil && !slices.Equal(got, x.refs) {
			t.Errorf("%s: used at %q, want %q", x.word, got, x.refs)
		}
		if all := places(t, at(c, "textDocument/references", x.path, p, "context", map[string]any{"includeDeclaration": true})); len(all) != len(got)+1 {
			t.Errorf("%s: %d references with the declaration, %d without", x.word, len(all), len(got))
		}
	}
	c.end()
}

// renamed applies an edit to the texts of a workspace.
func renamed(t *testing.T, texts map[string]string, edit WorkspaceEdit) map[string]string {
	t.Helper()
	out := map[string]string{}
	for uri, text := range texts {
		edits := slices.Clone(edit.Changes[uri])
		slices.Reverse(edits) // from the end on, the places stay right
		for _, e := range edits {
			r := e.Range
			var err error
			if text, err = apply(text, []contentChange{{&r, e.NewText}}); err != nil {
				t.Fatal(err)
			}
		}
		out[uri] = text
	}
	return out
}

// TestRename renames every name of bundled tasks: the files stay free of faults, mean the same but for the name, and the plan
// stays valid.
func TestRename(t *testing.T) {
	for _, task := range []string{"blocksworld:3-1", "logistics:1-2-1-1", "trip:2-3-1", "elevator:4-3-1-1"} {
		domain, problem, err := domains.Load(task)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		du, pu := uriOf(filepath.Join(dir, "domain.pddl")), uriOf(filepath.Join(dir, "p.pddl"))
		s := &Server{space: newWorkspace()}
		s.judge.init()
		texts := map[string]string{du: domain.Text, pu: problem.Text}
		for uri, text := range texts {
			s.space.put(newDocument(uri, "", 1, text, true))
		}
		before := meaning(t, texts[du], texts[pu])
		count := 0
		for _, uri := range []string{du, pu} {
			d := s.space.get(uri)
			for i, w := range d.File().Words {
				name := d.File().Spelling(int32(i))
				if named[w.Role] == "" || name == "object" || name == "total-cost" || w.Role == syntax.Variable && w.Bind < 0 {
					continue
				}
				p := renameParams{positionParams: positionParams{documentID{URI: uri}, d.word(int32(i)).Start}, NewName: "zz-name"}
				answer, err := s.rename(t.Context(), &p)
				if err != nil {
					t.Errorf("%s: %s: %v", task, name, err)
					continue
				}
				now := renamed(t, texts, answer.(WorkspaceEdit))
				got := strings.ReplaceAll(strings.ReplaceAll(meaning(t, now[du], now[pu]), "?zz-name", name), "zz-name", name)
				if got != before {
					t.Fatalf("%s: %s (word %d of %s) means another thing:\n%s", task, name, i, filepath.Base(uri), now[du])
				}
				count++
			}
		}
		if count < 50 {
			t.Errorf("%s: only %d words were renamed", task, count)
		}
	}
}

// TestRenameInPlans: the plans of the problems are renamed with them, and stay valid; those of other domains do not change.
func TestRenameInPlans(t *testing.T) {
	dir := workspaceOf(t, blocks+"-- other/q.pddl --\n(define (problem q) (:domain trucks) (:objects a))\n-- other/q.plan --\n(stack a)\n")
	c := begin(t, dir)
	plan := filepath.Join(dir, "p1.plan")
	text := c.open(plan)
	texts := map[string]string{uriOf(plan): text}
	for _, f := range []string{"domain.pddl", "p1.pddl", "other/domain.pddl", "other/q.pddl", "other/q.plan"} {
		b, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		texts[uriOf(filepath.Join(dir, f))] = string(b)
	}
	for _, word := range []string{"stack", "a)", "b)"} {
		var edit WorkspaceEdit
		json.Unmarshal(at(c, "textDocument/rename", plan, find(t, text, word, 0, 0), "newName", "zz"), &edit)
		for uri := range edit.Changes {
			if strings.Contains(uri, "other") {
				t.Errorf("%s: %s changes", word, uri)
			}
		}
		now := renamed(t, texts, edit)
		task, err := planproof.ParseTask(now[uriOf(filepath.Join(dir, "domain.pddl"))], now[uriOf(filepath.Join(dir, "p1.pddl"))])
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		if v, err := planproof.Judge(t.Context(), task, now[uriOf(plan)]); err != nil || !v.Valid || now[uriOf(plan)] == text {
			t.Errorf("%s: %+v %v:\n%s", word, v, err, now[uriOf(plan)])
		}
	}
	c.end()
}

// meaning is the printed form of a task, which must have no faults.
func meaning(t *testing.T, domain, problem string) string {
	t.Helper()
	d, diags := pddl.ParseDomain(pddl.NewSource("d", domain), pddl.Options{})
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags, domain)
	}
	p, diags := pddl.ParseProblem(pddl.NewSource("p", problem), d, pddl.Options{})
	if len(diags) > 0 {
		t.Fatalf("%v\n%s", diags, problem)
	}
	return d.String() + p.String()
}

// TestRenameRefused: names that PDDL does not allow or that something has already are refused with a reason.
func TestRenameRefused(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	domain := filepath.Join(dir, "domain.pddl")
	text := c.open(domain)
	for _, x := range []struct{ word, name string }{
		{"holding", "clear"}, {"holding", "CLEAR"}, {"holding", "and"}, {"holding", ""}, {"holding", "a b"}, {"holding", "1x"},
		{"holding", "x;y"}, {"holding", "é"}, {"stack", "pick-up"}, {"object", "thing"}, {"?a ?b", "?b"}, {":effect", "x"},
	} {
		if code := c.fail("textDocument/rename", map[string]any{
			"textDocument": map[string]any{"uri": uriOf(domain)}, "position": find(t, text, x.word, 0, 0), "newName": x.name,
		}); code != codeRequestFailed {
			t.Errorf("%s to %q: code %d", x.word, x.name, code)
		}
	}
	c.end()
}

// TestCompletion: what is offered fits the place. The cursor is at the bar.
func TestCompletion(t *testing.T) {
	const head = "(define (domain d) (:requirements :typing) (:types truck place - thing) (:constants depot - place)\n" +
		"(:predicates (at ?t - truck ?p - place) (busy ?t - truck) (known ?x)) (:functions (cost ?t - truck))\n(:derived (known ?x) (busy ?x))\n"
	const prob = "(define (problem p) (:domain d) (:objects t1 t2 - truck home - place)\n"
	dir := workspaceOf(t, "-- domain.pddl --\n"+head+"(:action drive :parameters (?t - truck ?to - place) :precondition (busy ?t) :effect (at ?t ?to)))\n-- p.pddl --\n"+prob+"(:init) (:goal (and)))\n")
	c := begin(t, dir)
	for i, x := range []struct {
		file, text string
		has, lacks string
	}{
		{"domain", "|", "(define", ":action"},
		{"domain", "(define (|", "domain problem", ":types"},
		{"domain", "(define (domain x) (:|", ":requirements :action :predicates", ":init :goal"},
		{"domain", "(define (problem x) (:|", ":domain :init :goal", ":action :types"},
		{"domain", head + "(:req|", "", ":requirements"},
		{"domain", "(define (domain d) (:requirements :str|", ":strips", ":typing"},
		{"domain", head + "(:action a :parameters (?x - |", "truck place thing object (either", "depot"},
		{"domain", head + "(:action a :parameters (?x - pl|", "place", "truck"},
		{"domain", head + "(:action a |", ":parameters :precondition :effect", ":duration"},
		{"domain", head + "(:action a :parameters (?x - truck ?y - place) :precondition (|", "at busy known and or not imply forall exists =", "increase when ?x"},
		{"domain", head + "(:action a :parameters (?x - truck ?y - place) :precondition (and (at |", "?x", "?y depot at"},
		{"domain", head + "(:action a :parameters (?x - truck ?y - place) :precondition (and (at ?x |", "?y depot", "?x"},
		{"domain", head + "(:action a :parameters (?x - truck) :precondition (forall (?z - place) (at ?x |", "?z depot", "?x"},
		{"domain", head + "(:action a :parameters (?x - truck) :precondition (and (at ?x depot)) :effect (|", "at busy and not when increase", "known or ?x"},
		{"domain", head + "(:action a :parameters (?x - truck) :effect (and (at ?x depot) (not (|", "at busy", "known"},
		{"domain", head + "(:action a :parameters (?x - truck) :effect (increase (|", "cost", "busy"},
		{"domain", head + "(:action a :parameters (?x - truck) :precondition (known |", "?x depot", "at"},
		{"domain", head + "(:action a :parameters (?x - truck) :precondition (busy ?x |", "", "?x depot"},
		{"p", "(define (problem p) (:domain |", "d", "p"},
		{"p", prob + "(:init (at |", "t1 t2", "home depot"},
		{"p", prob + "(:init (at t1 |", "home depot", "t1 t2"},
		{"p", prob + "(:init (|", "at busy =", "known and"},
		{"p", prob + "(:goal (and (at t1 h|", "home", "depot t1"},
		{"p", prob + "(:goal (|", "at busy known and preference", "increase"},
		{"p", prob + "(:objects x - |", "truck place thing", "t1"},
		{"p", prob + "(:metric |", "minimize maximize", "at"},
		{"p", prob + "(:metric minimize (|", "cost + *", "at"},
		{"plan", "(|", "drive", "t1 at"},
		{"plan", "|", "(drive", "t1"},
		{"plan", "(drive |", "t1 t2", "home depot"},
		{"plan", "0.0: (drive t1 |", "home depot", "t1 t2"},
		{"plan", "(drive t1 home |", "", "home t1"},
	} {
		path := filepath.Join(dir, map[string]string{"domain": "new.pddl", "p": "q.pddl", "plan": "p.plan"}[x.file])
		text := strings.Replace(x.text, "|", "", 1)
		c.openText(path, text)
		lines := lineStarts(text)
		off := uint32(strings.Index(x.text, "|"))
		line, from := lineOf(lines, off)
		var got completionList
		json.Unmarshal(at(c, "textDocument/completion", path, Position{line, off - from}), &got)
		var labels []string
		for _, item := range got.Items {
			labels = append(labels, item.Label)
			if item.TextEdit == nil || item.TextEdit.Range.End.Line != line {
				t.Errorf("%d: %+v", i, item)
			}
		}
		for _, want := range strings.Fields(x.has) {
			if !slices.Contains(labels, want) {
				t.Errorf("%d %s: %q lacks %s", i, x.text[max(0, len(x.text)-40):], labels, want)
			}
		}
		for _, not := range strings.Fields(x.lacks) {
			if slices.Contains(labels, not) {
				t.Errorf("%d %s: %q has %s", i, x.text[max(0, len(x.text)-40):], labels, not)
			}
		}
	}
	c.end()
}

// TestFixes: the edit of the first action for a fault takes the fault away.
func TestFixes(t *testing.T) {
	const head = "(define (domain d)\n  (:requirements :strips :typing)\n  (:types truck)\n  (:predicates (busy ?t - truck))\n"
	for i, x := range []struct{ code, text string }{
		{"undeclared-requirement", "(define (domain d) (:requirements :strips) (:types t) (:predicates (p ?x - t)))"},
		{"undeclared-requirement", "(define (domain d) (:types t) (:predicates (p ?x - t)))"},
		{"undeclared-requirement", "(define (domain d) (:requirements :strips ; all\n ) (:types t) (:predicates (p ?x - t)))"},
		{"undeclared-predicate", head + "(:action a :parameters (?x - truck) :precondition (buzy ?x)))"},
		{"undeclared-predicate", head + "(:action a :parameters (?x - truck) :precondition (loaded ?x ?x)))"},
		{"undeclared-predicate", "(define (domain d) (:action a :parameters (?x) :precondition (loaded ?x)))"},
		{"undeclared-type", head + "(:action a :parameters (?x - plane)))"},
		{"undeclared-type", head + "(:action a :parameters (?x - trukc)))"},
		{"undeclared-variable", head + "(:action a :parameters () :precondition (busy ?x)))"},
		{"undeclared-variable", head + "(:action a :parameters (?y - (either truck truck)) :precondition (busy ?other)))"},
		{"undeclared-object", head + "(:action a :parameters (?y - truck) :precondition (busy depot)))"},
		{"undeclared-function", head + "(:action a :parameters (?y - truck) :effect (increase (load ?y) 1)))"},
		{"undeclared-predicate", strings.Replace(head, ":strips", ":adl", 1) + "(:action a :parameters (?y - truck) :precondition (implies (busy ?y) (busy ?y))))"},
		{"unknown-section", head + "(:actoin a))"},
		{"unknown-section", head + "(:action a :efect (and)))"},
		{"unknown-requirement", "(define (domain d) (:requirements :typign))"},
		{"empty-condition", head + "(:action a :parameters (?x - truck) :precondition (and (busy ?x) ())))"},
		{"hyphen-glued-to-type", head + "(:action a :parameters (?x -truck)))"},
		{"illegal-character", head + "(:action a\u00a0:parameters ()))"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "d.pddl")
		s := &Server{space: newWorkspace()}
		uri := uriOf(path)
		s.space.put(newDocument(uri, "", 1, x.text, true))
		d := s.space.get(uri)
		count := func(d *Document) (n int) {
			for _, f := range s.faultsOf(t.Context(), d) {
				if f.Code == x.code {
					n++
				}
			}
			return n
		}
		before := count(d)
		whole := d.span(0, uint32(len(x.text)))
		answer, err := s.fixes(t.Context(), &actionParams{rangeParams: rangeParams{documentID{URI: uri}, whole}})
		if err != nil {
			t.Fatal(err)
		}
		list := slices.DeleteFunc(answer.([]codeAction), func(a codeAction) bool { return a.Diagnostics[0].Code != x.code })
		if before == 0 || len(list) == 0 {
			t.Errorf("%d %s: %d faults, %d fixes", i, x.code, before, len(list))
			continue
		}
		for _, a := range list {
			now := renamed(t, map[string]string{uri: x.text}, a.Edit)[uri]
			if after := count(newDocument(uri, "", 2, now, true)); after >= before {
				t.Errorf("%d %s: %q leaves %d of %d faults:\n%s", i, x.code, a.Title, after, before, now)
			}
		}
	}
}

// TestFixesAcross: a fault of a problem or plan can be mended in the file that declares its names.
func TestFixesAcross(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	problem, plan := filepath.Join(dir, "p1.pddl"), filepath.Join(dir, "p1.plan")
	c.openText(problem, "(define (problem p1) (:domain blocks) (:objects a - block) (:init (red a) (clear c)) (:goal (on a a)))")
	c.openText(plan, "(pick-up d)\n(stakc a a)")
	ask := func(path string) (out []string) {
		var list []codeAction
		json.Unmarshal(c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)},
			"range": Range{Position{0, 0}, Position{9, 0}}, "context": map[string]any{"diagnostics": []any{}}}), &list)
		for _, a := range list {
			for uri, e := range a.Edit.Changes {
				out = append(out, filepath.Base(uri)+" "+strings.TrimSpace(e[0].NewText))
			}
		}
		return out
	}
	if got, want := ask(problem), []string{"domain.pddl (red ?x1 - block)", "p1.pddl c - block"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := ask(plan), []string{"p1.pddl d - block", "p1.plan stack"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	c.end()
}

// TestBrokenDomain: while a domain has errors its problems say that their names are not checked, and forget it afterwards.
func TestBrokenDomain(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	domain, problem := filepath.Join(dir, "domain.pddl"), filepath.Join(dir, "p1.pddl")
	text := c.open(domain)
	c.open(problem)
	c.faults(problem, 1)
	change := func(version int, text string) {
		c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uriOf(domain), "version": version}, "contentChanges": []any{map[string]any{"text": text}}})
	}
	change(2, strings.Replace(text, "(holding ?b)", "(holdin ?b)", 1))
	c.become(problem, []string{"1:11-1:17 broken-domain the domain has errors: until they are mended, names and types are not checked here"})
	change(3, text)
	c.become(problem, nil)
	c.end()
}

// TestLayout: format, outline, tokens, folds and highlights of a file.
func TestLayout(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	domain := filepath.Join(dir, "domain.pddl")
	text := c.open(domain)
	doc := map[string]any{"textDocument": map[string]any{"uri": uriOf(domain)}}
	want, _ := pddl.Format(pddl.NewSource("d", text))
	var edits []TextEdit
	json.Unmarshal(c.call("textDocument/formatting", doc), &edits)
	if got := renamed(t, map[string]string{"": text}, WorkspaceEdit{map[string][]TextEdit{"": edits}})[""]; got != want || len(edits) != 1 {
		t.Errorf("%d edits make\n%s", len(edits), got)
	}
	var outline []outlineEntry
	json.Unmarshal(c.call("textDocument/documentSymbol", doc), &outline)
	var names []string
	for _, e := range outline[0].Children {
		names = append(names, e.Name)
	}
	if outline[0].Name != "blocks" || !slices.Equal(names, []string{":requirements", ":types", ":predicates", "pick-up", "stack"}) || len(outline[0].Children[2].Children) != 5 {
		t.Errorf("%+v", outline)
	}
	var tokens tokensAnswer
	json.Unmarshal(c.call("textDocument/semanticTokens/full", doc), &tokens)
	d := newDocument(uriOf(domain), "", 1, text, true)
	var p Position
	for i := 0; i+5 <= len(tokens.Data); i += 5 {
		x := tokens.Data[i : i+5]
		if x[0] > 0 {
			p = Position{p.Line + x[0], 0}
		}
		p.Character += x[1]
		w := d.File().Words[i/5]
		if d.offset(p) != w.Off || x[2] != w.Lim-w.Off || int(x[3]) != tokenOf[w.Role] {
			t.Fatalf("token %d: %v at %v, want the word %+v", i/5, x, p, w)
		}
	}
	if len(tokens.Data) != 5*len(d.File().Words) {
		t.Errorf("%d numbers for %d words", len(tokens.Data), len(d.File().Words))
	}
	var folds []map[string]any
	json.Unmarshal(c.call("textDocument/foldingRange", doc), &folds)
	if len(folds) != 3 {
		t.Errorf("%v", folds)
	}
	var marks []map[string]any
	json.Unmarshal(at(c, "textDocument/documentHighlight", domain, find(t, text, "(holding", 0, 2)), &marks)
	if len(marks) != 4 {
		t.Errorf("%v", marks)
	}
	c.end()
}
