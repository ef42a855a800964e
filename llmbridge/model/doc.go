// Package model talks to language models. Everything above it (plain prompting, tree
// search, feedback rounds, evaluation) sees one interface, Model:
//
//	            ┌─ Client     an OpenAI-compatible server: vLLM, llama.cpp, OpenAI; Ollama
//	Model ◄─────┼─ Scripted   answers by rule, for tests and baselines
//	            └─ Recorder   wraps another model with a transcript: records, resumes, replays
//
// A request is a value: two equal requests have one key (RequestKey), and a transcript
// maps keys to answers. So a run that was killed goes on where it stopped, and a finished
// run is replayed to the same bytes without a server.
//
// What a server can do is found out by asking it (Client.Probe), not assumed from its
// name: servers accept parameters that they then ignore, and the same program differs
// between versions. What a model cannot do is the error ErrUnsupported, never a number
// made up in its place.
//
// An answer that did not arrive whole (an outage, a time limit, half a stream) is an
// *Error with a kind. Callers report it as a status; it is never an answer, and so never a
// score.
package model
