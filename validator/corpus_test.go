package validator

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/pddl"
)

type valRow struct {
	ID          string   `json:"id"`
	DomainFile  string   `json:"domain_file"`
	ProblemFile string   `json:"problem_file"`
	Mutation    string   `json:"mutation"`
	Plan        string   `json:"plan"`
	Status      string   `json:"val_status"`
	Valid       *bool    `json:"val_valid"`
	Reason      string   `json:"val_reason"`
	FirstBad    int      `json:"first_bad_step"`
	Value       *float64 `json:"val_final_value"`
}

// valLenient lists the mutations on which VAL crashes or accepts what a strict
// judge refuses (val-quirks.md 1-6): the plan must be invalid.
var valLenient = map[string]bool{
	"wrong_arity_more": true, "wrong_arity_fewer": true, "garbage_line": true, "no_parens": true, "unknown_object": true,
	"unknown_action": true, "replace_wrong_type": true, "missing_close_paren": true,
}

// TestValidatorCorpus compares with VAL's recorded verdicts, first failing steps
// and values. Rows on which VAL is known to be wrong must be refused instead.
func TestValidatorCorpus(t *testing.T) {
	data := sharedData(t)
	l := newLoader()
	scratch := map[*Judge]*Scratch{}
	good, total, undecided := 0, 0, 0
	for _, file := range []string{"cases-dev.jsonl", "handmade.jsonl"} {
		for _, r := range readLines[valRow](t, filepath.Join(data, "validator", file)) {
			base := filepath.Join(data, "bench")
			if strings.HasPrefix(r.DomainFile, "handmade") {
				base = filepath.Join(data, "validator")
			}
			j, err := l.judge(filepath.Join(base, r.DomainFile), filepath.Join(base, r.ProblemFile))
			if err != nil {
				t.Errorf("%s: %v", r.ID, err)
				continue
			}
			if scratch[j] == nil {
				scratch[j] = j.NewScratch()
			}
			v, _ := j.ValidateText(&pddl.Source{Name: "plan", Text: r.Plan}, scratch[j])
			strict := valLenient[r.Mutation] || strings.HasSuffix(r.ID, "unconstrained-parameter-untyped/2") || strings.HasSuffix(r.ID, "unconstrained-parameter-untyped/3")
			if r.Status != "ok" && !strict {
				undecided++
				t.Logf("VAL has no verdict on %s (%s): ours is valid=%v %s", r.ID, r.Reason, v.Valid, message(v))
				continue
			}
			total++
			if why := disagreement(&r, v, strict); why != "" {
				t.Errorf("%s: %s; VAL: %s; ours: valid=%v cost=%s %s", r.ID, why, r.Reason, v.Valid, v.Cost, message(v))
				continue
			}
			good++
		}
	}
	t.Logf("%d of %d rows agree, %d without a verdict of VAL", good, total, undecided)
	if total == 0 {
		t.Error("no rows")
	}
}

func disagreement(r *valRow, v *Verdict, strict bool) string {
	if strict {
		if v.Valid {
			return "a strict judge refuses this plan"
		}
		return ""
	}
	switch {
	case r.Valid == nil:
		return "row without a verdict"
	case *r.Valid != v.Valid:
		return "verdict differs"
	case !v.Valid && r.FirstBad > 0 && r.FirstBad != v.Failure.Step:
		return "failing step differs"
	case v.Valid && r.Value != nil:
		f, _ := v.Cost.Rat().Float64()
		if d := f - *r.Value; d > 1e-6*max(1, f) || -d > 1e-6*max(1, f) {
			return "value differs"
		}
	}
	return ""
}

// TestBugInputs checks the cases that are classical and about judging: verdict,
// failing step, the named literal, and cost exactly.
func TestBugInputs(t *testing.T) {
	base := filepath.Join(sharedData(t), "bug-inputs")
	dirs, err := os.ReadDir(base)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, d := range dirs {
		dir := filepath.Join(base, d.Name())
		expected, err := os.ReadFile(filepath.Join(dir, "expected.txt"))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(strings.SplitN(string(expected), "\n", 2)[0])
		plan, err := readSource(filepath.Join(dir, "plan.txt"))
		if err != nil || want[0] == "ERROR" && !strings.HasPrefix(want[1], "plan.txt") {
			continue // no plan to judge, or a domain that is refused
		}
		t.Run(d.Name(), func(t *testing.T) {
			j, err := newLoader().judge(filepath.Join(dir, "domain.pddl"), filepath.Join(dir, "problem.pddl"))
			if err != nil {
				var diags pddl.Diagnostics
				if errors.As(err, &diags) && strings.HasPrefix(string(diags[0].Code), CodeUnsupported) {
					t.Skipf("not classical: %v", diags[0].Message)
				}
				t.Fatal(err)
			}
			v, _ := j.ValidateText(plan, j.NewScratch())
			checkExpected(t, want, v)
		})
		ran++
	}
	if ran < 30 {
		t.Errorf("only %d cases ran", ran)
	}
}

// checkExpected compares a verdict with a line of expected.txt.
func checkExpected(t *testing.T, want []string, v *Verdict) {
	t.Helper()
	values := map[string]string{}
	for _, w := range want[1:] {
		if k, x, ok := strings.Cut(w, "="); ok {
			values[k] = x
		}
	}
	switch want[0] {
	case "VALID":
		if span, ok := values["makespan"]; ok && v.Makespan.String() != span {
			t.Fatalf("want %v, got makespan %s", want, v.Makespan)
		}
		if !v.Valid || values["cost"] != "" && v.Cost.String() != values["cost"] {
			t.Fatalf("want %v, got valid=%v cost=%s %s", want, v.Valid, v.Cost, message(v))
		}
	case "INVALID":
		if v.Valid {
			t.Fatalf("want %v, got valid", want)
		}
		if s := values["step"]; s != "" && s != fmt.Sprint(v.Failure.Step) {
			t.Errorf("want %v, got step %d", want, v.Failure.Step)
		}
		if want[1] == "goal" && (v.Failure.Kind != FailGoal || !slices.Equal(v.Failure.Unsatisfied, []string{strings.Join(want[2:], " ")})) {
			t.Errorf("want %v, got %+v", want, v.Failure)
		}
		if len(want) > 2 && want[2] == "precondition" && (v.Failure.Kind != FailPrecondition || !slices.Equal(v.Failure.Unsatisfied, []string{strings.Join(want[3:], " ")})) {
			t.Errorf("want %v, got %+v", want, v.Failure)
		}
		if len(want) > 2 && (want[2] == "arity" || want[2] == "unknown-object" || want[2] == "type") && string(v.Failure.Kind) != want[2] {
			t.Errorf("want %v, got %+v", want, v.Failure)
		}
		if len(want) > 2 && want[2] == "undefined-fluent" && (v.Failure.Kind != FailNumeric || !slices.Equal(v.Failure.Unsatisfied, []string{strings.Join(want[3:], " ")})) {
			t.Errorf("want %v, got %+v", want, v.Failure)
		}
	case "ERROR":
		if v.Valid || v.Failure.Kind != FailSyntax || !strings.HasPrefix(want[1], fmt.Sprintf("plan.txt:%d:%d", v.Failure.Line, v.Failure.Column)) {
			t.Errorf("want %v, got %+v", want, v.Failure)
		}
	default:
		t.Fatalf("unknown expectation %v", want)
	}
}

// TestOptimalPlans judges every recorded plan of a cost-optimal search: valid, and
// of exactly the recorded cost.
func TestOptimalPlans(t *testing.T) {
	base := filepath.Join(sharedData(t), "bench")
	f, err := os.Open(filepath.Join(base, "optimal.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	l := newLoader()
	total := 0
	for _, r := range rows[1:] {
		plan := r[column["plan_file"]]
		if plan == "" {
			continue
		}
		cost := r[column["lmcut_cost"]]
		if cost == "" {
			cost = r[column["blind_cost"]]
		}
		dir := filepath.Join(base, r[column["domain"]])
		src, err := readSource(filepath.Join(base, plan))
		if err != nil {
			t.Fatal(err)
		}
		j, err := l.judge(filepath.Join(dir, filepath.Base(r[column["domain_file"]])), filepath.Join(dir, r[column["problem_file"]]))
		if err != nil {
			t.Errorf("%s: %v", plan, err)
			continue
		}
		v, _ := j.ValidateText(src, j.NewScratch())
		if !v.Valid || v.Cost.String() != cost {
			t.Errorf("%s: want cost %s, got valid=%v %s %s", plan, cost, v.Valid, v.Cost, message(v))
		}
		explainWithout(t, plan, j, src)
		total++
	}
	t.Logf("%d plans", total)
	if total == 0 {
		t.Error("no plans")
	}
}

// TestBenchTasksCompile compiles every task of the benchmark folder.
func TestBenchTasksCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every benchmark task")
	}
	base := filepath.Join(sharedData(t), "bench")
	problems, err := filepath.Glob(filepath.Join(base, "*", "*.pddl"))
	if err != nil {
		t.Fatal(err)
	}
	slowest, name := time.Duration(0), ""
	total := 0
	for _, problem := range problems {
		domain := domainOf(problem)
		if domain == "" {
			continue
		}
		start := time.Now()
		l := newLoader()
		if _, err := l.judge(domain, problem); err != nil {
			t.Errorf("%s: %v", problem, err)
		}
		if d := time.Since(start); d > slowest {
			slowest, name = d, problem
		}
		total++
	}
	t.Logf("%d tasks; slowest %v: %s", total, slowest, filepath.Base(name))
}

// domainOf finds the domain file of a benchmark problem, or "" for a domain file.
func domainOf(problem string) string {
	dir, file := filepath.Split(problem)
	if strings.Contains(file, "domain") {
		return ""
	}
	stem := strings.TrimSuffix(file, ".pddl")
	for _, name := range []string{"domain.pddl", stem + "-domain.pddl", "domain-" + file, "domain_" + file, stem[:min(3, len(stem))] + "-domain.pddl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name)
		}
	}
	return ""
}
