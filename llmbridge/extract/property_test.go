package extract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"pgregory.net/rapid"
)

// rendering is one way to write a plan; "" when it does not suit the task.
type rendering struct {
	name  string
	write func(k *renderTask, plan []string) string
}

type renderTask struct {
	templates *domains.Templates // nil for none
}

func eachLine(plan []string, line func(i int, step string) string) string {
	var b strings.Builder
	for i, s := range plan {
		b.WriteString(line(i, s))
		b.WriteByte('\n')
	}
	return b.String()
}

func (k *renderTask) sentence(step string) string {
	w := atomtext.Words(step)
	s, ok := "", false
	if k.templates != nil {
		s, ok = k.templates.Sentence(w[0], w[1:])
	}
	if !ok {
		return step
	}
	return s
}

var renderings = []rendering{
	{"pddl", func(k *renderTask, p []string) string { return eachLine(p, func(i int, s string) string { return s }) }},
	{"upper", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return strings.ToUpper(s) })
	}},
	{"numbered", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return fmt.Sprintf("%d. %s", i+1, s) })
	}},
	{"from zero", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return fmt.Sprintf("%d: %s", i, s) })
	}},
	{"bracketed numbers", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return fmt.Sprintf("(%d) %s", i+1, s) })
	}},
	{"bullets", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return "- `" + s + "`" })
	}},
	{"bare words", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return strings.Trim(s, "()") })
	}},
	{"calls", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return fmt.Sprintf("Action %d: %s", i+1, pddltest.Call(s)) })
	}},
	{"bold", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return fmt.Sprintf("%d. **%s**", i+1, pddltest.Call(s)) })
	}},
	{"fence", func(k *renderTask, p []string) string { return "```pddl\n" + strings.Join(p, "\n") + "\n```\n" }},
	{"plan tag", func(k *renderTask, p []string) string { return "<plan>\n" + strings.Join(p, "\n") + "\n</plan>\n" }},
	{"answer tag", func(k *renderTask, p []string) string { return "<answer>" + strings.Join(p, " ") + "</answer>\n" }},
	{"brackets", func(k *renderTask, p []string) string { return "[PLAN]\n" + strings.Join(p, "\n") + "\n[PLAN END]\n" }},
	{"boxed", func(k *renderTask, p []string) string { return "\\boxed{" + strings.Join(p, ", ") + "}\n" }},
	{"json strings", func(k *renderTask, p []string) string { return pddltest.JSON(p) + "\n" }},
	{"json under a key", func(k *renderTask, p []string) string {
		return "```json\n" + pddltest.JSON(map[string]any{"plan": p}) + "\n```\n"
	}},
	{"json objects", func(k *renderTask, p []string) string {
		var list []map[string]any
		for _, s := range p {
			list = append(list, map[string]any{"action": atomtext.Words(s)[0], "args": atomtext.Words(s)[1:]})
		}
		return pddltest.JSON(list) + "\n"
	}},
	{"json lists", func(k *renderTask, p []string) string {
		var list [][]string
		for _, s := range p {
			list = append(list, atomtext.Words(s))
		}
		return pddltest.JSON(list) + "\n"
	}},
	{"table", func(k *renderTask, p []string) string {
		return "| Step | Action |\n|------|--------|\n" + eachLine(p, func(i int, s string) string { return fmt.Sprintf("| %d | %s |", i+1, s) })
	}},
	{"sentences", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return k.sentence(s) })
	}},
	{"numbered sentences", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return fmt.Sprintf("%d. %s.", i+1, capital(k.sentence(s))) })
	}},
	{"bold sentences with remarks", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string {
			return fmt.Sprintf("%d. **%s**\n   - This is possible now.", i+1, capital(k.sentence(s)))
		})
	}},
	{"steps", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string { return fmt.Sprintf("**Step %d:** %s\n", i+1, k.sentence(s)) })
	}},
	{"sentences in one line", func(k *renderTask, p []string) string {
		var parts []string
		for i, s := range p {
			parts = append(parts, fmt.Sprintf("%d. %s", i+1, k.sentence(s)))
		}
		return strings.Join(parts, " ") + "\n"
	}},
	{"sequence words", func(k *renderTask, p []string) string {
		return eachLine(p, func(i int, s string) string {
			return []string{"First, ", "Then ", "Next, ", "Finally, "}[min(i, 3)] + k.sentence(s) + "."
		})
	}},
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Chat that says nothing about a plan.
var (
	chatBefore = []string{"", "Sure! Here is the plan:\n\n", "Let me think about the goal first. The hand is empty.\n\n## Plan\n\n", "**Solution**\n\n", "To achieve your goal, follow these steps:\n", "Okay \U0001F642\n\n", "<think>\nMaybe something else? No.\n</think>\n\n", "hmm, let me see </think>\n"}
	chatAfter  = []string{"", "\nLet me know if you have any questions!\n", "\nThis plan achieves the goal.\n", "\nExplanation:\n- The first step clears the way.\n- The rest follows.\n", "\n\nThe total time to execute the plan is 4 minutes.\n", "\n---\n*Good luck!*\n"}
)

// randomPlan draws steps with the right number of objects.
func randomPlan(t *rapid.T, dom *pddl.Domain, prob *pddl.Problem, label string) []string {
	n := rapid.IntRange(1, 8).Draw(t, label+" length")
	var plan []string
	for range n {
		a := dom.Actions[rapid.IntRange(0, len(dom.Actions)-1).Draw(t, label+" action")]
		s := "(" + a.Name
		for k := range a.NumParams {
			var fit []string
			for _, o := range prob.Objects {
				// Sentences of logistics tell the kind of an object.
				if kinds, ok := argumentKinds[a.Name]; ok && o.Name[:1] != kinds[k:k+1] {
					continue
				}
				fit = append(fit, o.Name)
			}
			s += " " + rapid.SampledFrom(fit).Draw(t, label+" object")
		}
		plan = append(plan, s+")")
	}
	return plan
}

var argumentKinds = map[string]string{
	"load-truck": "ptl", "load-airplane": "pal", "unload-truck": "ptl", "unload-airplane": "pal", "drive-truck": "tllc", "fly-airplane": "all",
}

// TestAnyFormatRoundTrip: a plan written in any format, with any chat around it,
// is read as it is.
func TestAnyFormatRoundTrip(t *testing.T) {
	tasks := maps.Clone(pddltest.Tasks)
	delete(tasks, "timed") // its steps carry times
	for _, info := range domains.List() {
		dom, prob, err := domains.Load(info.Example)
		if err != nil {
			t.Fatal(err)
		}
		tasks["bundled "+info.Name] = [2]string{dom.Text, prob.Text}
	}
	for task, texts := range tasks {
		dom, prob := pddltest.Parse(t, texts[0], texts[1])
		r := NewReader(dom, prob, Natural)
		k := &renderTask{}
		if ts := domains.TemplatesFor(dom); len(ts) > 0 {
			k.templates = ts[0]
		}
		t.Run(task, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				plan := randomPlan(t, dom, prob, "plan")
				f := rapid.SampledFrom(renderings).Draw(t, "format")
				before := rapid.SampledFrom(chatBefore).Draw(t, "before")
				after := rapid.SampledFrom(chatAfter).Draw(t, "after")
				text := before + f.write(k, plan) + after
				x := r.Extract(text)
				if x.Status != StatusPlan || !slices.Equal(x.Plan, plan) || len(x.Malformed) > 0 {
					t.Fatalf("%s in format %q:\n%s\nread %s (%s): %v, malformed %v\nwritten: %v", task, f.name, text, x.Status, x.Reading, x.Plan, x.Malformed, plan)
				}
			})
		})
	}
}

// TestLastBlockWins: of two delimited plans the last is the answer, whatever the
// first was.
func TestLastBlockWins(t *testing.T) {
	dom, prob := pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	r := NewReader(dom, prob, Natural)
	rapid.Check(t, func(t *rapid.T) {
		first, last := randomPlan(t, dom, prob, "first"), randomPlan(t, dom, prob, "last")
		text := "<plan>\n" + strings.Join(first, "\n") + "\n</plan>\nWait. Better:\n<plan>\n" + strings.Join(last, "\n") + "\n</plan>\n"
		if x := r.Extract(text); x.Status != StatusPlan || !slices.Equal(x.Plan, last) {
			t.Fatalf("%s\nread %v", text, x.Plan)
		}
	})
}

// TestNoLineIsDropped: a line among the steps that is no step makes the plan
// refused, or stays as written for the judge; it is never skipped.
func TestNoLineIsDropped(t *testing.T) {
	dom, prob := pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	r := NewReader(dom, prob, Natural)
	junk := []string{"stack the red block under the blue block", "throw b away", "(stack a", "unstack the red block from the table", "stack a", "(teleport a b)", "(pick-up zebra)", "stack a or b", "pick up a block", "red block onto blue block"}
	prose := []string{"and so on", "I then grab it", "This works.", "..., and the rest"}
	layouts := []struct {
		name   string
		layout func(lines []string) string
		strict bool
	}{
		{"tags", func(l []string) string { return "<plan>\n" + strings.Join(l, "\n") + "\n</plan>\n" }, true},
		{"brackets", func(l []string) string { return "[PLAN]\n" + strings.Join(l, "\n") + "\n[PLAN END]\n" }, true},
		{"numbers", func(l []string) string {
			return eachLine(l, func(i int, s string) string { return fmt.Sprintf("%d. %s", i+1, s) })
		}, false},
		{"lines", func(l []string) string { return "The plan:\n\n" + strings.Join(l, "\n") + "\n\nGood luck!" }, false},
		{"double-spaced", func(l []string) string { return strings.Join(l, "\n\n") + "\n" }, false},
		{"json", func(l []string) string { return pddltest.JSON(l) }, true},
	}
	rapid.Check(t, func(t *rapid.T) {
		plan := randomPlan(t, dom, prob, "plan")
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		kinds := junk
		if layout.strict {
			kinds = slices.Concat(junk, prose)
		}
		bad := rapid.SampledFrom(kinds).Draw(t, "junk")
		if begins := strings.Contains(bad, "stack") || strings.Contains(bad, "("); !begins && !layout.strict && layout.name != "numbers" {
			return // among bare lines it is prose
		}
		text := layout.layout(slices.Insert(slices.Clone(plan), rapid.IntRange(0, len(plan)).Draw(t, "place"), bad))
		x := r.Extract(text)
		if slices.Equal(x.Plan, plan) && len(x.Malformed) == 0 {
			t.Fatalf("%s\nread as if the line %q were not there: %v", text, bad, x.Plan)
		}
		if len(x.Malformed) > 0 {
			if p, _ := pddl.ParsePlan(pddl.NewSource("plan", x.PlanText())); p != nil {
				t.Fatalf("a plan with a malformed step is accepted:\n%s", x.PlanText())
			}
		}
	})
}

// TestExtractConcurrently: a reader may be shared, and its answers do not depend
// on what it read before.
func TestExtractConcurrently(t *testing.T) {
	r := testReader(t, "blocks")
	texts := []string{"(pick-up a)\n(stack a b)", "<think>(pick-up b)", "1. pick up the red block\n2. stack it", "[\"(pick-up a)\"]", "no plan exists", strings.Repeat("1. pick up the red block\n", 50)}
	want := make([]string, len(texts))
	for i, s := range texts {
		x := r.Extract(s)
		want[i] = describe(&x)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 500 {
				k := (i + g) % len(texts)
				if x := r.Extract(texts[k]); describe(&x) != want[k] {
					t.Errorf("%q is read differently", texts[k])
					return
				}
			}
		}()
	}
	wg.Wait()
}

// hostile are answers made to take long, in a size that shows it.
func hostile(n int) map[string]string {
	rep := func(s string) string { return strings.Repeat(s, n/len(s)+1) }
	return map[string]string{
		"open brackets": rep("("), "open squares": rep("["), "square lines": rep("[\n"), "bracket runs": "(pick-up a) " + rep("([{") + " (pick-up a)", "open groups": "(pick-up a) " + rep("[zz ") + "(pick-up a)", "open foreign": rep("(zz a "), "calls": rep("zz("), "mentions": rep("so pick-up a "), "bracketed steps": rep("(pick-up a) [zz] "), "signs": "x" + rep("=>"), "escapes": rep("\x1b["), "invisible": rep("\u2060"), "waiting": "1. (pick-up a)\n" + rep("maybe (stack a b)\n\n"), "json depth": rep("[["), "json prefix": rep("[1,\n"), "braces": rep("{\"a\":\n"),
		"notes": "1. do:\n - (pick-up a)\n" + rep(" - a note\n"), "notes and steps": "1. do:\n - (pick-up a)\n" + rep(" - a note\n") + "1) we (put-down a)\n" + rep(" - we pick up a\n"),
		"quotes": rep("\""), "json strings": rep("[\"a\n"), "boxed": rep("\\boxed{"), "think": rep("<think>"), "unthink": rep("</think>"), "plan tags": rep("<plan>"), "tags": rep("<plan></plan>\n"),
		"end markers": rep("[PLAN END]\n"), "angles": rep("<"), "one word": rep("a"), "numbers": rep("1. "), "number lines": rep("1.\n"), "leads": rep("then "), "nots": rep("not "),
		"verbs": rep("pick up "), "steps": rep("(pick-up a) "), "step lines": rep("(pick-up a)\n"), "open steps": rep("(stack a "), "remarks": rep("pick up the red block ( "), "cancelled": rep("pick up the red block is not needed, so "),
		"sentence": rep("stack the red block on "), "adverbs": "pick up " + rep("back "), "groups": "stack the red block " + rep("(x)"), "labels": rep("action: "), "bad lines": rep("pick up\n"), "loose bad lines": rep("pick up\n\n"), "claims": rep("no valid plan "), "bullets": rep("- \n"), "fences": rep("```\n"), "headings": rep("# plan:\n"), "prose": rep("lorem ipsum dolor\n\n"),
		"backslashes": rep("\\"), "high bytes": rep("\xe2\x80"), "nul": rep("\x00"), "spaces": rep(" "), "newlines": rep("\n"), "returns": rep("\r"), "underscores": rep("_"), "hyphens": rep("-a"), "apostrophes": rep("'a"), "pipes": rep("|"),
	}
}

// Lines beyond a megabyte are read in parts, which may hide what the smaller size shows.
func TestHostileAnswers(t *testing.T) {
	sizes := []int{1 << 17, 1 << 20}
	if testing.Short() {
		sizes = sizes[:1]
	}
	r := testReader(t, "blocks")
	for _, n := range sizes {
		for name, s := range hostile(n) {
			start := testkit.CPUTime()
			x := r.Extract(s)
			// Linear reading takes well under a second; quadratic reading minutes.
			if d := testkit.CPUTime() - start; d > 2*time.Second {
				t.Errorf("%s: %v", name, d)
			}
			if x.Steps() > len(s) {
				t.Errorf("%s: %d steps", name, x.Steps())
			}
		}
	}
}

func TestPlanText(t *testing.T) {
	x := Extraction{Status: StatusPlan, Plan: []string{"(a b)", "(c)"}, Malformed: []Malformed{{Line: 3, Step: 2, Text: "(oops) ; \"x"}}}
	if got, want := x.PlanText(), "(a b)\n(malformed-step ; (oops) ; \"x\n(c)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	refused := []Extraction{x,
		{Status: StatusPlan, Malformed: []Malformed{{Step: 1, Text: "x"}}},
		{Status: StatusPlan, Plan: []string{"(a)"}, Malformed: []Malformed{{Step: 2, Text: "x)"}}},
		{Status: StatusPlan, Plan: []string{"(a)"}, Malformed: []Malformed{{Step: 1, Text: "x)"}, {Step: 3, Text: "y"}}},
		{Status: StatusNoPlan}, {Status: StatusAmbiguous}, {Status: StatusClaimsUnsolvable},
	}
	for _, x := range refused {
		if p, ds := pddl.ParsePlan(pddl.NewSource("plan", x.PlanText())); p != nil || len(ds) == 0 {
			t.Errorf("%q is accepted", x.PlanText())
		}
	}
	empty := Extraction{Status: StatusPlan}
	if p, ds := pddl.ParsePlan(pddl.NewSource("plan", empty.PlanText())); p == nil || len(p.Steps) != 0 {
		t.Errorf("the empty plan is refused: %v", ds)
	}
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{"(pick-up a)\n(stack a b)", "<think>x</think><plan>(pick-up a)</plan>", "1. Pick up the red block\n2. Stack it on blue", "[PLAN]\nput a down\n[PLAN END]", "{\"plan\": [[\"stack\", \"a\", \"b\"]]}", "\\boxed{\\text{stack a b}}", "\xe3\x800", "\xc2(pick-up a)", "\xe2\x80 \xf0\x9f(a)", "\x1b", "\x1b[", "\x1b]", "```\n(a)\n```", "no plan exists", "| 1 | stack a b |"} {
		f.Add(s)
	}
	readers := map[string]*Reader{}
	for task := range pddltest.Tasks {
		readers[task] = testReader(f, task)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for task, r := range readers {
			x := r.Extract(s)
			for range 2 { // lines that were read twice are known
				if y := r.Extract(s); describe(&x) != describe(&y) {
					t.Fatalf("%s: read again, differently", task)
				}
			}
			checkExtraction(t, &x, s)
			if task == "plain" {
				checkOccurs(t, &x, s)
			}
		}
	})
}

// checkOccurs checks that the words of every step stand in the answer. The domain
// has no templates, so names are used as they are.
func checkOccurs(t *testing.T, x *Extraction, s string) {
	t.Helper()
	letters := func(s string) string {
		return strings.Map(func(c rune) rune {
			if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
				return c
			}
			return -1
		}, strings.ToLower(s))
	}
	if strings.ContainsFunc(s, func(c rune) bool { return c >= 0x80 || c == '\\' }) {
		return // escapes and signs that are cleaned
	}
	text := letters(s)
	for _, step := range x.Plan {
		for _, w := range atomtext.Words(step) {
			if !strings.Contains(text, letters(w)) {
				t.Fatalf("%s: %q does not occur in %q", step, w, s)
			}
		}
	}
}

// TestPlanOfMalformedLines: the first answer that is read has a plan, even without steps.
func TestPlanOfMalformedLines(t *testing.T) {
	r := testReader(t, "plain")
	outlines = sync.Pool{New: outlines.New}
	const answer = "|0|m,@}}}}}}}|"
	x := r.Extract(answer)
	checkExtraction(t, &x, answer)
}

// checkExtraction checks what holds of every extraction.
func checkExtraction(t *testing.T, x *Extraction, s string) {
	t.Helper()
	if x.Plan == nil || x.Reading == "" || len(x.Lines) != len(x.Plan) {
		t.Fatalf("incomplete: %+v", x)
	}
	if x.Status != StatusPlan && x.Steps() > 0 {
		t.Fatalf("%s with steps", x.Status)
	}
	lines, bytes := strings.Count(s, "\n")+1, 0
	for i, l := range x.Lines {
		if l < 1 || l > lines || i > 0 && l < x.Lines[i-1] {
			t.Fatalf("step %d in line %d of %d", i, l, lines)
		}
		bytes += len(x.Plan[i])
	}
	for _, m := range x.Malformed {
		if m.Line < 1 || m.Line > lines || m.Step < 1 || m.Step > x.Steps() || len(m.Text) > maxQuote+3 {
			t.Fatalf("malformed %+v", m)
		}
	}
	// A name of the problem may be longer than what it is called, not more than tenfold.
	if x.Steps() > len(s) || bytes > 20*len(s)+20 {
		t.Fatalf("%d steps of %d bytes from %d bytes", x.Steps(), bytes, len(s))
	}
	p, _ := pddl.ParsePlan(pddl.NewSource("plan", x.PlanText()))
	if p != nil && (x.Status != StatusPlan || len(x.Malformed) > 0 || len(p.Steps) != len(x.Plan)) {
		t.Fatalf("accepted: %q", x.PlanText())
	}
}
