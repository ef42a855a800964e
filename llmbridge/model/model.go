package model

import (
	"context"

	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// Model generates and scores text. Implementations may be used by several goroutines.
type Model interface {
	// Name identifies the model in records: with equal names, equal requests are the
	// same request.
	Name() string
	// Capabilities tells what the model can do.
	Capabilities() Capabilities
	// Generate returns req.N samples, or an *Error; with it come the samples, fewer than
	// req.N, that were finished before, nil if there are none.
	Generate(ctx context.Context, req *Request) (*Response, error)
	// Score returns the log-probability of each continuation after the prompt, in the
	// order of req.Continuations, or an *Error.
	Score(ctx context.Context, req *ScoreRequest) (*ScoreResponse, error)
}

// Input is what a model reads: messages of a chat, or plain text to continue. Exactly
// one of the two is set.
type Input struct {
	Messages []prompt.Message `json:"messages,omitempty"`
	Prompt   string           `json:"prompt,omitempty"`
}

// Request asks for samples. Its fields, apart from those that are not encoded, are part
// of its key.
type Request struct {
	Input
	// N is the number of samples; 0 means 1.
	N int `json:"n,omitempty"`
	// Seed of the first sample, passed to servers that take one. Nil: none.
	Seed *int64 `json:"seed,omitempty"`
	// Sample tells equal requests apart, for a model without a seed.
	Sample int      `json:"sample,omitempty"`
	Stop   []string `json:"stop,omitempty"`
	// Temperature is always sent: servers differ in their defaults. 0 is greedy.
	Temperature float64 `json:"temperature"`
	// TopP is the mass of nucleus sampling; 0 means 1, all of it.
	TopP float64 `json:"top_p,omitempty"`
	// MaxTokens bounds one sample; 0 leaves it to the server.
	MaxTokens int `json:"max_tokens,omitempty"`
	// TopLogprobs asks for the log-probabilities of the tokens and of so many
	// alternatives to each. Nil: none.
	TopLogprobs *int `json:"top_logprobs,omitempty"`
	// Grammar keeps the samples inside a language.
	Grammar *Grammar `json:"grammar,omitempty"`

	// OnChunk, if set, is called with pieces of text as they arrive.
	OnChunk func(Chunk) `json:"-"`
	// Problem is the task that the request is about. It is never sent: a Scripted model
	// answers from it.
	Problem *pddl.Problem `json:"-"`
}

// Samples is the number of samples that the request asks for, at least 1.
func (r *Request) Samples() int { return max(r.N, 1) }

// Chunk is a piece of a sample. Restart means that a try failed and the text of sample
// Index so far is void.
type Chunk struct {
	Index   int
	Text    string
	Restart bool
}

// GrammarKind names a notation for languages.
type GrammarKind string

// Notations of grammars. A choice is one text of several, one a line.
const (
	GrammarGBNF       GrammarKind = "gbnf"
	GrammarLark       GrammarKind = "lark"
	GrammarRegex      GrammarKind = "regex"
	GrammarJSONSchema GrammarKind = "json-schema"
	GrammarChoice     GrammarKind = "choice"
)

// Grammar is a language that samples are kept to.
type Grammar struct {
	Kind GrammarKind `json:"kind"`
	Text string      `json:"text"`
}

// Response holds the samples of a request.
type Response struct {
	Samples []Sample `json:"samples"`
	// Usage is what the server counted, over all samples; nil if it did not say.
	Usage *Usage `json:"usage,omitempty"`
	// Model is the model as the server names it.
	Model string `json:"model,omitempty"`
	// Constrained tells that a decoder was kept to the request's grammar: that its
	// output can be read is no merit of the model.
	Constrained bool `json:"constrained,omitempty"`
}

// Finish tells why a sample ended.
type Finish string

// Reasons for the end of a sample. FinishLength means that it was cut off.
const (
	FinishStop   Finish = "stop"
	FinishLength Finish = "length"
	FinishFilter Finish = "content_filter"
)

// Sample is one answer.
type Sample struct {
	Text string `json:"text"`
	// NoText tells that the server sent no text at all, which is not the empty text: the
	// content of its message is null or missing.
	NoText bool `json:"no_text,omitempty"`
	// Reasoning is the text of a reasoning model before its answer, where the server
	// separates the two.
	Reasoning string  `json:"reasoning,omitempty"`
	Finish    Finish  `json:"finish,omitempty"`
	Tokens    []Token `json:"tokens,omitempty"`
}

// Truncated tells that the sample was cut off by a limit.
func (s *Sample) Truncated() bool { return s.Finish == FinishLength }

// Token is a token of a sample with its natural log-probability, and the likeliest
// tokens at its place.
type Token struct {
	Text    string  `json:"text"`
	Logprob float64 `json:"logprob"`
	Top     []Token `json:"top,omitempty"`
}

// Usage counts tokens.
type Usage struct {
	Prompt     int64 `json:"prompt"`
	Completion int64 `json:"completion"`
	// Cached and Reasoning are parts of the two above, where the server tells.
	Cached    int64 `json:"cached,omitempty"`
	Reasoning int64 `json:"reasoning,omitempty"`
}

// Add adds v to u.
func (u *Usage) Add(v Usage) {
	u.Prompt += v.Prompt
	u.Completion += v.Completion
	u.Cached += v.Cached
	u.Reasoning += v.Reasoning
}

// ScoreRequest asks how likely continuations are after one prompt.
type ScoreRequest struct {
	Input
	Continuations []string `json:"continuations"`

	// Problem is as in Request.
	Problem *pddl.Problem `json:"-"`
}

// ScoreResponse holds a score for each continuation.
type ScoreResponse struct {
	Scores []Score     `json:"scores"`
	Method ScoreMethod `json:"method"`
	Usage  *Usage      `json:"usage,omitempty"`
}

// Score is the natural log-probability of a continuation: the sum over its tokens.
type Score struct {
	Logprob float64 `json:"logprob"`
	// Tokens is the number of tokens summed over; divide by it for a mean.
	Tokens int `json:"tokens"`
	// AtMost tells that Logprob is only an upper bound: the continuation was not among
	// the alternatives that the server lists.
	AtMost bool `json:"at_most,omitempty"`
}
