package taskref

import (
	"os"
	"strings"
)

// IsBundled reports whether name is that of a bundled task, such as blocksworld:4-17. A file
// of that name wins.
func IsBundled(name string) bool {
	if !strings.Contains(name, ":") {
		return false
	}
	_, err := os.Stat(name)
	return err != nil
}
