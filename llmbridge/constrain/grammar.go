package constrain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/contract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// GrammarFormat is a notation for grammars.
type GrammarFormat string

// Notations.
const (
	FormatGBNF       GrammarFormat = "gbnf"        // llama.cpp; also the EBNF of XGrammar
	FormatLark       GrammarFormat = "lark"        // Lark; also llguidance
	FormatRegex      GrammarFormat = "regex"       // matches the whole answer
	FormatJSONSchema GrammarFormat = "json-schema" // of an object {"plan": [steps]}
)

// GrammarFormats lists all notations.
func GrammarFormats() []GrammarFormat {
	return []GrammarFormat{FormatGBNF, FormatLark, FormatRegex, FormatJSONSchema}
}

// GrammarWrap says what stands around a plan.
type GrammarWrap string

// Wraps, with the tags that prompts ask for (prompt.Options.PlanTags).
const (
	WrapNone  GrammarWrap = "none"  // only steps, one per line
	WrapPlan  GrammarWrap = "plan"  // [PLAN] and [PLAN END]
	WrapTags  GrammarWrap = "tags"  // <plan> and </plan>
	WrapThink GrammarWrap = "think" // <think> free text </think>, then <plan> and </plan>
	// WrapContract is the whole answer contract (package contract) with the task's names, in GBNF: every
	// way to write a plan that the strict reader reads, between <plan> and </plan>.
	WrapContract GrammarWrap = "contract"
)

// ErrGrammar is wrapped by errors about tasks or options for which there is no grammar.
var ErrGrammar = errors.New("no grammar")

// GrammarOptions says which language to write, and how. The zero value is the lifted language in GBNF,
// without a wrap.
type GrammarOptions struct {
	Format GrammarFormat
	Wrap   GrammarWrap
	// Actions are the steps that a plan may have, "(stack a b)", as GroundActions lists them. Nil is
	// the lifted language: each schema with all objects of its parameters' types.
	Actions []string
	// Tell, if set, returns the words for a step of Actions (prompt.Renderer.Step).
	Tell func(step string) string
	// NonEmpty excludes the plan without steps.
	NonEmpty bool
	// MaxActions bounds the length of Actions (0: DefaultGrammarActions), MaxBytes the size of the
	// grammar (0: DefaultGrammarBytes). Beyond either the error wraps search.ErrLimit.
	MaxActions, MaxBytes int
}

// Defaults of GrammarOptions. Servers compile grammars of this size in a few seconds.
const (
	DefaultGrammarActions = 5000
	DefaultGrammarBytes   = 4 << 20
)

// Grammar is the language of a task's plans in a decoder's notation. In the lifted language every step is an
// action with objects of its parameters' types. A grammar does not know which steps are applicable; a
// Masker does.
type Grammar struct {
	Format GrammarFormat `json:"format"`
	Text   string        `json:"grammar"`
	// Schemas are the actions with steps in the language, LeftOut those without.
	Schemas []string `json:"actions"`
	LeftOut []string `json:"left_out"`
	// Steps is the number of different steps if Actions were given, else 0.
	Steps int `json:"steps,omitempty"`
}

// NewGrammar writes the grammar of a task. The result depends only on the problem and the options. Errors
// wrap ErrGrammar or search.ErrLimit.
func NewGrammar(prob *pddl.Problem, o GrammarOptions) (*Grammar, error) {
	o = o.normal()
	switch {
	case !slices.Contains(GrammarFormats(), o.Format):
		return nil, fmt.Errorf("%w: there is no format %q: there are %s", ErrGrammar, o.Format, spell.Names(GrammarFormats()))
	case !slices.Contains([]GrammarWrap{WrapNone, WrapPlan, WrapTags, WrapThink, WrapContract}, o.Wrap):
		return nil, fmt.Errorf("%w: there is no wrap %q: it is none, plan, tags, think or contract", ErrGrammar, o.Wrap)
	case o.Format == FormatJSONSchema && o.Wrap != WrapNone:
		return nil, fmt.Errorf("%w: a JSON schema has no wrap; its object holds the plan", ErrGrammar)
	case len(prob.Domain.Durative)+len(prob.Domain.Nature()) > 0:
		return nil, fmt.Errorf("%w: the domain has durative actions, processes or events, whose steps carry times", ErrGrammar)
	case len(o.Actions) > o.MaxActions:
		return nil, fmt.Errorf("%w: the task has %d reachable actions, more than the %d that a grammar may list; the lifted grammar lists none", search.ErrLimit, len(o.Actions), o.MaxActions)
	}
	if o.Wrap == WrapContract {
		return contractGrammar(prob, o)
	}
	b := &grammarBuilder{prob: prob, o: o, g: &Grammar{Format: o.Format, Schemas: []string{}, LeftOut: []string{}}, byType: map[pddl.TypeID]*expr{}, names: map[string]bool{}}
	if err := b.build(); err != nil {
		return nil, err
	}
	w := &grammarWriter{format: o.Format, limit: o.MaxBytes}
	b.g.Text = w.text(b)
	if w.over() {
		return nil, fmt.Errorf("%w: the grammar has more than %d bytes", search.ErrLimit, o.MaxBytes)
	}
	return b.g, nil
}

// contractGrammar writes the answer contract with the names of a task.
func contractGrammar(prob *pddl.Problem, o GrammarOptions) (*Grammar, error) {
	if o.Format != FormatGBNF || o.Actions != nil || o.NonEmpty {
		return nil, fmt.Errorf("%w: the contract is written in gbnf, with all names of the task and also without steps", ErrGrammar)
	}
	g := &Grammar{Format: o.Format, Schemas: []string{}, LeftOut: []string{}}
	var names []string
	for _, a := range prob.Domain.Actions {
		g.Schemas = append(g.Schemas, strings.ToLower(a.Name))
	}
	names = append(names, g.Schemas...)
	for i := range prob.Objects {
		names = append(names, strings.ToLower(prob.Objects[i].Name))
	}
	var err error
	if g.Text, err = contract.GBNF("<plan>", names); err != nil {
		return nil, err
	}
	if len(g.Text) > o.MaxBytes {
		return nil, fmt.Errorf("%w: the grammar has more than %d bytes", search.ErrLimit, o.MaxBytes)
	}
	return g, nil
}

func (o GrammarOptions) normal() GrammarOptions {
	if o.Format == "" {
		o.Format = FormatGBNF
	}
	if o.Wrap == "" {
		o.Wrap = WrapNone
	}
	if o.MaxActions <= 0 {
		o.MaxActions = DefaultGrammarActions
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultGrammarBytes
	}
	return o
}

func (b *grammarBuilder) rule(name string, body *expr) *expr {
	r := &expr{kind: exprRule, name: b.unique(name), kids: []*expr{body}}
	b.rules = append(b.rules, r)
	return r
}

// grammarBuilder builds the expression of a task's plans.
type grammarBuilder struct {
	prob   *pddl.Problem
	o      GrammarOptions
	g      *Grammar
	byType map[pddl.TypeID]*expr
	names  map[string]bool // of rules
	rules  []*expr         // in the order of their first use

	step *expr // without the line end; nil if there are no steps
	root *expr
}

// unique makes an unused rule name of letters, digits and "-" that begins with a letter, as all notations
// allow (Lark with "_" for "-").
func (b *grammarBuilder) unique(name string) string {
	clean := []byte(strings.ToLower(name))
	for i, c := range clean {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			clean[i] = '-'
		}
	}
	name = strings.TrimRight(string(clean), "-")
	for i, base := 2, name; b.names[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	b.names[name] = true
	return name
}

func (b *grammarBuilder) build() error {
	for _, n := range []string{"root", "start", "plan", "step", "thought"} {
		b.names[n] = true
	}
	if err := b.readable(); err != nil {
		return err
	}
	var actions []*expr
	if b.o.Actions != nil {
		actions = b.ground()
	} else {
		actions = b.lifted()
	}
	if len(actions) > 0 {
		b.step = choice(actions)
	} else if b.o.NonEmpty {
		return fmt.Errorf("%w: the task has no steps, and the plan without steps is excluded", ErrGrammar)
	}
	b.root = b.wrap()
	return nil
}

// readable refuses names that cannot be read in a plan.
func (b *grammarBuilder) readable() error {
	var bad error
	check := func(kind, name string) {
		plan, diags := pddl.ParsePlan(pddl.NewSource("plan", "("+name+")"))
		if bad == nil && (diags.HasErrors() || len(plan.Steps) != 1 || plan.Steps[0].Name != name) {
			bad = fmt.Errorf("%w: %s %q cannot stand in a plan", ErrGrammar, kind, name)
		}
	}
	for _, a := range b.prob.Domain.Actions {
		check("action", a.Name)
	}
	for i := range b.prob.Objects {
		check("object", b.prob.Objects[i].Name)
	}
	return bad
}

// lifted makes one alternative per schema, unless a parameter has no objects.
func (b *grammarBuilder) lifted() []*expr {
	var out []*expr
	for _, a := range b.prob.Domain.Actions {
		parts := []*expr{literal("(" + atomtext.LowerASCII(a.Name))}
		for _, v := range a.Vars[:a.NumParams] {
			objects := b.objects(v.Type)
			if objects == nil {
				parts = nil
				break
			}
			parts = append(parts, literal(" "), objects)
		}
		if len(parts) > 1 { // "(stack" and " " are one text
			parts = append([]*expr{literal(parts[0].text + parts[1].text)}, parts[2:]...)
		}
		if parts == nil {
			b.g.LeftOut = append(b.g.LeftOut, a.Name)
			continue
		}
		b.g.Schemas = append(b.g.Schemas, a.Name)
		if len(parts) == 1 {
			parts[0].text += ")"
		} else {
			parts = append(parts, literal(")"))
		}
		out = append(out, b.rule("act-"+a.Name, sequence(parts...)))
	}
	return out
}

// objects returns the choice of the objects of a type, nil if there are none.
func (b *grammarBuilder) objects(t pddl.TypeID) *expr {
	if e, ok := b.byType[t]; ok {
		return e
	}
	var e *expr
	if ids := b.prob.ObjectsOfType(t); len(ids) > 0 {
		kids := make([]*expr, len(ids))
		for i, id := range ids {
			kids[i] = literal(atomtext.LowerASCII(b.prob.Objects[id].Name))
		}
		e = b.rule("obj-"+b.prob.Domain.TypeName(t), choice(kids))
	}
	b.byType[t] = e
	return e
}

// ground makes one alternative per schema with steps. In it, steps with a common beginning share it.
func (b *grammarBuilder) ground() []*expr {
	steps := map[string][]string{}
	seen := map[string]bool{}
	for _, step := range b.o.Actions {
		name, _, _ := strings.Cut(strings.Trim(step, "()"), " ")
		text := step
		if b.o.Tell != nil {
			text = b.o.Tell(step)
		}
		if !seen[text] {
			seen[text] = true
			steps[name] = append(steps[name], text)
			b.g.Steps++
		}
	}
	var out []*expr
	for _, a := range b.prob.Domain.Actions {
		list := steps[atomtext.LowerASCII(a.Name)]
		if len(list) == 0 {
			b.g.LeftOut = append(b.g.LeftOut, a.Name)
			continue
		}
		b.g.Schemas = append(b.g.Schemas, a.Name)
		out = append(out, b.rule("act-"+a.Name, trie(list)))
	}
	return out
}

// wrap puts the steps, each with a line end, into the tags of the wrap.
func (b *grammarBuilder) wrap() *expr {
	var parts []*expr
	if b.step != nil {
		kind := exprMany
		if b.o.NonEmpty {
			kind = exprSome
		}
		line := &expr{kind: exprRule, name: "step", kids: []*expr{sequence(b.step, literal("\n"))}}
		b.rules = append([]*expr{line}, b.rules...)
		parts = append(parts, &expr{kind: kind, kids: []*expr{line}})
	}
	before, after := "", ""
	switch b.o.Wrap {
	case WrapPlan:
		before, after = "[PLAN]\n", "[PLAN END]\n"
	case WrapTags, WrapThink:
		before, after = "<plan>\n", "</plan>\n"
	}
	if before != "" {
		parts = append(append([]*expr{literal(before)}, parts...), literal(after))
	}
	if b.o.Wrap == WrapThink {
		parts = append([]*expr{literal("<think>"), {kind: exprFree, text: "</think>\n"}}, parts...)
	}
	return sequence(parts...)
}
