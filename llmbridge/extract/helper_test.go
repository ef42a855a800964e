package extract

import (
	"path/filepath"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// testReader compiles the reader of one of the tasks above.
func testReader(t testing.TB, task string) *Reader {
	t.Helper()
	dom, prob := pddltest.Parse(t, pddltest.Tasks[task][0], pddltest.Tasks[task][1])
	return NewReader(dom, prob, Natural)
}

// planbenchTasks parses the problems of rows, each once.
type planbenchTasks struct {
	root    string
	domains map[string]*pddl.Domain
	tasks   map[string]*planbenchTask
}

type planbenchTask struct {
	judge  *validator.Judge
	reader *Reader
}

func newPlanbenchTasks(t testing.TB) *planbenchTasks {
	return &planbenchTasks{testkit.Shared(t, "data", "planbench"), map[string]*pddl.Domain{}, map[string]*planbenchTask{}}
}

func (p *planbenchTasks) task(t testing.TB, row *pddltest.PlanBenchRow) *planbenchTask {
	t.Helper()
	if k, ok := p.tasks[row.ProblemF]; ok {
		return k
	}
	dom, ok := p.domains[row.DomainF]
	if !ok {
		src, err := pddl.ReadSource(filepath.Join(p.root, row.DomainF))
		if err != nil {
			t.Fatal(err)
		}
		var ds pddl.Diagnostics
		if dom, ds = pddl.ParseDomain(src, pddl.Options{}); dom == nil {
			t.Fatalf("%s: %v", row.DomainF, ds)
		}
		p.domains[row.DomainF] = dom
	}
	src, err := pddl.ReadSource(filepath.Join(p.root, row.ProblemF))
	if err != nil {
		t.Fatal(err)
	}
	prob, ds := pddl.ParseProblem(src, dom, pddl.Options{})
	if prob == nil {
		t.Fatalf("%s: %v", row.ProblemF, ds)
	}
	judge, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		t.Fatalf("%s: %v", row.ProblemF, err)
	}
	k := &planbenchTask{judge, NewReader(dom, prob, Natural)}
	p.tasks[row.ProblemF] = k
	return k
}

// valid judges what a response says, as the scorer does.
func (k *planbenchTask) valid(t testing.TB, response string) bool {
	t.Helper()
	x := k.reader.Extract(response)
	v, _ := k.judge.ValidateText(pddl.NewSource("plan", x.PlanText()), k.judge.NewScratch())
	return v.Valid
}
