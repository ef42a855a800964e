package main

import (
	"errors"
	"fmt"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"

	"github.com/rogpeppe/go-internal/diff"
)

var fmtCommand = command{
	name: "fmt", usage: "lay PDDL files out canonically, comments kept", args: "FILE...",
	spec: `write,w:bool diff,d:bool`,
	action: func(e env) error {
		if e.Bool("write") && e.Bool("diff") {
			return errors.New("-w and -d exclude each other")
		}
		if e.NArg() == 0 {
			return errors.New("fmt needs a file, or - for standard input")
		}
		code := exitYes
		for _, name := range e.Args().Slice() {
			src, err := e.ReadSource(name)
			if err != nil { // the other files are still formatted
				if err := e.Unreadable(name, err); err != nil {
					return err
				}
				code = exitBad
				continue
			}
			c, err := e.formatOne(name, src)
			if err != nil {
				return err
			}
			code = max(code, c)
		}
		return exit(code)
	},
}

func (e env) formatOne(name string, src *pddl.Source) (code int, err error) {
	text, row := pddl.FormatReport(src)
	row.Diagnostics.Format(e.Stderr)
	switch {
	case row.Diagnostics.HasErrors():
		code = exitBad
	case e.Bool("write") && name != "-":
		if row.Changed {
			err = e.WriteText(name, text)
		}
	case e.Bool("diff"):
		if row.Changed {
			code = exitNo
			if !e.Bool("json") {
				_, err = e.Stdout.Write(diff.Diff(src.Name, []byte(src.Text), src.Name+" (formatted)", []byte(text)))
			}
		}
	case e.Bool("json"):
		row.Text = &text
	default:
		_, err = fmt.Fprint(e.Stdout, text)
	}
	if err == nil && e.Bool("json") {
		err = rowjson.WriteLine(e.Stdout, row)
	}
	return code, err
}
