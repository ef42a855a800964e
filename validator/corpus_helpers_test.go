package validator

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// sharedData returns the folder with trusted answers, or skips.
func sharedData(t testing.TB) string {
	t.Helper()
	for _, root := range []string{os.Getenv("PLANPROOF_SHARED"), filepath.Join("..", "..", "shared")} {
		if root == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, "data", "validator")); err == nil {
			return filepath.Join(root, "data")
		}
	}
	t.Skip("no shared data: set PLANPROOF_SHARED")
	return ""
}

// loader parses each file once.
type loader struct {
	domains map[string]*pddl.Domain
	judges  map[string]*Judge
	errs    map[string]error
}

func newLoader() *loader {
	return &loader{map[string]*pddl.Domain{}, map[string]*Judge{}, map[string]error{}}
}

func (l *loader) judge(domain, problem string) (*Judge, error) {
	key := domain + "\x00" + problem
	if j, ok := l.judges[key]; ok {
		return j, l.errs[key]
	}
	j, err := l.load(domain, problem)
	l.judges[key], l.errs[key] = j, err
	return j, err
}

func (l *loader) load(domain, problem string) (*Judge, error) {
	d := l.domains[domain]
	if d == nil {
		src, err := readSource(domain)
		if err != nil {
			return nil, err
		}
		var diags pddl.Diagnostics
		if d, diags = pddl.ParseDomain(src, pddl.Options{}); d == nil {
			return nil, diags.Errors()
		}
		l.domains[domain] = d
	}
	src, err := readSource(problem)
	if err != nil {
		return nil, err
	}
	p, diags := pddl.ParseProblem(src, d, pddl.Options{})
	if p == nil {
		return nil, diags.Errors()
	}
	return NewJudge(p, Options{})
}

func readSource(path string) (*pddl.Source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &pddl.Source{Name: filepath.Base(path), Text: string(text)}, nil
}

// readLines decodes a JSON Lines file.
func readLines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		var row T
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func message(v *Verdict) string {
	if v.Failure == nil {
		return ""
	}
	return v.Failure.Message
}

// sameValue compares a metric written as a JSON number or a fraction.
func sameValue(want any, got pddl.Number) bool {
	r, ok := new(big.Rat).SetString(fmt.Sprint(want))
	if !ok {
		return false
	}
	a, _ := r.Float64()
	b, _ := got.Rat().Float64()
	return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a))
}

// explainWithout explains a plan without its middle step: the explanation must extend the
// verdict and say what is unmet.
func explainWithout(t *testing.T, name string, j *Judge, src *pddl.Source) {
	t.Helper()
	plan, _ := pddl.ParsePlan(src)
	if len(plan.Steps) == 0 {
		return
	}
	plan.Steps = slices.Delete(plan.Steps, len(plan.Steps)/2, len(plan.Steps)/2+1)
	s := j.NewScratch()
	v := j.Explain(plan, s)
	if v.Valid {
		return
	}
	if x := v.Explanation; x == nil || len(x.Unmet) == 0 || v.Failure.Step > 0 && len(x.Goals) == 0 && !v.GoalReached {
		t.Errorf("%s: nothing is explained: %s", name, message(v))
	}
	v.Explanation = nil
	if got, want := message(v), message(j.ValidateWith(plan, s)); got != want {
		t.Errorf("%s: explained %s, judged %s", name, got, want)
	}
}
