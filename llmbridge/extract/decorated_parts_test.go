package extract_test

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/prompt"
)

// decorForm is a way to write one step; "" where it does not suit the task.
type decorForm struct {
	name   string
	words  bool // a sentence, not a formal step
	marked bool // markdown, LaTeX or a table's bars
	bars   bool
	ends   bool // ends a sentence or a label
	leads  bool // has words before the step
	write  func(p *decorPlan, step string) string
}

func name(step string) string   { return atomtext.Words(step)[0] }
func args(step string) []string { return atomtext.Words(step)[1:] }

// camel writes a name as programs do: PickUp.
func camel(s string) string {
	parts := strings.FieldsFunc(s, func(c rune) bool { return c == '-' || c == '_' })
	for i := range parts {
		parts[i] = capital(parts[i])
	}
	return strings.Join(parts, "")
}

func callOf(name string, args []string, sep string) string {
	return name + "(" + strings.Join(args, sep) + ")"
}

func mapped(list []string, f func(string) string) []string {
	var out []string
	for _, s := range list {
		out = append(out, f(s))
	}
	return out
}

// sentence writes a step as a sentence with each object's phrase changed.
func (p *decorPlan) sentence(step string, object func(string) string) string {
	s := p.render.Step(step)
	if strings.HasPrefix(s, "(") || p.t == nil {
		return ""
	}
	if object == nil {
		return s
	}
	// Longest first: object a is part of object ab.
	done := map[string]bool{}
	for _, a := range args(step) {
		phrase := p.object(a)
		if done[phrase] {
			continue
		}
		done[phrase] = true
		s = replaceWord(s, phrase, object(phrase))
	}
	return s
}

// replaceWord replaces a phrase where it stands alone.
func replaceWord(s, old, new string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if strings.HasPrefix(s[i:], old) && (i == 0 || s[i-1] == ' ') && (i+len(old) == len(s) || s[i+len(old)] == ' ' || s[i+len(old)] == ',') {
			b.WriteString(new)
			i += len(old)
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

func formal(name string, write func(p *decorPlan, s string) string) decorForm {
	return decorForm{name: name, write: write}
}

func marked(name string, write func(p *decorPlan, s string) string) decorForm {
	return decorForm{name: name, marked: true, write: write}
}

func inWords(name string, object func(string) string, finish func(string) string) decorForm {
	f := decorForm{name: name, words: true, marked: strings.ContainsAny(name, "*`\\"), ends: strings.ContainsAny(name, ".:;"), leads: strings.ContainsAny(name, ":,"), write: func(p *decorPlan, s string) string {
		if s = p.sentence(s, object); s == "" {
			return ""
		}
		if finish == nil {
			return s
		}
		return finish(s)
	}}
	return f
}

// titled writes the first letter of every word of an ASCII text large.
func titled(s string) string {
	b := []byte(s)
	for i := range b {
		if (i == 0 || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", rune(b[i-1]))) && 'a' <= b[i] && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}

var decorForms = []decorForm{
	formal("(pick-up a)", func(p *decorPlan, s string) string { return s }),
	formal("(PICK-UP A)", func(p *decorPlan, s string) string { return strings.ToUpper(s) }),
	formal("(pick_up a)", func(p *decorPlan, s string) string {
		return "(" + strings.ReplaceAll(name(s), "-", "_") + " " + strings.Join(args(s), " ") + ")"
	}),
	formal("(stack, a, b)", func(p *decorPlan, s string) string { return "(" + strings.Join(atomtext.Words(s), ", ") + ")" }),
	formal("pick-up a", func(p *decorPlan, s string) string { return strings.Trim(s, "()") }),
	formal("pick up a", func(p *decorPlan, s string) string {
		return strings.ReplaceAll(name(s), "-", " ") + " " + strings.Join(args(s), " ")
	}),
	formal("Pick-Up A", func(p *decorPlan, s string) string { return titled(strings.Trim(s, "()")) }),
	formal("PICK-UP a", func(p *decorPlan, s string) string {
		return strings.ToUpper(name(s)) + " " + strings.Join(args(s), " ")
	}),
	formal("stack a, b", func(p *decorPlan, s string) string { return name(s) + " " + strings.Join(args(s), ", ") }),
	formal("stack: a, b", func(p *decorPlan, s string) string { return name(s) + ": " + strings.Join(args(s), ", ") }),
	formal("stack [a, b]", func(p *decorPlan, s string) string { return name(s) + " [" + strings.Join(args(s), ", ") + "]" }),
	formal("stack(a, b)", func(p *decorPlan, s string) string { return callOf(name(s), args(s), ", ") }),
	formal("stack(a,b)", func(p *decorPlan, s string) string { return callOf(name(s), args(s), ",") }),
	formal("stack(a b)", func(p *decorPlan, s string) string { return callOf(name(s), args(s), " ") }),
	formal("stack (a, b)", func(p *decorPlan, s string) string { return callOf(name(s)+" ", args(s), ", ") }),
	formal("pick_up(a)", func(p *decorPlan, s string) string {
		return callOf(strings.ReplaceAll(name(s), "-", "_"), args(s), ", ")
	}),
	formal("PickUp(a)", func(p *decorPlan, s string) string { return callOf(camel(name(s)), args(s), ", ") }),
	formal("Pick-up(a)", func(p *decorPlan, s string) string { return callOf(capital(name(s)), args(s), ", ") }),
	formal("Pick Up(a)", func(p *decorPlan, s string) string {
		return callOf(titled(strings.ReplaceAll(name(s), "-", " ")), args(s), ", ")
	}),
	formal("STACK(A, B)", func(p *decorPlan, s string) string { return strings.ToUpper(callOf(name(s), args(s), ", ")) }),
	formal(`stack("a", "b")`, func(p *decorPlan, s string) string {
		return callOf(name(s), mapped(args(s), func(a string) string { return `"` + a + `"` }), ", ")
	}),
	formal(`stack('a', 'b')`, func(p *decorPlan, s string) string {
		return callOf(name(s), mapped(args(s), func(a string) string { return `'` + a + `'` }), ", ")
	}),
	formal("robot.stack(a, b)", func(p *decorPlan, s string) string {
		return "robot." + callOf(strings.ReplaceAll(name(s), "-", "_"), args(s), ", ")
	}),
	formal("stack(x=a, y=b)", func(p *decorPlan, s string) string {
		var named []string
		for i, a := range args(s) {
			named = append(named, p.params[name(s)][i]+"="+a)
		}
		return callOf(name(s), named, ", ")
	}),
	formal("(stack ?x=a ?y=b)", func(p *decorPlan, s string) string {
		var named []string
		for i, a := range args(s) {
			named = append(named, "?"+p.params[name(s)][i]+"="+a)
		}
		return "(" + name(s) + " " + strings.Join(named, " ") + ")"
	}),
	formal("Stack(red, blue)", func(p *decorPlan, s string) string {
		return callOf(camel(name(s)), mapped(args(s), func(a string) string { return strings.TrimSuffix(p.object(a), " block") }), ", ")
	}),
	formal("Stack(red block, blue block)", func(p *decorPlan, s string) string { return callOf(camel(name(s)), mapped(args(s), p.object), ", ") }),
	formal("stack(the red block, ...)", func(p *decorPlan, s string) string { return callOf(name(s), mapped(args(s), p.render.Object), ", ") }),
	formal("stack(red_block, ...)", func(p *decorPlan, s string) string {
		return callOf(name(s), mapped(args(s), func(a string) string { return strings.ReplaceAll(p.object(a), " ", "_") }), ", ")
	}),
	formal("('stack', 'a', 'b')", func(p *decorPlan, s string) string { return "('" + strings.Join(atomtext.Words(s), "', '") + "')" }),
	{name: "['stack', 'a', 'b']", ends: true, write: func(p *decorPlan, s string) string { return "['" + strings.Join(atomtext.Words(s), "', '") + "']" }},
	formal("[stack a b]", func(p *decorPlan, s string) string { return "[" + strings.Trim(s, "()") + "]" }),
	formal("<action>(a)</action>", func(p *decorPlan, s string) string { return "<action>" + s + "</action>" }),
	{name: "Action: (a)", leads: true, write: func(p *decorPlan, s string) string { return "Action: " + s }},
	formal("\"(a)\"", func(p *decorPlan, s string) string { return "\"" + s + "\"" }),
	formal("'(a)'", func(p *decorPlan, s string) string { return "'" + s + "'" }),
	marked("`(a)`", func(p *decorPlan, s string) string { return "`" + s + "`" }),
	marked("`stack(a, b)`", func(p *decorPlan, s string) string { return "`" + pddltest.Call(s) + "`" }),
	marked("**(a)**", func(p *decorPlan, s string) string { return "**" + s + "**" }),
	marked("**Stack(a, b)**", func(p *decorPlan, s string) string { return "**" + capital(pddltest.Call(s)) + "**" }),
	marked("*(a)*", func(p *decorPlan, s string) string { return "*" + s + "*" }),
	marked("**stack** a b", func(p *decorPlan, s string) string { return "**" + name(s) + "** " + strings.Join(args(s), " ") }),
	marked("**stack**(a, b)", func(p *decorPlan, s string) string { return "**" + name(s) + "**(" + strings.Join(args(s), ", ") + ")" }),
	marked("**Stack**: a, b", func(p *decorPlan, s string) string {
		return "**" + capital(name(s)) + "**: " + strings.Join(args(s), ", ")
	}),
	marked("`stack` `a` `b`", func(p *decorPlan, s string) string { return "`" + strings.Join(atomtext.Words(s), "` `") + "`" }),
	marked("stack(`a`, `b`)", func(p *decorPlan, s string) string {
		return callOf(name(s), mapped(args(s), func(a string) string { return "`" + a + "`" }), ", ")
	}),
	marked(`$\text{stack}(a, b)$`, func(p *decorPlan, s string) string {
		return `$\text{` + name(s) + `}(` + strings.Join(args(s), ", ") + `)$`
	}),
	marked(`$\mathrm{stack}(a,b)$`, func(p *decorPlan, s string) string {
		return `$\mathrm{` + name(s) + `}(` + strings.Join(args(s), ",") + `)$`
	}),
	marked(`$\text{stack a b}$`, func(p *decorPlan, s string) string { return `$\text{` + strings.Trim(s, "()") + `}$` }),
	marked(`$\text{stack}(\text{a}, ...)$`, func(p *decorPlan, s string) string {
		return `$\text{` + name(s) + `}(` + strings.Join(mapped(args(s), func(a string) string { return `\text{` + strings.ReplaceAll(a, "_", `\_`) + `}` }), ", ") + `)$`
	}),
	marked(`\texttt{(stack a b)}`, func(p *decorPlan, s string) string { return `\texttt{` + s + `}` }),
	marked(`\(stack(a, b)\)`, func(p *decorPlan, s string) string { return `\(` + pddltest.Call(s) + `\)` }),
	marked(`\textbf{Stack}(a, b)`, func(p *decorPlan, s string) string {
		return `\textbf{` + capital(name(s)) + `}(` + strings.Join(args(s), ", ") + `)`
	}),
	marked(`$stack\ a\ b$`, func(p *decorPlan, s string) string { return `$` + strings.Join(atomtext.Words(s), `\ `) + `$` }),
	marked("pick\\_up(a)", func(p *decorPlan, s string) string {
		return strings.ReplaceAll(callOf(strings.ReplaceAll(name(s), "-", "_"), args(s), ", "), "_", `\_`)
	}),
	marked("<code>(a)</code>", func(p *decorPlan, s string) string { return "<code>" + s + "</code>" }),
	marked("<b>(a)</b>", func(p *decorPlan, s string) string { return "<b>" + s + "</b>" }),

	inWords("pick up the red block", nil, nil),
	inWords("Pick up the red block.", nil, func(s string) string { return capital(s) + "." }),
	inWords("PICK UP THE RED BLOCK", nil, strings.ToUpper),
	inWords("Pick Up The Red Block", nil, titled),
	inWords("**Pick up the red block**", nil, func(s string) string { return "**" + capital(s) + "**" }),
	inWords("**Pick up the red block.**", nil, func(s string) string { return "**" + capital(s) + ".**" }),
	inWords("**Pick up the red block**:", nil, func(s string) string { return "**" + capital(s) + "**:" }),
	inWords("*Pick up the red block*", nil, func(s string) string { return "*" + capital(s) + "*" }),
	inWords("***Pick up ...***", nil, func(s string) string { return "***" + capital(s) + "***" }),
	inWords("`pick up the red block`", nil, func(s string) string { return "`" + s + "`" }),
	inWords("\"Pick up the red block\"", nil, func(s string) string { return "\"" + capital(s) + "\"" }),
	inWords("“Pick up the red block”", nil, func(s string) string { return "“" + capital(s) + "”" }),
	inWords("pick up the **red block**", func(o string) string { return "**" + o + "**" }, nil),
	inWords("Pick up the *red block*.", func(o string) string { return "*" + o + "*" }, func(s string) string { return capital(s) + "." }),
	inWords("pick up the `red block`", func(o string) string { return "`" + o + "`" }, capital),
	inWords("pick up the \"red block\"", func(o string) string { return "\"" + o + "\"" }, nil),
	inWords("pick up the 'red block'", func(o string) string { return "'" + o + "'" }, nil),
	inWords("pick up the Red Block", titled, capital),
	inWords("pick up the RED block", func(o string) string {
		w, rest, _ := strings.Cut(o, " ")
		return strings.TrimSpace(strings.ToUpper(w) + " " + rest)
	}, capital),
	inWords("pick up the **red** block", func(o string) string {
		w, rest, _ := strings.Cut(o, " ")
		return strings.TrimSpace("**" + w + "** " + rest)
	}, capital),
	inWords("pick up the [red block]", func(o string) string { return "[" + o + "]" }, nil),
	inWords("pick up the <red block>", func(o string) string { return "<" + o + ">" }, nil),
	inWords("(pick up the red block)", nil, func(s string) string { return "(" + s + ")" }),
	inWords("[pick up the red block]", nil, func(s string) string { return "[" + s + "]" }),
	inWords("Action: pick up the red block", nil, func(s string) string { return "Action: " + s }),
	inWords("**Action:** pick up the red block", nil, func(s string) string { return "**Action:** " + capital(s) }),
	inWords("Then, pick up the red block.", nil, func(s string) string { return "Then, " + s + "." }),
	inWords("Perform the action: pick up ...", nil, func(s string) string { return "Perform the action: " + s }),
	inWords(`\text{pick up the red block}`, nil, func(s string) string { return `$\text{` + strings.ReplaceAll(s, "_", `\_`) + `}$` }),
	inWords("the without its article", func(o string) string { return "\x00" + o }, func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "the \x00", ""), "\x00", "") }),
	inWords("colours alone", func(o string) string { return "\x00" + strings.TrimSuffix(o, " block") }, func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "the \x00", ""), "\x00", "") }),
	inWords("the red one's noun first", func(o string) string {
		if w, ok := strings.CutSuffix(o, " block"); ok {
			return "\x00block " + w
		}
		return o
	}, func(s string) string { return strings.ReplaceAll(s, "the \x00", "") }),
	inWords("hyphenated objects", func(o string) string { return strings.NewReplacer(" ", "-", "_", "-").Replace(o) }, nil),
	{name: "said with its formal step", words: true, write: func(p *decorPlan, s string) string {
		if w := p.sentence(s, nil); w != "" {
			return capital(w) + " (" + strings.Trim(s, "()") + ")"
		}
		return ""
	}},
	{name: "formal step said in words", words: true, ends: true, marked: true, write: func(p *decorPlan, s string) string {
		if w := p.sentence(s, nil); w != "" {
			return "`" + s + "`: " + capital(w) + "."
		}
		return ""
	}},
	{name: "formal step — in words", words: true, ends: true, write: func(p *decorPlan, s string) string {
		if w := p.sentence(s, nil); w != "" {
			return s + " — " + w
		}
		return ""
	}},
	{name: "words: formal step", words: true, ends: true, marked: true, write: func(p *decorPlan, s string) string {
		if w := p.sentence(s, nil); w != "" {
			return capital(w) + ": `" + s + "`"
		}
		return ""
	}},
	{name: "particle last", words: true, write: func(p *decorPlan, s string) string { return p.particle(s) }},
}

// particle moves the particle of a verb behind its object: "pick the red block up".
func (p *decorPlan) particle(step string) string {
	s := p.sentence(step, nil)
	if s == "" {
		return ""
	}
	for _, v := range []string{"pick up ", "put down "} {
		if rest, ok := strings.CutPrefix(s, v); ok {
			verb, particle, _ := strings.Cut(strings.TrimSpace(v), " ")
			o := p.render.Object(args(step)[0])
			return capital(verb) + " " + o + " " + particle + strings.TrimPrefix(rest, o)
		}
	}
	return capital(s)
}

// decorRemark is what stands after a step, on its line or below.
type decorRemark struct {
	name   string
	below  bool // on lines of its own
	sign   bool // markdown or prose, which PDDL does not have
	formal bool // PDDL's, or a program's: after formal steps
	bars   bool
	items  bool
	clause bool // words that may go on with what follows
	ends   bool // ends a sentence, or goes on with several
	write  func(p *decorPlan, i int) string
}

func fixed(name, s string) decorRemark {
	return decorRemark{name: name, sign: true, clause: strings.Trim(s, "abcdefghijklmnopqrstuvwxyz ,-—") == "", write: func(*decorPlan, int) string { return s }}
}

func below(name string, write func(p *decorPlan, i int) string) decorRemark {
	return decorRemark{name: name, below: true, sign: true, write: write}
}

// items are remarks below numbered steps and bullets.
func items(name string, write func(p *decorPlan, i int) string) decorRemark {
	m := below(name, write)
	m.items = true
	return m
}

func (p *decorPlan) state(i, n int) string { return prompt.JoinPhrases(p.facts(i, n)) }

func capitals(list []string) []string { return mapped(list, capital) }

var decorRemarks = []decorRemark{
	{name: "none", write: func(*decorPlan, int) string { return "" }},
	{name: ".", ends: true, write: func(*decorPlan, int) string { return "." }},
	{name: ",", ends: true, write: func(*decorPlan, int) string { return "," }},
	{name: ";", ends: true, write: func(*decorPlan, int) string { return ";" }},
	fixed(" ✅", " ✅"),
	fixed(" ✓", " ✓"),
	{name: "; comment", formal: true, write: func(p *decorPlan, i int) string { return " ; " + p.state(i+1, 1) }},
	{name: "# comment", formal: true, sign: true, write: func(p *decorPlan, i int) string { return "  # " + p.state(i+1, 2) }},
	{name: "// comment", formal: true, sign: true, write: func(p *decorPlan, i int) string { return " // " + p.state(i+1, 1) }},
	fixed("(cost 1)", " (cost 1)"), fixed("(cost: 1)", " (cost: 1)"), fixed("[cost 1]", " [cost 1]"), fixed("- cost 1", " - cost 1"), {name: ", cost = 1", sign: true, ends: true, write: func(*decorPlan, int) string { return ", cost = 1" }}, fixed("(1 minute)", " (1 minute)"), fixed("— 2 min", " — 2 min"), fixed("[1]", " [1]"), fixed("(total cost: 3)", " (total cost so far: 3)"), fixed("[t=2]", " [t=2]"), fixed("takes 5 minutes", " (takes 5 minutes, total 12)"),
	fixed("confidence", " (confidence: 0.9)"), fixed("95%", " (95% sure)"),
	fixed("now possible", " (now possible)"), fixed("— as required", " — as the goal requires"), fixed("- free it", " - to make room"), fixed(", so that", ", so that the next step is possible"), fixed("so the goal", " so the goal is met"), fixed("because", " because it is needed"), fixed("which", ", which is allowed here"), fixed("to do so", " to free up space"), fixed("in order to", " in order to reach the goal"), fixed("for the goal", " for the next step"),
	{name: "(now ...)", sign: true, write: func(p *decorPlan, i int) string { return " (now " + p.state(i+1, 1) + ")" }},
	{name: "(state)", sign: true, write: func(p *decorPlan, i int) string { return " (" + p.state(i+1, 2) + ")" }},
	{name: "(facts as calls)", sign: true, write: func(p *decorPlan, i int) string { return " (" + p.calls(i+1, 2) + ")" }},
	{name: "— state", clause: true, sign: true, write: func(p *decorPlan, i int) string { return " — " + p.state(i+1, 2) }},
	{name: "– state.", ends: true, sign: true, write: func(p *decorPlan, i int) string { return " – now " + p.state(i+1, 1) + "." }},
	{name: ": state", ends: true, sign: true, write: func(p *decorPlan, i int) string { return ": " + p.state(i+1, 2) + "." }},
	{name: "→ state", clause: true, sign: true, write: func(p *decorPlan, i int) string { return " → " + p.state(i+1, 2) }},
	{name: "-> facts as calls", clause: true, sign: true, write: func(p *decorPlan, i int) string { return " -> " + p.calls(i+1, 2) }},
	{name: "=> facts in PDDL", clause: true, sign: true, write: func(p *decorPlan, i int) string { return " => " + strings.Join(p.some(i+1, 2), " ") }},
	{name: ". Sentence.", ends: true, sign: true, write: func(p *decorPlan, i int) string { return ". " + capital(p.state(i+1, 1)) + "." }},
	{name: ". This ...", ends: true, sign: true, write: func(p *decorPlan, i int) string { return ". This is possible because " + p.state(i, 1) + "." }},
	{name: "; then state", ends: true, sign: true, write: func(p *decorPlan, i int) string { return "; now " + p.state(i+1, 1) }},
	{name: "*(italic)*", sign: true, write: func(p *decorPlan, i int) string { return " *(" + p.state(i+1, 1) + ")*" }},
	{name: "[state]", sign: true, write: func(p *decorPlan, i int) string { return " [" + p.state(i+1, 1) + "]" }},
	{name: "{state}", sign: true, write: func(p *decorPlan, i int) string { return " {" + p.calls(i+1, 2) + "}" }},
	{name: "| state", ends: true, sign: true, write: func(p *decorPlan, i int) string { return " | State: " + p.state(i+1, 2) }, bars: true},
	{name: "State: on its line", ends: true, sign: true, write: func(p *decorPlan, i int) string { return " State: " + p.state(i+1, 2) }},
	{name: "<br>", ends: true, sign: true, write: func(p *decorPlan, i int) string { return "<br>" + capital(p.state(i+1, 1)) }},
	below("State below", func(p *decorPlan, i int) string { return "\n   State: " + p.state(i+1, 3) }),
	below("State: PDDL below", func(p *decorPlan, i int) string { return "\n   State: " + strings.Join(p.some(i+1, 3), " ") }),
	below("State: calls below", func(p *decorPlan, i int) string { return "\n   State: " + p.calls(i+1, 3) }),
	below("State: set below", func(p *decorPlan, i int) string { return "\n   State: {" + p.calls(i+1, 3) + "}" }),
	below("=> State below", func(p *decorPlan, i int) string { return "\n   => " + capital(p.state(i+1, 2)) }),
	below("→ below", func(p *decorPlan, i int) string { return "\n   → " + capital(p.state(i+1, 1)) + "." }),
	below("↳ below", func(p *decorPlan, i int) string { return "\n   ↳ " + p.state(i+1, 1) }),
	below("Result below", func(p *decorPlan, i int) string { return "\n   Result: " + p.state(i+1, 2) + "." }),
	below("*Reason:* below", func(p *decorPlan, i int) string { return "\n   *Reason: " + p.state(i, 1) + ".*" }),
	below("sentence below", func(p *decorPlan, i int) string { return "\n   " + capital(p.state(i+1, 1)) + "." }),
	below("This ... below", func(p *decorPlan, i int) string { return "\n   This makes sure that " + p.state(i+1, 1) + "." }),
	below("bullet below", func(p *decorPlan, i int) string { return "\n   - " + capital(p.state(i+1, 1)) + "." }),
	below("* bullet below", func(p *decorPlan, i int) string { return "\n    * " + capital(p.state(i+1, 1)) }),
	below("Why bullet below", func(p *decorPlan, i int) string { return "\n   - Why: " + p.state(i, 1) + "." }),
	below("preconditions, effects", func(p *decorPlan, i int) string {
		return "\n   - Preconditions: " + p.state(i, 2) + "\n   - Effects: " + p.state(i+1, 2)
	}),
	below("**Preconditions:**", func(p *decorPlan, i int) string {
		return "\n   - **Preconditions:** " + p.calls(i, 2) + "\n   - **Effects:** " + p.calls(i+1, 2)
	}),
	below("*Preconditions* nested", func(p *decorPlan, i int) string {
		return "\n   - *Preconditions*:\n     - " + strings.Join(capitals(p.facts(i, 2)), "\n     - ") + "\n   - *Effects*:\n     - " + strings.Join(p.facts(i+1, 2), "\n     - ")
	}),
	items("nested facts as calls", func(p *decorPlan, i int) string {
		return "\n   * Before:\n     * " + strings.Join(strings.Split(p.calls(i, 2), "; "), "\n     * ") + "\n   * After:\n     * `" + p.calls(i+1, 1) + "` is true"
	}),
	below("nested with check marks", func(p *decorPlan, i int) string {
		return "\n   - Preconditions:\n     - ✅ " + strings.Join(p.facts(i, 2), "\n     - ✅ ")
	}),
	below("Checks ✓", func(p *decorPlan, i int) string { return "\n   Check: " + p.state(i, 1) + " ✓" }),
	below("Stacks below", func(p *decorPlan, i int) string { return "\n   After this step, " + p.state(i+1, 2) + "." }),
	below("blank and state", func(p *decorPlan, i int) string { return "\n\n   State after this step: " + p.state(i+1, 2) + "\n" }),
	below("code block below", func(p *decorPlan, i int) string { return "\n   > " + p.state(i+1, 2) }),
	below("cost below", func(p *decorPlan, i int) string { return fmt.Sprintf("\n   Cost: 1, total: %d", i+1) }),
}

// some returns a few facts in PDDL.
func (p *decorPlan) some(i, n int) []string {
	all := p.states[min(i, len(p.states)-1)]
	at := 0
	if len(all) > n {
		at = p.rand.Intn(len(all) - n)
	}
	return all[at:min(at+n, len(all))]
}

// calls tells facts as calls: "On(a, b), Clear(a)".
func (p *decorPlan) calls(i, n int) string {
	return strings.Join(mapped(p.some(i, n), func(f string) string {
		if len(args(f)) == 0 {
			return name(f)
		}
		return callOf(capital(name(f)), args(f), ", ")
	}), ", ")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
