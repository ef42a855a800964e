package audit

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// searched marks, in eval.Response.Optimal, an answer to a question for a cheapest plan: the least cost is
// found by search, and not taken from the record.
const searched = "searched"

// recordFile is a file of recorded answers.
type recordFile struct {
	name                   string // below the checkout
	domain, engine, method string
}

// record is an answer with what is recorded of it.
type record struct {
	eval.Response
	file *recordFile
}

// PlanBench audits a checkout of PlanBench's repository (karthikv792/LLMs-Planning). done gets the number of
// answers graded since its last call, from any goroutine. The error is that of ctx, or of a checkout without
// records.
func PlanBench(ctx context.Context, root string, done func(int)) (*Report, error) {
	files, err := recordFiles(root)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no results: a checkout of PlanBench's repository has llm_planning_analysis/results/DOMAIN/ENGINE/*.json", root)
	}
	rep := &Report{Benchmark: "planbench", Files: len(files)}
	rows, err := rep.readRecords(root, files)
	if err != nil {
		return nil, err
	}
	stated, err := readFamilies(root)
	if err != nil {
		return nil, err
	}
	responses := make([]eval.Response, len(rows))
	for i := range rows {
		responses[i] = rows[i].Response
	}
	tasks := eval.NewResponseTasks(responses, func(r *eval.Response) *eval.Task { return planbenchTask(ctx, r, stated) })
	graded, err := eval.GradeResponses(ctx, responses, tasks, done)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rep.add(&rows[i], &graded[i], stated)
	}
	if err := rep.checkGold(ctx, rows, stated); err != nil {
		return nil, err
	}
	rep.finish()
	rep.Leaderboard = planbenchLeaderboard(rep.Cells)
	return rep, nil
}

// recordFiles lists the files below the folders named results and results_backprompting, by name. Files not
// in a folder of an engine repeat another and have no name for it.
func recordFiles(root string) ([]*recordFile, error) {
	var list []*recordFile
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		parts := strings.Split(filepath.ToSlash(rel), "/")
		at := slices.IndexFunc(parts, func(s string) bool { return s == "results" || s == "results_backprompting" })
		if at < 0 || len(parts)-at < 3 {
			return nil
		}
		f := &recordFile{name: filepath.ToSlash(rel), domain: parts[at+1], engine: "unnamed", method: methodName(parts[len(parts)-1])}
		if len(parts)-at > 3 {
			f.engine = parts[at+2]
		}
		list = append(list, f)
		return nil
	})
	slices.SortFunc(list, func(a, b *recordFile) int { return cmp.Compare(a.name, b.name) })
	return list, err
}

var (
	methodNumber = pattern.New(`^task_(\d(?:_\d)?)_`)
	methodWords  = []string{"zero_shot", "pddl", "state_tracking", "cot", "backprompting"}
	methodRun    = pattern.New(`_run_?(\d+)$`)
)

// methodName names what a file asks and how, by its name: task_1_plan_generation_zero_shot_pddl.json is
// t1-zero_shot-pddl, and a second run of it t1-zero_shot-pddl-run2.
func methodName(base string) string {
	base = strings.TrimSuffix(base, ".json")
	m := methodNumber.FindStringSubmatch(base)
	if m == nil {
		return base
	}
	name := "t" + strings.ReplaceAll(m[1], "_", ".")
	if i := strings.Index(base, "_sound_verifier"); i > 0 {
		base = base[:i] // settings of the loop with feedback
	}
	for _, w := range methodWords {
		if strings.Contains(base, "_"+w) {
			name += "-" + w
		}
	}
	if m := methodRun.FindStringSubmatch(base); m != nil {
		name += "-run" + m[1]
	}
	return name
}

// readRecords reads all files. A file that cannot be read is reported. An answer that is recorded more than
// once for a prompt and an engine counts once; two verdicts on it are a finding.
func (rep *Report) readRecords(root string, files []*recordFile) ([]record, error) {
	var rows []record
	seen := map[[5]string]int{}
	for _, f := range files {
		list, unanswered, err := readRecordFile(filepath.Join(root, filepath.FromSlash(f.name)), f.name)
		if err != nil {
			first, _, _ := strings.Cut(strings.ReplaceAll(err.Error(), root+"/", ""), "\n")
			rep.Unread = append(rep.Unread, UnreadFile{f.name, first})
			continue
		}
		rep.Unanswered += unanswered
		for i := range list {
			r := &list[i]
			r.Group = strings.Join([]string{f.engine, f.domain, f.method}, " / ")
			if r.Kind == "" && r.Query == "" {
				r.Kind = prompt.KindGeneration
			}
			if r.TruePlan != "" || r.Optimal != "" {
				r.TruePlan, r.Optimal = "", searched
			}
			r.UnsolvableSet = strings.HasPrefix(f.domain, "unsolvable")
			k := [5]string{f.engine, f.domain, methodRun.ReplaceAllString(strings.ReplaceAll(f.method, "-run", "_run"), ""), r.Query, r.Text}
			if first, known := seen[k]; known {
				rep.Repeated++
				if a, b := rows[first].Recorded, r.Recorded; a != nil && b != nil && *a != *b {
					rep.Contradictions = append(rep.Contradictions, Contradiction{
						First: rows[first].name(), Second: (&record{*r, f}).name(), FirstVerdict: *a,
					})
				}
				continue
			}
			seen[k] = len(rows)
			rows = append(rows, record{*r, f})
		}
	}
	return rows, nil
}

func readRecordFile(path, name string) ([]eval.Response, int, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	// The tasks are those that the prompts state: no file has to exist under these names.
	return eval.ReadResponses(in, eval.ResponseOptions{Name: name, Domain: "stated", Instances: "stated-%d"})
}

func (r *record) name() string { return r.file.name + "#" + r.ID }

// planbenchTask makes the task that an answer is graded on. Least costs, and that there is no plan, are
// found by search.
func planbenchTask(ctx context.Context, r *eval.Response, stated *statedTasks) *eval.Task {
	p, err := stated.of(r.Query)
	if err != nil {
		return &eval.Task{ID: r.ID, Err: err.Error()}
	}
	reader := &eval.TaskReader{Problem: func(*prompt.Row) (*pddl.Problem, error) { return p, nil }}
	a := *r
	a.Optimal = ""
	t := reader.ResponseTask(ctx, &a, "")
	if t.Problem == nil || r.Optimal != searched && !r.UnsolvableSet {
		return t
	}
	if err := eval.FindOptima(ctx, []*eval.Task{t}, 1<<30); err != nil {
		return &eval.Task{ID: r.ID, Err: err.Error()}
	}
	if t.Cheapest = r.Optimal == searched; t.Cheapest && t.Optimal == nil {
		return &eval.Task{ID: r.ID, Err: "the least cost was not found"}
	}
	return t
}

// checkGold grades the gold answers like answers.
func (rep *Report) checkGold(ctx context.Context, rows []record, stated *statedTasks) error {
	var gold []eval.Response
	var of []*record
	seen := map[[3]string]bool{}
	for i := range rows {
		r := &rows[i]
		k := [3]string{string(r.Kind) + r.Optimal, r.Query, r.Gold}
		if r.Gold == "" || seen[k] {
			continue
		}
		seen[k] = true
		g := r.Response
		g.Text, g.Recorded = goldAnswer(r), nil
		gold, of = append(gold, g), append(of, r)
	}
	tasks := eval.NewResponseTasks(gold, func(r *eval.Response) *eval.Task { return planbenchTask(ctx, r, stated) })
	graded, err := eval.GradeResponses(ctx, gold, tasks, func(int) {})
	if err != nil {
		return err
	}
	rep.Gold.Answers = len(gold)
	for i := range graded {
		switch g := &graded[i]; {
		case !g.Status.Graded():
			rep.Gold.Ungraded++
		case !g.Correct:
			rep.Gold.Wrong = append(rep.Gold.Wrong, WrongGold{
				Row: of[i].name(), Status: string(g.Status), Message: g.Message, Gold: shortText(of[i].Gold, 400),
			})
		}
	}
	return nil
}

// goldAnswer writes a recorded gold answer as an answer to its question.
func goldAnswer(r *record) string {
	switch {
	case strings.TrimSpace(r.Gold) == "unsolvable":
		return "There is no plan: the task is unsolvable."
	case r.Kind == prompt.KindExecution:
		return "[RESULTING STATE]\n" + strings.ReplaceAll(r.Gold, "_", " ")
	case r.Kind == prompt.KindVerification:
		return r.Gold
	}
	text := r.Gold
	if i := strings.Index(text, "[PLAN END]"); i >= 0 {
		text = text[:i]
	}
	return "[PLAN]\n" + text + "\n[PLAN END]"
}

// PlanBench's published leaderboard counts answers to zero-shot prompts on sets of instances in two sizes.
var leaderboardSets = []struct {
	name    string
	domains []string
	method  string
}{
	{"Blocksworld, words", []string{"blocksworld", "blocksworld_3"}, "t1-zero_shot"},
	{"Mystery Blocksworld, words", []string{"mystery_blocksworld", "mystery_blocksworld_3"}, "t1-zero_shot"},
	{"Randomized Mystery Blocksworld, words", []string{"obfuscated_randomized_blocksworld", "obfuscated_randomized_blocksworld_3"}, "t1-zero_shot"},
	{"Blocksworld Hard, PDDL", []string{"blocksworld_hard"}, "t1-zero_shot-pddl-backprompting"},
}

// planbenchLeaderboard sums the cells of the published leaderboard, best first by our grades.
func planbenchLeaderboard(cells []Cell) []Standing {
	var list []Standing
	for _, set := range leaderboardSets {
		by := map[string]*Standing{}
		var engines []string
		for i := range cells {
			c := &cells[i]
			if c.Method != set.method || !slices.Contains(set.domains, c.Domain) {
				continue
			}
			s := by[c.Engine]
			if s == nil {
				s = &Standing{Set: set.name, Engine: c.Engine}
				by[c.Engine] = s
				engines = append(engines, c.Engine)
			}
			s.Rows += c.Rows
			s.Graded += c.Graded
			s.Recorded += c.Recorded
			s.Correct += c.Correct
		}
		slices.Sort(engines)
		part := make([]Standing, 0, len(engines))
		for _, e := range engines {
			part = append(part, *by[e])
		}
		rank(part, func(s *Standing) float64 { return share(s.Recorded, s.Rows) }, func(s *Standing, n int) { s.RecordedRank = n })
		rank(part, func(s *Standing) float64 { return share(s.Correct, s.Graded) }, func(s *Standing, n int) { s.Rank = n })
		list = append(list, part...)
	}
	return list
}

func share(a, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(a) / float64(n)
}

// rank sorts best first and numbers the standings; equal ones have equal numbers.
func rank(list []Standing, of func(*Standing) float64, set func(*Standing, int)) {
	slices.SortStableFunc(list, func(a, b Standing) int { return cmp.Compare(of(&b), of(&a)) })
	for i := range list {
		n := i + 1
		for j := i; j > 0 && of(&list[j-1]) == of(&list[i]); j-- {
			n = j
		}
		set(&list[i], n)
	}
}
