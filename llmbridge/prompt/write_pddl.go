package prompt

import (
	"strings"
)

// pddlText writes a printed domain or problem with its spans. A span is a line, because the printer puts
// each condition on its own line.
func (b *builder) pddlText(text string) {
	inInit := false
	var init strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		t := strings.TrimSpace(line)
		if inInit || strings.HasPrefix(t, "(:init") {
			init.WriteString(line)
			if inInit = line != "  )\n" && !strings.HasSuffix(line, "(:init)\n"); !inInit {
				b.span(SpanInit, init.String())
			}
			continue
		}
		switch {
		case strings.HasPrefix(t, ":precondition"), strings.HasPrefix(t, ":condition"):
			b.span(SpanRule, line)
		case strings.HasPrefix(t, "(:constraints"):
			b.span(SpanConstraint, line)
		case strings.HasPrefix(t, "(:goal"):
			b.span(SpanGoal, line)
		default:
			b.span(SpanDomain, line)
		}
	}
	if inInit {
		b.span(SpanInit, init.String())
	}
}

func withoutGoal(text string) string {
	var out strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		if t := strings.TrimSpace(line); !strings.HasPrefix(t, "(:goal") && !strings.HasPrefix(t, "(:metric") {
			out.WriteString(line)
		}
	}
	return out.String()
}
