package extract

import (
	"fmt"
	"slices"
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

// gridReader reads the answers of a task and judges their plans.
type gridReader struct {
	reader  *Reader
	judge   *validator.Judge
	scratch *validator.Scratch
}

func newGridReader(t *testing.T, p *pddl.Problem) *gridReader {
	judge, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &gridReader{NewReader(p.Domain, p, Natural), judge, judge.NewScratch()}
}

// rewards reports whether an answer is read as a valid plan.
func (g *gridReader) rewards(answer string) bool {
	x := g.reader.Extract(answer)
	v, _ := g.judge.ValidateText(pddl.NewSource("plan", x.PlanText()), g.scratch)
	return v.Valid
}

// notated returns the plan of a task of kindsPlans in a notation.
func notated(task string, notation func(string) string) []string {
	steps := strings.Split(kindsPlans[task], "|")
	for i := range steps {
		steps[i] = notation(steps[i])
	}
	return steps
}

func TestGrid(t *testing.T) {
	tasks := map[string]*pddl.Problem{"f": ferryTask(t), "b": pddltest.Load(t, "blocksworld:3-5"), "g": pddltest.Load(t, "gripper:2"), "l": pddltest.Load(t, "logistics:2-2-1-1")}
	object := map[string]string{"f": "audi", "b": "a", "g": "ball0", "l": "p0"}
	for name, p := range tasks {
		reader := newGridReader(t, p)
		for valid, forms := range map[bool][]string{false: gridBad, true: gridGood} {
			for _, form := range forms {
				for n, notation := range gridNotations {
					for k, layout := range gridLayouts {
						for _, at := range []int{1, -1} {
							steps := notated(name, notation)
							i := (at + len(steps)) % len(steps)
							steps[i] = strings.NewReplacer("<S>", steps[i], "<X>", object[name]).Replace(form)
							if answer := layout(steps); reader.rewards(answer) != valid {
								t.Errorf("%s, rewarded %v: %s", fmt.Sprint(name, n, k, at), !valid, answer)
							}
						}
					}
				}
			}
		}
	}
}

// Sentences that change or deny the plan <P> beside them, and some that do not. <2> is its second step; the first ones are about a
// plan above them.
var (
	sentencesBelow = []string{
		"Do not use this plan.", "This plan is wrong.", "This plan does not work.", "I would not execute this plan.",
		"Step 2 fails.", "Step 2 cannot be executed.", "Step 2 violates a precondition.", "One step is missing.",
		"I forgot one step.", "Step 3 has to come before step 2.", "The order of steps 2 and 3 should be reversed.",
		"The steps must be executed from bottom to top.", "The last two steps are missing.", "Some steps are missing.",
		"The rest is left to you.", "Step 2 was a mistake.", "Repeat all steps.", "Then start again from step 1.",
		"Without step 2.", "Except step 2.", "But not step 2.",
	}
	sentencesBad = []string{
		"Skip step 2.", "Leave out the second step.", "Step 2 is optional.", "Step 2 is not needed.", "Step 2 is redundant.",
		"Step 2 can be skipped.", "Step 2 must be removed.", "Step 2 should be left out.", "Do step 2 twice.", "Repeat step 2.",
		"Repeat the last step.", "Steps 2 and 3 must be swapped.", "Swap steps 2 and 3.", "Execute the steps in reverse order.",
		"Do not execute <2>.", "<2> is not needed.", "<2> can be left out.", "<2> is optional.", "<2> is redundant.",
		"<2> should be removed.", "Only execute the first two steps.", "Stop after step 2.", "Steps 2 and 3 are alternatives.",
		"Execute either step 2 or step 3.", "The last step is only executed if needed.", "Ignore the last step.",
		"Step 2 is executed only if the arm is free.",
		"The second step should be dropped.", "The second step is superfluous.", "Please skip the second step.",
		"You may leave out step 2.", "You don't need step 2.", "We do not need step 2.", "Step 2 isn't required.",
		"Step 2 has to be done twice.", "Step 2 needs to be repeated.", "Perform step 2 three times.",
		"Run steps 2 and 3 in the opposite order.", "Steps 2 and 3 should change places.", "Step 3 should be done first.",
		"Start with step 2.", "Begin with the last step.", "Read the plan from the end.", "I left out two steps.",
		"The first step has been left out.", "Step 2 is a mistake.", "Step 2 is wrong.", "Step 2 is not possible.",
		"Step 2 is impossible.", "Step 2 does not work.", "Omit step 2.", "Drop step 2.", "Cancel step 2.",
		"Undo step 2 afterwards.", "Undo the last step.", "After that, undo step 2.", "Execute every step twice.",
		"Only the first two steps are needed.", "Only steps 1 and 2 are executed.",
		"All steps except step 2 are executed.", "Do all steps except step 2.", "Do all but the last step.",
		"Step 2: skip it.", "Step 2 - skip.", "Skip 2.", "No need for step 2.", "There is no need for step 2.",
		"Step 2 is done only if possible.", "Step 2 or step 3 suffices.", "Do step 2 or step 3, not both.",
		"Choose between step 2 and step 3.",
	}
	sentencesGood = []string{
		"No step can be skipped.", "Step 2 is needed.", "Step 2 must not be skipped.", "Step 2 makes step 3 possible.",
		"Without step 2, step 3 would fail.", "If step 2 is skipped, the plan fails.", "Each step is executed once.",
		"All steps are valid.", "Each precondition is met.", "Steps 2 and 3 cannot be swapped.",
		"The order of steps 2 and 3 matters.", "The plan has no redundant steps.", "No step is missing.", "The plan is optimal.",
		"There is no shorter plan.", "Nothing else has to be done.", "No other step is needed.", "Do not skip step 2.",
		"Step 2 is possible because step 1 was executed.", "After the last step, the goal is reached.",
		"Executing the steps in another order would fail.", "<2> is needed for the goal.", "<2> must not be skipped.",
		"Never execute step 3 before step 2.", "I checked each step.", "Let me know if you want another plan.",
		"Other plans are possible.", "Step 2 would fail if step 1 were skipped.", "A plan without step 2 does not work.",
		"This plan does not violate any precondition.", "It would be wrong to skip step 2.",
		"Steps 1 and 2 clear the way.", "This takes six steps.", "The total cost is the number of steps.",
		"The last step completes the goal.", "Note that step 2 depends on step 1.", "All steps are necessary.",
		"None of the steps is redundant.", "Neither step 2 nor step 3 can be dropped.", "I removed a redundant step.",
		"Every step is used exactly once.", "There is no alternative to step 2.", "Step 2 is the key step.",
		"I verified that no step fails.", "Each of the steps can be executed.", "Step 2 needs the hand to be empty.",
		"Step 2 requires that the hand is empty.", "Step 2 is only possible after step 1.",
		"Step 2 is possible only after step 1.", "Step 3 comes after step 2.", "Step 2 comes before step 3.",
		"Step 2 must come before step 3.", "Step 1 is executed first.", "Start with step 1.",
		"The first step is the most important one.", "The plan needs no further steps.", "Two steps would not be enough.",
		"It cannot be done in fewer steps.", "Fewer steps are not possible.", "No shorter plan exists.",
		"The steps must be executed in this order.", "The steps have to be executed from top to bottom.",
		"Execute the steps in the given order.", "Execute the steps one after another.",
		"Do not change the order of the steps.", "Do not leave out any step.", "Don't forget step 2.",
		"Make sure to execute step 2 before step 3.", "If step 2 fails, check step 1.",
		"You cannot execute step 3 without step 2.", "Step 3 cannot be executed before step 2.", "Step 2 undoes nothing.",
		"The goal is reached after the last step.", "If anything is unclear, let me know.",
		"If you find a mistake, please tell me.", "The plan is complete.", "Nothing is missing.",
		"Step 2 is not a mistake.", "Step 2 may look odd, but it is needed.", "Step 2 seems redundant, but it is not.",
		"You might think step 2 is redundant, but it is required.", "I made no mistake in step 2.",
	}
	framesBelow = []string{
		"<P>\n<S>\n", "<P><S>\n", "<P>\n- <S>\n", "<P>\n* <S>\n", "<P>\nNote: <S>\n", "<P>\nP.S. <S>\n", "<P>\nNotes:\n- <S>\n",
		"<P>\n## Notes\n\n<S>\n", "<P>\n### Remarks\n* <S>\n", "<P>\nThe goal is reached. <S>\n", "<P>\nThis is my plan.\n\n<S>\n",
		"<P>\n---\n<S>\n",
	}
	framesAbove = []string{
		"<S>\n\n<P>", "<S>\n<P>", "**<S>**\n\n<P>", "Here is my plan. <S>\n\n<P>", "- <S>\n\n<P>", "## Plan\n\n<S>\n\n<P>",
	}
)

// TestSentences: a sentence that changes or denies the plan does so wherever it stands. What stands above a plan in markers does
// not count.
func TestSentences(t *testing.T) {
	for name, p := range map[string]*pddl.Problem{"f": ferryTask(t), "b": pddltest.Load(t, "blocksworld:3-5")} {
		reader := newGridReader(t, p)
		check := func(sentences, frames []string, valid, above bool) {
			for n, notation := range gridNotations[:2] {
				steps := notated(name, notation)
				for k, layout := range gridLayouts {
					plan := strings.TrimRight(layout(steps), "\n") + "\n"
					if above && strings.Contains(plan, "<plan>") {
						continue
					}
					for _, s := range sentences {
						for _, frame := range frames {
							answer := strings.NewReplacer("<P>", plan, "<S>", strings.ReplaceAll(s, "<2>", steps[1])).Replace(frame)
							if reader.rewards(answer) != valid {
								t.Errorf("%s, rewarded %v: %s", fmt.Sprint(name, n, k), !valid, answer)
							}
						}
					}
				}
			}
		}
		check(slices.Concat(sentencesBelow, sentencesBad), framesBelow, false, false)
		check(sentencesBad, framesAbove, false, true)
		check(sentencesGood, framesBelow, true, false)
		check(sentencesGood, framesAbove, true, true)
	}
}
