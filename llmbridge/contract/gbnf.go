package contract

import (
	"fmt"
	"strings"
)

// GBNF returns the contract in the notation of llama.cpp and XGrammar: the plan between one pair of markers
// ("<plan>" for instance), with the given names for the rule "name". No names stand for any name.
func GBNF(open string, names []string) (string, error) {
	var shut string
	for _, m := range markers {
		if m.open == open {
			shut = m.shut
		}
	}
	if shut == "" {
		return "", fmt.Errorf("there are no plan markers %q", open)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "root ::= %s body %s\n", gbnfText(open+"\n"), gbnfText(shut))
	for _, name := range rules().order {
		if name == "block" || name == "timed" || name == "number" {
			continue
		}
		b.WriteString(name + " ::=")
		if name == "name" && len(names) > 0 {
			var texts []string
			for _, n := range names {
				texts = append(texts, gbnfText(n))
			}
			b.WriteString(" " + strings.Join(texts, " | ") + "\n")
			continue
		}
		for _, s := range rules().rules[name] {
			switch c := s[0]; {
			case c == '"' || c == '\'':
				s = " " + gbnfText(s[1:len(s)-1])
			case c == '[': // of characters, not bytes: all bytes beyond ASCII stand for all such characters
				s = " " + gbnfBytes.Replace(strings.Replace(s, "[-", `[\-`, 1))
			case c == '#':
				s = ` "` + gbnfBytes.Replace(s) + `"`
			case c != '*' && c != '+' && c != '?' && c != ')':
				s = " " + s
			}
			b.WriteString(s)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

var gbnfBytes = strings.NewReplacer("#x80-#xFF", `\x80-\U0010FFFF`, "#x9", `\t`, "#xA", `\n`, "#xD", `\r`)

func gbnfText(s string) string {
	return `"` + strings.NewReplacer("\n", `\n`, `"`, `\"`, `\`, `\\`).Replace(s) + `"`
}
