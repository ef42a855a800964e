package main

import (
	"slices"

	"github.com/planproof/planproof/internal/mockserver"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdMock starts a model server on loopback for a script: `mock FLAVOUR [FAULT...]`. Its
// address is $MOCK. It answers every prompt with the plan of the file plan.txt, and with no
// text at all for the fault no-text.
func cmdMock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: mock FLAVOUR [FAULT...]")
	}
	text := ts.ReadFile("plan.txt")
	opt := mockserver.Options{Flavour: mockserver.Flavour(args[0]), Answer: func(string, int) string { return text }}
	faults := args[1:]
	if opt.NoText = slices.Contains(faults, "no-text"); opt.NoText {
		faults = nil
	}
	s := mockserver.New(opt)
	ts.Defer(s.Close)
	for _, f := range faults {
		s.Inject(mockserver.Fault(f))
	}
	ts.Setenv("MOCK", s.BaseURL())
}
