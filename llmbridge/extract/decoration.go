package extract

import "strings"

// What stands before the content of a line or of a step without changing its meaning.

// contentHead skips signs, tags and tick boxes before the content of a line. A line of tags only has no
// content, unless one of them is emphasis.
func (l *lineReader) contentHead(h *lineHead) {
	emphasis := false
	for k := 0; k < len(l.toks); {
		switch l.punct(k) {
		case '>', '|', '#', '-', '+', '&', '=':
			k++
			continue
		case '[':
			if end := l.tickBox(k); end > 0 && h.style == styleBullet {
				k = end
				continue
			}
		case '<':
			if end := l.markup(k); end > 0 {
				name := l.text(k + 1)
				if name == "/" {
					name = l.text(k + 2)
				}
				switch {
				case strings.EqualFold(name, "li") && l.punct(k+1) == 0 && h.style == styleBare:
					h.style = styleBullet
				case emphasisTags[strings.ToLower(name)]:
					emphasis = true
				case l.punct(k+1) == 0 && len(name) == 2 && name[0]|0x20 == 'h' && name[1] <= '6':
					h.heading = true
				}
				k, h.at = end, end
				continue
			}
		}
		h.at = k
		return
	}
	if emphasis {
		h.at = 0
	}
}

// tickBox returns the token after "[ ]" or "[x]" at token i, or 0.
func (l *lineReader) tickBox(i int) int {
	if l.punct(i+1) == ']' {
		return i + 2
	}
	if l.punct(i+2) == ']' && strings.EqualFold(l.text(i+1), "x") && l.info(i+1).object < 0 {
		return i + 3
	}
	return 0
}

// markup returns the token after a layout tag at token i, such as "<li>" and "</step>", or 0.
func (l *lineReader) markup(i int) int {
	if l.punct(i) != '<' {
		return 0
	}
	end := l.tagEnd(i)
	if end == 0 {
		return 0
	}
	if i++; l.punct(i) == '/' {
		i++
	}
	if markupTags[strings.ToLower(l.text(i))] && l.info(i).action < 0 {
		return end
	}
	return 0
}

// beginsStep reports whether a word with which a step can begin stands at token i, possibly behind signs.
func (l *lineReader) beginsStep(i int) bool {
	for range 3 {
		switch l.punct(i) {
		case '<':
			i = max(i, l.markup(i)-1)
		case '(', '[', '{', '"', '\'':
		default:
			i--
		}
		i++
	}
	return l.info(i).step || i < len(l.toks) && l.receiver(i) > 0 || l.info(i).class == classLead && l.stepAt(i, nil)
}

// circled returns the number in a circle, ①, at token i, or 0.
func (l *lineReader) circled(i int) int32 {
	if t := l.text(i); len(t) == 3 && t >= "①" && t <= "⑳" {
		return int32(t[2]-"①"[2]) + 1
	}
	return 0
}

// receivers are names that models give to whoever acts: robot.stack(a, b). Other words before a call may
// deny it, as in never.stack(a, b), or be an argument, as in a.stack(b).
var receivers = setOf("robot agent arm hand gripper crane self env environment world planner domain sim simulator state actions")

// receiver returns the token after "robot." in robot.stack(a, b), or 0.
func (l *lineReader) receiver(i int) int {
	if l.method(i) && l.info(i).object < 0 && receivers[strings.TrimRight(strings.ToLower(l.text(i)), "_0123456789")] {
		return i + 2
	}
	return 0
}

// method reports whether a word, a full stop and a call stand at token i: robot.stack(a, b).
func (l *lineReader) method(i int) bool {
	return l.punct(i+1) == '.' && l.toks[i].kind == tokWord && l.info(i+2).action >= 0 && l.calls(i+2) && l.toks[i].end+1 == l.toks[i+2].start
}
