package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Grids of answers: each layout with each thing that is put before or behind a step, in several tasks.

// gridLayouts set a plan of steps "stack a b".
var gridLayouts = []func(steps []string) string{
	func(s []string) string { return numberedFrom(s, 1) },
	func(s []string) string { return strings.Join(s, "\n") + "\n" },
	func(s []string) string { return "- " + strings.Join(s, "\n- ") + "\n" },
	func(s []string) string { return "<plan>\n" + strings.Join(s, "\n") + "\n</plan>\n" },
	func(s []string) string { return "```\n" + strings.Join(s, "\n") + "\n```\n" },
	func(s []string) string {
		return "Here is the plan.\n\n" + numberedFrom(s, 1) + "\nThe goal is reached.\n"
	},
}

// gridNotations write a step "stack a b".
var gridNotations = []func(step string) string{
	func(s string) string { return s },
	func(s string) string { return "(" + s + ")" },
	func(s string) string {
		name, args, _ := strings.Cut(s, " ")
		return name + "(" + strings.ReplaceAll(args, " ", ", ") + ")"
	},
}

// What makes of a step <S> more, less or another one, and what does not. <X> is an object of the task.
var (
	gridBad = []string{
		"<S>, smash <X>", "<S> and smash <X>", "<S> then smash <X>", "<S> [smash <X>]", "<S> {smash <X>}",
		"<S> | smash <X>", "<S> & smash <X>", "<S>. Smash <X>.", "<S>, and then smash <X>",
		"<S>, followed by smash <X>", "<S>, then <X> is smashed", "<S> / smash <X>", "<S> while smash <X>",
		"<S> before smash <X>", "<S> or not", "<S> if <X> is free", "<S> unless <X> is free", "<S> or smash <X>",
		"<S> twice", "<S> x2", "<S> (2x)", "<S> three times", "<S> if possible", "<S> if needed", "<S> (optional)",
		"<S> (maybe)", "<S> and so on", "<S> until <X> is free", "<S>?", "if <X> is free: <S>", "maybe <S>",
		"optionally <S>", "try to <S>", "do not <S>", "never <S>", "possibly <S>", "twice: <S>", "2x <S>",
		"3 times: <S>", "unless <X> is free: <S>", "avoid <S>", "skip <S>", "perhaps <S>", "if needed, <S>",
		"(optional) <S>",
	}
	gridGood = []string{
		"<S> (now done)", "<S> - as planned", "<S> # ok", "<S> // ok", "<S> ✓", "<S> [done]", "<S> [cost 1]",
		"<S> (cost: 1)", "<S>: this is needed", "<S>, which is needed", "<S> since it is needed",
		"<S> because it is required", "<S> to reach the goal", "<S> so that the goal is reached", "<S> — required",
		"<S> (required)", "<S> (1 min)", "<S>.", "<S>;", "<S>,", "<S>!", "<S> (see above)", "<S> *", "first, <S>",
		"then <S>", "now <S>", "please <S>", "Step: <S>", "Action: <S>", "`<S>`", "**<S>**", "→ <S>", "✅ <S>",
	}
)

func TestGrid(t *testing.T) {
	tasks := map[string]*pddl.Problem{"f": ferryTask(t), "b": pddltest.Load(t, "blocksworld:3-5"), "g": pddltest.Load(t, "gripper:2"), "l": pddltest.Load(t, "logistics:2-2-1-1")}
	object := map[string]string{"f": "audi", "b": "a", "g": "ball0", "l": "p0"}
	for name, p := range tasks {
		reader := NewReader(p.Domain, p, Natural)
		judge, err := validator.NewJudge(p, validator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		scratch := judge.NewScratch()
		for valid, forms := range map[bool][]string{false: gridBad, true: gridGood} {
			for _, form := range forms {
				for n, notation := range gridNotations {
					for k, layout := range gridLayouts {
						for _, at := range []int{1, -1} {
							steps := strings.Split(kindsPlans[name], "|")
							for i := range steps {
								steps[i] = notation(steps[i])
							}
							i := (at + len(steps)) % len(steps)
							steps[i] = strings.NewReplacer("<S>", steps[i], "<X>", object[name]).Replace(form)
							answer := layout(steps)
							x := reader.Extract(answer)
							if v, _ := judge.ValidateText(pddl.NewSource("plan", x.PlanText()), scratch); v.Valid != valid {
								t.Errorf("%s, rewarded %v: %s", fmt.Sprint(name, n, k, at), v.Valid, answer)
							}
						}
					}
				}
			}
		}
	}
}
