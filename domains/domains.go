package domains

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"math/big"
	"path"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

//go:embed */domain.pddl
var files embed.FS

// ErrUnknown is wrapped by the errors of [Load] and [Generate] for a kind that is
// not built in.
var ErrUnknown = errors.New("unknown bundled domain")

// ErrParameter is wrapped by the errors of [Load] and [Generate] for a parameter
// that is missing, malformed or out of range.
var ErrParameter = errors.New("bad parameter of a bundled task")

// Param is a number in a task's name.
type Param struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	Min  int    `json:"min"`
	Max  int    `json:"max"`
	// Default is used when the parameter is left out.
	Default int `json:"default"`
}

// Info describes one kind of bundled task.
type Info struct {
	Name string `json:"name"`
	// Doc is one sentence about the domain.
	Doc string `json:"doc"`
	// Features lists what its domain uses beyond STRIPS.
	Features []string `json:"features"`
	// Params are the numbers before the last one of a name.
	Params []Param `json:"params"`
	// Last names the last number: the task's number, or the seed of a random
	// one. It starts at 1 and is 1 when left out. Kinds with one task for given
	// parameters have an empty Last.
	Last    string `json:"last"`
	LastDoc string `json:"last_doc"`
	Example string `json:"example"`
}

// kind is an Info with its generator. The text of a problem is a function of the
// parameters and the last number alone.
type kind struct {
	Info
	problem func(name string, params []int, last *big.Int) string
	// folder holds domain.pddl; "" is the folder named like the kind.
	folder string
	// tasks is the number of tasks for given parameters; nil means 2^64-1 seeds.
	tasks func(params []int) *big.Int
}

var seedDoc = "of the random number generator"

// kinds lists what is built in, in the order that is shown.
var kinds = []kind{
	{
		Info: Info{
			Name: "blocksworld", Doc: "Towers of blocks rebuilt by one arm, four actions. Goals say where every block is.",
			Params: []Param{{"blocks", "number of blocks", 2, MaxBlocks, 4}},
			Last:   "task", LastDoc: "of the S(S-1) ordered pairs of distinct hand-empty states, in a fixed order",
			Example: "blocksworld:4-17",
		},
		problem: blocksworldProblem,
		tasks:   func(params []int) *big.Int { return BlocksworldTasks(params[0]) },
	},
	{
		Info: Info{
			Name: "budget-blocksworld", Doc: "Sets of 1,008 blocksworld tasks with six blocks and given plan lengths, for planning with action costs.",
			Params: []Param{{"set", "number of the set; 1 is the reference set", 1, MaxBudgetSet, 1}},
			Last:   "task", LastDoc: "of the 1,008 of the set, by increasing length",
			Example: "budget-blocksworld:1-17",
		},
		folder:  "blocksworld",
		problem: budgetProblem,
		tasks:   func([]int) *big.Int { return big.NewInt(BudgetTasks) },
	},
	{
		Info: Info{
			Name: "logistics", Doc: "Packages delivered by a truck in each city and by airplanes between cities.",
			Features: []string{"typing"},
			Params: []Param{
				{"cities", "number of cities, each with a truck; half as many airplanes, rounded up", 1, 200, 2},
				{"locations", "locations in a city, one of them the airport", 1, 200, 2},
				{"packages", "number of packages", 1, 2000, 2},
			},
			Last: "seed", LastDoc: seedDoc, Example: "logistics:2-3-4-1",
		},
		problem: logisticsProblem,
	},
	{
		Info: Info{
			Name: "gripper", Doc: "A robot with two grippers carries balls from one room to another.",
			Features: []string{"typing"},
			Params: []Param{
				{"balls", "number of balls", 1, 2000, 4},
				{"rooms", "number of rooms; the balls lie in the first and belong in the last", 2, 200, 2},
			},
			Example: "gripper:6",
		},
		problem: gripperProblem,
	},
	{
		Info: Info{
			Name: "elevator", Doc: "Lifts, and passengers who shun each other or are barred from floors.",
			Features: []string{"typing", "quantified preconditions", "conditional effects", "action costs"},
			Params: []Param{
				{"floors", "number of floors", 2, 100, 4},
				{"passengers", "number of passengers", 1, 200, 3},
				{"lifts", "number of lifts; the first stops at every floor, the others at every second one", 1, 20, 1},
			},
			Last: "seed", LastDoc: seedDoc, Example: "elevator:5-4-2-1",
		},
		problem: elevatorProblem,
	},
	{
		Info: Info{
			Name: "powergrid", Doc: "Crews switch breakers and mend lines until every customer has power again.",
			Features: []string{"typing", "recursive derived predicates", "quantified preconditions", "action costs"},
			Params: []Param{
				{"substations", "number of substations that are no plant", 2, 100, 4},
				{"plants", "number of plants", 1, 20, 1},
				{"broken", "number of broken lines between substations; all of them if there are fewer", 1, 100, 1},
			},
			Last: "seed", LastDoc: seedDoc, Example: "powergrid:5-1-2-1",
		},
		problem: powergridProblem,
	},
}

// List describes every kind of bundled task.
func List() []Info {
	infos := make([]Info, len(kinds))
	for i, k := range kinds {
		infos[i] = k.Info
	}
	return infos
}

// IsName reports whether s has the form of a bundled task's name: a kind that is
// built in, or anything that starts with a lower-case word and a colon. A
// misspelt kind counts, so that Load can say what was meant; a path never does.
func IsName(s string) bool {
	word, _, colon := strings.Cut(s, ":")
	if word == "" || strings.ContainsAny(s, "/\\. ") {
		return false
	}
	if !colon {
		_, err := findKind(word)
		return err == nil
	}
	// A single letter before a colon is a Windows drive.
	return len(word) > 1 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// Load returns the domain and the problem of the bundled task with the given
// name. Its errors wrap [ErrUnknown] or [ErrParameter] and say what is possible.
func Load(name string) (domain, problem *pddl.Source, err error) {
	t, err := load(name)
	if err != nil {
		return nil, nil, err
	}
	return t.Domain, t.Problem, nil
}

// Domain returns the domain file of a kind.
func Domain(name string) (*pddl.Source, error) {
	k, err := findKind(name)
	if err != nil {
		return nil, err
	}
	return k.domain(), nil
}

func (k *kind) domain() *pddl.Source {
	file := path.Join(cmp.Or(k.folder, k.Name), "domain.pddl")
	text, err := files.ReadFile(file)
	if err != nil {
		panic(err) // embedded: cannot be missing
	}
	return &pddl.Source{Name: file, Text: string(text)}
}

func findKind(name string) (*kind, error) {
	for i := range kinds {
		if kinds[i].Name == name {
			return &kinds[i], nil
		}
	}
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].Name
	}
	if best := spell.Nearest(name, names); best != "" {
		return nil, fmt.Errorf("%w %q: did you mean %q?", ErrUnknown, name, best)
	}
	return nil, fmt.Errorf("%w %q: there are %s", ErrUnknown, name, strings.Join(names, ", "))
}

func load(name string) (*Task, error) {
	if len(name) > 200 {
		return nil, fmt.Errorf("%w: a name of %d characters", ErrUnknown, len(name))
	}
	word, numbers, colon := strings.Cut(name, ":")
	k, err := findKind(word)
	if err != nil {
		return nil, err
	}
	var fields []string
	if colon {
		fields = strings.Split(numbers, "-")
	}
	params := make([]int, len(k.Params))
	for i, p := range k.Params {
		params[i] = p.Default
		if i < len(fields) {
			n, ok := parseNumber(fields[i])
			if !ok || !n.IsInt64() || n.Int64() < int64(p.Min) || n.Int64() > int64(p.Max) {
				return nil, fmt.Errorf("%w %s: %s is %q, not a number from %d to %d; the form is %s",
					ErrParameter, name, p.Name, fields[i], p.Min, p.Max, k.form())
			}
			params[i] = int(n.Int64())
		}
	}
	last := big.NewInt(1)
	rest := fields[min(len(fields), len(k.Params)):]
	if len(rest) > 0 && k.Last != "" {
		n, ok := parseNumber(rest[0])
		limit := k.limit(params)
		if !ok || n.Sign() <= 0 || n.Cmp(limit) > 0 {
			return nil, fmt.Errorf("%w %s: %s is %q, not a number from 1 to %s; the form is %s",
				ErrParameter, name, k.Last, rest[0], limit, k.form())
		}
		last, rest = n, rest[1:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%w %s: too many numbers; the form is %s", ErrParameter, name, k.form())
	}
	return k.task(params, last), nil
}

// parseNumber reads decimal digits and nothing else, so that a name has one
// spelling apart from leading zeros.
func parseNumber(s string) (*big.Int, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(s, 10)
}

// limit is the largest last number.
func (k *kind) limit(params []int) *big.Int {
	if k.tasks != nil {
		return k.tasks(params)
	}
	return new(big.Int).SetUint64(1<<64 - 1)
}

// form writes the shape of a kind's names: "blocksworld:BLOCKS-TASK".
func (k *kind) form() string {
	var words []string
	for _, p := range k.Params {
		words = append(words, strings.ToUpper(p.Name))
	}
	if k.Last != "" {
		words = append(words, strings.ToUpper(k.Last))
	}
	return k.Name + ":" + strings.Join(words, "-")
}

// task makes one task; its name lists every number.
func (k *kind) task(params []int, last *big.Int) *Task {
	name := k.Name + ":"
	for i, p := range params {
		if i > 0 {
			name += "-"
		}
		name += fmt.Sprint(p)
	}
	if k.Last != "" {
		name += "-" + last.String()
	}
	text := k.problem(strings.ReplaceAll(name, ":", "-"), params, last)
	return &Task{Name: name, Domain: k.domain(), Problem: &pddl.Source{Name: name, Text: text}}
}
