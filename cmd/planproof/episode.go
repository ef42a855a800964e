package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/llmbridge/episode"
	"github.com/planproof/planproof/rltrain/dataset"
	"github.com/planproof/planproof/search"
)

var episodeCommand = command{
	name: "episode", usage: "plan under constraints that come to light while one plans", args: "SUBCOMMAND",
	subs: []command{
		{
			name: "profile", usage: "draw hidden constraints of a task that leave it solvable", args: "DOMAIN PROBLEM",
			spec: `rounds:int=2 seed:uint64=1 nodes:int64 +limits +strict`, wholeTime: true,
			action: func(e env) error {
				o, base, err := e.episodeOptions()
				if err != nil {
					return err
				}
				p, err := e.OnlyTask()
				if err != nil {
					return err
				}
				profile, err := episode.Draw(e.Context.Context, p, base.Rounds, o.Seed, o.Limits)
				if err != nil {
					return e.Faults(err)
				}
				return e.Print(profile, profile.WriteText)
			},
		},
		{
			name: "run", usage: "let scripted agents and models play episodes, and measure them", args: "TASK... | DOMAIN PROBLEM",
			spec: fmt.Sprintf(`agents=%s episodes:int=20 rounds:int=2 seed:uint64=1 nodes:int64 ablations recall:bool refine:bool source
				templates draw +model +limits +strict`, strings.Join(episode.AgentNames, ",")),
			wholeTime: true,
			action:    runEpisodes,
		},
	},
}

func runEpisodes(e env) error {
	o, base, err := e.episodeOptions()
	if err != nil {
		return err
	}
	if base.Memory, base.Refine, base.Source = e.Bool("recall"), e.Bool("refine"), e.String("source"); e.IsSet("ablations") {
		if o.Settings, err = episode.Ablations(e.String("ablations"), base); err != nil {
			return fmt.Errorf("--ablations: %w", err)
		}
	} else {
		o.Settings = []episode.Setting{base}
	}
	if o.Agents, err = episode.ParseAgents(e.String("agents")); err != nil {
		return fmt.Errorf("--agents: %w", err)
	}
	tasks, err := e.episodeTasks()
	if err != nil {
		return err
	}
	if len(e.StringSlice("model")) > 0 || e.String("replay") != "" {
		set, err := e.models()
		if err != nil {
			return err
		}
		defer set.Close()
		o.Models, o.Model = set.Models, episode.ModelOptions{Templates: e.String("templates"), Temperature: e.Float64("temperature"), TopP: e.Float64("top-p"), MaxTokens: e.Int("max-tokens")}
	}
	o.Episodes, o.JSON = e.Int("episodes"), e.Bool("json")
	bar := e.CountProgress(o.Episodes*len(tasks)*len(o.Settings), "profiles")
	defer bar.Done()
	o.Done = bar.Set
	list, err := episode.Play(e.Context.Context, tasks, e.Stdout, &o)
	if err == nil && e.String("draw") != "" {
		err = e.WriteFile(e.String("draw"), func(w io.Writer) error { return episode.Chart(w, list) })
	}
	return e.Faults(err)
}

// episodeTasks reads bundled tasks, also ranges of them, or one task of files.
func (e env) episodeTasks() (tasks []episode.Task, err error) {
	if args := e.Args().Slice(); len(args) == 0 || !taskref.IsBundled(args[0]) {
		p, err := e.OnlyTask()
		return []episode.Task{{Problem: p}}, err
	}
	for _, arg := range e.Args().Slice() {
		names, err := domains.Range(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			p, err := e.Bundled(name)
			if err != nil {
				return nil, err
			}
			structure := dataset.StructureOf(p)
			tasks = append(tasks, episode.Task{Name: name, Structure: structure.String(), Problem: p})
		}
	}
	return tasks, nil
}

// episodeOptions reads the flags that both subcommands have.
func (e env) episodeOptions() (o episode.Options, base episode.Setting, err error) {
	base.Rounds, o.Seed = e.Int("rounds"), e.Uint64("seed")
	if base.Rounds < episode.Low || base.Rounds > episode.High {
		return o, base, fmt.Errorf("--rounds is from %d (low) to %d (high)", episode.Low, episode.High)
	}
	lim, err := e.Limits()
	o.Limits = search.Limits{Memory: lim.Memory, Nodes: e.Int64("nodes")}
	return o, base, err
}
