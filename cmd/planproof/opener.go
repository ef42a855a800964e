package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// opener opens folders, files of JSON Lines and bundled tasks.
func (e env) opener() store.Opener {
	return store.Opener{Known: domains.IsName, Load: domains.Load, Open: func(name string) (io.Reader, func(), error) {
		if name == "-" {
			if *e.stdinRead {
				return nil, nil, errors.New("only one input can be standard input")
			}
			*e.stdinRead = true
		}
		return e.open(name)
	}}
}

// tell prints what is wrong with an input: diagnostics at their places, everything else on a
// line.
func (e env) tell(err error) {
	var diags pddl.Diagnostics
	if errors.As(err, &diags) {
		diags.Format(e.err)
		return
	}
	fmt.Fprintf(e.err, "planproof: %v\n", err)
}
