package dataset

import (
	"context"
	"io"

	"planproof/rltrain"
)

func init() {
	registerBoth("trl-dpo", "TRL's DPO trainer: a valid response preferred to an invalid one", beginPairs(rltrain.DPO))
	registerBoth("trl-ca-dpo", "TRL's DPO trainer, for CA-DPO: a valid response preferred to one to the prompt without constraints", beginPairs(rltrain.ConstraintAwareDPO))
	registerBoth("trl-kto", "TRL's KTO trainer: responses with the judge's label", beginKTO)
	registerBoth("trl-prm", "TRL's PRM trainer: steps of responses with the judge's labels", beginPRM)
}

type pairChat struct {
	Prompt   []Message `json:"prompt" parquet:"prompt,list"`
	Chosen   []Message `json:"chosen" parquet:"chosen,list"`
	Rejected []Message `json:"rejected" parquet:"rejected,list"`
	Meta     string    `json:"meta" parquet:"meta"` // a JSON text
}

type pairText struct {
	Prompt   string `json:"prompt" parquet:"prompt"`
	Chosen   string `json:"chosen" parquet:"chosen"`
	Rejected string `json:"rejected" parquet:"rejected"`
	Meta     string `json:"meta" parquet:"meta"`
}

// pairWriter collects the responses to all records of a file, since pairs are taken from
// the prompts in turn (rltrain.Pairs).
type pairWriter[T any] struct {
	*candidates
	sink[T]
	rule    rltrain.PairRule
	row     func(r *Record, chosen, rejected, meta string) T
	records []Record // their id, task and prompt
	samples []rltrain.Sampled
	origins []string
	source  []int // record of a sample
	n       int
}

// madePairs are the responses to a record.
type madePairs struct {
	record *Record
	list   []candidate
}

func beginPairs(rule rltrain.PairRule) begin {
	return func(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
		c, err := newCandidates(m)
		if err != nil {
			return nil, err
		}
		if c.o.Text {
			return &pairWriter[pairText]{candidates: c, sink: newSink[pairText](w, ext), rule: rule, row: func(r *Record, chosen, rejected, meta string) pairText {
				return pairText{r.text(r.Prompt), chosen, rejected, meta}
			}}, nil
		}
		return &pairWriter[pairChat]{candidates: c, sink: newSink[pairChat](w, ext), rule: rule, row: func(r *Record, chosen, rejected, meta string) pairChat {
			return pairChat{r.Messages(r.Prompt), assistant(chosen), assistant(rejected), meta}
		}}, nil
	}
}

// Make implements Writer.
func (p *pairWriter[T]) Make(ctx context.Context, r *Record) (any, error) {
	list, err := p.of(ctx, r)
	return madePairs{r, list}, err
}

// Write implements Writer.
func (p *pairWriter[T]) Write(made any) error {
	r, list := made.(madePairs).record, made.(madePairs).list
	p.records = append(p.records, Record{ID: r.ID, Task: r.Task, System: r.System, Prompt: r.Prompt})
	for _, x := range list {
		p.samples = append(p.samples, rltrain.Sampled{Prompt: r.ID, Text: x.text, Valid: x.valid, Unconstrained: x.unconstrained, KL: x.kl})
		p.origins = append(p.origins, x.origin)
		p.source = append(p.source, len(p.records)-1)
	}
	return nil
}

// Rows implements Counter.
func (p *pairWriter[T]) Rows() int { return p.n }

// Close implements Writer: it makes the pairs.
func (p *pairWriter[T]) Close() error {
	o := p.o.Pairs
	pairs, _, err := rltrain.Pairs(p.samples, rltrain.PairOptions{
		Rule: p.rule, Count: o.Count, PerPrompt: o.PerPrompt, Seed: p.m.Options.Seed, DropLowest: o.DropLowest, KeepValid: o.KeepValid,
	})
	if err != nil {
		return err
	}
	for _, x := range pairs {
		r := &p.records[p.source[x.Chosen]]
		meta := mustJSON(struct {
			Rule     rltrain.PairRule `json:"rule"`
			ID       string           `json:"id"`
			Task     string           `json:"task"`
			Chosen   string           `json:"chosen"`
			Rejected string           `json:"rejected"`
		}{p.rule, r.ID, r.Task, p.origins[x.Chosen], p.origins[x.Rejected]})
		rows, err := p.encode([]T{p.row(r, p.samples[x.Chosen].Text, p.samples[x.Rejected].Text, meta)})
		if err != nil {
			return err
		}
		if err := p.write(rows); err != nil {
			return err
		}
	}
	p.n = len(pairs)
	return p.close()
}
