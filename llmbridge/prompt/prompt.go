package prompt

import (
	"strings"
	"unicode/utf8"
)

// Prompt is what a model is asked: a system message and one message of the user,
// whose parts are known by their offsets.
type Prompt struct {
	System string `json:"system,omitempty"`
	Text   string `json:"text"`
	// Spans are the parts of Text that have a name, sorted by Start. They do not
	// overlap; text between them belongs to none.
	Spans []Span `json:"spans"`
	// Stop lists the texts at which an answer in the prompt's own format is over.
	Stop []string `json:"stop,omitempty"`
}

// SpanKind names what a part of a prompt says.
type SpanKind string

// Kinds of spans. The constraints of a task are its rule, budget and constraint
// spans; see IsConstraint.
const (
	SpanIntro       SpanKind = "intro"       // what the task is about
	SpanActions     SpanKind = "actions"     // what can be done, and at which price
	SpanRules       SpanKind = "rules"       // the heading above the rules
	SpanObjects     SpanKind = "objects"     // which objects there are, of which types
	SpanRule        SpanKind = "rule"        // one restriction: a precondition of actions
	SpanEffect      SpanKind = "effect"      // one consequence of actions
	SpanAnswer      SpanKind = "answer"      // the answer of a worked example
	SpanInit        SpanKind = "init"        // the initial state
	SpanGoal        SpanKind = "goal"        // the goal
	SpanBudget      SpanKind = "budget"      // a limit on the cost
	SpanConstraint  SpanKind = "constraint"  // a trajectory constraint, or one that was asked for
	SpanPlan        SpanKind = "plan"        // a plan that the question is about
	SpanEvent       SpanKind = "event"       // an unexpected change
	SpanDomain      SpanKind = "domain"      // PDDL that is none of the other kinds
	SpanInstruction SpanKind = "instruction" // what to answer, and how
)

// IsConstraint reports whether text of this kind restricts the plans of a task
// (Chen et al., CARL, section 3.1): the task without it has more plans.
func (k SpanKind) IsConstraint() bool {
	return k == SpanRules || k == SpanRule || k == SpanBudget || k == SpanConstraint
}

// Span is a part of a prompt's Text: bytes [Start, End), which are characters
// [RuneStart, RuneEnd) as languages count that index text by Unicode code points.
type Span struct {
	Kind      SpanKind `json:"kind"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
	RuneStart int      `json:"rune_start"`
	RuneEnd   int      `json:"rune_end"`
	// Example numbers the worked example that the part belongs to; 0 for none.
	Example int `json:"example,omitempty"`
}

// Messages returns the prompt as a chat.
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
