package contract

import (
	"strings"

	"github.com/planproof/planproof/internal/pattern"
)

// block is what stands between two plan markers, in bytes of the answer.
type block struct{ start, end int }

// The pairs of markers, and the tags of thoughts.
var (
	markers = []struct{ open, shut string }{
		{"<plan>", "</plan>"}, {"[PLAN]", "[PLAN END]"}, {"```plan", "```"}, {"```pddl", "```"},
	}
	thoughtTag = pattern.New(`(?i)^<\s*(/?)\s*(?:think|thinking|thought|thoughts|reasoning|scratchpad|reflection)\s*>`)
)

// lastBlock returns the last closed pair of plan markers outside thoughts. A tag that ends thoughts which no
// tag began says that everything before it was thought. It is no pair either if a thought begins between its
// markers.
func lastBlock(answer string) (last block, ok bool) {
	const longestTag = 32
	open, shut := -1, ""
	thought := false
	for at := 0; at < len(answer); {
		k := strings.IndexAny(answer[at:], "<[`")
		if k < 0 {
			break
		}
		at += k
		rest := answer[at:]
		tag := thoughtTag.FindStringSubmatch(rest[:min(len(rest), longestTag)])
		switch {
		case tag != nil:
			ok = ok && (thought || tag[1] == "") // if no tag began the thoughts, everything before was thought
			thought, open = tag[1] == "", -1
			at += len(tag[0])
		case thought:
			at++
		case open >= 0 && strings.HasPrefix(rest, shut):
			last, ok = block{open, at}, true
			at += len(shut)
			open = -1
		default:
			size := 1
			for _, m := range markers {
				if strings.HasPrefix(rest, m.open) && (m.shut != "```" || endsLine(rest[len(m.open):])) {
					size = len(m.open)
					open, shut = at+size, m.shut
				}
			}
			if size == 1 && strings.HasPrefix(rest, "```") {
				size = 3
			}
			at += size
		}
	}
	return last, ok
}

// endsLine reports whether only white space stands before the end of the line.
func endsLine(rest string) bool {
	return strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "\n")
}
