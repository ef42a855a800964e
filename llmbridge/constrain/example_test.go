package constrain_test

import (
	"context"
	"fmt"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/llmbridge/constrain"
)

func ExampleNewGrammar() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	g, err := constrain.NewGrammar(task.Problem, constrain.GrammarOptions{Wrap: constrain.WrapTags})
	if err != nil {
		panic(err)
	}
	fmt.Print(g.Text)
	// Output:
	// root ::= "<plan>\n" step* "</plan>\n"
	// step ::= (act-pick-up | act-put-down | act-stack | act-unstack) "\n"
	// obj-object ::= "a" | "b" | "c"
	// act-pick-up ::= "(pick-up " obj-object ")"
	// act-put-down ::= "(put-down " obj-object ")"
	// act-stack ::= "(stack " obj-object " " obj-object ")"
	// act-unstack ::= "(unstack " obj-object " " obj-object ")"
}

func ExampleMasker() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	m, err := constrain.NewMasker(context.Background(), task.Problem, constrain.MaskOptions{})
	if err != nil {
		panic(err)
	}
	next, _ := m.Actions(m.Start())
	fmt.Println(next)
	after, err := m.Step(m.Start(), next[0])
	if err != nil {
		panic(err)
	}
	next, _ = m.Actions(after)
	fmt.Println(next)
	// Output:
	// [(unstack b c)]
	// [(put-down b) (stack b c)]
}
