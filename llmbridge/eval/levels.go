package eval

import (
	"cmp"
	"slices"

	"github.com/planproof/planproof/llmbridge/extract"
)

// LevelCounts counts the answers that are right on each level of extract.VerdictScore.
type LevelCounts struct {
	Rows        int `json:"rows"`
	Binary      int `json:"binary"`
	Type        int `json:"type"`
	Explanation int `json:"explanation"`
	Step        int `json:"step"`
	Exact       int `json:"exact"`
	// Conditions are the means of the unmet conditions that are named, over the answers
	// about invalid plans; nil without any.
	Conditions *ConditionMeans `json:"conditions,omitempty"`
	// Truths counts what answers say about the plans of each class, in the order of
	// extract.VerdictClasses: a table of confusions.
	Truths []TruthCount `json:"truths"`
}

// ConditionMeans are means over answers about invalid plans of extract.ConditionScore.
type ConditionMeans struct {
	Rows      int     `json:"rows"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// TruthCount counts the answers about plans of one class.
type TruthCount struct {
	Truth extract.VerdictClass `json:"truth"`
	Rows  int                  `json:"rows"`
	// Right answers tell valid from invalid, Type those that tell the class too. Wilson is
	// the 95 % interval of Right.
	Right  int         `json:"right"`
	Type   int         `json:"type"`
	Wilson Interval    `json:"wilson"`
	Told   []ToldCount `json:"told"`
}

// ToldCount counts the answers that tell one class.
type ToldCount struct {
	Told extract.VerdictClass `json:"told"`
	Rows int                  `json:"rows"`
}

func (l *LevelCounts) add(s *extract.VerdictScore) {
	l.Rows++
	l.Binary += count(s.Binary)
	l.Type += count(s.Type)
	l.Explanation += count(s.Explanation)
	l.Step += count(s.Step)
	l.Exact += count(s.Exact)
	if c := s.Conditions; c != nil {
		if l.Conditions == nil {
			l.Conditions = &ConditionMeans{}
		}
		m := l.Conditions
		m.Rows++
		n := float64(m.Rows)
		m.Precision += (c.Precision - m.Precision) / n
		m.Recall += (c.Recall - m.Recall) / n
		m.F1 += (c.F1 - m.F1) / n
	}
	i := slices.IndexFunc(l.Truths, func(t TruthCount) bool { return t.Truth == s.Truth })
	if i < 0 {
		i = len(l.Truths)
		l.Truths = append(l.Truths, TruthCount{Truth: s.Truth})
	}
	t := &l.Truths[i]
	t.Rows++
	t.Right += count(s.Binary)
	t.Type += count(s.Type)
	k := slices.IndexFunc(t.Told, func(c ToldCount) bool { return c.Told == s.Told })
	if k < 0 {
		k = len(t.Told)
		t.Told = append(t.Told, ToldCount{Told: s.Told})
	}
	t.Told[k].Rows++
}

// finish sorts the counts and computes their intervals.
func (l *LevelCounts) finish() {
	if l == nil {
		return
	}
	at := func(c extract.VerdictClass) int { return slices.Index(extract.VerdictClasses(), c) }
	slices.SortFunc(l.Truths, func(a, b TruthCount) int { return cmp.Compare(at(a.Truth), at(b.Truth)) })
	for i := range l.Truths {
		t := &l.Truths[i]
		t.Wilson = Wilson(t.rate(), t.Rows)
		slices.SortFunc(t.Told, func(a, b ToldCount) int { return cmp.Compare(at(a.Told), at(b.Told)) })
	}
}

// rate is the share of right answers.
func (t *TruthCount) rate() float64 { return float64(t.Right) / float64(t.Rows) }

// toldRows is the number of answers that tell a class.
func (t *TruthCount) toldRows(c extract.VerdictClass) int {
	for _, told := range t.Told {
		if told.Told == c {
			return told.Rows
		}
	}
	return 0
}
