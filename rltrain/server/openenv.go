package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/rltrain/oracle"

	"github.com/coder/websocket"
)

// OpenEnv's protocol (huggingface/OpenEnv, core/env_server): over HTTP a reset and a step
// each have an environment of their own, sessions live on WebSocket connections. The
// environments are at /plan_once, /plan_step, /plan_adapt and /boxnet_replan; at the root is plan_once.

// environments adds the routes.
func (s *Server) environments(mux *http.ServeMux) {
	for prefix, kind := range map[string]oracle.EnvKind{
		"": oracle.EnvPlanOnce, "/plan_once": oracle.EnvPlanOnce, "/plan_step": oracle.EnvPlanStep,
		"/plan_adapt": oracle.EnvPlanAdapt, "/boxnet_replan": oracle.EnvBoxnetReplan,
	} {
		e := &environment{s, kind, prefix}
		s.post(mux, prefix+"/reset", e.reset)
		s.post(mux, prefix+"/step", e.step)
		s.get(mux, prefix+"/state", func(w http.ResponseWriter, r *http.Request) {
			s.object(w, prefix+"/state", oracle.EpisodeState{Plan: []string{}})
		})
		s.get(mux, prefix+"/schema", func(w http.ResponseWriter, r *http.Request) { s.object(w, prefix+"/schema", schemas[kind]) })
		s.get(mux, prefix+"/metadata", func(w http.ResponseWriter, r *http.Request) {
			s.object(w, prefix+"/metadata", map[string]string{
				"name": string(kind), "description": descriptions[kind], "version": s.oracle.About().Version,
			})
		})
		s.get(mux, prefix+"/openapi.json", func(w http.ResponseWriter, r *http.Request) { s.object(w, prefix+"/openapi.json", e.openAPI()) })
		s.post(mux, prefix+"/mcp", e.mcp)
		s.open(mux, prefix+"/health", s.healthy("healthy"))
		s.get(mux, prefix+"/ws", e.socket)
	}
}

type environment struct {
	*Server
	kind   oracle.EnvKind
	prefix string
}

// reset answers the first observation of an episode that nobody goes on with.
func (e *environment) reset(w http.ResponseWriter, r *http.Request, body []byte) {
	_, result, err := e.oracle.Reset(r.Context(), e.kind, body)
	if err != nil {
		e.envFault(w, "/reset", err)
		return
	}
	e.object(w, e.prefix+"/reset", result)
}

// step answers an action of an episode of its own: the action names its task, and for
// plan_step the steps before it, for plan_adapt and boxnet_replan the answers.
func (e *environment) step(w http.ResponseWriter, r *http.Request, body []byte) {
	result, err := e.stateless(r.Context(), body)
	if err != nil {
		e.envFault(w, "/step", err)
		return
	}
	e.object(w, e.prefix+"/step", result)
}

func (e *environment) stateless(ctx context.Context, body []byte) (*oracle.StepResult, error) {
	var request struct {
		Action json.RawMessage `json:"action"`
	}
	if err := rowjson.Unmarshal(body, &request, false); err != nil || len(request.Action) == 0 {
		return nil, &oracle.EnvError{Code: oracle.EnvValidation, Message: "the body has no object under action"}
	}
	var action struct {
		Prefix []string `json:"prefix"`
	}
	if err := rowjson.Unmarshal(request.Action, &action, false); err != nil {
		return nil, &oracle.EnvError{Code: oracle.EnvValidation, Message: err.Error()}
	}
	// An action carries what a reset would have been told: task and spec.
	episode, _, err := e.oracle.Reset(ctx, e.kind, request.Action)
	if err != nil {
		return nil, err
	}
	if err := episode.Replay(action.Prefix); err != nil {
		return nil, err
	}
	return episode.Step(ctx, request.Action)
}

// envFault answers an error of an environment: 422 for what the client did, 503 where no
// statement can be made.
func (e *environment) envFault(w http.ResponseWriter, route string, err error) {
	code := faultEnvironment
	var env *oracle.EnvError
	if errors.As(err, &env) && env.Code != oracle.EnvExecution {
		code = faultAction
	}
	e.fault(w, e.prefix+route, code, err.Error())
}

// socketMessage is what a client says on a session.
type socketMessage struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// sockets are the open sessions.
type sockets struct {
	mu     sync.Mutex
	open   map[*websocket.Conn]context.CancelFunc
	closed bool
	group  sync.WaitGroup
}

// add admits a session unless there are max or the server is stopping.
func (s *sockets) add(c *websocket.Conn, cancel context.CancelFunc, max int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.open) >= max {
		return false
	}
	if s.open == nil {
		s.open = map[*websocket.Conn]context.CancelFunc{}
	}
	s.open[c] = cancel
	s.group.Add(1)
	return true
}

func (s *sockets) remove(c *websocket.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	s.group.Done()
}

func (s *sockets) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// close ends all sessions and admits no more.
func (s *sockets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, cancel := range s.open {
		cancel()
	}
}

func (s *sockets) wait() { s.group.Wait() }

// Limits of a session.
const (
	socketMessageBytes = 1 << 20
	socketIdle         = 10 * time.Minute // between messages; OpenEnv's clients ping, which does not count
)

// socket serves one session: one episode at a time.
func (e *environment) socket(w http.ResponseWriter, r *http.Request) {
	// A browser's page from elsewhere is refused by Accept; a trainer sends no origin.
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer c.CloseNow()
	c.SetReadLimit(socketMessageBytes)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	session := &session{environment: e, c: c}
	if !e.sockets.add(c, cancel, e.opt.MaxSessions) {
		session.refuse(ctx, &oracle.EnvError{Code: oracle.EnvCapacity, Message: "no room for another session"})
		c.Close(websocket.StatusTryAgainLater, "no room")
		return
	}
	defer e.sockets.remove(c)
	for {
		idle, stop := context.WithTimeout(ctx, socketIdle)
		_, text, err := c.Read(idle)
		stop()
		if err != nil {
			if e.stopping.Load() {
				c.Close(websocket.StatusGoingAway, "the oracle is stopping")
			}
			return
		}
		if !session.answer(ctx, text) {
			c.Close(websocket.StatusNormalClosure, "")
			return
		}
	}
}

type session struct {
	*environment
	c       *websocket.Conn
	episode *oracle.Episode
}

// answer answers one message; false ends the session.
func (s *session) answer(ctx context.Context, text []byte) bool {
	var m socketMessage
	if err := rowjson.Unmarshal(text, &m, false); err != nil {
		return s.refuse(ctx, &oracle.EnvError{Code: oracle.EnvInvalidJSON, Message: err.Error()})
	}
	switch m.Type {
	case "reset":
		episode, result, err := s.oracle.Reset(ctx, s.kind, m.Data)
		if err != nil {
			return s.refuse(ctx, err)
		}
		s.episode = episode
		return s.say(ctx, "observation", result)
	case "step":
		if s.episode == nil {
			return s.refuse(ctx, &oracle.EnvError{Code: oracle.EnvSession, Message: "no episode: reset first"})
		}
		result, err := s.episode.Step(ctx, m.Data)
		if err != nil {
			return s.refuse(ctx, err)
		}
		return s.say(ctx, "observation", result)
	case "state":
		state := oracle.EpisodeState{Plan: []string{}}
		if s.episode != nil {
			state = s.episode.State()
		}
		return s.say(ctx, "state", state)
	case "close":
		return false
	}
	return s.refuse(ctx, &oracle.EnvError{Code: oracle.EnvUnknownType, Message: "the type is none of reset, step, state, close"})
}

func (s *session) refuse(ctx context.Context, err error) bool {
	e := &oracle.EnvError{Code: oracle.EnvExecution, Message: err.Error()}
	errors.As(err, &e)
	return s.say(ctx, "error", map[string]string{"message": e.Message, "code": e.Code})
}

// say sends a message; false when it cannot be sent in time.
func (s *session) say(ctx context.Context, kind string, data any) bool {
	text, err := rowjson.AppendValue(nil, map[string]any{"type": kind, "data": data})
	if err != nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, s.opt.WriteTime)
	defer stop()
	return s.c.Write(ctx, websocket.MessageText, text) == nil
}

var descriptions = map[oracle.EnvKind]string{
	oracle.EnvPlanOnce:  "Answer a planning task with a whole plan; an exact judge rewards it.",
	oracle.EnvPlanStep:  "Solve a planning task step by step; each reply shows the state.",
	oracle.EnvPlanAdapt: "Solve a planning task under hidden constraints: each whole plan is answered by those that it violates.",

	oracle.EnvBoxnetReplan: "Move objects with several robot arms, one joint step a turn; each reply shows the state.",
}

// schemas are what /schema answers, by environment.
var schemas = map[oracle.EnvKind]any{
	oracle.EnvPlanOnce:  envSchema("plan", "The answer, with the plan in it"),
	oracle.EnvPlanStep:  envSchema("action", "One step, (name object object)"),
	oracle.EnvPlanAdapt: envSchema("plan", "The answer, with a whole plan in it"),

	oracle.EnvBoxnetReplan: envSchema("action", "The answer, with thoughts and a block of JSON that holds one step"),
}

type schema = map[string]any

func envSchema(action, doc string) schema {
	text, list := schema{"type": "string"}, schema{"type": "array", "items": schema{"type": "string"}}
	return schema{
		"action": schema{
			"type": "object", "title": "Action", "required": []string{action},
			"properties": schema{action: schema{"type": "string", "description": doc}},
		},
		"observation": schema{
			"type": "object", "title": "Observation", "additionalProperties": false,
			"required": []string{"task", "prompt", "system", "verdict", "components", "message", "state", "facts", "actions", "executed", "step", "disclosed", "repeated", "end", "reader"},
			"properties": schema{
				"task": text, "prompt": text, "system": text, "verdict": text, "message": text, "state": text,
				"components": schema{"type": "object", "additionalProperties": schema{"type": "number"}},
				"facts":      list, "actions": list, "executed": schema{"type": "integer"}, "step": text,
				"disclosed": list, "repeated": list, "end": text, "reader": text,
			},
		},
		"state": schema{
			"type": "object", "title": "State",
			"properties": schema{
				"episode_id": text, "step_count": schema{"type": "integer"}, "task": text, "plan": list, "done": schema{"type": "boolean"},
			},
		},
	}
}
