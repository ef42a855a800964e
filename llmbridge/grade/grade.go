package grade

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Grader grades answers to one prompt. It is compiled from the prompt's record, and several goroutines may
// use it at once.
type Grader struct {
	rec    *prompt.Record
	judge  *validator.Judge
	plan   *extract.Reader
	state  *extract.StateReader
	verify *extract.VerdictReader
	budget pddl.Number
}

// Grade is what an answer to a prompt is worth.
type Grade struct {
	Kind prompt.Kind `json:"kind"`
	// Correct means: for plans, a valid plan within the budget; for cost-optimal, one of least
	// cost; for unsolvable, the claim that there is no plan; for execution, exactly the true
	// state; for verification, the right choice of "valid" and "invalid".
	Correct bool `json:"correct"`

	Plan    *extract.Extraction `json:"plan,omitempty"`
	Verdict *validator.Verdict  `json:"verdict,omitempty"` // on Plan
	// StatedCost is the time that a cost-optimal answer states, or "".
	StatedCost string `json:"stated_cost,omitempty"`

	State      *extract.StateReading `json:"state,omitempty"`
	StateScore *extract.StateScore   `json:"state_score,omitempty"`

	Verification *extract.VerdictReading `json:"verification,omitempty"`
	Levels       *extract.VerdictScore   `json:"levels,omitempty"`
}

// NewGrader compiles a record. The error wraps prompt.ErrOption if the record lacks the gold answer that
// grading needs, and says why if its task cannot be read or judged.
func NewGrader(rec *prompt.Record) (*Grader, error) {
	dom, ds := pddl.ParseDomain(pddl.NewSource("domain", rec.Domain), pddl.Options{})
	if dom == nil {
		return nil, fmt.Errorf("the record's domain: %w", ds.Err())
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource("problem", rec.Problem), dom, pddl.Options{})
	if prob == nil {
		return nil, fmt.Errorf("the record's problem: %w", ds.Err())
	}
	g := &Grader{rec: rec}
	switch rec.Kind {
	case prompt.KindVerification:
		if rec.Gold == nil || rec.Gold.Verdict == nil {
			return nil, fmt.Errorf("%w: a %s record without its gold verdict", prompt.ErrOption, rec.Kind)
		}
		g.verify = extract.NewVerdictReader(dom, prob)
		return g, nil
	case prompt.KindExecution:
		if rec.Gold == nil {
			return nil, fmt.Errorf("%w: an %s record without its gold state", prompt.ErrOption, rec.Kind)
		}
		g.state = extract.NewStateReader(dom, prob)
		return g, nil
	case prompt.KindCostOptimal:
		if rec.Gold == nil || !rec.Gold.Optimal {
			return nil, fmt.Errorf("%w: a %s record without its gold cost", prompt.ErrOption, rec.Kind)
		}
	case prompt.KindUnsolvable:
		if rec.Gold == nil {
			return nil, fmt.Errorf("%w: an %s record without its gold answer", prompt.ErrOption, rec.Kind)
		}
	}
	g.plan = extract.NewReader(dom, prob, cmp.Or(rec.Reader, extract.Natural))
	var err error
	if g.judge, err = validator.NewJudge(prob, validator.Options{}); err != nil {
		return nil, err
	}
	if rec.Budget != "" {
		n, ok := pddl.ParseFraction(rec.Budget)
		if !ok {
			return nil, fmt.Errorf("%w: %q is not a budget", prompt.ErrOption, rec.Budget)
		}
		g.budget = n
	}
	return g, nil
}

// Grade reads an answer and grades it. The result depends only on the answer and the record.
func (g *Grader) Grade(response string) Grade {
	out := Grade{Kind: g.rec.Kind}
	switch {
	case g.verify != nil:
		x := g.verify.Read(response)
		s := x.Score(g.rec.Gold.Verdict)
		out.Verification, out.Levels, out.Correct = &x, &s, s.Binary
		return out
	case g.state != nil:
		x := g.state.Read(response)
		s := g.state.Score(&x, g.rec.Gold.State)
		out.State, out.StateScore, out.Correct = &x, &s, s.Exact
		return out
	}
	x := g.plan.Extract(response)
	out.Plan = &x
	if g.rec.Kind == prompt.KindCostOptimal {
		out.StatedCost = statedCost(extract.WithoutThoughts(response))
	}
	if x.Status != extract.StatusPlan {
		out.Correct = g.rec.Kind == prompt.KindUnsolvable && g.rec.Gold.Unsolvable && x.Status == extract.StatusClaimsUnsolvable
		return out
	}
	v, _ := g.judge.ValidateText(pddl.NewSource("plan", x.PlanText()), g.judge.NewScratch())
	out.Verdict = v
	out.Correct = v.Valid
	if g.rec.Budget != "" {
		out.Correct = out.Correct && v.CostDefined && v.Cost.Cmp(g.budget) <= 0
	}
	if g.rec.Kind == prompt.KindCostOptimal {
		best, ok := pddl.ParseFraction(g.rec.Gold.Cost)
		out.Correct = out.Correct && ok && v.CostDefined && v.Cost.Equal(best)
	}
	return out
}

// statedCost returns the number before the last "minute" of an answer.
func statedCost(text string) string {
	lower := strings.ToLower(text)
	k := strings.LastIndex(lower, "minute")
	if k < 0 {
		return ""
	}
	f := strings.FieldsFunc(lower[max(0, k-64):k], func(c rune) bool { return c == ' ' || c == '*' || c == '$' || c == '`' || c == '-' })
	if len(f) == 0 {
		return ""
	}
	if n, ok := pddl.ParseNumber(f[len(f)-1]); ok {
		return n.String()
	}
	return ""
}

// Text says in a few words whether the answer is correct, and why.
func (g *Grade) Text() string {
	word := map[bool]string{true: "correct", false: "wrong"}[g.Correct]
	switch {
	case g.StateScore != nil:
		return fmt.Sprintf("%s: precision %.3f, recall %.3f", word, g.StateScore.Precision, g.StateScore.Recall)
	case g.Levels != nil:
		return fmt.Sprintf("%s: verdict %v, kind %v, explanation %v", word, g.Levels.Binary, g.Levels.Type, g.Levels.Explanation)
	case g.Verdict != nil && g.Verdict.Failure != nil:
		return word + ": " + g.Verdict.Failure.Message
	case g.Verdict != nil:
		return fmt.Sprintf("%s: a valid plan of cost %s", word, g.Verdict.Cost)
	case g.Plan != nil:
		return word + ": " + string(g.Plan.Status)
	}
	return word
}
