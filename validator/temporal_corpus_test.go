package validator

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// heldWrong lists the rows whose label we hold to be wrong, with the clause that decides.
var heldWrong = map[string]string{
	"own/time-metric/drive-wrong": `the duration 3.3 is 10/3 rounded to the one decimal written (semantics, "Durations")`,
}

type temporalRow struct {
	ID          string  `json:"id"`
	DomainFile  string  `json:"domain_file"`
	ProblemFile string  `json:"problem_file"`
	Plan        string  `json:"plan"`
	Epsilon     float64 `json:"epsilon"`
	ValValid    *bool   `json:"val_valid"`
	Referee     string  `json:"referee"`
	Valid       *bool   `json:"expected_valid"`
	Metric      any     `json:"expected_metric"`
	Second      struct {
		Exact struct {
			Valid  *bool `json:"valid"`
			Metric any   `json:"metric"`
		} `json:"exact"`
		Tolerant any `json:"tolerant"`
	} `json:"second_checker"`
}

var negativeTime = regexp.MustCompile(`(?m)^\s*-[\d.]+\s*:`)

// trusted returns the verdict a row is trusted to have, and whether it has one.
func (r *temporalRow) trusted() (valid, ok bool) {
	switch {
	case strings.HasPrefix(r.Referee, "open"), r.Second.Tolerant != "same":
		return false, false
	case r.Valid != nil:
		return *r.Valid, true
	case negativeTime.MatchString(r.Plan):
		return false, false // refused by design
	case r.Referee == "unchecked":
		return r.ValValid != nil && *r.ValValid, true
	}
	return r.Second.Exact.Valid != nil && *r.Second.Exact.Valid, true
}

// TestTemporalCorpus compares with the trusted rows: verdicts and values of the metric.
func TestTemporalCorpus(t *testing.T) {
	root := filepath.Join(sharedData(t), "temporal")
	l := newLoader()
	total, wrong := 0, map[string]bool{}
	for _, r := range readLines[temporalRow](t, filepath.Join(root, "cases-dev.jsonl")) {
		want, ok := r.trusted()
		if !ok {
			continue
		}
		total++
		j, err := l.judge(filepath.Join(root, r.DomainFile), filepath.Join(root, r.ProblemFile))
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		s := j.NewScratch()
		s.Epsilon = pddl.Fraction(int64(r.Epsilon*1e9), 1e10)
		v, _ := j.ValidateText(&pddl.Source{Name: "plan", Text: r.Plan}, s)
		metric := r.Metric
		if metric == nil {
			metric = r.Second.Exact.Metric
		}
		if v.Valid == want && (!want || metric == nil || v.CostDefined && sameValue(metric, v.Cost)) {
			continue
		}
		if wrong[r.ID] = true; heldWrong[r.ID] == "" {
			t.Errorf("%s: want %v %v (%s), got %v %s %s", r.ID, want, metric, r.Referee, v.Valid, v.Cost, message(v))
		}
	}
	for id, clause := range heldWrong {
		if !wrong[id] {
			t.Errorf("%s is no longer judged differently: %s", id, clause)
		}
	}
	if total == 0 {
		t.Error("no rows")
	}
	t.Logf("%d rows, %d held to be wrongly labelled", total, len(wrong))
}
