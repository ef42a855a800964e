package search

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/search/heuristic"
)

// Config says how to search.
type Config struct {
	// Search is a search string, "auto()" when empty: see Canonical.
	Search   string
	Limits   Limits
	Observer Observer
	// Threads is how many searches auto runs side by side, 1 when less. The answer depends on it, but not on timing.
	// Other searches use one thread. Limits.CPU is of one thread.
	Threads int
}

// Observer sees how a search gets on: the statistics so far, at intervals of work, not of
// time. Search code prints nothing. The calls come from the goroutine that called Run; the
// Result is reused and must not be kept.
type Observer func(*Result)

// The grammar of search strings:
//
//	call  = name [ "(" [ arg { "," arg } ] ")" ]
//	arg   = [ name "=" ] value
//	value = call | number
type callNode struct {
	Pos  lexer.Position
	Name string     `parser:"@Ident"`
	Args []*argNode `parser:"( '(' ( @@ ( ',' @@ )* )? ')' )?"`
}

type argNode struct {
	Pos   lexer.Position
	Key   string     `parser:"( @Ident '=' )?"`
	Value *valueNode `parser:"@@"`
}

type valueNode struct {
	Pos    lexer.Position
	Number string    `parser:"  @Number"`
	Call   *callNode `parser:"| @@"`
}

var searchParser = participle.MustBuild[callNode](
	participle.Lexer(lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Number", Pattern: `-?[0-9]+`},
		{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*`},
		{Name: "Punct", Pattern: `[(),=]`},
		{Name: "Space", Pattern: `\s+`},
	})),
	participle.Elide("Space"),
	participle.UseLookahead(2),
)

// Option is an integer option of a search or heuristic.
type Option = heuristic.Option

// SearchInfo is the catalogue entry of a search algorithm.
type SearchInfo struct {
	Name     string `json:"name"`
	Synopsis string `json:"synopsis"`
	// Heuristic is true when the first argument is a heuristic.
	Heuristic bool `json:"heuristic,omitempty"`
	// Numeric is true if the search takes tasks with numeric fluents. Such tasks are
	// refused otherwise.
	Numeric bool `json:"numeric,omitempty"`
	// Ungrounded is true if the search takes the problem and not its ground task: [Run] refuses it, and internal/pipeline runs it.
	Ungrounded bool     `json:"ungrounded,omitempty"`
	Options    []Option `json:"options,omitempty"`
}

// Searches lists all search algorithms: help and the table of capabilities are made of it.
var Searches = []SearchInfo{
	{
		Name: "auto",
		Synopsis: "A* with LM-cut, landmarks, cost partitions and no estimate, and symbolic search in turn, by fixed amounts " +
			"of work, with greedy search for an upper bound; whichever ends first answers",
		Numeric: true,
		Options: []Option{{
			Name: "blind", Default: 15, Min: 1, Max: 99,
			Synopsis: "percentage of the work that goes to the blind search",
		}},
	},
	{
		Name:      "astar",
		Synopsis:  "A* with an admissible heuristic: astar(lmcut()), astar(landmarks()), astar(scp()), astar(pdb()), astar(hmax()), astar(blind())",
		Heuristic: true,
		Numeric:   true,
		Options: []Option{{
			Name: "stubborn", Default: 0, Min: 0, Max: 1,
			Synopsis: "1: leave out what strong stubborn sets allow to be done later, as long as that saves 5 % (not with blind)",
		}, {
			Name: "symmetry", Default: 0, Min: 0, Max: 1,
			Synopsis: "1: search one state of those that symmetries of the task map to each other",
		}},
	},
	{
		Name:     "ucs",
		Synopsis: "uniform-cost search (Dijkstra's algorithm) from the initial state",
		Numeric:  true,
	},
	{
		Name:     "symbolic",
		Synopsis: "uniform-cost search with sets of states as decision diagrams, from both ends",
		Options: []Option{{
			Name: "backward", Default: 1, Min: 0, Max: 1,
			Synopsis: "0: only from the initial state",
		}},
	},
	{
		Name: "nbs",
		Synopsis: "front-to-end bidirectional search: nbs(lmcut()), nbs(blind()); from the goal " +
			"by regression over partial states",
		Heuristic: true,
		Options: []Option{{
			Name: "backward", Default: 2, Min: 0, Max: 2,
			Synopsis: "estimates of the backward side: 0 blind, 1 h-max and 2 h² from the initial state",
		}},
	},
	{
		Name:      "greedy",
		Synopsis:  "greedy best-first search: a plan soon, but not an optimal one: greedy(lmcut())",
		Heuristic: true,
	},
	{
		Name:     "lazy",
		Synopsis: "greedy best-first search with the FF heuristic and preferred operators: a plan as soon as possible, but not an optimal one",
	},
	{
		Name:       "lifted",
		Synopsis:   "uniform-cost search without grounding, for tasks that are too large to ground",
		Ungrounded: true,
	},
}

// maxSearchString bounds the length of search strings, and with it their nesting.
const maxSearchString = 1 << 10

// ConfigError is an error in a search string.
type ConfigError struct {
	Text    string // the search string
	Column  int    // 1-based, in bytes
	Message string
	Hint    string
}

// Error writes the place, the message, the string with a caret, and the hint.
func (e *ConfigError) Error() string {
	s := fmt.Sprintf("search string, column %d: %s\n  %s\n  %s^", e.Column, e.Message, e.Text, strings.Repeat(" ", e.Column-1))
	if e.Hint != "" {
		s += "\n" + e.Hint
	}
	return s
}

// plan is a checked search string.
type plan struct {
	search    *SearchInfo
	heuristic *heuristic.Info
	options   map[string]int64 // of the search
	settings  map[string]int64 // of the heuristic
}

// String writes the search string in canonical form.
func (p *plan) String() string {
	var args []string
	if p.heuristic != nil {
		args = append(args, p.heuristic.Name+"("+strings.Join(changed(p.heuristic.Options, p.settings), ", ")+")")
	}
	args = append(args, changed(p.search.Options, p.options)...)
	return p.search.Name + "(" + strings.Join(args, ", ") + ")"
}

// changed lists the options that differ from their defaults.
func changed(options []Option, values map[string]int64) (out []string) {
	for _, o := range options {
		if v := values[o.Name]; v != o.Default {
			out = append(out, fmt.Sprintf("%s=%d", o.Name, v))
		}
	}
	return out
}

// Canonical checks a search string and returns its canonical form. The empty string is
// the default, auto(). Errors are *ConfigError.
func Canonical(text string) (string, error) {
	p, err := parseSearch(text)
	if err != nil {
		return "", err
	}
	return p.String(), nil
}

func parseSearch(text string) (*plan, error) {
	if strings.TrimSpace(text) == "" {
		text = "auto()"
	}
	if len(text) > maxSearchString {
		return nil, &ConfigError{Text: text[:40] + "...", Column: 1, Message: fmt.Sprintf("longer than %d bytes", maxSearchString)}
	}
	c, err := searchParser.ParseString("", text)
	if err != nil {
		e := &ConfigError{Text: text, Column: 1, Message: err.Error()}
		var pe participle.Error
		if errors.As(err, &pe) {
			e.Column, e.Message = pe.Position().Offset+1, pe.Message()
		}
		e.Hint = "a search string looks like astar(lmcut())"
		return nil, e
	}
	b := binder{text: text}
	return b.bind(c)
}

// binder checks a parsed search string against the catalogue.
type binder struct{ text string }

func (b *binder) fail(pos lexer.Position, hint, format string, args ...any) error {
	return &ConfigError{Text: b.text, Column: pos.Offset + 1, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func (b *binder) bind(c *callNode) (*plan, error) {
	p := &plan{options: map[string]int64{}, settings: map[string]int64{}}
	names := make([]string, len(Searches))
	for i := range Searches {
		names[i] = Searches[i].Name
		if Searches[i].Name == c.Name {
			p.search = &Searches[i]
		}
	}
	if p.search == nil {
		if heuristic.Lookup(c.Name) != nil {
			return nil, b.fail(c.Pos, fmt.Sprintf("did you mean astar(%s())?", c.Name), "%s is a heuristic, not a search", c.Name)
		}
		return nil, b.fail(c.Pos, suggest(c.Name, names), "unknown search %q", c.Name)
	}
	rest := c.Args
	if len(rest) > 0 && rest[0].Key == "" && rest[0].Value.Call != nil && p.search.Heuristic {
		if err := b.bindHeuristic(p, rest[0].Value.Call); err != nil {
			return nil, err
		}
		rest = rest[1:]
	}
	if err := b.bindOptions(p.search.Name, p.search.Options, rest, p.options); err != nil {
		return nil, err
	}
	if p.search.Heuristic && p.heuristic == nil {
		return nil, b.fail(c.Pos, "for example "+c.Name+"(lmcut())", "%s needs a heuristic", c.Name)
	}
	return p, nil
}

func (b *binder) bindHeuristic(p *plan, c *callNode) error {
	p.heuristic = heuristic.Lookup(c.Name)
	if p.heuristic == nil {
		names := make([]string, len(heuristic.Catalogue))
		for i := range names {
			names[i] = heuristic.Catalogue[i].Name
		}
		return b.fail(c.Pos, suggest(c.Name, names), "unknown heuristic %q", c.Name)
	}
	if !p.heuristic.Properties.Admissible {
		return b.fail(c.Pos, "", "%s is not admissible", c.Name)
	}
	if len(c.Args) > 0 && len(p.heuristic.Options) == 0 {
		return b.fail(c.Args[0].Pos, "", "%s takes no options", c.Name)
	}
	return b.bindOptions(c.Name, p.heuristic.Options, c.Args, p.settings)
}

// bindOptions fills values with the options of a search or heuristic.
func (b *binder) bindOptions(owner string, options []Option, args []*argNode, values map[string]int64) error {
	for _, o := range options {
		values[o.Name] = o.Default
	}
	given := map[string]bool{}
	for _, a := range args {
		if err := b.bindOption(owner, options, a, given, values); err != nil {
			return err
		}
	}
	return nil
}

func (b *binder) bindOption(owner string, options []Option, a *argNode, given map[string]bool, values map[string]int64) error {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.Name
		if o.Name != a.Key {
			continue
		}
		v, err := strconv.ParseInt(a.Value.Number, 10, 64)
		switch {
		case given[a.Key]:
			return b.fail(a.Pos, "", "option %s is given twice", a.Key)
		case a.Value.Call != nil:
			return b.fail(a.Value.Pos, "", "option %s is a number", a.Key)
		case err != nil || v < o.Min || v > o.Max:
			return b.fail(a.Value.Pos, "", "option %s is between %d and %d", a.Key, o.Min, o.Max)
		}
		values[a.Key] = v
		given[a.Key] = true
		return nil
	}
	switch {
	case a.Key == "":
		return b.fail(a.Pos, "", "unexpected argument of %s", owner)
	case len(names) == 0:
		return b.fail(a.Pos, "", "%s has no option %q", owner, a.Key)
	}
	return b.fail(a.Pos, suggest(a.Key, names), "%s has no option %q", owner, a.Key)
}

// suggest proposes the closest name, or lists all.
func suggest(name string, names []string) string {
	if best := spell.Nearest(name, names); best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "known: " + strings.Join(names, ", ")
}
