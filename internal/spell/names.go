package spell

import (
	"strings"
)

// names lists the values of an option in an error.
func Names[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}
