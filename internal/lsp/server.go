package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/internal/rowjson"

	"github.com/creachadair/jrpc2"
)

// Options of a server. A zero field means its default.
type Options struct {
	Time   time.Duration // the most that a command may take (60 s)
	Memory int64         // what grounding and search of a command may each take (1 GB)
	Log    io.Writer     // where bugs are written; nil is nowhere
}

// state is how far the connection is.
type state uint8

const (
	fresh state = iota
	running
	ended // by shutdown
)

// Server answers one client.
type Server struct {
	opt   Options
	rpc   *jrpc2.Server
	wire  *frames
	space *workspace
	ctx   context.Context // of the connection
	judge diagnoser
	slots chan struct{} // one each for commands that run

	mu            sync.Mutex
	state         state
	watches       bool                          // the client can be asked to watch files
	showsProgress bool                          // the client can show the progress of what it did not ask to show
	lastToken     int                           // of progress
	cancels       map[string]context.CancelFunc // by token
}

// errNoShutdown is how a session ends that was not shut down.
var errNoShutdown = errors.New("the client ended without shutdown")

// Serve answers a client over a pipe until it says exit, the input ends or ctx does. The error is nil if the client had
// said shutdown before.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	opt.Time, opt.Memory = cmp.Or(opt.Time, time.Minute), cmp.Or(opt.Memory, 1<<30)
	if opt.Log == nil {
		opt.Log = io.Discard
	}
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &Server{opt: opt, space: newWorkspace(), ctx: ctx, slots: make(chan struct{}, 2), cancels: map[string]context.CancelFunc{}}
	s.judge.init()
	// Commands run in slots of their own, and other requests are short, so that a waiting one waits for those only.
	s.rpc = jrpc2.NewServer(s, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, Concurrency: 64, NewContext: func() context.Context { return ctx },
	})
	s.wire = newFrames(in, out)
	s.rpc.Start(s.wire)
	var work sync.WaitGroup
	work.Go(s.diagnose)
	stopped := context.AfterFunc(ctx, s.rpc.Stop)
	s.rpc.Wait() // its error is that the input ended
	stopped()
	cancel()
	work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != ended && outer.Err() == nil {
		return errNoShutdown
	}
	return nil
}

// handler answers a method; before initialize only a few may be called.
type handler = func(s *Server, ctx context.Context, params []byte) (any, error)

// on makes a handler from a function of typed parameters.
func on[P any](f func(*Server, context.Context, *P) (any, error)) handler {
	return func(s *Server, ctx context.Context, params []byte) (any, error) {
		p := new(P)
		if len(params) == 0 {
			params = []byte("{}")
		}
		if err := rowjson.Unmarshal(params, p, false); err != nil {
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s", rowjson.Fault(err))
		}
		return f(s, ctx, p)
	}
}

// handlers is every method that is answered.
var handlers map[string]handler

func init() {
	handlers = map[string]handler{
		"initialize":                          on((*Server).initialize),
		"initialized":                         on((*Server).initialized),
		"shutdown":                            on(ignore), // admit does what there is to do
		"exit":                                on((*Server).exit),
		"$/cancelRequest":                     on((*Server).cancelRequest),
		"$/setTrace":                          on(ignore),
		"textDocument/didOpen":                on((*Server).didOpen),
		"textDocument/didChange":              on((*Server).didChange),
		"textDocument/didClose":               on((*Server).didClose),
		"textDocument/didSave":                on(ignore),
		"workspace/didChangeWatchedFiles":     on((*Server).didChangeFiles),
		"workspace/didChangeConfiguration":    on(ignore),
		"workspace/didChangeWorkspaceFolders": on((*Server).didChangeFolders),
		"textDocument/hover":                  on((*Server).hover),
		"textDocument/definition":             on((*Server).definition),
		"textDocument/declaration":            on((*Server).definition),
		"textDocument/references":             on((*Server).references),
		"textDocument/documentHighlight":      on((*Server).highlight),
		"textDocument/prepareRename":          on((*Server).prepareRename),
		"textDocument/rename":                 on((*Server).rename),
		"textDocument/completion":             on((*Server).completion),
		"textDocument/codeAction":             on((*Server).fixes),
		"textDocument/formatting":             on((*Server).format),
		"textDocument/semanticTokens/full":    on((*Server).tokens),
		"textDocument/semanticTokens/range":   on((*Server).tokensRange),
		"textDocument/documentSymbol":         on((*Server).outline),
		"textDocument/foldingRange":           on((*Server).folding),
		"textDocument/inlayHint":              on((*Server).inlay),
		"inlayHint/resolve":                   on((*Server).resolveInlay),
		"textDocument/codeLens":               on((*Server).lenses),
		"workspace/executeCommand":            on((*Server).execute),
		"window/workDoneProgress/cancel":      on((*Server).cancelProgress),
	}
}

func ignore(*Server, context.Context, *struct{}) (any, error) { return nil, nil }

// Assign implements jrpc2.Assigner. It is called in the order in which messages come, whereas their handlers run side
// by side: so what may be called when is decided here.
func (s *Server) Assign(_ context.Context, method string) jrpc2.Handler {
	h := handlers[method]
	if h == nil {
		return nil
	}
	refused := s.admit(method)
	return func(ctx context.Context, req *jrpc2.Request) (answer any, err error) {
		defer func() {
			if p := recover(); p != nil {
				fmt.Fprintf(s.opt.Log, "planproof lsp: %s: %v\n%s", method, p, debug.Stack())
				err = jrpc2.Errorf(jrpc2.InternalError, "a bug in planproof: %v", p)
			}
		}()
		if refused != nil {
			return nil, refused
		}
		answer, err = h(s, ctx, []byte(req.ParamString()))
		if err != nil && ctx.Err() != nil {
			err = jrpc2.Errorf(codeCancelled, "cancelled")
		}
		return answer, err
	}
}

// admit refuses what comes before initialize and after shutdown.
func (s *Server) admit(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case method == "exit":
	case method == "initialize":
		if s.state != fresh {
			return jrpc2.Errorf(jrpc2.InvalidRequest, "initialize was called before")
		}
		s.state = running
	case s.state == fresh:
		return jrpc2.Errorf(codeNotInitialized, "initialize has not been called")
	case s.state == ended:
		return jrpc2.Errorf(jrpc2.InvalidRequest, "the server was shut down")
	case method == "shutdown":
		s.state = ended
	}
	return nil
}

func (s *Server) initialize(_ context.Context, p *initializeParams) (any, error) {
	s.mu.Lock()
	s.watches = p.Client.Workspace.Watch.Dynamic
	s.showsProgress = p.Client.Window.WorkDoneProgress
	s.mu.Unlock()
	for _, f := range p.Folders {
		s.space.addFolder(f.URI)
	}
	if len(p.Folders) == 0 && p.RootURI != nil {
		s.space.addFolder(*p.RootURI)
	}
	return object{"capabilities": capabilities(), "serverInfo": object{"name": "planproof", "version": planproof.Version()}}, nil
}

// initialized reads the folders, so that the first request finds what belongs together.
func (s *Server) initialized(ctx context.Context, _ *struct{}) (any, error) {
	s.scan(ctx)
	s.mu.Lock()
	watches := s.watches
	s.mu.Unlock()
	if watches {
		go s.rpc.Callback(s.ctx, "client/registerCapability", object{"registrations": []object{{ // its answer is not waited for
			"id": "files", "method": "workspace/didChangeWatchedFiles",
			"registerOptions": object{"watchers": []object{{"globPattern": "**/*.{pddl,plan,soln,sol}"}}},
		}}})
	}
	return nil, nil
}

// patient is how long the first requests wait for the workspace to be read; in a large one they go without the rest.
const patient = 2 * time.Second

// scan reads the workspace's folders and says what it could not.
func (s *Server) scan(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, text := range s.space.scan(s.ctx) {
			s.tell(s.ctx, messageWarning, text)
		}
		s.judge.all(s.space.view().open())
	}()
	select {
	case <-done:
	case <-time.After(patient):
	case <-ctx.Done():
	}
}

func (s *Server) exit(context.Context, *struct{}) (any, error) {
	s.wire.settle()
	s.rpc.Stop()
	return nil, nil
}

func (s *Server) cancelRequest(_ context.Context, p *cancelParams) (any, error) {
	s.rpc.CancelRequest(string(p.ID))
	return nil, nil
}

// Kinds of messages of window/showMessage.
const (
	messageError = iota + 1
	messageWarning
	messageInfo
)

// tell shows the user a message.
func (s *Server) tell(ctx context.Context, kind int, text string) {
	s.rpc.Notify(ctx, "window/showMessage", messageParams{kind, text})
}
