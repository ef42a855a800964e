package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
)

// TaskSum names a task by content: "sha256:" and the hash of the domain's text, a zero
// byte and the problem's text.
func TaskSum(domain, problem string) string {
	return sumName(taskKey{domain: domain, problem: problem}.sha())
}

func sumName(sum [sha256.Size]byte) string { return "sha256:" + hex.EncodeToString(sum[:]) }

// LoadedTask is a row of a task file.
type LoadedTask struct {
	ID, Sum                 string
	DomainText, ProblemText string
	// Prompt is what a model is asked, nil if the row has none.
	Prompt json.RawMessage
	// Gold is what the row knows of the task, nil for nothing, and Plan its gold plan.
	Gold *reward.Gold
	Plan []string
}

func (t *LoadedTask) key() taskKey {
	return taskKey{"domain_text", t.DomainText, "problem_text", t.ProblemText}
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

// ReadTasks is LoadTasks from a reader; name is told in errors, and paths in rows are
// relative to dir.
func ReadTasks(in io.Reader, name, dir string) (*TaskSet, error) {
	s := &TaskSet{bySum: map[string]*LoadedTask{}, byID: map[string]*LoadedTask{}}
	files := fileCache{maxBytes: 1 << 30}
	var faults rowjson.Faults
	err := rowjson.EachLine(in, name, maxTaskRow, &faults, func(_ int, line []byte) error { return s.add(line, dir, &files) })
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

func (s *TaskSet) add(line []byte, dir string, files *fileCache) error {
	var row taskRow
	if err := json.Unmarshal(line, &row); err != nil {
		return err
	}
	t := &LoadedTask{DomainText: row.DomainText, ProblemText: row.ProblemText}
	var err error
	if t.ID, err = rowID(row.ID); err != nil {
		return rowjson.At(rowjson.CodeValue, "id", err)
	}
	if t.DomainText, t.ProblemText, err = row.texts(dir, files); err != nil {
		return err
	}
	if rowjson.Present(row.Prompt) {
		if t.Prompt, err = rowjson.Compact(row.Prompt); err != nil {
			return rowjson.At(rowjson.CodeValue, "prompt", err)
		}
	}
	if rowjson.Present(row.Gold) || rowjson.Present(row.Budget) {
		if t.Gold, err = rows.ReadGold(row.Gold, row.Budget); err != nil {
			return err
		}
	}
	if rowjson.Present(row.Gold) {
		var gold struct{ Plan []string }
		if err := json.Unmarshal(row.Gold, &gold); err != nil {
			return rowjson.Errorf(rowjson.CodeType, "gold", "gold.%s", rowjson.Fault(err))
		}
		t.Plan = gold.Plan
	}
	t.Sum = TaskSum(t.DomainText, t.ProblemText)
	if strings.HasPrefix(row.Task, "sha256:") && row.Task != t.Sum {
		return rowjson.Errorf(rowjson.CodeHash, "task", "the row's task is %s, and its texts have the hash %s", spell.Clip(row.Task, 80), t.Sum)
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

// contradict reports whether two golds of one task cannot both be right.
func contradict(g, h *reward.Gold) bool {
	return g.Optimal && h.Optimal && g.Cost != nil && h.Cost != nil && !g.Cost.Equal(*h.Cost)
}

func rowID(raw json.RawMessage) (string, error) {
	if !rowjson.Present(raw) {
		return "", nil
	}
	var id string
	if json.Unmarshal(raw, &id) != nil {
		id = string(raw)
	}
	if strings.HasPrefix(id, "sha256:") {
		return "", errors.New(`an id must not begin with "sha256:"`)
	}
	return id, nil
}

func (r *taskRow) texts(dir string, files *fileCache) (domain, problem string, err error) {
	if r.Task != "" && !strings.HasPrefix(r.Task, "sha256:") {
		d, p, err := domains.Load(r.Task)
		if err != nil {
			return "", "", rowjson.At(rowjson.CodeValue, "task", err)
		}
		return d.Text, p.Text, nil
	}
	read := func(path, text, what string) (string, error) {
		switch {
		case text != "":
			return text, nil
		case path == "":
			return "", rowjson.Errorf(rowjson.CodeMissing, what, "no %s", what)
		case !filepath.IsAbs(path):
			path = filepath.Join(dir, path)
		}
		text, err := files.read(path, 256<<20, time.Time{})
		return text, rowjson.At(rowjson.CodeFile, what, err)
	}
	if domain, err = read(r.Domain, r.DomainText, "domain"); err == nil {
		problem, err = read(r.Problem, r.ProblemText, "problem")
	}
	return domain, problem, err
}
