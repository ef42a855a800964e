package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// maxInput is the size of the largest text that is read: positions are 32-bit
// offsets.
const maxInput = 1<<32 - 1

// maxStream is the size of the largest text that is read from a pipe or device, whose
// end nobody knows beforehand.
const maxStream = 512 << 20

// readSource reads a file, or standard input for "-", which can be read only once.
func (e env) readSource(name string) (*pddl.Source, error) {
	if name == "" {
		return nil, errors.New("the name of an input file is empty")
	}
	if name == "-" {
		if *e.stdinRead {
			return nil, errors.New("only one input can be standard input")
		}
		*e.stdinRead = true
		return readStream("<stdin>", e.in)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readStream(name, f)
	}
	if info.IsDir() {
		return nil, folderError(name)
	}
	if info.Size() > maxInput {
		return nil, fmt.Errorf("%s is larger than 4 GB", name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return pddl.NewSourceBytes(name, data), nil
}

func readStream(name string, r io.Reader) (*pddl.Source, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxStream+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxStream {
		return nil, fmt.Errorf("%s: more than %d MB; write it to a file first", name, maxStream>>20)
	}
	return pddl.NewSourceBytes(name, data), nil
}

// isBundled tells a bundled name such as blocksworld:4-17 from a file: a file of
// that name wins.
func isBundled(name string) bool {
	if !strings.Contains(name, ":") {
		return false
	}
	_, err := os.Stat(name)
	return err != nil
}

// taskSources takes the task off the front of the arguments: DOMAIN PROBLEM, or one
// bundled name. It returns the two texts and the other arguments.
func (e env) taskSources(args []string) (dom, prob *pddl.Source, rest []string, err error) {
	if len(args) > 0 && isBundled(args[0]) {
		dom, prob, err = domains.Load(args[0])
		return dom, prob, args[1:], err
	}
	if len(args) < 2 {
		return nil, nil, nil, fmt.Errorf("%s needs DOMAIN and PROBLEM (or one bundled name like blocksworld:4-17); see planproof %s --help", e.Command.Name, e.Command.Name)
	}
	if dom, err = e.readSource(args[0]); err != nil {
		return nil, nil, nil, err
	}
	if prob, err = e.readSource(args[1]); err != nil {
		return nil, nil, nil, err
	}
	return dom, prob, args[2:], nil
}

// parseTask parses both texts and prints their diagnostics to standard error. A nil
// problem means that there were errors.
func (e env) parseTask(dom, prob *pddl.Source, opt pddl.Options) (*pddl.Problem, pddl.Diagnostics) {
	d, diags := pddl.ParseDomain(dom, opt)
	p, more := pddl.ParseProblem(prob, d, opt)
	diags = append(diags, more...)
	diags.Format(e.err)
	return p, diags
}

// task reads the task that the arguments name. When it has errors they are printed,
// with --json also as an object on standard output, and the error sets code 2.
func (e env) task() (p *pddl.Problem, rest []string, err error) {
	dom, prob, rest, err := e.taskSources(e.Args().Slice())
	if err != nil {
		return nil, nil, err
	}
	p, diags := e.parseTask(dom, prob, pddl.Options{Strict: e.Bool("strict")})
	if p == nil || diags.HasErrors() {
		return nil, nil, e.refuse(diags)
	}
	return p, rest, nil
}

// refuse ends a command whose input is bad. The diagnostics have been printed.
func (e env) refuse(diags pddl.Diagnostics) error {
	if e.Bool("json") {
		msg := "the input has errors"
		for _, d := range diags {
			if d.Severity == pddl.Error {
				msg = d.String()
				break
			}
		}
		if err := printJSON(e.out, map[string]any{"error": msg}); err != nil {
			return err
		}
	}
	return exit(exitBad)
}
