package prompt

import (
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
)

const thought = "<think>Robot 0 reaches it.</think>\n"

func block(text string) string { return "```json\n" + text + "\n```\n" }

// TestExamples: the example of each prompt is read as its rules say, and is a valid plan of its state.
func TestExamples(t *testing.T) {
	target := boxnet.Point{X: 7 * boxnet.One / 4, Y: 5 * boxnet.One / 4}
	in := &boxnet.Instance{
		Width: 2, Height: 2,
		Robots:  []boxnet.Robot{{Name: "Robot 0", Base: boxnet.Point{X: boxnet.One, Y: boxnet.One}, Arm: boxnet.Point{X: 3 * boxnet.One / 4, Y: 3 * boxnet.One / 4}}},
		Objects: []boxnet.Object{{Name: "Object 0", At: boxnet.Point{X: 3 * boxnet.One / 4, Y: boxnet.One / 4}, Target: &target}},
	}
	full, step := FullPlan(in), Replan(in)
	for _, text := range []string{full, step} {
		if strings.Contains(text, "{rules}") || strings.Contains(text, "{state}") || strings.Count(text, "Object 0 target: [1.75, 1.25]") != 2 || strings.Count(text, "base [1.0, 1.0], arm [0.75, 0.75]") != 2 {
			t.Errorf("the prompt is\n%s", text)
		}
	}
	shown := func(text string) string { // from the example's thoughts on
		return text[strings.LastIndex(text, "<think>"):strings.Index(text, "Now plan")]
	}
	a := ReadPlan(shown(full))
	if res := boxnet.NewJudge(in, boxnet.Default).Judge(a.Plan); a.Err != nil || !a.Think || !res.Verdict.Valid {
		t.Errorf("%+v %+v", a, res.Verdict.Failure)
	}
	b := ReadStep(shown(step))
	if b.Err != nil || len(b.Plan) != 1 || b.Plan[0].Text() != a.Plan[0].Text() {
		t.Errorf("%+v", b)
	}
	if again := ReadPlan(thought + block(a.Plan.Text())); again.Err != nil || again.Plan.Text() != a.Plan.Text() {
		t.Errorf("%+v", again)
	}
}

// TestStrict reads answers, and says where one cannot be read.
func TestStrict(t *testing.T) {
	const move = `{"Robot 0": "[0.75, 0.75] -> [0.75, 0.25], False"}`
	for answer, want := range map[string]string{
		thought + block("["+move+"]"):                            "",
		thought + "So the plan is\n" + block("[]") + "Done.":     "",
		block("[" + move + "]"):                                  "", // without thoughts: readable, but not in form
		thought + "[" + move + "]":                               "there is no block of JSON",
		thought + block(move):                                    "line 3, column 1: {\"Robot 0\": ",
		thought + block("[{}, "+move+", 7]"):                     "line 3, column 58: 7 is not an object of moves",
		thought + block("[{},\n {\"Robot 0\": \"[0.75] -> \"}]"): "line 4, column 2: the move of Robot 0: character 6",
		thought + block("[{}") + block("[{}]"):                   "a second block",
		thought + "```python\n[]\n```":                           "a block of \"python\"",
		thought + "```json\n[]":                                  "the block does not end",
		"<think>never ends\n" + block("[]"):                      "line 1, column 1: the thoughts do not end",
		"":                                                       "line 1, column 1: there is no block",
		thought + block("[{},]"):                                 "line 3, column 5",
	} {
		a := ReadPlan(answer)
		switch {
		case want == "" && a.Err != nil, want != "" && (a.Err == nil || !strings.Contains(a.Err.Error(), want)):
			t.Errorf("%q: %v, want %q", answer, a.Err, want)
		case a.Think != strings.HasPrefix(answer, thought):
			t.Errorf("%q: thoughts %v", answer, a.Think)
		}
	}
	for answer, want := range map[string]string{
		thought + block(move):         "",
		thought + block("["+move+"]"): "line 3, column 1: [{",
		thought + block(`{"a": "b"}`): "the move of a",
		thought + block(`{} {}`):      "not an object of moves",
	} {
		if a := ReadStep(answer); want == "" && a.Err != nil || want != "" && (a.Err == nil || !strings.Contains(a.Err.Error(), want)) {
			t.Errorf("%q: %v, want %q", answer, a.Err, want)
		}
	}
}

// FuzzAnswer looks for answers that are neither read nor refused.
func FuzzAnswer(f *testing.F) {
	f.Add(thought + block(`[{"Robot 0": "[0.75, 0.75] -> [0.75, 0.25], False"}]`))
	f.Add("<think>```json\n[]\n```</think>")
	f.Fuzz(func(t *testing.T, answer string) {
		if a := ReadPlan(answer); a.Err != nil && !strings.HasPrefix(a.Err.Error(), "line ") {
			t.Errorf("%q: %v", answer, a.Err)
		}
		ReadStep(answer)
	})
}
