package boxnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// Move is what one robot does in a step: its tip goes straight from a place to another one.
type Move struct {
	Robot    string
	From, To Point
	// Carry takes along the object at From.
	Carry bool
	// Bare is a move as BoxNet3D writes it, without its start: From counts for nothing.
	Bare bool
}

// Step is the moves that happen at the same time, in the order in which they are written.
type Step []Move

// Plan is a list of steps.
type Plan []Step

// text is the move as the answer writes it: "[0.75, 0.75] -> [1.25, 0.25], True", or "Move [0.55, 1.65], True".
func (m *Move) text() string {
	carry := "False"
	if m.Carry {
		carry = "True"
	}
	if m.Bare {
		return fmt.Sprintf("Move %v, %s", m.To, carry)
	}
	return fmt.Sprintf("%v -> %v, %s", m.From, m.To, carry)
}

// MarshalJSON writes the step as an object of its moves, in order.
func (s Step) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(rowjson.AppendText(b, s[i].Robot), ':')
		b = rowjson.AppendText(b, s[i].text())
	}
	return append(b, '}'), nil
}

// Text writes the plan as answers hold it: a JSON list with a line for each step.
func (p Plan) Text() string {
	var b strings.Builder
	b.WriteString("[\n")
	for i, s := range p {
		b.WriteString("  " + s.Text())
		if i < len(p)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]")
	return b.String()
}

// Text writes the step as answers hold it, on one line.
func (s Step) Text() string {
	moves := make([]string, len(s))
	for i := range s {
		moves[i] = string(rowjson.AppendText(nil, s[i].Robot)) + ": " + string(rowjson.AppendText(nil, s[i].text()))
	}
	return "{" + strings.Join(moves, ", ") + "}"
}

// ReadStep reads an object whose members are the moves of robots. The error says what
// cannot be read; it is about the step and not about the task.
func ReadStep(raw []byte) (Step, error) {
	step := Step{}
	err := rowjson.EachMember(raw, func(name string, value []byte) error {
		if value[0] != '"' {
			return fmt.Errorf("the move of %s is %s, not a string", clip([]byte(name)), clip(value))
		}
		text, err := rowjson.String(value)
		if err != nil {
			return fmt.Errorf("the move of %s is not a proper string", clip([]byte(name)))
		}
		m, err := parseMove(text)
		if err != nil {
			return fmt.Errorf("the move of %s: %w", clip([]byte(name)), err)
		}
		m.Robot = name
		step = append(step, m)
		return nil
	})
	switch {
	case rowjson.IsRepeated(err):
		return nil, fmt.Errorf("%s: %w", MovesTwice, err)
	case errors.Is(err, rowjson.ErrSyntax):
		return nil, fmt.Errorf("%s is not an object of moves", clip(raw))
	}
	return step, err
}

// ReadPlan reads a list of steps. at is the number of the step, from 1, that cannot be read, 0
// if the list itself cannot. The steps before it are returned.
func ReadPlan(raw []byte) (plan Plan, at int, err error) {
	steps, err := elements(raw)
	if err != nil {
		return nil, 0, fmt.Errorf("%s is not a list of steps", clip(raw))
	}
	for i, s := range steps {
		step, err := ReadStep(s)
		if err != nil {
			return plan, i + 1, err
		}
		plan = append(plan, step)
	}
	return plan, 0, nil
}

// UnmarshalJSON reads a plan; the error names the step.
func (p *Plan) UnmarshalJSON(raw []byte) error {
	plan, at, err := ReadPlan(raw)
	if err != nil {
		return fmt.Errorf("step %d: %w", at, err)
	}
	*p = plan
	return nil
}

var _ json.Unmarshaler = (*Plan)(nil)

// parseMove reads "[x, y] -> [x, y], True", or "Move [x, y], True" as BoxNet3D writes moves, where the paper's
// example leaves out the comma. White space between the parts does not matter. The error names the character,
// from 1, where something else stands.
func parseMove(text string) (Move, error) {
	s := scanner{text: text}
	var m Move
	if s.space(); strings.HasPrefix(s.text[s.at:], "Move") {
		s.at += len("Move")
		m.Bare = true
	} else {
		m.From = s.point()
		s.sign("->")
	}
	m.To = s.point()
	if s.space(); !m.Bare || strings.HasPrefix(s.text[s.at:], ",") {
		s.sign(",")
	}
	m.Carry = s.truth()
	if s.space(); s.err == nil && s.at < len(s.text) {
		s.fail("the end")
	}
	return m, s.err
}

// scanner reads the parts of a move, until the first fault.
type scanner struct {
	text string
	at   int
	err  error
}

func (s *scanner) space() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) fail(want string) {
	if s.err == nil {
		s.err = fmt.Errorf("character %d of %q: want %s", len([]rune(s.text[:s.at]))+1, clip([]byte(s.text)), want)
	}
}

func (s *scanner) sign(sign string) {
	if s.space(); s.err != nil || !strings.HasPrefix(s.text[s.at:], sign) {
		s.fail("'" + sign + "'")
		return
	}
	s.at += len(sign)
}

func (s *scanner) point() (p Point) {
	s.sign("[")
	p.X = s.number()
	s.sign(",")
	p.Y = s.number()
	s.sign("]")
	return p
}

func (s *scanner) number() Coord {
	s.space()
	end := s.at
	for end < len(s.text) && strings.IndexByte(" \t\r\n,]", s.text[end]) < 0 {
		end++
	}
	c, err := parseCoord(s.text[s.at:end])
	switch {
	case s.err != nil:
		return 0
	case err == errDecimals:
		s.fail("a number with at most 12 decimals")
	case err == errNumber:
		s.fail("a number")
	}
	s.at = end
	return c
}

func (s *scanner) truth() bool {
	s.space()
	for _, word := range []string{"True", "False"} {
		if s.err == nil && strings.HasPrefix(s.text[s.at:], word) {
			s.at += len(word)
			return word == "True"
		}
	}
	s.fail("True or False")
	return false
}
