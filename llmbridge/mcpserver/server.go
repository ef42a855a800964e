package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/domains/tools"
	"github.com/planproof/planproof/internal/lru"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/rltrain/oracle"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options of a [Server]. A zero field means its default.
type Options struct {
	// Time is the most that a call may take (60 s), and Memory what grounding and search of one call
	// may each take (1 GB). A call can ask for less.
	Time   time.Duration
	Memory int64
	// Slots is how many calls are worked on at a time (one per CPU), and Queue how many may wait (64).
	Slots, Queue int
	// Text bounds each text of a call (8 MB) and Frame a whole request (20 MB), in bytes; Steps
	// bounds the plan of a call (10,000).
	Text, Frame int64
	Steps       int
	// Sessions bounds the open sessions of a connection (16), Results the bytes of certificates that
	// it keeps (64 MB), Connections the connections over HTTP (64). Idle closes sessions, and
	// connections over HTTP, that are not used (30 minutes).
	Sessions    int
	Results     int64
	Connections int
	Idle        time.Duration
	// Files are those that calls may name; nil is none.
	Files *oracle.RowFiles
	// Log is where bugs are written; nil is nowhere.
	Log io.Writer
}

func (o *Options) setDefaults() {
	o.Time = cmp.Or(o.Time, time.Minute)
	o.Memory = cmp.Or(o.Memory, 1<<30)
	o.Slots = cmp.Or(o.Slots, runtime.NumCPU())
	o.Queue = cmp.Or(o.Queue, 64)
	o.Text = cmp.Or(o.Text, 8<<20)
	o.Frame = cmp.Or(o.Frame, 20<<20)
	o.Steps = cmp.Or(o.Steps, 10_000)
	o.Sessions = cmp.Or(o.Sessions, 16)
	o.Results = cmp.Or(o.Results, 64<<20)
	o.Connections = cmp.Or(o.Connections, 64)
	o.Idle = cmp.Or(o.Idle, 30*time.Minute)
	if o.Files == nil {
		o.Files = oracle.NoFiles()
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
}

// Server answers the calls of any number of connections.
type Server struct {
	opt   Options
	mcp   *mcp.Server
	tasks *taskref.Resolver
	// What calls about the same task share; tasks and guards are never changed.
	parsed  *lru.Cache[taskref.Key, *planproof.Task]
	runners *lru.Cache[guardKey, *tools.Runner]
	slots   chan struct{} // one each for calls that are worked on
	queue   chan struct{} // one each for calls, the waiting ones included

	mu         sync.Mutex
	workspaces map[*mcp.ServerSession]*workspace
}

// cacheBytes bounds each cache, by estimates: what compiles to more is made again for each call.
const cacheBytes = 64 << 20

const instructions = `planproof judges and finds plans for PDDL tasks. Every answer is proved or says why there is none.
A task is the name of a bundled one ("blocksworld:4-17"), domain_text and problem_text, or the session of a walk.
To plan step by step: session_open, then applicable and session_step; session_undo and session_fork try other ways,
regret says what the steps so far have cost beyond the best plan. To check a plan: validate, explain, repair. To get
one: solve. With certificate, solve also proves its claim; check_certificate verifies the proof by other code.
An error has a code and says what to do.`

// New makes a server.
func New(opt Options) *Server {
	opt.setDefaults()
	files := opt.Files.Options()
	files.MaxFile, files.CacheBytes = opt.Text, cacheBytes
	s := &Server{
		opt: opt, tasks: taskref.NewResolver(files),
		slots: make(chan struct{}, opt.Slots), queue: make(chan struct{}, opt.Slots+opt.Queue),
		parsed:     lru.New(cacheBytes, func(k taskref.Key, _ *planproof.Task) int64 { return 1<<16 + 64*k.Bytes() }),
		runners:    lru.New(cacheBytes, func(k guardKey, r *tools.Runner) int64 { return int64(len(k.tools)) + k.task.Bytes() + r.Memory() }),
		workspaces: map[*mcp.ServerSession]*workspace{},
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "planproof", Title: "planproof", Version: planproof.Version()},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}, PageSize: 100})
	s.addJudging()
	s.addSolving()
	s.addWalking()
	s.addSessions()
	s.addMaking()
	s.addResources()
	return s
}

// Run serves one connection until it ends or ctx does.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error { return s.mcp.Run(ctx, t) }

// enter waits for a slot, and returns what gives it back.
func (s *Server) enter(ctx context.Context) (leave func(), err error) {
	select {
	case s.queue <- struct{}{}:
	default:
		return nil, problem(Busy, "wait a second and call again", "%s are being answered or wait", spell.Plural(cap(s.queue), "call"))
	}
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots; <-s.queue }, nil
	case <-ctx.Done():
		<-s.queue
		return nil, fmt.Errorf("waiting for a slot: %w", ctx.Err())
	}
}
