package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLSPCommand: editors start the command and talk over its standard input and output; its exit code says whether they
// shut it down.
func TestLSPCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	talk := func(messages ...string) (string, int) {
		var in, out bytes.Buffer
		for _, m := range messages {
			fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(m), m)
		}
		cmd := exec.Command(self)
		cmd.Args = []string{"planproof", "lsp", "--stdio"} // TestMain looks at the name
		cmd.Stdin, cmd.Stdout = &in, &out
		cmd.Run()
		return out.String(), cmd.ProcessState.ExitCode()
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	out, code := talk(initialize, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`)
	if code != 0 || !strings.Contains(out, `"serverInfo":{"name":"planproof"`) || !strings.Contains(out, `"id":2,"result":null`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, code := talk(initialize, `{"jsonrpc":"2.0","method":"exit"}`); code != 1 {
		t.Errorf("without shutdown: exit code %d: %s", code, out)
	}
	if out, code := talk(initialize); code != 1 {
		t.Errorf("an input that ends: exit code %d: %s", code, out)
	}
}
