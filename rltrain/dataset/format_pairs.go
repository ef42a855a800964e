package dataset

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"reflect"

	"github.com/planproof/planproof/rltrain/groups"
)

func init() {
	registerBoth("trl-dpo", "TRL's DPO trainer: a valid response preferred to an invalid one", beginPairs(groups.DPO))
	registerBoth("trl-ca-dpo", "TRL's DPO trainer, for CA-DPO: a valid response preferred to one to the prompt without constraints", beginPairs(groups.ConstraintAwareDPO))
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
// the prompts in turn (groups.Pairs). Texts are in a file until then, and their sums here.
type pairWriter[T any] struct {
	*candidates
	sink[T]
	rule    groups.PairRule
	row     func(r *Record, chosen, rejected, meta string) T
	texts   *spill
	records []pairRecord
	samples []groups.Sampled // Text is the sum of the text
	stored  []storedSample
	n       int
}

// pairRecord is what is kept of a record.
type pairRecord struct {
	id, task, system string
	prompt           spilled
}

// storedSample is what is kept of a response.
type storedSample struct {
	text   spilled
	origin string
	record int
}

// madePairs are the responses to a record.
type madePairs struct {
	record *Record
	list   []candidate
}

func beginPairs(rule groups.PairRule) begin {
	return func(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
		c, err := newCandidates(m)
		if err != nil {
			return nil, err
		}
		texts, err := newSpill(w)
		if err != nil {
			return nil, err
		}
		if c.o.Text {
			return &pairWriter[pairText]{candidates: c, texts: texts, sink: newSink[pairText](w, ext), rule: rule, row: func(r *Record, chosen, rejected, meta string) pairText {
				return pairText{r.text(r.Prompt), chosen, rejected, meta}
			}}, nil
		}
		return &pairWriter[pairChat]{candidates: c, texts: texts, sink: newSink[pairChat](w, ext), rule: rule, row: func(r *Record, chosen, rejected, meta string) pairChat {
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
	prompt, err := p.texts.put(r.Prompt)
	if err != nil {
		return err
	}
	p.records = append(p.records, pairRecord{r.ID, r.Task, r.System, prompt})
	for _, x := range list {
		text, err := p.texts.put(x.text)
		if err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(x.text))
		p.samples = append(p.samples, groups.Sampled{Prompt: r.ID, Text: string(sum[:]), Valid: x.valid, Unconstrained: x.unconstrained, KL: x.kl})
		p.stored = append(p.stored, storedSample{text, x.origin, len(p.records) - 1})
	}
	return nil
}

// Rows implements Counter.
func (p *pairWriter[T]) Rows() int { return p.n }

// Columns implements Columned.
func (p *pairWriter[T]) Columns() reflect.Type { return reflect.TypeFor[T]() }

// Close implements Writer: it makes the pairs.
func (p *pairWriter[T]) Close() error {
	o := p.o.Pairs
	pairs, _, err := groups.Pairs(p.samples, groups.PairOptions{
		Rule: p.rule, Count: o.Count, PerPrompt: o.PerPrompt, Seed: p.m.Options.Seed, DropLowest: o.DropLowest, KeepValid: o.KeepValid,
	})
	if err != nil {
		return err
	}
	for _, x := range pairs {
		if err := p.pair(&p.stored[x.Chosen], &p.stored[x.Rejected]); err != nil {
			return err
		}
	}
	p.n = len(pairs)
	return errors.Join(p.close(), p.texts.close())
}

// pair writes one.
func (p *pairWriter[T]) pair(chosen, rejected *storedSample) error {
	kept := &p.records[chosen.record]
	var texts [3]string
	for i, at := range []spilled{kept.prompt, chosen.text, rejected.text} {
		var err error
		if texts[i], err = p.texts.get(at); err != nil {
			return err
		}
	}
	meta := mustJSON(struct {
		Rule     groups.PairRule `json:"rule"`
		ID       string          `json:"id"`
		Task     string          `json:"task"`
		Chosen   string          `json:"chosen"`
		Rejected string          `json:"rejected"`
	}{p.rule, kept.id, kept.task, chosen.origin, rejected.origin})
	r := &Record{ID: kept.id, Task: kept.task, System: kept.system, Prompt: texts[0]}
	rows, err := p.encode([]T{p.row(r, texts[1], texts[2], meta)})
	if err != nil {
		return err
	}
	return p.write(rows)
}
