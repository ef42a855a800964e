package oracle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/lru"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
)

// Limits bound what one row can cost. A zero field means its default. Bytes are those
// of live objects: with garbage that is not collected yet the process takes up to
// twice as much.
type Limits struct {
	LineBytes     int   // of an input line; longer ones are skipped (64 MB)
	ResponseBytes int   // of one response (256 KB)
	PlanSteps     int   // of one plan (10,000)
	Items         int   // responses of one line (4,096)
	TaskBytes     int64 // of a domain or problem file (256 MB)
	CacheBytes    int64 // of compiled tasks, estimated (512 MB); half as much is for texts, domains and names
	JudgeWork     int64 // see validator.Options.MaxWork (its default)
	// TableStates bounds the state space of a task whose distances are needed
	// (2,000,000), TableBytes the memory for grounding it and that for making its
	// table (1 GB each), and TableCacheBytes that for the tables that are kept (1 GB).
	TableStates, TableBytes, TableCacheBytes int64
	// TableTime bounds the time for grounding a task and making its table (30 s). It
	// is elapsed time: where it ends the making depends on the machine. The rows of
	// such a task have the status timeout, for as long as the oracle remembers it.
	TableTime time.Duration
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.LineBytes, 64<<20)
	setDefault(&l.ResponseBytes, 256<<10)
	setDefault(&l.PlanSteps, 10_000)
	setDefault(&l.Items, 4096)
	setDefault(&l.TaskBytes, 256<<20)
	setDefault(&l.CacheBytes, 512<<20)
	setDefault(&l.TableStates, 2_000_000)
	setDefault(&l.TableBytes, 1<<30)
	setDefault(&l.TableCacheBytes, 1<<30)
	setDefault(&l.TableTime, 30*time.Second)
	return l
}

func setDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Options of an Oracle.
type Options struct {
	// Reward is the reward of rows that name none; "" is "valid".
	Reward string
	// Rewards are known by their names and addresses beside those of [Rewards].
	Rewards []*reward.Spec
	// Reader reads the responses of rows and requests that name none, and whose task names
	// none; "" is strict.
	Reader extract.Kind
	// Schedule replaces the action costs of every task, if not empty.
	Schedule costmodel.Schedule
	// Strict makes warnings about a task errors, as pddl.Options.Strict does.
	Strict bool
	// Task is the task of rows that name none.
	Task taskref.Ref
	// Dir is where relative paths of rows start; "" is the working directory.
	Dir string
	// Files are those that rows may name; nil is any regular file.
	Files *RowFiles
	// TableDir keeps goal-distance tables between runs; "" keeps none.
	TableDir string
	// Workers is the number of rows scored at the same time; 0 is one per CPU.
	Workers int
	// Limits bound what one row can cost.
	Limits Limits
	// Tasks are known by their hash or id; nil for none.
	Tasks *TaskSet
	// Truth looks ground truth up; nil knows only the gold of Tasks.
	Truth TruthSource
	// Version and Build name the program in answers to requests with a schema.
	Version, Build string
}

// Oracle scores responses. It may be used by any number of goroutines.
type Oracle struct {
	opt    Options
	reward *reward.Spec
	tasks  *lru.Cache[taskref.Key, *task]
	tables *lru.Cache[taskref.Key, madeTable]
	masks  *lru.Cache[taskref.Key, madeMasker]
	// profiles are those of episodes of plan_adapt.
	profiles *lru.Cache[adaptKey, madeProfile]
	refs     *taskref.Resolver
	named    *taskref.Resolver // of the files that rows name

	// Makers of tables: see makeTable.
	making                    sync.RWMutex
	makersBegun, makersActive atomic.Int64
	stragglers                chan struct{} // room for those left behind

	// Work on items of requests with a schema, and preparing their tasks: see slot and
	// ready.
	slots  chan struct{}
	lanes  *lanes
	resets atomic.Uint64 // episodes begun without a seed
}

// New prepares an oracle. What every row would fail by is refused at once: an
// unknown reward, a task of rows that name none which cannot be read or judged, a
// folder for tables that cannot be written to.
func New(opt Options) (*Oracle, error) {
	if opt.Reward == "" {
		opt.Reward = "valid"
	}
	if opt.Reader == "" {
		opt.Reader = extract.Strict
	}
	spec, err := reward.Find(opt.Reward, opt.Rewards)
	if err != nil {
		return nil, err
	}
	opt.Limits = opt.Limits.withDefaults()
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	o := &Oracle{
		opt: opt, reward: spec, stragglers: make(chan struct{}, opt.Workers),
		slots: make(chan struct{}, opt.Workers), lanes: newLanes(context.Background(), opt.Workers),
		tasks:    lru.New[taskref.Key, *task](opt.Limits.CacheBytes, taskSize),
		tables:   lru.New[taskref.Key, madeTable](opt.Limits.TableCacheBytes, tableSize),
		masks:    lru.New[taskref.Key, madeMasker](opt.Limits.TableCacheBytes/4, maskSize),
		profiles: lru.New[adaptKey, madeProfile](opt.Limits.TableCacheBytes/4, profileSize),
		refs:     taskref.NewResolver(taskref.Options{Dir: opt.Dir, MaxFile: opt.Limits.TaskBytes, CacheBytes: opt.Limits.CacheBytes / 4}),
	}
	o.named = o.refs
	if opt.Files != nil {
		o.named = taskref.NewResolver(taskref.Options{Dir: opt.Files.dir, Read: opt.Files.read, CacheBytes: opt.Limits.CacheBytes / 4})
	}
	if !opt.Task.IsZero() {
		if t := o.task(context.Background(), taskref.Ref{}); t.err != nil {
			return nil, t.err
		}
	}
	if opt.TableDir != "" {
		if err := probeDir(opt.TableDir); err != nil {
			return nil, fmt.Errorf("folder for tables: %w", err)
		}
	}
	return o, nil
}

// probeDir makes the folder dir if it is not there and tries to write into it.
func probeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Prepare makes what scoring responses to a task with a reward needs: the compiled
// task and, for a reward over distances, its goal-distance table. Scoring prepares
// a task by itself when its first response comes; Prepare does it beforehand.
func (o *Oracle) Prepare(ctx context.Context, ref taskref.Ref, name string) error {
	spec, err := o.spec(name)
	if err != nil {
		return err
	}
	t := o.task(ctx, ref)
	if t.err != nil {
		return t.err
	}
	if spec.NeedsTable(nil, t.unitCosts()) {
		_, err = o.distances(ctx, t, true)
	}
	return err
}

// PrepareTasks prepares all loaded tasks for the oracle's reward. The error names every task
// that cannot be judged; it ends early with ctx.
func (o *Oracle) PrepareTasks(ctx context.Context) error {
	var errs []error
	for i := 0; i < o.opt.Tasks.Len() && ctx.Err() == nil; i++ {
		t := o.opt.Tasks.At(i)
		if err := o.Prepare(ctx, taskref.Ref{Task: t.Sum}, ""); err != nil {
			errs = append(errs, fmt.Errorf("task %s: %w", cmp.Or(t.ID, t.Sum), err))
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

func (o *Oracle) spec(name string) (*reward.Spec, error) {
	if name == "" {
		return o.reward, nil
	}
	return reward.Find(name, o.opt.Rewards)
}

// Score scores one response. It never fails: what goes wrong is a status. When ctx
// ends before, or while its table is made, the status is timeout.
func (o *Oracle) Score(ctx context.Context, item *rows.Item, name string) (s *rows.Score) {
	spec, err := o.spec(name)
	switch {
	case item.Err != nil:
		return failed(item, rows.StatusBadRow, item.Err.Error())
	case err != nil:
		return failed(item, rows.StatusBadRow, err.Error())
	}
	return o.ScoreBy(ctx, item, spec)
}

// ScoreBy is Score with a reward that need not be one of the oracle's.
func (o *Oracle) ScoreBy(ctx context.Context, item *rows.Item, spec *reward.Spec) (s *rows.Score) {
	defer func() {
		if r := recover(); r != nil {
			s = failed(item, rows.StatusInternal, fmt.Sprintf("%v\n%s", r, debug.Stack()))
		}
	}()
	switch {
	case item.Err != nil:
		return failed(item, rows.StatusBadRow, item.Err.Error())
	case ctx.Err() != nil:
		return failed(item, rows.StatusTimeout, "interrupted before it was scored")
	}
	t := o.taskAt(ctx, item.Task, item.Read)
	if t.err != nil {
		return failed(item, t.status(), t.err.Error())
	}
	var table *distanceTable
	if spec.NeedsTable(item.Gold, t.unitCosts()) {
		var err error
		if table, err = o.distances(ctx, t, true); err != nil {
			status := rows.StatusNoTable
			if errors.Is(err, errTableTime) || errors.Is(err, errInterrupted) {
				status = rows.StatusTimeout
			}
			return failed(item, status, err.Error())
		}
	}
	return o.scoreIn(ctx, t, table, spec, item)
}

// scoreIn scores a response to a task that is ready. If ctx ends before, the status is timeout.
func (o *Oracle) scoreIn(ctx context.Context, t *task, table *distanceTable, spec *reward.Spec, item *rows.Item) *rows.Score {
	reader := o.reader(t, item.Reader)
	s := &rows.Score{ID: item.ID, Group: item.Group, Reader: reader.Kind()}
	e := reward.Evidence{Task: t.sha, Response: item.Response}
	if item.StepRewards {
		if err := spec.CheckSteps(); err != nil {
			return failed(item, rows.StatusBadRow, err.Error())
		}
	}
	var err error
	if e.Gold, err = spec.Gold(item.Gold, t.unitCosts(), table.shortest); err != nil {
		return failed(item, rows.StatusNoGold, err.Error())
	}
	o.judgeResponse(ctx, t, reader, spec, item, &e, s)
	if t.forbids != nil {
		n := t.forbids.violations(e.Extraction.Plan)
		s.Violations = &n
	}
	s.Verdict = e.Verdict
	if s.Status == rows.StatusTimeout {
		s.Error = e.Verdict.Failure.Message
		return s
	}
	if spec.NeedsDistances {
		err := t.measure(ctx, table, spec, &e, s.Status, o.opt.Limits.JudgeWork)
		if errors.Is(err, errSkipWork) {
			return failed(item, rows.StatusTimeout, err.Error())
		}
		if err != nil {
			return failed(item, rows.StatusInternal, err.Error())
		}
	}
	if spec.Refuted(&e) {
		return failed(item, rows.StatusNoGold, fmt.Sprintf("a valid plan costs %s, less than the optimal cost %s of the gold data", e.Verdict.Cost, e.Gold.Cost))
	}
	reward, components := spec.Eval(&e)
	s.Reward, s.Components = &reward, components
	if item.StepRewards {
		if s.StepRewards, s.StepLines, err = table.splitSteps(spec, &e, reward, components["shaping"]); err != nil {
			return failed(item, rows.StatusInternal, err.Error())
		}
	}
	return s
}

// judgeResponse reads the plan of a response and judges it: what e and s say of the answer.
func (o *Oracle) judgeResponse(ctx context.Context, t *task, reader *extract.Reader, spec *reward.Spec, item *rows.Item, e *reward.Evidence, s *rows.Score) {
	if len(item.Response) > o.opt.Limits.ResponseBytes {
		e.Refused = true
		e.Extraction = &extract.Extraction{Reader: s.Reader, Status: extract.StatusNoPlan}
		e.Verdict = notRead(0, fmt.Sprintf("the response has %d bytes, more than %d", len(item.Response), o.opt.Limits.ResponseBytes))
		s.Status = rows.StatusTooLong
		return
	}
	x := reader.Extract(item.Response)
	e.Extraction = &x
	e.Verdict, s.Status = o.judge(ctx, t, &x, item)
	e.Refused = s.Status == rows.StatusTooLong
	// A layout that a grammar made is no merit of the response.
	if e.Constrained = item.Constrained; !e.Constrained && spec.NeedsFormat() {
		e.Format = reward.ReadFormat(item.Response)
	}
	s.Reading = x.Reading
	s.Ambiguous = x.Status == extract.StatusAmbiguous
	s.Extracted = extracted(&x)
}

// measure fills in what a spec needs of distances.
func (t *task) measure(ctx context.Context, table *distanceTable, spec *reward.Spec, e *reward.Evidence, status rows.Status, maxWork int64) (err error) {
	if spec.NeedsProgress() {
		if e.Progress, err = t.progress(ctx, table, false, e, status, maxWork); err != nil {
			return err
		}
	}
	if spec.NeedsSkipping() {
		e.Skipping, err = t.progress(ctx, table, true, e, status, maxWork)
	}
	return err
}

// progress measures where the plan of an answer led, by a table that is
// independent of the judge: if they disagree whether that is the goal, one of them
// is wrong and there is no score.
func (t *task) progress(ctx context.Context, table *distanceTable, skip bool, e *reward.Evidence, status rows.Status, maxWork int64) (*reward.Progress, error) {
	steps, goal := e.Extraction.Plan[:min(e.Verdict.Executed, len(e.Extraction.Plan))], e.Verdict.GoalReached
	if skip && status == rows.StatusInvalid {
		var err error
		if steps, goal, err = t.applicable(ctx, e.Extraction.Plan, maxWork); err != nil {
			return nil, err
		}
	}
	p, err := table.progress(steps)
	if err != nil {
		return nil, err
	}
	judged := status == rows.StatusValid || status == rows.StatusInvalid
	if judged && (p.Reached == 0) != goal {
		return nil, fmt.Errorf("judge and distance table disagree whether the goal is reached (distance %d)", p.Reached)
	}
	return p, nil
}

// failed is a score without a reward.
func failed(item *rows.Item, status rows.Status, message string) *rows.Score {
	return &rows.Score{ID: item.ID, Status: status, Error: spell.Clip(message, maxErrorText), Group: item.Group}
}

// maxErrorText bounds the text of an error in a row.
const maxErrorText = 2000
