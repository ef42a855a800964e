package syntax

// Span is a piece of a text, in bytes.
type Span struct{ Off, Lim uint32 }

// Kind is what a text defines.
type Kind uint8

// Kinds of texts.
const (
	Unknown Kind = iota
	Domain
	Problem
	Plan
)

// Role is what a word stands for.
type Role uint8

// The roles of words.
const (
	Other       Role = iota // no role is known
	Keyword                 // :action, :parameters
	Operator                // define, and, forall, increase, =, -
	Requirement             // :typing
	DomainName
	ProblemName
	TypeName
	Predicate
	Function
	Action
	Object
	Variable
	Preference
	Number
)

// Use is what happens to the thing that a word names.
type Use uint8

// The uses of words.
const (
	Mention Use = iota
	Declare
	Read    // in a condition or an expression
	Add     // made true by an effect
	Delete  // made false by an effect
	Change  // a function: given a value by an effect
	Initial // in the initial state
	Goal    // in the goal or the metric
	Derive  // the head of a rule
)

// Word is a word of a text.
type Word struct {
	Span
	Role Role
	Use  Use
	Arg  uint16 // the place of an argument in its list, from 0
	In   int32  // index in File.Sections; -1 outside of sections
	Bind int32  // of a variable: the word that declares it, itself for a declaration; -1 if none does
	Head int32  // of an argument: the word that begins its list; -1 if it is none
	Type int32  // of a declaration: index in File.Types, the types that it has; -1 if none is written
}

// Section is a section of a domain or problem, or a step of a plan.
type Section struct {
	Span
	Keyword string // ":action"; "" for a step
	Name    int32  // the word that names it; -1 if none does
	Params  []int32
}

// File is a text and what its words are.
type File struct {
	Text     string
	Kind     Kind
	Words    []Word // in the order of the text
	Sections []Section
	Types    [][]int32 // lists of words that are types
	Comments []Span
	Name     int32 // the word that names the domain or problem; -1
	Of       int32 // the word of a problem that names its domain; -1
	Lists    []Span
}

// Spelling is the text of word i, "" for -1.
func (f *File) Spelling(i int32) string {
	if i < 0 {
		return ""
	}
	return f.Text[f.Words[i].Off:f.Words[i].Lim]
}

// Key is the name of word i in the form in which names are compared.
func (f *File) Key(i int32) string { return fold(f.Spelling(i)) }

// WordAt returns the word that a place is in or directly after, -1 if there is none.
func (f *File) WordAt(off uint32) int32 {
	lo, hi := 0, len(f.Words)
	for lo < hi {
		if m := (lo + hi) / 2; f.Words[m].Lim < off {
			lo = m + 1
		} else {
			hi = m
		}
	}
	// A place between two words that touch belongs to the second.
	for i := lo; i < len(f.Words) && f.Words[i].Off <= off; i++ {
		if off < f.Words[i].Lim || i+1 == len(f.Words) || f.Words[i+1].Off > off {
			return int32(i)
		}
	}
	return -1
}

// TypesOf returns the names of the types that a declaration has; none if none is written.
func (f *File) TypesOf(i int32) (names []string) {
	if t := f.Words[i].Type; t >= 0 {
		for _, w := range f.Types[t] {
			names = append(names, f.Spelling(w))
		}
	}
	return names
}

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// The keywords of sections and of their parts.
var (
	DomainSections = []string{":requirements", ":types", ":constants", ":predicates", ":functions", ":constraints",
		":action", ":durative-action", ":process", ":event", ":derived"}
	ProblemSections = []string{":domain", ":requirements", ":objects", ":init", ":goal", ":constraints", ":metric"}
	ActionParts     = []string{":parameters", ":precondition", ":effect"}
	DurativeParts   = []string{":parameters", ":duration", ":condition", ":effect"}

	sectionKeywords = set(append(append([]string{":axiom", ":timeless", ":length"}, DomainSections...), ProblemSections...)...)
	partKeywords    = set(":parameters", ":precondition", ":effect", ":duration", ":condition", ":vars", ":context", ":implies")
	partSections    = set(":action", ":durative-action", ":process", ":event", ":axiom")
)
