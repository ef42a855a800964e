package toolworlds

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/domains/tools"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
	"github.com/planproof/planproof/search"
)

// A Task is a world with constraints and a cheapest plan that keeps them, which the search proved and both judges
// confirmed.
type Task struct {
	Name string
	// Structure is equal for tasks that differ only in words, of kinds, functions and objects. Split is train, validation
	// or test by the structure alone, so no structure is in two of them, in however many tasks.
	Structure, Split string
	Domain, Problem  string // PDDL
	Tools            json.RawMessage
	Constraints      []string // as docs/RESTRICTIONS.md has them
	Sentences        []string // the same in words
	Gold             json.RawMessage
	Optimum          pddl.Number // under the constraints
	Free             pddl.Number // without them
	Prompt           string
	Unconstrained    string // the prompt without any constraint
}

// maxNodes bounds each search for a constraint: one that needs more is not taken.
const maxNodes = 200_000

// Generate makes a task. The same size and seed make the same task, whatever the machine.
func Generate(ctx context.Context, size Size, seed uint64) (*Task, error) {
	if err := size.check(); err != nil {
		return nil, err
	}
	d := newDraft(size, seed)
	n, bare := naming{d: d}, naming{d: d, plain: true}
	t := &Task{Name: fmt.Sprintf("tools-%d-%d-%d-%d-%d-%d-%d-%d", size.Kinds, size.Objects, size.States, size.Ways, size.Goals, size.Constraints, size.Extras, seed), Tools: n.tools()}
	t.Domain, t.Problem = n.texts()
	prob, err := read(t.Domain, t.Problem)
	if err != nil {
		return nil, fmt.Errorf("internal error: %w", err)
	}
	plan, err := solveUnder(ctx, prob, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	t.Free = plan.Cost
	plain := []string{}
	r := seeded.Rand(seed, "tools/constraints")
	for len(t.Constraints) < size.Constraints {
		took := false
		for _, c := range n.candidates(plan.Plan, r) {
			form, sentence := c(n)
			under, err := solveUnder(ctx, prob, append(t.Constraints[:len(t.Constraints):len(t.Constraints)], form))
			if errors.Is(err, pipeline.ErrNodes) || err == nil && under == nil {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.Name, err)
			}
			plan, took = under, true
			t.Constraints, t.Sentences = append(t.Constraints, form), append(t.Sentences, sentence)
			again, _ := c(bare)
			plain = append(plain, again)
			break
		}
		if !took {
			break
		}
	}
	t.Optimum = plan.Cost
	t.Prompt, t.Unconstrained = n.prompt(t.Sentences, true), n.prompt(nil, false)
	if t.Structure, t.Split, err = structure(bare, plain); err != nil {
		return nil, err
	}
	t.Gold = n.calls(plan.Plan)
	return t, t.confirm(ctx)
}

// solveUnder finds a cheapest plan under constraints, nil if there is none.
func solveUnder(ctx context.Context, prob *pddl.Problem, forms []string) (*pipeline.Answer, error) {
	list, diags := constraints.Parse(pddl.NewSource("constraints", strings.Join(forms, "\n")), prob)
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	task, err := constraints.Compile(prob, list)
	if err != nil {
		return nil, err
	}
	lim := search.Limits{Nodes: maxNodes}
	if len(forms) == 0 {
		lim = search.Limits{}
	}
	return pipeline.Decide(ctx, task, lim)
}

// structure digests a task whose words are numbers, up to the names of its objects, with its constraints.
func structure(bare naming, forms []string) (hash, split string, err error) {
	prob, err := read(bare.texts())
	if err != nil {
		return "", "", fmt.Errorf("internal error: %w", err)
	}
	list, diags := constraints.Parse(pddl.NewSource("constraints", strings.Join(forms, "\n")), prob)
	if diags.HasErrors() {
		return "", "", fmt.Errorf("internal error: %w", diags.Err())
	}
	task, err := constraints.Compile(prob, list)
	if err != nil {
		return "", "", err
	}
	s := dataset.StructureOf(task)
	split = "train"
	switch s.Coarse[0] % 10 { // renamed tasks have the same, also where the exact form was not found
	case 8:
		split = "validation"
	case 9:
		split = "test"
	}
	return "sha256:" + hex.EncodeToString(s.Hash[:]), split, nil
}

// calls writes a plan as calls. An argument that is the first result of an earlier call refers to it.
func (n naming) calls(plan []string) json.RawMessage {
	b := []byte{'['}
	found := map[string]int{} // the call whose first result an object is
	for i, s := range n.steps(plan) {
		if i > 0 {
			b = append(b, ',')
		}
		b = rowjson.AppendText(fmt.Appendf(b, `{"id":%d,"name":`, i), s.name(n))
		b = append(b, `,"args":{`...)
		if s.object >= 0 {
			value := n.object(s.of(n), s.object)
			if at, ok := found[n.atom(s.of(n), s.object)]; ok {
				value = fmt.Sprintf("$%d.name", at)
			}
			b = rowjson.AppendText(fmt.Appendf(b, "%q:", n.typ(s.of(n))), value)
		}
		if s.channel != "" {
			b = rowjson.AppendText(append(b, `,"channel":`...), s.channel)
		}
		b = append(b, "}}"...)
		if s.function == nil && s.object >= 0 {
			if first := n.first(s.kind, s.object); first != "" {
				found[first] = i
			}
		}
	}
	return append(b, ']')
}

// first is the first object by name that is found by one of the parent's.
func (n naming) first(k, parent int) (least string) {
	for o, p := range n.d.kinds[k].of {
		if name := n.atom(k, o); p == parent && (least == "" || name < least) {
			least = name
		}
	}
	return least
}

// confirm has the row's own plan judged as an answer.
func (t *Task) confirm(ctx context.Context) error {
	w, err := compileTask(ctx, &rowJSON{Domain: t.Domain, Problem: t.Problem, Tools: t.Tools, Constraints: t.Constraints})
	if err != nil {
		return fmt.Errorf("internal error: %s: %w", t.Name, err)
	}
	j, err := w.judge(tools.ReadPlan(t.Gold, nil))
	if err != nil || !j.valid() || !j.verdict.Cost.Equal(t.Optimum) {
		return fmt.Errorf("internal error: %s: the judge does not confirm the plan %s: %+v, %v", t.Name, t.Gold, j, err)
	}
	return nil
}

// AppendJSON writes a task as a row of tools score and tools reward. The answer is missing.
func (t *Task) AppendJSON(b []byte) []byte {
	b = rowjson.AppendText(append(b, `{"case":`...), t.Name)
	b = rowjson.AppendText(append(b, `,"structure":`...), t.Structure)
	b = rowjson.AppendText(append(b, `,"split":`...), t.Split)
	b = fmt.Appendf(b, `,"optimum":%s,"optimum_unconstrained":%s,"ground_truth":%s`, t.Optimum, t.Free, t.Gold)
	b = rowjson.AppendTexts(append(b, `,"constraints":`...), append([]string{}, t.Constraints...))
	b = rowjson.AppendTexts(append(b, `,"sentences":`...), append([]string{}, t.Sentences...))
	b = rowjson.AppendText(append(b, `,"prompt":`...), t.Prompt)
	b = rowjson.AppendText(append(b, `,"prompt_unconstrained":`...), t.Unconstrained)
	b = rowjson.AppendText(append(b, `,"domain_text":`...), t.Domain)
	b = rowjson.AppendText(append(b, `,"problem_text":`...), t.Problem)
	return append(append(append(b, `,"tools":`...), t.Tools...), '}')
}

// GenerateRows writes tasks of consecutive seeds: rows, or lines for people. done is called after each.
func GenerateRows(ctx context.Context, w io.Writer, size Size, seed uint64, count int, asJSON bool, done func(int)) error {
	return rowjson.WriteRows(w, count, asJSON, done, func(i int) (*Task, error) { return Generate(ctx, size, seed+uint64(i)) })
}

// String writes the task's name, its optima and its constraints.
func (t *Task) String() string {
	return fmt.Sprintf("%s: optimum %s, %s without constraints\n    %s", t.Name, t.Optimum, t.Free, strings.Join(t.Constraints, " "))
}
