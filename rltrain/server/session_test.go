package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/rltrain/oracle"

	"github.com/coder/websocket"
)

func connect(t *testing.T, base, path string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.Dial(context.Background(), strings.Replace(base, "http", "ws", 1)+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type said struct {
	Type string
	Data struct {
		Observation   *oracle.Observation
		Reward        *float64
		Done          bool
		Message, Code string
		StepCount     int    `json:"step_count"`
		EpisodeID     string `json:"episode_id"`
		Plan          []string
	}
}

func say(t *testing.T, c *websocket.Conn, text string) (answer said) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
	_, b, err := c.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return answer
}

// TestSessions plays episodes, two at a time, and makes the mistakes that OpenEnv has codes for.
func TestSessions(t *testing.T) {
	_, base := start(t, Options{}, oracle.Options{Tasks: newTasks(t)})
	c, other := connect(t, base, "/plan_step/ws"), connect(t, base, "/plan_step/ws")
	defer c.CloseNow()
	defer other.CloseNow()
	for _, m := range []struct{ send, code string }{
		{`{`, "INVALID_JSON"}, {`{"type":"fly"}`, "UNKNOWN_TYPE"}, {`{"type":"step","data":{"action":"(x)"}}`, "SESSION_ERROR"},
		{`{"type":"reset","data":{"task":"sha256:0"}}`, "VALIDATION_ERROR"}, {`{"type":"reset","data":{"spec":"vald"}}`, "VALIDATION_ERROR"},
		{`{"type":"reset","data":[]}`, "VALIDATION_ERROR"},
	} {
		if a := say(t, c, m.send); a.Type != "error" || a.Data.Code != m.code || a.Data.Message == "" {
			t.Errorf("%s: %+v", m.send, a)
		}
	}
	for _, s := range []*websocket.Conn{c, other} {
		if a := say(t, s, `{"type":"reset","data":{"task":"first","episode_id":"e"}}`); a.Type != "observation" || a.Data.Done || a.Data.Reward != nil || !strings.HasPrefix(a.Data.Observation.Prompt, "Build it.") {
			t.Fatalf("%+v", a)
		}
	}
	if a := say(t, c, `{"type":"step","data":{"plan":"x"}}`); a.Data.Code != "VALIDATION_ERROR" {
		t.Errorf("%+v", a)
	}
	if a := say(t, other, `{"type":"step","data":{"action":"(pick-up b)"}}`); a.Type != "observation" || *a.Data.Reward != 0 || a.Data.Observation.Executed != 0 || a.Data.Observation.Message == "" {
		t.Errorf("%+v", a)
	}
	plan := []string{"(unstack b c)", "(put-down b)", "unstack the orange block from on top of the red block", "(PUT-DOWN  c)", "(pick-up b)", "(stack b c)"}
	for i, step := range plan {
		a := say(t, c, `{"type":"step","data":{"action":"`+step+`"}}`)
		last := i == len(plan)-1
		if a.Type != "observation" || a.Data.Observation.Executed != i+1 || a.Data.Done != last || (*a.Data.Reward == 1) != last {
			t.Fatalf("%s: %+v", step, a)
		}
	}
	if a := say(t, c, `{"type":"step","data":{"action":"(unstack b c)"}}`); a.Data.Code != "SESSION_ERROR" {
		t.Errorf("after the end: %+v", a)
	}
	if a := say(t, c, `{"type":"state"}`); a.Type != "state" || a.Data.StepCount != 6 || a.Data.EpisodeID != "e" || len(a.Data.Plan) != 6 {
		t.Errorf("%+v", a)
	}
	if a := say(t, other, `{"type":"state"}`); a.Data.StepCount != 1 || len(a.Data.Plan) != 0 {
		t.Errorf("the other session: %+v", a)
	}
	ctx := context.Background()
	c.Write(ctx, websocket.MessageText, []byte(`{"type":"close"}`))
	if _, _, err := c.Read(ctx); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("close: %v", err)
	}
}

// TestEpisodeEnds: an episode without the goal ends after max_steps actions with what its
// steps are worth.
func TestEpisodeEnds(t *testing.T) {
	_, base := start(t, Options{}, oracle.Options{Tasks: newTasks(t)})
	c := connect(t, base, "/plan_step/ws")
	defer c.CloseNow()
	say(t, c, `{"type":"reset","data":{"task":"first","max_steps":3,"spec":"process"}}`)
	say(t, c, `{"type":"step","data":{"action":"(unstack b c)"}}`)
	say(t, c, `{"type":"step","data":{"action":"nothing"}}`)
	a := say(t, c, `{"type":"step","data":{"action":"(fly)"}}`)
	if !a.Data.Done || a.Data.Observation.Verdict != "goal" || a.Data.Observation.Components["closer"] != 1 || *a.Data.Reward <= 3 || a.Data.Observation.Executed != 1 {
		t.Errorf("%+v %+v", a.Data, a.Data.Observation)
	}
}

func TestSessionLimits(t *testing.T) {
	s, base := start(t, Options{MaxSessions: 2}, oracle.Options{Tasks: newTasks(t)})
	a, b := connect(t, base, "/ws"), connect(t, base, "/plan_once/ws")
	defer a.CloseNow()
	waitFor(t, func() bool { return s.sockets.count() == 2 })
	c := connect(t, base, "/ws")
	_, text, err := c.Read(context.Background())
	if err != nil || !strings.Contains(string(text), "CAPACITY_REACHED") {
		t.Errorf("%s %v", text, err)
	}
	c.CloseNow()
	b.CloseNow()
	waitFor(t, func() bool { return s.sockets.count() == 1 })
	if err := a.Write(context.Background(), websocket.MessageText, make([]byte, socketMessageBytes+1)); err == nil {
		if _, _, err := a.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
			t.Errorf("a message that is too big: %v", err)
		}
	}
	waitFor(t, func() bool { return s.sockets.count() == 0 })
}
