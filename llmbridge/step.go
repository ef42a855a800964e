package llmbridge

import (
	"slices"
	"strings"
)

// lineReader reads the steps of one line at a time. It keeps its buffers, so
// that a response costs no allocation per line beyond the steps found.
type lineReader struct {
	r *lexicon
	// Rules for missing arguments; of the task, while r is of its names.
	infer    inferences
	inferred bool   // what was read depends on those rules
	line     string // cleaned
	toks     []token
	seen     lineBits // what the tokens are
	cells    bool     // a step was read whose arguments stand in cells of a table
	telling  bool     // the steps of the line are told: "first we ..., then we ..."
	out      []readStep
	args     []argument // room for arguments
	room     int
	match    [2]sentence      // room for sentences
	step     []byte           // the step that is being written
	texts    *strings.Builder // steps that were written, those handed out included
}

// readStep is a step as a line says it.
type readStep struct {
	text      string // "(stack a b)"; "" when malformed
	malformed bool
}

// parsed is the outcome of reading one step.
type parsed uint8

const (
	parsedNone parsed = iota // no step begins here
	parsedStep               // a step
	parsedBad                // begins as a step does, but names none
)

// found is one step with the token after it.
type found struct {
	name  string
	args  []argument
	end   int
	paren bool // an s-expression
	call  bool
}

// formal tells whether a step is written as computers do, not in words.
func (f *found) formal() bool { return f.paren || f.call }

// same tells whether two steps are the same.
func (f *found) same(g *found) bool {
	return f.name == g.name && slices.EqualFunc(f.args, g.args, func(a, b argument) bool { return a.object == b.object && a.object >= 0 })
}

// load cleans and splits a line.
func (l *lineReader) load(line string) { l.loadFrom(line, len(line)) }

// loadFrom cleans and splits the line that is the first size bytes of a text.
func (l *lineReader) loadFrom(text string, size int) {
	line := text[:size]
	if size < len(text) && byteClass[text[size]] >= classDash {
		text = line // cut within a word
	}
	toks, seen, ok := l.r.scanLine(text, size, l.toks[:0], rawTable)
	if !ok {
		line = cleanLine(line)
		toks, seen, _ = l.r.scanLine(line, len(line), toks[:0], cleanTable)
	}
	l.line, l.toks, l.seen = line, toks, seen
}

func (l *lineReader) punct(i int) byte {
	if i >= 0 && i < len(l.toks) && l.toks[i].kind == tokPunct {
		return l.toks[i].punct
	}
	return 0
}

// info returns what the word at token i stands for; the zero entry for none.
func (l *lineReader) info(i int) *wordInfo {
	if i >= 0 && i < len(l.toks) && l.toks[i].word >= 0 {
		return &l.r.info[l.toks[i].word]
	}
	return &noInfo
}

// bits says what info says in short, of another word than the article.
func (l *lineReader) bits(i int) lineBits {
	if w := l.toks[i].word; w >= 0 {
		return l.r.bits[w]
	}
	return 0
}

var noInfo = wordInfo{action: -1, object: -1, initial: -1}

func (l *lineReader) text(i int) string {
	return l.line[l.toks[i].start:l.toks[i].end]
}

// object reads an object phrase at token i: a name, with a noun before or after
// it, in brackets or quotes or not. It returns the token after it.
func (l *lineReader) object(i int) (argument, int, bool) {
	if i >= len(l.toks) {
		return argument{}, i, false
	}
	var closing byte
	switch l.punct(i) {
	case '(':
		closing = ')'
	case '[':
		closing = ']'
	case '{':
		closing = '}' // of LaTeX
	case '"', '\'', '<':
		closing = l.punct(i)
		if closing == '<' {
			closing = '>'
		}
	}
	if closing != 0 {
		a, end, ok := l.name(i + 1)
		if ok && l.punct(end) == closing {
			if w := l.info(end + 1); w.noun && w.object < 0 {
				end++ // the "red" block
			}
			return a, end + 1, true
		}
		return argument{}, i, false
	}
	return l.name(i)
}

// name reads an object phrase without brackets.
func (l *lineReader) name(i int) (argument, int, bool) {
	if i >= len(l.toks) || l.toks[i].kind == tokPunct {
		return argument{}, i, false
	}
	w := l.info(i)
	next := l.info(i + 1)
	if w.noun {
		// "object a", "package 0", "block red".
		if i+1 < len(l.toks) && l.line[l.toks[i+1].start] <= '9' && l.line[l.toks[i+1].start] >= '0' {
			if a, end, ok := l.numberedName(i); ok {
				return a, end, true
			}
		}
		if next.object >= 0 && !(next.noun && w.object >= 0) {
			return l.argument(next.object, i+1), i + 2, true
		}
		if w.object < 0 && i+1 < len(l.toks) && l.toks[i+1].kind != tokPunct && l.toks[i+1].word < 0 && l.toks[i+1].end-l.toks[i+1].start <= 2 {
			return l.argument(-1, i+1), i + 2, true // "object q": no such object
		}
	}
	if w.object >= 0 {
		// "a block" is any block, and so is "a clear block"; "a" is an object.
		if w.class == classLetter && next.object < 0 && (next.noun || next.fact && l.info(i+2).noun && l.info(i+2).object < 0) {
			return argument{}, i, false
		}
		end := i + 1
		if next.noun && next.object < 0 {
			end++ // "red block"
		}
		return l.argument(w.object, i), end, true
	}
	if l.toks[i].word < 0 && l.toks[i].kind == tokWord {
		// A name in the style of the domain, of an object it does not have.
		t := l.text(i)
		if k := strings.IndexByte(t, '_'); k > 0 && l.nounWord(t[:k]) && t[len(t)-1] >= '0' && t[len(t)-1] <= '9' {
			return l.argument(-1, i), i + 1, true
		}
		if next.noun && next.object < 0 && next.action < 0 {
			return l.argument(-1, i), i + 2, true // "the purple block"
		}
	}
	return argument{}, i, false
}

// formalName reads an object phrase where arguments follow each other: a word that is
// an object stands for it even if it is a noun too, so that (grasp cart x0) has two.
func (l *lineReader) formalName(i int) (argument, int, bool) {
	if w := l.info(i); w.noun && w.object >= 0 && l.info(i+1).object >= 0 {
		return l.argument(w.object, i), i + 1, true
	}
	return l.name(i)
}

// formalObject is formalName for phrases that may stand in brackets.
func (l *lineReader) formalObject(i int) (argument, int, bool) {
	if l.punct(i) == 0 {
		return l.formalName(i)
	}
	return l.object(i)
}

// numberedName reads "package 0" and "location 0-1".
func (l *lineReader) numberedName(i int) (argument, int, bool) {
	b := append(append(append(l.step[:0], l.text(i)...), '_'), l.text(i+1)...)
	for k := range b {
		if b[k] == '-' {
			b[k] = '_'
		}
	}
	l.step = b
	name := string(b)
	w := l.r.lookup(name)
	if w < 0 || l.r.info[w].object < 0 {
		return argument{}, i, false
	}
	return argument{l.r.info[w].object, l.toks[i].start, l.toks[i+1].end}, i + 2, true
}

func (l *lineReader) nounWord(s string) bool {
	w := l.r.lookup(s)
	return w >= 0 && l.r.info[w].noun
}

func (l *lineReader) argument(object int32, tok int) argument {
	return argument{object, l.toks[tok].start, l.toks[tok].end}
}

// one reads the step that begins at token i. The word "it" stands for the object
// given, if one is.
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
	if action >= 0 && l.punct(argsAt) == '}' && l.punct(i-1) == '{' {
		argsAt++ // \text{stack}(a, b)
	}
	if s := l.matchSentence(i, it); s != nil {
		if f, ok := l.complete(s); ok && (action < 0 || s.end > argsAt) {
			return f, parsedStep
		}
	}
	if action < 0 {
		if l.beginsSentence(i) {
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
			f := found{name: l.r.actions[action].name, args: l.newArgs(), call: true}
			if end, ok := l.arguments(&f, argsAt, ']'); ok {
				f.end = end
				if q := l.punct(end + 2); l.punct(end) == ',' && l.punct(end+1) == 0 && (q == ',' || q == ']') && l.info(end+1).class != classLead {
					return f, parsedBad // ['stack', 'a', 'b'], None, [...]
				}
				return f, parsedStep // ['stack', 'a', 'b']
			}
		}
	}
	if l.wordAt(argsAt, l.r.phrases.action) && argsAt+1 < len(l.toks) && l.toks[argsAt+1].kind == tokWord {
		if l.info(argsAt+1).class == classJoin || l.wordAt(argsAt+1, l.r.phrases.by) {
			if f, status := l.sequence(action, argsAt+2, true); status == parsedStep {
				return f, status // "the feast action with b from a"
			}
		}
		return found{}, parsedNone // "the feast action reverses this"
	}
	return l.sequence(action, argsAt, l.info(i-1).class == classDo || l.info(i-1).class == classLabel)
}

// wordAt tells whether token i is a word of the vocabulary.
func (l *lineReader) wordAt(i int, word int32) bool {
	return i < len(l.toks) && l.toks[i].word == word
}

// actionName reads an action's name at token i, of one word or several.
func (l *lineReader) actionName(i int) (action int32, end int) {
	action, end = l.info(i).action, i+1
	n := l.r.root
	for k := i; k < len(l.toks) && l.toks[k].word >= 0; k++ {
		next := n.find(l.toks[k].word)
		if next == nil {
			break
		}
		n = next
		if n.head >= 0 {
			action, end = n.head, k+1
		}
	}
	return action, end
}

// beginsSentence tells whether some sentence begins with the word at token i.
func (l *lineReader) beginsSentence(i int) bool {
	return l.info(i).sentence
}

// complete turns a matched sentence into a step, filling what the templates
// infer.
func (l *lineReader) complete(s *sentence) (found, bool) {
	a := &l.r.actions[s.action]
	f := found{name: a.name, end: s.end, args: l.newArgs()}
	for k := 0; k < a.arity && k < len(s.args); k++ {
		if s.filled&(1<<k) != 0 {
			f.args = append(f.args, s.args[k])
			continue
		}
		l.inferred = true
		inf := l.infer.find(s.action, k)
		if inf == nil || s.filled&(1<<inf.from) == 0 || s.args[inf.from].object < 0 {
			return f, false
		}
		val := inf.values[l.r.objects[s.args[inf.from].object].name]
		if val == "" {
			return f, false
		}
		f.args = append(f.args, argument{object: l.r.info[l.r.lookup(val)].object})
	}
	return f, true
}

// plainStep reads a line that is nothing but one step in PDDL, from token i: an action
// and objects, all of them by names that mean nothing else. It reads what readSteps
// reads, and most lines of compact answers.
func (l *lineReader) plainStep(i int) (res lineResult, ok bool) {
	end := len(l.toks)
	if i+2 >= end || l.toks[i].punct != '(' || l.toks[end-1].punct != ')' || end-i-3 > maxArgs || len(l.r.root.slots) > 0 {
		return res, false
	}
	w := l.info(i + 1)
	if w.action < 0 || w.sentence {
		return res, false
	}
	f := found{name: l.r.actions[w.action].name, args: l.newArgs()}
	for k := i + 2; k < end-1; k++ {
		w := l.info(k)
		if w.object < 0 || w.noun {
			return res, false
		}
		f.args = append(f.args, l.argument(w.object, k))
	}
	l.out = append(l.out[:0], readStep{text: l.format(&f)})
	return lineResult{steps: 1, end: end, verb: true, formal: true}, true
}

// parenthesised reads "(stack a b)" and "(stack the red block on the blue one)".
func (l *lineReader) parenthesised(i int) (found, parsed) {
	for q := l.punct(i + 1); q == '"' || q == '\''; q = 0 {
		i++ // ('stack', 'a', 'b')
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
	f := found{paren: true, args: l.newArgs()}
	if action >= 0 {
		f.name = l.r.actions[action].name
	} else {
		if w := l.info(i + 1); w.fact || w.class == classNo || w.class == classLead || l.measures(i+1) {
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
	case ok && l.plainArguments(i+2, end-1) && l.endsStep(end):
		return f, parsedStep // no such action: the judge says so
	}
	return f, parsedNone
}

// endsStep tells whether what stands at token i leaves a group in parentheses
// before it alone: signs up to the end of the line, another group, a comment.
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

// plainArguments tells whether the tokens in between are all words.
func (l *lineReader) plainArguments(i, end int) bool {
	for ; i < end; i++ {
		if l.toks[i].kind == tokPunct {
			return false
		}
	}
	return true
}

// call reads the arguments of "stack(a, b)", and of "stack(a) on (b)".
func (l *lineReader) call(action int32, open int, closing byte) (found, parsed) {
	a := &l.r.actions[action]
	f := found{name: a.name, args: l.newArgs(), call: true}
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

// initial returns the object that a capital letter at token i stands for: R is the red
// block in "Stack(R, B)", and r in "stack(r, b)" a name. It returns -1 for none.
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

// arguments reads arguments up to the closing bracket and returns the token after
// it. Names that are no object's stay as they are.
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

// sequence reads the arguments of "stack a b", which go on as long as names do.
// After "perform", they may be joined by words: "perform stack on a and b".
func (l *lineReader) sequence(action int32, i int, joined bool) (found, parsed) {
	a := &l.r.actions[action]
	f := found{name: a.name, args: l.newArgs()}
	cells := false // the arguments stand in cells of their own
	for len(f.args) < maxArgs {
		k := i
		if len(f.args) > 0 && l.punct(k) == ',' || len(f.args) == 0 && l.punct(k) == ':' {
			k++
		} else if l.punct(k) == '|' && (cells || len(f.args) == 0) && len(f.args) < a.arity && l.cell(k) {
			cells = true
			k++
		}
		for joined && len(f.args) < a.arity && (l.info(k).class == classJoin || len(f.args) > 0 && k < len(l.toks) && l.toks[k].word == l.r.phrases.and) {
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
	// A word that is no name stands where a name should: it stays as written.
	for len(f.args) < a.arity && len(f.args) > 0 && i < len(l.toks) && l.toks[i].kind != tokPunct && l.toks[i].word < 0 {
		f.args = append(f.args, l.argument(-1, i))
		i++
	}
	f.end = i
	if cells {
		if l.cells = true; l.cell(i) {
			return f, parsedBad // more objects than it takes
		}
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

// wordsFrom tells whether words go on at token i, after "and" and the like.
func (l *lineReader) wordsFrom(i int) bool {
	for ; i < len(l.toks); i++ {
		if l.toks[i].kind == tokPunct {
			switch l.punct(i) {
			case '(', '[', '#', ';':
				return false // a remark
			}
			continue
		}
		k, _ := l.skipLeads(i, false)
		return l.info(k).action < 0
	}
	return false
}

// newArgs returns room for the arguments of one step. Steps are read one after
// the other and at most one is looked at ahead, so two rooms would do; a few more
// cost nothing.
func (l *lineReader) newArgs() []argument {
	const rooms = 4
	if l.args == nil {
		l.args = make([]argument, rooms*maxArgs)
	}
	l.room = (l.room + 1) % rooms
	return l.args[l.room*maxArgs : l.room*maxArgs : (l.room+1)*maxArgs]
}

// format writes a step in PDDL.
func (l *lineReader) format(f *found) string {
	b := append(l.step[:0], '(')
	b = append(b, f.name...)
	for _, a := range f.args {
		b = append(b, ' ')
		if a.object >= 0 {
			b = append(b, l.r.objects[a.object].name...)
		} else {
			b = append(b, strings.ToLower(l.line[a.start:a.end])...)
		}
	}
	l.step = append(b, ')')
	return l.keep(l.step)
}

// stepRoom is the size of the pieces of memory that steps are written to, many steps to
// one of them.
const stepRoom = 1 << 10

// keep returns a string with the given bytes.
func (l *lineReader) keep(b []byte) string {
	if l.texts == nil || l.texts.Cap()-l.texts.Len() < len(b) {
		l.texts = new(strings.Builder)
		l.texts.Grow(max(stepRoom, len(b)))
	}
	at := l.texts.Len()
	l.texts.Write(b)
	return l.texts.String()[at:]
}
