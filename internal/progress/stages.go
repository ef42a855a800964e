package progress

import (
	"fmt"
	"time"
)

// Stages shows how far each of several stages of work is, one line after the other.
type Stages struct {
	line      func(total int, what string) *Line
	stage     string
	at, total int
	current   *Line
	last      time.Time
}

// NewStages shows stages on the lines that line begins; nil lines are silent.
func NewStages(line func(total int, what string) *Line) *Stages { return &Stages{line: line} }

// Show shows that done things of a stage are done.
func (s *Stages) Show(stage string, done, total int) {
	if stage != s.stage {
		s.current.Done()
		s.stage, s.current = stage, s.line(total, stage)
	}
	s.at, s.total = done, total
	if now := time.Now(); done == total || now.Sub(s.last) > 50*time.Millisecond {
		s.last = now
		s.current.Set(done)
	}
}

// Done wipes the line.
func (s *Stages) Done() { s.current.Done() }

// Where says in words how far the work is, "" if it has not begun.
func (s *Stages) Where() string {
	if s.stage == "" {
		return ""
	}
	return fmt.Sprintf(" at %s, with %d of %d done", s.stage, s.at, s.total)
}
