package extract

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
)

// TestReadState: states as models write them.
func TestReadState(t *testing.T) {
	dom, prob := pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	s := NewStateReader(dom, prob)
	for _, c := range []struct{ text, want string }{
		{"the red block is clear, the hand is empty and the red block is on the table", "(clear a) (handempty) (ontable a) only-list high"},
		{"[RESULTING STATE]\nthe red block is clear, the blue block is on top of the red block\n", "(clear a) (on b a) last-state-heading high"},
		{"(clear a) (on b a) (handempty)", "(clear a) (handempty) (on b a) only-list high"},
		{"clear(a), on(b, a)", "(clear a) (on b a) only-list high"},
		{"clear a\non b a\nhandempty", "(clear a) (handempty) (on b a) only-list high"},
		{"- The red block is clear.\n- The **blue block** sits on the red block.\n- The hand is empty.", "(clear a) (handempty) (on b a) only-list high"},
		// The final state counts, whatever stands around it.
		{"**Initial state:** the red block is on the table.\n\n**After step 1:** I am holding the red block.\n\n**Final state:**\n\n1. The red block is on the blue block.\n2. The hand is empty.\n\nThat is all.",
			"(handempty) (on a b) last-state-heading high"},
		{"Step 1: the hand is holding the red block.\n\nSo in the end we have:\n\nthe red block is on top of the blue block.", "(on a b) last-state-heading high"},
		{"Before: the hand is holding the red block.\n\nThen I stack it.\n\nthe red block is on top of the blue block.", "(on a b) last-list medium"},
		{"the hand is holding the red block.\n\nThen I stack it.\n\nthe red block is on top of the blue block.", "(on a b) last-list medium"},
		{"<think>the red block is clear</think>the blue block is clear", "(clear b) only-list high"},
		{"<think>the red block is clear", "nothing-found high"},
		{"the red block is clear</think>\nthe blue block is clear", "(clear b) only-list high"},
		// What is denied does not hold.
		{"the red block is not clear, the blue block is clear", "(clear b) only-list high"},
		{"It is no longer the case that the red block is clear. The blue block is clear.", "(clear b) only-list high"},
		{"(not (clear a)) (clear b)", "(clear b) only-list high"},
		{"the hand is empty: false\nthe blue block is clear", "(clear b) only-list high"},
		// What is no fact of the task is not left out.
		{"- the red block is clear\n- the red block is under the blue block", "(clear a) only-list low !red block is under the blue block"},
		{"(clear a) (shiny a)", "(clear a) only-list low !(shiny a)"},
		{"(clear zebra) (clear a)", "(clear a) only-list low !(clear zebra)"},
		{"(on a) (clear a)", "(clear a) only-list low !(on a)"},
		{"", "nothing-found high"},
		{"I do not know.", "nothing-found high"},
		{"[RESULTING STATE]\n", "nothing-found low"},
		{"[RESULTING STATE]\nthe red block is clear\n\n[STATEMENT]\nAs initial conditions I have that, the blue block is clear.", "(clear a) last-state-block high"},
	} {
		x := s.Read(c.text)
		got := strings.Join(append(slices.Clone(x.Facts), x.Reading, string(x.Confidence)), " ")
		for _, u := range x.Unread {
			got += " !" + u
		}
		if got != c.want {
			t.Errorf("%q\nread as %s\nwant    %s", c.text, got, c.want)
		}
	}
}

func TestStateScore(t *testing.T) {
	dom, prob := pddltest.Parse(t, pddltest.LogisticsDomain, pddltest.LogisticsProblem)
	s := NewStateReader(dom, prob)
	want := slices.Concat(s.Unsaid(), []string{"(at t0 l0-0)", "(at p0 l0-0)", "(in-city l0-0 c0)"})
	for _, c := range []struct {
		text      string
		precision float64
		recall    float64
		exact     bool
	}{
		{"truck_0 is at location_0_0, package_0 is at location_0_0 and location_0_0 is in the city city_0", 1, 1, true},
		{"truck_0 is at location_0_0", 1, 1. / 3, false},
		{"truck_0 is at location_0_0, package_0 is at location_0_0, location_0_0 is in the city city_0, truck_1 is at location_0_0", 0.75, 1, false},
		{"- truck_0 is at location_0_0\n- package_0 is at location_0_0\n- location_0_0 is in the city city_0\n- package_0 feels fine", 0.75, 1, false},
		{"nothing", 0, 0, false},
	} {
		x := s.Read(c.text)
		z := s.Score(&x, want)
		if z.Precision != c.precision || z.Recall != c.recall || z.Exact != c.exact {
			t.Errorf("%q: %+v", c.text, z)
		}
	}
}

// TestHostileStates: reading is linear in the length of an answer.
func TestHostileStates(t *testing.T) {
	dom, prob := pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	s, v := NewStateReader(dom, prob), NewVerdictReader(dom, prob)
	n := 1 << 17
	texts := hostile(n)
	for name, phrase := range map[string]string{"facts": "the red block is clear ", "half facts": "the red block is ", "denials": "not not not ", "fact lines": "(clear a)\n", "headings": "Final state:\n",
		"verdicts": "the plan is valid. ", "half verdicts": "the plan is indeed ", "supposing": "if whether ", "steps": "step 3 "} {
		texts[name] = strings.Repeat(phrase, n/len(phrase))
	}
	for name, text := range texts {
		start := testkit.CPUTime()
		s.Read(text)
		v.Read(text)
		if d := testkit.CPUTime() - start; d > 20*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
}
