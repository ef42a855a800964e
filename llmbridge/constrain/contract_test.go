package constrain

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/contract"
	"github.com/planproof/planproof/llmbridge/extract"
)

// TestStrictReadsGrammars: the strict reader reads what the wrapped grammars admit, and samples of the contract
// with the task's names.
func TestStrictReadsGrammars(t *testing.T) {
	p := pddltest.Load(t, "blocksworld:4-17")
	strict := extract.NewReader(p.Domain, p, extract.Strict)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, wrap := range []GrammarWrap{WrapPlan, WrapTags, WrapThink} {
		_, l := mustGrammar(t, p, GrammarOptions{Wrap: wrap})
		for range 100 {
			var b strings.Builder
			l.draw(rng, &b)
			if x := strict.Extract(b.String()); x.Status != extract.StatusPlan || len(x.Malformed) > 0 || len(x.Plan) != strings.Count(b.String(), "(") && wrap != WrapThink {
				t.Fatalf("%s: %s, %v\n%s", wrap, x.Status, x.Malformed, b.String())
			}
		}
	}
	g, err := NewGrammar(p, GrammarOptions{Wrap: WrapContract})
	if err != nil || !strings.Contains(g.Text, `"pick-up"`) || !strings.Contains(g.Text, `root ::= "<plan>`) {
		t.Fatalf("%v\n%v", g, err)
	}
	if _, err := NewGrammar(p, GrammarOptions{Wrap: WrapContract, Format: FormatLark}); err == nil {
		t.Error("a contract in lark")
	}
	s := &contract.Sampler{Rand: rng, Names: []string{"pick-up", "stack", "a", "b"}}
	for range 300 {
		form := s.Text("form")
		if x := strict.Extract("<plan>\n" + form + "\n</plan>"); x.Status != extract.StatusPlan || len(x.Malformed) > 0 || len(x.Plan) != 1 {
			t.Fatalf("%q is read as %v %v", form, x.Plan, x.Malformed)
		}
	}
}
