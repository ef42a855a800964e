package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/validator/project"
)

var lintCommand = command{
	name: "lint", usage: "check all PDDL files of a folder, and judge the plans beside them", args: "[PATH...]",
	spec:      `sarif layout:bool +strict +limits`,
	wholeTime: true, wholeMemory: true,
	action: func(e env) error {
		lim, err := e.Limits()
		if err != nil {
			return err
		}
		paths := e.Args().Slice()
		if len(paths) == 0 {
			paths = []string{"."}
		}
		if err := e.Outputs("sarif"); err != nil {
			return err
		}
		files, err := project.Find(paths)
		if err == nil && len(files) == 0 {
			err = errors.New("there is no PDDL file here, and no plan")
		}
		if err != nil {
			return err
		}
		var rows []*project.Row
		sum, err := project.Run(e.Context.Context, files, project.Options{Strict: e.Bool("strict"), Layout: e.Bool("layout"), Memory: lim.Memory}, func(r *project.Row) error {
			rows = append(rows, r)
			if e.Bool("json") {
				return rowjson.WriteLine(e.Stdout, r)
			}
			return r.WriteText(e.Stdout)
		})
		if err != nil {
			return e.LimitsOf(fmt.Errorf("after %s: %w", plural(len(rows), "file"), err))
		}
		if e.String("sarif") != "" {
			err = e.WriteFile(e.String("sarif"), func(w io.Writer) error { return project.WriteSARIF(w, version, rows) })
		}
		switch {
		case err != nil:
			return err
		case !e.Bool("json"):
			err = sum.WriteText(e.Stdout)
		}
		return errors.Join(err, exit(sum.ExitCode()))
	},
}
