package oracle

import (
	"fmt"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/reward"
)

// EnvKind is an environment for training: what one action of an episode is.
type EnvKind string

// Environments.
const (
	EnvPlanOnce EnvKind = "plan_once" // an action is a whole answer; the episode ends with it
	EnvPlanStep EnvKind = "plan_step" // an action is one step of a plan
	// An action is a whole answer, after which violated constraints come to light (package episode).
	EnvPlanAdapt EnvKind = "plan_adapt"
	// An action is an answer with the next step of several robots, which is answered with the state (package multirobot).
	EnvBoxnetReplan EnvKind = "boxnet_replan"
)

// Limits of an episode of plan_step, in actions, executed or not.
const (
	defaultEnvSteps = 100
	maxEnvSteps     = 10_000
)

// Observation is what an episode tells. The members are the same in every observation of
// all environments.
type Observation struct {
	Task   string `json:"task"`   // the task's hash
	Prompt string `json:"prompt"` // after reset; "" later
	System string `json:"system"` // likewise: the system message, if the task has one
	// Verdict and Components are set when the episode is over: docs/ORACLE.md, score.
	Verdict    string            `json:"verdict"`
	Components reward.Components `json:"components"`
	Message    string            `json:"message"` // why, in words
	// The rest is of plan_step: the state in words and as facts, the steps that can come
	// next, and how many have been executed.
	State    string   `json:"state"`
	Facts    []string `json:"facts"`
	Actions  []string `json:"actions"`
	Executed int      `json:"executed"`
	// Step is the step that was executed, as PDDL, "" if none was.
	Step string `json:"step"`
	// Of plan_adapt: the constraints that the last plan violates and that are told, those for the first time and those
	// again; and why the episode is over (episode.EndPassed, ...).
	Disclosed []string `json:"disclosed"`
	Repeated  []string `json:"repeated"`
	End       string   `json:"end"`
	// Reader reads the actions.
	Reader extract.Kind `json:"reader"`
}

// StepResult is the answer to a reset or an action.
type StepResult struct {
	Observation *Observation `json:"observation"`
	Reward      *float64     `json:"reward"` // null after reset
	Done        bool         `json:"done"`
}

// EpisodeState is what is known of an episode from outside.
type EpisodeState struct {
	EpisodeID string   `json:"episode_id"`
	StepCount int      `json:"step_count"`
	Task      string   `json:"task"`
	Plan      []string `json:"plan"` // executed steps, of plan_step
	Done      bool     `json:"done"`
}

// EnvError is why an environment has no answer. Its code is one of OpenEnv's.
type EnvError struct{ Code, Message string }

// Codes of an EnvError.
const (
	EnvInvalidJSON = "INVALID_JSON"
	EnvUnknownType = "UNKNOWN_TYPE"
	EnvValidation  = "VALIDATION_ERROR" // the message is not as it must be
	EnvExecution   = "EXECUTION_ERROR"  // no statement can be made: never a reward of 0
	EnvCapacity    = "CAPACITY_REACHED" // too many sessions
	EnvSession     = "SESSION_ERROR"    // no episode, or it is over
)

// Error implements error.
func (e *EnvError) Error() string { return e.Code + ": " + e.Message }

func envInvalid(format string, args ...any) error {
	return &EnvError{EnvValidation, fmt.Sprintf(format, args...)}
}
