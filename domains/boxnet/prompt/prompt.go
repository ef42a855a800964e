// Package prompt puts BoxNet2D tasks into words for language models, and reads their answers.
//
//	Instance ─► FullPlan, Replan ─► prompt          stateText ─► Observation, for each turn
//	answer ───► ReadPlan, ReadStep ─► Answer: thoughts, plan; or what cannot be read, and where
package prompt

import (
	_ "embed"
	"strings"

	"github.com/planproof/planproof/domains/boxnet"
)

//go:embed rules.txt
var rules string

//go:embed fullplan.txt
var fullPlan string

//go:embed replan.txt
var replan string

// example is the state of the prompts' example.
var example = func() string {
	target := boxnet.Point{X: 7 * boxnet.One / 4, Y: 5 * boxnet.One / 4}
	return stateText(&boxnet.Instance{
		Robots:  []boxnet.Robot{{Name: "Robot 0", Base: boxnet.Point{X: boxnet.One, Y: boxnet.One}, Arm: boxnet.Point{X: 3 * boxnet.One / 4, Y: 3 * boxnet.One / 4}}},
		Objects: []boxnet.Object{{Name: "Object 0", At: boxnet.Point{X: 3 * boxnet.One / 4, Y: boxnet.One / 4}, Target: &target}},
	}, nil)
}()

// FullPlan is the prompt for a whole plan.
func FullPlan(in *boxnet.Instance) string { return fill(fullPlan, in) }

// Replan is the prompt for the first of many steps.
func Replan(in *boxnet.Instance) string { return fill(replan, in) }

func fill(template string, in *boxnet.Instance) string {
	return strings.NewReplacer("{rules}", rules, "{example}", example, "{state}", stateText(in, nil)).Replace(template)
}

// Observation is the next turn of a plan that is made step by step.
func Observation(in *boxnet.Instance, st *boxnet.State) string {
	return "<observation>\n" + stateText(in, st) + "\n</observation>\n"
}

// stateText lists objects, targets and robots as the paper does. st nil is the state before the first step.
func stateText(in *boxnet.Instance, st *boxnet.State) string {
	var b strings.Builder
	b.WriteString("Object positions:\n")
	for i, o := range in.Objects {
		at := o.At
		if st != nil {
			at = st.Objects[i]
		}
		b.WriteString("  " + o.Name + ": " + at.String() + "\n")
	}
	b.WriteString("Target positions:\n")
	for _, o := range in.Objects {
		b.WriteString("  " + o.Name + " target: " + o.Target.String() + "\n")
	}
	b.WriteString("Robot positions:")
	for i, r := range in.Robots {
		arm := r.Arm
		if st != nil {
			arm = st.Arms[i]
		}
		b.WriteString("\n  " + r.Name + ": base " + r.Base.String() + ", arm " + arm.String())
	}
	return b.String()
}
