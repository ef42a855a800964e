package eval

import (
	"context"
	"runtime"
	"sync"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"

	"golang.org/x/sync/errgroup"
)

// responseBatch is the number of responses that a worker grades in one go.
const responseBatch = 64

// ResponseTasks pairs responses with their tasks. Responses about one task share it, and it
// is read when the first of them needs it.
type ResponseTasks struct {
	of       []func() *Task // by response
	distinct []func() *Task
}

// NewResponseTasks pairs responses with tasks, each read once by read, from any goroutine.
func NewResponseTasks(responses []Response, read func(*Response) *Task) *ResponseTasks {
	type key struct {
		domain, problem, optimal, truth string
		kind                            prompt.Kind
		query                           string
		inline, unsolvable              bool
		reader                          extract.Kind
	}
	x := &ResponseTasks{of: make([]func() *Task, len(responses))}
	known := map[key]func() *Task{}
	for i := range responses {
		r := &responses[i]
		k := key{r.Domain, r.Problem, r.Optimal, r.TruePlan, r.Kind, r.Query, r.Inline, r.Unsolvable, r.Reader}
		if known[k] == nil {
			known[k] = sync.OnceValue(func() *Task { return read(r) })
			x.distinct = append(x.distinct, known[k])
		}
		x.of[i] = known[k]
	}
	return x
}

// All reads all tasks.
func (x *ResponseTasks) All() []*Task {
	list := make([]*Task, len(x.distinct))
	for i, task := range x.distinct {
		list[i] = task()
	}
	return list
}

// GradeResponses grades responses on all processors. The rows are in the order of the
// responses. done gets the number of responses graded since its last call, from any goroutine. The error is that of
// ctx.
func GradeResponses(ctx context.Context, responses []Response, tasks *ResponseTasks, done func(n int)) ([]GradedResponse, error) {
	rows := make([]GradedResponse, len(responses))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for at := 0; at < len(responses); at += responseBatch {
		end := min(at+responseBatch, len(responses))
		group.Go(func() error {
			for i := at; i < end; i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				rows[i] = GradeResponse(&responses[i], tasks.of[i]())
			}
			done(end - at)
			return nil
		})
	}
	return rows, group.Wait()
}

// RepeatedIDs counts the responses with the id of an earlier one in their group.
func RepeatedIDs(responses []Response) int {
	n, seen := 0, map[[2]string]bool{}
	for i := range responses {
		k := [2]string{responses[i].Group, responses[i].ID}
		if k[1] != "" && seen[k] {
			n++
		}
		seen[k] = true
	}
	return n
}
