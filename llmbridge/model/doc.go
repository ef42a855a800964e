// Package model talks to language models. Everything above it (prompting, tree search, feedback rounds,
// evaluation) sees one interface, Model:
//
//	            ┌─ Client     a server with OpenAI's API (vLLM, llama.cpp, OpenAI, ...) or Ollama
//	Model ◄─────┼─ Scripted   answers by rule, for tests and baselines
//	            └─ Recorder   wraps another model with a transcript: records, resumes, replays
//
//	Request ─► Client    client.go (calls), generate.go, score.go, ollama.go
//	        ─► server    probe.go finds out what it can do (capability.go)
//	        ─► Response  wire.go, stream.go; retry.go, server_error.go, body_guard.go and error.go
//	                     if something goes wrong
//	Request ─► Recorder  recorder.go, key.go ─► transcript.go
//	Request ─► Scripted  scripted.go, canned.go, distance_oracle.go
//	Usage   ─► cost      cost.go
//	the models that a command names ─► opened and probed, with their transcripts   open.go
//
// A request is a value: equal requests have the same key, and a transcript maps keys to
// answers. So a killed run continues where it stopped, and a finished run can be replayed to the same
// bytes without a server.
//
// Client.Probe finds out what a server can do by asking it. A server's name is not enough: servers ignore
// parameters that they accept, and versions of one program differ. If a model cannot do something, the
// error is ErrUnsupported; no number is made up instead.
//
// An answer that did not arrive whole (an outage, a time limit, half a stream) is an *Error with a kind.
// Callers report it as a status. It is never an answer, and so never a score.
package model
