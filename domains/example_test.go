package domains_test

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// Load a bundled task by its name.
func ExampleLoad() {
	domain, problem, err := domains.Load("gripper:2")
	if err != nil {
		fmt.Println(err)
		return
	}
	dom, _ := pddl.ParseDomain(domain, pddl.Options{})
	prob, _ := pddl.ParseProblem(problem, dom, pddl.Options{})
	fmt.Println(dom.Name, len(prob.Objects), prob.Names(nil).Formula(prob.Goal.Formula))
	// Output:
	// gripper 6 (and (at ball0 room1) (at ball1 room1))
}

// Generate tasks of a kind. Their names make the same tasks again.
func ExampleGenerate() {
	tasks, err := domains.Generate("logistics", domains.GenerateOptions{Params: map[string]int{"packages": 3}, Seed: 7, Count: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range tasks {
		fmt.Println(t.Name)
	}
	// Output:
	// logistics:2-2-3-7
	// logistics:2-2-3-8
}

// Forbid actions of a task: every planner and validator obeys the restriction.
func ExampleRestrict() {
	domain, problem, _ := domains.Load("blocksworld:3-1")
	dom, _ := pddl.ParseDomain(domain, pddl.Options{})
	prob, _ := pddl.ParseProblem(problem, dom, pddl.Options{})
	forbidden, _ := domains.ParseForbidden(pddl.NewSource("forbidden", "(stack ? b)"), prob)
	restricted, err := domains.Restrict(prob, forbidden)
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(restricted.String()) {
		if strings.Contains(line, "forbidden") {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output:
	// (forbidden-stack-at-2 b)
}

// Put an action into words.
func ExampleTemplates_Sentence() {
	dom, _ := domains.Domain("logistics")
	d, _ := pddl.ParseDomain(dom, pddl.Options{})
	sentence, _ := domains.TemplatesFor(d)[0].Sentence("load-truck", []string{"p0", "t0", "l0-1"})
	fmt.Println(sentence)
	// Output:
	// load package_0 into truck_0 at location_0_1
}
