package mcpserver

import (
	"context"
	"slices"
)

type openIn struct {
	taskIn
	limits
	Steps []string `json:"steps,omitempty" jsonschema:"steps to begin with"`
}

type sessionIn struct {
	limits
	Session string `json:"session"`
}

type sessionStepIn struct {
	sessionIn
	Steps []string `json:"steps" jsonschema:"the steps to take; either all of them are taken or none"`
}

type undoIn struct {
	sessionIn
	Steps int `json:"steps,omitempty" jsonschema:"how many steps to take back; 1 by default"`
}

type closed struct {
	Closed string `json:"closed"`
	Steps  int    `json:"steps" jsonschema:"that had been taken"`
}

func (s *Server) addSessions() {
	add[openIn, place](s, "session_open",
		"Begin a walk through a task: the state, the steps that can come next, and an id for the other session tools.",
		(*call).open)
	add[sessionStepIn, place](s, "session_step",
		"Take steps in a session: what changed, what holds, what can come next, and the verdict on the steps so far.",
		(*call).step)
	add[undoIn, place](s, "session_undo", "Take steps back.", (*call).undo)
	add[sessionIn, place](s, "session_fork",
		"Copy a session, to try something without losing where it is.", (*call).fork)
	add[sessionIn, place](s, "session_state", "Say where a session is.", func(c *call, in *sessionIn) (any, error) {
		return c.inWalk(in.Session, func(steps []string) ([]string, int, error) { return steps, len(steps), nil })
	})
	add[sessionIn, closed](s, "session_close", "Close a session.", func(c *call, in *sessionIn) (any, error) {
		w, err := c.space.walk(in.Session)
		if err != nil {
			return nil, err
		}
		c.space.drop(w.id)
		return &closed{w.id, len(w.taken())}, nil
	})
}

// taken returns a copy of the steps of a walk.
func (w *walk) taken() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.steps)
}

func (c *call) open(in *openIn) (any, error) {
	if in.Session != "" {
		return nil, problem(BadInput, "call session_fork", "a session is opened on a task, not on another session")
	}
	t, m, steps, err := c.walkOf(&stepsIn{taskIn: in.taskIn, limits: in.limits, Steps: in.Steps})
	if err != nil {
		return nil, err
	}
	p, err := c.placeOf(t, m, steps, 0)
	if err != nil {
		return nil, err
	}
	w, err := c.space.open(t, m.Within(context.Background()), p.Steps)
	if err != nil {
		return nil, err
	}
	p.Session = w.id
	return p, nil
}

// inWalk changes the steps of a walk behind the first n, and says where that leads.
func (c *call) inWalk(id string, change func(steps []string) (changed []string, n int, err error)) (*place, error) {
	w, err := c.space.walk(id)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	steps, n, err := change(w.steps)
	if err != nil {
		return nil, err
	}
	if _, err := c.plan(steps); err != nil {
		return nil, err
	}
	p, err := c.placeOf(w.task, w.masker.Within(c.ctx), steps, n)
	if err != nil {
		return nil, err
	}
	w.steps, p.Session = slices.Clone(steps), id
	return p, nil
}

func (c *call) step(in *sessionStepIn) (any, error) {
	if _, err := c.plan(in.Steps); err != nil {
		return nil, err
	}
	return c.inWalk(in.Session, func(steps []string) ([]string, int, error) {
		return append(slices.Clone(steps), in.Steps...), len(steps), nil
	})
}

func (c *call) undo(in *undoIn) (any, error) {
	n := in.Steps
	if n == 0 {
		n = 1
	}
	return c.inWalk(in.Session, func(steps []string) ([]string, int, error) {
		if n < 0 || n > len(steps) {
			return nil, 0, problem(BadInput, "take back at most the steps that were taken", "%d steps were taken, so %d cannot be taken back", len(steps), n)
		}
		return steps[:len(steps)-n], len(steps) - n, nil
	})
}

func (c *call) fork(in *sessionIn) (any, error) {
	w, err := c.space.walk(in.Session)
	if err != nil {
		return nil, err
	}
	steps := w.taken()
	p, err := c.placeOf(w.task, w.masker.Within(c.ctx), steps, len(steps))
	if err != nil {
		return nil, err
	}
	x, err := c.space.open(w.task, w.masker, steps)
	if err != nil {
		return nil, err
	}
	p.Session = x.id
	return p, nil
}
