package constrain

import (
	"regexp"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// grammarWriter writes an expression in one notation.
type grammarWriter struct {
	strings.Builder
	format GrammarFormat
	limit  int
	full   bool // the limit was reached: nothing more is written
}

// over reports whether the text exceeds the limit.
func (w *grammarWriter) over() bool { return w.full }

func (w *grammarWriter) put(s string) {
	if w.full = w.full || w.Len()+len(s) > w.limit; !w.full {
		w.WriteString(s)
	}
}

// text writes the whole grammar. docs/GRAMMARS.md lists the notations and the servers that take them.
func (w *grammarWriter) text(b *grammarBuilder) string {
	switch w.format {
	case FormatGBNF:
		w.rules(b, "root", " ::= ")
	case FormatLark:
		w.rules(b, "start", ": ")
	case FormatRegex:
		w.expr(b.root, false)
	case FormatJSONSchema:
		return w.schema(b)
	}
	return w.String()
}

// rules writes the start rule and the other rules, one per line.
func (w *grammarWriter) rules(b *grammarBuilder, start, is string) {
	w.put(start + is)
	w.expr(b.root, false)
	w.put("\n")
	for _, r := range b.rules {
		w.put(w.ruleName(r) + is)
		w.expr(r.kids[0], false)
		w.put("\n")
	}
	if w.format == FormatLark && b.o.Wrap == WrapThink {
		// The closing tag is part of the terminal: a lexer that takes the longest match and never
		// backtracks could not find the end of the free text.
		w.put(`THOUGHT: /([^<]|<+[^\/<])*<\/think>\n/` + "\n")
	}
}

func (w *grammarWriter) ruleName(r *expr) string {
	if w.format == FormatLark {
		return strings.ReplaceAll(r.name, "-", "_")
	}
	return r.name
}

// expr writes an expression. If inside is set, it stands next to others, and a choice needs parentheses.
func (w *grammarWriter) expr(e *expr, inside bool) {
	switch e.kind {
	case exprText:
		w.put(w.quote(e.text))
	case exprSeq:
		w.sequence(e)
	case exprAlt:
		w.choice(e, inside)
	case exprRule:
		if w.format != FormatRegex {
			w.put(w.ruleName(e))
			return
		}
		w.expr(e.kids[0], inside)
	case exprMany, exprSome:
		w.repeat(e)
	case exprFree:
		switch w.format {
		case FormatGBNF:
			w.put(`([^<] | "<"+ [^/<])* ` + w.quote(e.text))
		case FormatLark:
			w.put("THOUGHT")
		case FormatRegex:
			w.put(`([^<]|<+[^/<])*` + w.quote(e.text))
		}
	}
}

func (w *grammarWriter) sequence(e *expr) {
	if len(e.kids) == 0 && w.format == FormatGBNF {
		w.put(`""`)
	}
	for i, k := range e.kids {
		if i > 0 && w.format != FormatRegex {
			w.put(" ")
		}
		w.expr(k, len(e.kids) > 1)
	}
}

func (w *grammarWriter) choice(e *expr, inside bool) {
	open, or, end := "(", " | ", ")"
	switch {
	case w.format == FormatRegex:
		or = "|" // always in parentheses, because the bodies of rules are inserted anywhere
	case !inside:
		open, end = "", ""
	}
	w.put(open)
	for i, k := range e.kids {
		if i > 0 {
			w.put(or)
		}
		w.expr(k, false)
	}
	w.put(end)
}

func (w *grammarWriter) repeat(e *expr) {
	sign := "*"
	if e.kind == exprSome {
		sign = "+"
	}
	if w.format == FormatRegex {
		w.put("(")
		w.expr(e.kids[0], false)
		w.put(")" + sign)
		return
	}
	w.expr(e.kids[0], true)
	w.put(sign)
}

var quoteText = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// quote writes a text as a literal.
func (w *grammarWriter) quote(text string) string {
	if w.format == FormatRegex {
		return strings.ReplaceAll(regexp.QuoteMeta(text), "\n", `\n`)
	}
	return `"` + quoteText.Replace(text) + `"`
}

// planSchema is the JSON schema of a plan. Everything in it is required and nothing else allowed, as strict
// servers demand.
type planSchema struct {
	Type       string `json:"type"`
	Properties struct {
		Plan planItems `json:"plan"`
	} `json:"properties"`
	Required   []string `json:"required"`
	Additional bool     `json:"additionalProperties"`
}

type planItems struct {
	Type     string    `json:"type"`
	Items    *planItem `json:"items,omitempty"`
	MinItems *int      `json:"minItems,omitempty"`
	MaxItems *int      `json:"maxItems,omitempty"`
}

type planItem struct {
	Type    string   `json:"type"`
	Pattern string   `json:"pattern,omitempty"`
	Enum    []string `json:"enum,omitempty"`
}

// schema writes the JSON schema, with a pattern for the steps of the lifted language and a list of the
// steps of the ground one.
func (w *grammarWriter) schema(b *grammarBuilder) string {
	s := planSchema{Type: "object", Required: []string{"plan"}}
	p := &s.Properties.Plan
	p.Type = "array"
	switch {
	case b.step == nil:
		p.MaxItems = new(int)
	case b.o.Actions != nil:
		p.Items = &planItem{Type: "string", Enum: b.texts()}
	default:
		pattern := &grammarWriter{format: FormatRegex, limit: w.limit}
		pattern.put("^")
		pattern.expr(b.step, false)
		pattern.put("$")
		w.full = pattern.full
		p.Items = &planItem{Type: "string", Pattern: pattern.String()}
	}
	if b.o.NonEmpty {
		one := 1
		p.MinItems = &one
	}
	out, err := rowjson.AppendValue(nil, s)
	if err != nil {
		panic("constrain: a schema of strings cannot be written: " + err.Error())
	}
	w.put(string(append(out, '\n')))
	return w.String()
}

// texts lists the words for the ground steps, without duplicates.
func (b *grammarBuilder) texts() []string {
	var out []string
	seen := map[string]bool{}
	for _, step := range b.o.Actions {
		if b.o.Tell != nil {
			step = b.o.Tell(step)
		}
		if !seen[step] {
			seen[step] = true
			out = append(out, step)
		}
	}
	return out
}
