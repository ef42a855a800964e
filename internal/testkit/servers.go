package testkit

import (
	"os"
	"strings"
	"testing"
)

// ModelServer is a running model server to test against.
type ModelServer struct {
	Model, URL string
	// Whole is set if the server is known to support everything that tests need: a
	// capability that it does not claim is then an error, not a reason to skip.
	Whole bool
}

// ModelServers returns the servers that $PLANPROOF_SERVERS lists as NAME@URL, separated
// by spaces, and the one of $PLANPROOF_MODEL_URL, which `make test-model` starts. The test
// is skipped if there is none.
func ModelServers(tb testing.TB) []ModelServer {
	tb.Helper()
	var out []ModelServer
	if url := os.Getenv("PLANPROOF_MODEL_URL"); url != "" {
		out = append(out, ModelServer{"small", url, true})
	}
	for _, spec := range strings.Fields(os.Getenv("PLANPROOF_SERVERS")) {
		model, url, ok := strings.Cut(spec, "@")
		if !ok {
			tb.Fatalf("PLANPROOF_SERVERS: %q is not NAME@URL", spec)
		}
		out = append(out, ModelServer{model, url, false})
	}
	if len(out) == 0 {
		tb.Skip("no model server: `make test-model` starts one")
	}
	return out
}
