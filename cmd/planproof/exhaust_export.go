package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

// exportFormat returns the format of --export, "" if there is none.
func (e env) exportFormat() (string, error) {
	path, format := e.String("export"), e.String("export-format")
	if !e.IsSet("export") {
		if e.IsSet("export-format") {
			return "", errors.New("--export-format needs --export")
		}
		return "", nil
	}
	if path == "-" && (e.IsSet("top") || e.Bool("all-optimal")) {
		return "", errors.New("--export - and the plans would both be on standard output")
	}
	if format == "" {
		switch format = strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); format {
		case "csv", "dot":
		default:
			format = "jsonl"
		}
	}
	switch format {
	case "jsonl", "csv", "dot":
		return format, nil
	}
	return "", fmt.Errorf("--export-format %q: known are jsonl, csv and dot", format)
}

// maxDotStates is the size from which nobody can look at a drawing any more.
const maxDotStates = 10_000

// exportSpace writes states and transitions to --export.
func (e env) exportSpace(g *grounded, t *space.Table, format string) error {
	if format == "dot" && t.States > maxDotStates {
		return fmt.Errorf("the dot format is for drawings: the space has %d states, more than %d; jsonl and csv hold any number", t.States, maxDotStates)
	}
	return e.writeFile(e.String("export"), func(w io.Writer) error {
		x := newExporter(g, t, bufio.NewWriterSize(w, 1<<18))
		x.progress = e.liveLine()
		defer x.progress.done()
		x.ctx = e.Context.Context
		write := map[string]func() error{"jsonl": x.jsonl, "csv": x.csv, "dot": x.dot}[format]
		if err := write(); err != nil {
			return err
		}
		return x.out.Flush()
	})
}

// exporter writes a state space; texts are made once.
type exporter struct {
	task  *grounder.Task
	table *space.Table
	out   *bufio.Writer
	atoms [][]string // by variable and value: the atom, "" for none
	steps []string   // by operator

	ctx      context.Context
	limits   runLimits
	progress *liveLine
}

func newExporter(g *grounded, t *space.Table, out *bufio.Writer) *exporter {
	x := &exporter{task: g.task, table: t, out: out, limits: g.limits}
	for v := range g.task.Variables {
		atoms := make([]string, g.task.Variables[v].Size())
		if !g.task.Variables[v].Auxiliary {
			for val, name := range g.task.Variables[v].Values {
				atoms[val] = atomText(name)
			}
		}
		x.atoms = append(x.atoms, atoms)
	}
	for o := range g.task.Operators {
		x.steps = append(x.steps, g.task.OperatorName(grounder.OperatorID(o)))
	}
	return x
}

// atomText turns the name of a fact, "Atom on(a, b)", into PDDL: "(on a b)". Facts that
// are no atoms give "".
func atomText(name string) string {
	atom, ok := strings.CutPrefix(name, "Atom ")
	if !ok {
		return ""
	}
	pred, args, ok := strings.Cut(strings.TrimSuffix(atom, ")"), "(")
	if !ok {
		return ""
	}
	if args == "" {
		return "(" + pred + ")"
	}
	return "(" + pred + " " + strings.ReplaceAll(args, ", ", " ") + ")"
}

// distance is a number in units of cost, or null.
func distance(n int64, deadEnd bool) string {
	if deadEnd {
		return "null"
	}
	return fmt.Sprint(n)
}

// rows calls visit with every state until a limit or a signal ends the export.
func (x *exporter) rows(visit func(*space.StateRow) error) error {
	return x.table.Rows(func(r *space.StateRow) error {
		if r.ID&255 == 0 {
			x.progress.show(fmt.Sprintf("exporting, %d of %d states", r.ID, x.table.States))
			if _, ok := x.limits.left(); !ok || x.ctx.Err() != nil {
				return &search.LimitError{Status: search.Timeout, States: int64(r.ID)}
			}
		}
		return visit(r)
	})
}

// jsonl writes a header and a line for each state. Names of PDDL need no escapes.
func (x *exporter) jsonl() error {
	hash := space.TaskHash(x.task)
	fmt.Fprintf(x.out, `{"format":"planproof-state-space","version":1,"task":"%s","states":%d,"edges":%d,"cost_unit":"%s","cost_base":"%s"}`+"\n",
		hex.EncodeToString(hash[:]), x.table.States, x.table.Edges, x.task.CostUnit, x.task.CostBase)
	return x.rows(func(r *space.StateRow) error {
		fmt.Fprintf(x.out, `{"state":%d,"depth":%d,"goal":%v,"cost":%s,"steps":%s,"atoms":[`,
			r.ID, r.Depth, r.Goal, distance(r.Cost, r.DeadEnd), distance(r.Steps, r.DeadEnd))
		sep := ""
		for v, val := range r.Values {
			if atom := x.atoms[v][val]; atom != "" {
				fmt.Fprintf(x.out, `%s"%s"`, sep, atom)
				sep = ","
			}
		}
		x.out.WriteString(`],"edges":[`)
		sep = ""
		for _, t := range r.Transitions {
			fmt.Fprintf(x.out, `%s[%d,"%s",%d]`, sep, t.To, x.steps[t.Operator], t.Cost)
			sep = ","
		}
		_, err := x.out.WriteString("]}\n")
		return err
	})
}

// csv writes the transitions. No name of PDDL has a comma or a quote.
func (x *exporter) csv() error {
	x.out.WriteString("source,target,cost,action\n")
	return x.rows(func(r *space.StateRow) error {
		var err error
		for _, t := range r.Transitions {
			_, err = fmt.Fprintf(x.out, "%d,%d,%d,%s\n", r.ID, t.To, t.Cost, x.steps[t.Operator])
		}
		return err
	})
}

// dot writes a graph: the initial state bold, goal states with two lines, dead ends grey.
func (x *exporter) dot() error {
	x.out.WriteString("digraph space {\n")
	err := x.rows(func(r *space.StateRow) error {
		label := fmt.Sprintf("%d\\nh=%s", r.ID, distance(r.Cost, r.DeadEnd))
		style := ""
		switch {
		case r.DeadEnd:
			label, style = fmt.Sprintf("%d\\ndead end", r.ID), " color=grey"
		case r.Goal:
			style = " peripheries=2"
		}
		if r.ID == 0 {
			style += " style=bold"
		}
		_, err := fmt.Fprintf(x.out, "  %d [label=\"%s\"%s];\n", r.ID, label, style)
		for _, t := range r.Transitions {
			_, err = fmt.Fprintf(x.out, "  %d -> %d [label=\"%s\"];\n", r.ID, t.To, x.steps[t.Operator])
		}
		return err
	})
	x.out.WriteString("}\n")
	return err
}
