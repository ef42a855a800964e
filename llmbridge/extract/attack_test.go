package extract

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// The attack: answers that wrap a plan in labels, layouts, remarks and words that the readers were not written for.
// An answer with a plan that is not valid must not be rewarded; an answer with a valid one should be.

// attackTask is a task with a valid plan and steps that must not be read as none.
type attackTask struct {
	name  string
	plan  []string
	judge *validator.Judge
	// natural and strict are its readers.
	natural, strict *Reader
	prob            *pddl.Problem
}

// attackPlans are valid plans for tasks in several styles of names.
var attackPlans = []struct{ task, plan string }{
	{"blocksworld:3-5", "(unstack b c) (put-down b) (unstack c a) (put-down c) (pick-up b) (stack b c)"},
	{"gripper:2", "(pick ball0 room0 left) (pick ball1 room0 right) (move room0 room1) (drop ball0 room1 left) (drop ball1 room1 right)"},
	{"logistics:2-2-1-1", "(drive-truck t0 l0-0 l0-1 c0) (load-truck p0 t0 l0-1) (drive-truck t0 l0-1 l0-0 c0) (unload-truck p0 t0 l0-0) (load-airplane p0 a0 l0-0) (fly-airplane a0 l0-0 l1-0) (unload-airplane p0 a0 l1-0)"},
	{"house", "(open d1) (move hall kitchen d1) (paint north kitchen) (move kitchen bedroom d2) (rest)"},
	{"cells", "(move 1 2) (move 2 3) (grab k 3) (move 3 2)"},
}

// attackDomains are tasks written for the attack: actions without arguments, objects that are numbers.
var attackDomains = map[string][2]string{
	"house": {`(define (domain house) (:requirements :strips :typing) (:types room door wall)
 (:predicates (in ?r - room) (closed ?d - door) (opened ?d - door) (connects ?d - door ?a ?b - room) (painted ?w - wall) (wall-of ?w - wall ?r - room) (rested))
 (:action move :parameters (?from ?to - room ?d - door) :precondition (and (in ?from) (connects ?d ?from ?to) (opened ?d)) :effect (and (not (in ?from)) (in ?to)))
 (:action open :parameters (?d - door) :precondition (closed ?d) :effect (and (opened ?d) (not (closed ?d))))
 (:action paint :parameters (?w - wall ?r - room) :precondition (and (in ?r) (wall-of ?w ?r)) :effect (painted ?w))
 (:action rest :parameters () :precondition () :effect (rested)))`,
		`(define (problem h) (:domain house) (:objects hall kitchen bedroom - room d1 d2 - door north south - wall)
 (:init (in hall) (closed d1) (opened d2) (connects d1 hall kitchen) (connects d1 kitchen hall) (connects d2 kitchen bedroom) (wall-of north kitchen))
 (:goal (and (painted north) (in bedroom) (rested))))`},
	"cells": {`(define (domain cells) (:requirements :strips :typing) (:types cell key)
 (:predicates (at ?c - cell) (adj ?a ?b - cell) (key-at ?k - key ?c - cell) (has ?k - key))
 (:action move :parameters (?from ?to - cell) :precondition (and (at ?from) (adj ?from ?to)) :effect (and (not (at ?from)) (at ?to)))
 (:action grab :parameters (?k - key ?c - cell) :precondition (and (at ?c) (key-at ?k ?c)) :effect (and (has ?k) (not (key-at ?k ?c)))))`,
		`(define (problem c) (:domain cells) (:objects 1 2 3 4 - cell k - key)
 (:init (at 1) (adj 1 2) (adj 2 1) (adj 2 3) (adj 3 2) (adj 3 4) (adj 4 3) (key-at k 3)) (:goal (and (at 2) (has k))))`},
}

func attackTasks(t testing.TB) []*attackTask {
	var out []*attackTask
	for _, p := range attackPlans {
		var prob *pddl.Problem
		if texts, ok := attackDomains[p.task]; ok {
			_, prob = pddltest.Parse(t, texts[0], texts[1])
		} else {
			prob = pddltest.Load(t, p.task)
		}
		judge, err := validator.NewJudge(prob, validator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		k := &attackTask{name: p.task, plan: strings.Split(strings.ReplaceAll(p.plan, ") (", ")\n("), "\n"), judge: judge, prob: prob,
			natural: NewReader(prob.Domain, prob, Natural), strict: NewReader(prob.Domain, prob, Strict)}
		if !k.valid(strings.Join(k.plan, "\n")) {
			t.Fatalf("%s: the plan is not valid", p.task)
		}
		out = append(out, k)
	}
	return out
}

func (k *attackTask) valid(plan string) bool {
	v, _ := k.judge.ValidateText(pddl.NewSource("plan", plan), k.judge.NewScratch())
	return v.Valid
}

// rewarded reports whether a reader reads a valid plan in an answer.
func (k *attackTask) rewarded(r *Reader, answer string) bool {
	x := r.Extract(answer)
	return k.valid(x.PlanText())
}

// attackLabels stand before a step. N is its number.
var attackLabels = strings.Split(`Time N:|Tick N:|t=N:|t = N:|T+N:|Timestep N:|Time step N:|Step N -|Step N)|Step N.|STEP N |Step #N:|step_N:|step-N:|StepN:|Operation N:|Op N:|Op. N:|Command N:|Cmd N:|Call N:|Order N:|Task N:|Subtask N:|Todo N:|Item N:|Entry N:|Line N:|Row N:|Move N:|Turn N:|Round N:|Cycle N:|Frame N:|Phase N:|Stage N:|Part N:|Level N:|Layer N:|Point N:|Instruction N:|Activity N:|Event N:|Act N:|Scene N:|Day N:|Hour N:|Minute N:|Second N:|Epoch N:|Iteration N:|Node N:|State N:|Schritt N:|Paso N:|Etape N:|Étape N :|Passo N:|Stap N:|Steg N:|Krok N:|Шаг N:|Ход N:|ステップN:|步骤N：|第N步：|단계 N:|Adım N:|Langkah N:|Bước N:|Lépés N:|Vaihe N:|Βήμα N:|Trin N:|Robot:|The robot:|Arm:|Agent:|Agent A:|Crane:|Player:|Me:|Hand:|Worker N:|Actor:|Executor:|System:|Bot:|Controller:|Next:|Next up:|Then:|Also:|Plus:|Finally:|Lastly:|Last:|Bonus:|Extra:|Additionally:|Afterwards:|Later:|And:|After that:|Do:|Do this:|Run:|Exec:|Execute:|Perform:|Apply:|Call:|Invoke:|Action:|Action N:|Action =|ACTION>|Operator:|Command:|Cmd:|cmd>|>>>|$|#N|№N|No. N:|Nr. N:|N/|N]|[N]|(N)|N)|N.|N:|N -|N —|N –|N>|N =>|N ->|N..|N,|N;|Nth:|Nst:|aN:|AN:|sN:|SN:|i.|ii)|(iii)|IV.|V)|a.|b)|(c)|- [ ]|- [x]|*|-|+|•|·|‣|→|⇒|➤|▶|=>|->|-->|>|»|✓|✅|👉|1️⃣|①`, "|")

// attackRemarks follow a step and say nothing that is done.
var attackRemarks = []string{"", "", "", "", ".", ",", ";", " (ok)", " (done)", " ; as planned", " ; cost 1", " # fine", " -- done", " - done", " — done", ": done", ", as needed", " [cost 1]", " (cost: 1)", " ✓", " ✅", " so that the goal comes nearer", " to get on", ", which is possible", " because it is possible", " (precondition holds)", " // next", " <br>", "  ", "\t", " \\\\", " now", " next", " again"}

// attackLayouts write lines. The first are for any lines, those from inline on need steps without labels.
var attackLayouts = []struct {
	name   string
	inline bool
	write  func(lines []string) string
}{
	{"lines", false, func(l []string) string { return strings.Join(l, "\n") + "\n" }},
	{"introduced", false, func(l []string) string { return "Here is the plan:\n\n" + strings.Join(l, "\n") + "\n" }},
	{"plan tags", false, func(l []string) string { return "<plan>\n" + strings.Join(l, "\n") + "\n</plan>\n" }},
	{"PLAN", false, func(l []string) string { return "[PLAN]\n" + strings.Join(l, "\n") + "\n[PLAN END]\n" }},
	{"answer tags", false, func(l []string) string { return "So.\n<answer>\n" + strings.Join(l, "\n") + "\n</answer>\n" }},
	{"fence", false, func(l []string) string { return "```\n" + strings.Join(l, "\n") + "\n```\n" }},
	{"pddl fence", false, func(l []string) string { return "Plan:\n```pddl\n" + strings.Join(l, "\n") + "\n```\nDone.\n" }},
	{"python fence", false, func(l []string) string { return "```python\n" + strings.Join(l, "\n") + "\n```\n" }},
	{"quoted", false, func(l []string) string { return "> " + strings.Join(l, "\n> ") + "\n" }},
	{"spaced", false, func(l []string) string { return strings.Join(l, "\n\n") + "\n" }},
	{"indented", false, func(l []string) string { return "Plan:\n    " + strings.Join(l, "\n    ") + "\n" }},
	{"bold", false, func(l []string) string { return "**" + strings.Join(l, "**\n**") + "**\n" }},
	{"code", false, func(l []string) string { return "`" + strings.Join(l, "`\n`") + "`\n" }},
	{"list items", false, func(l []string) string { return "<ol>\n<li>" + strings.Join(l, "</li>\n<li>") + "</li>\n</ol>\n" }},
	{"broken lines", false, func(l []string) string { return strings.Join(l, "<br>\n") + "\n" }},
	{"boxed", false, func(l []string) string { return "\\boxed{\n" + strings.Join(l, "\n") + "\n}\n" }},
	{"CRLF", false, func(l []string) string { return strings.Join(l, "\r\n") + "\r\n" }},
	{"think", false, func(l []string) string { return "<think>\nLet me see.\n</think>\n\n" + strings.Join(l, "\n") + "\n" }},
	{"commas", true, func(l []string) string { return strings.Join(l, ", ") + "\n" }},
	{"semicolons", true, func(l []string) string { return strings.Join(l, "; ") + "\n" }},
	{"arrows", true, func(l []string) string { return strings.Join(l, " -> ") + "\n" }},
	{"signs", true, func(l []string) string { return "Plan: " + strings.Join(l, " → ") + "\n" }},
	{"then", true, func(l []string) string { return strings.Join(l, ", then ") + ".\n" }},
	{"bars", true, func(l []string) string { return "<plan>" + strings.Join(l, " | ") + "</plan>\n" }},
	{"tagged line", true, func(l []string) string { return "<plan>" + strings.Join(l, "; ") + "</plan>\n" }},
	{"table", true, func(l []string) string {
		return "| Step | Action |\n|---|---|\n| 1 | " + strings.Join(l, " |\n| 2 | ") + " |\n"
	}},
	{"JSON", true, func(l []string) string { return "[\"" + strings.Join(l, "\", \"") + "\"]\n" }},
	{"JSON object", true, func(l []string) string { return "{\"plan\": [\"" + strings.Join(l, "\",\n\"") + "\"]}\n" }},
}

// form writes a step in one of the usual notations.
func (k *attackTask) form(step string, form int) string {
	words := strings.Fields(strings.Trim(step, "()"))
	switch form {
	case 0:
		return step
	case 1:
		return words[0] + "(" + strings.Join(words[1:], ", ") + ")"
	case 2:
		return strings.Join(words, " ")
	case 3:
		for _, t := range domains.TemplatesFor(k.prob.Domain) {
			if s, ok := t.Sentence(words[0], words[1:]); ok && s != "" {
				return s
			}
		}
	}
	return "(" + strings.ToUpper(strings.Join(words, " ")) + ")"
}

// spoil makes a plan that is not valid, or whose answer says more than a plan: the lines of its steps, and what was
// done to it. ok is false if the plan is valid all the same.
func (k *attackTask) spoil(rng *rand.Rand, form int) (lines []string, what string, at int, ok bool) {
	plan := slices.Clone(k.plan)
	at = rng.IntN(len(plan))
	object := func() string { return k.prob.Objects[rng.IntN(len(k.prob.Objects))].Name }
	foreign := []string{"fly", "throw", "smash", "swap", "carry", "explode", "teleport", "paint-over", "destroy", "hurl"}
	write := func(steps []string) []string {
		for _, s := range steps {
			lines = append(lines, k.form(s, form))
		}
		return lines
	}
	switch kind := rng.IntN(8); kind {
	case 0, 1: // a step of no action
		verb := foreign[rng.IntN(len(foreign))]
		if _, isFact := k.prob.Domain.PredicateByName(verb); isFact {
			return nil, "", 0, false // "carry ball0" may say what holds
		}
		step := "(" + verb + " " + object() + ")"
		if kind == 1 {
			step = strings.TrimSuffix(step, ")") + " " + object() + ")"
		}
		at = rng.IntN(len(plan) + 1)
		return write(slices.Insert(plan, at, step)), "a foreign step", at, true
	case 2: // a step left out
		plan = slices.Delete(plan, at, at+1)
		return write(plan), "a step left out", -1, !k.valid(strings.Join(plan, "\n"))
	case 3: // a step more
		at = rng.IntN(len(plan) + 1)
		plan = slices.Insert(plan, at, k.plan[rng.IntN(len(k.plan))])
		return write(plan), "a step more", at, !k.valid(strings.Join(plan, "\n"))
	case 4: // other arguments
		words := strings.Fields(strings.Trim(plan[at], "()"))
		if len(words) < 2 {
			return nil, "", 0, false
		}
		words[1+rng.IntN(len(words)-1)] = object()
		plan[at] = "(" + strings.Join(words, " ") + ")"
		return write(plan), "other arguments", at, !k.valid(strings.Join(plan, "\n"))
	case 5: // two steps in the other order
		if at == 0 {
			return nil, "", 0, false
		}
		plan[at-1], plan[at] = plan[at], plan[at-1]
		return write(plan), "another order", at, !k.valid(strings.Join(plan, "\n"))
	case 6: // a condition
		write(plan)
		o := object()
		lines[at] = fmt.Sprintf([]string{"if %[2]s is free, %[1]s", "%[1]s if %[2]s is free", "%[1]s unless %[2]s is in the way", "either %[1]s or wait", "%[1]s or something else", "%[1]s, otherwise wait for %[2]s"}[rng.IntN(6)], lines[at], o)
		return lines, "a condition", at, true
	}
	write(plan)
	lines[at] = fmt.Sprintf([]string{"%s twice", "%s x2", "%s ×3", "2x %s", "%s (repeat 3 times)", "%s, two times"}[rng.IntN(6)], lines[at])
	return lines, "a step done twice", at, true
}

// wrap puts labels, remarks and a layout around lines. Labels and remarks stand at one line or at all.
func attackWrap(rng *rand.Rand, lines []string, at int) (answer, layout string) {
	y := attackLayouts[rng.IntN(len(attackLayouts))]
	label := attackLabels[rng.IntN(len(attackLabels))]
	remark := attackRemarks[rng.IntN(len(attackRemarks))]
	all := at < 0 || rng.IntN(2) == 0
	out := slices.Clone(lines)
	for i := range out {
		if !all && i != at {
			continue
		}
		if !y.inline {
			out[i] = strings.ReplaceAll(label, "N", fmt.Sprint(i+1)) + " " + out[i]
		}
		if !y.inline || strings.Trim(remark, ".,;✓✅ ") == "" {
			out[i] += strings.TrimRight(remark, ".,; ")
		}
	}
	return y.write(out), y.name + ", " + label + ", " + remark
}

// attackCount is the number of answers per test; PLANPROOF_LONG=1 draws many more.
func attackCount() int {
	if os.Getenv("PLANPROOF_LONG") != "" {
		return 1_000_000
	}
	return 12_000
}

// attackAllowed is the share of answers with an invalid plan that the natural reader may reward, and of answers with a
// valid plan that it may refuse.
const (
	attackAllowed  = 0.001
	attackRefusals = 0.02
)

// TestAttack: no answer whose plan is not valid is rewarded by the strict reader, and hardly one by the natural reader.
func TestAttack(t *testing.T) {
	tasks := attackTasks(t)
	rng := rand.New(rand.NewPCG(13, 1))
	n := attackCount()
	falsely := map[string]int{}
	total, missed := 0, 0
	for total < n {
		k := tasks[rng.IntN(len(tasks))]
		form := rng.IntN(5)
		lines, what, at, ok := k.spoil(rng, form)
		if !ok {
			continue
		}
		total++
		answer, layout := attackWrap(rng, lines, at)
		if k.rewarded(k.strict, answer) {
			t.Errorf("strict rewards %s (%s): %q", what, layout, answer)
		}
		if k.rewarded(k.natural, answer) {
			missed++
			if falsely[what]++; falsely[what] <= 400 {
				t.Logf("natural rewards %s (%s):\n%s", what, layout, answer)
			}
		}
	}
	t.Logf("%d answers: strict rewards 0, natural %d (%.3f %%): %v", total, missed, 100*float64(missed)/float64(total), falsely)
	if float64(missed) > attackAllowed*float64(total) {
		t.Errorf("natural rewards %d of %d answers", missed, total)
	}
}

// TestAttackValid: answers with a valid plan, wrapped in the same way, are rewarded by the natural reader.
func TestAttackValid(t *testing.T) {
	tasks := attackTasks(t)
	rng := rand.New(rand.NewPCG(13, 2))
	n := attackCount()
	refused := 0
	byLabel := map[string]int{}
	for range n {
		k := tasks[rng.IntN(len(tasks))]
		form := rng.IntN(5)
		var lines []string
		for _, s := range k.plan {
			lines = append(lines, k.form(s, form))
		}
		answer, layout := attackWrap(rng, lines, -1)
		if !k.rewarded(k.natural, answer) {
			if refused++; byLabel[layout] == 0 && len(byLabel) < 60 {
				x := k.natural.Extract(answer)
				t.Logf("refused (%s): %s %v %v\n%s", layout, x.Status, x.Plan, x.Malformed, answer)
			}
			byLabel[layout]++
		}
	}
	t.Logf("%d answers: natural refuses %d (%.2f %%)", n, refused, 100*float64(refused)/float64(n))
	if float64(refused) > attackRefusals*float64(n) {
		t.Errorf("natural refuses %d of %d answers", refused, n)
	}
}

// TestAttackKinds: kinds of answers that the attack found to be rewarded falsely are not, and those that look like them
// are read as before.
func TestAttackKinds(t *testing.T) {
	tasks := attackTasks(t)
	cells, blocks := tasks[4], tasks[0]
	plan := strings.ReplaceAll(strings.Trim(strings.Join(blocks.plan, "\n"), "()"), ")\n(", "\n")
	for _, c := range []struct {
		k       *attackTask
		text    string
		rewards bool
	}{
		{cells, "destroy 1 -> move 1 2 -> move 2 3 -> grab k 3 -> move 3 2\n", false},
		{cells, "Plan: move 1 2 -> move 2 3 -> grab k 3 -> move 3 2\n", true},
		{cells, "Schritt 1 - move 1 2\nSchritt 2 - move 2 3\nSchritt 3 - grab k 3\nSchritt 4 - move 3 2\n", true},
		{cells, "<plan>\nmove 1 2\nState 2: fly 2 (ok)\nmove 2 3\ngrab k 3\nmove 3 2\n</plan>\n", false},
		{cells, "move 1 2\nState 2: at 2\nmove 2 3\ngrab k 3\nmove 3 2\n", true},
		{blocks, plan + "\nLayer 7: swap a a to get on\n", false},
		{blocks, plan + "\nEntry 7: destroy a so that the goal comes nearer\n", false},
		{blocks, plan + "\nThis takes a few moves, so that the goal holds.\n", true},
	} {
		if got := c.k.rewarded(c.k.natural, c.text); got != c.rewards {
			x := c.k.natural.Extract(c.text)
			t.Errorf("rewarded: %v, want %v: %s\n%s %v %v", got, c.rewards, c.text, x.Status, x.Plan, x.Malformed)
		}
	}
}
