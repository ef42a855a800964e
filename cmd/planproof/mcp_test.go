package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPCommand: agents start the command and talk over its standard input and output.
func TestMCPCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"planproof", "mcp", "--time", "10s"} // TestMain looks at the name
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "solve", Arguments: map[string]any{"task": "blocksworld:4-17"}})
	if err != nil {
		t.Fatal(err)
	}
	if answer, ok := r.StructuredContent.(map[string]any); !ok || answer["status"] != "solved-optimally" || answer["cost"] != "10" {
		t.Errorf("%+v", r)
	}
	if err := c.Close(); err != nil {
		t.Errorf("the command ended with %v", err)
	}
}
