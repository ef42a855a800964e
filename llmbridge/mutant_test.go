package llmbridge

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"planproof/domains"
	"planproof/pddl"
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
	{"call", true, func(k *mutantTask) string { return call(k.step()) }},
	{"unknown call", true, func(k *mutantTask) string { return call("(" + k.stranger() + k.objects() + ")") }},
	{"square brackets", true, func(k *mutantTask) string { return "[" + strings.Trim(k.step(), "()") + "]" }},
	{"braces", true, func(k *mutantTask) string { return "{" + strings.Trim(k.step(), "()") + "}" }},
	{"words", false, func(k *mutantTask) string { return strings.Trim(k.step(), "()") }},
	{"sentence", false, func(k *mutantTask) string { return k.sentence(k.step()) }},
}

// What may stand before and after a body. A comment sign makes a comment, and a
// colon after words a heading: they are not here.
var (
	mutantBefore = []string{"", "", "x", "step ", "t1: ", "Action: ", "=> ", "=", "-> ", "! ", "!", "?", "_", "__", "**", "`", "<", "<step>", "<action>", "[", "\"", "'", "$", "~~", "~", "&", "%", "@", "^", "+", "+ ", "- ", "* ", "> ", ">", "| ", "/", ". ", ", ", ".. ", "... ", ") ", "}", "then ", "Next, ", "no ", "not ", "maybe ", "perhaps ", "so ", "I do ", "here ", "step x ", "(", "2; ", "99. ", "7) ", "a) ", "§ ", "→ ", "• ", "« ", "✓ ", "❌ ", "\u2066", "\u2060", "\u202e", "\u200b", "\u00ad", "\ufeff", "\U000e0041", "\x1b[2J", "\x1b[31m", "\x1b]0;x\x07", "\x07", "\x00", "\u009b31m", "\xff", "é", "№ ", "&gt; ", "&#40;"}
	mutantAfter  = []string{"", "", ".", ",", ";", "!", "?", "...", " away", " foo", " up", ">", "</step>", "</action>", "_", "**", "`", "]", ")", "))", "\"", " (x)", " -", " |", "\u2069", "\u2060", "\x1b[0m", "\x1b[2J", "\x07", "\xff", " …", " ok?", " it is clear"}
	strangers    = []string{"fly", "zz", "xyz", "teleport", "noop", "jump_over", "foo-bar"}
)

type mutantTask struct {
	renderTask
	dom  *pddl.Domain
	prob *pddl.Problem
	r    *Reader
	rand *rand.Rand
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

// step draws a step of the domain, of objects that its sentence suits.
func (k *mutantTask) step() string {
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

// mutantLayouts are ways to lay a plan out in lines. In a closed one every line
// counts, before the first step and after the last as well.
var mutantLayouts = []struct {
	name     string
	closed   bool
	sentence bool
	layout   func(lines []string) string
}{
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
	for i := range plan {
		plan[i] = k.step()
	}
	lay := &mutantLayouts[k.rand.Intn(len(mutantLayouts))]
	body := &mutantBodies[k.rand.Intn(len(mutantBodies))]
	before := mutantBefore[k.rand.Intn(len(mutantBefore))]
	after := mutantAfter[k.rand.Intn(len(mutantAfter))]
	text := body.write(k)
	for !body.formal && (!strings.Contains(text, " ") || before == "x" || before == "é") {
		// A name without objects, or a name that is part of another, may be words.
		text, before = body.write(k), ""
		if !k.hasArgs() {
			break
		}
	}
	if strings.ContainsAny(before, "abcdefghijklmnopqrstuvwxyz") && strings.HasSuffix(before, " ") && text[0] == '(' && (after != "" && after[0] == ')' || strings.HasSuffix(text, ")") && !strings.Contains(text, " ")) {
		before = "" // "perhaps (indeed)" is a remark
	}
	if lay.name == "boxed" && strings.Contains(before, "}") {
		before = "" // ends the box
	}
	line := before + text + after
	at := 1 + k.rand.Intn(len(plan)-1)
	if lay.closed {
		at = k.rand.Intn(len(plan) + 1)
	}
	lines := slices.Clone(plan)
	if lay.sentence {
		for i := range lines {
			lines[i] = k.sentence(lines[i])
		}
	}
	lines = slices.Insert(lines, at, line)
	return mutant{fmt.Sprintf("%s in %s (%q, %q)", body.name, lay.name, before, after), line, lay.layout(lines), plan}
}

// hasArgs tells whether some action has parameters.
func (k *mutantTask) hasArgs() bool {
	return slices.ContainsFunc(k.dom.Actions, func(a *pddl.Action) bool { return a.NumParams > 0 })
}

func mutantTasks(t testing.TB) map[string]*mutantTask {
	tasks := map[string]*mutantTask{}
	add := func(name string, dom *pddl.Domain, prob *pddl.Problem) {
		k := &mutantTask{dom: dom, prob: prob, r: NewReader(dom, prob)}
		if ts := domains.TemplatesFor(dom); len(ts) > 0 {
			k.templates = ts[0]
		}
		tasks[name] = k
	}
	for name, texts := range testTasks {
		if name != "timed" {
			dom, prob := parseTask(t, texts[0], texts[1])
			add(name, dom, prob)
		}
	}
	dom, prob := parseTask(t, `(define (domain letters) (:predicates (p ?x)) (:action a :parameters () :effect ()) (:action b :parameters (?x) :effect (p ?x)))`,
		`(define (problem q) (:domain letters) (:objects o1 o2) (:init) (:goal (and (p o1) (p o2))))`)
	add("letters", dom, prob)
	for _, info := range domains.List() {
		d, p, err := domains.Load(info.Example)
		if err != nil {
			t.Fatal(err)
		}
		dom, prob := parseTask(t, d.Text, p.Text)
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
