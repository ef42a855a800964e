package episode

// A Game is an episode that is being played, for callers that have the plans one at a time. [Env.Run] plays a whole one.
type Game struct {
	env   *Env
	row   *Row
	told  *history
	turns int // after which it ends
	quiet int // turns in a row without a newly disclosed violation
	done  bool
}

// Begin begins an episode of at most so many turns; [MaxTurns] is the paper's.
func (e *Env) Begin(turns int) *Game {
	return &Game{
		env: e, turns: turns, told: &history{disclosed: map[string]bool{}, seen: map[string]bool{}},
		row: &Row{World: len(e.profile.World), User: len(e.profile.User), Optimum: e.profile.Cost.String(), End: EndTurns, Status: StatusOK},
	}
}

// Done reports whether the episode has ended.
func (g *Game) Done() bool { return g.done }

// Row is the episode so far; its end is that of an episode only when it is done.
func (g *Game) Row() *Row { return g.row }

// Take judges a plan and says what the protocol lets it say. An error is a limit of the judge: the episode is as before.
func (g *Game) Take(plan *Proposal) (*Turn, error) {
	e, row := g.env, g.row
	t, cost, err := e.turn(plan, g.told, row)
	if err != nil {
		return nil, err
	}
	row.Passed, row.Cost, row.Accurate = t.Passed, cost, t.Passed && t.Rubric.pass()
	if e.Memory && !t.Passed {
		t.Feedback += g.told.reminder()
	}
	met := t.Passed && (row.Accurate || !e.Refine)
	if e.Refine && !met {
		t.Feedback += t.Rubric.words()
	}
	row.Turns = append(row.Turns, t)
	if g.quiet++; len(t.New) > 0 {
		g.quiet = 0
	}
	switch g.done = true; {
	case met:
		row.End = EndPassed
	case g.quiet == Patience:
		row.End = EndPatience
	case len(row.Turns) == g.turns:
		row.End = EndTurns
	default:
		g.done = false
	}
	return &row.Turns[len(row.Turns)-1], nil
}
