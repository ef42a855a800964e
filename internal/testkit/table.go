package testkit

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
)

// Table reads a table of the shared folder, a file of comma-separated values: each row by the
// names in the first line. The test is skipped where there is no such folder.
func Table(t testing.TB, parts ...string) (rows []map[string]string) {
	t.Helper()
	last := len(parts) - 1
	f, err := os.Open(filepath.Join(Shared(t, parts[:last]...), parts[last]))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}
