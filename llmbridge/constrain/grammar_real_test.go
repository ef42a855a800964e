package constrain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// engineCase is a grammar with texts, and what must be said about each.
type engineCase struct {
	name, form string
	grammar    string
	texts      []string
	want       []bool
}

// TestGrammarEngines has the matchers that servers use say which plans our grammars
// take: those of llama.cpp, XGrammar and llguidance. Every bundled domain is there, lifted
// and ground; gold plans must be accepted, and mutants exactly if our own reading of the
// grammar accepts them. PLANPROOF_ENGINES is a Python with the engines, PLANPROOF_GGUF a
// model file for llama.cpp's vocabulary; `make test-model` sets both.
func TestGrammarEngines(t *testing.T) {
	python := os.Getenv("PLANPROOF_ENGINES")
	if python == "" {
		t.Skip("no grammar engines: `make test-model` installs some")
	}
	cases := engineCases(t)
	for _, engine := range []string{"llguidance", "xgrammar", "llama.cpp"} {
		t.Run(engine, func(t *testing.T) { askEngine(t, python, engine, cases) })
	}
}

func askEngine(t *testing.T, python, engine string, cases []engineCase) {
	var in, out, errs bytes.Buffer
	for i := range cases {
		line, _ := json.Marshal(map[string]any{"format": cases[i].form, "grammar": cases[i].grammar, "texts": cases[i].texts})
		in.Write(append(line, '\n'))
	}
	cmd := exec.CommandContext(t.Context(), python, "testdata/grammar_engines.py", engine, os.Getenv("PLANPROOF_GGUF"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skipf("%s is not here: %s", engine, strings.TrimSpace(errs.String()))
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	lines := bufio.NewScanner(&out)
	lines.Buffer(nil, 1<<24)
	texts, accepted, forms := 0, 0, map[string]bool{}
	for i := range cases {
		c := &cases[i]
		var got struct {
			Accepted    []bool
			Error       string
			Unsupported bool
		}
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &got) != nil {
			t.Fatalf("%s: no answer: %s", c.name, errs.String())
		}
		switch {
		case got.Unsupported:
			continue
		case got.Error != "" || len(got.Accepted) != len(c.texts):
			t.Errorf("%s: %s", c.name, got.Error)
			continue
		}
		forms[c.form] = true
		for k, ok := range got.Accepted {
			texts++
			if ok {
				accepted++
			}
			if ok != c.want[k] {
				t.Errorf("%s: %q is accepted: %v, want %v", c.name, c.texts[k], ok, c.want[k])
			}
		}
	}
	if len(forms) < 2 || accepted < 100 || texts < 2*accepted {
		t.Errorf("%d texts, %d accepted, in %v: too few", texts, accepted, forms)
	}
	t.Logf("%d texts in %v, %d of them accepted", texts, forms, accepted)
}

// engineCases makes the cases: a small task of every bundled domain.
func engineCases(t *testing.T) []engineCase {
	t.Helper()
	var out []engineCase
	for _, info := range domains.List() {
		_, p := loadBundled(t, info.Example)
		plan := goldPlan(t, p)
		actions, err := GroundActions(context.Background(), p, search.Limits{})
		if err != nil {
			t.Fatal(info.Name, err)
		}
		for _, form := range GrammarFormats() {
			for _, ground := range []bool{false, true} {
				o := GrammarOptions{Format: form}
				if ground {
					o.Actions = actions
				}
				g, l := mustGrammar(t, p, o)
				c := engineCase{name: fmt.Sprintf("%s, %s, ground %v", info.Name, form, ground), form: string(form), grammar: g.Text}
				for i, steps := range mutants(p, plan) {
					text := strings.Join(steps, "")
					want := l.accepts(text)
					if i == 0 && !want {
						t.Errorf("%s: the plan is refused", c.name)
					}
					if form == FormatJSONSchema {
						var list []string
						for _, s := range steps {
							list = append(list, strings.TrimSuffix(s, "\n"))
						}
						doc, _ := json.Marshal(map[string]any{"plan": append([]string{}, list...)})
						text = string(doc)
						// A step without its line end is the same member of a list.
						want = l.accepts(strings.Join(list, "\n") + strings.Repeat("\n", min(1, len(list))))
					}
					c.texts, c.want = append(c.texts, text), append(c.want, want)
				}
				out = append(out, c)
			}
		}
	}
	return out
}

func loadBundled(t *testing.T, name string) (*pddl.Domain, *pddl.Problem) {
	t.Helper()
	d, src, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return pddltest.Parse(t, d.Text, src.Text)
}

// goldPlan is a cheapest plan, a line a step.
func goldPlan(t *testing.T, p *pddl.Problem) []string {
	t.Helper()
	task, err := grounder.Ground(context.Background(), p, grounder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Run(context.Background(), task, search.Config{})
	if err != nil || r.Status != search.SolvedOptimally {
		t.Fatal(r, err)
	}
	var out []string
	for _, op := range r.Plan {
		out = append(out, task.OperatorName(op)+"\n")
	}
	return out
}

// mutants are a plan and texts that differ from it in one step.
func mutants(p *pddl.Problem, plan []string) [][]string {
	out := [][]string{plan, {}, plan[:len(plan)-1]}
	last := len(plan) - 1
	words := strings.Fields(strings.Trim(plan[last], "()\n"))
	line := func(w []string) string { return "(" + strings.Join(w, " ") + ")\n" }
	with := func(step string) {
		m := slices.Clone(plan)
		m[last] = step
		out = append(out, m)
	}
	with(strings.TrimSuffix(plan[last], "\n"))      // no line end
	with(strings.ToUpper(plan[last]))               // other letters
	with(strings.Replace(plan[last], "(", "( ", 1)) // a blank
	with(strings.TrimPrefix(plan[last], "("))
	with(strings.Replace(plan[last], ")", "", 1))
	with("; " + plan[last])
	with(line(append(slices.Clone(words), "no-such-object")))
	with(line(append(slices.Clone(words), words[len(words)-1])))
	with(line(append([]string{"no-such-action"}, words[1:]...)))
	with(line([]string{words[0] + "x"}))
	for k := 1; k < len(words); k++ {
		with(line(append(slices.Clone(words[:k]), words[k+1:]...)))
		for i := range p.Objects {
			m := slices.Clone(words)
			m[k] = strings.ToLower(p.Objects[i].Name)
			with(line(m)) // of another type, or a legal step, or one out of reach
			if i == 6 {
				break
			}
		}
	}
	return out
}
