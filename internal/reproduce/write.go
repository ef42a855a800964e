package reproduce

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
)

// Table is a table of a page. Columns that hold printed numbers are named "paper" or "..., paper", those with ours "ours" or
// "..., ours".
type Table struct {
	Title   string     `json:"title,omitempty"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

func (t *Table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// figure formats a number as the papers do.
func figure(x float64) string { return fmt.Sprintf("%.2f", x) }

// percent formats a rate.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// markdown writes the table.
func (t *Table) markdown(b *strings.Builder) {
	if t.Title != "" {
		fmt.Fprintf(b, "%s\n\n", t.Title)
	}
	line := func(cells []string) {
		for _, c := range cells {
			fmt.Fprintf(b, "| %s ", strings.ReplaceAll(c, "|", "\\|"))
		}
		b.WriteString("|\n")
	}
	line(t.Columns)
	b.WriteString(strings.Repeat("| --- ", len(t.Columns)) + "|\n")
	for _, row := range t.Rows {
		line(row)
	}
	b.WriteString("\n")
}

// write writes the page of a paper, its tables as CSV and its plots.
func (p *Paper) write(dir string, results []*Result, o *Options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nMade by `planproof reproduce %s`", p.Title, p.Name)
	if o.Smoke {
		b.WriteString(" `--smoke`, that is, with small samples")
	}
	fmt.Fprintf(&b, "; seed %d. Columns named *paper* hold printed numbers, the others ours.\n\n| item | | status |\n| --- | --- | --- |\n", o.Seed)
	for _, r := range results {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, r.Title, r.Status)
	}
	for _, r := range results {
		if err := r.write(dir, &b); err != nil {
			return err
		}
	}
	return save(filepath.Join(dir, "README.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	})
}

func save(path string, write func(io.Writer) error) error {
	return outfile.Write(path, outfile.Std{}, write)
}

// write adds an item to the page and writes its files.
func (r *Result) write(dir string, b *strings.Builder) error {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n", r.Title, strings.ToUpper(string(r.Status[:1]))+string(r.Status[1:]))
	for i := range r.Tables {
		t := &r.Tables[i]
		t.markdown(b)
		if err := save(filepath.Join(dir, fmt.Sprintf("%s-%d.csv", r.ID, i+1)), func(w io.Writer) error {
			c := csv.NewWriter(w)
			return c.WriteAll(append([][]string{t.Columns}, t.Rows...))
		}); err != nil {
			return err
		}
	}
	if r.Plot != nil {
		fmt.Fprintf(b, "![%s](%s.svg)\n\n", r.Plot.Title, r.ID)
		if err := save(filepath.Join(dir, r.ID+".svg"), r.Plot.Write); err != nil {
			return err
		}
	}
	b.WriteString(strings.Join(r.Notes, "\n\n"))
	if len(r.Notes) > 0 {
		b.WriteString("\n")
	}
	return nil
}

// rowsOf reads rows of JSON Lines.
func rowsOf[T any](text []byte) (list []*T, err error) {
	for line := range bytes.Lines(text) {
		x := new(T)
		if err := rowjson.Unmarshal(bytes.TrimSpace(line), x, false); err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}
