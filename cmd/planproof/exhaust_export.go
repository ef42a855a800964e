package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/search/space"
)

// exportFormat returns the format of --export, "" without --export.
func (e env) exportFormat() (space.Format, error) {
	path, format := e.String("export"), space.Format(e.String("export-format"))
	if !e.IsSet("export") {
		if e.IsSet("export-format") {
			return "", errors.New("--export-format needs --export")
		}
		return "", nil
	}
	if path == "-" && (e.IsSet("top") || e.Bool("all-optimal")) {
		return "", errors.New("--export - and the plans would both be on standard output")
	}
	switch format {
	case "":
		return space.FormatOf(path), nil
	case space.JSONL, space.CSV, space.DOT:
		return format, nil
	}
	return "", fmt.Errorf("--export-format %q: known are jsonl, csv and dot", format)
}

// exportSpace writes states and transitions to --export.
func (e env) exportSpace(g *grounded, t *space.Table, format space.Format) error {
	x, err := t.Exporter(format)
	if err != nil {
		return err
	}
	progress := e.liveLine()
	defer progress.Done()
	ctx, cancel := g.limits.context(e.Context.Context)
	defer cancel()
	return e.writeFile(e.String("export"), func(w io.Writer) error {
		return x.Write(ctx, w, func(states int64) {
			progress.Show(fmt.Sprintf("exporting, %d of %d states", states, t.States))
		})
	})
}
