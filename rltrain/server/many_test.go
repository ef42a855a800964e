package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/rltrain/oracle"
)

// heap is what is in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestManyRequests: no request leaves anything behind. PLANPROOF_REQUESTS sets their
// number, a million for the figure in docs/BENCHMARKS.md.
func TestManyRequests(t *testing.T) {
	n := 20_000
	if text := os.Getenv("PLANPROOF_REQUESTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		n = 4_000
	}
	_, base := start(t, Options{}, oracle.Options{Tasks: newTasks(t)})
	const clients = 4
	round := func(n int) {
		var all sync.WaitGroup
		for k := range clients {
			all.Go(func() {
				if err := ask(base, k, n/clients); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	round(n / 10)
	before, begun := heap(), time.Now()
	round(n)
	took, after := time.Since(begun), heap()
	t.Logf("%d requests in %v, %.0f a second; heap %d KB before, %d KB after", n, took.Round(time.Millisecond), float64(n)/took.Seconds(), before>>10, after>>10)
	if after > before+1<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", before, after)
	}
}

// ask sends n requests, all different, on one connection, some at a time, and checks the
// answers.
func ask(base string, client, n int) error {
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		return err
	}
	defer c.Close()
	sent := make(chan int, 16) // how far the sender may be ahead
	go func() {
		defer close(sent)
		w := bufio.NewWriter(c)
		for i := range n {
			body := fmt.Sprintf(`{"request_id":%d,"items":[{"id":"%d-%d","task":"first","completion":"<think>%d</think> %s"}]}`, i, client, i, i, goldText)
			fmt.Fprintf(w, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
			if i%8 == 7 || i == n-1 {
				if w.Flush() != nil {
					return
				}
			}
			sent <- i
		}
	}()
	r := bufio.NewReader(c)
	for i := range sent {
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		if response.StatusCode != 200 || !strings.Contains(string(body), fmt.Sprintf(`"request_id":%d,`, i)) || !strings.Contains(string(body), `"score":1,`) {
			return fmt.Errorf("request %d: %d %s", i, response.StatusCode, body)
		}
	}
	return nil
}
