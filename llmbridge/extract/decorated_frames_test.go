package extract_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/planproof/planproof/internal/pddltest"
)

// decorWrap is what stands around the plan.
type decorWrap struct {
	name    string
	boxed   bool // \boxed{}
	plain   bool // strict markers: steps alone
	nofence bool
	write   func(p *decorPlan, body string) string
}

func around(name, before, after string) decorWrap {
	return decorWrap{name: name, write: func(_ *decorPlan, b string) string { return before + b + after }}
}

// wrongPlan is a draft that the answer takes back: another plan.
func (p *decorPlan) wrongPlan() []string {
	n := len(p.steps)
	return append(append([]string{}, p.steps[n-1]), p.steps[:n-1]...)
}

var decorWraps = []decorWrap{
	around("nothing", "", ""),
	around("Here is the plan:", "Here is the plan:\n\n", ""),
	around("Sure!", "Sure! Here's a valid plan that achieves the goal:\n\n", "\nLet me know if you have any questions!\n"),
	around("**Plan:**", "**Plan:**\n", "\n"),
	around("### Plan", "### Plan\n\n", "\n"),
	around("## Final Plan", "## Final Plan\n\n", "\n---\n\nThis plan achieves the goal.\n"),
	around("# 📋 Plan", "# 📋 Plan\n\n", "\n"),
	around("Answer:", "Answer:\n", ""),
	around("**Final Answer:**", "**Final Answer:**\n\n", ""),
	around("The final plan is:", "So the final plan is:\n\n", "\n"),
	around("Plan", "Plan\n\n", ""),
	around("PLAN:", "PLAN:\n", "\nEND\n"),
	around("--- rules", "---\n\n", "\n---\n"),
	around("***", "\n***\n\n", "\n***\n\n**Total steps: 5**\n"),
	around("<answer>", "<answer>\n", "</answer>\n"),
	around("<answer> and words", "Let me solve it.\n<answer>\nHere is the plan:\n", "</answer>\nDone.\n"),
	around("<solution>", "<solution>\n", "</solution>"),
	around("<final_answer>", "<final_answer>\n", "</final_answer>"),
	{name: "<plan>", plain: true, write: func(_ *decorPlan, b string) string { return "<plan>\n" + b + "</plan>\n" }},
	{name: "<plan> after words", plain: true, write: func(_ *decorPlan, b string) string {
		return "I will give the plan in <plan> tags.\n\n<plan>\n" + b + "</plan>\n\nIt reaches the goal.\n"
	}},
	{name: "<plan> with a fence", plain: true, nofence: true, write: func(_ *decorPlan, b string) string { return "<plan>\n```\n" + b + "```\n</plan>\n" }},
	{name: "[PLAN]", plain: true, write: func(_ *decorPlan, b string) string { return "[PLAN]\n" + b + "[PLAN END]\n" }},
	{name: "**[PLAN]**", plain: true, write: func(_ *decorPlan, b string) string { return "**[PLAN]**\n" + b + "**[PLAN END]**\n" }},
	{name: "[PLAN END] only", plain: true, write: func(_ *decorPlan, b string) string { return b + "[PLAN END]\n" }},
	{name: "\\boxed", boxed: true, plain: true, write: func(_ *decorPlan, b string) string { return "The plan is \\boxed{" + strings.TrimSpace(b) + "}\n" }},
	{name: "$\\boxed lines", boxed: true, plain: true, write: func(_ *decorPlan, b string) string { return "$$\\boxed{\n" + b + "}$$\n" }},
	around("explained after", "The plan:\n\n", "\n**Explanation:**\n- The first step clears the way.\n- The other steps reach the goal.\n"),
	around("goal holds after", "", "\nAfter these steps, the goal is achieved. ✅\n"),
	around("no further", "", "\nNo further actions are needed.\n"),
	around("confidence", "", "\nConfidence: 95%\n"),
	around("cost after", "", "\nTotal cost: 5\n"),
	around("total **", "", "\n**Total:** 5 steps, 10 minutes.\n"),
	around("; cost", "", "; cost = 5 (unit cost)\n"),
	around("German", "Hier ist der Plan:\n\n", "\nDamit ist das Ziel erreicht.\n"),
	around("German heading", "## Lösung\n\n", "\n**Erklärung:** Die Schritte erreichen das Ziel.\n"),
	around("French", "**Voici le plan :**\n\n", "\nL'objectif est atteint.\n"),
	around("Spanish", "### Solución\n\n", "\n¡Listo!\n"),
	around("Chinese", "以下是计划：\n\n", "\n目标已达成。\n"),
	around("Chinese heading", "**计划：**\n", "\n**解释：** 每一步都满足前提条件。\n"),
	around("Japanese", "### プラン\n", "\n以上です。\n"),
	around("Russian", "**План:**\n\n", "\nЦель достигнута.\n"),
	around("Arabic", "الخطة:\n\n", "\n"),
	{name: "<think>", write: func(p *decorPlan, b string) string {
		return "<think>\nMaybe:\n" + strings.Join(p.wrongPlan(), "\n") + "\nNo, that fails.\n</think>\n\n" + b
	}},
	{name: "</think> alone", write: func(p *decorPlan, b string) string {
		return "Let me try:\n1. " + strings.Join(p.wrongPlan(), "\n2. ") + "\nThat fails. Final plan then.\n</think>\n" + b
	}},
	{name: "draft and correction", write: func(p *decorPlan, b string) string {
		return "Plan:\n" + each("N. L")(p, p.wrongPlan()) + "\nWait, that's wrong. Corrected plan:\n\n" + b
	}},
	{name: "draft, Actually", write: func(p *decorPlan, b string) string {
		return each("N. L")(p, p.wrongPlan()) + "\nActually, step 1 cannot be done first. Let me fix this.\n\n**Revised plan:**\n\n" + b
	}},
	{name: "draft in a fence", write: func(p *decorPlan, b string) string {
		return "Draft:\n```\n" + strings.Join(p.wrongPlan(), "\n") + "\n```\nHmm, this does not work. The right plan:\n\n" + b
	}},
	{name: "restated in a fence", nofence: true, write: func(p *decorPlan, b string) string {
		return b + "\nFinal plan:\n```\n" + strings.Join(p.steps, "\n") + "\n```\n"
	}},
	{name: "restated in <plan>", write: func(p *decorPlan, b string) string {
		return b + "\n<plan>\n" + strings.Join(p.steps, "\n") + "\n</plan>\n"
	}},
	{name: "restated in one line", write: func(p *decorPlan, b string) string {
		return b + "\n**Summary:** " + strings.Join(mapped(p.steps, pddltest.Call), " → ") + "\n"
	}},
	{name: "restated as numbers", write: func(p *decorPlan, b string) string {
		return b + "\nFinal answer:\n" + each("N. L")(p, p.steps)
	}},
	{name: "verified after", write: func(p *decorPlan, b string) string {
		s := b + "\n**Verification:**\n"
		for i := range p.steps {
			s += fmt.Sprintf("%d. After step %d: %s. ✓\n", i+1, i+1, p.state(i+1, 2))
		}
		return s + "\nThe goal is reached.\n"
	}},
	{name: "verified with actions", write: func(p *decorPlan, b string) string {
		s := b + "\nLet's verify:\n\n"
		for i, step := range p.steps {
			s += fmt.Sprintf("- %s: %s ✓\n", step, p.state(i+1, 2))
		}
		return s
	}},
	{name: "### Verification", write: func(p *decorPlan, b string) string {
		s := b + "\n### Verification\n\n- Initial state: " + p.state(0, 3) + "\n"
		for i, step := range p.steps {
			s += fmt.Sprintf("- After `%s`: %s\n", step, p.state(i+1, 2))
		}
		return s + "- Goal: reached ✅\n"
	}},
	{name: "explained after, numbers", write: func(p *decorPlan, b string) string {
		s := b + "\nExplanation of each step:\n"
		for i := range p.steps {
			s += fmt.Sprintf("%d. This is possible, since %s.\n", i+1, p.state(i, 1))
		}
		return s
	}},
	{name: "state before", write: func(p *decorPlan, b string) string {
		return "**Initial state:**\n- " + strings.Join(p.facts(0, 4), "\n- ") + "\n\n**Goal:**\n- " + strings.Join(p.facts(len(p.steps), 1), "\n- ") + "\n\n**Plan:**\n\n" + b
	}},
	{name: "state before as calls", write: func(p *decorPlan, b string) string {
		return "Initial state: " + p.calls(0, 4) + "\nGoal: " + p.calls(len(p.steps), 1) + "\n\nPlan:\n" + b
	}},
	{name: "reasoning before", write: func(p *decorPlan, b string) string {
		return "To reach the goal, I need to look at what is true now.\n\n1. " + capital(p.state(0, 1)) + ".\n2. " + capital(p.state(0, 1)) + ".\n\nSo the plan is:\n\n" + b
	}},
	{name: "final state after", write: func(p *decorPlan, b string) string {
		return b + "\nFinal state:\n- " + strings.Join(capitals(p.facts(len(p.steps), 3)), "\n- ") + "\n"
	}},
	{name: "**Final state:** after", write: func(p *decorPlan, b string) string {
		return b + "\n**Final state:** " + p.calls(len(p.steps), 4) + "\n"
	}},
}

// decorNoise changes signs that do not matter.
type decorNoise struct {
	name  string
	text  bool // suits text, not code
	write func(text string) string
}

func swap(name string, oldnew ...string) decorNoise {
	return decorNoise{name: name, write: strings.NewReplacer(oldnew...).Replace}
}

// inText replaces the spaces between letters.
func inText(name, space string) decorNoise {
	between := regexp.MustCompile(`([a-z]) ([a-z])`)
	return decorNoise{name: name, write: func(s string) string { return between.ReplaceAllString(s, "${1}"+space+"${2}") }}
}

// texts marks a noise that suits text alone.
func texts(n decorNoise) decorNoise {
	n.text = true
	return n
}

var decorNoises = []decorNoise{
	{name: "none", write: func(s string) string { return s }},
	swap("CRLF", "\n", "\r\n"),
	swap("trailing spaces", "\n", "  \n"),
	swap("trailing tabs", "\n", "\t\n"),
	{name: "no end of line", write: func(s string) string { return strings.TrimRight(s, "\n") }},
	{name: "byte order mark", write: func(s string) string { return "\ufeff" + s }},
	texts(inText("no-break spaces", "\u00a0")),
	texts(inText("narrow no-break spaces", "\u202f")),
	swap("non-breaking hyphens", "k-u", "k\u2011u", "t-d", "t\u2011d", "n-d", "n\u2011d", "l1-", "l1\u2011"),
	texts(swap("wide parentheses", "(", "（", ")", "）")),
	texts(swap("wide signs", ", ", "，", ": ", "：", ". ", "．")),
	texts(swap("zero-width spaces", " ", " \u200b")),
	{name: "blank lines before", write: func(s string) string { return "\n\n\n" + s }},
	swap("more blank lines", "\n\n", "\n\n\n\n"),
	texts(swap("curly quotes", "'", "’")),
	{name: "indented", write: func(s string) string {
		return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") + "\n"
	}},
	{name: "indented four", write: func(s string) string {
		return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ") + "\n"
	}},
	{name: "quoted", text: true, write: func(s string) string {
		return "> " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n> ") + "\n"
	}},
}
