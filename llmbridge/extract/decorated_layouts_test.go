package extract_test

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
)

// decorLayout lays the written steps out; "" where it does not suit the task.
type decorLayout struct {
	name     string
	own      bool // writes the steps itself
	inline   bool // no lines for remarks below a step
	plain    bool // PDDL or code: neither markdown nor prose
	sentence bool // around sentences
	formal   bool // around formal steps
	table    bool
	markdown bool // cannot stand in a box
	fence    bool
	closed   bool // something follows each step on its line
	leads    bool // has words before the step
	bare     bool // neither numbers nor bullets
	write    func(p *decorPlan, lines []string) string
}

// each writes a line for every step: N is the number, L the step.
func each(format string) func(*decorPlan, []string) string {
	return func(_ *decorPlan, lines []string) string {
		var b strings.Builder
		for i, l := range lines {
			b.WriteString(strings.NewReplacer("N", fmt.Sprint(i+1), "L", l).Replace(format))
			b.WriteByte('\n')
		}
		return b.String()
	}
}

// marks writes a mark of its own before every step.
func marks(list []string, format string) func(*decorPlan, []string) string {
	return func(_ *decorPlan, lines []string) string {
		var b strings.Builder
		for i, l := range lines {
			b.WriteString(strings.NewReplacer("N", list[min(i, len(list)-1)], "L", l).Replace(format))
			b.WriteByte('\n')
		}
		return b.String()
	}
}

func joined(sep, end string) func(*decorPlan, []string) string {
	return func(_ *decorPlan, lines []string) string { return strings.Join(lines, sep) + end + "\n" }
}

// own writes each step by a function of its own, between a beginning and an end.
func own(begin, sep, end string, step func(p *decorPlan, i int, s string) string) func(*decorPlan, []string) string {
	return func(p *decorPlan, _ []string) string {
		var parts []string
		for i, s := range p.steps {
			parts = append(parts, step(p, i, s))
		}
		return begin + strings.Join(parts, sep) + end + "\n"
	}
}

// firstThen leads each step by a word of order.
func firstThen(first, then, last, format string) func(*decorPlan, []string) string {
	return func(_ *decorPlan, lines []string) string {
		var parts []string
		for i, l := range lines {
			lead := then
			if i == 0 {
				lead = first
			} else if i == len(lines)-1 {
				lead = last
			}
			parts = append(parts, lead+l)
		}
		return strings.Join(parts, format) + ".\n"
	}
}

func quotedArgs(s, sep string) string { return `"` + strings.Join(args(s), `"`+sep+`"`) + `"` }

var decorLayouts = []decorLayout{
	{name: "lines", bare: true, write: joined("\n", "")},
	{name: "double-spaced", bare: true, write: joined("\n\n", "")},
	{name: "1.", write: each("N. L")},
	{name: "1. double-spaced", write: each("N. L\n")},
	{name: "1)", write: each("N) L")},
	{name: "(1)", write: each("(N) L")},
	{name: "[1]", write: each("[N] L")},
	{name: "1:", write: each("N: L")},
	{name: "1 -", write: each("N - L")},
	{name: "1 –", write: each("N – L")},
	{name: "1.-", write: each("N.- L")},
	{name: "#1", markdown: true, write: each("#N: L")},
	{name: "1 L", write: each("N L")},
	{name: "**1.**", markdown: true, write: each("**N.** L")},
	{name: "**1**", markdown: true, write: each("**N** L")},
	{name: "indented 1.", write: each("   N. L")},
	{name: "1️⃣", write: marks([]string{"1️⃣", "2️⃣", "3️⃣", "4️⃣", "5️⃣", "6️⃣", "7️⃣"}, "N L")},
	{name: "①", write: marks([]string{"①", "②", "③", "④", "⑤", "⑥", "⑦"}, "N L")},
	{name: "i.", write: marks([]string{"i", "ii", "iii", "iv", "v", "vi", "vii"}, "N. L")},
	{name: "I.", write: marks([]string{"I", "II", "III", "IV", "V", "VI", "VII"}, "N. L")},
	{name: "a)", write: marks([]string{"a", "b", "c", "d", "e", "f", "g"}, "N) L")},
	{name: "A.", write: marks([]string{"A", "B", "C", "D", "E", "F", "G"}, "N. L")},
	{name: "１．", write: marks([]string{"１", "２", "３", "４", "５", "６", "７"}, "N．L")},
	{name: "Step 1:", write: each("Step N: L")},
	{name: "Step 1: double-spaced", write: each("Step N: L\n")},
	{name: "Step 1.", write: each("Step N. L")},
	{name: "Step 1 -", write: each("Step N - L")},
	{name: "Step 1 —", write: each("Step N — L")},
	{name: "Step 1)", write: each("Step N) L")},
	{name: "Step 1", write: each("Step N L")},
	{name: "STEP 1:", write: each("STEP N: L")},
	{name: "[Step 1]", write: each("[Step N] L")},
	{name: "(Step 1)", write: each("(Step N) L")},
	{name: "Step #1:", write: each("Step #N: L")},
	{name: "Step One:", write: marks([]string{"One", "Two", "Three", "Four", "Five", "Six", "Seven"}, "Step N: L")},
	{name: "**Step 1:**", markdown: true, write: each("**Step N:** L")},
	{name: "**Step 1**:", markdown: true, write: each("**Step N**: L")},
	{name: "**Step 1: L**", closed: true, markdown: true, write: each("**Step N: L**")},
	{name: "**Step 1** –", markdown: true, write: each("**Step N** – L")},
	{name: "*Step 1:*", markdown: true, write: each("*Step N:* L")},
	{name: "__Step 1__:", markdown: true, write: each("__Step N__: L")},
	{name: "### Step 1: L", markdown: true, write: each("### Step N: L\n")},
	{name: "### Step 1 below", markdown: true, write: each("### Step N\nL\n")},
	{name: "### Step 1 below, blank", markdown: true, write: each("### Step N\n\nL\n")},
	{name: "### 1. L", markdown: true, write: each("### N. L\n")},
	{name: "#### L", markdown: true, write: each("#### L\n")},
	{name: "Step 1: below", write: each("Step N:\nL")},
	{name: "Step 1: below, double-spaced", write: each("Step N:\nL\n")},
	{name: "**Step 1:** below", markdown: true, write: each("**Step N:**\nL\n")},
	{name: "**Step 1:** bullet below", markdown: true, write: each("**Step N:**\n- L\n")},
	{name: "**Step 1:** fence below", markdown: true, formal: true, plain: true, fence: true, write: each("**Step N:**\n```\nL\n```\n")},
	{name: "1. titles and action bullets", leads: true, write: each("N. Next part:\n   - Action: L")},
	{name: "1. **titles** and action bullets", leads: true, markdown: true, write: each("N. **Go on with the plan**\n   - **Action:** L")},
	{name: "bullets", write: each("- L")},
	{name: "bullets double-spaced", write: each("- L\n")},
	{name: "* bullets", write: each("* L")},
	{name: "+ bullets", write: each("+ L")},
	{name: "• bullets", write: each("• L")},
	{name: "– bullets", write: each("– L")},
	{name: "— bullets", write: each("— L")},
	{name: "◦ bullets", write: each("◦ L")},
	{name: "▪ bullets", write: each("▪ L")},
	{name: "● bullets", write: each("● L")},
	{name: "○ bullets", write: each("○ L")},
	{name: "► bullets", write: each("► L")},
	{name: "➡️ bullets", write: each("➡️ L")},
	{name: "→ bullets", write: each("→ L")},
	{name: "-> bullets", write: each("-> L")},
	{name: "✅ bullets", write: each("✅ L")},
	{name: "☐ bullets", write: each("- [ ] L")},
	{name: "[x] bullets", write: each("- [x] L")},
	{name: "- 1. bullets", write: each("- N. L")},
	{name: "- Step 1: bullets", write: each("- Step N: L")},
	{name: "- **Step 1**: bullets", markdown: true, write: each("- **Step N**: L")},
	{name: "nested bullets", markdown: true, write: func(p *decorPlan, l []string) string { return "- Plan\n" + each("  - L")(p, l) }},
	{name: "nested numbers", markdown: true, write: func(p *decorPlan, l []string) string { return "- Plan:\n" + each("  N. L")(p, l) }},
	{name: "blockquote", write: each("> L")},
	{name: "numbered blockquote", write: each("> N. L")},
	{name: "two parts", write: func(p *decorPlan, l []string) string {
		return "Part 1: clear the way\n" + each("N. L")(p, l[:1]) + "\nPart 2: reach the goal\n" + strings.ReplaceAll(each("N. L")(p, append([]string{"X"}, l[1:]...)), "1. X\n", "")
	}},
	{name: "phases with bold headings", markdown: true, write: func(p *decorPlan, l []string) string {
		return "**Phase 1: Clear the way**\n\n" + each("N. L")(p, l[:1]) + "\n**Phase 2: Reach the goal**\n\n" + strings.ReplaceAll(each("N. L")(p, append([]string{"X"}, l[1:]...)), "1. X\n", "")
	}},
	{name: "phases with bullets", markdown: true, write: func(p *decorPlan, l []string) string {
		return "### Phase 1: Clear the way\n" + each("- L")(p, l[:1]) + "\n### Phase 2: Reach the goal\n" + each("- L")(p, l[1:])
	}},
	{name: "numbered phases with bullets", markdown: true, write: func(p *decorPlan, l []string) string {
		return "1. **Clear the way:**\n" + each("  - L")(p, l[:1]) + "2. **Reach the goal:**\n" + each("  - L")(p, l[1:])
	}},
	{name: "fence", plain: true, fence: true, markdown: true, write: func(_ *decorPlan, l []string) string { return "```\n" + strings.Join(l, "\n") + "\n```\n" }},
	{name: "fence pddl", plain: true, fence: true, markdown: true, write: func(_ *decorPlan, l []string) string { return "```pddl\n" + strings.Join(l, "\n") + "\n```\n" }},
	{name: "fence lisp", plain: true, fence: true, markdown: true, write: func(_ *decorPlan, l []string) string { return "```lisp\n" + strings.Join(l, "\n") + "\n```\n" }},
	{name: "fence text numbered", plain: true, fence: true, markdown: true, write: func(p *decorPlan, l []string) string { return "```text\n" + each("N. L")(p, l) + "```\n" }},
	{name: "fence plaintext indented", plain: true, fence: true, markdown: true, write: func(p *decorPlan, l []string) string { return "   ```plaintext\n" + each("   L")(p, l) + "   ```\n" }},
	{name: "fence ~~~", plain: true, fence: true, markdown: true, write: func(_ *decorPlan, l []string) string { return "~~~\n" + strings.Join(l, "\n") + "\n~~~\n" }},
	{name: "fence with comments", plain: true, fence: true, formal: true, markdown: true, write: func(p *decorPlan, l []string) string {
		return "```pddl\n; The plan\n" + each("L\n; step N is done")(p, l) + "```\n"
	}},
	{name: "fence with a comment sign #", plain: true, fence: true, formal: true, markdown: true, write: func(p *decorPlan, l []string) string {
		return "```\n# Plan\n" + each("# Step N\nL")(p, l) + "```\n"
	}},
	{name: "fence in parentheses", plain: true, fence: true, formal: true, markdown: true, write: func(p *decorPlan, l []string) string {
		return "```\n(\n" + each("  L")(p, l) + ")\n```\n"
	}},
	{name: "fence python calls", own: true, fence: true, markdown: true, write: own("```python\n", "\n", "\n```", func(p *decorPlan, i int, s string) string {
		return callOf(strings.ReplaceAll(name(s), "-", "_"), []string{quotedArgs(s, `", "`)}, "")
	})},
	{name: "fence python list", own: true, fence: true, markdown: true, write: own("```python\nplan = [\n", ",\n", ",\n]\n```", func(p *decorPlan, i int, s string) string { return `    "` + s + `"` })},
	{name: "python list of tuples", own: true, fence: true, markdown: true, write: own("```python\nplan = [\n", "\n", "\n]\n```", func(p *decorPlan, i int, s string) string {
		return `    ("` + strings.Join(atomtext.Words(s), `", "`) + `"),`
	})},
	{name: "python list, single quotes", own: true, write: own("['", "', '", "']", func(p *decorPlan, i int, s string) string { return s })},
	{name: "plan = [...]", own: true, write: own("plan = [", ", ", "]", func(p *decorPlan, i int, s string) string { return `"` + s + `"` })},
	{name: "Plan: [...] of words", own: true, write: own("Plan: [", ", ", "]", func(p *decorPlan, i int, s string) string { return strings.Trim(s, "()") })},
	{name: "[(a), (b)]", own: true, write: own("[", ", ", "]", func(p *decorPlan, i int, s string) string { return s })},
	{name: "[a(x), b(y)]", own: true, write: own("[", ", ", "]", func(p *decorPlan, i int, s string) string { return pddltest.Call(s) })},
	{name: "list of lists, single quotes", own: true, write: own("[", ", ", "]", func(p *decorPlan, i int, s string) string {
		return "['" + strings.Join(atomtext.Words(s), "', '") + "']"
	})},
	{name: "list of tuples, one line", own: true, write: own("[", ", ", "]", func(p *decorPlan, i int, s string) string {
		return "('" + strings.Join(atomtext.Words(s), "', '") + "')"
	})},
	{name: "python dicts", own: true, write: own("[", ", ", "]", func(p *decorPlan, i int, s string) string {
		return "{'action': '" + name(s) + "', 'args': ['" + strings.Join(args(s), "', '") + "']}"
	})},
	{name: "json strings", own: true, write: own("[", ", ", "]", func(p *decorPlan, i int, s string) string { return `"` + s + `"` })},
	{name: "json words", own: true, write: own(`{"plan": [`, ", ", "]}", func(p *decorPlan, i int, s string) string { return `"` + strings.Trim(s, "()") + `"` })},
	{name: "json calls", own: true, write: own(`{"plan": [`, ", ", "]}", func(p *decorPlan, i int, s string) string { return `"` + pddltest.Call(s) + `"` })},
	{name: "json sentences", own: true, write: own("{\n  \"plan\": [\n    ", ",\n    ", "\n  ]\n}", func(p *decorPlan, i int, s string) string {
		if w := p.sentence(s, nil); w != "" {
			return `"` + w + `"`
		}
		return `"` + s + `"`
	})},
	{name: "json with numbers", own: true, write: own("{\n  \"plan\": [\n    ", ",\n    ", "\n  ]\n}", func(p *decorPlan, i int, s string) string {
		return fmt.Sprintf(`"%d. %s"`, i+1, strings.Trim(s, "()"))
	})},
	{name: "json with steps", own: true, write: own("{\"steps\": [", ", ", "]}", func(p *decorPlan, i int, s string) string {
		return fmt.Sprintf(`{"step": %d, "action": "%s", "parameters": [%s]}`, i+1, name(s), quotedArgs(s, ", "))
	})},
	{name: "json with words as action", own: true, write: own("{\"steps\": [", ", ", "]}", func(p *decorPlan, i int, s string) string {
		return fmt.Sprintf(`{"step": %d, "action": "%s"}`, i+1, strings.Trim(s, "()"))
	})},
	{name: "json with reasons", own: true, write: own("{\"thought\": \"First clear the way.\", \"plan\": [", ", ", "], \"explanation\": \"It works.\"}", func(p *decorPlan, i int, s string) string {
		return fmt.Sprintf(`{"action": "%s", "args": [%s], "reason": "it is needed"}`, name(s), quotedArgs(s, ", "))
	})},
	{name: "json named arguments", own: true, write: own("[", ", ", "]", func(p *decorPlan, i int, s string) string {
		var named []string
		for j, a := range args(s) {
			named = append(named, fmt.Sprintf("%q: %q", p.params[name(s)][j], a))
		}
		return fmt.Sprintf(`{"action": "%s", "parameters": {%s}}`, name(s), strings.Join(named, ", "))
	})},
	{name: "json nested", own: true, write: own("{\"answer\": {\"plan\": [", ", ", "], \"length\": 3}}", func(p *decorPlan, i int, s string) string { return `"` + s + `"` })},
	{name: "json numbered keys", own: true, write: own("{\n", ",\n", "\n}", func(p *decorPlan, i int, s string) string { return fmt.Sprintf(`  "%d": "%s"`, i+1, s) })},
	{name: "json step keys", own: true, write: own("{\"plan\": {\n", ",\n", "\n}}", func(p *decorPlan, i int, s string) string { return fmt.Sprintf(`  "step_%d": "%s"`, i+1, s) })},
	{name: "json one string", own: true, write: own(`{"plan": "`, `\n`, `"}`, func(p *decorPlan, i int, s string) string { return s })},
	{name: "json one string, commas", own: true, write: own(`{"plan": "`, `, `, `"}`, func(p *decorPlan, i int, s string) string { return s })},
	{name: "json lines", own: true, write: own("", "\n", "", func(p *decorPlan, i int, s string) string {
		return fmt.Sprintf(`{"action": "%s", "args": [%s]}`, name(s), quotedArgs(s, ", "))
	})},
	{name: "json with comments", own: true, write: own("{\"plan\": [\n", "\n", "\n]}", func(p *decorPlan, i int, s string) string { return fmt.Sprintf(`  "%s", // step %d`, s, i+1) })},
	{name: "json, trailing comma", own: true, write: own("[\n", "\n", "\n]", func(p *decorPlan, i int, s string) string { return `  "` + s + `",` })},
	{name: "json in a fence", own: true, fence: true, markdown: true, write: own("```json\n{\n  \"plan\": [\n", ",\n", "\n  ]\n}\n```", func(p *decorPlan, i int, s string) string { return `    "` + s + `"` })},
	{name: "tool calls", own: true, write: own(`{"tool_calls": [`, ", ", `]}`, func(p *decorPlan, i int, s string) string {
		var named []string
		for j, a := range args(s) {
			named = append(named, fmt.Sprintf(`\"%s\": \"%s\"`, p.params[name(s)][j], a))
		}
		return fmt.Sprintf(`{"id": "call_%d", "type": "function", "function": {"name": "%s", "arguments": "{%s}"}}`, i, name(s), strings.Join(named, ", "))
	})},
	{name: "<tool_call>", own: true, write: own("", "\n", "", func(p *decorPlan, i int, s string) string {
		var named []string
		for j, a := range args(s) {
			named = append(named, fmt.Sprintf("%q: %q", p.params[name(s)][j], a))
		}
		return fmt.Sprintf("<tool_call>\n{\"name\": \"%s\", \"arguments\": {%s}}\n</tool_call>", name(s), strings.Join(named, ", "))
	})},
	{name: "yaml", own: true, write: own("plan:\n", "\n", "", func(p *decorPlan, i int, s string) string { return "  - " + strings.Trim(s, "()") })},
	{name: "yaml fence", own: true, fence: true, markdown: true, write: own("```yaml\nplan:\n", "\n", "\n```", func(p *decorPlan, i int, s string) string { return "  - \"" + s + "\"" })},
	{name: "yaml step, action", own: true, write: own("plan:\n", "\n", "", func(p *decorPlan, i int, s string) string {
		return fmt.Sprintf("  - step: %d\n    action: %s", i+1, strings.Trim(s, "()"))
	})},
	{name: "<step> lines", closed: true, write: each("<step>L</step>")},
	{name: "<step n> lines", closed: true, write: each(`<step n="N">L</step>`)},
	{name: "<step id> in <plan>", closed: true, write: func(p *decorPlan, l []string) string {
		return "<plan>\n" + each(`  <step id="N">L</step>`)(p, l) + "</plan>\n"
	}},
	{name: "<action> in <plan>", closed: true, write: func(p *decorPlan, l []string) string {
		return "<plan>\n" + each(`<action>L</action>`)(p, l) + "</plan>\n"
	}},
	{name: "<step> blocks", write: each("<step>\nL\n</step>")},
	{name: "<ol><li>", closed: true, write: func(p *decorPlan, l []string) string { return "<ol>\n" + each("  <li>L</li>")(p, l) + "</ol>\n" }},
	{name: "<ol><li> one line", inline: true, write: func(p *decorPlan, l []string) string {
		return "<ol><li>" + strings.Join(l, "</li><li>") + "</li></ol>\n"
	}},
	{name: "<p>", closed: true, write: each("<p>L</p>")},
	{name: "<br> lines", closed: true, write: each("L<br>")},
	{name: "<br/> one line", inline: true, write: joined("<br/>", "")},
	{name: "<br> numbered, one line", inline: true, write: func(p *decorPlan, l []string) string {
		return strings.ReplaceAll(each("N. L")(p, l), "\n", "<br>") + "\n"
	}},
	{name: "<details>", markdown: true, write: func(p *decorPlan, l []string) string {
		return "<details><summary>Plan</summary>\n\n" + each("N. L")(p, l) + "</details>\n"
	}},
	{name: "table", table: true, markdown: true, write: func(p *decorPlan, l []string) string {
		return "| Step | Action |\n|------|--------|\n" + each("| N | L |")(p, l)
	}},
	{name: "table, aligned", table: true, markdown: true, write: func(p *decorPlan, l []string) string {
		return "| # | Action |\n|:-:|:--|\n" + each("| **N** | L |")(p, l)
	}},
	{name: "table, reasons", table: true, markdown: true, write: func(p *decorPlan, l []string) string {
		return "| Step | Action | Reason |\n|------|--------|---|\n" + each("| N | L | it is needed |")(p, l)
	}},
	{name: "table, states", table: true, markdown: true, write: func(p *decorPlan, l []string) string {
		s := "| Step | Action | Resulting state |\n|---|---|---|\n"
		for i, line := range l {
			s += fmt.Sprintf("| %d | %s | %s |\n", i+1, line, p.state(i+1, 2))
		}
		return s
	}},
	{name: "table without numbers", table: true, markdown: true, write: func(p *decorPlan, l []string) string {
		return "| Action | Effect |\n|---|---|\n" + each("| L | good |")(p, l)
	}},
	{name: "table of arguments", own: true, markdown: true, write: own("| Step | Action | Arguments |\n|---|---|---|\n", "\n", "", func(p *decorPlan, i int, s string) string {
		return fmt.Sprintf("| %d | %s | %s |", i+1, name(s), strings.Join(args(s), ", "))
	})},
	{name: "table of columns", own: true, markdown: true, write: own("| Step | Action | Object 1 | Object 2 |\n|---|---|---|---|\n", "\n", "", func(p *decorPlan, i int, s string) string {
		return fmt.Sprintf("| %d | %s | %s |", i+1, capital(name(s)), strings.Join(args(s), " | "))
	})},
	{name: "table, tab-separated", write: each("N\tL")},
	{name: "csv", write: each("N,L")},
	{name: "arrows", inline: true, write: joined(" -> ", "")},
	{name: "→ arrows", inline: true, write: joined(" → ", "")},
	{name: "=> arrows", inline: true, write: joined(" => ", "")},
	{name: "⟶ over lines", inline: true, write: joined("\n→ ", "")},
	{name: "↓ between lines", inline: true, write: joined("\n↓\n", "")},
	{name: `\rightarrow`, inline: true, markdown: true, formal: true, write: func(_ *decorPlan, l []string) string { return "$" + strings.Join(l, ` \rightarrow `) + "$\n" }},
	{name: "> chain", inline: true, write: joined(" > ", "")},
	{name: "| chain", inline: true, write: joined(" | ", "")},
	{name: "commas", inline: true, write: joined(", ", ".")},
	{name: "commas and", inline: true, write: func(_ *decorPlan, l []string) string {
		return strings.Join(l[:len(l)-1], ", ") + ", and " + l[len(l)-1] + ".\n"
	}},
	{name: "semicolons", inline: true, write: joined("; ", "")},
	{name: "spaces", inline: true, formal: true, write: joined(" ", "")},
	{name: "1. in one line", inline: true, write: func(p *decorPlan, l []string) string { return strings.ReplaceAll(each("N. L")(p, l), "\n", " ") + "\n" }},
	{name: "1) in one line", inline: true, write: func(p *decorPlan, l []string) string {
		return strings.ReplaceAll(each("N) L,")(p, l), "\n", " ") + "\n"
	}},
	{name: "(1) in one line", inline: true, write: func(p *decorPlan, l []string) string {
		return strings.ReplaceAll(each("(N) L;")(p, l), "\n", " ") + "\n"
	}},
	{name: "Step 1: in one line", inline: true, write: func(p *decorPlan, l []string) string {
		return strings.ReplaceAll(each("Step N: L.")(p, l), "\n", " ") + "\n"
	}},
	{name: "Plan: in one line", inline: true, write: func(_ *decorPlan, l []string) string { return "Plan: " + strings.Join(l, ", ") + "\n" }},
	{name: "The plan is: in one line", inline: true, write: func(_ *decorPlan, l []string) string { return "The plan is: " + strings.Join(l, ", ") + ".\n" }},
	{name: "First, then lines", leads: true, sentence: true, write: firstThen("First, ", "Then, ", "Finally, ", ".\n")},
	{name: "First, then, one line", leads: true, sentence: true, inline: true, write: firstThen("First, ", "Then ", "Finally, ", ". ")},
	{name: "first, then, one sentence", leads: true, sentence: true, inline: true, write: firstThen("First ", "then ", "and finally ", ", ")},
	{name: "and then", leads: true, sentence: true, inline: true, write: firstThen("", "", "", " and then ")},
	{name: "Next, after that", leads: true, sentence: true, write: firstThen("To begin with, ", "After that, ", "Lastly, ", ".\n")},
	{name: "Now", leads: true, sentence: true, write: firstThen("To start, ", "Now ", "At last, ", ".\n")},
	{name: "We", leads: true, sentence: true, inline: true, write: firstThen("First we ", "Then we ", "Finally we ", ". ")},
	{name: "You numbered", leads: true, sentence: true, write: each("N. You L.")},
	{name: "I numbered", leads: true, sentence: true, write: each("N. I L.")},
	{name: "enumerate", markdown: true, write: func(p *decorPlan, l []string) string {
		return "\\begin{enumerate}\n" + each(`\item L`)(p, l) + "\\end{enumerate}\n"
	}},
	{name: "itemize indented", markdown: true, write: func(p *decorPlan, l []string) string {
		return "\\begin{itemize}\n" + each(`  \item L`)(p, l) + "\\end{itemize}\n"
	}},
	{name: "aligned", closed: true, markdown: true, formal: true, write: func(p *decorPlan, l []string) string {
		return "\\begin{align*}\n" + each(`&L \\`)(p, l) + "\\end{align*}\n"
	}},
	{name: "\\[ displays", closed: true, markdown: true, formal: true, write: each(`\[ L \]`)},
	{name: "$$ displays", closed: true, markdown: true, formal: true, write: each("$$L$$")},
	{name: "$ with numbers", closed: true, markdown: true, formal: true, write: each("N. $L$")},
	{name: "PDDL times", own: true, write: own("", "\n", "", func(p *decorPlan, i int, s string) string { return fmt.Sprintf("%d.000: %s [1.000]", i, s) })},
	{name: "planner output", own: true, write: own("ff: found legal plan as follows\n\nstep    ", "\n        ", "\n", func(p *decorPlan, i int, s string) string {
		return fmt.Sprintf("%d: %s", i, strings.ToUpper(strings.Trim(s, "()")))
	})},
	{name: "(define (plan", own: true, write: own("(define (plan p1)\n  (:actions\n    ", "\n    ", "))", func(p *decorPlan, i int, s string) string { return s })},
	{name: "[PLAN] one line", inline: true, write: func(_ *decorPlan, l []string) string { return "[PLAN] " + strings.Join(l, ", ") + " [PLAN END]\n" }},
}
