//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "playground runs in a browser: make playground")
	os.Exit(2)
}
