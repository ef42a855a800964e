package audit

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/rowjson"
)

const lampDomain = `(define (domain lamps) (:requirements :strips :typing) (:types lamp)
  (:predicates (off ?l - lamp) (on ?l - lamp) (old ?l - lamp) (seen ?l - lamp))
  (:action LIGHT :parameters (?l - lamp) :precondition (off ?l) :effect (and (on ?l) (not (off ?l))))
  (:action dim :parameters (?l - lamp) :precondition (on ?l) :effect (and (off ?l) (not (on ?l))))
  (:action mark :parameters (?l - lamp) :precondition (and (on ?l) (off ?l)) :effect (old ?l)))`

const lampProblem = `(define (problem two) (:domain lamps) (:objects a b - lamp) (:init (off a) (off b)) (:goal (and (on a) (off b))))`

// lampQuestion is a question about the lamps with a recorded answer.
func lampQuestion(question string, answer any) map[string]any {
	return map[string]any{"id": 1, "group": "x", "context": "", "question": question, "answer": answer, "PDDL_domain": lampDomain, "PDDL_problem": lampProblem}
}

// lampRows has, for each kind, right answers first, then one with a hole if there is any, and then wrong ones.
var lampRows = map[string][3][]any{
	"app":    {{[]string{"(light a)", "(light b)"}}, nil, {[]string{"(light a)"}, []string{"(light a)", "(light b)", "(dim a)"}}},
	"reach":  {{[]string{"seen a", "seen b", "old a", "(old b)"}}, {[]string{"old a"}}, {[]string{}, []string{"on a"}, []string{"glows a"}}},
	"areach": {{[]string{"(mark a)", "(MARK b)"}}, {[]string{"(mark a)"}}, {[]string{}, []string{"(dim a)"}}},
	"val":    {{1}, nil, {0, -1}},
	"just": {
		{[][]string{{"(dim b)", "(light b)", "-1"}, {"(light b)", "(dim b)", "-1"}}}, nil, {[][]string{}, [][]string{{"(light a)", "1"}}},
	},
	"land":  {{map[string][]string{"yes": {}, "no": {"(on b)", "(old a)"}}}, nil, {map[string][]string{"yes": {"(on b)"}, "no": {}}}},
	"nexta": {{map[string]any{"yes": []string{"(LIGHT a)"}, "no": []string{"(light b)"}, "maybe": []string{}, "opt": "1"}}, {map[string]any{"yes": []string{"(light a)"}, "maybe": []string{"(light b)"}}}, {map[string]any{"yes": []string{"(light b)"}}, map[string]any{"yes": []string{}, "no": []string{"(light a)"}}}},
	"prog":  {{map[string][]string{"pos": {"(on a)"}, "neg": {"(off a)"}}}, nil, {map[string][]string{"pos": {"(on b)"}, "neg": {"(off b)"}}, map[string][]string{"pos": {"(on a)"}, "neg": {}}}},
}

var lampQuestions = map[string]string{
	"val":  `What is the first inapplicable action in the next sequence of actions: "(light a) (light a) (dim a)"?`,
	"just": `Simplify the plan "(light b) (dim b) (light a)" by removing something.`,
	"prog": `Break down the outcomes of performing the action "light lamp:a" into two lists.`,
}

// lampCheckout writes a checkout with those questions; half of the files are compressed.
func lampCheckout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for kind, rows := range lampRows {
		if kind == "just" { // one plan has one removal of each order
			rows[0] = []any{[][]string{{"(light b)", "(dim b)", "-1"}}}
		}
		var list []map[string]any
		for _, group := range rows {
			for _, answer := range group {
				list = append(list, lampQuestion(lampQuestions[kind], answer))
			}
		}
		dir := filepath.Join(root, "dataset", kind)
		text := rowjson.Append(nil, list)
		name := "dev.gen.json"
		if kind < "n" {
			name = "test.gen.json.gz"
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(text)
			z.Close()
			text = b.Bytes()
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestACPBenchHard audits recorded answers of each kind, right, with a hole, and wrong.
func TestACPBenchHard(t *testing.T) {
	rep, err := ACPBenchHard(context.Background(), lampCheckout(t), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range rep.Kinds {
		rows := lampRows[k.Kind]
		if k.Perfect != len(rows[0]) || k.Holes != len(rows[1]) || k.Wrong != len(rows[2]) {
			t.Errorf("%+v, want %d perfect, %d with a hole, %d wrong", k, len(rows[0]), len(rows[1]), len(rows[2]))
		}
	}
	if len(rep.Kinds) != len(lampRows) || rep.Gold.Ungraded != 0 {
		t.Errorf("%d kinds, %d ungraded", len(rep.Kinds), rep.Gold.Ungraded)
	}
	for _, g := range rep.Gold.Wrong {
		t.Logf("%s: %s %s", g.Row, g.Message, g.Gold)
	}
	var b strings.Builder
	if err := rep.WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "## Holes in the grading") {
		t.Errorf("the report: %v\n%s", err, b.String())
	}
}

// TestACPBenchBroken: what cannot be read is named, and is no wrong answer.
func TestACPBenchBroken(t *testing.T) {
	root := lampCheckout(t)
	write := func(kind, text string) {
		if err := os.WriteFile(filepath.Join(root, "dataset", kind, "broken.gen.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before, err := ACPBenchHard(context.Background(), root, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	write("app", `[{"question": `)
	write("land", `[{"question": "?", "answer": 3, "PDDL_domain": "(define (domain", "PDDL_problem": ""}]`)
	bad := lampQuestion("", 7)
	write("nexta", string(rowjson.Append(nil, []any{bad})))
	rep, err := ACPBenchHard(context.Background(), root, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Unread) != 1 || rep.Gold.Ungraded != 2 || len(rep.Gold.Wrong) != len(before.Gold.Wrong) {
		t.Errorf("unread %v, ungraded %v, %d wrong, before %d", rep.Unread, rep.Ungraded, len(rep.Gold.Wrong), len(before.Gold.Wrong))
	}
	if _, err := ACPBenchHard(context.Background(), t.TempDir(), func(int) {}); err == nil {
		t.Error("an empty folder is taken for a checkout")
	}
}
