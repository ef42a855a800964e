package mcpserver

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/llmbridge/constrain"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// workspace is what a connection holds.
type workspace struct {
	opt *Options

	mu      sync.Mutex
	walks   map[string]*walk
	opened  int // ever
	results []result
	kept    int // ever
	sweep   *time.Timer
}

// walk is a session: a task and the steps taken so far, all of which could be applied.
type walk struct {
	id     string
	task   *planproof.Task
	masker *constrain.Masker
	used   time.Time // guarded by workspace.mu

	mu    sync.Mutex
	steps []string
}

// result is a certificate that solve made.
type result struct {
	uri  string
	data []byte
}

const resultURI = "planproof://results/"

// workspace returns that of a connection.
func (s *Server) workspace(ss *mcp.ServerSession) *workspace {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.workspaces[ss]
	if w == nil {
		w = &workspace{opt: &s.opt, walks: map[string]*walk{}}
		s.workspaces[ss] = w
		go func() {
			ss.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.workspaces, ss)
			w.close()
		}()
	}
	return w
}

func (w *workspace) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sweep != nil {
		w.sweep.Stop()
	}
	w.walks, w.results = map[string]*walk{}, nil
}

// open adds a walk.
func (w *workspace) open(t *planproof.Task, m *constrain.Masker, steps []string) (*walk, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closeIdle()
	if len(w.walks) >= w.opt.Sessions {
		return nil, problem(TooManySessions, "close one with session_close", "%d sessions are open, as many as there may be", len(w.walks))
	}
	w.opened++
	x := &walk{id: fmt.Sprintf("s%d", w.opened), task: t, masker: m, steps: steps, used: time.Now()}
	w.walks[x.id] = x
	return x, nil
}

// walk finds an open walk.
func (w *workspace) walk(id string) (*walk, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closeIdle()
	x := w.walks[id]
	if x == nil {
		return nil, problem(UnknownSession, "open one with session_open", "no session %q is open on this connection; idle ones are closed after %v", id, w.opt.Idle)
	}
	x.used = time.Now()
	return x, nil
}

func (w *workspace) drop(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.walks, id)
}

// closeIdle closes walks that nobody uses, and comes back by itself while some are open.
func (w *workspace) closeIdle() {
	for id, x := range w.walks {
		if time.Since(x.used) >= w.opt.Idle {
			delete(w.walks, id)
		}
	}
	if w.sweep == nil {
		w.sweep = time.AfterFunc(w.opt.Idle, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.sweep = nil
			if w.closeIdle(); len(w.walks) == 0 {
				w.sweep.Stop()
				w.sweep = nil
			}
		})
	}
}

// keep keeps a result, and drops the oldest ones where there are too many.
func (w *workspace) keep(data []byte) (uri string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if int64(len(data)) > w.opt.Results {
		return "", problem(TooLarge, "call solve without certificate, or make it with planproof solve --certificate", "the certificate has %d bytes; at most %d are kept", len(data), w.opt.Results)
	}
	w.kept++
	uri = fmt.Sprintf("%s%d", resultURI, w.kept)
	w.results = append(w.results, result{uri, data})
	total := int64(0)
	for i, r := range slices.Backward(w.results) {
		if total += int64(len(r.data)); total > w.opt.Results {
			w.results = slices.Clone(w.results[i+1:])
			break
		}
	}
	return uri, nil
}

func (w *workspace) result(uri string) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.results {
		if r.uri == uri {
			return r.data, nil
		}
	}
	return nil, problem(UnknownResult, "call solve with certificate again", "no result %q is kept on this connection", uri)
}
