package model

import (
	"context"
	"fmt"
	"io"

	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// Model generates and scores text. Implementations may be used by several goroutines.
type Model interface {
	// Name identifies the model in transcripts: equal requests to models of one name have the same
	// answer.
	Name() string
	// Capabilities returns what the model can do.
	Capabilities() Capabilities
	// Generate returns req.N samples. On an *Error it also returns the samples finished before it, fewer
	// than req.N, or nil.
	Generate(ctx context.Context, req *Request) (*Response, error)
	// Score returns the log-probability of each continuation after the prompt, in the
	// order of req.Continuations, or an *Error.
	Score(ctx context.Context, req *ScoreRequest) (*ScoreResponse, error)
}

// Input is what a model reads: the messages of a chat, or plain text to continue. Exactly one of the two
// is set.
type Input struct {
	Messages []prompt.Message `json:"messages,omitempty"`
	Prompt   string           `json:"prompt,omitempty"`
}

// InputOf gives messages to a model that knows no chats as text.
func InputOf(m Model, messages []prompt.Message) Input {
	caps := m.Capabilities()
	if caps.Chat || !caps.Completions {
		return Input{Messages: messages}
	}
	text := ""
	for i, msg := range messages {
		if i > 0 {
			text += "\n\n"
		}
		text += msg.Content
	}
	return Input{Prompt: text + "\n"}
}

// Request asks for samples. All fields that are encoded are part of its key.
type Request struct {
	Input
	// N is the number of samples; 0 means 1.
	N int `json:"n,omitempty"`
	// Seed is the seed of the first sample, for servers that take one; nil for none.
	Seed *int64 `json:"seed,omitempty"`
	// Sample distinguishes otherwise equal requests, for models without a seed.
	Sample int      `json:"sample,omitempty"`
	Stop   []string `json:"stop,omitempty"`
	// Temperature is always sent, because servers have different defaults. 0 is greedy.
	Temperature float64 `json:"temperature"`
	// TopP is the probability mass of nucleus sampling; 0 means 1, that is off.
	TopP float64 `json:"top_p,omitempty"`
	// MaxTokens bounds one sample; 0 leaves it to the server.
	MaxTokens int `json:"max_tokens,omitempty"`
	// TopLogprobs asks for the log-probability of each token and of this many alternatives; nil for
	// none.
	TopLogprobs *int `json:"top_logprobs,omitempty"`
	// Grammar restricts the samples to a language.
	Grammar *Grammar `json:"grammar,omitempty"`

	// OnChunk, if set, is called with pieces of text as they arrive.
	OnChunk func(Chunk) `json:"-"`
	// Problem is the task that the request is about. It is not sent; a Scripted model needs it.
	Problem *pddl.Problem `json:"-"`
}

// samples returns the number of samples that the request asks for, at least 1.
func (r *Request) samples() int { return max(r.N, 1) }

// Chunk is a piece of a sample. Restart means that a try failed, and that the text of sample Index so far
// does not count.
type Chunk struct {
	Index   int
	Text    string
	Restart bool
}

// Echo writes samples for people while they arrive.
func Echo(w io.Writer) func(Chunk) {
	return func(c Chunk) {
		if c.Restart {
			fmt.Fprint(w, "\n[the connection failed; again:]\n")
		}
		fmt.Fprint(w, c.Text)
	}
}

// GrammarKind is a notation for grammars.
type GrammarKind string

// Notations of grammars. A choice lists the allowed texts, one per line.
const (
	GrammarGBNF       GrammarKind = "gbnf"
	GrammarLark       GrammarKind = "lark"
	GrammarRegex      GrammarKind = "regex"
	GrammarJSONSchema GrammarKind = "json-schema"
	GrammarChoice     GrammarKind = "choice"
)

// Grammar is a language to which samples are restricted.
type Grammar struct {
	Kind GrammarKind `json:"kind"`
	Text string      `json:"text"`
}

// Response holds the samples of a request.
type Response struct {
	Samples []Sample `json:"samples"`
	// Usage is what the server counted for all samples, nil if it did not.
	Usage *Usage `json:"usage,omitempty"`
	// Model is the server's name for the model.
	Model string `json:"model,omitempty"`
	// Constrained: the decoder was restricted to the request's grammar, so that readable output is no
	// merit of the model.
	Constrained bool `json:"constrained,omitempty"`
}

// Finish says why a sample ended.
type Finish string

// Reasons for the end of a sample. FinishLength: it was cut off.
const (
	FinishStop   Finish = "stop"
	FinishLength Finish = "length"
	FinishFilter Finish = "content_filter"
)

// Sample is one answer.
type Sample struct {
	Text string `json:"text"`
	// NoText: the server sent no text at all, not even an empty one; the content of its message is
	// null or missing.
	NoText bool `json:"no_text,omitempty"`
	// Reasoning is the text of a reasoning model before its answer, if the server separates the two.
	Reasoning string  `json:"reasoning,omitempty"`
	Finish    Finish  `json:"finish,omitempty"`
	Tokens    []Token `json:"tokens,omitempty"`
}

// Truncated reports whether a limit cut the sample off.
func (s *Sample) Truncated() bool { return s.Finish == FinishLength }

// Token is a token of a sample with its natural log-probability and the likeliest tokens in its place.
type Token struct {
	Text    string  `json:"text"`
	Logprob float64 `json:"logprob"`
	Top     []Token `json:"top,omitempty"`
}

// Usage counts tokens.
type Usage struct {
	Prompt     int64 `json:"prompt"`
	Completion int64 `json:"completion"`
	// Cached is the part of Prompt, and Reasoning the part of Completion, that the server reports as
	// such.
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

	// Problem is the same as in Request.
	Problem *pddl.Problem `json:"-"`
}

// ScoreResponse holds a score for each continuation.
type ScoreResponse struct {
	Scores []Score     `json:"scores"`
	Method ScoreMethod `json:"method"`
	Usage  *Usage      `json:"usage,omitempty"`
}

// Score is the natural log-probability of a continuation, summed over its tokens.
type Score struct {
	Logprob float64 `json:"logprob"`
	// Tokens is the number of tokens in the sum.
	Tokens int `json:"tokens"`
	// AtMost: Logprob is only an upper bound, because the server does not list the continuation among
	// its alternatives.
	AtMost bool `json:"at_most,omitempty"`
}
