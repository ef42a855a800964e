package server

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/rltrain/oracle"
)

// TestGolden sends the golden responses of package rltrain over HTTP, with one and with
// many workers.
func TestGolden(t *testing.T) {
	read := func(name string) []string {
		text, err := os.ReadFile(filepath.Join("..", "oracle", "testdata", "golden", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	requests, scores := read("requests.jsonl"), read("scores.jsonl")
	if len(requests) != len(scores) || len(requests) < 10 {
		t.Fatalf("%d requests, %d answers", len(requests), len(scores))
	}
	for _, workers := range []int{1, 8} {
		_, base := start(t, Options{}, oracle.Options{Workers: workers})
		for i, request := range requests {
			var want struct {
				Sum string `json:"items_sha256"`
			}
			if err := json.Unmarshal([]byte(scores[i]), &want); err != nil {
				t.Fatal(err)
			}
			code, text := post(t, base+"/v1/score", request)
			at := strings.Index(text, `"items":`)
			if code != 200 || at < 0 {
				t.Fatalf("request %d: %d %.300s", i, code, text)
			}
			items := strings.TrimSuffix(text[at+len(`"items":`):], "}\n")
			if got := fmt.Sprintf("%x", sha256.Sum256([]byte(items))); got != want.Sum {
				t.Errorf("%d workers, request %d: %s, want %s", workers, i, got, want.Sum)
			}
		}
	}
}
