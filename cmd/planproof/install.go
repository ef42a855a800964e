package main

import (
	"errors"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/doctor"
)

// What people need around an installation: shell completion, manual pages, a check of it.

var completionCommand = command{
	name: "completion", usage: "print the script by which a shell completes commands and flags", args: "bash|zsh|fish",
	action: func(e env) error {
		if e.NArg() != 1 {
			return errors.New("completion needs the name of a shell: bash, zsh or fish")
		}
		return cmdline.WriteCompletion(e.Stdout, e.App.Name, e.Args().First())
	},
}

var manCommand = command{
	name: "man", usage: "print the manual page of planproof, or of a command", args: "[COMMAND [SUBCOMMAND]]",
	action:   func(e env) error { return cmdline.WriteMan(e.Stdout, e.App, e.Args().Slice()) },
	amongAll: true,
}

var doctorCommand = command{
	name: "doctor", usage: "report whether the installation works, and how fast this machine is", args: "",
	spec: `speed:bool=true`,
	action: func(e env) error {
		r := doctor.Examine(e.Context.Context, e.Bool("speed"))
		if err := e.Print(r, r.WriteText); err != nil || r.OK {
			return err
		}
		return exit(exitNo)
	},
}
