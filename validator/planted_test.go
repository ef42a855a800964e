package validator

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// planted are faults that a judge could have, as changes of what it is given: a judge that gets
// the changed text judges the original as if it had the fault.
var planted = []struct {
	name  string
	level int
	fault func(p *pair)
}{
	{"conditions of effects are ignored", levelNumeric, func(p *pair) {
		for i := 0; i < len(p.domain); i++ {
			if at := i + len("(when "); strings.HasPrefix(p.domain[i:], "(when (") {
				end := closing(p.domain, at) + 1
				p.domain = p.domain[:at] + "(or (= c1 c1) " + p.domain[at:end] + ")" + p.domain[end:]
			}
		}
	}},
	{"any number is at least any other", levelNumeric, func(p *pair) { p.domain = strings.ReplaceAll(p.domain, "(>= ", "(<= ") }},
	{"conditions over all are read at the start only", levelTimed, func(p *pair) { p.domain = strings.ReplaceAll(p.domain, "(over all ", "(at start ") }},
	{"timed literals are forgotten", levelTimed, func(p *pair) {
		for _, at := range []string{"0", "1", "2", "2.5"} {
			for i := strings.Index(p.problem, "(at "+at+" ("); i >= 0; i = strings.Index(p.problem, "(at "+at+" (") {
				p.problem = p.problem[:i] + p.problem[closing(p.problem, i)+1:]
			}
		}
	}},
	{"epsilon is ignored", levelTimed, func(p *pair) { p.epsilon = "0" }},
	{"sometime is always", levelPreferences, func(p *pair) { p.problem = strings.ReplaceAll(p.problem, "(sometime ", "(always ") }},
	{"decreasing effects increase", levelContinuous, func(p *pair) { p.domain = strings.ReplaceAll(p.domain, "(decrease (c", "(increase (c") }},
	{"strict comparisons are not strict", levelContinuous, func(p *pair) { p.domain = strings.ReplaceAll(p.domain, "(> (c", "(>= (c") }},
	{"events do not happen", levelPlus, func(p *pair) {
		for i := strings.Index(p.domain, "(:event "); i >= 0; i = strings.Index(p.domain, "(:event ") {
			p.domain = p.domain[:i] + p.domain[closing(p.domain, i)+1:]
		}
	}},
	{"the end marker is not read", levelPlus, func(p *pair) {
		p.plan = strings.Join(func() (kept []string) {
			for _, line := range strings.Split(p.plan, "\n") {
				if !strings.Contains(line, "@") {
					kept = append(kept, line)
				}
			}
			return kept
		}(), "\n")
	}},
}

// TestPlantedFaults shows that the comparison of the two judges finds faults like those above
// within some random pairs, and that shrinking leaves little of these.
func TestPlantedFaults(t *testing.T) {
	for _, c := range planted {
		t.Run(c.name, func(t *testing.T) {
			differs := func(p pair) bool {
				want := p.second()
				if want == nil {
					return false
				}
				c.fault(&p)
				v := p.verdict()
				return v != nil && Difference(v, *want) != ""
			}
			draw := rapid.Custom(func(rt *rapid.T) pair { return drawPair(rt, c.level, false) })
			for seed := range 3000 {
				p := draw.Example(seed)
				if !differs(p) {
					continue
				}
				small := shrink(p, differs)
				steps := strings.Count(small.plan, "(")
				t.Logf("pair %d, %d bytes, shrunk to %d:\n%s", seed, len(p.String()), len(small.String()), &small)
				if !differs(small) || len(small.String()) > len(p.String())/3 || steps > 3 {
					t.Errorf("%d steps are left", steps)
				}
				return
			}
			t.Error("not found in 3,000 pairs")
		})
	}
}
