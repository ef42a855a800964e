package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
)

// LoadedTask is a row of a task file.
type LoadedTask struct {
	ID, Sum                 string
	DomainText, ProblemText string
	// Prompt is what a model is asked, nil if the row has none.
	Prompt json.RawMessage
	// Gold is what the row knows of the task, nil for nothing, and Plan its gold plan.
	Gold *reward.Gold
	Plan []string
	// Reader says how answers to the prompt are read; "" is the oracle's default.
	Reader extract.Kind
}

func (t *LoadedTask) key() taskref.Key {
	return taskref.Inline(t.DomainText, t.ProblemText)
}

// TaskSet holds tasks by content. It is read-only once made.
type TaskSet struct {
	tasks []*LoadedTask
	bySum map[string]*LoadedTask
	byID  map[string]*LoadedTask
}

// Len is the number of different tasks.
func (s *TaskSet) Len() int {
	if s == nil {
		return 0
	}
	return len(s.tasks)
}

// At returns the i-th task, in the order of the file.
func (s *TaskSet) At(i int) *LoadedTask { return s.tasks[i] }

// Find returns a task by its hash or its id, nil if there is none.
func (s *TaskSet) Find(name string) *LoadedTask {
	if s == nil {
		return nil
	}
	if t := s.bySum[name]; t != nil {
		return t
	}
	return s.byID[name]
}

// taskRow is a row of a task file. Other members are ignored.
type taskRow struct {
	ID          json.RawMessage `json:"id"`
	Domain      string          `json:"domain"`
	Problem     string          `json:"problem"`
	DomainText  string          `json:"domain_text"`
	ProblemText string          `json:"problem_text"`
	Task        string          `json:"task"`
	Prompt      json.RawMessage `json:"prompt"`
	Reader      string          `json:"reader"`
	Gold        json.RawMessage `json:"gold"`
	Budget      json.RawMessage `json:"budget"`
}

// LoadTasks reads a task file, JSON Lines as docs/ORACLE.md describes them. Every bad row
// is reported, with its line.
func LoadTasks(path string) (*TaskSet, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadTasks(f, path, filepath.Dir(path))
}

// maxTaskRow bounds a line of a task file.
const maxTaskRow = 64 << 20

// ReadTasks is LoadTasks from a reader. Errors mention name, and paths in rows are
// relative to dir.
func ReadTasks(in io.Reader, name, dir string) (*TaskSet, error) {
	s := &TaskSet{bySum: map[string]*LoadedTask{}, byID: map[string]*LoadedTask{}}
	refs := taskref.NewResolver(taskref.Options{Dir: dir, MaxFile: 256 << 20, CacheBytes: 1 << 30})
	var faults rowjson.Faults
	err := rowjson.EachLine(in, name, maxTaskRow, &faults, func(_ int, line []byte) error { return s.add(line, refs) })
	if err != nil {
		return nil, err
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if len(s.tasks) == 0 {
		return nil, fmt.Errorf("%s: no tasks", name)
	}
	return s, nil
}

func (s *TaskSet) add(line []byte, refs *taskref.Resolver) error {
	t, err := readLoaded(line, refs)
	if err != nil {
		return err
	}
	if t.ID != "" {
		if other := s.byID[t.ID]; other != nil && other.Sum != t.Sum {
			return rowjson.Errorf(rowjson.CodeDuplicate, "id", "two different tasks are called %q", t.ID)
		}
	}
	known := s.bySum[t.Sum]
	switch {
	case known == nil:
		s.bySum[t.Sum] = t
		s.tasks = append(s.tasks, t)
		known = t
	case known.Gold == nil:
		known.Gold, known.Plan = t.Gold, t.Plan
	case t.Gold != nil && contradict(known.Gold, t.Gold):
		return rowjson.Errorf(rowjson.CodeGold, "gold.cost", "the gold cost differs from that of an earlier row about the same task")
	}
	if t.ID != "" {
		s.byID[t.ID] = known
	}
	return nil
}

// readLoaded reads a task from a row.
func readLoaded(line []byte, refs *taskref.Resolver) (*LoadedTask, error) {
	var row taskRow
	if err := rowjson.Unmarshal(line, &row, false); err != nil {
		return nil, err
	}
	t := &LoadedTask{DomainText: row.DomainText, ProblemText: row.ProblemText}
	var err error
	if t.ID, err = rowID(row.ID); err != nil {
		return nil, rowjson.At(rowjson.CodeValue, "id", err)
	}
	if t.DomainText, t.ProblemText, err = row.texts(refs); err != nil {
		return nil, err
	}
	if rowjson.Present(row.Prompt) {
		if t.Prompt, err = rowjson.Compact(row.Prompt); err != nil {
			return nil, rowjson.At(rowjson.CodeValue, "prompt", err)
		}
	}
	if row.Reader != "" {
		if t.Reader, err = extract.ParseKind(row.Reader); err != nil {
			return nil, rowjson.At(rowjson.CodeValue, "reader", err)
		}
	}
	if rowjson.Present(row.Gold) || rowjson.Present(row.Budget) {
		if t.Gold, err = rows.ReadGold(row.Gold, row.Budget); err != nil {
			return nil, err
		}
	}
	if rowjson.Present(row.Gold) {
		var gold struct {
			Plan []string `json:"plan"`
		}
		if err := rowjson.Unmarshal(row.Gold, &gold, false); err != nil { // ReadGold has checked its names
			return nil, rowjson.Errorf(rowjson.CodeType, "gold", "gold.%s", rowjson.Fault(err))
		}
		t.Plan = gold.Plan
	}
	t.Sum = t.key().Sum()
	if strings.HasPrefix(row.Task, "sha256:") && row.Task != t.Sum {
		return nil, rowjson.Errorf(rowjson.CodeHash, "task", "the row's task is %s, and its texts have the hash %s", spell.Clip(row.Task, 80), t.Sum)
	}
	return t, nil
}

// contradict reports whether two golds of one task cannot both be right.
func contradict(g, h *reward.Gold) bool {
	return g.Optimal && h.Optimal && g.Cost != nil && h.Cost != nil && !g.Cost.Equal(*h.Cost)
}

func rowID(raw json.RawMessage) (string, error) {
	if !rowjson.Present(raw) {
		return "", nil
	}
	var id string
	if rowjson.Unmarshal(raw, &id, false) != nil {
		id = string(raw)
	}
	if strings.HasPrefix(id, "sha256:") {
		return "", errors.New(`an id must not begin with "sha256:"`)
	}
	return id, nil
}

// texts finds the texts of the row's task.
func (r *taskRow) texts(refs *taskref.Resolver) (domain, problem string, err error) {
	if r.Task != "" && !strings.HasPrefix(r.Task, "sha256:") {
		key, err := refs.Bundled(r.Task)
		return key.Domain, key.Problem, rowjson.At(rowjson.CodeValue, "task", err)
	}
	key, err := refs.Parts(taskref.Ref{Domain: r.Domain, Problem: r.Problem, DomainText: r.DomainText, ProblemText: r.ProblemText}, time.Time{})
	if part := (*taskref.PartError)(nil); errors.As(err, &part) {
		code, cause := rowjson.CodeFile, part.Err
		if cause == nil {
			code, cause = rowjson.CodeMissing, part
		}
		err = rowjson.At(code, part.Part, cause)
	}
	return key.Domain, key.Problem, err
}
