package store

import (
	"fmt"
	"unicode/utf8"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
)

// Input is a task that is to be filled in: two files, two texts, or what Load returns.
type Input struct {
	Name string
	// DomainFile and ProblemFile are used where there is no text.
	DomainFile, ProblemFile string
	DomainText, ProblemText *string
	// Load, if set, gives the texts instead.
	Load func() (domain, problem *pddl.Source, err error)
	// Schedules replace those of the options if not nil.
	Schedules []costmodel.Schedule
	// Err says why this input is not a task.
	Err error
}

// texts reads the input.
func (in *Input) texts() (*Texts, error) {
	if in.Err != nil {
		return nil, in.Err
	}
	var dom, prob *pddl.Source
	var err error
	if in.Load != nil {
		dom, prob, err = in.Load()
	} else if dom, err = source(in.DomainFile, in.DomainText, in.Name+": domain_text"); err == nil {
		prob, err = source(in.ProblemFile, in.ProblemText, in.Name+": problem_text")
	}
	if err != nil {
		return nil, err
	}
	return Canonicalise(dom, prob)
}

func source(file string, text *string, name string) (*pddl.Source, error) {
	if text != nil {
		return pddl.NewSource(name, *text), nil
	}
	return pddl.ReadSource(file)
}

// checkName refuses names that would not survive a listing.
func checkName(name string) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("the id %q is not UTF-8", name)
	}
	for _, c := range name {
		if c < ' ' || c == 0x7f {
			return fmt.Errorf("the id %q holds a control character", name)
		}
	}
	return nil
}
