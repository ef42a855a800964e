package reproduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/search"
)

// Status says how an item compares with what is printed.
type Status string

const (
	// Reproduced: the same numbers, or an exact range that holds them. Beaten: ours are better than the printed ones.
	Reproduced Status = "reproduced"
	Beaten     Status = "beaten"
	// Differs: ours are others, and the notes say why. Measured: the same measurement of other planners or models, so that
	// the numbers stand beside each other but need not agree.
	Differs  Status = "differs"
	Measured Status = "measured"
	// NeedsModel: nothing is measured without a language model. NotMade: planproof does not make it.
	NeedsModel Status = "needs a model"
	NotMade    Status = "not made"
)

// Options of a run. The same options give the same bytes, apart from times.
type Options struct {
	// Smoke measures small samples, for a look in at most two minutes.
	Smoke  bool
	Seed   uint64
	Jobs   int
	Items  []string // identifiers; empty: all
	Limits search.Limits
	// Model, unless nil, answers where a paper asks a language model. Temperature and MaxTokens are of its answers.
	Model       model.Model
	Temperature float64
	MaxTokens   int
	// Begun is called with the identifier of each item before it is made; nil for nothing.
	Begun func(id string)
}

// sized returns the size of a sample: small in a smoke run.
func (o *Options) sized(smoke, full int) int {
	if o.Smoke {
		return smoke
	}
	return full
}

// Paper is a paper with its tables and figures.
type Paper struct {
	Name, Title string
	Items       []Item
}

// Item is a table or figure, or several that come out of one measurement.
type Item struct {
	ID, Title string
	// Missing says why planproof does not make it; empty where it does.
	Missing string
	// Asks reports that nothing is measured without a model.
	Asks bool
	make func(context.Context, *Options) (*Result, error)
}

// Result is what came out of an item.
type Result struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Status Status   `json:"status"`
	Tables []Table  `json:"tables,omitempty"`
	Plot   *Plot    `json:"plot,omitempty"`
	Notes  []string `json:"notes,omitempty"` // why ours differ, one paragraph each
}

// Papers returns the five papers.
func Papers() []*Paper { return []*Paper{cats(), carl(), thesis(), boxNet(), adaPlan()} }

// Find returns the paper of a name.
func Find(name string) (*Paper, error) {
	var names []string
	for _, p := range Papers() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("there is no paper %q; there are %s", name, strings.Join(names, ", "))
}

// chosen returns the items that the options ask for.
func (p *Paper) chosen(o *Options) (items []*Item, err error) {
	for i := range p.Items {
		if len(o.Items) == 0 || slices.Contains(o.Items, p.Items[i].ID) {
			items = append(items, &p.Items[i])
		}
	}
	for _, id := range o.Items {
		if !slices.ContainsFunc(p.Items, func(it Item) bool { return it.ID == id }) {
			return nil, fmt.Errorf("%s has no item %q; reproduce --list shows them", p.Name, id)
		}
	}
	return items, nil
}

// Make measures the items of a paper and writes the page, tables and plots into a folder. Each item is kept in the folder
// items as soon as it is measured; the same command reads it from there instead of measuring again. Another run's items
// are refused.
func (p *Paper) Make(ctx context.Context, dir string, o *Options) ([]*Result, error) {
	items, err := p.chosen(o)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "items"), 0o777); err != nil {
		return nil, err
	}
	var results []*Result
	for _, it := range items {
		r, err := p.result(ctx, dir, it, o)
		if err != nil {
			return results, fmt.Errorf("%s %s: %w", p.Name, it.ID, err)
		}
		results = append(results, r)
	}
	return results, p.write(dir, results, o)
}

// kept is an item of an earlier run.
type kept struct {
	Run    run    `json:"run"`
	Result Result `json:"result"`
}

// run is what an item depends on.
type run struct {
	Paper       string  `json:"paper"`
	Smoke       bool    `json:"smoke"`
	Seed        uint64  `json:"seed"`
	Model       string  `json:"model"`
	Temperature float64 `json:"temperature"`
	MaxTokens   int     `json:"max_tokens"`
}

func (p *Paper) run(o *Options) run {
	r := run{Paper: p.Name, Smoke: o.Smoke, Seed: o.Seed}
	if o.Model != nil {
		r.Model, r.Temperature, r.MaxTokens = o.Model.Name(), o.Temperature, o.MaxTokens
	}
	return r
}

// result measures an item, or reads what an earlier run has kept.
func (p *Paper) result(ctx context.Context, dir string, it *Item, o *Options) (*Result, error) {
	switch {
	case it.Missing != "":
		return &Result{ID: it.ID, Title: it.Title, Status: NotMade, Notes: []string{it.Missing}}, nil
	case it.Asks && o.Model == nil:
		return &Result{ID: it.ID, Title: it.Title, Status: NeedsModel, Notes: []string{"Give a model (`--model`, `--base-url`) or a transcript (`--replay`)."}}, nil
	}
	path := filepath.Join(dir, "items", it.ID+".json")
	r, err := p.read(path, o)
	if r != nil || err != nil {
		return r, err
	}
	if o.Begun != nil {
		o.Begun(it.ID)
	}
	if r, err = it.make(ctx, o); err != nil {
		return nil, err
	}
	r.ID, r.Title = it.ID, it.Title
	return r, outfile.Write(path, outfile.Std{}, func(w io.Writer) error {
		return rowjson.WriteLine(w, &kept{p.run(o), *r})
	})
}

// read returns what an earlier run has kept, nil where there is nothing.
func (p *Paper) read(path string, o *Options) (*Result, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var k kept
	if err := rowjson.Unmarshal(bytes.TrimSpace(text), &k, true); err != nil {
		return nil, fmt.Errorf("%s: error[%s]: %w; remove the file to measure again", path, rowjson.CodeJSON, err)
	}
	if k.Run != p.run(o) {
		return nil, fmt.Errorf("%s is of a run with other options; give another folder", path)
	}
	return &k.Result, nil
}

// List writes a table of all items and how they stand without a model; docs/PAPERS.md holds it.
func List(w io.Writer) error {
	var b strings.Builder
	for _, p := range Papers() {
		fmt.Fprintf(&b, "## %s\n\n`planproof reproduce %s`\n\n| item | what | made |\n| --- | --- | --- |\n", p.Title, p.Name)
		for i := range p.Items {
			it := &p.Items[i]
			made := "yes"
			if it.Missing != "" {
				made = "no: " + it.Missing
			} else if it.Asks {
				made = "with a model"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", it.ID, it.Title, made)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}
