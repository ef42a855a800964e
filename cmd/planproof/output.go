package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/rltrain/rows"
)

// printJSON writes v as one line of JSON. HTML escaping is off: plans and formulas
// contain < and >.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// print prints v as JSON with --json, and by text otherwise.
func (e env) print(v any, text func(io.Writer) error) error {
	if e.Bool("json") {
		return printJSON(e.out, v)
	}
	return text(e.out)
}

// printRows prints rows as JSON Lines.
func printRows[T any](e env, rows []T) error {
	for i := range rows {
		if err := printJSON(e.out, &rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// rows returns where rows of verdicts and scores go: readable lines, or as they are with --json.
func (e env) rows() io.Writer {
	if e.Bool("json") {
		return e.out
	}
	return rows.Readable(e.out)
}

// writeFile replaces path by what write produces, or leaves it as it was.
func (e env) writeFile(path string, write func(io.Writer) error) error {
	return outfile.Write(path, outfile.Std{Out: e.out, Err: e.err}, write)
}

// writeText is writeFile of a text.
func (e env) writeText(path, text string) error {
	return e.writeFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// outputs refuses outputs, by the names of their flags, that would overwrite each other or
// an input, or be mixed.
func (e env) outputs(names ...string) error {
	var list []outfile.Output
	for _, name := range names {
		if e.String(name) == "" && e.IsSet(name) {
			return fmt.Errorf("--%s: the name of the file is empty", name)
		}
		list = append(list, outfile.Output{Flag: "--" + name, Path: e.String(name)})
	}
	stdout := ""
	if e.Bool("json") {
		stdout = "--json"
	}
	return outfile.Distinct(list, stdout, e.Args().Slice()...)
}

// unreadable reports one of several inputs that cannot be read.
func (e env) unreadable(name string, err error) error {
	fmt.Fprintf(e.err, "planproof: %v\n", err)
	if !e.Bool("json") {
		return nil
	}
	return printJSON(e.out, map[string]string{"id": name, "error": err.Error()})
}
