package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

var grammarCommand = command{
	name: "grammar", usage: "the language of a task's plans, for decoders that keep to one", args: "DOMAIN PROBLEM",
	spec: fmt.Sprintf(`format=gbnf ground:bool wrap=none style=pddl templates non-empty:bool max-actions:int=%v
		max-bytes=4MB output,o +strict +limits`, constrain.DefaultGrammarActions),
	wholeTime: true, wholeMemory: true,
	action: func(e env) error {
		p, err := e.OnlyTask()
		if err != nil {
			return err
		}
		return e.writeGrammar(p)
	},
}

// bridgeLimits reads the limits for what llmbridge grounds or searches.
func (e env) bridgeLimits() (search.Limits, error) {
	lim, err := e.Limits()
	if err != nil {
		return search.Limits{}, err
	}
	return e.SearchLimits(lim, "reading")
}

func (e env) writeGrammar(p *pddl.Problem) error {
	o := constrain.GrammarOptions{
		Format: constrain.GrammarFormat(e.String("format")), Wrap: constrain.GrammarWrap(e.String("wrap")),
		NonEmpty: e.Bool("non-empty"), MaxActions: e.Int("max-actions"),
	}
	size, err := cmdline.ParseSize(e.String("max-bytes"))
	if err != nil || o.MaxActions < 1 {
		return errors.Join(err, errors.New("--max-actions and --max-bytes must be positive"))
	}
	o.MaxBytes = int(size)
	lim, err := e.bridgeLimits()
	if err != nil {
		return err
	}
	switch style := e.String("style"); {
	case style != "pddl" && style != "nl":
		return fmt.Errorf("--style %s: it is pddl or nl", style)
	case style == "nl" && !e.Bool("ground"):
		return errors.New("--style nl needs --ground: sentences are made of ground actions")
	case style == "nl":
		r, ok := prompt.NewRenderer(p, e.String("templates"))
		if !ok {
			return fmt.Errorf("no templates %q suit this domain", e.String("templates"))
		}
		o.Tell = r.Step
	}
	if e.Bool("ground") {
		if o.Actions, err = constrain.GroundActions(e.Context.Context, p, lim); err != nil {
			return e.Stopped(err)
		}
	}
	g, err := constrain.NewGrammar(p, o)
	if err != nil {
		return e.Stopped(err)
	}
	if len(g.LeftOut) > 0 {
		fmt.Fprintf(e.Stderr, "planproof: left out, having no legal step here: %s\n", strings.Join(g.LeftOut, ", "))
	}
	if path := e.String("output"); path != "" {
		if err := e.WriteText(path, g.Text); err != nil {
			return err
		}
	}
	if e.Bool("json") {
		return rowjson.WriteLine(e.Stdout, g)
	}
	if e.String("output") == "" {
		fmt.Fprint(e.Stdout, g.Text)
		if !strings.HasSuffix(g.Text, "\n") { // a regular expression, which -o writes as it is
			fmt.Fprintln(e.Stdout)
		}
	}
	return nil
}

var maskCommand = command{
	name: "mask", usage: "the steps that can come after a prefix of a plan", args: "DOMAIN PROBLEM [PREFIX]",
	spec:      `lifted:bool +strict +limits`,
	wholeTime: true, wholeMemory: true,
	action: func(e env) error {
		p, rest, err := e.Task()
		if err != nil {
			return err
		}
		if len(rest) > 1 {
			return fmt.Errorf("unexpected argument %q", rest[1])
		}
		var steps []string
		if len(rest) == 1 {
			src, err := e.ReadSource(rest[0])
			if err != nil {
				return err
			}
			plan, diags := pddl.ParsePlan(src)
			diags.Format(e.Stderr)
			if diags.HasErrors() {
				return e.Refuse(diags)
			}
			for i := range plan.Steps {
				steps = append(steps, plan.Steps[i].String())
			}
		}
		return e.printMask(p, steps)
	},
}

func (e env) printMask(p *pddl.Problem, steps []string) error {
	lim, err := e.bridgeLimits()
	if err != nil {
		return err
	}
	m, err := constrain.NewMasker(e.Context.Context, p, constrain.MaskOptions{Lifted: e.Bool("lifted"), Limits: lim})
	if err != nil {
		return e.Stopped(err)
	}
	r, err := m.Within(e.Context.Context).Report(steps)
	if err != nil {
		return e.Stopped(err)
	}
	if !e.Bool("json") || r.Error != "" {
		r.WriteText(e.Stdout, e.Stderr)
	}
	if e.Bool("json") {
		err = rowjson.WriteLine(e.Stdout, r)
	}
	if err == nil && r.Error != "" {
		err = exit(exitNo)
	}
	return err
}
