package model

import "slices"

// ScoreMethod is a way to get the log-probability of a given continuation.
type ScoreMethod string

// Ways of scoring, best first.
const (
	// ScorePrompt: the server returns the log-probabilities of a prompt's tokens; prompt and
	// continuation are joined as token ids (vLLM).
	ScorePrompt ScoreMethod = "prompt-logprobs"
	// ScoreEcho: the server repeats the prompt with log-probabilities; the continuation is found by
	// its offset in the text (llama-cpp-python).
	ScoreEcho ScoreMethod = "echo"
	// ScoreForced: a grammar of token ids forces the decoder to write the continuation, and the server
	// returns the log-probabilities before sampling (llama.cpp).
	ScoreForced ScoreMethod = "forced-decoding"
	// ScoreTop: the continuation is found among the alternatives to the first token. It works only for
	// continuations of one token, such as "good" and "bad".
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
	// N: one call can return several samples and counts the tokens of all. Otherwise the client makes
	// one call per sample.
	N bool `json:"n"`
	// Stream: text arrives in pieces.
	Stream bool `json:"stream"`
	// Logprobs: the log-probabilities of sampled tokens, with up to TopLogprobs alternatives.
	Logprobs    bool          `json:"logprobs"`
	TopLogprobs int           `json:"top_logprobs"`
	Score       ScoreMethod   `json:"score"`
	Grammars    []GrammarKind `json:"grammars"`
	// Usage: the server counts tokens.
	Usage bool `json:"usage"`
	// Dropped lists parameters that the server refuses; they are not sent.
	Dropped []string `json:"dropped,omitempty"`
	// Notes are observations of the probe, for people.
	Notes []string `json:"notes,omitempty"`
}

// Grammar reports whether the model obeys grammars of a kind.
func (c *Capabilities) Grammar(kind GrammarKind) bool { return slices.Contains(c.Grammars, kind) }
