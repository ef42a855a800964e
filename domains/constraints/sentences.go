package constraints

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// sentences tell each form of a constraint. $1 and $2 are its operands, in the order of [Parse].
var sentences = []struct {
	kind     Kind
	operands int
	text     string
}{
	{Missing, 1, "There is no $1."},
	{Unavailable, 1, "The action $1 is not available."},
	{Forbidden, 1, "Never do $1."},
	{Initially, 1, "At the beginning, $1."},
	{Capacity, 2, "At most $1 of $2 hold at a time."},
	{Avoid, 1, "Use nothing that is $1."},
	{Before, 2, "Do $2 only after $1."},
	{AtMost, 2, "Do $2 at most $1 times."},
	{AtLeast, 2, "Do $2 at least $1 times."},
	{Within, 1, "Take at most $1 steps."},
	{Within, 2, "Do $2 within the first $1 steps."},
	{CostLimit, 1, "Spend at most $1."},
	{Always, 1, "It always holds that $1."},
	{Sometime, 1, "At some time it holds that $1."},
	{AtMostOnce, 1, "It holds without a break, if at all, that $1."},
	{SometimeBefore, 2, "That $1 holds only after it has held that $2."},
	{SometimeAfter, 2, "Whenever it holds that $1, it holds then or later that $2."},
	{AtEnd, 1, "In the end it holds that $1."},
}

// operandForm is an operand in a sentence: a word, or a list in parentheses.
const operandForm = `(\(.*\)|[^\s()]+)`

// operands are the operands of a constraint as they are written.
func (c *Constraint) operands() []string {
	var list []string
	depth, from := 0, -1
	body := strings.TrimSuffix(strings.TrimPrefix(c.text, "("+string(c.Kind)), ")") + " "
	for i, r := range body {
		switch {
		case r == '(':
			if depth++; from < 0 {
				from = i
			}
		case r == ')':
			depth--
		case r == ' ' && depth == 0:
			if from >= 0 {
				list = append(list, body[from:i])
			}
			from = -1
		case from < 0:
			from = i
		}
	}
	return list
}

// Sentence puts the constraint into words.
func (c *Constraint) Sentence() string {
	operands := c.operands()
	for _, s := range sentences {
		if s.kind == c.Kind && s.operands == len(operands) {
			text := s.text
			for i, o := range operands {
				text = strings.Replace(text, fmt.Sprintf("$%d", i+1), o, 1)
			}
			return text
		}
	}
	return c.text
}

// ReadSentences reads what [Constraint.Sentence] writes, a sentence to a line.
func ReadSentences(src *pddl.Source, prob *pddl.Problem) ([]Constraint, error) {
	var list []Constraint
	number := 0
	for line := range strings.Lines(src.Text) {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		text, ok := fromSentence(line)
		if !ok {
			return nil, fmt.Errorf("%s:%d: %q is no sentence of a constraint", src.Name, number, line)
		}
		c, diags := Parse(pddl.NewSource(fmt.Sprintf("%s:%d", src.Name, number), text), prob)
		if diags.HasErrors() {
			return nil, diags.Err()
		}
		list = append(list, c...)
	}
	return list, nil
}

func fromSentence(line string) (string, bool) {
	for _, s := range sentences {
		pattern := regexp.QuoteMeta(s.text)
		order := []int{1, 2}
		if strings.Index(s.text, "$2") < strings.Index(s.text, "$1") {
			order = []int{2, 1}
		}
		for i := range 2 {
			pattern = strings.Replace(pattern, fmt.Sprintf(`\$%d`, i+1), operandForm, 1)
		}
		m := regexp.MustCompile("^" + pattern + "$").FindStringSubmatch(line)
		if m == nil {
			continue
		}
		operands := make([]string, s.operands)
		for i, k := range order[:s.operands] {
			if s.operands == 1 {
				k = 1
			}
			operands[k-1] = m[i+1]
		}
		return "(" + string(s.kind) + " " + strings.Join(operands, " ") + ")", true
	}
	return "", false
}
