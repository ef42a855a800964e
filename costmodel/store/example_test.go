package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains"
)

// Fill a store with the optimal costs of tasks, and look one up by its texts.
func Example() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(filepath.Join(dir, "truth.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	opener := store.Opener{}
	inputs, err := opener.Inputs("blocksworld:3-5", "blocksworld:4-17")
	if err != nil {
		log.Fatal(err)
	}
	defer inputs.Close()
	stats, err := store.Fill(context.Background(), s, inputs.Tasks, store.FillOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Rows, "rows")

	domain, problem, err := domains.Load("blocksworld:4-17")
	if err != nil {
		log.Fatal(err)
	}
	key, err := store.KeyOf(domain, problem, costmodel.Schedule{})
	if err != nil {
		log.Fatal(err)
	}
	row, found, err := s.Lookup(key)
	if err != nil || !found {
		log.Fatal(found, err)
	}
	fmt.Println(row.Status, row.Cost, row.Steps)
	// Output:
	// 2 rows
	// solved-optimally 10 10
}
