package features

import (
	"context"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// TestProbes checks that the probes are what they say: one for every feature that the
// reader knows, each using its own.
func TestProbes(t *testing.T) {
	probed := map[string]bool{}
	for _, p := range probes {
		probed[p.feature] = true
		domSrc, probSrc := p.sources()
		dom, diags := pddl.ParseDomain(domSrc, pddl.Options{})
		prob, more := pddl.ParseProblem(probSrc, dom, pddl.Options{})
		if diags = append(diags, more...); diags.HasErrors() {
			t.Errorf("%s: %v", p.feature, diags)
			continue
		}
		used := false
		for _, f := range append(dom.Features(), prob.Features()...) {
			used = used || f.Name == p.feature
		}
		if !used {
			t.Errorf("the probe of %s does not use it", p.feature)
		}
	}
	for _, name := range pddl.FeatureNames() {
		if !probed[name] {
			t.Errorf("no probe for %s", name)
		}
	}
}

// TestCapabilitiesPlain fails when some stage stops taking plain STRIPS.
func TestCapabilitiesPlain(t *testing.T) {
	rows, err := Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Stages() {
		if !rows[0].Supported[s] {
			t.Errorf("%s does not support plain STRIPS", s)
		}
	}
}
