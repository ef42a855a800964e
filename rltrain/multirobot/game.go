package multirobot

import (
	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/prompt"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/rltrain/reward"
)

// MaxTurns bounds the answers of a game.
const MaxTurns = 64

// Game is a plan that is made step by step (REPLAN): each answer holds one step, and is answered with the state after
// it. It is over when every object is at its target, or with the first answer that cannot be read or
// whose step is not legal.
type Game struct {
	opt   Options
	req   *request
	j     *boxnet.Judge
	st    *boxnet.State
	plan  boxnet.Plan
	turns int
	most  int
	think bool  // every answer had its thoughts
	bad   error // of an answer that cannot be read
	fault bool  // of a step that is not legal
}

// NewGame begins a game. The row holds the task with its proved optimum, as boxnet solve --json writes it, and the
// reading, by default [boxnet.Default]; most bounds the answers, 0 is MaxTurns.
func NewGame(row []byte, spec *reward.Spec, most int) (*Game, error) {
	in, err := boxnet.ReadInstance(row, true)
	if err != nil {
		return nil, err
	}
	req, err := readTask(row)
	if err != nil {
		return nil, err
	}
	if err := in.CheckReading(req.reading); err != nil {
		return nil, rowjson.At(rowjson.CodeValue, "reading", err)
	}
	if most == 0 {
		most = MaxTurns
	}
	return newGame(boxnet.NewJudge(in, req.reading), req, Options{Reading: req.reading, Spec: spec}, most), nil
}

func newGame(j *boxnet.Judge, req *request, opt Options, most int) *Game {
	return &Game{opt: opt, req: req, j: j, st: j.Start(), most: most, think: true}
}

// Prompt asks for the first step.
func (g *Game) Prompt() string { return prompt.Replan(g.j.Instance) }

// Observation is what the next turn shows.
func (g *Game) Observation() string { return prompt.Observation(g.j.Instance, g.st) }

// Structure is the hash of the task up to names and symmetries.
func (g *Game) Structure() string { return g.j.Instance.Structure() }

// Executed is the number of steps that have been carried out.
func (g *Game) Executed() int {
	if g.fault {
		return len(g.plan) - 1
	}
	return len(g.plan)
}

// Turns is the number of answers so far.
func (g *Game) Turns() int { return g.turns }

// Steps are the steps that have been carried out, as answers write them.
func (g *Game) Steps() []string {
	list := []string{}
	for _, s := range g.plan[:g.Executed()] {
		list = append(list, s.Text())
	}
	return list
}

// Over reports whether the game has ended.
func (g *Game) Over() bool {
	return g.fault || g.bad != nil || g.turns >= g.most || len(g.j.Away(g.st)) == 0
}

// Take reads an answer and carries out its step; a game that is over stays as it is.
func (g *Game) Take(answer string) {
	if g.Over() {
		return
	}
	g.turns++
	a := prompt.ReadStep(answer)
	g.think = g.think && a.Think
	if g.bad = a.Err; g.bad != nil {
		return
	}
	g.plan = append(g.plan, a.Plan...)
	g.fault = g.j.Step(g.st, a.Plan[0], new(boxnet.Scratch)) != nil
}

// result judges the plan: whether all answers had thoughts, the verdict, and whether all could be read.
func (g *Game) result() (think bool, res *boxnet.Result, readable bool) {
	if g.bad != nil {
		return g.think, g.j.JudgeRead(g.plan, len(g.plan)+1, g.bad), false
	}
	return g.think, g.j.Judge(g.plan), true
}

// Score is the score of the plan as it is.
func (g *Game) Score() *Score {
	think, res, readable := g.result()
	s := g.opt.rate(g.req, think, res, readable)
	s.ID = rowjson.Null
	return s
}

// IsTask reports whether a value is an object with a task of several robots.
func IsTask(raw []byte) (is bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return false
	}
	_ = rowjson.EachMember(raw, func(name string, _ []byte) error {
		is = is || name == "robots"
		return nil
	})
	return is
}
