package dataset

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// CardName is the name of a data set card: one in the folder of the data set, and one in the
// folder of each format.
const CardName = "README.md"

// Columned is a Writer whose rows all have the columns of one Go type.
type Columned interface {
	// Columns is the type of a row. Its fields are named by their JSON tags.
	Columns() reflect.Type
}

// cardSplits are the names of splits that Hugging Face's datasets takes: without hyphens,
// and its own word for val. Without a card it would guess them from the files' names, and
// both tests would become one.
var cardSplits = map[string]string{Train: "train", Val: "validation", TestClean: "test_clean", TestContaminated: "test_contaminated"}

// isPart reports whether a file, named relative to the folder of the data set with slashes,
// is one that Set.Write has written.
func (m *Manifest) isPart(name string) bool {
	if name == ManifestName || name == CardName {
		return true
	}
	return slices.ContainsFunc(m.Files, func(f File) bool {
		return name == f.Name || path.Base(name) == CardName && path.Dir(name) == path.Dir(f.Name)
	})
}

// writeCards writes a card for the whole data set and one for each folder in it, so that
// datasets.load_dataset loads either with the splits of the data set. columns are the types
// of the rows of JSON formats, by the names of the formats.
func (m *Manifest) writeCards(dir string, columns map[string]reflect.Type) error {
	folders := map[string][]File{"": m.Files}
	for _, f := range m.Files {
		if folder := path.Dir(f.Name); folder != "." {
			f.Name = path.Base(f.Name)
			folders[folder] = append(folders[folder], f)
		}
	}
	for folder, files := range folders {
		text := m.card(files, columns)
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(folder), CardName), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// card is the text of the card of these files: YAML that says which file is which split of
// which format, and a page for people. datasets reads files of one kind in a folder, those
// of the first configuration; the page says how the others are loaded.
func (m *Manifest) card(files []File, columns map[string]reflect.Type) string {
	files = slices.DeleteFunc(slices.Clone(files), func(f File) bool { return f.Rows == 0 }) // no reader takes an empty file
	slices.SortStableFunc(files, func(a, b File) int {
		return cmp.Or(cmp.Compare(path.Ext(a.Name), path.Ext(b.Name)), cmp.Compare(a.Format, b.Format)) // .jsonl is first
	})
	var listed, others []string
	for _, f := range files {
		names := &listed
		if path.Ext(f.Name) != path.Ext(files[0].Name) {
			names = &others
		}
		if !slices.Contains(*names, f.Format) {
			*names = append(*names, f.Format)
		}
	}
	var b strings.Builder
	b.WriteString("---\npretty_name: Planning tasks with proven optimal plans\nlanguage:\n- en\ntask_categories:\n- text-generation\n" +
		"tags:\n- planning\n- pddl\n- planproof\nsize_categories:\n- " + sizeCategory(m.Rows) + "\n")
	for i, name := range listed {
		if i == 0 {
			b.WriteString("configs:\n")
		}
		fmt.Fprintf(&b, "- config_name: %s\n", name)
		if i == 0 {
			b.WriteString("  default: true\n")
		}
		b.WriteString("  data_files:\n")
		for _, f := range files {
			if f.Format == name {
				fmt.Fprintf(&b, "  - split: %s\n    path: %s\n", cardSplits[f.Split], f.Name)
			}
		}
	}
	if slices.ContainsFunc(listed, func(name string) bool { return columns[name] != nil }) {
		b.WriteString("dataset_info:\n")
	}
	for _, name := range listed {
		if t := columns[name]; t != nil {
			fmt.Fprintf(&b, "- config_name: %s\n  features:\n", name)
			writeFeatures(&b, t, "  ")
		}
	}
	b.WriteString("---\n\n")
	m.writeCardText(&b, listed, others)
	return b.String()
}

// writeCardText writes what a person reads.
func (m *Manifest) writeCardText(b *strings.Builder, listed, others []string) {
	fmt.Fprintf(b, "# Planning tasks\n\nMade by `planproof export` (planproof %s). Each row is a planning task in PDDL, a prompt, and what\n"+
		"is known of the answer; plans marked optimal are proven to be cheapest. `%s` in the folder of the data set has\n"+
		"the options, the counts and the hash of each file.\n\n", m.Version, ManifestName)
	if len(listed) > 0 {
		b.WriteString("```python\nfrom datasets import load_dataset\n\n")
		for _, name := range listed {
			fmt.Fprintf(b, "data = load_dataset(FOLDER, %q)\n", name)
		}
		for _, name := range others {
			fmt.Fprintf(b, "data = load_dataset(FOLDER + %q)\n", "/"+name)
		}
		b.WriteString("```\n\n")
	}
	b.WriteString("| split | rows | structures |\n| --- | --- | --- |\n")
	for _, s := range m.Splits {
		if s.Rows > 0 {
			fmt.Fprintf(b, "| `%s` | %d | %d |\n", cardSplits[s.Name], s.Rows, s.Structures)
		}
	}
	b.WriteString("\nThe counts are of tasks; a format can have several rows for one, or none. A structure is a task up to the names of its\n" +
		"objects. No structure is in two splits, but for those of `test_contaminated`: they are in `train` too, under other\n" +
		"names, to measure what a model remembers. Never merge the two tests.\n")
}

// writeFeatures writes the columns of a struct as datasets' Features, so that a column that
// some files lack, or have no fraction in, has one type in all.
func writeFeatures(b *strings.Builder, t reflect.Type, indent string) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" || name == "" {
			continue
		}
		fmt.Fprintf(b, "%s- name: %s\n", indent, name)
		writeFeature(b, f.Type, indent+"  ")
	}
}

func writeFeature(b *strings.Builder, t reflect.Type, indent string) {
	switch t.Kind() {
	case reflect.Struct:
		fmt.Fprintf(b, "%sstruct:\n", indent)
		writeFeatures(b, t, indent)
	case reflect.Slice:
		if e := t.Elem(); e.Kind() == reflect.Struct {
			fmt.Fprintf(b, "%slist:\n", indent)
			writeFeatures(b, e, indent)
		} else {
			fmt.Fprintf(b, "%slist: %s\n", indent, dtypes[e.Kind()])
		}
	default:
		fmt.Fprintf(b, "%sdtype: %s\n", indent, dtypes[t.Kind()])
	}
}

// dtypes are datasets' names of types; a kind without one is in no row (TestCardTypes).
var dtypes = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "bool", reflect.Int: "int64", reflect.Int64: "int64", reflect.Float64: "float64",
}

// sizeCategory is the word of Hugging Face's hub for a number of rows.
func sizeCategory(rows int) string {
	words := []string{"n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B"}
	k := 0
	for n := 1000; rows >= n && k < len(words)-1; n *= 10 {
		k++
	}
	return words[k]
}
