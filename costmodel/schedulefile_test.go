package costmodel

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
)

func TestReadSchedule(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"lines", "# prices\npick-up = 1\nunstack=1 ; cheap\n\n\tPUT-DOWN=20.50\r\nstack=1/3", "pick-up=1,unstack=1,put-down=20.5,stack=1/3"},
		{"commas", "a=1, b=2,\nc=3,\n*=4", "a=1,b=2,c=3,*=4"},
		{"byte order mark", "\ufeffa=1", "a=1"},
		{"object", " {\"a\": 1, \"B\": \"1/3\", \"*\": 0.10, \"c\": 1e2}\n", "a=1,b=1/3,c=100,*=0.1"},
		{"long number", `{"a": 12345678901234567890.5}`, "a=12345678901234567890.5"},
		{"object after a byte order mark", "\ufeff\n{\"a\":1}", "a=1"},
	} {
		s, diags := ReadSchedule(pddl.NewSource("s", c.text))
		if len(diags) > 0 || s.String() != c.want {
			t.Errorf("%s: %s, want %s; %v", c.name, s, c.want, diags)
		}
	}
}

func TestReadScheduleFaults(t *testing.T) {
	for _, c := range []struct {
		text  string
		wants []string // each a message with its place
	}{
		{"", []string{"1:1: error[bad-schedule]: the schedule has no entry"}},
		{"# nothing\n", []string{"1:1: error[bad-schedule]: the schedule has no entry"}},
		{"a=1\n  b c =2\nd=x # y\ne=-1\na=2", []string{
			`2:3: error[bad-schedule]: "b c =2" is not name=cost`, `3:3: error[bad-schedule]: "x" is not a number`,
			"4:3: error[bad-schedule]: the cost of e is negative (-1)", "5:1: error[bad-schedule]: a second cost for a",
		}},
		{"a=1,,b=2", []string{`1:5: error[bad-schedule]: "" is not name=cost`}},
		{"a=1 b=2", []string{`1:3: error[bad-schedule]: "1 b=2" is not a number`}},
		{"[1,1,20,1]", []string{`1:1: `, `1:4: `, `1:6: `, `1:9: `}},
		{`{"a": 1, "a": 2}`, []string{"1:10: error[bad-schedule]: a second cost for a"}},
		{"{\"a\": true,\n\"b c\": 1, \"d\": \"x\", \"e\": null}", []string{
			"1:7: error[bad-schedule]: the cost of a is neither", `2:1: error[bad-schedule]: "b c" is no name`,
			`2:16: error[bad-schedule]: "x" is not a number`, "2:26: error[bad-schedule]: the cost of e is neither",
		}},
		{`{"a": {"b": 1}}`, []string{"1:7: error[bad-schedule]: the cost of a is neither"}},
		{`{"a": 1`, []string{"1:8: error[bad-schedule]: not a JSON object of costs: the object is not closed"}},
		{`{"a" 1}`, []string{"1:6: error[bad-schedule]: not a JSON object of costs: invalid character"}},
		{`{"a": 1} x`, []string{"1:10: error[bad-schedule]: more text"}},
		{`{}`, []string{"1:1: error[bad-schedule]: the schedule has no entry"}},
		{strings.Repeat("#", maxScheduleLength+1), []string{"1:1: error[bad-schedule]: a schedule of 1048577 bytes"}},
	} {
		s, diags := ReadSchedule(pddl.NewSource("s", c.text))
		if !s.Empty() || len(diags) != len(c.wants) {
			t.Errorf("%.40q: %d messages, want %d:\n%v", c.text, len(diags), len(c.wants), diags)
			continue
		}
		for i, want := range c.wants {
			if got := diags[i].String(); !strings.HasPrefix(got, "s:"+want) {
				t.Errorf("%.40q: %s\nwant %s", c.text, got, want)
			}
		}
	}
	_, diags := ReadSchedule(pddl.NewSource("s", strings.Repeat("x\n", 1000)))
	if len(diags) != pddl.MaxDiagnostics || diags[len(diags)-1].Code != pddl.TooManyErrors {
		t.Errorf("%d messages", len(diags))
	}
}

// TestReadScheduleForms: what a schedule prints is read back the same in all three forms.
func TestReadScheduleForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var inline, lines, object []string
		for i := range rapid.IntRange(1, 5).Draw(t, "n") {
			n := pddl.Fraction(rapid.Int64Range(0, 1e12).Draw(t, "num"), rapid.Int64Range(1, 1e4).Draw(t, "den"))
			name := string(rune('a' + i))
			inline = append(inline, name+"="+n.String())
			lines = append(lines, name+" = "+n.String()+"\t# "+name)
			value := n.String()
			if strings.Contains(value, "/") {
				value = `"` + value + `"`
			}
			object = append(object, fmt.Sprintf("%q: %s", name, value))
		}
		want := strings.Join(inline, ",")
		for _, text := range []string{want, strings.Join(lines, "\n"), "{" + strings.Join(object, ", ") + "}"} {
			s, diags := ReadSchedule(pddl.NewSource("s", text))
			if len(diags) > 0 || s.String() != want {
				t.Fatalf("%s is read as %s, %v", text, s, diags)
			}
		}
	})
}

// FuzzReadSchedule: every file is a schedule that prints and reads back the same, or has
// errors placed inside of it.
func FuzzReadSchedule(f *testing.F) {
	for _, text := range []string{"a=1\nb=2 # x", `{"a":1,"*":"1/3"}`, "{\"a\":[1]}", "*=1,,\r=", "\ufeff{"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, diags := ReadSchedule(pddl.NewSource("s", text))
		if len(diags) == 0 {
			again, err := ParseSchedule(s.String())
			if err != nil || again.String() != s.String() {
				t.Fatalf("%q is %s, which is %v", text, s, err)
			}
			return
		}
		for _, d := range diags {
			if int(d.Pos) > len(text) || d.End < d.Pos && d.End != 0 {
				t.Fatalf("%q: place %d to %d", text, d.Pos, d.End)
			}
			_ = d.Format(discard{})
		}
		if !s.Empty() {
			t.Fatal("a schedule beside errors")
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
