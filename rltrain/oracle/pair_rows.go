package oracle

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/rltrain/groups"
	"github.com/planproof/planproof/rltrain/rows"
)

// pairRow holds the members of a row that PairRows reads beside those of [rows.ParseRequest].
type pairRow struct {
	Prompt        json.RawMessage `json:"prompt"`
	Unconstrained bool            `json:"unconstrained"`
	KL            float64         `json:"kl"`
}

// pairSample is what a row says of a sample beside the text.
type pairSample struct {
	id, prompt json.RawMessage
}

// chat is a prompt or an answer as a list of messages.
type chat []struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// PairRows judges responses and writes preference pairs {"prompt", "chosen",
// "rejected", "meta"}, as DPO trainers read them: texts if the prompt is a text, lists of
// messages if it is a chat. meta is a JSON text.
//
// Rows are those of score with these members more: prompt (a text, a chat, or
// {"system", "text"}), unconstrained (true for a response to the prompt without its
// constraints; its own prompt is not used), kl (the mean divergence of the response, for
// DropLowest). Rows with the same group are about the same prompt; without a group those
// with the same task and prompt are.
//
// Every response is judged on the whole task, whatever the rows say about rewards. With
// a bad row, or one whose response cannot be judged, nothing is written and the error
// tells all of them. When ctx ends before they are judged the error is that of ctx.
func (o *Oracle) PairRows(ctx context.Context, in io.Reader, out io.Writer, opt groups.PairOptions) (int, groups.PairCounts, error) {
	var counts groups.PairCounts
	samples, sources, err := o.pairSamples(ctx, in, opt.Name)
	if err != nil {
		return 0, counts, err
	}
	pairs, counts, err := groups.Pairs(samples, opt)
	if err != nil {
		return 0, counts, err
	}
	w := bufio.NewWriter(out)
	for _, p := range pairs {
		row, err := preference(samples, sources, p, opt.Rule)
		if err != nil {
			return 0, counts, err
		}
		if err := rowjson.WriteLine(w, row); err != nil {
			return 0, counts, err
		}
	}
	return len(pairs), counts, w.Flush()
}

// pairSamples reads and judges the rows.
func (o *Oracle) pairSamples(ctx context.Context, in io.Reader, name string) (samples []groups.Sampled, sources []pairSample, err error) {
	name = cmp.Or(name, "rows")
	var faults rowjson.Faults
	var items []rows.Item
	var lines []int
	err = rowjson.EachLine(in, name, o.opt.Limits.LineBytes, &faults, func(number int, line []byte) error {
		var p pairRow
		r, err := rows.ParseRequest(line, o.opt.Limits.Items)
		if err == nil {
			err = rowjson.Unmarshal(line, &p, false)
		}
		switch {
		case err != nil:
			return err
		case !p.Unconstrained && !rowjson.Present(p.Prompt):
			return rowjson.Errorf(rowjson.CodeMissing, "prompt", "no prompt")
		case !p.Unconstrained:
			if _, _, err := promptForm(p.Prompt); err != nil {
				return rowjson.At(rowjson.CodeType, "prompt", err)
			}
		}
		p.Prompt = rowjson.Echo(p.Prompt)
		for _, item := range r.Items {
			key := item.Group
			if key == "" {
				if p.Unconstrained {
					return rowjson.Errorf(rowjson.CodeMissing, "group", "a response without constraints needs a group, by which its prompt is found")
				}
				ref, _ := rowjson.Escaped(item.Task)
				key = string(ref) + "\x00" + string(p.Prompt)
			}
			if item.ID == nil {
				item.ID = r.ID
			}
			items, lines = append(items, item), append(lines, number)
			samples = append(samples, groups.Sampled{Prompt: key, Text: item.Response, Unconstrained: p.Unconstrained, KL: p.KL})
			sources = append(sources, pairSample{item.ID, p.Prompt})
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	scores := o.ScoreAll(ctx, items, "valid")
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for i, s := range scores {
		if s.Reward == nil {
			faults.Add(name, lines[i], 1, nil, rowjson.Errorf(rowjson.CodeValue, "", "not judged (%s): %s", s.Status, s.Error))
			continue
		}
		samples[i].Valid = s.Status == rows.StatusValid
	}
	return samples, sources, faults.Err()
}

// promptForm reads a prompt: a text, or a chat.
func promptForm(raw json.RawMessage) (text string, messages json.RawMessage, err error) {
	switch raw[0] {
	case '"':
		err = rowjson.Unmarshal(raw, &text, false)
		return text, nil, err
	case '[':
		var c chat
		if rowjson.Unmarshal(raw, &c, false) == nil && len(c) > 0 && c[0].Role != "" {
			return "", raw, nil
		}
	case '{':
		var p struct {
			System string `json:"system"`
			Text   string `json:"text"`
		}
		if rowjson.Unmarshal(raw, &p, false) == nil && p.Text != "" {
			c := make(chat, 0, 2)
			if p.System != "" {
				c = append(c, message("system", p.System)...)
			}
			messages, err = rowjson.Escaped(append(c, message("user", p.Text)...))
			return "", messages, err
		}
	}
	return "", nil, fmt.Errorf("prompt is neither a text, nor a chat, nor {system, text}")
}

func message(role, content string) chat {
	c := make(chat, 1)
	c[0].Role, c[0].Content = role, content
	return c
}

// preference is the row of a pair. Members stand in this order.
func preference(samples []groups.Sampled, sources []pairSample, p groups.Pair, rule groups.PairRule) (any, error) {
	text, messages, err := promptForm(sources[p.Chosen].prompt)
	if err != nil {
		return nil, err
	}
	type meta struct {
		Rule     groups.PairRule `json:"rule"`
		Chosen   json.RawMessage `json:"chosen"`
		Rejected json.RawMessage `json:"rejected"`
	}
	ids := func(raw json.RawMessage) json.RawMessage {
		if raw == nil {
			return rowjson.Null
		}
		return raw
	}
	about, err := rowjson.Escaped(meta{rule, ids(sources[p.Chosen].id), ids(sources[p.Rejected].id)})
	if err != nil {
		return nil, err
	}
	row := struct {
		Prompt   any    `json:"prompt"`
		Chosen   any    `json:"chosen"`
		Rejected any    `json:"rejected"`
		Meta     string `json:"meta"`
	}{text, samples[p.Chosen].Text, samples[p.Rejected].Text, string(about)}
	if messages != nil {
		row.Prompt, row.Chosen, row.Rejected = messages, message("assistant", samples[p.Chosen].Text), message("assistant", samples[p.Rejected].Text)
	}
	return row, nil
}
