package extract

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
)

// A mutant is a good answer with one more line. Whatever the line is, as long as it
// resembles a step, the answer no longer says the plan alone: its reading has a
// further step, or a malformed one, or is another plan. These tests go through
// such lines by how they are made, not by a list of them.

// lineKind makes lines that resemble steps. The body is drawn from the domain.
var mutantBodies = []struct {
	name   string
	formal bool // in parentheses, or a call: a step wherever it stands
	write  func(k *mutantTask) string
}{
	{"step", true, func(k *mutantTask) string { return k.step() }},
	{"step in capitals", true, func(k *mutantTask) string { return strings.ToUpper(k.step()) }},
	{"doubled parentheses", true, func(k *mutantTask) string { return "(" + k.step() + ")" }},
	{"two steps in parentheses", true, func(k *mutantTask) string { return "(" + k.step() + " " + k.step() + ")" }},
	{"unclosed step", true, func(k *mutantTask) string { return strings.TrimSuffix(k.step(), ")") }},
	{"unopened step", false, func(k *mutantTask) string { return strings.TrimPrefix(k.step(), "(") }},
	{"keyword step", true, func(k *mutantTask) string { return "(:" + k.step()[1:] }},
	{"unknown action", true, func(k *mutantTask) string { return "(" + k.stranger() + k.objects() + ")" }},
	{"unknown action unclosed", true, func(k *mutantTask) string { return "(" + k.stranger() + k.objects() }},
	{"words in parentheses", true, func(k *mutantTask) string { return "(put this" + k.objects() + " down" }},
	{"led step unclosed", true, func(k *mutantTask) string { return "(now " + strings.Trim(k.step(), "()") }},
	{"led step", true, func(k *mutantTask) string { return "(then " + strings.Trim(k.step(), "()") + ")" }},
	{"comma inside", true, func(k *mutantTask) string { return "(" + k.stranger() + " " + k.object() + ", " + k.object() }},
	{"sign inside", true, func(k *mutantTask) string { return strings.TrimSuffix(k.step(), ")") + " & )" }},
	{"pddltest.Call", true, func(k *mutantTask) string { return pddltest.Call(k.step()) }},
	{"unknown pddltest.Call", true, func(k *mutantTask) string { return pddltest.Call("(" + k.stranger() + k.objects() + ")") }},
	{"square brackets", true, func(k *mutantTask) string { return "[" + strings.Trim(k.step(), "()") + "]" }},
	{"braces", true, func(k *mutantTask) string { return "{" + strings.Trim(k.step(), "()") + "}" }},
	{"words", false, func(k *mutantTask) string { return strings.Trim(k.step(), "()") }},
	{"sentence", false, func(k *mutantTask) string { return k.sentence(k.step()) }},
}

// What may stand before and after a body. A comment sign makes a comment, and a
// colon after words a heading: they are not here.
var (
	mutantBefore = []string{"", "", "x", "step ", "t1: ", "Action: ", "=> ", "=", "-> ", "! ", "!", "?", "_", "__", "**", "`", "<", "<step>", "<action>", "[", "\"", "'", "$", "~~", "~", "&", "%", "@", "^", "+", "+ ", "- ", "* ", "> ", ">", "| ", "/", ". ", ", ", ".. ", "... ", ") ", "}", "then ", "Next, ", "no ", "not ", "maybe ", "perhaps ", "so ", "I do ", "here ", "step x ", "(", "2; ", "99. ", "7) ", "a) ", "§ ", "→ ", "• ", "« ", "✓ ", "❌ ", "\u2066", "\u2060", "\u202e", "\u200b", "\u00ad", "\ufeff", "\U000e0041", "\x1b[2J", "\x1b[31m", "\x1b]0;x\x07", "\x07", "\x00", "\u009b31m", "\xff", "é", "№ ", "&gt; ", "&#40;", "- [ ] ", "- [x] ", "<li>", "<br>", "<step n=\"2\">", "[Step 2] ", "(Step 2) ", "Step #2: ", "① ", "to begin with, ", "in the end, ", "{", "(cost 1) ", "[cost 1] "}
	mutantAfter  = []string{"", "", ".", ",", ";", "!", "?", "...", " away", " foo", " up", ">", "</step>", "</action>", "_", "**", "`", "]", ")", "))", "\"", " (x)", " -", " |", "\u2069", "\u2060", "\x1b[0m", "\x1b[2J", "\x07", "\xff", " …", " ok?", " it is clear", "</li>", "<br>", "}", " [cost 1]", " (cost 1)", " (95% sure)", " {holds}"}
	strangers    = []string{"fly", "zz", "xyz", "teleport", "noop", "jump_over", "foo-bar"}
)

type mutantTask struct {
	renderTask
	dom  *pddl.Domain
	prob *pddl.Problem
	r    *Reader
	rand *rand.Rand
	// The steps beside the place of the line: to say one again is a remark.
	avoid []string
}

func (k *mutantTask) stranger() string {
	for {
		s := strangers[k.rand.Intn(len(strangers))]
		if w := k.r.lookup(s); w < 0 || k.r.info[w].action < 0 && k.r.info[w].object < 0 && !k.r.info[w].fact {
			return s
		}
	}
}

func (k *mutantTask) object() string {
	return k.prob.Objects[k.rand.Intn(len(k.prob.Objects))].Name
}

func (k *mutantTask) objects() string {
	s := ""
	for range k.rand.Intn(4) {
		s += " " + k.object()
	}
	return s
}

// step draws a step of the domain that is not one of those to avoid.
func (k *mutantTask) step() string {
	s := k.anyStep()
	for slices.Contains(k.avoid, s) {
		s = k.anyStep()
	}
	return s
}

// anyStep draws a step of the domain, of objects that its sentence suits.
func (k *mutantTask) anyStep() string {
	a := k.dom.Actions[k.rand.Intn(len(k.dom.Actions))]
	s := "(" + strings.ToLower(a.Name)
	for i := range a.NumParams {
		o := k.object()
		for kinds, ok := argumentKinds[a.Name]; ok && o[:1] != kinds[i:i+1]; {
			o = k.object()
		}
		s += " " + o
	}
	return s + ")"
}

// mutantLayout is a way to lay a plan out.
type mutantLayout struct {
	name     string
	closed   bool
	sentence bool
	layout   func(lines []string) string
}

// mutantLayouts are ways to lay a plan out in lines. In a closed one every line
// counts, before the first step and after the last as well.
var mutantLayouts = []mutantLayout{
	{"lines", false, false, func(l []string) string { return strings.Join(l, "\n") + "\n" }},
	{"announced lines", false, false, func(l []string) string {
		return "Here is my final plan:\n\n" + strings.Join(l, "\n") + "\n\nGood luck!\n"
	}},
	{"double-spaced", false, false, func(l []string) string { return strings.Join(l, "\n\n") + "\n" }},
	{"answer tag", false, false, func(l []string) string { return "<answer>\n" + strings.Join(l, "\n") + "\n</answer>\n" }},
	{"plan tag", true, false, func(l []string) string { return "<plan>\n" + strings.Join(l, "\n") + "\n</plan>\n" }},
	{"brackets", true, false, func(l []string) string { return "[PLAN]\n" + strings.Join(l, "\n") + "\n[PLAN END]\n" }},
	{"boxed", true, false, func(l []string) string { return "\\boxed{\n" + strings.Join(l, "\n") + "\n}\n" }},
	{"fence", false, false, func(l []string) string { return "```pddl\n" + strings.Join(l, "\n") + "\n```\n" }},
	{"fence in a plan tag", true, false, func(l []string) string { return "<plan>\n```\n" + strings.Join(l, "\n") + "\n```\n</plan>\n" }},
	{"numbers", false, false, func(l []string) string { return numbered(l, "NUMBER. LINE\n") }},
	{"numbers in a plan tag", true, false, func(l []string) string { return "<plan>\n" + numbered(l, "NUMBER. LINE\n") + "</plan>\n" }},
	{"bracketed numbers", false, false, func(l []string) string { return numbered(l, "(NUMBER) LINE\n") }},
	{"labels", false, false, func(l []string) string { return numbered(l, "Step NUMBER: LINE\n") }},
	{"bold numbers", false, false, func(l []string) string { return numbered(l, "NUMBER. **LINE**\n") }},
	{"table", false, false, func(l []string) string { return "| Step | Action |\n|---|---|\n" + numbered(l, "| NUMBER | LINE |\n") }},
	{"bullets", false, false, func(l []string) string { return numbered(l, "- LINE\n") }},
	{"bullets in a plan tag", true, false, func(l []string) string { return "<plan>\n" + numbered(l, "* LINE\n") + "</plan>\n" }},
	{"sentences", false, true, func(l []string) string { return strings.Join(l, "\n") + "\n" }},
	{"numbered sentences", false, true, func(l []string) string { return numbered(l, "NUMBER. LINE\n") }},
	{"one line", false, false, func(l []string) string { return strings.Join(l, " ") + "\n" }},
	{"one line with commas", false, false, func(l []string) string { return strings.Join(l, ", ") + "\n" }},
	{"one line in a plan tag", false, false, func(l []string) string { return "<plan>" + strings.Join(l, "") + "</plan>\n" }},
	{"arrows", false, false, func(l []string) string { return strings.Join(l, " -> ") + "\n" }},
	{"numbers in one line", false, false, func(l []string) string { return strings.ReplaceAll(numbered(l, "NUMBER. LINE\n"), "\n", " ") + "\n" }},
	{"json", true, false, func(l []string) string { return pddltest.JSON(l) + "\n" }},
	{"json under a key", true, false, func(l []string) string { return pddltest.JSON(map[string]any{"plan": l}) + "\n" }},
	{"sentences in brackets", true, true, func(l []string) string { return "[PLAN]\n" + strings.Join(l, "\n") + "\n[PLAN END]\n" }},
}

func numbered(lines []string, format string) string {
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(strings.NewReplacer("NUMBER", strconv.Itoa(i+1), "LINE", l).Replace(format))
	}
	return b.String()
}

// mutant is an answer with a line that its plan is not.
type mutant struct {
	how, line, text string
	plan            []string
}

// draw makes one mutant.
func (k *mutantTask) draw() mutant {
	plan := make([]string, 2+k.rand.Intn(4))
	k.avoid = nil
	for i := range plan {
		plan[i] = k.step()
	}
	lay := &mutantLayouts[k.rand.Intn(len(mutantLayouts))]
	body := &mutantBodies[k.rand.Intn(len(mutantBodies))]
	before := mutantBefore[k.rand.Intn(len(mutantBefore))]
	after := mutantAfter[k.rand.Intn(len(mutantAfter))]
	at := 1 + k.rand.Intn(len(plan)-1)
	if lay.closed {
		at = k.rand.Intn(len(plan) + 1)
	}
	k.avoid = plan[max(at-1, 0):min(at+1, len(plan))]
	text := body.write(k)
	if !body.formal && (!strings.Contains(text, " ") || before == "x" || before == "é") {
		// A name without objects, or a name that is part of another, may be words.
		text, before = k.step(), ""
	}
	if strings.ContainsAny(before, "abcdefghijklmnopqrstuvwxyz") && strings.HasSuffix(before, " ") && text[0] == '(' && (after != "" && after[0] == ')' || strings.HasSuffix(text, ")") && !strings.Contains(text, " ")) {
		before = "" // "perhaps (indeed)" is a remark
	}
	if !lay.lines() && before == "a) " {
		before = "" // may be an action
	}
	if strings.HasPrefix(body.name, "words in") {
		after = ""
	}
	if lay.name == "boxed" && (strings.ContainsAny(before, "{}") || after == "}") {
		before, after = "", "" // the box ends elsewhere
	}
	line := before + text + after
	lines := slices.Clone(plan)
	if lay.sentence {
		for i := range lines {
			lines[i] = k.sentence(lines[i])
		}
	}
	placed := ""
	if lay.lines() && k.rand.Intn(3) == 0 {
		placed = mutantPlaces[k.rand.Intn(len(mutantPlaces))]
		// Below a numbered item or a bullet, words are a remark, and so is the step again.
		if lay.items() && (!body.formal || strings.ContainsAny(before, "abcdefghijklmnopqrstuvwxyz")) {
			placed = ""
		}
	}
	if placed == "" {
		lines = slices.Insert(lines, at, line)
		return mutant{fmt.Sprintf("%s in %s (%q, %q)", body.name, lay.name, before, after), line, lay.layout(lines), plan}
	}
	const mark = "(MARK)"
	text = lay.layout(slices.Insert(lines, at, mark))
	from := strings.LastIndexByte(text[:strings.Index(text, mark)], '\n') + 1
	to := from + strings.IndexByte(text[from:], '\n')
	text = text[:from] + strings.ReplaceAll(placed, "LINE", line) + text[to:]
	return mutant{fmt.Sprintf("%s in %s (%q, %q) as %q", body.name, lay.name, before, after, placed), line, text, plan}
}

// items reports whether steps are numbered, or have bullets.
func (l *mutantLayout) items() bool {
	return strings.Contains(l.name, "number") || strings.Contains(l.name, "labels") || strings.Contains(l.name, "bullets") || l.name == "table"
}

// lines reports whether each step has a line of its own.
func (l *mutantLayout) lines() bool {
	return !strings.Contains(l.name, "one line") && !strings.Contains(l.name, "json") && l.name != "arrows"
}

// mutantPlaces are other ways for a line to stand among the items of a list.
var mutantPlaces = []string{"LINE", "  LINE", "\tLINE", "   - LINE", "- LINE", "* LINE", "\nLINE\n", "\nLINE", "LINE\n", "Note this.\nLINE", "LINE\nThis works.", "\n   LINE", "> LINE", "This works.\n\nLINE", "LINE\n\nThis works.\n"}

func mutantTasks(t testing.TB) map[string]*mutantTask {
	tasks := map[string]*mutantTask{}
	add := func(name string, dom *pddl.Domain, prob *pddl.Problem) {
		k := &mutantTask{dom: dom, prob: prob, r: NewReader(dom, prob, Natural)}
		if ts := domains.TemplatesFor(dom); len(ts) > 0 {
			k.templates = ts[0]
		}
		tasks[name] = k
	}
	for name, texts := range pddltest.Tasks {
		if name != "timed" {
			dom, prob := pddltest.Parse(t, texts[0], texts[1])
			add(name, dom, prob)
		}
	}
	dom, prob := pddltest.Parse(t, `(define (domain letters) (:predicates (p ?x)) (:action a :parameters () :effect ()) (:action b :parameters (?x) :effect (p ?x)))`,
		`(define (problem q) (:domain letters) (:objects o1 o2) (:init) (:goal (and (p o1) (p o2))))`)
	add("letters", dom, prob)
	for _, info := range domains.List() {
		d, p, err := domains.Load(info.Example)
		if err != nil {
			t.Fatal(err)
		}
		dom, prob := pddltest.Parse(t, d.Text, p.Text)
		add("bundled "+info.Name, dom, prob)
	}
	return tasks
}

// TestMutants: a line that resembles a step is never left out.
func TestMutants(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 1000
	}
	for name, k := range mutantTasks(t) {
		t.Run(name, func(t *testing.T) {
			k.rand = rand.New(rand.NewSource(1))
			missed := map[string]int{}
			shown := 0
			for range n {
				m := k.draw()
				x := k.r.Extract(m.text)
				if x.Status != StatusPlan || !slices.Equal(x.Plan, m.plan) || len(x.Malformed) > 0 {
					continue
				}
				missed[m.how]++
				if shown++; shown <= 12 {
					t.Errorf("%s: left out %q of\n%s", m.how, m.line, m.text)
				}
			}
			if shown > 0 {
				t.Errorf("%d of %d", shown, n)
			}
		})
	}
}

// TestDecoratedSteps: a step in a line with labels, tags, emphasis or signs that do
// not show is read as the step.
func TestDecoratedSteps(t *testing.T) {
	decorations := []string{"<action>STEP</action>", "<step>STEP</step>", "<STEP>", "(STEP)", "t1: STEP", "step STEP", "Action: STEP", "=> STEP", "=STEP", "-> STEP", "→ STEP", "- STEP", "• STEP", "_STEP_", "__STEP__", "**STEP**", "`STEP`", "> STEP", "\"STEP\",", "'STEP'", "Then STEP.", "STEP \x1b[2J", "\x1b[32mSTEP\x1b[0m", "\x1b]0;title\x07STEP", "STEP\x07", "\x00STEP", "\u2066STEP\u2069", "\u2060STEP", "\u202eSTEP", "\u200bSTEP", "\u00adSTEP", "\ufeffSTEP", "\U000e0041STEP", "\u009b31mSTEP", "\xffSTEP"}
	layouts := []func(l []string) string{
		func(l []string) string { return strings.Join(l, "\n") + "\n" },
		func(l []string) string { return "<plan>\n" + strings.Join(l, "\n") + "\n</plan>\n" },
		func(l []string) string { return "```\n" + strings.Join(l, "\n") + "\n```\n" },
		func(l []string) string { return numbered(l, "NUMBER. LINE\n") },
	}
	for name, k := range mutantTasks(t) {
		k.rand = rand.New(rand.NewSource(1))
		for _, d := range decorations {
			for _, layout := range layouts {
				plan := []string{k.step(), k.step(), k.step()}
				lines := slices.Clone(plan)
				lines[1] = strings.ReplaceAll(d, "STEP", lines[1])
				text := layout(lines)
				if x := k.r.Extract(text); !slices.Equal(x.Plan, plan) || len(x.Malformed) > 0 {
					t.Errorf("%s: %q is read as %v, malformed %v", name, text, x.Plan, x.Malformed)
				}
			}
		}
	}
}

// TestReportedLines: lines that were once left out, in the middle of a plan.
func TestReportedLines(t *testing.T) {
	r := testReader(t, "blocks")
	plan := []string{"(unstack c a)", "(put-down c)", "(pick-up a)", "(stack a b)"}
	lines := []string{"(fly).", "(fly) away", "(zz) foo", "(zz", "(xyz a", "(fly a) up", "(xyz a b.", "(move a, b", "(put the block down", "(now pick-up a", "<action>(pick-up a)</action>", "((pick-up a))", "t1: (pick-up a)", "(move a b c d).", "(teleport a to b).",
		"x(pick-up a)", "step (pick-up b)", "<step>(pick-up b)</step>", "=> (pick-up b)", "=(pick-up b)", "!(pick-up b)", "_(pick-up b)_", "<(pick-up b)>", "((pick-up b) (put-down b))", "\u2066(pick-up b)", "\u2060(pick-up b)", "\u202e(pick-up b)", "(zz)\x1b[2J", "teleport a b"}
	for _, line := range lines {
		for at := 1; at < len(plan); at++ {
			l := slices.Insert(slices.Clone(plan), at, line)
			all := strings.Join(l, "\n") + "\n"
			for _, text := range []string{all, "Here is my final plan:\n" + all, "<plan>\n" + all + "</plan>", "[PLAN]\n" + all + "[PLAN END]", "```\n" + all + "```\n", numbered(l, "NUMBER. LINE\n"), "<plan>\n" + numbered(l, "NUMBER. LINE\n") + "</plan>"} {
				if x := r.Extract(text); slices.Equal(x.Plan, plan) && len(x.Malformed) == 0 {
					t.Errorf("%q is left out of\n%s", line, text)
				}
			}
		}
	}
}
