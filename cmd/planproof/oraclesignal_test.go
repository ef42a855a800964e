package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// oracleProcess starts an oracle.
func oracleProcess(t *testing.T, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader, errs *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self)
	cmd.Args = append([]string{"planproof", "oracle"}, args...) // see TestMain
	errs = new(bytes.Buffer)
	cmd.Stderr = errs
	in, err = cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, in, bufio.NewReader(pipe), errs
}

// TestStdioSignal ends an oracle by a signal while lines wait for their answers: those that it
// has read are scored, and its exit code says that it was ended.
func TestStdioSignal(t *testing.T) {
	cmd, in, out, errs := oracleProcess(t, "--stdio", "--workers", "2")
	fmt.Fprintln(in, `{"ping":0}`)
	if line, err := out.ReadString('\n'); err != nil || line != "{\"pong\":0}\n" {
		t.Fatal(line, err)
	}
	const lines = 150 // less than a pipe holds
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, `{"id":%d,"task":"blocksworld:4-%d","response":"(pick-up a)\n%s"}`+"\n", i, i+1, strings.Repeat(`(x)\n`, 60))
	}
	if _, err := io.WriteString(in, b.String()); err != nil {
		t.Fatal(err)
	}
	first, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSuffix(first+string(rest), "\n"), "\n")
	if len(answers) != lines {
		t.Errorf("%d answers to %d lines", len(answers), lines)
	}
	for i, a := range answers {
		if !strings.HasPrefix(a, fmt.Sprintf(`{"id":%d,"reward":0,`, i)) {
			t.Errorf("answer %d: %.200s", i, a)
		}
	}
	var exited *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exited) || exited.ExitCode() != exitLimit || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("%v, %s", err, errs)
	}
}

// TestListenSignal ends a server by a signal while clients ask: each gets an answer or 503, or
// the oracle is gone; no reply is cut off.
func TestListenSignal(t *testing.T) {
	cmd, _, out, _ := oracleProcess(t, "--listen", "127.0.0.1:0")
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(strings.TrimPrefix(line, "listening on ")) + "/v1/score"
	var clients sync.WaitGroup
	var answered, stopping, gone atomic.Int64
	for i := range 8 {
		clients.Go(func() {
			kept := i%2 == 0
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: !kept}, Timeout: 20 * time.Second}
			var refused time.Time
			for {
				r, err := client.Post(url, "application/json", strings.NewReader(`{"items":[{"task":"blocksworld:3-5","completion":"(pick-up a)"}]}`))
				var op *net.OpError
				if err != nil {
					if !errors.As(err, &op) || op.Op != "dial" || !errors.Is(err, syscall.ECONNREFUSED) {
						t.Errorf("kept %v, refused %v: %v", kept, !refused.IsZero(), err)
					}
					gone.Add(1)
					return
				}
				text, err := io.ReadAll(r.Body)
				r.Body.Close()
				switch {
				case err != nil:
					t.Error(err)
				case r.StatusCode == 200 && refused.IsZero():
					answered.Add(1)
				case r.StatusCode == 503 && strings.Contains(string(text), "stopping"):
					stopping.Add(1)
					if refused.IsZero() {
						refused = time.Now()
					}
					time.Sleep(1500 * time.Millisecond) // Retry-After asks for one second
				default:
					t.Errorf("%d %s", r.StatusCode, text)
				}
			}
		})
	}
	for answered.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	clients.Wait()
	if stopping.Load() < 8 || gone.Load() != 8 {
		t.Errorf("%d answered, %d refused, %d gone", answered.Load(), stopping.Load(), gone.Load())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
