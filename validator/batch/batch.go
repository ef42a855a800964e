// Package batch judges plans in rows of JSON Lines, several at a time, in order.
//
//	line ─► scan ─► members as they came ─► tools.task: seen before? ─► *compiled
//	         │                                   └─► taskref ─► Key ─► judges (kept by content)
//	         └─► plan ─► pddl.PlanReader ─► judge ─► verdict ─► a line of JSON
//
// Most rows name the same few tasks in the same words, so each goroutine remembers what such
// words meant: neither are they decoded again nor is a task looked up by its text. Files are
// looked at again for each piece of the input, not for each row.
package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/lru"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Options of [Run]. The zero value is fine.
type Options struct {
	// Workers judge rows in parallel; 0 means one per processor. The output does not
	// depend on it.
	Workers int
	// Tasks finds and parses the tasks of rows; nil reads regular files, and bundled tasks by
	// their names.
	Tasks *taskref.Rows
	// Judge holds the limits of the judge.
	Judge validator.Options
	// Reprice, if set, changes each problem before it is compiled (a cost schedule,
	// for instance). It must not change its argument.
	Reprice func(*pddl.Problem) (*pddl.Problem, error)
	// CrossCheck judges with the second judge as well; a row on which the two differ is an error.
	CrossCheck bool
	// Explain adds an Explanation to the verdicts on invalid plans.
	Explain bool
	// Memory, if positive, is the Scratch.MaxBytes of each row.
	Memory int64
	// Epsilon and Tolerance are for rows without "epsilon" and "duration_tolerance"; see
	// [validator.Scratch].
	Epsilon, Tolerance pddl.Number
	// MaxRow is the longest row that is read, in bytes, and CacheBytes the memory that compiled
	// tasks are kept in; 0 stands for 64 MB, a plan of some two million steps, and 512 MB.
	MaxRow     int
	CacheBytes int64
}

const (
	defaultMaxRow     = 64 << 20
	defaultCacheBytes = 512 << 20
	// maxTexts bounds the texts of files that are kept.
	maxTexts = 64 << 20
)

// Stats counts the rows written so far.
type Stats struct {
	Rows, Valid, Invalid int
	Undecided            int // a limit ended judging
	Errors               int // rows with "error"
}

func (s Stats) String() string {
	return fmt.Sprintf("%s: %d valid, %d invalid, %d undecided, %s", spell.Plural(s.Rows, "row"), s.Valid, s.Invalid, s.Undecided, spell.Plural(s.Errors, "error"))
}

func (s *Stats) add(k kind) {
	s.Rows++
	switch k {
	case valid:
		s.Valid++
	case invalid:
		s.Invalid++
	case undecided:
		s.Undecided++
	default:
		s.Errors++
	}
}

// answer is a line of JSON.
type answer struct {
	text []byte
	kind kind
}

type kind uint8

const (
	faulty kind = iota
	valid
	invalid
	undecided
)

// Run judges plans in rows of JSON Lines. A row has the fields
//
//	id                        any JSON value, repeated in the answer
//	domain, problem           names of files; or
//	domain_text, problem_text the PDDL itself; or
//	task                      the name of a bundled task; besides the texts it may be their
//	                          hash, "sha256:..."
//	plan                      a string, or a list of steps
//	epsilon                   optional, see [validator.Scratch]
//	duration_tolerance        optional, see [validator.Scratch]
//
// For each row it writes one row, in order: the verdict with the id, or {"id", "error"}
// for a row that cannot be judged, which does not stop the others. Blank lines are
// skipped. The error is that of reading, of writing or of ctx, whose end also ends the row
// that is being judged; the rows written until then are complete.
func Run(ctx context.Context, in io.Reader, w io.Writer, opt Options) (stats Stats, err error) {
	if opt.MaxRow <= 0 {
		opt.MaxRow = defaultMaxRow
	}
	if opt.CacheBytes <= 0 {
		opt.CacheBytes = defaultCacheBytes
	}
	if opt.Tasks == nil {
		r := taskref.NewResolver(taskref.Options{MaxFile: pddl.MaxSourceSize, CacheBytes: maxTexts, ShortNames: true})
		opt.Tasks = &taskref.Rows{Resolver: r}
	}
	b := &batch{opt: opt, judges: lru.New[taskref.Key, *compiled](opt.CacheBytes, compiledBytes)}
	out := bufio.NewWriterSize(w, 1<<16)
	err = rowstream.Run(ctx, in, rowstream.Options{Workers: opt.Workers, MaxLine: opt.MaxRow, Reuse: true}, b.answer,
		func(a answer) error {
			if a.text == nil { // cut short
				return ctx.Err()
			}
			stats.add(a.kind)
			_, err := out.Write(a.text)
			return err
		}, out.Flush)
	if err != nil && ctx.Err() != nil {
		err = errors.Join(ctx.Err(), out.Flush())
	}
	return stats, err
}

// batch is one run.
type batch struct {
	opt    Options
	judges *lru.Cache[taskref.Key, *compiled]
	tools  sync.Pool // of *tools
}

// row is what a row says. Values are parts of the line.
type row struct {
	id, plan, epsilon, tolerance json.RawMessage
	task                         [taskMembers][]byte
}

// The members that name a task.
const (
	domainFile = iota
	problemFile
	domainText
	problemText
	taskName
	taskMembers
)

// set gives a member its value. Other columns are ignored. It is false for a value that
// scan leaves to slowRow.
func (r *row) set(name, value []byte) bool {
	part := -1
	switch string(name) {
	case "id":
		r.id = value
	case "plan":
		r.plan = value
	case "epsilon":
		r.epsilon = value
	case "duration_tolerance":
		r.tolerance = value
	case "domain":
		part = domainFile
	case "problem":
		part = problemFile
	case "domain_text":
		part = domainText
	case "problem_text":
		part = problemText
	case "task":
		part = taskName
	}
	if part < 0 || value[0] == 'n' { // null
		return true
	}
	r.task[part] = value
	return value[0] == '"'
}

// slowRow is a row for encoding/json, which says what is wrong with it.
type slowRow struct {
	ID          json.RawMessage `json:"id"`
	Domain      string          `json:"domain"`
	Problem     string          `json:"problem"`
	DomainText  string          `json:"domain_text"`
	ProblemText string          `json:"problem_text"`
	Task        string          `json:"task"`
	Plan        json.RawMessage `json:"plan"`
	Epsilon     json.RawMessage `json:"epsilon"`
	Tolerance   json.RawMessage `json:"duration_tolerance"`
}

// read reads a row: in one pass, or, if there is anything unusual about it, slowly.
func (r *row) read(line []byte, known func([]byte) []byte) error {
	if rowjson.ScanKnown(line, known, r.set) {
		return nil
	}
	*r = row{}
	var slow slowRow
	err := rowjson.Unmarshal(line, &slow, false)
	r.id, r.plan, r.epsilon, r.tolerance = slow.ID, slow.Plan, slow.Epsilon, slow.Tolerance
	for i, text := range [taskMembers]string{slow.Domain, slow.Problem, slow.DomainText, slow.ProblemText, slow.Task} {
		if text != "" {
			r.task[i] = rowjson.AppendText(nil, text)
		}
	}
	return err
}

var errPlan = errors.New("plan is neither a string nor a list of steps")

// planText appends the plan of a row as text: given as a string, or as a list of steps.
func planText(b []byte, raw json.RawMessage) ([]byte, error) {
	switch {
	case !rowjson.Present(raw):
		return b, errors.New("no plan")
	case raw[0] == '"':
		b, err := rowjson.AppendString(b, raw)
		if err != nil {
			return b, errPlan
		}
		return b, nil
	}
	var steps []string
	if rowjson.Unmarshal(raw, &steps, false) != nil {
		return b, errPlan
	}
	return append(b, strings.Join(steps, "\n")...), nil
}

// gapOr reads an optional length of time of a row: a number, or one in a string.
func gapOr(name string, raw json.RawMessage, otherwise pddl.Number) (pddl.Number, error) {
	text := strings.Trim(string(raw), `"`)
	if text == "" || text == "null" {
		return otherwise, nil
	}
	return validator.ParseGap(name, text)
}
