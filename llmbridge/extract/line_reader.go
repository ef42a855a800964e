package extract

import (
	"encoding/binary"
	"slices"
	"strings"
)

// lineReader reads the steps of one line at a time. It reuses its buffers, so that a line costs no
// allocation beyond the steps found.
type lineReader struct {
	r *lexicon
	// infer has the rules for missing arguments. They depend on the task, r only on its names.
	infer    inferences
	inferred bool   // the result depends on infer
	line     string // cleaned
	toks     []token
	untagged []token // buffer of untag
	tags     lineTags
	seen     lineBits   // what the tokens can stand for
	cells    cellSpan   // of a step with arguments in the cells of a table
	subject  bool       // the line has a subject, "the robot stacks ...", and its verbs are in the third person
	gerunds  bool       // the line tells its steps by gerunds: "picking up b"
	itemised bool       // the line has a number or a bullet
	behind   bool       // a step was read on the line
	telling  bool       // the line talks about its steps: "first we ..., then we ..."
	out      []string   // the steps of the line in PDDL, "" for a malformed one
	args     []argument // buffer for arguments, see newArgs
	room     int
	match    [2]sentence      // buffer of matchSentence
	matched  int              // the token + 1 of the match in it, 0 for none
	step     []byte           // buffer of numberedName and format
	texts    *strings.Builder // the text of the last steps
}

// parsed is the outcome of reading one step.
type parsed uint8

const (
	parsedNone parsed = iota // no step begins here
	parsedStep               // a step
	parsedBad                // begins like a step but names none
)

// found is one step with the token after it.
type found struct {
	action int32 // -1: none of the domain's
	name   string
	args   []argument
	end    int
	paren  bool // an s-expression
	call   bool
}

// formal reports whether a step is in formal notation, (stack a b) or stack(a, b), not in words.
func (f *found) formal() bool { return f.paren || f.call }

// uses reports whether an object is among a step's arguments.
func (f *found) uses(a argument) bool {
	return slices.ContainsFunc(f.args, func(b argument) bool { return a.object == b.object })
}

// same reports whether two steps have the same action and the same known objects.
func (f *found) same(g *found) bool {
	return f.name == g.name && slices.EqualFunc(f.args, g.args, func(a, b argument) bool { return a.object == b.object && a.object >= 0 })
}

func (l *lineReader) punct(i int) byte {
	if uint(i) < uint(len(l.toks)) {
		return l.toks[i].punct // 0 for words
	}
	return 0
}

func isSign(t token) bool { return t.kind == tokPunct }

// info returns what the word at token i stands for, noInfo if it is no word of the vocabulary.
func (l *lineReader) info(i int) *wordInfo {
	if uint(i) < uint(len(l.toks)) {
		if w := uint(l.toks[i].word); w < uint(len(l.r.info)) { // not -1
			return &l.r.info[w]
		}
	}
	return &noInfo
}

// any reports whether a word of the vocabulary from token i to end is such a one.
func (l *lineReader) any(i, end int, such func(w *wordInfo) bool) bool {
	toks := l.toks[min(i, end):end]
	for k := range toks {
		if w := toks[k].word; w >= 0 && such(&l.r.info[w]) {
			return true
		}
	}
	return false
}

var noInfo = wordInfo{action: -1, object: -1, initial: -1}

// text returns the text of token i, "" if there is no such token.
func (l *lineReader) text(i int) string {
	if i < 0 || i >= len(l.toks) {
		return ""
	}
	return l.line[l.toks[i].start:l.toks[i].end]
}

// says reports whether token i is a word, given in lower case, in any case.
func (l *lineReader) says(i int, word string) bool {
	return uint(i) < uint(len(l.toks)) && int(l.toks[i].end-l.toks[i].start) == len(word) && equalLower(word, l.text(i))
}

// in reports whether token i is a word of a set, in any case.
func (l *lineReader) in(i int, set *wordSet) bool {
	if uint(i) >= uint(len(l.toks)) || l.toks[i].bits&set.bit != set.bit {
		return false
	}
	return set.fold(l.line[l.toks[i].start:l.toks[i].end])
}

// one reads the step that begins at token i. If it is not nil, the word "it" stands for that object.
func (l *lineReader) one(i int, it *argument) (found, parsed) {
	if i >= len(l.toks) {
		return found{}, parsedNone
	}
	if l.punct(i) == '(' {
		return l.parenthesised(i)
	}
	if l.toks[i].kind == tokPunct {
		return found{}, parsedNone
	}
	action, argsAt := l.actionName(i)
	if s := l.matchSentence(i, it); s != nil {
		if f, ok := l.complete(s); ok && (action < 0 || s.end > argsAt) {
			return f, parsedStep
		}
	}
	if action < 0 {
		if l.info(i).sentence {
			return found{}, parsedBad
		}
		return found{}, parsedNone
	}
	switch q := l.punct(argsAt); q {
	case '(':
		if l.r.actions[action].arity > 0 || l.toks[argsAt].start == l.toks[argsAt-1].end {
			return l.call(action, argsAt, ')')
		}
	case '[':
		if l.r.actions[action].arity > 1 {
			if f, status := l.call(action, argsAt, ']'); status == parsedStep {
				if _, end, ok := l.name(f.end + 1); ok && l.punct(f.end) == '[' && (l.punct(end) == ']' || l.punct(end) == ',') {
					return f, parsedBad // stack [a, b] [c]
				}
				return f, status // stack [a, b]
			}
		}
	case '"', '\'':
		if l.punct(i-1) == q && l.punct(i-2) == '[' {
			f := found{action: action, name: l.r.actions[action].name, args: l.newArgs(), call: true}
			if end, ok := l.arguments(&f, argsAt, ']'); ok {
				f.end = end
				if q := l.punct(end + 2); l.punct(end) == ',' && l.punct(end+1) == 0 && (q == ',' || q == ']') && l.info(end+1).class != classLead {
					return f, parsedBad // ['stack', 'a', 'b'], None, [...]
				}
				return f, parsedStep // ['stack', 'a', 'b']
			}
		}
	}
	if l.wordAt(argsAt, wordAction) && argsAt+1 < len(l.toks) && l.toks[argsAt+1].kind == tokWord {
		if l.info(argsAt+1).class == classJoin || l.wordAt(argsAt+1, wordBy) {
			if f, status := l.sequence(action, argsAt+2, true); status == parsedStep {
				return f, status // "the feast action with b from a"
			}
		}
		return found{}, parsedNone // "the feast action reverses this"
	}
	return l.sequence(action, argsAt, l.info(i-1).class == classDo || l.info(i-1).class == classLabel)
}

// wordAt reports whether token i is the given word of the vocabulary.
func (l *lineReader) wordAt(i int, word int32) bool {
	return uint(i) < uint(len(l.toks)) && l.toks[i].word == word
}

// actionName reads an action's name of one or several words at token i. It returns the action, or -1,
// and the token after the name.
func (l *lineReader) actionName(i int) (action int32, end int) {
	if names := l.r.names; i < len(l.toks) && names.mask>>(l.toks[i].word&63)&1 != 0 { // few words begin such a name
		if action, end = l.longest(names, i); action >= 0 {
			return action, end
		}
	}
	return l.info(i).action, i + 1
}

// complete turns a matched sentence into a step and fills in the arguments that the templates infer.
func (l *lineReader) complete(s *sentence) (found, bool) {
	a := &l.r.actions[s.action]
	f := found{action: s.action, name: a.name, end: s.end, args: l.newArgs()}
	for k := 0; k < a.arity && k < len(s.args); k++ {
		if s.filled&(1<<k) != 0 {
			f.args = append(f.args, s.args[k])
			continue
		}
		l.inferred = true
		if l.infer == nil || l.infer[s.action] == nil {
			return f, false
		}
		inf := &l.infer[s.action][k]
		if inf.values == nil || s.filled&(1<<inf.from) == 0 || s.args[inf.from].object < 0 {
			return f, false
		}
		val := inf.values[s.args[inf.from].object]
		if val < 0 {
			return f, false
		}
		f.args = append(f.args, argument{object: val})
	}
	return f, true
}

// newArgs returns a buffer for the arguments of one step. At most one step is read ahead, so two buffers
// would do; a few more cost nothing.
func (l *lineReader) newArgs() []argument {
	const rooms = 4
	if l.args == nil {
		l.args = make([]argument, rooms*maxArgs)
	}
	l.room = (l.room + 1) % rooms
	return l.args[l.room*maxArgs : l.room*maxArgs : (l.room+1)*maxArgs]
}

// unknownName adds a name that no object has to a step, which needs as much room again. It returns the step's length too.
func (l *lineReader) unknownName(step []byte, a *argument, room int) ([]byte, int) {
	step = append(step, strings.ToLower(l.line[a.start:a.end])...)
	n := len(step)
	return slices.Grow(step, room)[:n+room], n
}

// stepRoom is the size of the blocks that hold the text of many steps.
const stepRoom = 1 << 10

// format writes a step in PDDL.
func (l *lineReader) format(f *found) string {
	room := len("()") + len(f.name) + len(f.args)*(l.r.longestName+1) + 8
	step := slices.Grow(l.step[:0], room)[:room]
	step[0] = '('
	n := 1 + copy(step[1:], f.name)
	for i := range f.args {
		step[n] = ' '
		n++
		a := &f.args[i]
		if a.object < 0 { // few
			step, n = l.unknownName(step[:n], a, room)
			continue
		}
		name := &l.r.objects[a.object]
		if binary.LittleEndian.PutUint64(step[n:], name.first); len(name.name) > 8 { // few names
			copy(step[n:], name.name)
		}
		n += len(name.name)
	}
	step[n] = ')'
	l.step = step[:n+1]
	b := l.texts
	if b == nil || b.Cap()-b.Len() <= n {
		b = new(strings.Builder)
		b.Grow(max(stepRoom, n+1))
		l.texts = b
	}
	at := b.Len()
	b.Write(l.step)
	return b.String()[at:]
}
