package domains

import (
	"fmt"
	"strconv"
	"strings"
)

// maxRange bounds the names of a range.
const maxRange = 100_000

// Range expands a range of bundled names such as blocksworld:4-1..20. Other texts are
// returned as they are.
func Range(text string) ([]string, error) {
	head, last, ok := strings.Cut(text, "..")
	if !ok {
		return []string{text}, nil
	}
	at := strings.LastIndexAny(head, "-:") + 1
	from, err1 := strconv.ParseUint(head[at:], 10, 63)
	to, err2 := strconv.ParseUint(last, 10, 63)
	if err1 != nil || err2 != nil || from > to || to-from >= maxRange {
		return nil, fmt.Errorf("%q is not a range of tasks such as blocksworld:4-1..20", text)
	}
	var names []string
	for n := from; n <= to; n++ {
		names = append(names, fmt.Sprint(head[:at], n))
	}
	return names, nil
}
