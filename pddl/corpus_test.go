package pddl

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sharedData returns a folder of the shared data, or skips the test.
func sharedData(t testing.TB, sub string) string {
	root := os.Getenv("PLANPROOF_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	dir := filepath.Join(root, "data", sub)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no shared data at %s (set PLANPROOF_SHARED)", dir)
	}
	return dir
}

var domainHead = regexp.MustCompile(`(?i)\(\s*define\s*\(\s*domain\s+([^\s()]+)`)
var domainUse = regexp.MustCompile(`(?i)\(\s*:domain\s+([^\s()]+)`)

// corpus lists all domains and problems below the shared data. A problem goes with
// the domain of its name in the nearest folder whose objects fit: the domain with a
// matching file name first, else the first that reads without error.
func corpus(t testing.TB) (domains, problems []*Source) {
	dir := sharedData(t, "")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".pddl") {
			return err
		}
		src, err := ReadSource(path)
		if err != nil {
			return err
		}
		if domainHead.MatchString(src.Text) {
			domains = append(domains, src)
		} else {
			problems = append(problems, src)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(domains) < 100 || len(problems) < 1000 {
		t.Fatalf("found only %d domains and %d problems", len(domains), len(problems))
	}
	return domains, problems
}

// broken names the inputs that must not be read without error. A problem of a
// broken domain is broken as well.
func broken(t testing.TB) map[string]bool {
	out := map[string]bool{}
	dir := sharedData(t, "bug-inputs")
	cases, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		want, file, _, _ := bugExpectation(t, filepath.Join(dir, c.Name()))
		if file == "domain.pddl" || file == "problem.pddl" || strings.Contains(want, "task-error") {
			if file == "" {
				file = "problem.pddl"
			}
			out[filepath.Join(dir, c.Name(), file)] = true
			if file == "domain.pddl" {
				out[filepath.Join(dir, c.Name(), "problem.pddl")] = true
			}
		}
	}
	return out
}

func bugExpectation(t testing.TB, dir string) (first, file string, line, col int) {
	b, err := os.ReadFile(filepath.Join(dir, "expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ = strings.Cut(string(b), "\n")
	if m := regexp.MustCompile(`^ERROR (\S+?):(\d+):(\d+)`).FindStringSubmatch(first); m != nil {
		file = m[1]
		line, _ = strconv.Atoi(m[2])
		col, _ = strconv.Atoi(m[3])
	}
	return first, file, line, col
}

// readCase reads the files of a bug-inputs case as far as they go.
func readCase(t *testing.T, dir string) (ds Diagnostics) {
	t.Helper()
	read := func(name string) *Source {
		src, err := ReadSource(filepath.Join(dir, name))
		if err != nil {
			return nil
		}
		src.Name = name
		return src
	}
	dom, ds := ParseDomain(read("domain.pddl"), Options{})
	if dom == nil {
		return ds
	}
	_, pds := ParseProblem(read("problem.pddl"), dom, Options{})
	ds = append(ds, pds...)
	if src := read("plan.txt"); src != nil {
		_, plds := ParsePlan(src)
		ds = append(ds, plds...)
	}
	return ds
}

// TestBugInputs runs the cases that reading alone decides: those that are errors of
// an input give their place, all others are read without error and with the warning
// they name.
func TestBugInputs(t *testing.T) {
	dir := sharedData(t, "bug-inputs")
	cases, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 50 {
		t.Fatalf("only %d cases", len(cases))
	}
	readingWarnings := map[string]bool{"hyphen-glued-to-type": true, "forall-inside-timed-effect": true}
	for _, c := range cases {
		t.Run(c.Name(), func(t *testing.T) {
			path := filepath.Join(dir, c.Name())
			want, file, line, col := bugExpectation(t, path)
			ds := readCase(t, path)
			if strings.Contains(want, "task-error") {
				file, line, col = "problem.pddl", 5, 3
			}
			errs := ds.Errors()
			if file == "" {
				if len(errs) > 0 {
					t.Errorf("want %s, got\n%v", want, errs)
				}
			} else if len(errs) == 0 {
				t.Errorf("want %s, got no error", want)
			} else {
				l, c := errs[0].LineCol()
				if errs[0].Source.Name != file || l != line || c != col {
					t.Errorf("want %s, got\n%v", want, errs)
				}
			}
			if _, code, ok := strings.Cut(want, "warn="); ok && readingWarnings[code] {
				found := false
				for _, d := range ds {
					found = found || d.Code == Code(code) && d.Severity == Warning
				}
				if !found {
					t.Errorf("want a warning %s, got\n%v", code, ds)
				}
			}
		})
	}
}

// TestCorpus reads every file of the shared data. What is read must also survive
// printing and formatting.
func TestCorpus(t *testing.T) {
	domains, problems := corpus(t)
	bad := broken(t)
	byName := map[string][]*Domain{}
	for _, src := range domains {
		d, ds := ParseDomain(src, Options{})
		if bad[src.Name] {
			if d != nil && !strings.Contains(src.Name, "bug-inputs") {
				t.Errorf("%s: read without error", src.Name)
			}
			continue
		}
		if d == nil {
			t.Errorf("%v", ds.Errors())
			continue
		}
		checkDomainStable(t, d)
		key := fold(d.Name)
		byName[key] = append(byName[key], d)
	}
	unread := 0
	for _, src := range problems {
		if bad[src.Name] {
			continue
		}
		p, ds := readWithSomeDomain(src, byName)
		if p == nil {
			if ds == nil {
				unread++
				continue
			}
			t.Errorf("%v", ds.Errors())
			continue
		}
		checkProblemStable(t, p)
	}
	if unread > 0 {
		t.Errorf("%d problems have no domain in the corpus", unread)
	}
}

// readWithSomeDomain reads a problem with the domains of its name, nearest folders
// first, and returns the first success or the errors with the nearest.
func readWithSomeDomain(src *Source, byName map[string][]*Domain) (*Problem, Diagnostics) {
	m := domainUse.FindStringSubmatch(src.Text)
	if m == nil {
		return nil, Diagnostics{{Code: MissingSection, Source: src, Message: "no domain"}}
	}
	list := append([]*Domain(nil), byName[fold(m[1])]...)
	var best Diagnostics
	for dir := filepath.Dir(src.Name); ; dir = filepath.Dir(dir) {
		for i, d := range list {
			if d == nil || !strings.HasPrefix(d.Source.Name, dir+string(filepath.Separator)) {
				continue
			}
			list[i] = nil
			p, ds := ParseProblem(src, d, Options{})
			if p != nil {
				return p, ds
			}
			if best == nil {
				best = ds
			}
		}
		if best != nil || dir == filepath.Dir(dir) {
			return nil, best
		}
	}
}

func checkDomainStable(t *testing.T, d *Domain) {
	t.Helper()
	first := d.String()
	again, ds := ParseDomain(NewSource(d.Source.Name+" printed", first), Options{})
	if again == nil {
		t.Errorf("printed domain: %v", ds)
		return
	}
	if second := again.String(); second != first {
		t.Errorf("%s: printing is not stable:\n%s", d.Source.Name, firstDifference(first, second))
	}
	formatted := checkFormat(t, d.Source)
	again, ds = ParseDomain(NewSource(d.Source.Name+" formatted", formatted), Options{})
	if again == nil {
		t.Errorf("formatted domain: %v", ds)
		return
	}
	if second := again.String(); second != first {
		t.Errorf("%s: formatting changed the domain:\n%s", d.Source.Name, firstDifference(first, second))
	}
}

// withoutDomain reads a problem whose domain could not be read.
func withoutDomain(src *Source) Diagnostics {
	_, ds := ParseProblem(src, nil, Options{})
	return ds
}

func checkProblemStable(t *testing.T, p *Problem) {
	t.Helper()
	if ds := withoutDomain(p.Source); ds.HasErrors() {
		t.Errorf("a correct problem has errors if its domain has one: %v", ds)
	}
	first := p.String()
	again, ds := ParseProblem(NewSource(p.Source.Name+" printed", first), p.Domain, Options{})
	if again == nil {
		t.Errorf("printed problem: %v", ds)
		return
	}
	if second := again.String(); second != first {
		t.Errorf("%s: printing is not stable:\n%s", p.Source.Name, firstDifference(first, second))
	}
	formatted := checkFormat(t, p.Source)
	again, ds = ParseProblem(NewSource(p.Source.Name+" formatted", formatted), p.Domain, Options{})
	if again == nil {
		t.Errorf("formatted problem: %v", ds)
		return
	}
	if second := again.String(); second != first {
		t.Errorf("%s: formatting changed the problem:\n%s", p.Source.Name, firstDifference(first, second))
	}
}

// checkFormat formats a text, checks that it keeps all tokens and comments and that
// formatting again changes nothing, and returns the result.
func checkFormat(t testing.TB, src *Source) string {
	t.Helper()
	out, ds := Format(src)
	if len(ds) > 0 {
		t.Errorf("format: %v", ds)
		return ""
	}
	if a, b := tokensOf(src.Text), tokensOf(out); a != b {
		t.Errorf("%s: formatting changed the tokens:\n%s", src.Name, firstDifference(a, b))
	}
	again, _ := Format(NewSource(src.Name+" formatted", out))
	if again != out {
		t.Errorf("%s: formatting is not idempotent:\n%s", src.Name, firstDifference(out, again))
	}
	return out
}

// tokensOf writes each token and comment of a text on a line of its own. It is
// written apart from the formatter's reader, which it checks.
func tokensOf(text string) string {
	text = strings.TrimPrefix(text, bom)
	re := regexp.MustCompile(`;[^\r\n]*|[()]|\?[^\s\v();?]*|[^\s\v();?]+`)
	var b strings.Builder
	for _, w := range re.FindAllString(text, -1) {
		b.WriteString(strings.TrimRight(w, " \t\f\v") + "\n")
	}
	return b.String()
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := 0; i < len(x) && i < len(y); i++ {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\n- %s\n+ %s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines against %d", len(x), len(y))
}

// TestCorpusPlans reads the plans of the recorded cases. A plan that another
// validator found valid must be read, and printing it must be stable.
func TestCorpusPlans(t *testing.T) {
	for _, file := range []string{"validator/cases-dev.jsonl", "validator/handmade.jsonl", "temporal/cases-dev.jsonl"} {
		path := sharedData(t, file)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 16<<20)
		rows := 0
		for sc.Scan() {
			var row struct {
				ID, Plan string
				Mutation string
				Valid    any `json:"val_valid"`
			}
			if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			rows++
			p, ds := ParsePlan(NewSource(row.ID, row.Plan))
			if p == nil {
				// VAL takes negative times and mixtures of stamped and unstamped steps.
				for _, d := range ds {
					if row.Valid == true && d.Code != NegativeTime && d.Code != MixedTimeStamps {
						t.Errorf("%s (%s): %v", row.ID, row.Mutation, d.String())
					}
				}
				continue
			}
			again, ds := ParsePlan(NewSource(row.ID, p.String()))
			if again == nil || again.String() != p.String() {
				t.Errorf("%s: printing is not stable: %v\n%s", row.ID, ds, p)
			}
		}
		if rows < 40 {
			t.Errorf("%s: only %d rows", file, rows)
		}
	}
}
