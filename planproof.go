// Package planproof decides whether plans are right and how far they are from the best one.
//
// It is the front door to the packages below it, for programs that want answers and not
// parts:
//
//	ReadTask ─► Task ─┬─► Solve ───► Solution: a cheapest plan, judged, with a certificate
//	                  ├─► Judge ───► Verdict: valid or not, why not, the exact cost
//	                  ├─► Extract ─► Extraction: the plan that an answer in words commits to
//	                  └─► Score ───► Scored: the reward of such an answer
//
// A [Task] is compiled on first use and safe for any number of goroutines. Bad input is an
// error of type [pddl.Diagnostics], with a place and a hint for every fault; a limit or a
// cancelled context is a status of the result or an error that wraps [ErrLimit]; neither is
// ever a verdict. The same input gives the same result.
//
// docs/LIBRARY.md has whole programs. What is not here is in the packages: costs and budgets
// in costmodel, prompts and models in llmbridge, data sets and training in rltrain.
package planproof

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/oracle"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// Verdict is the judge's finding on one plan: Valid, the exact Cost, the first Failure.
type Verdict = validator.Verdict

// Extraction is the plan that an answer commits to, with the lines that are none.
type Extraction = extract.Extraction

// Disagreement is the error of a plan that search found and the judge refuses or prices
// otherwise: a bug in planproof, never an answer.
type Disagreement = pipeline.Disagreement

// CertificateVerdict says whether a certificate holds, and what it proves.
type CertificateVerdict = pipeline.CertificateVerdict

// Scored is the reward of one answer; it is nil where Status says that nothing was decided.
type Scored = rows.Score

// ErrLimit is wrapped by errors of what could not answer within its limits.
var ErrLimit = search.ErrLimit

// Task is a planning task that was read and checked.
type Task struct {
	Problem *pddl.Problem // with its Domain
	// Warnings of reading: deviations from the standard that are tolerated, such as a problem
	// that names another domain.
	Warnings pddl.Diagnostics

	judge     lazyJudge
	strict    func() *extract.Reader // likewise
	natural   func() *extract.Reader // likewise
	scratches sync.Pool              // of the judge
}

// ReadTask reads a task: the paths of a domain and a problem file, or the name of a bundled
// task such as "blocksworld:4-17" ([domains.List] has the kinds). Faults of the texts are
// [pddl.Diagnostics].
func ReadTask(names ...string) (*Task, error) { return ReadTaskContext(context.Background(), names...) }

// ReadTaskContext is [ReadTask] that ends soon after ctx does, with its error.
func ReadTaskContext(ctx context.Context, names ...string) (*Task, error) {
	switch len(names) {
	case 1:
		dom, prob, err := domains.Load(names[0])
		if err != nil {
			return nil, err
		}
		return newTask(ctx, dom, prob)
	case 2:
		dom, err := pddl.ReadSourceContext(ctx, names[0])
		if err != nil {
			return nil, err
		}
		prob, err := pddl.ReadSourceContext(ctx, names[1])
		if err != nil {
			return nil, err
		}
		return newTask(ctx, dom, prob)
	}
	return nil, fmt.Errorf("a task is a domain and a problem file, or one bundled name; not %d names", len(names))
}

// ParseTask is [ReadTask] for texts.
func ParseTask(domain, problem string) (*Task, error) {
	return ParseTaskContext(context.Background(), domain, problem)
}

// ParseTaskContext is [ParseTask] that ends soon after ctx does, with its error.
func ParseTaskContext(ctx context.Context, domain, problem string) (*Task, error) {
	return newTask(ctx, pddl.NewSource("domain", domain), pddl.NewSource("problem", problem))
}

// parsed keeps domains: most tasks of a program are of a few.
var parsed = taskref.NewResolver(taskref.Options{CacheBytes: 16 << 20})

func newTask(ctx context.Context, dom, prob *pddl.Source) (*Task, error) {
	p, diags, err := parsed.ParseContext(ctx, taskref.KeyOf(dom, prob), pddl.Options{})
	if err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, diags
	}
	return &Task{
		Problem: p, Warnings: diags,
		judge:   lazyJudge{busy: make(chan struct{}, 1)},
		strict:  sync.OnceValue(func() *extract.Reader { return extract.NewReader(p.Domain, p, Strict) }),
		natural: sync.OnceValue(func() *extract.Reader { return extract.NewReader(p.Domain, p, Natural) }),
	}, nil
}

// SolveOptions say how to search. The zero value is the default search without limits.
type SolveOptions struct {
	Time   time.Duration // of grounding and search together, elapsed
	Memory int64         // bytes, of grounding and of the search's own data
	Search string        // such as "astar(lmcut())"; "" is the default, "auto()"
	// Certificate asks for a proof that no plan is cheaper, or that there is none.
	Certificate bool
	// Goal, a condition such as "(on a b)", takes the place of the task's goal; Step, "(stack a b)",
	// asks for a state in which that step can be applied. Unsolvable then means never.
	Goal, Step string
}

// Solution is the outcome of [Solve].
type Solution struct {
	// Status is search.SolvedOptimally, search.Unsolvable (proved), or says which limit or
	// feature stood in the way (search.Timeout, Memout, Unsupported, with Reason).
	Status search.Status
	Reason string
	// Plan holds the steps, "(stack a b)". It is judged: Cost is the judge's, and the
	// search's. Both are set where a plan was found.
	Plan []string
	Cost pddl.Number
	// Note says why the task was searched without grounding where the default search could not ground it, else "".
	Note string
	// Certificate is set if it was asked for and could be made within the limits.
	// [CheckCertificate] checks it, and so does `planproof check-certificate`.
	Certificate []byte
}

// Solve finds a cheapest plan or proves that there is none. Errors are faults of the
// options, features that cannot be grounded ([pddl.Diagnostics]), the end of ctx and
// [*Disagreement].
func Solve(ctx context.Context, t *Task, opt SolveOptions) (*Solution, error) {
	r, err := pipeline.Prove(ctx, t.Problem, pipeline.Question{
		Search: opt.Search, Goal: opt.Goal, Step: opt.Step, Certificate: opt.Certificate, Time: opt.Time, Memory: opt.Memory,
	})
	if err != nil {
		return nil, err
	}
	s := &Solution{Status: r.Report.Status, Reason: r.Report.Reason, Note: r.Report.Note, Certificate: r.Certificate}
	if r.Answer != nil {
		s.Plan, s.Cost = r.Plan, r.Cost
	}
	return s, nil
}

// CheckCertificate verifies a certificate without trusting the search that made it, and has
// the judge confirm its plan. A certificate that proves nothing, or is of another task, is a
// verdict that does not hold, with the reason; one that cannot be read is an error. memory
// bounds the bytes of the check; 0 is no bound.
func CheckCertificate(ctx context.Context, t *Task, cert io.Reader, memory int64) (*CertificateVerdict, error) {
	return pipeline.CheckFile(ctx, t.Problem, cert, memory)
}

// Judge decides a plan in any of the planners' formats, one step a line. A text that is no
// plan is an invalid one: Failure has the place. The error wraps [ErrLimit] where the judge
// ran out of its budget of work, or of time if ctx has a deadline, or says that the task has features that it cannot judge.
func Judge(ctx context.Context, t *Task, plan string) (*Verdict, error) {
	return t.validate(ctx, plan, (*validator.Judge).ValidateText)
}

// Explain is [Judge] with reasons: [validator.Explain] writes the verdict in words.
func Explain(ctx context.Context, t *Task, plan string) (*Verdict, error) {
	return t.validate(ctx, plan, (*validator.Judge).ExplainText)
}

func (t *Task) validate(ctx context.Context, plan string, how func(*validator.Judge, *pddl.Source, *validator.Scratch) (*Verdict, pddl.Diagnostics)) (*Verdict, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j, err := t.judge.get(ctx, t.Problem)
	if err != nil {
		return nil, err
	}
	scratch, ok := t.scratches.Get().(*validator.Scratch)
	if !ok {
		scratch = j.NewScratch()
	}
	defer t.scratches.Put(scratch)
	scratch.Context = ctx
	v, _ := how(j, pddl.NewSource("plan", plan), scratch)
	if !v.Decided() {
		return nil, fmt.Errorf("judging: %w: %s", ErrLimit, v.Failure.Message)
	}
	return v, nil
}

// Readers of answers (docs/EXTRACTION.md). Strict takes an answer by the contract that prompts
// can state, and guesses nothing; Natural reads what models write unasked.
const (
	Strict  = extract.Strict
	Natural = extract.Natural
)

// ExtractOptions say how to read. The zero value is the natural reader.
type ExtractOptions struct{ Reader extract.Kind }

// Extract reads the plan that a language model's answer commits to. It repairs nothing;
// [Extraction.PlanText] is what [Judge] takes.
func Extract(t *Task, answer string, opt ExtractOptions) *Extraction {
	read := t.natural
	if opt.Reader == Strict {
		read = t.strict
	}
	x := read().Extract(answer)
	return &x
}

// ScoreOptions say how to reward. The zero value rewards a valid plan with 1.
type ScoreOptions struct {
	// Reward is the name of a reward; docs/REWARDS.md defines them, [reward.Builtin] lists
	// them. "" is "valid".
	Reward string
	// Reader reads the answer; "" is Natural. Rewards for training should be Strict.
	Reader extract.Kind
	// Best is what rewards that compare with the best plan compare with.
	Best *Solution
}

// scorer scores for all tasks; it keeps what it compiled, by content.
var scorer = sync.OnceValues(func() (*oracle.Oracle, error) { return oracle.New(oracle.Options{}) })

// Score rewards an answer: it extracts its plan, judges it and computes the reward. A
// limit or a fault of the task is a status, and then there is no reward: it is never 0.
func Score(ctx context.Context, t *Task, answer string, opt ScoreOptions) (*Scored, error) {
	o, err := scorer()
	if err != nil {
		return nil, err
	}
	spec, err := reward.Find(cmp.Or(opt.Reward, "valid"), nil)
	if err != nil {
		return nil, err
	}
	item := &rows.Item{
		Task:     taskref.Ref{DomainText: t.Problem.Domain.Source.Text, ProblemText: t.Problem.Source.Text},
		Response: answer,
		Reader:   cmp.Or(opt.Reader, Natural),
	}
	if b := opt.Best; b != nil && b.Status == search.SolvedOptimally {
		item.Gold = &reward.Gold{Steps: int64(len(b.Plan)), HasSteps: true, Cost: &b.Cost, Optimal: true}
	}
	return o.ScoreBy(ctx, item, spec), nil
}
