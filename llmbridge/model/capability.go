package model

import "slices"

// ScoreMethod is a way to get the log-probability of a given continuation.
type ScoreMethod string

// Ways of scoring, best first.
const (
	// ScorePrompt: the server returns the log-probabilities of the prompt's tokens, and
	// prompt and continuation are joined as token ids (vLLM).
	ScorePrompt ScoreMethod = "prompt-logprobs"
	// ScoreEcho: the server repeats the prompt with log-probabilities; the continuation
	// is cut off by its place in the text (llama-cpp-python).
	ScoreEcho ScoreMethod = "echo"
	// ScoreForced: a grammar of token ids leaves the decoder one way to go, and the
	// log-probabilities are those before sampling (llama.cpp).
	ScoreForced ScoreMethod = "forced-decoding"
	// ScoreTop: the alternatives to the first token are read off. It serves only for
	// continuations of one token, "good" and "bad" for instance.
	ScoreTop ScoreMethod = "top-logprobs"
	// ScoreExact: a scripted model knows its own distribution.
	ScoreExact ScoreMethod = "exact"
	// ScoreNone: the model cannot score.
	ScoreNone ScoreMethod = ""
)

// Capabilities is what a model can do. Client.Probe fills it by asking.
type Capabilities struct {
	// Server is "vllm", "llama.cpp", "llama-cpp-python", "ollama", "openai",
	// "score-server", "scripted", or "unknown".
	Server string `json:"server"`
	Model  string `json:"model,omitempty"`
	Chat   bool   `json:"chat"`
	// Completions: continues plain text.
	Completions bool `json:"completions"`
	// N: several samples from one call, all of them counted in the usage. Without it
	// the client calls once per sample.
	N bool `json:"n"`
	// Stream: text arrives in pieces.
	Stream bool `json:"stream"`
	// Logprobs: the log-probabilities of chosen tokens; TopLogprobs alternatives to each.
	Logprobs    bool          `json:"logprobs"`
	TopLogprobs int           `json:"top_logprobs"`
	Score       ScoreMethod   `json:"score"`
	Grammars    []GrammarKind `json:"grammars"`
	// Usage: tokens are counted.
	Usage bool `json:"usage"`
	// Dropped lists parameters that the server refuses and that are therefore not sent.
	Dropped []string `json:"dropped,omitempty"`
	// Notes are observations of the probe, for people.
	Notes []string `json:"notes,omitempty"`
}

// Grammar reports whether grammars of a kind are obeyed.
func (c *Capabilities) Grammar(kind GrammarKind) bool { return slices.Contains(c.Grammars, kind) }
