package model

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestScoreServer holds tools/score-server to what a scorer must do: the same numbers
// whether prompts come alone or together, whatever stands in its memory, and the chain
// rule. PLANPROOF_ENGINES is a Python with llama-cpp-python, PLANPROOF_GGUF a small model.
func TestScoreServer(t *testing.T) {
	python, gguf := os.Getenv("PLANPROOF_ENGINES"), os.Getenv("PLANPROOF_GGUF")
	if python == "" || gguf == "" {
		t.Skip("PLANPROOF_ENGINES and PLANPROOF_GGUF name no Python and no model")
	}
	if err := exec.Command(python, "-c", "import llama_cpp").Run(); err != nil {
		t.Skip("llama-cpp-python is not here")
	}
	cmd := exec.Command(python, "tools/score-server", gguf, "--context", "1024")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(Options{BaseURL: strings.TrimSpace(address) + "/v1", Model: "small", Concurrency: 16, Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	caps, err := c.Probe(context.Background())
	if err != nil || caps.Score != ScorePrompt || caps.Server != "score-server" {
		t.Fatalf("%+v, %v", caps, err)
	}
	score := func(x string, ys ...string) []Score {
		got, err := c.Score(context.Background(), &ScoreRequest{Input: Input{Prompt: x}, Continuations: ys})
		if err != nil {
			t.Fatal(err)
		}
		return got.Scores
	}
	// llama.cpp rounds differently as batches and memory differ: by 0.2 for quantised
	// weights in this very place. What stands in the wrong memory is off by more than 1.
	same := func(what string, a, b Score) {
		if a.Tokens != b.Tokens || math.Abs(a.Logprob-b.Logprob) > 0.25*float64(a.Tokens) {
			t.Errorf("%s: %+v and %+v", what, a, b)
		}
	}
	base := "The capital of France is Paris.\nThe capital of Italy is"
	ys := []string{" Rome", " Berlin", " Rome.\n", " banana"}
	alone := make([]Score, len(ys))
	for i, y := range ys {
		alone[i] = score(base, y)[0]
	}
	if !(alone[0].Logprob > alone[1].Logprob && alone[1].Logprob > alone[3].Logprob) {
		t.Errorf("Rome, Berlin, banana: %+v", alone)
	}
	for i, s := range score(base, ys...) {
		same("alone and together: "+ys[i], alone[i], s)
	}
	rest := score(base+" Rome.\n", "It is large.")[0]
	whole := score(base, " Rome.\nIt is large.")[0]
	same("the chain rule", whole, Score{Logprob: alone[2].Logprob + rest.Logprob, Tokens: alone[2].Tokens + rest.Tokens})

	// More beginnings than are kept, all alike at first: what a new one is made from must not
	// be forgotten for it. The first ones are read while there is room.
	long := strings.Repeat(base+" Rome.\n", 6)
	item := func(i int) string { return fmt.Sprintf("%sItem %d of the %d is", long, i, i*i) }
	kept := make([]Score, 60)
	for i := range kept {
		kept[i] = score(item(i), " good")[0]
	}
	for i := range 10 {
		same(item(i), kept[i], score(item(i), " good")[0])
	}

	// Many callers at once, more than the memory holds, with beginnings in common.
	var wg sync.WaitGroup
	many := make([]Score, 40)
	prompt := func(i int) string {
		return strings.Repeat(base+" Rome.\n", 1+i%3) + fmt.Sprintf("Item %d costs", i/5)
	}
	for i := range many {
		wg.Go(func() { many[i] = score(prompt(i), " money")[0] })
	}
	wg.Wait()
	for i := range many {
		if i%7 == 0 {
			same(prompt(i), many[i], score(prompt(i), " money")[0])
		}
	}
}
