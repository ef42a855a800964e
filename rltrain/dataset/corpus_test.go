package dataset

import (
	"fmt"
	"os"
	"testing"

	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// Structures of the tasks of planning competitions are found exactly, and renaming their
// objects changes none.
func TestStructuresOfCorpus(t *testing.T) {
	dir := testkit.Shared(t, "data", "bench")
	inputs, err := store.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[32]byte]string{}
	exact := 0
	for _, in := range inputs {
		if in.Err != nil {
			continue
		}
		dom, prob, err := readTexts(in.DomainFile, in.ProblemFile)
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && len(prob) > 1<<15 {
			continue
		}
		d, _ := pddl.ParseDomain(pddl.NewSource(in.DomainFile, dom), pddl.Options{})
		p, diags := pddl.ParseProblem(pddl.NewSource(in.ProblemFile, prob), d, pddl.Options{})
		if p == nil || diags.HasErrors() {
			continue
		}
		names := make([]string, len(p.Objects)-len(p.Domain.Constants))
		for i, k := range seeded.Rand(1, in.Name).Perm(len(names)) {
			names[i] = fmt.Sprintf("renamed%d", k)
		}
		q, _, err := rename(p, names)
		if err != nil {
			t.Errorf("%s: %v", in.Name, err)
			continue
		}
		a, b := StructureOf(p), StructureOf(q)
		if a.Exact != b.Exact || a.Coarse != b.Coarse || a.Exact && a.Hash != b.Hash {
			t.Errorf("%s: %v, renamed %v", in.Name, a, b)
		}
		if a.Exact {
			exact++
		} else {
			t.Logf("%s: not found exactly", in.Name)
		}
		if other := seen[a.Hash]; other != "" {
			t.Logf("%s and %s have one structure", in.Name, other)
		}
		seen[a.Hash] = in.Name
	}
	if exact < 100 {
		t.Errorf("only %d structures were found exactly", exact)
	}
	t.Logf("%d structures of %d files", exact, len(inputs))
}

func readTexts(domain, problem string) (dom, prob string, err error) {
	d, err := os.ReadFile(domain)
	if err != nil {
		return "", "", err
	}
	p, err := os.ReadFile(problem)
	return string(d), string(p), err
}
