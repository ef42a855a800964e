package domains

import (
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
)

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
	// Features lists what the domain uses beyond STRIPS.
	Features []string `json:"features"`
	// Params describe the numbers of a name except the last.
	Params []Param `json:"params"`
	// Last is what the last number of a name means: the number of the task, or a seed.
	// That number starts at 1, its default. Last is empty for kinds with a single task
	// for given parameters.
	Last    string `json:"last"`
	LastDoc string `json:"last_doc"`
	Example string `json:"example"`
}

// WriteText describes the kind for people.
func (k *Info) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", k.Name, k.Doc)
	if len(k.Features) > 0 {
		fmt.Fprintf(&b, "    uses      %s\n", strings.Join(k.Features, ", "))
	}
	for _, p := range k.Params {
		fmt.Fprintf(&b, "    %-9s %s (%d to %d, default %d)\n", p.Name, p.Doc, p.Min, p.Max, p.Default)
	}
	if k.Last != "" {
		fmt.Fprintf(&b, "    %-9s %s\n", k.Last, k.LastDoc)
	}
	_, err := fmt.Fprintf(w, "%s    example   %s\n\n", &b, k.Example)
	return err
}

// ParseParams reads parameters written "name=number", for GenerateOptions.Params.
func ParseParams(words []string) (map[string]int, error) {
	params := map[string]int{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		if !ok || err != nil {
			return nil, fmt.Errorf("%q is not a parameter of the form name=number", word)
		}
		if _, twice := params[name]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		params[name] = n
	}
	return params, nil
}

// kind is an Info with its generator. The text of a problem only depends on the
// parameters and the last number.
type kind struct {
	Info
	problem func(name string, params []int, last *big.Int) string
	// folder holds domain.pddl; "" is the folder named like the kind.
	folder string
	// invented writes the domain, and leading says how many parameters it depends on; nil: there
	// is a file.
	invented func(params []int) string
	leading  int
	// check refuses parameters that are in range and yet name nothing; nil: there are none.
	check func(params []int) error
	// tasks is the number of tasks for given parameters; nil means 2^64-1 seeds.
	tasks func(params []int) *big.Int
}

// maxInvented is the largest number of an invented domain.
const maxInvented = 10_000

var seedDoc = "of the random number generator"

// kinds lists the bundled kinds, in the order in which List shows them.
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
				{"substations", "number of substations that are not plants", 2, 100, 4},
				{"plants", "number of plants", 1, 20, 1},
				{"broken", "number of broken lines between substations; all of them if there are fewer", 1, 100, 1},
			},
			Last: "seed", LastDoc: seedDoc, Example: "powergrid:5-1-2-1",
		},
		problem: powergridProblem,
	},
	{
		Info: Info{
			Name: "invented", Doc: "Domains that nobody has seen: invented types, predicates and actions, in invented words.",
			Features: []string{"typing"},
			Params: []Param{
				{"actions", "number of action schemas", 2, 24, 5},
				{"shape", "what actions ask for: 1 chain, 2 fork, 3 join, 4 cycle, 5 mixed", shapeChain, shapeMixed, shapeMixed},
				{"domain", "number of the domain; no two are equal but for names", 1, maxInvented, 1},
				{"objects", "greatest number of objects that one kind of action changes", 1, 20, 3},
			},
			Last: "seed", LastDoc: seedDoc, Example: "invented:5-5-17-3-1",
		},
		problem: inventedProblem, invented: inventedDomain, leading: 3, check: checkInvented,
	},
	errandKind("household", "Chores by hand or at a socket: several tools with attributes for each, lying about or in cupboards.", "things to be brought into a state", 2),
	errandKind("office", "Papers brought from state to state by aids and machines, some behind locked doors.", "papers to be brought into a state", 2),
	errandKind("robots", "Robots that mount tools and work on parts.", "parts to be brought into a state", 1),
	errandKind("trip", "Errands at services in cities or by telephone, and rides between the cities.", "errands to be run", 2),
}

// errandKind is a world of the generator of errands.
func errandKind(name, doc, things string, usual int) kind {
	return kind{
		Info: Info{
			Name: name, Doc: doc, Features: []string{"typing", "action costs"},
			Params: []Param{
				{"things", things, 1, maxErrandThings, usual},
				{"tools", "greatest number of tools for each change of a state", 1, 6, 3},
			},
			Last: "seed", LastDoc: seedDoc, Example: fmt.Sprintf("%s:%d-3-1", name, usual),
		},
		problem: errandProblem(name),
	}
}
