package state_test

import (
	"fmt"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/state"
)

// A breadth-first search needs a System, its Scratch and a Registry.
func ExampleSystem() {
	_, task := tasktest.Bundled("blocksworld:3-1")
	s := state.NewSystem(task)
	x := s.NewScratch()
	reg := state.NewRegistry(s.Packer.Words(), 0)
	row := s.Initial()
	reg.Insert(row, reg.Hash(row))
	for id := 0; id < reg.Len(); id++ {
		row := reg.Row(state.StateID(id))
		s.Unpack(row, x)
		for _, op := range s.Applicable(x) {
			s.Applier.Apply(x.Next, row, x.Values, op)
			reg.Insert(x.Next, reg.Hash(x.Next))
		}
	}
	fmt.Println(reg.Len(), "states")
	// Output:
	// 22 states
}
