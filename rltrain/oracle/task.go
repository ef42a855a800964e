package oracle

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/validator"
)

// task is a task made ready for judging.
type task struct {
	err     error // why it cannot be judged; nothing else is set then
	key     taskKey
	sha     [sha256.Size]byte // see taskKey.sha
	sum     string            // sha as requests name it
	problem *pddl.Problem
	judge   *validator.Judge
	reader  *extract.Reader
	forbids *forbidden // nil: nothing
	scratch sync.Pool
}

// taskKey is all that a task depends on. The names are part of it since messages
// carry them.
type taskKey struct {
	domainName, domain, problemName, problem string
}

// Bytes that a reader of responses takes whatever the task, and for each object;
// measured, with something to spare.
const (
	readerBytes    = 128 << 10
	readerPerName  = 640
	readerPerBytes = 16  // of the domain's text, with the domain itself
	forbiddenBytes = 128 // of a restriction
)

// taskSize estimates the memory of a compiled task: its texts, the judge with a
// scratch, and the reader of responses.
func taskSize(k taskKey, t *task) int64 {
	n := 1<<10 + k.bytes()
	if t.err != nil {
		return n
	}
	if t.forbids != nil {
		n += forbiddenBytes * int64(t.forbids.count)
	}
	return n + t.judge.Memory()*3/2 + readerBytes + readerPerName*int64(len(t.problem.Objects)) + readerPerBytes*int64(len(k.domain))
}

func (k taskKey) bytes() int64 {
	return int64(len(k.domainName) + len(k.domain) + len(k.problemName) + len(k.problem))
}

type domainKey struct{ name, text string }

type parsedDomain struct {
	domain *pddl.Domain
	err    error
}

// task returns the task that ref names, compiled and cached. Errors are in the
// task.
func (o *Oracle) task(ref rows.TaskRef) *task { return o.taskAt(ref, time.Time{}) }

// taskAt is task for who asked at a time: files are as they were then or later. The zero
// time is now.
func (o *Oracle) taskAt(ref rows.TaskRef, at time.Time) *task {
	key, err := o.resolve(ref, at)
	if err != nil {
		return &task{err: err}
	}
	return o.tasks.get(key, func() *task { return o.compile(key) })
}

// compile reads and checks a task and prepares its judge.
func (o *Oracle) compile(key taskKey) (t *task) {
	defer func() {
		if r := recover(); r != nil {
			t = &task{err: fmt.Errorf("internal error while reading the task: %v\n%s", r, debug.Stack())}
		}
	}()
	d := o.domains.get(domainKey{key.domainName, key.domain}, func() (p parsedDomain) {
		dom, diags := pddl.ParseDomain(&pddl.Source{Name: key.domainName, Text: key.domain}, pddl.Options{})
		return parsedDomain{dom, diags.FirstError()}
	})
	if d.err != nil {
		return &task{err: d.err}
	}
	if d.domain == nil {
		return &task{err: errors.New("internal error: the domain was not read")}
	}
	problem, diags := pddl.ParseProblem(&pddl.Source{Name: key.problemName, Text: key.problem}, d.domain, pddl.Options{})
	if err := diags.FirstError(); err != nil {
		return &task{err: err}
	}
	priced, err := o.opt.Schedule.Apply(problem)
	if err != nil {
		return &task{err: err}
	}
	judge, err := validator.NewJudge(priced, validator.Options{MaxWork: o.opt.Limits.JudgeWork})
	if err != nil {
		var diags pddl.Diagnostics
		if errors.As(err, &diags) {
			err = diags.FirstError()
		}
		return &task{err: err}
	}
	t = &task{key: key, sha: key.sha(), problem: priced, judge: judge, reader: extract.NewReader(priced.Domain, priced), forbids: newForbidden(priced)}
	t.sum = sumName(t.sha)
	t.scratch.New = func() any { return judge.NewScratch() }
	return t
}

// unitCosts reports whether every action of the task costs 1.
func (t *task) unitCosts() bool { return t.problem.Metric == nil }

// resolve finds the texts of a task.
func (o *Oracle) resolve(ref rows.TaskRef, at time.Time) (taskKey, error) {
	if ref.IsZero() {
		ref = o.opt.Task
	}
	var key taskKey
	switch {
	case ref.IsZero():
		return key, errors.New("no task: neither domain and problem, nor their text, nor the name of a bundled task")
	case ref.DomainText != "" && ref.ProblemText != "":
		return taskKey{"domain_text", ref.DomainText, "problem_text", ref.ProblemText}, nil
	case ref.Task != "":
		if t := o.opt.Tasks.Find(ref.Task); t != nil {
			return t.key(), nil
		}
		if strings.HasPrefix(ref.Task, "sha256:") {
			return key, fmt.Errorf("no task %s is loaded", spell.Clip(ref.Task, 80))
		}
		return o.bundled(ref.Task)
	case ref.Domain != "" && ref.Problem == "" && ref.ProblemText == "" && domains.IsName(ref.Domain):
		return o.bundled(ref.Domain)
	}
	var err error
	key.domainName, key.domain, err = o.text(ref.Domain, ref.DomainText, "domain", at)
	if err == nil {
		key.problemName, key.problem, err = o.text(ref.Problem, ref.ProblemText, "problem", at)
	}
	return key, err
}

// namedTask is what the name of a bundled task stands for.
type namedTask struct {
	key taskKey
	err error
}

func (o *Oracle) bundled(name string) (taskKey, error) {
	t := o.named.get(name, func() (t namedTask) {
		d, p, err := domains.Load(name)
		if err != nil {
			return namedTask{err: err}
		}
		return namedTask{key: taskKey{d.Name, d.Text, p.Name, p.Text}}
	})
	return t.key, t.err
}

// text returns inline text or reads a file.
func (o *Oracle) text(path, inline, what string, at time.Time) (name, text string, err error) {
	switch {
	case inline != "":
		return what + "_text", inline, nil
	case path == "":
		return "", "", fmt.Errorf("no %s", what)
	}
	full := path
	if o.opt.Dir != "" && !filepath.IsAbs(full) {
		full = filepath.Join(o.opt.Dir, full)
	}
	text, err = o.files.read(full, o.opt.Limits.TaskBytes, at)
	if err != nil {
		return "", "", fmt.Errorf("%s %w", what, err)
	}
	return path, text, nil
}

// fileCache keeps the texts of files, so that a thousand rows about one task read
// it once. A file whose size or time has changed is read again.
type fileCache struct {
	mu       sync.Mutex
	files    map[string]cachedFile
	bytes    int64
	maxBytes int64
}

type cachedFile struct {
	text string
	size int64
	time time.Time
	seen time.Time // when the file was such
}

// read returns the text of a file as it was at a time or later; the zero time is now.
func (c *fileCache) read(path string, limit int64, at time.Time) (string, error) {
	c.mu.Lock()
	f, ok := c.files[path]
	c.mu.Unlock()
	if ok && !at.IsZero() && f.seen.After(at) {
		return f.text, nil
	}
	now := time.Now()
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	switch {
	case !info.Mode().IsRegular():
		// A pipe or a device could block for ever or never end.
		return "", fmt.Errorf("%s: not a regular file", path)
	case info.Size() > limit:
		return "", fmt.Errorf("%s: %d bytes, more than %d", path, info.Size(), limit)
	}
	if ok && f.size == info.Size() && f.time.Equal(info.ModTime()) {
		f.seen = now
		c.mu.Lock()
		defer c.mu.Unlock()
		if _, ok := c.files[path]; ok {
			c.files[path] = f
		}
		return f.text, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var b strings.Builder
	b.Grow(int(info.Size()))
	if _, err := io.Copy(&b, io.LimitReader(file, limit)); err != nil {
		return "", err
	}
	f = cachedFile{text: b.String(), size: info.Size(), time: info.ModTime(), seen: now}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes += f.size; c.bytes > c.maxBytes || c.files == nil {
		c.files, c.bytes = map[string]cachedFile{}, f.size
	}
	c.files[path] = f
	return f.text, nil
}

// sha is the hash of a task: of the domain's text, a zero byte and the problem's text.
func (k taskKey) sha() (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write([]byte(k.domain))
	h.Write([]byte{0})
	h.Write([]byte(k.problem))
	h.Sum(sum[:0])
	return sum
}
