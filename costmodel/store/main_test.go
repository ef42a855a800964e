package store

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Environment of a child process that fills a store: the kill tests run this binary again.
const (
	childStore = "PLANPROOF_TEST_FILL"
	childTasks = "PLANPROOF_TEST_TASKS"
	childDir   = "PLANPROOF_TEST_TABLES"
)

// TestMain lets the kill tests run this binary as a process that fills a store and says
// how many rows are finished, a line after every commit.
func TestMain(m *testing.M) {
	if path := os.Getenv(childStore); path != "" {
		os.Exit(child(path))
	}
	os.Exit(m.Run())
}

func child(path string) int {
	t := &testing.T{}
	n, err := strconv.Atoi(os.Getenv(childTasks))
	if err != nil {
		return 4
	}
	s, err := Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 5
	}
	_, err = Fill(context.Background(), s, slices.Values(killInputs(t, n)), FillOptions{
		Schedules: schedules(t, "", "put-down=20,*=1"), Jobs: 3, Tables: os.Getenv(childDir), Version: "test",
		Progress: func(st FillStats) { fmt.Println(st.Rows) },
	})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if strings.Contains(err.Error(), ErrWrite.Error()) {
			return 7
		}
		return 6
	}
	return 0
}
