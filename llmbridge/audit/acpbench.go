package audit

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/acp"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// acpNodes bounds the states of a task, acpFile the bytes of a file of questions.
const (
	acpNodes = 300_000
	acpFile  = 256 << 20
)

// acpRecord is a question of ACPBench Hard with its recorded answer.
type acpRecord struct {
	ID       json.RawMessage `json:"id"`
	Question string          `json:"question"`
	Answer   json.RawMessage `json:"answer"`
	Domain   string          `json:"PDDL_domain"`
	Problem  string          `json:"PDDL_problem"`

	kind acp.Kind
	name string // file and number
}

// finding is what is found about a recorded answer: wrong, with the reason, or right with a hole.
type finding struct {
	wrong string
	hole  string
	what  string // the smallest case of the hole, in words
}

// The holes of the benchmark.
const (
	holeList    = "the recorded list leaves out answers that are as right; whether the grader counts them depends on a planner with a time limit"
	holeNone    = "recorded as none, though facts that no action changes never hold: only \"none\" counts"
	holePlanner = "whether an action begins a cheapest plan is left open by the record, and decided by a planner with a time limit at grading"
	holeLand    = "the recorded list of landmarks leaves out some, which are graded as wrong"
)

// ACPBenchHard audits the generative questions of a checkout of ACPBench's repository (IBM/ACPBench): every recorded
// answer is compared with what the states of the task say. A task with more states than a limit has the status "limit".
func ACPBenchHard(ctx context.Context, root string, done func(int)) (*Report, error) {
	rep := &Report{Benchmark: "acpbench-hard"}
	records, err := rep.acpRecords(root)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s has no questions: a checkout of ACPBench's repository has dataset/KIND/*.gen.json", root)
	}
	// Questions about one task follow each other, so that its states are enumerated once.
	slices.SortStableFunc(records, func(a, b *acpRecord) int {
		return cmp.Or(strings.Compare(a.Domain, b.Domain), strings.Compare(a.Problem, b.Problem))
	})
	refs := taskref.NewResolver(taskref.Options{CacheBytes: 64 << 20})
	var at *acpRecord
	var s *acp.Space
	for _, r := range records {
		if at == nil || at.Domain != r.Domain || at.Problem != r.Problem {
			at = r
			s, err = acpSpace(ctx, refs, r)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		done(1)
		rep.Gold.Answers++
		if err != nil {
			rep.acpUngraded(r, err)
			continue
		}
		f, err := r.check(s)
		if err != nil {
			rep.acpUngraded(r, err)
			continue
		}
		rep.goldFound(string(r.kind), r.name, shortText(string(r.Answer), 400), f)
	}
	rep.finish()
	return rep, nil
}

func acpSpace(ctx context.Context, refs *taskref.Resolver, r *acpRecord) (*acp.Space, error) {
	p, diags := refs.Parse(taskref.Inline(r.Domain, r.Problem), pddl.Options{})
	if diags.HasErrors() {
		return nil, diags
	}
	return acp.NewSpace(ctx, p, search.Limits{Nodes: acpNodes})
}

func (rep *Report) acpUngraded(r *acpRecord, err error) {
	rep.Gold.Ungraded++
	status, message := "unreadable-task", err.Error()
	if errors.Is(err, search.ErrLimit) {
		status, message = "limit", fmt.Sprintf("the task has more than %d states", acpNodes)
	}
	rep.ungraded(status, string(r.kind)+": "+message, r.name)
}

// acpRecords reads all questions, by kind and file.
func (rep *Report) acpRecords(root string) (records []*acpRecord, err error) {
	for _, kind := range acp.Kinds() {
		for _, pattern := range []string{"*.gen.json", "*.gen.json.gz"} {
			files, err := filepath.Glob(filepath.Join(root, "dataset", string(kind), pattern))
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				list, err := readACP(file)
				name := filepath.ToSlash(filepath.Join("dataset", string(kind), filepath.Base(file)))
				if err != nil {
					rep.Unread = append(rep.Unread, UnreadFile{name, err.Error()})
					continue
				}
				rep.Files++
				for i, r := range list {
					r.kind, r.name = kind, fmt.Sprintf("%s#%d", name, i)
				}
				records = append(records, list...)
			}
		}
	}
	return records, nil
}

func readACP(file string) (list []*acpRecord, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	text, err := io.ReadAll(io.LimitReader(in, acpFile+1))
	if err == nil && len(text) > acpFile {
		err = fmt.Errorf("more than %d bytes", acpFile)
	}
	if err != nil {
		return nil, err
	}
	return list, rowjson.Unmarshal(bytes.TrimSpace(text), &list, false)
}

var (
	quotedText = pattern.New(`(?s)"(.*)"`)
	stepText   = pattern.New(`\([^()]*\)`)
)

// atom writes a recorded atom as planproof does: in lower case, in parentheses, with single spaces.
func atom(s string) string {
	return "(" + strings.Join(strings.Fields(strings.ToLower(strings.Trim(strings.TrimSpace(s), "()"))), " ") + ")"
}

func atomsOf(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = atom(s)
	}
	return out
}

// steps are those of the plan or sequence that the question quotes.
func (r *acpRecord) steps() []string {
	m := quotedText.FindStringSubmatch(r.Question)
	if m == nil {
		return nil
	}
	return atomsOf(stepText.FindAllString(m[1], -1))
}

// check compares the recorded answer with the states of the task.
func (r *acpRecord) check(s *acp.Space) (f finding, err error) {
	switch r.kind {
	case acp.App, acp.Val:
		v, err := s.Grade(&acp.Question{Kind: r.kind, Steps: r.steps()}, r.Answer)
		return finding{wrong: v.Why}, err
	case acp.Prog:
		return r.checkProgress(s)
	case acp.Just:
		return r.checkShorter(s)
	case acp.Reach, acp.AReach:
		return r.checkNever(s)
	case acp.Land:
		return r.checkLandmarks(s)
	}
	return r.checkNext(s)
}

// checkProgress holds the recorded effects to those of an action with the objects that the question names: it tells
// the action in words.
func (r *acpRecord) checkProgress(s *acp.Space) (f finding, err error) {
	var recorded struct {
		Pos []string `json:"pos"`
		Neg []string `json:"neg"`
	}
	if err := rowjson.Unmarshal(r.Answer, &recorded, false); err != nil {
		return f, err
	}
	told := strings.FieldsFunc(strings.ToLower(quotedText.FindString(r.Question)), func(c rune) bool { return strings.ContainsRune(" \".,:;()", c) })
	same := func(a, b []string) bool {
		return slices.Equal(slices.Compact(slices.Sorted(slices.Values(atomsOf(a)))), slices.Compact(slices.Sorted(slices.Values(b))))
	}
	for _, action := range s.Applicable() {
		named := !slices.ContainsFunc(atomtext.Words(action)[1:], func(o string) bool { return !slices.Contains(told, o) })
		if pos, neg, ok := s.Progress(action); ok && named && same(recorded.Pos, pos) && same(recorded.Neg, neg) {
			return f, nil
		}
	}
	return finding{wrong: "no action about these objects has these effects"}, nil
}

// checkShorter holds each recorded removal to the plan of the question: one action or two in a row, whose place is
// not always recorded.
func (r *acpRecord) checkShorter(s *acp.Space) (f finding, err error) {
	var recorded [][]string
	if err := rowjson.Unmarshal(r.Answer, &recorded, false); err != nil {
		return f, err
	}
	plan := r.steps()
	shorter := s.Shorter(plan)
	for _, removal := range recorded {
		removed := atomsOf(slices.DeleteFunc(slices.Clone(removal), func(x string) bool { return !strings.HasPrefix(x, "(") }))
		ok := false
		for at := 0; at+len(removed) <= len(plan) && !ok; at++ {
			rest := slices.Concat(plan[:at], plan[at+len(removed):])
			ok = slices.Equal(plan[at:at+len(removed)], removed) && slices.ContainsFunc(shorter, func(x []string) bool { return slices.Equal(x, rest) })
		}
		if !ok {
			return finding{wrong: fmt.Sprintf("without %s it is no plan", strings.Join(removed, " "))}, nil
		}
	}
	if len(recorded) == 0 && len(shorter) > 0 {
		f.wrong = "something can be left out: " + strings.Join(shorter[0], " ")
	}
	return f, nil
}

// checkNever holds recorded propositions and actions to those that never hold and never apply.
func (r *acpRecord) checkNever(s *acp.Space) (f finding, err error) {
	var recorded []string
	if err := rowjson.Unmarshal(r.Answer, &recorded, false); err != nil {
		return f, err
	}
	recorded = atomsOf(recorded)
	right := s.Unreachable()
	if r.kind == acp.AReach {
		right = s.NeverApplicable()
	}
	for _, x := range recorded {
		if !slices.Contains(right, x) {
			return finding{wrong: x + " is possible, or no such thing"}, nil
		}
	}
	missing := slices.DeleteFunc(slices.Clone(right), func(x string) bool { return slices.Contains(recorded, x) })
	changing := slices.DeleteFunc(slices.Clone(missing), func(x string) bool { return r.kind == acp.Reach && !s.Changes(x) })
	switch {
	case len(recorded) == 0 && len(changing) > 0:
		f.wrong = "recorded as none, but " + changing[0] + " is one"
	case len(recorded) == 0 && len(missing) > 0:
		f.hole, f.what = holeNone, missing[0]
	case len(changing) > 0:
		f.hole, f.what = holeList, changing[0]
	}
	return f, nil
}

// recordedLists are what is recorded of landmarks and next actions: right, wrong, and left open.
type recordedLists struct {
	Yes   []string `json:"yes"`
	No    []string `json:"no"`
	Maybe []string `json:"maybe"`
}

func (r *acpRecord) checkLandmarks(s *acp.Space) (f finding, err error) {
	var recorded recordedLists
	if err := rowjson.Unmarshal(r.Answer, &recorded, false); err != nil {
		return f, err
	}
	right, ok := s.Landmarks()
	if !ok {
		return finding{wrong: "the task has no plan"}, nil
	}
	for _, x := range atomsOf(recorded.Yes) {
		if !slices.Contains(right, x) {
			return finding{wrong: x + " is recorded as a landmark and is none"}, nil
		}
	}
	for _, x := range atomsOf(recorded.No) {
		if slices.Contains(right, x) {
			return finding{wrong: x + " is a landmark, recorded as none"}, nil
		}
	}
	for _, x := range right {
		if !slices.Contains(atomsOf(recorded.Yes), x) {
			return finding{hole: holeLand, what: x}, nil
		}
	}
	return f, nil
}

func (r *acpRecord) checkNext(s *acp.Space) (f finding, err error) {
	var recorded recordedLists
	if err := rowjson.Unmarshal(r.Answer, &recorded, false); err != nil {
		return f, err
	}
	right, ok := s.NextActions()
	if !ok {
		return finding{wrong: "no action is left to take, or the task has no plan"}, nil
	}
	for _, x := range atomsOf(recorded.Yes) {
		if !slices.Contains(right, x) {
			return finding{wrong: x + " begins no cheapest plan"}, nil
		}
	}
	for _, x := range atomsOf(recorded.No) {
		if slices.Contains(right, x) {
			return finding{wrong: x + " begins a cheapest plan, recorded as a step that does not"}, nil
		}
	}
	if len(recorded.Maybe) > 0 {
		f.hole, f.what = holePlanner, atom(recorded.Maybe[0])+" does not"
		if slices.Contains(right, atom(recorded.Maybe[0])) {
			f.what = atom(recorded.Maybe[0]) + " does"
		}
	}
	return f, nil
}
