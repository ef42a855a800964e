package oracle

import "github.com/planproof/planproof/rltrain/reward"

// About is what a client learns about an oracle.
type About struct {
	Schema  string        `json:"schema"`
	Version string        `json:"version"`
	Build   string        `json:"build"`
	Schemas []string      `json:"schemas"`
	Rewards []AboutReward `json:"rewards"`
	Default string        `json:"default_reward"`
	Tasks   int           `json:"tasks"`
	Limits  AboutLimits   `json:"limits"`
}

// AboutReward is a reward that requests can name.
type AboutReward struct {
	Name           string  `json:"name"`
	SHA            string  `json:"spec_sha"`
	Max            float64 `json:"max"`
	NeedsDistances bool    `json:"needs_distances"`
}

// AboutLimits are the limits that a client can keep to.
type AboutLimits struct {
	Items         int `json:"items"`
	ResponseBytes int `json:"response_bytes"`
	PlanSteps     int `json:"plan_steps"`
}

// About describes the oracle.
func (o *Oracle) About() About {
	a := About{
		Schema: "planproof.version/1", Version: o.opt.Version, Build: o.opt.Build, Default: o.reward.Name, Tasks: o.opt.Tasks.Len(),
		Limits: AboutLimits{o.opt.Limits.Items, o.opt.Limits.ResponseBytes, o.opt.Limits.PlanSteps},
	}
	for _, op := range Ops() {
		a.Schemas = append(a.Schemas, op.Schema())
	}
	for _, r := range append(reward.Builtin()[:len(reward.Builtin()):len(reward.Builtin())], o.opt.Rewards...) {
		a.Rewards = append(a.Rewards, AboutReward{r.Name, r.SHA(), r.Max, r.NeedsDistances})
	}
	return a
}

// Tasks are the loaded tasks, nil for none.
func (o *Oracle) Tasks() *TaskSet { return o.opt.Tasks }
