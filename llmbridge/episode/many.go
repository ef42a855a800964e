package episode

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Options of [Play].
type Options struct {
	Agents   []string // of AgentNames
	Episodes int      // profiles, each played by every agent
	Rounds   int      // of a profile: Low, Mid or High
	Seed     uint64   // of the first profile
	Limits   search.Limits
	// JSON asks for the episodes as JSON Lines; otherwise the metrics of each agent are written in the end.
	JSON bool
	// Done is called after each profile, with their number so far; nil for nothing.
	Done func(int)
}

// ParseAgents reads a list of names.
func ParseAgents(text string) (list []string, err error) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if _, err := NewAgent(name, nil, &Profile{}, 0, search.Limits{}); err != nil {
			return nil, err
		}
		list = append(list, name)
	}
	return list, nil
}

// Play draws profiles of a task and lets agents play them. The same options give the same rows.
func Play(ctx context.Context, prob *pddl.Problem, w io.Writer, o Options) ([]*Metrics, error) {
	rows := map[string][]*Row{}
	for i := range o.Episodes {
		seed := o.Seed + uint64(i)
		p, err := Draw(ctx, prob, o.Rounds, seed, o.Limits)
		if err != nil {
			return nil, err
		}
		env, err := NewEnv(prob, p)
		if err != nil {
			return nil, err
		}
		for _, name := range o.Agents {
			agent, err := NewAgent(name, prob, p, seed, o.Limits)
			if err != nil {
				return nil, err
			}
			row, err := env.Run(ctx, agent)
			if err != nil {
				return nil, fmt.Errorf("seed %d, agent %s: %w", seed, name, err)
			}
			row.Task, row.Agent, row.Seed = prob.Name, name, seed
			rows[name] = append(rows[name], row)
			if o.JSON {
				if err := rowjson.WriteLine(w, row); err != nil {
					return nil, err
				}
			}
		}
		if o.Done != nil {
			o.Done(i + 1)
		}
	}
	var list []*Metrics
	for _, name := range o.Agents {
		m := Measure(name, rows[name])
		if list = append(list, m); !o.JSON {
			if err := m.WriteText(w); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
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
