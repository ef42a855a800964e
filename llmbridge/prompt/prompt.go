package prompt

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Prompt is a system message and one user message, whose parts are known by their offsets.
type Prompt struct {
	System string `json:"system,omitempty"`
	Text   string `json:"text"`
	// Spans are the named parts of Text, sorted by Start. They do not overlap and need not cover all
	// of Text.
	Spans []Span `json:"spans"`
	// Stop lists the texts that end an answer in the prompt's format.
	Stop []string `json:"stop,omitempty"`
}

// SpanKind says what a part of a prompt is about.
type SpanKind string

// Kinds of spans. The rule, budget and constraint spans are the constraints of a task; see isConstraint.
const (
	SpanIntro       SpanKind = "intro"       // what the task is about
	SpanActions     SpanKind = "actions"     // the actions, with their prices
	SpanRules       SpanKind = "rules"       // the heading above the rules
	SpanObjects     SpanKind = "objects"     // the objects and their types
	SpanRule        SpanKind = "rule"        // one restriction: a precondition of actions
	SpanEffect      SpanKind = "effect"      // one consequence of actions
	SpanAnswer      SpanKind = "answer"      // the answer of a worked example
	SpanInit        SpanKind = "init"        // the initial state
	SpanGoal        SpanKind = "goal"        // the goal
	SpanBudget      SpanKind = "budget"      // a limit on the cost
	SpanConstraint  SpanKind = "constraint"  // a trajectory constraint, a forbidden action, or one of Options.Constraints
	SpanPlan        SpanKind = "plan"        // a plan that the question is about
	SpanEvent       SpanKind = "event"       // an unexpected change
	SpanDomain      SpanKind = "domain"      // PDDL of no other kind
	SpanInstruction SpanKind = "instruction" // what to answer, and how
)

// isConstraint reports whether text of this kind restricts the plans of a task (Chen et al., CARL,
// section 3.1): without it the task has more plans.
func (k SpanKind) isConstraint() bool {
	return k == SpanRules || k == SpanRule || k == SpanBudget || k == SpanConstraint
}

// Span is a part of a prompt's Text: bytes [Start, End), which are the Unicode code points [RuneStart,
// RuneEnd) in languages that index text by those.
type Span struct {
	Kind      SpanKind `json:"kind"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
	RuneStart int      `json:"rune_start"`
	RuneEnd   int      `json:"rune_end"`
	// Example is the number of the worked example that the part belongs to, or 0.
	Example int `json:"example,omitempty"`
}

// Messages returns the prompt as the messages of a chat.
func (p *Prompt) Messages() []Message {
	var m []Message
	if p.System != "" {
		m = append(m, Message{Role: "system", Content: p.System})
	}
	return append(m, Message{Role: "user", Content: p.Text})
}

// promptWriter builds the text of a prompt and its spans.
type promptWriter struct {
	b       strings.Builder
	runes   int
	spans   []Span
	example int
}

// text writes text that belongs to no span.
func (w *promptWriter) text(s string) {
	w.b.WriteString(s)
	w.runes += utf8.RuneCountInString(s)
}

// span writes text of one kind. A kind of "" is plain text.
func (w *promptWriter) span(kind SpanKind, s string) {
	if s == "" {
		return
	}
	start, runes := w.b.Len(), w.runes
	w.text(s)
	if kind != "" {
		w.spans = append(w.spans, Span{kind, start, w.b.Len(), runes, w.runes, w.example})
	}
}

// prompt returns what has been written.
func (w *promptWriter) prompt() Prompt {
	return Prompt{Text: w.b.String(), Spans: w.spans}
}

// Message is one message of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// WriteText writes the system message, if there is one, and the prompt.
func (p *Prompt) WriteText(w io.Writer) error {
	text := strings.TrimSuffix(p.Text, "\n") + "\n"
	if p.System != "" {
		text = p.System + "\n\n" + text
	}
	_, err := io.WriteString(w, text)
	return err
}
