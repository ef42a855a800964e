package extract

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

// text returns what token i shows, nothing if there is none.
func (l *lineReader) text(i int) string {
	if i < 0 || i >= len(l.toks) {
		return ""
	}
	return l.line[l.toks[i].start:l.toks[i].end]
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
