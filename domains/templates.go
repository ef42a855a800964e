package domains

import (
	"embed"
	"fmt"
	"path"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

//go:embed templates/*.json
var templateFiles embed.FS

// Templates is the language in which people talk about a domain: what objects are called,
// how facts are stated, and which sentences name an action. Each data file
// (templates/NAME.json) holds one. Prompts are written with its Say texts, and answers are
// read with its Read texts.
//
// Texts contain slots: {0} is the phrase for the first argument ("the red block"), {=0}
// the same without its article ("red block"). Read texts may also use [x] for "x or
// nothing", (x|y) for "x or y", {1:noun} for an object with that noun, and {_} for an
// object that is not an argument.
type Templates struct {
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
	// Signature lists actions as "name/arity". The templates suit a domain that has all
	// of them.
	Signature []string `json:"signature"`
	// Intro says in a sentence or two what the domain is about, to begin a prompt.
	Intro   string            `json:"intro,omitempty"`
	Objects []Naming          `json:"objects"`
	Facts   map[string]string `json:"facts"`
	// Rules say when actions are not possible, Effects what they cause, one sentence each.
	// For a domain without them, prompts put the preconditions and effects of each action
	// into words.
	Rules   []string `json:"rules,omitempty"`
	Effects []string `json:"effects,omitempty"`
	// FactReads holds other texts that state a fact in an answer.
	FactReads map[string][]string `json:"fact_reads,omitempty"`
	// Values states the values of functions; {v} is the slot of the value.
	Values  map[string]string         `json:"values,omitempty"`
	Actions map[string]ActionSentence `json:"actions"`
}

// Naming determines what objects of a domain are called.
//
// With Names, an object is called by the name listed for it: a, with
// {"a": "red"} and the noun "block", is "red block". With Prefix, the name's
// prefix stands for the noun: l0-1, with prefix l and noun location, is
// "location_0_1". With neither, the noun goes before the name: "object a".
// Without a noun the names are used as they are.
type Naming struct {
	Noun    string            `json:"noun,omitempty"`
	Article string            `json:"article,omitempty"`
	Prefix  string            `json:"prefix,omitempty"`
	Names   map[string]string `json:"names,omitempty"`
	// Initials allows the first letter of a listed name as an abbreviation, unless an object
	// has that letter as its name or another listed name begins with it.
	Initials bool `json:"initials,omitempty"`
}

// ActionSentence is how one action is expressed.
type ActionSentence struct {
	// Does says what the action does, as a command without its objects.
	Does string   `json:"does,omitempty"`
	Say  string   `json:"say"`
	Read []string `json:"read,omitempty"`
	// Infer fills arguments that a sentence leaves out: {"3": "in-city {1} ?"} takes
	// argument 3 from the only matching fact of the initial state.
	Infer map[string]string `json:"infer,omitempty"`
}

// TemplatesFor returns the bundled templates that suit the domain, judging by the names and
// arities of its actions: those with the longest signature first, ties in alphabetical
// order. Several may suit a domain, such as one in plain and one in invented words.
func TemplatesFor(dom *pddl.Domain) []*Templates {
	has := make(map[string]bool, len(dom.Actions))
	for _, a := range dom.Actions {
		has[strings.ToLower(a.Name)+"/"+strconv.Itoa(a.NumParams)] = true
	}
	var out []*Templates
	for _, t := range loadTemplates() {
		fits := len(t.Signature) > 0
		for _, s := range t.Signature {
			fits = fits && has[s]
		}
		if fits {
			out = append(out, t)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].Signature) > len(out[j].Signature) })
	return out
}

var loadTemplates = sync.OnceValue(func() []*Templates {
	entries, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic("domains: " + err.Error())
	}
	var all []*Templates
	for _, e := range entries { // ReadDir sorts by name
		text, err := templateFiles.ReadFile(path.Join("templates", e.Name()))
		if err != nil {
			panic("domains: " + err.Error())
		}
		t, err := parseTemplates(text)
		if err != nil {
			panic("domains: templates/" + e.Name() + ": " + err.Error())
		}
		all = append(all, t)
	}
	return all
})

// parseTemplates reads a template file and checks it: known fields only, slots
// within the arity of their action, balanced brackets.
func parseTemplates(text []byte) (*Templates, error) {
	t := new(Templates)
	if err := rowjson.Unmarshal(text, t, true); err != nil {
		return nil, err
	}
	if t.Name == "" {
		return nil, fmt.Errorf("no name")
	}
	arity := make(map[string]int, len(t.Signature))
	for _, s := range t.Signature {
		name, n, ok := strings.Cut(s, "/")
		k, err := strconv.Atoi(n)
		if !ok || err != nil || k < 0 || name != strings.ToLower(name) {
			return nil, fmt.Errorf("signature %q is not name/arity", s)
		}
		arity[name] = k
	}
	for name, a := range t.Actions {
		n, ok := arity[name]
		if !ok {
			return nil, fmt.Errorf("action %q is not in the signature", name)
		}
		for _, s := range append([]string{a.Say}, a.Read...) {
			if err := checkSlots(s, n); err != nil {
				return nil, fmt.Errorf("action %q: %q: %v", name, s, err)
			}
		}
	}
	for name, texts := range t.FactReads {
		if _, ok := t.Facts[name]; !ok {
			return nil, fmt.Errorf("fact_reads %q is not among the facts", name)
		}
		for _, s := range texts {
			if err := checkSlots(s, maxFactArity); err != nil {
				return nil, fmt.Errorf("fact %q: %q: %v", name, s, err)
			}
		}
	}
	for name, s := range t.Values {
		if err := checkSlots(strings.Replace(s, "{v}", "", 1), maxFactArity); err != nil || !strings.Contains(s, "{v}") {
			return nil, fmt.Errorf("value %q: %q has no slot {v}, or a bad one", name, s)
		}
	}
	return t, nil
}

// maxFactArity bounds the arguments of facts and values: slots have one digit.
const maxFactArity = 10

// checkSlots checks that every slot of a text is below the arity and that brackets are
// balanced.
func checkSlots(s string, arity int) error {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '(':
			depth++
		case ']', ')':
			if depth--; depth < 0 {
				return fmt.Errorf("unbalanced %q", s[i])
			}
		case '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				return fmt.Errorf("unclosed slot")
			}
			slot, _, _ := strings.Cut(s[i+1:i+end], ":")
			slot = strings.TrimPrefix(slot, "=")
			if k, err := strconv.Atoi(slot); slot != "_" && (err != nil || k < 0 || k >= arity) {
				return fmt.Errorf("no argument {%s}", slot)
			}
			i += end
		}
	}
	if depth != 0 {
		return fmt.Errorf("unclosed bracket")
	}
	return nil
}

// Phrase returns what the templates call an object, with or without an article, and its
// noun ("" for none). An object without a naming keeps its name.
func (t *Templates) Phrase(object string, article bool) (phrase, noun string) {
	key := strings.ToLower(object)
	for i := range t.Objects {
		n := &t.Objects[i]
		name, ok := n.NameOf(key)
		if !ok {
			continue
		}
		switch {
		case n.Prefix != "":
			phrase = name
		case n.Names != nil:
			phrase = strings.TrimSpace(name + " " + n.Noun)
		default:
			phrase = strings.TrimSpace(n.Noun + " " + object)
		}
		if article && n.Article != "" {
			phrase = n.Article + " " + phrase
		}
		return phrase, n.Noun
	}
	return object, ""
}

// NameOf returns what an object is called, in lower case and without its noun: the listed
// name, or the noun and numbers for a prefixed name, or the name itself. It reports false
// if the naming does not apply to the object.
func (n *Naming) NameOf(object string) (string, bool) {
	switch {
	case n.Names != nil:
		name, ok := n.Names[object]
		return name, ok
	case n.Prefix != "":
		digits, ok := nameNumbers(object, n.Prefix)
		if !ok {
			return "", false
		}
		return n.Noun + "_" + strings.Join(digits, "_"), true
	}
	return object, true
}

// nameNumbers splits a name such as l0-1 into the numbers after its prefix.
func nameNumbers(name, prefix string) ([]string, bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok || rest == "" {
		return nil, false
	}
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r == '-' || r == '_' })
	for _, p := range parts {
		if strings.Trim(p, "0123456789") != "" {
			return nil, false
		}
	}
	return parts, len(parts) > 0
}

// fill replaces the slots of a text by the phrases of objects. The text must have no other
// syntax than {0} and {=0}, like Say and the texts of facts.
func (t *Templates) fill(text string, objects []string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '{')
		j := strings.IndexByte(text, '}')
		if i < 0 || j < i {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		slot, bare := strings.CutPrefix(text[i+1:j], "=")
		if k, err := strconv.Atoi(slot); err == nil && k < len(objects) {
			p, _ := t.Phrase(objects[k], !bare)
			b.WriteString(p)
		}
		text = text[j+1:]
	}
}

// Sentence puts a ground action into words. It reports false if the templates have no
// sentence for it.
func (t *Templates) Sentence(action string, objects []string) (string, bool) {
	a, ok := t.Actions[strings.ToLower(action)]
	if !ok {
		return "", false
	}
	return t.fill(a.Say, objects), true
}

// Fact puts a ground fact into words. It reports false if the templates have no text for
// it. An empty text means that the fact is not mentioned.
func (t *Templates) Fact(predicate string, objects []string) (string, bool) {
	f, ok := t.Facts[strings.ToLower(predicate)]
	if !ok {
		return "", false
	}
	return t.fill(f, objects), true
}

// Value puts the value of a ground function into words. It reports false if the templates
// have no text for it.
func (t *Templates) Value(function string, objects []string, value string) (string, bool) {
	s, ok := t.Values[strings.ToLower(function)]
	if !ok {
		return "", false
	}
	return t.fill(strings.Replace(s, "{v}", value, 1), objects), true
}
