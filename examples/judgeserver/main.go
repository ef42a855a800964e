// Command judgeserver answers over HTTP whether plans are right: POST a plan to /judge and
// get the verdict as JSON.
//
//	go run ./examples/judgeserver blocksworld:4-17 &
//	curl --data-binary @plan.txt localhost:8080/judge
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/planproof/planproof"
)

// judge returns a handler that judges plans of one task. The task is compiled once; the
// handler may serve any number of requests at a time.
func judge(task *planproof.Task) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		plan, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		verdict, err := planproof.Judge(r.Context(), task, string(plan))
		switch {
		case errors.Is(err, planproof.ErrLimit): // no verdict: neither valid nor invalid
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body, err := verdict.MarshalJSON()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(append(body, '\n'))
	}
}

func main() {
	task, err := planproof.ReadTask(os.Args[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("POST /judge", judge(task))
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}
