package validator

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"planproof/pddl"
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

func message(v *Verdict) string {
	if v.Failure == nil {
		return ""
	}
	return v.Failure.Message
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
