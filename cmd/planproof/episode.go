package main

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/llmbridge/episode"
	"github.com/planproof/planproof/search"
)

var episodeCommand = command{
	name: "episode", usage: "plan under constraints that come to light while one plans", args: "SUBCOMMAND",
	subs: []command{
		{
			name: "profile", usage: "draw hidden constraints of a task that leave it solvable", args: "DOMAIN PROBLEM",
			spec: `rounds:int=2 seed:uint64=1 nodes:int64 +limits +strict`, wholeTime: true,
			action: func(e env) error {
				o, err := e.episodeOptions()
				if err != nil {
					return err
				}
				p, err := e.OnlyTask()
				if err != nil {
					return err
				}
				profile, err := episode.Draw(e.Context.Context, p, o.Rounds, o.Seed, o.Limits)
				if err != nil {
					return e.Faults(err)
				}
				return e.Print(profile, profile.WriteText)
			},
		},
		{
			name: "run", usage: "let scripted agents play episodes, and measure them", args: "DOMAIN PROBLEM",
			spec:      fmt.Sprintf(`agents=%s episodes:int=20 rounds:int=2 seed:uint64=1 nodes:int64 +limits +strict`, strings.Join(episode.AgentNames, ",")),
			wholeTime: true,
			action: func(e env) error {
				o, err := e.episodeOptions()
				if err != nil {
					return err
				}
				if o.Agents, err = episode.ParseAgents(e.String("agents")); err != nil {
					return fmt.Errorf("--agents: %w", err)
				}
				p, err := e.OnlyTask()
				if err != nil {
					return err
				}
				o.Episodes, o.JSON = e.Int("episodes"), e.Bool("json")
				bar := e.CountProgress(o.Episodes, "profiles")
				defer bar.Done()
				o.Done = bar.Set
				_, err = episode.Play(e.Context.Context, p, e.Stdout, o)
				return e.Faults(err)
			},
		},
	},
}

// episodeOptions reads the flags that both subcommands have.
func (e env) episodeOptions() (o episode.Options, err error) {
	o.Rounds, o.Seed = e.Int("rounds"), e.Uint64("seed")
	if o.Rounds < episode.Low || o.Rounds > episode.High {
		return o, fmt.Errorf("--rounds is from %d (low) to %d (high)", episode.Low, episode.High)
	}
	lim, err := e.Limits()
	o.Limits = search.Limits{Memory: lim.Memory, Nodes: e.Int64("nodes")}
	return o, err
}
