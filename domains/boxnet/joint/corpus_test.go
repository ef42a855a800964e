package joint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/proof"
	"github.com/planproof/planproof/internal/testkit"
)

// TestCorpus solves the instances of the corpus under every reading.
func TestCorpus(t *testing.T) {
	text, err := os.ReadFile(testkit.Shared(t, "data", "boxnet", "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	instances := 0
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var row struct {
			Kind, ID string
			Steps    *int                   `json:"optimal_steps"`
			Other    map[boxnet.Reading]int `json:"optimal_steps_other_readings"`
			Moves    int
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Kind != "instance" {
			continue
		}
		instances++
		in, err := boxnet.ReadInstance(s.Bytes(), true)
		if err != nil {
			t.Fatal(row.ID, err)
		}
		for _, rd := range boxnet.Readings() {
			res, err := Solve(context.Background(), in, Options{Reading: rd, Second: Moves, Certificate: true})
			if err != nil {
				t.Fatal(row.ID, err)
			}
			if row.Steps == nil {
				if res.Status != Unsolvable {
					t.Errorf("%s: %+v", row.ID, res)
				}
				continue
			}
			if _, err := proof.Check(context.Background(), res.Certificate); err != nil {
				t.Errorf("%s under %s: %v", row.ID, rd, err)
			}
			want := *row.Steps
			if other, ok := row.Other[rd]; ok {
				want = other
			}
			if res.Status != Solved || len(res.Plan) != want || !res.FewestMoves || rd == boxnet.Default && res.Moves > row.Moves {
				t.Errorf("%s under %s: %s, %d steps, %d moves (fewest: %v), want %d and %d", row.ID, rd, res.Status, len(res.Plan), res.Moves, res.FewestMoves, want, row.Moves)
			}
		}
	}
	if instances < 10 {
		t.Errorf("only %d instances", instances)
	}
}
