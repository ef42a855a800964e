package extract

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// deniedPlan is valid for blocksworld:3-5.
var deniedPlan = []string{"(unstack b c)", "(put-down b)", "(unstack c a)", "(put-down c)", "(pick-up b)", "(stack b c)"}

// denialFrames write an answer with that plan and words of testdata/denials.txt, by the section of the file.
var denialFrames = map[string]func(words string) string{
	"heading": func(w string) string { return w + "\n" + listed(deniedPlan) },
	"after":   func(w string) string { return listed(deniedPlan) + "\n" + w + "\n" },
	"step": func(w string) string {
		return listed(append(slices.Clone(deniedPlan[:5]), strings.ReplaceAll(w, "%", deniedPlan[5])))
	},
	"member": func(w string) string { return "{\"plan\": [" + inQuotes(deniedPlan) + "], " + w + "}\n" },
	"step member": func(w string) string {
		return "{\"plan\": [" + inQuotes(deniedPlan[:5]) + ", {\"action\": \"stack\", \"args\": [\"b\", \"c\"], " + w + "}]}\n"
	},
	"tag": func(w string) string {
		name, _, _ := strings.Cut(w, " ")
		return "<" + w + ">\n" + listed(deniedPlan) + "</" + name + ">\n"
	},
	"step tag": func(w string) string {
		name, _, _ := strings.Cut(w, " ")
		return "<steps>\n<step>" + strings.Join(deniedPlan[:5], "</step>\n<step>") + "</step>\n<" + w + ">" + deniedPlan[5] + "</" + name + ">\n</steps>\n"
	},
	"column": func(w string) string {
		cells := strings.Split(w, "; ")
		table := "| # | Action | " + cells[0] + " |\n|---|---|---|\n"
		for i, s := range deniedPlan {
			table += fmt.Sprintf("| %d | %s | %s |\n", i+1, s, cells[1+i/5])
		}
		return table
	},
	"code": func(w string) string {
		shut := map[byte]string{':': "", '{': "}\n", '[': "]\n"}[w[len(w)-1]]
		if shut == "]\n" {
			return "```python\n" + w + "\n    " + strings.Join(strings.SplitAfter(inQuotes(deniedPlan), ", "), "\n    ") + "\n" + shut + "```\n"
		}
		calls := "    "
		for _, s := range deniedPlan {
			calls += strings.ReplaceAll(pddltest.Call(s), "-", "_") + "\n    "
		}
		return "```python\n" + w + "\n" + strings.TrimRight(calls, " ") + shut + "```\n"
	},
	"text": func(w string) string {
		return strings.NewReplacer(`\n`, "\n", "@", inQuotes(deniedPlan), "$", strings.Join(deniedPlan, "\n"), "&", "| "+strings.Join(deniedPlan, " |\n| ")+" |").Replace(w) + "\n"
	},
}

func listed(steps []string) string {
	var b strings.Builder
	for i, s := range steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, s)
	}
	return b.String()
}

func inQuotes(steps []string) string { return `"` + strings.Join(steps, `", "`) + `"` }

// TestDenials: words, keys, columns, tags and code that deny a valid plan, or a step of it, leave no reward; those that
// only look alike leave the plan as it is.
func TestDenials(t *testing.T) {
	p := pddltest.Load(t, "blocksworld:3-5")
	r := NewReader(p.Domain, p, Natural)
	judge, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/denials.txt")
	if err != nil {
		t.Fatal(err)
	}
	section, counts := "", map[byte]int{}
	for line := range strings.Lines(string(text)) {
		kind, words := line[0], strings.TrimSuffix(line[2:], "\n")
		if counts[kind]++; kind == '#' {
			section = words
			continue
		}
		answer := denialFrames[section](words)
		x := r.Extract(answer)
		v, _ := judge.ValidateText(pddl.NewSource("plan", x.PlanText()), judge.NewScratch())
		if v.Valid != (kind == '+') || v.Valid && !slices.Equal(x.Plan, deniedPlan) {
			t.Errorf("%s: rewarded %v, %s %v %v:\n%s", section, v.Valid, x.Status, x.Plan, x.Malformed, answer)
		}
	}
	t.Logf("%d that deny, %d that do not, in %d kinds", counts['-'], counts['+'], counts['#'])
	if counts['-'] < 300 || counts['+'] < 150 || counts['#'] != len(denialFrames) {
		t.Error("words are missing")
	}
}
