package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestExtractLongRow: a row that is too long is told by its number, and those after it are
// answered.
func TestExtractLongRow(t *testing.T) {
	row := func(id int) string {
		return fmt.Sprintf(`{"id":%d,"task":"blocksworld:4-17","response":"(pick-up a)"}`+"\n", id)
	}
	in := row(1) + strings.Repeat("x", maxRowBytes) + "\n" + row(3)
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"extract", "--batch", "-", "--json"}, streams{strings.NewReader(in), &out, &errs})
	lines := strings.Split(out.String(), "\n")
	if code != exitBad || len(lines) != 4 || !strings.HasPrefix(lines[0], `{"id":1,"status":"plan"`) || !strings.HasPrefix(lines[2], `{"id":3,"status":"plan"`) ||
		lines[1] != `{"id":null,"error":"row 2: bad row: 67108865 bytes, more than 67108864"}` {
		t.Errorf("code %d\n%s%s", code, out.String(), errs.String())
	}
}
