package contract

import "strings"

// block is what stands between two plan markers, in bytes of the answer.
type block struct{ start, end int }

// The pairs of markers, and the tags of thoughts.
var (
	markers = []struct{ open, shut string }{
		{"<plan>", "</plan>"}, {"[PLAN]", "[PLAN END]"}, {"```plan", "```"}, {"```pddl", "```"},
	}
	thoughtTags = []string{"think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "reflection"}
)

// lastBlock returns the last closed pair of plan markers outside thoughts. A tag that ends thoughts which no
// tag began says that everything before it was thought. It is no pair either if a thought begins between its
// markers.
func lastBlock(answer string) (last block, ok bool) {
	open, shut := -1, ""
	thought := false
	for at := 0; at < len(answer); {
		k := strings.IndexAny(answer[at:], "<[`")
		if k < 0 {
			break
		}
		at += k
		rest := answer[at:]
		begins, ends, size := thoughtTag(rest)
		switch {
		case begins:
			thought, open = true, -1
			at += size
		case ends:
			if !thought {
				ok = false // everything before was thought
			}
			thought, open = false, -1
			at += size
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

// thoughtTag reports whether a tag that begins or ends thoughts stands at the start of a text, and its size.
func thoughtTag(text string) (begins, ends bool, size int) {
	const longest = 32
	shut := strings.IndexByte(text[:min(len(text), longest)], '>')
	if text[0] != '<' || shut < 0 {
		return false, false, 0
	}
	name, ends := strings.CutPrefix(strings.TrimSpace(text[1:shut]), "/")
	for _, t := range thoughtTags {
		if strings.EqualFold(strings.TrimSpace(name), t) {
			return !ends, ends, shut + 1
		}
	}
	return false, false, 0
}
