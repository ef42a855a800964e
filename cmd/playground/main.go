//go:build js

// Command playground is what answers the requests of the plan debugger's page inside the browser, compiled to
// WebAssembly: `make playground`.
package main

import (
	"context"
	"syscall/js"

	"github.com/planproof/planproof/llmbridge/debugger"
)

func main() {
	d := debugger.New(debugger.Options{})
	// A call has a goroutine of its own, so that what waits for the event loop, such as timers, can go on.
	js.Global().Set("planproofAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, body, answered := args[0].String(), []byte(args[1].String()), args[2]
		go func() {
			answer, _ := d.Answer(context.Background(), name, body)
			answered.Invoke(string(answer))
		}()
		return nil
	}))
	js.Global().Call("planproofReady")
	select {}
}
