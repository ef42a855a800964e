package episode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// A Task is played by every agent. Tasks of one Structure are drawn together by the bootstrap.
type Task struct {
	Name      string
	Structure string
	Problem   *pddl.Problem
}

// Setting varies the protocol, for ablations.
type Setting struct {
	Name   string
	Rounds int    // of a profile: Low, Mid or High
	Source string // "world" or "user" for constraints of that kind only
	// Memory ends feedback with all that is disclosed, Refine tells what the rubric finds (see [Env]). Forget makes the agent
	// "optimal" know only what the last feedback told.
	Memory, Refine, Forget bool
	// Temperature of models; nil for that of the options.
	Temperature *float64
}

// AblationNames are the ablations of AdaPlanBench.
var AblationNames = []string{"level", "memory", "rubric", "source", "temperature"}

// Ablations are the settings of some ablations, each a variation of a given setting. "all" stands for all of them.
func Ablations(names string, base Setting) (list []Setting, err error) {
	add := func(name string, change func(*Setting)) {
		s := base
		s.Name = name
		change(&s)
		list = append(list, s)
	}
	wanted := strings.Split(names, ",")
	if names == "all" {
		wanted = AblationNames
	}
	for _, name := range wanted {
		switch strings.TrimSpace(name) {
		case "level":
			for i, level := range []string{"low", "mid", "high"} {
				add("level="+level, func(s *Setting) { s.Rounds = Low + i })
			}
		case "memory":
			add("memory=off", func(s *Setting) { s.Memory, s.Forget = false, true })
			add("memory=on", func(s *Setting) { s.Memory = true })
		case "rubric":
			add("rubric=off", func(s *Setting) { s.Refine = false })
			add("rubric=on", func(s *Setting) { s.Refine = true })
		case "source":
			for _, source := range []string{"world", "user", "both"} {
				add("source="+source, func(s *Setting) { s.Source = source })
			}
		case "temperature":
			for _, t := range []float64{0, 0.3, 0.7, 1} {
				add(fmt.Sprintf("temperature=%g", t), func(s *Setting) { s.Temperature = &t })
			}
		default:
			return nil, fmt.Errorf("there is no ablation %q; there are %s, and all", name, strings.Join(AblationNames, ", "))
		}
	}
	return list, nil
}

// Options of [Play].
type Options struct {
	Agents   []string // of AgentNames
	Models   []model.Model
	Model    ModelOptions
	Settings []Setting
	Episodes int    // profiles of each task, each played by every agent in every setting
	Seed     uint64 // of the first profile
	Limits   search.Limits
	// JSON asks for the episodes as JSON Lines; otherwise the metrics of each agent are written in the end.
	JSON bool
	// Done is called after each profile and setting, with their number so far; nil for nothing.
	Done func(int)
}

// ParseAgents reads a list of names; "" is none.
func ParseAgents(text string) (list []string, err error) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if _, err := NewAgent(name, nil, &Profile{}, 0, search.Limits{}); err != nil {
			return nil, err
		}
		list = append(list, name)
	}
	return list, nil
}

// player plays and collects.
type player struct {
	o    *Options
	w    io.Writer
	rows map[[2]string][]*Row // by agent and setting
	keys [][2]string
	done int
}

// Play draws profiles of tasks and lets agents play them. The same options give the same rows; answers of models come
// from their transcript where it has them, so a run that was ended is continued with the same bytes.
func Play(ctx context.Context, tasks []Task, w io.Writer, o *Options) ([]*Metrics, error) {
	p := &player{o: o, w: w, rows: map[[2]string][]*Row{}}
	for i := range tasks {
		for k := range o.Episodes {
			for s := range o.Settings {
				if err := p.profile(ctx, &tasks[i], &o.Settings[s], o.Seed+uint64(k)); err != nil {
					return nil, fmt.Errorf("%s: %w", tasks[i].Name, err)
				}
				if p.done++; o.Done != nil {
					o.Done(p.done)
				}
			}
		}
	}
	slices.SortStableFunc(p.keys, func(a, b [2]string) int { return p.order(a[1]) - p.order(b[1]) })
	var list []*Metrics
	for _, key := range p.keys {
		m := measure(key[0], key[1], p.rows[key])
		if list = append(list, m); !o.JSON {
			if err := m.WriteText(w); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

func (p *player) order(setting string) int {
	return slices.IndexFunc(p.o.Settings, func(s Setting) bool { return s.Name == setting })
}

// profile draws one profile and lets all agents play.
func (p *player) profile(ctx context.Context, t *Task, s *Setting, seed uint64) error {
	profile, err := Draw(ctx, t.Problem, s.Rounds, seed, p.o.Limits)
	if err == nil {
		err = profile.only(ctx, t.Problem, s.Source, p.o.Limits)
	}
	if err != nil {
		return err
	}
	env, err := NewEnv(t.Problem, profile)
	if err != nil {
		return err
	}
	env.Memory, env.Refine = s.Memory, s.Refine
	for _, name := range p.o.Agents {
		scripted := name
		if name == "optimal" && s.Forget {
			scripted = "forgetful"
		}
		agent, err := NewAgent(scripted, t.Problem, profile, seed, p.o.Limits)
		if err != nil {
			return err
		}
		if err := p.play(ctx, env, agent, &Row{Task: t.Name, structure: t.Structure, Agent: name, Setting: s.Name, Seed: seed}); err != nil {
			return err
		}
	}
	for _, m := range p.o.Models {
		opt := p.o.Model
		if s.Temperature != nil {
			opt.Temperature = *s.Temperature
		}
		agent, err := newModelAgent(ctx, m, t.Problem, seed, opt)
		if err != nil {
			return err
		}
		if err := p.play(ctx, env, agent, &Row{Task: t.Name, structure: t.Structure, Agent: m.Name(), Setting: s.Name, Seed: seed}); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) play(ctx context.Context, env *Env, agent Agent, names *Row) error {
	row, err := env.Run(ctx, agent)
	if err != nil {
		return fmt.Errorf("seed %d, agent %s: %w", names.Seed, names.Agent, err)
	}
	row.Task, row.structure, row.Agent, row.Setting, row.Seed = names.Task, names.structure, names.Agent, names.Setting, names.Seed
	key := [2]string{row.Agent, row.Setting}
	if p.rows[key] == nil {
		p.keys = append(p.keys, key)
	}
	p.rows[key] = append(p.rows[key], row)
	if p.o.JSON {
		return rowjson.WriteLine(p.w, row)
	}
	return nil
}

// only leaves the constraints of one source in a profile, with the witness of these.
func (p *Profile) only(ctx context.Context, prob *pddl.Problem, source string, lim search.Limits) error {
	switch source {
	case "world":
		p.User = nil
	case "user":
		p.World = nil
	default:
		return nil
	}
	if err := p.Parse(prob); err != nil {
		return err
	}
	d := &drawer{ctx: ctx, prob: prob, lim: lim}
	a, err := d.solve(p.list)
	if err != nil {
		return err
	}
	if a == nil {
		return errors.New("a part of a solvable profile is unsolvable")
	}
	p.Witness, p.Cost = a.Plan, a.Cost
	return nil
}

// Chart draws the accuracy of each agent and setting with its Wilson interval; the mark is the valid-plan rate.
func Chart(w io.Writer, list []*Metrics) error {
	var bars []eval.Bar
	for _, m := range list {
		bars = append(bars, eval.Bar{
			Label: strings.TrimSpace(m.Agent + " " + m.Setting), Rate: m.Accuracy.Rate, Interval: m.Accuracy.Wilson, Mark: m.VPR.Rate,
			Note: fmt.Sprintf("%d episodes", m.Episodes),
		})
	}
	return eval.WriteChart(w, "accuracy with 95 % Wilson intervals; the mark is the valid-plan rate", bars)
}

// WriteText writes a profile for people.
func (p *Profile) WriteText(w io.Writer) error {
	for _, part := range []struct {
		name string
		list []string
	}{{"world", p.World}, {"user", p.User}} {
		for _, c := range part.list {
			if _, err := fmt.Fprintf(w, "%-6s %s\n", part.name, c); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "a plan of cost %s keeps all of them; %d candidates would have left none\n", p.Cost, p.Rejected)
	return err
}
