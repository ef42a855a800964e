package dataset_test

import (
	"context"
	"fmt"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
)

func ExamplePrepare() {
	src, err := dataset.NewBundled("gripper", domains.GenerateOptions{Params: map[string]int{"balls": 2}, Count: 1}, "gripper")
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := dataset.Prepare(context.Background(), dataset.Options{Sources: []dataset.Source{src}, Settings: dataset.Settings{
		Dedup: dataset.DedupIsomorphic, Names: dataset.NamesOwn, Split: dataset.Ratio{100},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = set.Records(context.Background(), dataset.Train, func(r *dataset.Record) error {
		fmt.Println(r.Family, r.Gold.Cost, r.Gold.Optimal)
		return nil
	})
	fmt.Println(err)
	// Output:
	// gripper 5 true
	// <nil>
}

// Two tasks that differ only in the names of their objects have one structure.
func ExampleStructureOf() {
	read := func(first, second string) *pddl.Problem {
		d, _, _ := domains.Load("blocksworld:3-1")
		dom, _ := pddl.ParseDomain(d, pddl.Options{})
		text := fmt.Sprintf("(define (problem x) (:domain blocksworld) (:objects %s %s) (:init (ontable %[1]s) (ontable %[2]s) (clear %[1]s) (clear %[2]s) (handempty)) (:goal (on %[1]s %[2]s)))", first, second)
		p, diags := pddl.ParseProblem(pddl.NewSource("x", text), dom, pddl.Options{})
		if p == nil {
			fmt.Println(diags)
		}
		return p
	}
	fmt.Println(dataset.StructureOf(read("a", "b")).Hash == dataset.StructureOf(read("red", "blue")).Hash)
	// Output: true
}
