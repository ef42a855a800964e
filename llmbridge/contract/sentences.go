package contract

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/pddl"
)

// sentences are the sentences of the domain's templates, word for word as prompts write them
// (domains.Templates.Sentence).
type sentences struct {
	byFirst map[string][]*sentence // by the first word, "" for those that begin with an object
	longest int                    // words of the longest phrase
	nouns   map[string][]string    // of objects that slots restrict, by their name
}

// sentence is the sentence of one action.
type sentence struct {
	action string
	arity  int
	parts  []part
	// phrases maps the words of objects to their names, with and without articles.
	phrases [2]map[string]string
}

// part is a word, or the phrase of an argument.
type part struct {
	word string // "" for an argument
	arg  int
	bare bool // without its article
	// nouns tell sentences of several actions apart that are equal: an object of the argument goes by one of them.
	nouns []string
}

func newSentences(dom *pddl.Domain, prob *pddl.Problem) *sentences {
	s := &sentences{byFirst: map[string][]*sentence{}, nouns: map[string][]string{}}
	for _, t := range domains.TemplatesFor(dom) {
		var phrases [2]map[string]string
		for bare := range phrases {
			phrases[bare] = map[string]string{}
			for i := range prob.Objects {
				name := prob.Objects[i].Name
				phrase, noun := t.Phrase(name, bare == 0)
				phrase = strings.ToLower(phrase)
				if lower := strings.ToLower(name); noun != "" && bare == 0 {
					s.nouns[lower] = append(s.nouns[lower], noun)
				}
				if _, taken := phrases[bare][phrase]; taken {
					name = "" // two objects with one phrase: neither is meant
				}
				phrases[bare][phrase] = strings.ToLower(name)
				s.longest = max(s.longest, 1+strings.Count(phrase, " "))
			}
		}
		for _, a := range dom.Actions {
			said := t.Actions[strings.ToLower(a.Name)]
			if x := newSentence(strings.ToLower(a.Name), a.NumParams, said.Say); x != nil {
				x.phrases = phrases
				x.restrict(said.Read)
				s.byFirst[x.parts[0].word] = append(s.byFirst[x.parts[0].word], x)
			}
		}
	}
	s.addNouns(dom, prob)
	return s
}

var slotNoun = pattern.New(`\{=?(\d+):([^{}]*)\}`)

// restrict takes the nouns of arguments from the texts by which answers are read.
func (x *sentence) restrict(read []string) {
	for _, text := range read {
		for _, m := range slotNoun.FindAllStringSubmatch(text, -1) {
			for i := range x.parts {
				if p := &x.parts[i]; p.word == "" && strconv.Itoa(p.arg) == m[1] && !slices.Contains(p.nouns, m[2]) {
					p.nouns = append(p.nouns, m[2])
				}
			}
		}
	}
}

// addNouns notes what objects go by: their types, and facts about them alone.
func (s *sentences) addNouns(dom *pddl.Domain, prob *pddl.Problem) {
	wanted := map[string]bool{}
	for _, list := range s.byFirst {
		for _, x := range list {
			for i := range x.parts {
				for _, n := range x.parts[i].nouns {
					wanted[n] = true
				}
			}
		}
	}
	add := func(object pddl.ObjectID, noun string) {
		if noun = strings.ToLower(noun); wanted[noun] {
			name := strings.ToLower(prob.Objects[object].Name)
			s.nouns[name] = append(s.nouns[name], noun)
		}
	}
	if len(wanted) == 0 {
		return
	}
	for i := range prob.Objects {
		for t := range dom.Types {
			if dom.IsSubtype(prob.Objects[i].Type, pddl.TypeID(t)) {
				add(pddl.ObjectID(i), dom.Types[t].Name)
			}
		}
	}
	for i := range prob.Init.Atoms.Len() {
		if pred, args := prob.Init.Atoms.Atom(i); len(args) == 1 && int(args[0]) < len(prob.Objects) {
			add(args[0], dom.Predicates[pred].Name)
		}
	}
}

// goesBy reports whether the arguments go by the nouns of a sentence.
func (s *sentences) goesBy(x *sentence, args []string) bool {
	for i := range x.parts {
		p := &x.parts[i]
		if p.nouns != nil && !slices.ContainsFunc(p.nouns, func(n string) bool { return slices.Contains(s.nouns[args[p.arg]], n) }) {
			return false
		}
	}
	return true
}

// newSentence takes a sentence apart. It returns nil if the sentence does not say every argument.
func newSentence(action string, arity int, say string) *sentence {
	x := &sentence{action: action, arity: arity}
	said := make([]bool, arity)
	for _, w := range strings.Fields(strings.ToLower(say)) {
		slot, isSlot := strings.CutPrefix(w, "{")
		if !isSlot {
			x.parts = append(x.parts, part{word: w})
			continue
		}
		slot, bare := strings.CutPrefix(strings.TrimSuffix(slot, "}"), "=")
		k, err := strconv.Atoi(slot)
		if err != nil || k >= arity {
			return nil
		}
		said[k] = true
		x.parts = append(x.parts, part{arg: k, bare: bare})
	}
	for _, ok := range said {
		if !ok {
			return nil
		}
	}
	if len(x.parts) == 0 {
		return nil
	}
	return x
}

// phrase is a text in lower case with one space between its words.
type phrase struct {
	text string
	ends []int // the byte after each word
}

// from returns the words from word i to before word k.
func (p *phrase) from(i, k int) string {
	at := 0
	if i > 0 {
		at = p.ends[i-1] + 1
	}
	return p.text[at:p.ends[k-1]]
}

var phrases = sync.Pool{New: func() any { return new(phrase) }}

// match returns the step that a sentence names, "" if it is no sentence of the templates.
func (s *sentences) match(text string) string {
	if len(s.byFirst) == 0 {
		return ""
	}
	p := phrases.Get().(*phrase)
	defer phrases.Put(p)
	p.text, p.ends = strings.ToLower(text), p.ends[:0]
	if strings.Contains(p.text, "  ") {
		p.text = strings.Join(strings.Fields(p.text), " ")
	}
	for at := 0; at < len(p.text); {
		k := strings.IndexByte(p.text[at:], ' ')
		if k < 0 {
			k = len(p.text) - at
		}
		p.ends = append(p.ends, at+k)
		at += k + 1
	}
	var room [8]string
	step := "" // where no object goes by its noun, the first sentence counts, and the judge says what is wrong
	for _, first := range []string{p.from(0, 1), ""} {
		for _, x := range s.byFirst[first] {
			args := append(room[:0], make([]string, x.arity)...)
			if !x.match(p, x.parts, 0, args, s.longest) {
				continue
			}
			fits := s.goesBy(x, args)
			if fits || step == "" {
				step = strings.TrimSuffix("("+x.action+" "+strings.Join(args, " "), " ") + ")"
			}
			if fits {
				return step
			}
		}
	}
	return step
}

// match reports whether the words from word i on are the parts of a sentence, and sets its arguments. Phrases are
// tried from the longest to the shortest; their number of words is bounded, and so is the work.
func (x *sentence) match(text *phrase, parts []part, i int, args []string, longest int) bool {
	left := len(text.ends) - i
	if len(parts) == 0 {
		return left == 0
	}
	if left < len(parts) {
		return false
	}
	p := parts[0]
	if p.word != "" {
		return p.word == text.from(i, i+1) && x.match(text, parts[1:], i+1, args, longest)
	}
	phrases := x.phrases[0]
	if p.bare {
		phrases = x.phrases[1]
	}
	for n := min(longest, left); n > 0; n-- {
		name := phrases[text.from(i, i+n)]
		if name == "" || args[p.arg] != "" && args[p.arg] != name {
			continue
		}
		before := args[p.arg]
		args[p.arg] = name
		if x.match(text, parts[1:], i+n, args, longest) {
			return true
		}
		args[p.arg] = before
	}
	return false
}
