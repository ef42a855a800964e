package extract

import (
	"slices"
	"strings"
)

// parenthesised reads "(stack a b)" and "(stack the red block on the blue one)".
func (l *lineReader) parenthesised(i int) (found, parsed) {
	for q := l.punct(i + 1); q == '"' || q == '\''; q = 0 {
		i++ // ('stack', 'a', 'b')
	}
	if w := l.info(i + 2); l.punct(i+1) == ':' && w.class == classLabel && w.action < 0 {
		i += 2 // (:action stack a b)
	}
	if i+1 >= len(l.toks) || l.toks[i+1].kind != tokWord && l.info(i+1).action < 0 {
		return found{}, parsedNone
	}
	if s := l.matchSentence(i+1, nil); s != nil && l.punct(s.end) == ')' {
		if f, ok := l.complete(s); ok {
			f.end, f.paren = s.end+1, true
			return f, parsedStep
		}
	}
	action, at := l.actionName(i + 1)
	if action >= 0 && l.punct(at) == '(' { // (stack(a, b))
		f, status := l.call(action, at, ')')
		if status == parsedStep && l.punct(f.end) != ')' {
			status = parsedBad
		}
		f.end, f.paren = f.end+1, true
		return f, status
	}
	f := found{action: action, paren: true, args: l.newArgs()}
	if action >= 0 {
		f.name = l.r.actions[action].name
	} else {
		if w := l.info(i + 1); w.fact || w.class == classNo || w.class == classLead || w.class == classJoin || w.says() != 0 || l.measures(i+1) {
			return f, parsedNone
		}
		if w := l.info(i + 1); w.role == roleCommit && l.wrapper(i-2) {
			return f, parsedNone // (define (plan p)
		}
		if l.toldGroup(i) {
			return f, parsedNone
		}
		f.name = strings.ToLower(l.text(i + 1))
	}
	end, ok := 0, false
	if action >= 0 && l.givesName(at) {
		end, ok = l.named(&f, action, at)
	}
	if !ok {
		end, ok = l.arguments(&f, at, ')')
	}
	f.end = end
	switch {
	case action >= 0 && ok:
		return f, parsedStep
	case action >= 0:
		return f, parsedBad
	case ok && !slices.ContainsFunc(l.toks[i+2:end-1], isSign) && l.endsStep(end):
		return f, parsedStep // no such action: the judge says so
	}
	return f, parsedNone
}

// endsStep reports whether a group in parentheses may end before token i: only signs follow up to the end
// of the line, to another group or to a comment.
func (l *lineReader) endsStep(i int) bool {
	for ; i < len(l.toks); i++ {
		switch l.punct(i) {
		case '(', ';':
			return true
		case '.', ',', ')', ']', '}', '"', '\'', '>', '|', '-':
		default:
			return false
		}
	}
	return true
}

// call reads the arguments of "stack(a, b)" and "stack(a) on (b)".
func (l *lineReader) call(action int32, open int, closing byte) (found, parsed) {
	if w := l.info(open + 1); w.action == action && w.object < 0 && closing == ')' {
		return l.parenthesised(open) // "Fill the kettle (fill-kettle kettle1)"
	}
	a := &l.r.actions[action]
	f := found{action: action, name: a.name, args: l.newArgs(), call: true}
	end, ok := 0, false
	if l.givesName(open + 1) {
		end, ok = l.named(&f, action, open+1)
	}
	if !ok {
		end, ok = l.arguments(&f, open+1, closing)
	}
	if !ok {
		return f, parsedBad
	}
	for len(f.args) < a.arity {
		k := end
		for l.info(k).class == classJoin {
			k++
		}
		arg, next, ok := l.object(k)
		if !ok {
			break
		}
		f.args, end = append(f.args, arg), next
	}
	f.end = end
	if len(f.args) == 0 && a.arity > 0 {
		return f, parsedBad
	}
	return f, parsedStep
}

// initial returns the object that a capital letter at token i stands for, or -1. In "Stack(R, B)" R is
// the red block; in "stack(r, b)" r is a name.
func (l *lineReader) initial(i int) int32 {
	w := l.info(i)
	if w.initial < 0 || w.object >= 0 || l.toks[i].end-l.toks[i].start != 1 {
		return -1
	}
	if c := l.line[l.toks[i].start]; c < 'A' || c > 'Z' {
		return -1
	}
	return w.initial
}

// arguments reads arguments up to the closing bracket and returns the token after it. Names without an
// object stay as they are.
func (l *lineReader) arguments(f *found, i int, closing byte) (int, bool) {
	for i < len(l.toks) {
		t := &l.toks[i]
		if t.kind == tokPunct {
			switch t.punct {
			case closing:
				return i + 1, true
			case ',', '"', '\'', '[', ']', '{', '}':
				i++
				continue
			case '?': // a variable is no object: it stays as written
				if i+1 < len(l.toks) && l.toks[i+1].kind != tokPunct && len(f.args) < maxArgs {
					f.args = append(f.args, argument{-1, t.start, l.toks[i+1].end})
					i += 2
					continue
				}
			}
			return i, false
		}
		if len(f.args) == maxArgs {
			return i, false
		}
		if arg, end, ok := l.formalName(i); ok {
			f.args = append(f.args, arg)
			i = end
			continue
		}
		w := l.info(i)
		if w.object < 0 && (w.class == classJoin || w.noun) {
			i++
			continue
		}
		object := int32(-1)
		if f.call {
			object = l.initial(i)
		}
		f.args = append(f.args, l.argument(object, i))
		i++
	}
	return i, false
}

// sequence reads the arguments of "stack a b", as long as names follow. If joined is set, as after
// "perform", words may join them: "perform stack on a and b".
func (l *lineReader) sequence(action int32, i int, joined bool) (found, parsed) {
	a := &l.r.actions[action]
	f := found{action: action, name: a.name, args: l.newArgs()}
	start, cells := i, false // the arguments stand in cells of their own
	if !a.told && (l.says(i, "with") || l.says(i, "from") && slices.Index(a.params, "from") <= 0) && l.objectAt(i+1) && a.arity > 1 && a.params[0] != "to" {
		i++ // "sail from harbor to island", "sample with rover1 at wp1"
	}
	for len(f.args) < maxArgs {
		k := i
		if len(f.args) > 0 && l.punct(k) == ',' || len(f.args) == 0 && l.punct(k) == ':' {
			k++
		} else if next := l.cell(k); next > 0 && (cells || len(f.args) == 0) && len(f.args) < a.arity {
			cells = true
			k = next
		}
		if len(f.args) > 0 && len(f.args) < a.arity && l.arrow(k) > 0 {
			k = l.arrow(k) // move 1 -> 2
		}
		if len(f.args) == a.arity && l.numberAhead(k) && (l.punct(k+1) == ')' || l.punct(k+1) == '.') && l.beginsStep(k+2) {
			break // 1) move 1 2 2) move 2 3
		}
		for (joined || !a.told && len(f.args) > 0) && len(f.args) < a.arity && (l.info(k).class == classJoin || len(f.args) > 0 && k < len(l.toks) && l.toks[k].word == wordAnd) {
			k++
		}
		arg, end, ok := l.formalObject(k)
		if o := l.initial(k); !ok && o >= 0 {
			arg, end, ok = l.argument(o, k), k+1, true
		}
		if !ok {
			break
		}
		f.args, i = append(f.args, arg), end
	}
	// An unknown word in the place of a name stays as written.
	for len(f.args) < a.arity && len(f.args) > 0 && i < len(l.toks) && l.toks[i].kind != tokPunct && l.toks[i].word < 0 {
		f.args = append(f.args, l.argument(-1, i))
		i++
	}
	f.end = i
	if cells || a.arity == 0 && l.punct(i) == '|' {
		l.spans(start, i)
	}
	switch {
	case a.arity == 0 && l.wordsFrom(i):
		return f, parsedBad // "Wait, that is wrong" is not the action wait
	case len(f.args) == a.arity:
		return f, parsedStep
	case len(f.args) > 0 && i == len(l.toks):
		return f, parsedStep // the wrong number of arguments stays wrong
	}
	return f, parsedBad
}

// arrow returns the token after an arrow at token i, or 0.
func (l *lineReader) arrow(i int) int {
	for l.punct(i) == '-' {
		i++
	}
	if l.punct(i) == '>' {
		return i + 1
	}
	return 0
}

// wordsFrom reports whether further words, that do not lead to another step, follow at token i. Behind a number, a
// bullet, a label or other steps they may be a remark.
func (l *lineReader) wordsFrom(i int) bool {
	for ; i < len(l.toks); i++ {
		if l.toks[i].kind == tokPunct {
			switch p := l.punct(i); {
			case p == '(', p == '[', p == '#', p == ';', p == '|' && l.punct(0) == '|':
				return false // a remark
			case (l.itemised || l.behind) && (p == ',' || p == ':' || p == '-' || p == '/' || p == '.' || p == '!'):
				return false
			}
			continue
		}
		w := l.info(i)
		if (l.itemised || l.behind) && (w.class == classSub || l.wordAt(i, wordSo) || l.wordAt(i, wordTo) || w.class == classLead && i+1 == len(l.toks)) {
			return false
		}
		k, _ := l.skipLeads(i, false)
		action, _ := l.actionName(k)
		return action < 0
	}
	return false
}
