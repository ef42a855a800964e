// Command scoring rewards the answers of language models in a loop: each line of standard
// input is an answer as a JSON string, each line of output its reward and status.
//
//	go run ./examples/scoring blocksworld:3-5 process < answers.jsonl
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/planproof/planproof"
)

func score(ctx context.Context, in io.Reader, out io.Writer, task *planproof.Task, reward string) error {
	// Some rewards compare with the best plan: tell them what it costs.
	best, err := planproof.Solve(ctx, task, planproof.SolveOptions{})
	if err != nil {
		return err
	}
	opt := planproof.ScoreOptions{Reward: reward, Best: best}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var answer string
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			return err
		}
		s, err := planproof.Score(ctx, task, answer, opt)
		if err != nil {
			return err
		}
		if s.Reward == nil { // a limit or a fault of the task: not the answer's
			fmt.Fprintf(out, "none\t%s\t%s\n", s.Status, s.Error)
			continue
		}
		fmt.Fprintf(out, "%.3f\t%s\n", *s.Reward, s.Status)
	}
	return lines.Err()
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: scoring TASK REWARD < answers.jsonl")
	}
	task, err := planproof.ReadTask(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := score(context.Background(), os.Stdin, os.Stdout, task, os.Args[2]); err != nil {
		log.Fatal(err)
	}
}
