package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planproof/planproof/llmbridge/extract"
)

// Splits of a data set. A structure is in one of train, val and test-clean; those of
// test-contaminated are in train too, with other names.
const (
	Train            = "train"
	Val              = "val"
	TestClean        = "test-clean"
	TestContaminated = "test-contaminated"
)

// Splits lists the splits in the order of the documentation.
func Splits() []string { return []string{Train, Val, TestClean, TestContaminated} }

// Record is a row of a data set: a task, what a model is asked, and what is known of the
// answer. Its JSON is the plain format, whose rows planproof oracle --tasks reads too.
type Record struct {
	// ID is unique in the data set.
	ID string `json:"id"`
	// Task is the task's content address, taskref.Sum of the two texts below.
	Task string `json:"task"`
	// Structure is the address of the task up to the names of its objects ([StructureOf]).
	Structure string `json:"structure"`
	// BaseStructure is the same without the constraints. It decides on the split: rows that
	// share one are copies of one task for statistics.
	BaseStructure string `json:"base_structure"`
	Split         string `json:"split"`
	// Family names the kind of task, "blocksworld".
	Family      string `json:"family"`
	DomainText  string `json:"domain_text"`
	ProblemText string `json:"problem_text"`
	// System is the system message of all prompts, "" for none.
	System string `json:"system,omitempty"`
	// The prompts: in full, without the constraints, without the goal, and without both.
	// They say nothing of what follows.
	Prompt              string `json:"prompt"`
	PromptUnconstrained string `json:"prompt_unconstrained"`
	PromptGoalMasked    string `json:"prompt_goal_masked"`
	PromptBothMasked    string `json:"prompt_both_masked"`
	// Reader reads the answers to the prompts: "strict" if these state the answer contract.
	Reader extract.Kind `json:"reader"`
	// Answer is the gold plan in the form that the prompt asks for.
	Answer string `json:"answer"`
	Gold   Gold   `json:"gold"`
	// Difficulty is the optimal cost, and Bin the range of difficulties that the row is
	// in, "5-6".
	Difficulty float64 `json:"difficulty"`
	Bin        string  `json:"bin"`
	// Constraints are the forbidden ground actions that the task's constraints name,
	// "(forbidden-stack a b)".
	Constraints []string `json:"constraints,omitempty"`

	// What formats derive from the record, so that it is made once for all of them.
	shared *derived
}

// Gold is what is known of the answer: a cheapest plan.
type Gold struct {
	// Plan holds the steps in PDDL, "(stack a b)".
	Plan  []string `json:"plan"`
	Steps int      `json:"steps"`
	// Cost is exact: a number or a fraction.
	Cost string `json:"cost"`
	// Optimal says that no plan is cheaper, proven by search.
	Optimal bool `json:"optimal"`
	// Slack is what a loose budget adds to the cost (costmodel.Rounds); "" where no
	// schedule prices the actions.
	Slack string `json:"slack,omitempty"`
}

// Messages returns a prompt as a chat: the system message if there is one, and prompt as
// the user's.
func (r *Record) Messages(prompt string) []Message {
	var m []Message
	if r.System != "" {
		m = append(m, Message{"system", r.System})
	}
	return append(m, Message{"user", prompt})
}

// Message is a message of a chat.
type Message struct {
	Role    string `json:"role" parquet:"role"`
	Content string `json:"content" parquet:"content"`
}

// Writer writes the records of one split. The caller owns what it writes to.
type Writer interface {
	// Make makes of a record what stands in the file for it. It may be called for several
	// records at a time, though not twice for one, and for records in any order.
	Make(context.Context, *Record) (made any, err error)
	// Write writes what Make made, record by record in the order of the split.
	Write(made any) error
	// Close writes what is left. A writer that has failed need not be closed.
	Close() error
}

// Format is a way to write a data set.
type Format struct {
	Name string
	// Doc is one line for people.
	Doc string
	// File names the file of a split relative to the folder of the data set, with slashes.
	// Splits without rows have no file.
	File func(split string) string
	// New starts a file. The manifest has the options of the data set and its counts, but
	// not yet its files.
	New func(w io.Writer, split string, m *Manifest) (Writer, error)
}

var formats []Format

// Register adds a format; it is called from init functions of this package's files.
func register(f Format) {
	formats = append(formats, f)
	slices.SortFunc(formats, func(a, b Format) int { return strings.Compare(a.Name, b.Name) })
}

// Formats lists the formats by name.
func Formats() []Format { return slices.Clone(formats) }

// FindFormat returns the format of a name.
func FindFormat(name string) (Format, error) {
	names := make([]string, len(formats))
	for i, f := range formats {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return Format{}, fmt.Errorf("there is no format %q: there are %s", name, strings.Join(names, ", "))
}

func init() {
	register(Format{
		Name: "jsonl", Doc: "plain JSON Lines, one row a task; also a task file for planproof oracle",
		File: func(split string) string { return split + ".jsonl" },
		New: func(w io.Writer, _ string, _ *Manifest) (Writer, error) {
			return rowsTo(w, "jsonl", one(func(r *Record) *Record { return r })), nil
		},
	})
}
