package spell

import (
	"strings"
)

// Names lists the values of an option for an error message: "a, b, c".
func Names[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}
