package costmodel

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
)

func TestParseSchedule(t *testing.T) {
	for _, c := range []struct{ text, want, err string }{
		{"", "", ""},
		{"  ", "", ""},
		{"pick-up=1,unstack=1,put-down=20,stack=1", "pick-up=1,unstack=1,put-down=20,stack=1", ""},
		{" Stack = 2.50 , *=1/3", "stack=2.5,*=1/3", ""},
		{"*=0", "*=0", ""},
		{"a=99999999999999999999999999", "a=99999999999999999999999999", ""},
		{"a=4/2", "a=2", ""},
		{"a=0.1/0.3", "a=1/3", ""},
		{"a", "", "not name=cost"},
		{"=1", "", "not name=cost"},
		{"a=1,", "", "entry 2"},
		{"a b=1", "", "not name=cost"},
		{"(a)=1", "", "not name=cost"},
		{"a=x", "", `"x" is not a number`},
		{"a=", "", "is not a number"},
		{"a=1/0", "", "is not a number"},
		{"a=1/2/3", "", "is not a number"},
		{"a=1e999999999", "", "is not a number"},
		{"a=NaN", "", "is not a number"},
		{"a=-1", "", "negative"},
		{"a=1,A=2", "", "second cost for a"},
		{"*=1,*=2", "", "second cost for *"},
		{"[1,1,20,1]", "", "not name=cost"},
		{strings.Repeat("a", maxScheduleLength+1), "", "at most"},
	} {
		s, err := ParseSchedule(c.text)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%.40q: error %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if err != nil || s.String() != c.want || s.Empty() != (c.want == "") {
			t.Errorf("%q: %q, %v; want %q", c.text, s, err, c.want)
		}
	}
}

func TestScheduleRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		for i := range rapid.IntRange(0, 5).Draw(t, "n") {
			n := pddl.Fraction(rapid.Int64Range(0, 1e9).Draw(t, "num"), rapid.Int64Range(1, 1e4).Draw(t, "den"))
			parts = append(parts, string(rune('a'+i))+"="+n.String())
		}
		text := strings.Join(parts, ",")
		s, err := ParseSchedule(text)
		if err != nil || s.String() != text {
			t.Fatalf("%q comes back as %q, %v", text, s, err)
		}
	})
}
