package server

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/rltrain/oracle"
)

// slowTask takes seconds to judge a plan of, and more to ground.
func slowTask(name string) string {
	domain := `(define (domain d) (:requirements :adl) (:predicates (p ?a ?b) (q ?a ?b ?c ?d)) (:action mk :parameters (?x ?y) :effect (p ?x ?y))
	  (:action a :parameters () :precondition (forall (?a ?b ?c) (exists (?d) (or (not (p ?a ?b)) (p ?c ?d) (not (p ?d ?a))))) :effect (forall (?a ?b ?c ?d) (when (p ?a ?b) (q ?a ?b ?c ?d)))))`
	var objects strings.Builder
	for i := range 60 {
		fmt.Fprintf(&objects, " o%d", i)
	}
	return fmt.Sprintf(`{"domain":%q,"problem":"(define (problem %s) (:domain d) (:objects%s) (:init) (:goal (q o1 o1 o1 o1)))"}`, domain, name, objects.String())
}

// TestHeavyDoesNotDelay measures what one heavy request adds to the time of light ones, at the
// 99th percentile. Times count by the share of the processors that this process had: heavy
// work wants all of them.
func TestHeavyDoesNotDelay(t *testing.T) {
	plan := `<plan>\n` + `(mk o1 o2)\n` + strings.Repeat(`(a)\n`, 5_000) + `</plan>`
	text := `<plan>\n` + strings.Repeat(`(unstack b c)\n(stack b c)\n`, 9_000) + `</plan>`
	var tables, plans, texts []string
	for i := range 8 {
		tables = append(tables, fmt.Sprintf(`{"task":%s,"completion":"x"}`, slowTask(fmt.Sprint("t", i))))
	}
	for range 20 {
		plans = append(plans, fmt.Sprintf(`{"task":%s,"completion":"%s"}`, slowTask("one"), plan))
		texts = append(texts, fmt.Sprintf(`{"task":"first","completion":"%s"}`, text))
	}
	for _, c := range []struct{ name, spec, items string }{
		{"tables", "process", strings.Join(tables, ",")}, {"plans", "valid", strings.Join(plans, ",")}, {"texts", "valid", strings.Join(texts, ",")},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, base := start(t, Options{}, oracle.Options{Tasks: newTasks(t), Workers: runtime.GOMAXPROCS(0), Limits: oracle.Limits{TableTime: 2 * time.Second}})
			alive(t, base)
			var heavy sync.WaitGroup
			ended := make(chan struct{})
			begun, cpu := time.Now(), testkit.CPUTime()
			heavy.Go(func() {
				defer close(ended)
				post(t, base+"/v1/score", fmt.Sprintf(`{"spec":%q,"deadline_ms":2000,"items":[%s]}`, c.spec, c.items))
			})
			var times []time.Duration
			for i := 0; ; i++ {
				select {
				case <-ended:
				default:
					from := time.Now()
					body := fmt.Sprintf(`{"spec":"process","items":[{"task":"blocksworld:4-%d","completion":"(pick-up a)"}]}`, i%200+1) // new at first
					if code, text := post(t, base+"/v1/score", body); code != http.StatusOK || !strings.Contains(text, `"status":"ok"`) {
						t.Fatalf("%d %s", code, text)
					}
					times = append(times, time.Since(from))
					continue
				}
				break
			}
			heavy.Wait()
			share := min(1, float64(testkit.CPUTime()-cpu)/float64(time.Since(begun))/float64(runtime.GOMAXPROCS(0)))
			slices.Sort(times)
			p99 := times[len(times)*99/100]
			t.Logf("%d light requests, p50 %v, p99 %v, share of the processors %.2f", len(times), times[len(times)/2], p99, share)
			if len(times) < 20 || float64(p99)*share > float64(500*time.Millisecond) {
				t.Errorf("%d light requests, p99 %v with %.2f of the processors", len(times), p99, share)
			}
		})
	}
}
