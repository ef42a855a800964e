package syntax

import "slices"

// Where is what can be written at a place.
type Where uint8

// The kinds of places.
const (
	Nowhere        Where = iota
	AtTop                // (define ...)
	AtSection            // (:action ...)
	AtPart               // :precondition
	AtRequirement        // :typing
	AtDomainName         // the domain of a problem
	AtDeclaration        // a new name
	AtType               // a type
	AtCondition          // an atom or operator of a condition
	AtEffect             // an atom or operator of an effect
	AtInitial            // a fact of the initial state
	AtExpression         // a function, number or operator
	AtTerm               // an argument
	AtOptimization       // minimize, maximize
	AtStep               // a step of a plan
)

// Place is what a place of a text asks for.
type Place struct {
	Where Where
	Head  bool // the place is directly after an opening parenthesis
	Kind  Kind // of the file
	Role  Role // AtDeclaration: what is declared
	Use   Use
	Of    int32 // AtTerm: the word of File whose argument it is; -1
	Arg   int
	Scope []int32 // words of File that are variables in scope, innermost last
	In    int32   // section of File; -1
	Word  Span    // the word at the place, in the text that was asked about; empty if there is none
	File  *File   // the text with a word at the place
}

// At says what a place of a text asks for.
func At(text string, off uint32, plan bool) Place {
	start := int(min(off, uint32(len(text))))
	end := start
	for start > 0 && !isSpace(text[start-1]) && text[start-1] != '(' && text[start-1] != ')' && text[start-1] != ';' {
		if start--; text[start] == '?' || plan && text[start] == ':' {
			break
		}
	}
	p := &Place{Of: -1, In: -1}
	if start < end {
		end = wordEnd(text, start)
		p.Word = Span{uint32(start), uint32(end)}
	} else {
		text = text[:start] + "x " + text[start:]
		p.Word = Span{uint32(start), uint32(start)}
	}
	span := p.Word
	if plan {
		p.File = parsePlan(text, p, uint32(start))
	} else {
		p.File = parse(text, p, uint32(start))
	}
	p.Word = span
	if p.Kind == Unknown {
		p.Kind = p.File.Kind
	}
	return *p
}

// see keeps what a place asks for, if the word n is at the probe.
func (w *walker) see(n int32, p Place) {
	if w.probe == nil || !w.isWord(n) || w.nodes[n].off != w.at {
		return
	}
	f := w.probe.File
	*w.probe = p
	w.probe.File, w.probe.In = f, w.in
	w.probe.Scope = slices.Clone(w.scope)
	if p.Where != AtTerm && p.Where != AtExpression || p.Head {
		w.probe.Of = -1
	}
}
