package oracle

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
)

// TestMaskStream asks for masks between rows to be scored: each line has its answer, in
// order, and masks count as no response.
func TestMaskStream(t *testing.T) {
	o, err := New(Options{Task: taskref.Ref{Task: "blocksworld:3-1"}})
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct{ in, want string }{
		{`{"id":1,"mask":[]}`, `{"id":1,"status":"mask","executed":0,"goal":false,"actions":["(unstack a b)"]}`},
		{`{"id":2,"mask":["(unstack a b)"]}`, `{"id":2,"status":"mask","executed":1,"goal":false,"actions":["(put-down a)","(stack a b)"]}`},
		{`{"id":3,"mask":"(unstack a b)\n(put-down a)"}`, `"executed":2,`},
		{`{"id":4,"mask":["(unstack a b)","(pick-up b)"]}`, `{"id":4,"status":"invalid","executed":1,"goal":null,"actions":null,"error":"step 2: the step cannot be executed: (pick-up b): its precondition does not hold"}`},
		{`{"id":5,"mask":7}`, `"status":"bad-row"`},
		{`{"id":6,"mask":"(pick-up a"}`, `"status":"bad-row"`},
		{`{"id":7,"mask":[],"task":"nowhere:1"}`, `"status":"task-error"`},
		{`{"id":8,"mask":[],"task":"gripper:1"}`, `"actions":["(move`},
		{`{"id":9,"response":"(pick-up a)\n(stack a b)"}`, `{"id":9,"reward":`},
		{`{"id":10,"mask":null,"response":"(pick-up a)"}`, `{"id":10,"reward":`},
		{`{"id":11,"mask":["(pick-up a) (put-down a)"]}`, `"status":"invalid"`},
		{fmt.Sprintf(`{"id":12,"mask":[%s"x"]}`, strings.Repeat(`"(a)",`, 10_000)), `"status":"too-long"`},
	}
	var in, out bytes.Buffer
	for _, r := range rows {
		in.WriteString(r.in + "\n")
	}
	sum, err := o.ScoreStream(context.Background(), &in, &out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(rows) {
		t.Fatalf("%d answers to %d lines", len(lines), len(rows))
	}
	for i, r := range rows {
		if !strings.Contains(lines[i], r.want) {
			t.Errorf("%.80s:\n%s\nwithout %s", r.in, lines[i], r.want)
		}
	}
	if sum.Responses != 4 { // two answers, two bad rows
		t.Errorf("%d responses", sum.Responses)
	}
}
