package contract_test

import (
	"context"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/contract"
	"github.com/planproof/planproof/search"
)

// TestEveryStepInWords: what the templates of a domain say of a step is read as that step, also where several actions
// have one sentence ("load the package into the truck, into the airplane").
func TestEveryStepInWords(t *testing.T) {
	for _, kind := range domains.List() {
		made, err := domains.Generate(kind.Name, domains.GenerateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, prob := pddltest.Parse(t, string(made[0].Domain.Text), string(made[0].Problem.Text))
		templates := domains.TemplatesFor(prob.Domain)
		if len(templates) == 0 {
			continue
		}
		w, err := world.New(context.Background(), prob, search.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", made[0].Name, err)
		}
		r := contract.NewReader(prob.Domain, prob)
		read := 0
		for i := range w.Task.Operators.Len() {
			step := strings.ToLower(w.Task.OperatorName(grounder.OperatorID(i)))
			words := atomtext.Words(step)
			for _, tm := range templates {
				said, ok := tm.Sentence(words[0], words[1:])
				if !ok {
					continue
				}
				read++
				if got := r.Read("<plan>\n" + said + "\n</plan>"); !got.Found || len(got.Steps) != 1 || got.Steps[0] != step {
					t.Errorf("%s, %s: %q is read as %q, not %s", made[0].Name, tm.Name, said, got.Steps, step)
				}
			}
		}
		if read == 0 {
			t.Errorf("%s: no step has a sentence", made[0].Name)
		}
	}
}
