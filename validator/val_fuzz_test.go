package validator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// runVAL returns VAL's verdict on a pair, and false if it has none: it cannot read the task,
// crashes, or takes more than five seconds.
func runVAL(t *testing.T, bin string, p *pair) (valid, ok bool, out string) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-v", "-t", "0.0001"}
	names := strings.NewReplacer("(c1 ", "(k1 ") // VAL has one name space for constants and functions
	for i, text := range []string{names.Replace(p.domain), names.Replace(p.problem), p.plan + "\n"} {
		file := filepath.Join(dir, []string{"domain.pddl", "problem.pddl", "plan"}[i])
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	b, _ := exec.CommandContext(ctx, bin, args...).CombinedOutput()
	out = string(b)
	switch {
	case ctx.Err() != nil || strings.Contains(out, "Error:") || strings.Contains(out, "error:"):
		return false, false, out
	case strings.Contains(out, "Plan valid"):
		return true, true, out
	case strings.Contains(out, "Plan failed") || strings.Contains(out, "Goal not satisfied") || strings.Contains(out, "Failed plans") || strings.Contains(out, "Bad plan"):
		return false, true, out
	}
	return false, false, out
}

// differsFromVAL returns what each says where VAL and the judge differ on a pair, "" where they agree
// or one has no verdict, and what VAL printed.
func differsFromVAL(t *testing.T, bin string, p *pair) (what, out string) {
	v := p.verdict()
	if v == nil {
		return "no verdict", ""
	}
	valid, ok, out := runVAL(t, bin, p)
	switch ours := outcome(v); {
	case !ok:
		return "VAL has none", out
	case valid == v.Valid:
		return "agree", out
	case v.Valid:
		return "valid here, not for VAL", out
	default:
		return ours + " here, valid for VAL", out
	}
}

func outcome(v *Verdict) string {
	if v.Valid {
		return "valid"
	}
	return string(v.Failure.Kind)
}

// readingsOfVAL are clauses of the table of differences in docs/SEMANTICS.md, as changes of a pair under
// which our judge reads it as VAL does. They explain a difference if the verdicts are equal then.
var readingsOfVAL = []struct {
	clause string
	apply  func(p *pair)
}{
	{"strict comparisons hold of equal values", func(p *pair) {
		weak := strings.NewReplacer("(> ", "(>= ", "(< ", "(<= ")
		p.domain, p.problem = weak.Replace(p.domain), weak.Replace(p.problem)
	}},
	{"durations are not rounded to the decimals written", func(p *pair) {
		p.plan = regexp.MustCompile(`\[(\d+)\]`).ReplaceAllString(p.plan, "[$1.000000]")
		p.plan = regexp.MustCompile(`\[(\d+\.\d+)\]`).ReplaceAllString(p.plan, "[${1}000000]")
	}},
}

// clauseFor returns the clause that explains a difference, "" if none does. The clauses about what a pair has
// mean something only of a pair that has been shrunk.
func clauseFor(p pair, what, out string, small bool) string {
	valid := strings.Contains(what, "valid for VAL")
	all := p
	for _, r := range readingsOfVAL {
		one := p
		r.apply(&one)
		r.apply(&all)
		for _, q := range []pair{one, all} {
			if v := q.verdict(); v != nil && v.Valid == valid {
				return r.clause
			}
		}
	}
	switch {
	case strings.HasPrefix(what, "numeric here"):
		return "division by 0, undefined values"
	case strings.Contains(out, "initially true") || strings.Contains(out, "satisfied in the initial state"):
		return "events that are possible initially"
	case strings.Contains(out, "robustly"):
		return "two or more events, followed by further ones"
	case !small:
		return ""
	}
	if why := clauseOfSmall(&p, what, out); why != "" {
		return why
	}
	// Two clauses together: what is left once the pair is read as VAL reads it.
	for _, r := range readingsOfVAL {
		q := p
		r.apply(&q)
		if v := q.verdict(); v != nil && !v.Valid && valid {
			if why := clauseOfSmall(&q, outcome(v)+" here, valid for VAL", out); why != "" && outcome(v)+" here, valid for VAL" != what {
				return r.clause + "; " + why
			}
		}
	}
	return ""
}

var (
	// nestedEffect matches a quantified or conditional effect, or an "and", in an "and" inside another effect.
	nestedEffect = regexp.MustCompile(`(?s):effect \(.*\(and\s+\((forall|when|and) `)
	// insideTime matches a quantified or conditional effect inside a time specifier.
	insideTime = regexp.MustCompile(`\(at (start|end) \((forall|when) `)
	// fluentBound matches a bound on a duration that reads a fluent.
	fluentBound = regexp.MustCompile(`\?duration \([a-z]`)
)

// clauseOfSmall is the clause of a pair that has been shrunk: every part of it matters.
func clauseOfSmall(p *pair, what, out string) string {
	text := p.domain + p.problem
	has := func(parts ...string) bool {
		for _, part := range parts {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	}
	says := func(words string) bool { return strings.Contains(out, words) }
	switch here, _, _ := strings.Cut(what, " here"); {
	case here == "mutex" && has("(when "):
		return "conditions of effects that do not fire"
	case here == "mutex" && fluentBound.MatchString(p.domain):
		return "fluents in bounds on durations"
	case here == "mutex" && has("(increase (f0) (f0))"):
		return "an increase of a value by itself"
	case says("Mutex violation: (Timed Initial Literal") && says("and (Timed Initial Literal"):
		return "timed literals do not interfere with each other"
	case here == "valid" && (says("adds a precondition literal") || says("Plan failed to execute") && !says("Mutex") && !says("satisfy") && !says("unsatisfied")):
		return "an atom added twice by a step that needs it"
	case (here == "event" || here == "valid" && has("(:event ")) && says("Plan size: 0"):
		return "nothing happens with an empty plan"
	case here == "valid" && says("Bad plan description") && nestedEffect.MatchString(p.domain):
		return "quantified and conditional effects inside others"
	case here == "valid" && says("Bad plan description") && insideTime.MatchString(p.domain):
		return "quantified and conditional effects inside time specifiers"
	case here == "valid" && says("conditional effect monitor"):
		return "a temporal conditional effect is another action at the end"
	case here == "mutex" && says("adds and deletes the literal"):
		return "an atom that a step deletes and adds is only added"
	case here == "constraint" && has("(hold-during ") || here == "valid" && has("(hold-after ") && says("Now requiring"):
		return "hold-during and hold-after"
	case (here == "goal" || here == "precondition") && (has("(/ ") || has("scale-down")), here == "valid" && has("(:derived ", "(/ "):
		return "division by 0, undefined values"
	case here == "precondition" && has("(:derived ", "(not (d"):
		return "strict comparisons hold of equal values, and their negations"
	case here == "valid" && has("(:derived ") && says("Goal not satisfied"):
		return "a derived atom beside a comparison"
	case here == "event" && (has("(:process ") || has("(:event ", "(= (c")):
		return "conditions that hold at one instant between happenings"
	case here == "invariant" && has("(over all (forall "):
		return "a quantified invariant while numbers change"
	case here == "precondition" && has("(:process r0 :parameters () :precondition (= c"):
		return "a process whose condition has no atom never starts"
	}
	return ""
}

// TestFuzzAgainstVAL compares the judge with VAL on random plain pairs of every level. What differs
// must be explained by the table of docs/SEMANTICS.md; anything else is shrunk and reported. PLANPROOF_PAIRS=100-200
// takes these pairs only.
func TestFuzzAgainstVAL(t *testing.T) {
	bin := valBinary(t)
	from, to := 0, 300
	if os.Getenv("PLANPROOF_LONG") != "" {
		to = 20000
	}
	if _, err := fmt.Sscanf(os.Getenv("PLANPROOF_PAIRS"), "%d-%d", &from, &to); err != nil && os.Getenv("PLANPROOF_PAIRS") != "" {
		t.Fatal("PLANPROOF_PAIRS: ", err)
	}
	for level := range levels {
		t.Run(levelNames[level], func(t *testing.T) {
			draw := rapid.Custom(func(rt *rapid.T) pair { return drawPair(rt, level, true) })
			counts := map[string]int{}
			for seed := from; seed < to; seed++ {
				p := draw.Example(seed)
				p.epsilon = "0"
				what, out := differsFromVAL(t, bin, &p)
				if !strings.Contains(what, "for VAL") {
					counts[what]++
					continue
				}
				why := clauseFor(p, what, out, false)
				if why == "" {
					p = shrink(p, func(q pair) bool {
						w, o := differsFromVAL(t, bin, &q)
						return w == what && clauseFor(q, w, o, false) == ""
					})
					_, out = differsFromVAL(t, bin, &p)
					why = clauseFor(p, what, out, true)
				}
				if counts[why]++; why == "" {
					t.Errorf("pair %d: %s\n%s\n%s", seed, what, &p, out)
				}
			}
			t.Logf("%v", counts)
		})
	}
}
