package model

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Score implements Model with the best method that Probe found.
func (c *Client) Score(ctx context.Context, req *ScoreRequest) (*ScoreResponse, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	return c.scoreBy(ctx, req, c.Capabilities().Score)
}

func (c *Client) scoreBy(ctx context.Context, req *ScoreRequest, method ScoreMethod) (*ScoreResponse, error) {
	out := &ScoreResponse{Scores: make([]Score, len(req.Continuations)), Method: method}
	if len(req.Continuations) == 0 {
		return out, nil
	}
	var one func(ctx context.Context, continuation string) (Score, *Usage, error)
	switch method {
	case ScoreTop:
		return c.scoreTop(ctx, req, out)
	case ScoreEcho:
		if len(req.Messages) > 0 {
			return nil, errorf(KindUnsupported, "%s scores continuations of plain text only, not of a chat", c.Name())
		}
		one = func(ctx context.Context, y string) (Score, *Usage, error) { return c.scoreEcho(ctx, req.Prompt, y) }
	case ScorePrompt:
		return c.scorePrompts(ctx, req, out)
	case ScoreForced:
		prefix, err := c.promptIDs(ctx, &req.Input, method)
		if err != nil {
			return nil, err
		}
		one = func(ctx context.Context, y string) (Score, *Usage, error) {
			ids, err := c.tokenize(ctx, y, method)
			if err != nil {
				return Score{}, nil, err
			}
			if len(ids) == 0 {
				return Score{}, &Usage{}, nil // the empty continuation has probability 1
			}
			return c.scoreForced(ctx, prefix, ids)
		}
	default:
		return nil, errorf(KindUnsupported, "%s cannot score a given continuation", c.Name())
	}
	usage := make([]*Usage, len(req.Continuations))
	errs := make([]error, len(req.Continuations))
	var wg sync.WaitGroup
	for i, y := range req.Continuations {
		wg.Go(func() { out.Scores[i], usage[i], errs[i] = one(ctx, y) })
	}
	wg.Wait()
	return summed(out, usage, errs)
}

// summed adds up what several calls have used, or says why the first of them failed.
func summed(out *ScoreResponse, usage []*Usage, errs []error) (*ScoreResponse, error) {
	out.Usage = &Usage{}
	known := Usage{} // of the calls that report it
	var failed error // the first error
	for i, err := range errs {
		switch {
		case err != nil && failed == nil:
			failed = err
		case err != nil:
		case usage[i] == nil:
			out.Usage = nil
		default:
			known.Add(*usage[i])
		}
	}
	if failed != nil {
		return nil, after(&known, failed)
	}
	if out.Usage != nil {
		*out.Usage = known
	}
	return out, nil
}

// promptIDs renders a prompt to token ids with the model's own chat template. It keeps the ids of recent
// prompts, because a search scores many continuations of the same prompt.
func (c *Client) promptIDs(ctx context.Context, in *Input, method ScoreMethod) ([]int64, error) {
	key := string(method) + "\x00" + inputKey(in)
	c.mu.Lock()
	ids, ok := c.prefixes[key]
	c.mu.Unlock()
	if ok {
		return ids, nil
	}
	var err error
	switch {
	case method == ScorePrompt:
		body := map[string]any{"model": c.opt.Model, "add_special_tokens": true}
		if len(in.Messages) > 0 {
			body["messages"], body["add_generation_prompt"] = in.Messages, true
			body["add_special_tokens"] = false // the template has them
		} else {
			body["prompt"] = in.Prompt
		}
		ids, err = c.postTokenize(ctx, body)
	default:
		text := in.Prompt
		if len(in.Messages) > 0 {
			var out struct {
				Prompt string `json:"prompt"`
			}
			if err := c.postJSON(ctx, c.root+"/apply-template", map[string]any{"messages": in.Messages}, &out); err != nil {
				return nil, err
			}
			text = out.Prompt
		}
		ids, err = c.postTokenize(ctx, map[string]any{"content": text, "add_special": true, "parse_special": true})
	}
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if len(c.prefixes) >= 64 {
		clear(c.prefixes)
	}
	c.prefixes[key] = ids
	c.mu.Unlock()
	return ids, nil
}

// maxPieces bounds the number of continuations whose token ids are kept.
const maxPieces = 4096

// tokenize returns the token ids of a continuation. It keeps them, because a search asks about the same
// actions again and again.
func (c *Client) tokenize(ctx context.Context, text string, method ScoreMethod) ([]int64, error) {
	if text == "" {
		return nil, nil
	}
	key := string(method) + "\x00" + text
	c.mu.Lock()
	ids, ok := c.pieces[key]
	c.mu.Unlock()
	if ok {
		return ids, nil
	}
	body := map[string]any{"content": text, "add_special": false}
	if method == ScorePrompt {
		body = map[string]any{"model": c.opt.Model, "prompt": text, "add_special_tokens": false}
	}
	ids, err := c.postTokenize(ctx, body)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pieces) >= maxPieces {
		clear(c.pieces)
	}
	c.pieces[key] = ids
	return ids, nil
}

func (c *Client) postTokenize(ctx context.Context, body any) ([]int64, error) {
	var out struct {
		Tokens []int64 `json:"tokens"`
	}
	if err := c.postJSON(ctx, c.root+"/tokenize", body, &out); err != nil {
		return nil, err
	}
	if len(out.Tokens) == 0 {
		return nil, errorf(KindMalformed, "the server returns no tokens for a text that is not empty")
	}
	return out.Tokens, nil
}

// scorePrompts lets vLLM return the log-probabilities of the prompts x y, in one call for all y if the server
// takes several prompts. They are joined as ids, because joining strings might change the tokens at the
// seam.
func (c *Client) scorePrompts(ctx context.Context, req *ScoreRequest, out *ScoreResponse) (*ScoreResponse, error) {
	x, err := c.promptIDs(ctx, &req.Input, ScorePrompt)
	if err != nil {
		return nil, err
	}
	out.Usage = &Usage{}
	known := &Usage{} // of the calls that report it
	var ys [][]int64
	var at []int // index of each in the request
	for i, text := range req.Continuations {
		y, err := c.tokenize(ctx, text, ScorePrompt)
		if err != nil {
			return nil, err
		}
		if len(y) > 0 { // the empty continuation has probability 1
			ys, at = append(ys, y), append(at, i)
		}
	}
	for len(ys) > 0 {
		n := len(ys)
		if c.single.Load() {
			n = 1
		}
		scores, usage, err := c.scorePrompt(ctx, x, ys[:n])
		if e, no := refusal(err); err != nil && no && n > 1 && (c.probing.Load() || !e.passing()) {
			c.single.Store(true)
			continue
		}
		if err != nil {
			return nil, after(known, err)
		}
		for i, s := range scores {
			out.Scores[at[i]] = s
		}
		if usage == nil {
			out.Usage = nil // partly unknown is unknown
		} else if known.Add(*usage); out.Usage != nil {
			*out.Usage = *known
		}
		ys, at = ys[n:], at[n:]
	}
	return out, nil
}

// scorePrompt makes one call. If the server takes only one prompt at a time, the error is of kind
// KindRefused.
func (c *Client) scorePrompt(ctx context.Context, x []int64, ys [][]int64) ([]Score, *Usage, error) {
	prompts := make([][]int64, len(ys))
	for i, y := range ys {
		prompts[i] = append(append(make([]int64, 0, len(x)+len(y)), x...), y...)
	}
	body := map[string]any{"model": c.opt.Model, "prompt": prompts, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
	if len(prompts) == 1 {
		body["prompt"] = prompts[0]
	}
	if c.Capabilities().Server == "score-server" {
		body["prompt_logprobs_from"] = len(x) // the prompt itself need not be scored
	}
	var a wireAnswer
	if err := c.postJSON(ctx, c.base+"/completions", body, &a); err != nil {
		return nil, nil, err
	}
	if len(ys) > 1 && len(a.Choices) != len(ys) {
		return nil, nil, errorf(KindRefused, "the server answers %d of %d prompts", len(a.Choices), len(ys))
	}
	slices.SortStableFunc(a.Choices, func(x, y wireChoice) int { return x.Index - y.Index })
	scores := make([]Score, len(ys))
	for k, y := range ys {
		if k >= len(a.Choices) || len(a.Choices[k].PromptLogprobs) != len(prompts[k]) {
			return nil, nil, errorf(KindMalformed, "the answer does not have a log-probability for each token of the prompt")
		}
		scores[k].Tokens = len(y)
		for i, spot := range a.Choices[k].PromptLogprobs[len(x):] {
			lp, err := logprob(spot[strconv.FormatInt(y[i], 10)].Logprob)
			if err != nil {
				return nil, nil, err
			}
			scores[k].Logprob += lp
		}
	}
	return scores, a.Usage.usage(), nil
}

// scoreForced lets llama.cpp generate y, the only sentence of a grammar over token ids. The server reports the
// log-probabilities before grammar and sampling, that is the model's own.
func (c *Client) scoreForced(ctx context.Context, x, y []int64) (Score, *Usage, error) {
	var g strings.Builder
	g.WriteString("root ::=")
	for _, id := range y {
		fmt.Fprintf(&g, " <[%d]>", id)
	}
	body := map[string]any{"model": c.opt.Model, "prompt": x, "max_tokens": len(y), "temperature": 0, "logprobs": 1,
		"grammar": g.String(), "top_k": 0, "min_p": 0, "repeat_penalty": 1}
	var a wireAnswer
	if err := c.postJSON(ctx, c.base+"/completions", body, &a); err != nil {
		return Score{}, nil, err
	}
	if len(a.Choices) == 0 || a.Choices[0].Logprobs == nil || len(a.Choices[0].Logprobs.Content) < len(y) {
		return Score{}, nil, errorf(KindMalformed, "the answer does not have a log-probability for each token of the continuation")
	}
	s := Score{Tokens: len(y)}
	for i, t := range a.Choices[0].Logprobs.Content[:len(y)] {
		if t.ID == nil || *t.ID != y[i] {
			return Score{}, nil, errorf(KindMalformed, "the server did not generate the tokens of the continuation")
		}
		lp, err := logprob(t.Logprob)
		if err != nil {
			return Score{}, nil, err
		}
		s.Logprob += lp
	}
	return s, a.Usage.usage(), nil
}

// scoreEcho lets the server repeat x y with log-probabilities, and sums those of the tokens of y. Offsets
// count characters.
func (c *Client) scoreEcho(ctx context.Context, x, y string) (Score, *Usage, error) {
	// One token is generated and ignored, because 0 means "no bound" to llama-cpp-python.
	body := map[string]any{"model": c.opt.Model, "prompt": x + y, "echo": true, "logprobs": 1, "max_tokens": 1, "temperature": 0}
	var a wireAnswer
	if err := c.postJSON(ctx, c.base+"/completions", body, &a); err != nil {
		return Score{}, nil, err
	}
	if len(a.Choices) == 0 || a.Choices[0].Logprobs == nil {
		return Score{}, nil, errorf(KindMalformed, "the answer has no log-probabilities")
	}
	l := a.Choices[0].Logprobs
	if len(l.Tokens) == 0 || len(l.TextOffset) != len(l.Tokens) || len(l.TokenLogprobs) != len(l.Tokens) {
		return Score{}, nil, errorf(KindMalformed, "the lists of tokens, offsets and log-probabilities differ in length")
	}
	from := utf8.RuneCountInString(x)
	to := from + utf8.RuneCountInString(y)
	var s Score
	seam := false
	for i, at := range l.TextOffset {
		seam = seam || at == from
		if at < from || at >= to {
			continue
		}
		lp, err := logprob(l.TokenLogprobs[i])
		if err != nil {
			return Score{}, nil, err
		}
		s.Logprob += lp
		s.Tokens++
	}
	if !seam && y != "" {
		return Score{}, nil, errorf(KindUnsupported, "the end of the prompt and the start of the continuation are one token; end the prompt with a line break")
	}
	return s, a.Usage.usage(), nil
}

// scoreTop finds continuations of one token among the alternatives to the first token of an answer.
func (c *Client) scoreTop(ctx context.Context, req *ScoreRequest, out *ScoreResponse) (*ScoreResponse, error) {
	top := c.Capabilities().TopLogprobs
	resp, err := c.Generate(ctx, &Request{Input: req.Input, MaxTokens: 1, TopLogprobs: &top})
	if err != nil {
		return nil, err
	}
	tokens := resp.Samples[0].Tokens
	if len(tokens) == 0 || len(tokens[0].Top) == 0 {
		return nil, errorf(KindMalformed, "the answer lists no alternatives to its first token")
	}
	alts := tokens[0].Top
	for i, y := range req.Continuations {
		s := Score{Logprob: alts[len(alts)-1].Logprob, Tokens: 1, AtMost: true}
		for _, alt := range alts {
			if alt.Text == y {
				s = Score{Logprob: alt.Logprob, Tokens: 1}
				break
			}
		}
		out.Scores[i] = s
	}
	out.Usage = resp.Usage
	return out, nil
}
