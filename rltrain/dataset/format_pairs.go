package dataset

import (
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

// pairMaker collects the responses to all records of a file, since pairs are taken from
// the prompts in turn (rltrain.Pairs).
type pairMaker struct {
	*candidates
	rule    rltrain.PairRule
	records []Record // their id, task and prompt
	samples []rltrain.Sampled
	origins []string
	source  []int // record of a sample
}

func beginPairs(rule rltrain.PairRule) begin {
	return func(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
		c, err := newCandidates(m)
		if err != nil {
			return nil, err
		}
		p := &pairMaker{candidates: c, rule: rule}
		if c.o.Text {
			return rowsTo(w, ext, collect[pairText](p), rest(p, func(r *Record, chosen, rejected, meta string) pairText {
				return pairText{r.text(r.Prompt), chosen, rejected, meta}
			})), nil
		}
		return rowsTo(w, ext, collect[pairChat](p), rest(p, func(r *Record, chosen, rejected, meta string) pairChat {
			return pairChat{r.Messages(r.Prompt), assistant(chosen), assistant(rejected), meta}
		})), nil
	}
}

// collect keeps the responses to each record.
func collect[T any](p *pairMaker) func(*Record) ([]T, error) {
	return func(r *Record) ([]T, error) {
		list, err := p.of(r)
		if err != nil {
			return nil, err
		}
		p.records = append(p.records, Record{ID: r.ID, Task: r.Task, System: r.System, Prompt: r.Prompt})
		for _, x := range list {
			p.samples = append(p.samples, rltrain.Sampled{Prompt: r.ID, Text: x.text, Valid: x.valid, Unconstrained: x.unconstrained, KL: x.kl})
			p.origins = append(p.origins, x.origin)
			p.source = append(p.source, len(p.records)-1)
		}
		return nil, nil
	}
}

// rest makes the pairs.
func rest[T any](p *pairMaker, row func(r *Record, chosen, rejected, meta string) T) func() ([]T, error) {
	return func() ([]T, error) {
		o := p.o.Pairs
		pairs, _, err := rltrain.Pairs(p.samples, rltrain.PairOptions{
			Rule: p.rule, Count: o.Count, PerPrompt: o.PerPrompt, Seed: p.m.Options.Seed, DropLowest: o.DropLowest, KeepValid: o.KeepValid,
		})
		if err != nil {
			return nil, err
		}
		rows := make([]T, len(pairs))
		for i, x := range pairs {
			r := &p.records[p.source[x.Chosen]]
			meta := mustJSON(struct {
				Rule     rltrain.PairRule `json:"rule"`
				ID       string           `json:"id"`
				Task     string           `json:"task"`
				Chosen   string           `json:"chosen"`
				Rejected string           `json:"rejected"`
			}{p.rule, r.ID, r.Task, p.origins[x.Chosen], p.origins[x.Rejected]})
			rows[i] = row(r, p.samples[x.Chosen].Text, p.samples[x.Rejected].Text, meta)
		}
		return rows, nil
	}
}
