package reward

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sort"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Evidence is all that a reward may look at.
type Evidence struct {
	Verdict    *validator.Verdict
	Extraction *extract.Extraction
	Format     Format
	// Progress is nil unless the spec needs distances.
	Progress *Progress
	// Skipping is Progress when steps that cannot be applied are skipped, nil unless
	// the spec asks for it.
	Skipping *Progress
	// Checks is set where an environment judges by rules; nil where steps are executed.
	Checks *Checks
	// Gold is what is known of the task, zero where the spec needs none of it.
	Gold Gold
	// Refused is true when the response was not read at all (too long): it has no
	// merits, not even of form.
	Refused bool
	// Constrained is true when a grammar constrained the decoding: no form is paid for.
	Constrained bool

	// Task is the hash of the task and Response the text: what noise is drawn from.
	Task     [sha256.Size]byte
	Response string
}

// Progress is where a plan led, in unit steps to the goal (every action counts
// one, whatever it costs).
type Progress struct {
	// Initial is h* of the initial state, which is also the length of the gold
	// plan, a shortest plan.
	Initial int64
	// Applied counts the steps that were executed: those before the first failure,
	// or all applicable ones if the spec skips others.
	Applied int64
	// Reached is h* of the state after them, or -1 when the goal cannot be reached
	// from there.
	Reached int64
	// Revisits counts the steps that led to a state in which the plan was before.
	Revisits int64
}

// Gold is what has been found out about a task before any response to it is scored.
// Nothing of it comes from a response.
type Gold struct {
	// Steps is the length of the reference plan, for a reward that compares lengths.
	Steps    int64
	HasSteps bool
	// Cost is the cost of the reference plan in the prices by which responses are
	// judged. Optimal says that no plan is cheaper; only then it counts.
	Cost    *pddl.Number
	Optimal bool
	// Slack is what a loose budget adds to the optimal cost, see costmodel.Rounds.
	Slack *pddl.Number
	// Budget is the budget that the prompt states.
	Budget *pddl.Number
}

// Components are a reward's parts by name. Every evaluation of one spec has the
// same names, as trainers require.
type Components map[string]float64

// Spec is a reward: a pure function of the evidence. Specs are made by
// [Read] from data and are immutable.
type Spec struct {
	Name, Doc string
	// Kind is the formula, "process" for instance.
	Kind string
	// NeedsDistances says that Evidence.Progress must be set.
	NeedsDistances bool
	// Min and Max bound the reward.
	Min, Max float64
	// ValidWins promises that on one task every valid plan earns more than every
	// invalid one of the same Format. (Where a budget is part of the task, "valid"
	// means within it, too.)
	ValidWins bool

	need      need
	params    map[string]any // of the kind, all of them, as they go into the address
	canonical []byte
	sha       string
	// bounds of the components, by name: those of valid plans (true) and of others. The
	// bounds of the reward itself have the name "".
	bounds func(valid bool) map[string]interval
	eval   func(*Evidence) (float64, Components)
}

// need says which parts of the evidence a spec looks at beside the verdict.
type need uint

const (
	needProgress need = 1 << iota
	needSkipping
	needSteps  // Gold.Steps
	needCost   // Gold.Cost
	needSlack  // Gold.Slack
	needBudget // Gold.Budget
	needText   // for noise
	needFormat // Format
)

// NeedsFormat, NeedsProgress and NeedsSkipping say which members of the evidence the reward
// looks at.
func (s *Spec) NeedsFormat() bool   { return s.need&needFormat != 0 }
func (s *Spec) NeedsProgress() bool { return s.need&needProgress != 0 }
func (s *Spec) NeedsSkipping() bool { return s.need&needSkipping != 0 }

// NeedsGold says whether it looks at what is known of the task before.
func (s *Spec) NeedsGold() bool {
	return s.need&(needSteps|needCost|needSlack|needBudget) != 0
}

// Eval computes the reward and its components.
func (s *Spec) Eval(e *Evidence) (float64, Components) { return s.eval(e) }

// Bounds are the least and the greatest reward of a valid plan, or of any other response.
func (s *Spec) Bounds(valid bool) (lo, hi float64) {
	b := s.bounds(valid)[""]
	return b.lo, b.hi
}

// Canonical is the spec as JSON with every parameter, without name and doc: what a
// spec is, whatever it is called. Members are sorted.
func (s *Spec) Canonical() []byte { return s.canonical }

// SHA is the spec's address: "sha256:" and the SHA-256 of its canonical form in
// hexadecimal digits. Equal addresses mean equal rewards.
func (s *Spec) SHA() string { return s.sha }

// formulaVersion is part of every address. It grows when the formula of some kind
// changes, so that a number that was logged with an address stays what it was.
const formulaVersion = 1

// seal derives what follows from the kind and its parameters.
func (s *Spec) seal() *Spec {
	s.NeedsDistances = s.need&(needProgress|needSkipping) != 0
	text, err := rowjson.Escaped(s.data())
	if err != nil {
		panic(err) // parameters are strings, finite numbers and maps of them
	}
	s.canonical = text
	s.sha = fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	valid, other := s.bounds(true)[""], s.bounds(false)[""]
	s.Min, s.Max = math.Min(valid.lo, other.lo), math.Max(valid.hi, other.hi)
	s.ValidWins = s.ValidWins || valid.lo > other.hi
	return s
}

// data is the spec as it goes into the address. encoding/json sorts the members.
func (s *Spec) data() map[string]any {
	d := map[string]any{"kind": s.Kind, "version": formulaVersion}
	for k, v := range s.params {
		d[k] = v
	}
	return d
}

// named returns the spec under a name.
func (s *Spec) named(name, doc string) *Spec {
	s.Name, s.Doc = name, doc
	return s
}

// specs are the rewards that need no file.
var specs = []*Spec{
	newValid().named("valid", "1 for a valid plan, 0 for anything else"),
	newFormat(untaggedText).named("format", "the layout alone: thoughts, plan, nothing else"),
	newProcess(false, false, untaggedText).named("process", "points for form, progress and success (0 to 105), after the Blocksworld thesis"),
	newProcess(true, false, untaggedText).named("process-skip", "as process, but execution goes on after a step that cannot be applied"),
	newMultirobot(multirobotDefaults).named("multirobot", "success, less 0.1 for each step more than the reference plan, and 0.1 for form"),
	newBudget(budgetDefaults).named("budget", "1 for a valid plan within the budget of its row, with optimality and regret"),
	newStaged(dense).named("staged-dense", "the mean of form, common sense, constraints, all of each, and passing, after Planner-R1"),
	newStaged(middle).named("staged-middle", "the mean of form, all common sense, all constraints, and passing"),
	newStaged(sparse).named("staged-sparse", "passing alone, with the stages as components"),
	newShaped(newValid(), shapedWeight).named("shaped", "validity and how much closer to the goal the plan leads (potential-based over h*)"),
}

// aliases are other names that trainers' configurations use.
var aliases = map[string]string{"binary": "valid", "task": "valid", "task01": "valid", "thesis": "process"}

// Builtin lists the reward specs that need no file.
func Builtin() []*Spec { return specs }

// Find finds a reward by its name, an alias ("binary" is "valid") or its address,
// among more rewards first and then among those that need no file.
func Find(name string, more []*Spec) (*Spec, error) {
	canonical := name
	if a, ok := aliases[name]; ok {
		canonical = a
	}
	var known []string
	for _, list := range [...][]*Spec{more, specs} {
		for _, s := range list {
			if s.Name == canonical || s.sha == name {
				return s, nil
			}
			known = append(known, s.Name)
		}
	}
	for a := range aliases {
		known = append(known, a)
	}
	sort.Strings(known)
	if len(name) > 80 {
		name = name[:77] + "..."
	}
	if best := spell.Nearest(name, known); best != "" {
		return nil, fmt.Errorf("unknown reward %q: did you mean %q?", name, best)
	}
	return nil, fmt.Errorf("unknown reward %q: there are %s", name, strings.Join(known, ", "))
}

// WriteText writes a line about the reward: its name, its range and what it is for.
func (s *Spec) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%-12s %g to %g. %s\n", s.Name, s.Min, s.Max, s.Doc)
	return err
}

// Listing is what score --list-rewards --json prints of a reward.
func (s *Spec) Listing() map[string]any {
	return map[string]any{
		"name": s.Name, "doc": s.Doc, "min": s.Min, "max": s.Max, "needs_distances": s.NeedsDistances, "valid_wins": s.ValidWins,
		"spec_sha": s.SHA(), "spec": json.RawMessage(s.Canonical()),
	}
}
