package extract

import (
	"strings"

	"github.com/planproof/planproof/internal/pattern"
)

// patternNode is a node in the trie of all sentences of the templates. A path from the root is a sentence
// of words and slots, without articles, which are left out of the text too. Matching follows all paths
// that fit and keeps the longest, so its work is bounded by the depth of the trie.
type patternNode struct {
	words []wordEdge
	mask  uint64 // of words, a bit each for the last six bits of its number
	slots []slotEdge
	done  int32          // what ends here stands for, an action for instance; or -1
	table []*patternNode // by word, of a root with many words; see index
}

type wordEdge struct {
	word int32
	next *patternNode
}

type slotEdge struct {
	class int32 // a noun that must fit the object, -1 for any object
	arg   int8  // the argument that it fills, or -1
	next  *patternNode
}

func newPattern() *patternNode { return &patternNode{done: -1} }

func (n *patternNode) word(w int32) *patternNode {
	if next := n.find(w); next != nil {
		return next
	}
	next := newPattern()
	n.words = append(n.words, wordEdge{w, next})
	n.mask |= 1 << (w & 63)
	return next
}

// find returns the node that a word leads to, or nil.
func (n *patternNode) find(w int32) *patternNode {
	if n.mask&(1<<(w&63)) == 0 {
		return nil // most words end a pattern
	}
	return n.among(w)
}

// among is find for a word that may lead on.
func (n *patternNode) among(w int32) *patternNode {
	if n.table != nil {
		if uint(w) < uint(len(n.table)) {
			return n.table[w]
		}
		return nil
	}
	for i := range n.words {
		if n.words[i].word == w {
			return n.words[i].next
		}
	}
	return nil
}

// index makes the table of a root; count is the number of all words. No word may be added at the root later.
func (n *patternNode) index(count int) {
	n.table = make([]*patternNode, count)
	for _, e := range n.words {
		n.table[e.word] = e.next
	}
}

// longest returns what the longest path of a trie at token i stands for, -1 for none, and the token after it.
func (l *lineReader) longest(n *patternNode, i int) (done int32, end int) {
	for done, end = -1, i; n != nil; i++ {
		if n.done >= 0 {
			done, end = n.done, i
		}
		if i >= len(l.toks) || l.toks[i].word < 0 {
			break
		}
		n = n.find(l.toks[i].word)
	}
	return done, end
}

// leadsOn reports whether a path may end at a node or go on at token i. It is false of most.
func (l *lineReader) leadsOn(n *patternNode, i int) bool {
	return n.done >= 0 || i < len(l.toks) && n.mask>>(l.toks[i].word&63)&1 != 0
}

// ends calls a function with each word at the end of a path.
func (n *patternNode) ends(f func(word int32)) {
	for _, e := range n.words {
		if e.next.done >= 0 {
			f(e.word)
		}
		e.next.ends(f)
	}
}

func (n *patternNode) slot(class int32, arg int8) *patternNode {
	for i := range n.slots {
		if n.slots[i].class == class && n.slots[i].arg == arg {
			return n.slots[i].next
		}
	}
	next := newPattern()
	n.slots = append(n.slots, slotEdge{class, arg, next})
	return next
}

// addPattern adds a sentence of an action, in the notation of domains.Templates. If two sentences have the
// same words, the first one added wins.
func (r *lexicon) addPattern(text string, action int32) { r.addPhrase(r.root, text, action) }

// addPhrase adds a pattern below a node of a trie; done is what its ends stand for.
func (r *lexicon) addPhrase(root *patternNode, text string, done int32) {
	for _, n := range r.addParts([]*patternNode{root}, text) {
		if n.done < 0 {
			n.done = done
		}
	}
}

// patternPart is a word or a slot of a pattern.
var patternPart = pattern.New(`^(?:[^ ,{\[(]+|\{[^}]*\})`)

// addParts extends the paths that end in the given nodes by a pattern: words, slots "{0:class}", "(a|b)" for one of
// several, and "[a|b]" for one of several or none. It returns their new ends, each once.
func (r *lexicon) addParts(from []*patternNode, text string) []*patternNode {
	for text = strings.TrimLeft(text, " ,"); text != ""; text = strings.TrimLeft(text, " ,") {
		var to []*patternNode
		switch text[0] {
		case '[', '(':
			if text[0] == '[' {
				to = append(to, from...)
			}
			start, depth := 1, 0
			for i := range len(text) {
				switch text[i] {
				case '[', '(':
					depth++
				case ']', ')':
					depth--
				}
				if depth == 0 || depth == 1 && text[i] == '|' {
					to = append(to, r.addParts(from, text[start:i])...)
					start = i + 1
				}
				if depth == 0 {
					break
				}
			}
			text = text[start:]
		case '{':
			part := patternPart.FindString(text)
			text = text[len(part):]
			slot, class, _ := strings.Cut(strings.Trim(part, "{=}"), ":")
			arg, c := int8(-1), int32(-1)
			if slot != "_" {
				arg = int8(slot[0] - '0')
			}
			if class != "" {
				c = r.intern(class)
			}
			for _, n := range from {
				to = append(to, n.slot(c, arg))
			}
		default:
			part := patternPart.FindString(text)
			text = text[len(part):]
			w := r.intern(strings.ToLower(part))
			if r.info[w].class == classArticle {
				continue // text loses its articles too
			}
			for _, n := range from {
				to = append(to, n.word(w))
			}
		}
		from = distinct(to)
	}
	return from
}

// distinct returns each node once. A phrase with choices has hundreds.
func distinct(nodes []*patternNode) (once []*patternNode) {
	seen := make(map[*patternNode]bool, len(nodes))
	for _, n := range nodes {
		if !seen[n] {
			seen[n] = true
			once = append(once, n)
		}
	}
	return once
}

// maxArgs bounds the arguments of a step; a step with more is malformed.
const maxArgs = 64

// argument is an object phrase on a line.
type argument struct {
	object     int32 // -1: not one of the problem's objects
	start, end int32 // bytes of the name in the cleaned line
}

// sentence is a match in the trie.
type sentence struct {
	action int32
	end    int // token after it
	args   [10]argument
	filled uint16 // bit per argument
}

// matchSentence returns the longest sentence that begins at token i, or nil. It is valid until the next
// call.
func (l *lineReader) matchSentence(i int, it *argument) *sentence {
	if len(l.r.root.slots) == 0 && !l.info(i).sentence {
		return nil // true of most lines
	}
	cur, best := &l.match[0], &l.match[1]
	if it == nil && l.matched == i+1 { // as it was found before
		if best.action < 0 {
			return nil
		}
		return best
	}
	if l.matched = 0; it == nil {
		l.matched = i + 1
	}
	cur.filled = 0
	best.action, best.end, best.filled = -1, 0, 0
	l.follow(l.r.root, i, it, cur, best)
	if best.action < 0 {
		return nil
	}
	return best
}

func (l *lineReader) follow(n *patternNode, i int, it *argument, cur, best *sentence) {
	for {
		if n.done >= 0 && i > best.end {
			*best = *cur
			best.action, best.end = n.done, i
		}
		if i >= len(l.toks) {
			return
		}
		next := n.find(l.toks[i].word)
		if next == nil {
			break
		}
		if len(n.slots) > 0 || l.info(i).class == classAdverb {
			l.follow(next, i+1, it, cur, best)
			break
		}
		n, i = next, i+1 // as at most words: there is no other way on
	}
	// One adverb, or one remark, may stand between the words of a sentence.
	if l.info(i).class == classAdverb && n != l.r.root && l.info(i-1).class != classAdverb {
		l.follow(n, i+1, it, cur, best)
	}
	if len(n.slots) == 0 {
		if cur.filled != 0 && len(n.words) > 0 && l.punct(i) == '(' && l.punct(i-1) != ')' {
			// A remark inside the sentence: a word of the sentence must follow it.
			if k := l.closingOf(i); k > 0 && k < len(l.toks) && l.toks[k].word >= 0 {
				if next := n.find(l.toks[k].word); next != nil {
					l.follow(next, k+1, it, cur, best)
				}
			}
		}
		return
	}
	arg, end, ok := l.object(i)
	if !ok && it != nil && l.info(i).class == classIt {
		arg, end, ok = *it, i+1, true // "and stack it on ..."
	}
	if w := l.info(i); !ok && w.initial >= 0 {
		arg, end, ok = l.argument(w.initial, i), i+1, true
	}
	if !ok {
		return
	}
	for k := range n.slots {
		s := &n.slots[k]
		if s.class >= 0 && !l.goesBy(arg, s.class) {
			continue
		}
		if s.arg < 0 {
			l.follow(s.next, end, it, cur, best)
			continue
		}
		before, filled := cur.args[s.arg], cur.filled
		cur.args[s.arg] = arg
		cur.filled |= 1 << s.arg
		l.follow(s.next, end, it, cur, best)
		cur.args[s.arg], cur.filled = before, filled
	}
}

// goesBy reports whether a noun fits an object.
func (l *lineReader) goesBy(a argument, class int32) bool {
	if a.object >= 0 {
		for _, c := range l.r.objects[a.object].classes {
			if c == class {
				return true
			}
		}
		return false
	}
	noun, _, _ := strings.Cut(l.line[a.start:a.end], "_")
	return l.r.lookup(noun) == class
}
