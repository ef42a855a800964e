package space

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
)

// Format is a format of an exported state space; docs/STATESPACE.md describes them.
type Format string

// Formats.
const (
	JSONL Format = "jsonl" // a header, then one state a line with its transitions
	CSV   Format = "csv"   // one transition a line
	DOT   Format = "dot"   // a drawing, of 10,000 states at most
)

// maxDrawn is the number of states above which nobody can read a drawing any more.
const maxDrawn = 10_000

// formatOf returns the format for a file of some name: JSONL unless it ends in .csv or .dot.
func formatOf(name string) Format {
	switch f := Format(strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), ".")); f {
	case CSV, DOT:
		return f
	}
	return JSONL
}

// ParseFormat reads the name of a format; "" is that of the file, see formatOf.
func ParseFormat(text, file string) (Format, error) {
	f := Format(text)
	if f == "" {
		f = formatOf(file)
	}
	if f != JSONL && f != CSV && f != DOT {
		return "", fmt.Errorf("%q: known are jsonl, csv and dot", f)
	}
	return f, nil
}

// Exporter writes the states and transitions of a table. The texts of facts and steps are
// made once.
type Exporter struct {
	table  *Table
	format Format
	atoms  [][]string // by variable and value: the atom, "" for none
	steps  []string   // by operator
}

// Exporter prepares an export. Errors are an unknown format and a drawing of more than
// 10,000 states.
func (t *Table) Exporter(f Format) (*Exporter, error) {
	switch {
	case f != JSONL && f != CSV && f != DOT:
		return nil, fmt.Errorf("format %q: known are jsonl, csv and dot", f)
	case f == DOT && t.States > maxDrawn:
		return nil, fmt.Errorf("the dot format is for drawings: the space has %d states, more than %d; jsonl and csv hold any number", t.States, maxDrawn)
	}
	x := &Exporter{table: t, format: f}
	task := t.Task()
	for v := range task.Variables {
		atoms := make([]string, task.Variables[v].Size())
		if !task.Variables[v].Auxiliary {
			for val, name := range task.Variables[v].Values {
				atoms[val] = atomText(name)
			}
		}
		x.atoms = append(x.atoms, atoms)
	}
	for o := range task.Operators.Len() {
		x.steps = append(x.steps, task.OperatorName(grounder.OperatorID(o)))
	}
	return x, nil
}

// Write writes the export. observe, which may be nil, is called at intervals of work with
// the number of states written. When ctx ends the error is a *search.LimitError.
func (x *Exporter) Write(ctx context.Context, w io.Writer, observe func(states int64)) error {
	out := bufio.NewWriterSize(w, 1<<18)
	rows := func(visit func(*StateRow) error) error {
		return x.table.Rows(func(r *StateRow) error {
			if r.ID&255 == 0 {
				if observe != nil {
					observe(int64(r.ID))
				}
				if ctx.Err() != nil {
					return &search.LimitError{Status: search.Timeout, States: int64(r.ID)}
				}
			}
			return visit(r)
		})
	}
	var err error
	switch x.format {
	case CSV:
		err = x.csv(out, rows)
	case DOT:
		err = x.dot(out, rows)
	default:
		err = x.jsonl(out, rows)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// eachRow calls a function with every row of the table.
type eachRow func(visit func(*StateRow) error) error

// jsonl writes a header and a line for each state. Names of PDDL need no escapes.
func (x *Exporter) jsonl(out *bufio.Writer, rows eachRow) error {
	task := x.table.Task()
	hash := TaskHash(task)
	fmt.Fprintf(out, `{"format":"planproof-state-space","version":1,"task":"%s","states":%d,"edges":%d,"cost_unit":"%s","cost_base":"%s"}`+"\n",
		hex.EncodeToString(hash[:]), x.table.States, x.table.Edges, task.CostUnit, task.CostBase)
	return rows(func(r *StateRow) error {
		fmt.Fprintf(out, `{"state":%d,"depth":%d,"goal":%v,"cost":%s,"steps":%s,"atoms":[`,
			r.ID, r.Depth, r.Goal, orNull(r.Cost, r.DeadEnd), orNull(r.Steps, r.DeadEnd))
		sep := ""
		for v, val := range r.Values {
			if atom := x.atoms[v][val]; atom != "" {
				fmt.Fprintf(out, `%s"%s"`, sep, atom)
				sep = ","
			}
		}
		out.WriteString("]")
		x.fluents(out, r)
		out.WriteString(`,"edges":[`)
		sep = ""
		for _, t := range r.Transitions {
			fmt.Fprintf(out, `%s[%d,"%s",%d]`, sep, t.To, x.steps[t.Operator], t.Cost)
			sep = ","
		}
		_, err := out.WriteString("]}\n")
		return err
	})
}

// fluents writes the values of numeric fluents that have one, as exact texts.
func (x *Exporter) fluents(out *bufio.Writer, r *StateRow) {
	if len(r.Fluents) == 0 {
		return
	}
	out.WriteString(`,"fluents":{`)
	sep := ""
	for i, units := range r.Fluents {
		if units != grounder.NoValue {
			f := &x.table.Task().Numeric.Fluents[i]
			fmt.Fprintf(out, `%s"%s":"%s"`, sep, f.Name, f.Text(units))
			sep = ","
		}
	}
	out.WriteString("}")
}

// csv writes the transitions. No name of PDDL has a comma or a quote.
func (x *Exporter) csv(out *bufio.Writer, rows eachRow) error {
	out.WriteString("source,target,cost,action\n")
	return rows(func(r *StateRow) error {
		var err error
		for _, t := range r.Transitions {
			_, err = fmt.Fprintf(out, "%d,%d,%d,%s\n", r.ID, t.To, t.Cost, x.steps[t.Operator])
		}
		return err
	})
}

// dot writes a graph: the initial state bold, goal states with two lines, dead ends grey.
func (x *Exporter) dot(out *bufio.Writer, rows eachRow) error {
	out.WriteString("digraph space {\n")
	err := rows(func(r *StateRow) error {
		label := fmt.Sprintf("%d\\nh=%s", r.ID, orNull(r.Cost, r.DeadEnd))
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
		_, err := fmt.Fprintf(out, "  %d [label=\"%s\"%s];\n", r.ID, label, style)
		for _, t := range r.Transitions {
			_, err = fmt.Fprintf(out, "  %d -> %d [label=\"%s\"];\n", r.ID, t.To, x.steps[t.Operator])
		}
		return err
	})
	out.WriteString("}\n")
	return err
}

// orNull is a distance in units of cost or in steps, or "null" for a dead end.
func orNull(n int64, deadEnd bool) string {
	if deadEnd {
		return "null"
	}
	return fmt.Sprint(n)
}

// atomText turns the name of a fact, "Atom on(a, b)", into PDDL: "(on a b)". Facts that
// are no atoms give "". The value of an object fluent, "Atom =in(b, x)", is "(= (in b) x)".
func atomText(name string) string {
	atom, ok := strings.CutPrefix(name, "Atom ")
	if !ok {
		return ""
	}
	pred, args, ok := strings.Cut(strings.TrimSuffix(atom, ")"), "(")
	if !ok {
		return ""
	}
	if fluent, ok := strings.CutPrefix(pred, "="); ok {
		words := append([]string{fluent}, strings.Split(args, ", ")...)
		return "(= (" + strings.Join(words[:len(words)-1], " ") + ") " + words[len(words)-1] + ")"
	}
	if args == "" {
		return "(" + pred + ")"
	}
	return "(" + pred + " " + strings.ReplaceAll(args, ", ", " ") + ")"
}
