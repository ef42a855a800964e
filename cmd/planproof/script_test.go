package main

import (
	"os"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts below run this test binary as `planproof`.
func TestMain(m *testing.M) {
	version = "dev"
	testscript.Main(m, map[string]func(){
		"planproof": main,
	})
}

// TestScripts runs testdata/script/*.txtar: each file holds inputs, commands and the
// output they must give, byte for byte. `make golden` rewrites the outputs.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(e *testscript.Env) error { e.Setenv("ROOT", testkit.Root()); return nil },
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"code": cmdCode, "mock": cmdMock},
	})
}
