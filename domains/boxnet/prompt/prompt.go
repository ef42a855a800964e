// Package prompt puts BoxNet tasks into words for language models, and reads their answers.
//
//	Instance ─► FullPlan, Replan ─► prompt          stateText ─► Observation, for each turn
//	answer ───► ReadPlan, ReadStep ─► Answer: thoughts, plan; or what cannot be read, and where
package prompt

import (
	_ "embed"
	"strings"

	"github.com/planproof/planproof/domains/boxnet"
)

// texts are a rule book and the templates of both kinds of prompts.
type texts struct{ rules, fullPlan, replan, example string }

//go:embed rules.txt
var rules string

//go:embed fullplan.txt
var fullPlan string

//go:embed replan.txt
var replan string

//go:embed rules3d.txt
var rules3D string

//go:embed fullplan3d.txt
var fullPlan3D string

//go:embed replan3d.txt
var replan3D string

func textsOf(in *boxnet.Instance) texts {
	if in.Swings() {
		return texts{rules3D, fullPlan3D, replan3D, example3D}
	}
	return texts{rules, fullPlan, replan, example}
}

// example3D is the state of the prompts' example in BoxNet3D.
var example3D = func() string {
	side := boxnet.Side3D / 2
	target := boxnet.Point{X: 3 * side, Y: 3 * side}
	return stateText(&boxnet.Instance{
		Robots:  []boxnet.Robot{{Name: "Robot 0", Base: boxnet.Point{X: 2 * side, Y: 2 * side}, Arm: boxnet.Point{X: 124 * boxnet.One / 100, Y: 61 * boxnet.One / 100}}},
		Objects: []boxnet.Object{{Name: "Object 0", At: boxnet.Point{X: side, Y: side}, Target: &target}},
	}, nil)
}()

// example is the state of the prompts' example.
var example = func() string {
	target := boxnet.Point{X: 7 * boxnet.One / 4, Y: 5 * boxnet.One / 4}
	return stateText(&boxnet.Instance{
		Robots:  []boxnet.Robot{{Name: "Robot 0", Base: boxnet.Point{X: boxnet.One, Y: boxnet.One}, Arm: boxnet.Point{X: 3 * boxnet.One / 4, Y: 3 * boxnet.One / 4}}},
		Objects: []boxnet.Object{{Name: "Object 0", At: boxnet.Point{X: 3 * boxnet.One / 4, Y: boxnet.One / 4}, Target: &target}},
	}, nil)
}()

// FullPlan is the prompt for a whole plan.
func FullPlan(in *boxnet.Instance) string { return fill(textsOf(in).fullPlan, in) }

// Replan is the prompt for the first of many steps.
func Replan(in *boxnet.Instance) string { return fill(textsOf(in).replan, in) }

func fill(template string, in *boxnet.Instance) string {
	t := textsOf(in)
	return strings.NewReplacer("{rules}", t.rules, "{example}", t.example, "{state}", stateText(in, nil)).Replace(template)
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
	for i, o := range in.Obstacles {
		if i == 0 {
			b.WriteString("\nObstacles:")
		}
		b.WriteString("\n  " + o.Name + ": middle " + o.At.String() + ", radius " + o.Radius.String())
	}
	return b.String()
}
