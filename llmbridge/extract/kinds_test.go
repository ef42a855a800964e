package extract

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// kindsPlans are the valid plans that the answers of testdata/kinds.txt give or withhold.
var kindsPlans = map[string]string{
	"f": "board audi harbor|sail harbor island|debark audi island|board bmw island|sail island harbor|debark bmw harbor",
	"b": "unstack b c|put-down b|unstack c a|put-down c|pick-up b|stack b c",
	"l": "drive-truck t0 l0-0 l0-1 c0|load-truck p0 t0 l0-1|drive-truck t0 l0-1 l0-0 c0|unload-truck p0 t0 l0-0|load-airplane p0 a0 l0-0|fly-airplane a0 l0-0 l1-0|unload-airplane p0 a0 l1-0",
	"e": "open-doors lift0 f1|ride lift0 f1 f0|open-doors lift0 f0|ride lift0 f0 f1|open-doors lift0 f1",
	"p": "pickup alice box1 lobby|move alice lobby hall|handover alice bob box1 hall|move bob hall lab|drop bob box1 lab",
	"t": "fill-kettle kettle1 tap1|boil kettle1|place-bag bag1 mug|pour kettle1 bag1 mug|serve mug",
	"h": "open d1|move hall kitchen d1|paint north kitchen|move kitchen bedroom d2|rest",
	"g": "pick ball0 room0 left|pick ball1 room0 right|move room0 room1|drop ball0 room1 left|drop ball1 room1 right",
}

// ferryTask is the task of the third round's first answer.
func ferryTask(t *testing.T) *pddl.Problem {
	f, err := os.Open("testdata/answers-3.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var row struct {
			Domain  string `json:"domain_text"`
			Problem string `json:"problem_text"`
		}
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(row.Problem, "audi") {
			_, p := pddltest.Parse(t, row.Domain, row.Problem)
			return p
		}
	}
	t.Fatal("no ferry")
	return nil
}

// writtenTask reads a task of testdata/kinds.
func writtenTask(t *testing.T, name string) *pddl.Problem {
	var texts [2]string
	for i, file := range []string{name, name + "-1"} {
		b, err := os.ReadFile("testdata/kinds/" + file + ".pddl")
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
	}
	_, p := pddltest.Parse(t, texts[0], texts[1])
	return p
}

// TestKinds: answers around each kind of mistake that written answers found, with those that look alike.
func TestKinds(t *testing.T) {
	_, house := pddltest.Parse(t, attackDomains["house"][0], attackDomains["house"][1])
	tasks := map[string]*pddl.Problem{"h": house, "f": ferryTask(t), "b": pddltest.Load(t, "blocksworld:3-5"), "l": pddltest.Load(t, "logistics:2-2-1-1"), "g": pddltest.Load(t, "gripper:2"),
		"e": pddltest.Load(t, "elevator:2-4"), "p": writtenTask(t, "parcel"), "t": writtenTask(t, "tea")}
	text, err := os.ReadFile("testdata/kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for line := range strings.Lines(string(text)) {
		kind, answer, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		if !ok || kind[0] == '#' {
			continue
		}
		task := "f"
		if len(kind) > 1 {
			task = kind[1:]
		}
		p, steps := tasks[task], strings.Split(kindsPlans[task], "|")
		var with []string
		for i, s := range steps {
			with = append(with, fmt.Sprintf("<%d>", i+1), s, fmt.Sprintf("<..%d>", i+1), numberedFrom(steps[:i+1], 1), fmt.Sprintf("<%d..>", i+1), numberedFrom(steps[i:], i+1))
		}
		with = append(with, "<P>", numberedFrom(steps, 1), "<L>", "("+strings.Join(steps, ")\n(")+")", `\n`, "\n")
		x := NewReader(p.Domain, p, Natural).Extract(strings.NewReplacer(with...).Replace(answer))
		judge, err := validator.NewJudge(p, validator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v, _ := judge.ValidateText(pddl.NewSource("plan", x.PlanText()), judge.NewScratch())
		if answers++; v.Valid != (kind[0] == 'R') {
			t.Errorf("rewarded %v: %s\n%s %s %v %v", v.Valid, line, x.Status, x.Reading, x.Plan, x.Malformed)
		}
	}
	if answers < 100 {
		t.Errorf("only %d answers", answers)
	}
}

// numberedFrom writes steps with their numbers, in lines.
func numberedFrom(steps []string, first int) string {
	var lines []string
	for i, s := range steps {
		lines = append(lines, fmt.Sprintf("%d. %s", first+i, s))
	}
	return strings.Join(lines, "\n")
}
