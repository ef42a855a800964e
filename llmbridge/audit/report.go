package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/planproof/planproof/llmbridge/eval"
)

// Report is what an audit found. Lists are in a fixed order.
type Report struct {
	Benchmark string `json:"benchmark"`
	Files     int    `json:"files"`
	// Rows are the answers, each once; Repeated those left out because the same engine gave the same answer
	// to the same prompt in another file; Unanswered the entries without an answer.
	Rows       int `json:"rows"`
	Graded     int `json:"graded"`
	Repeated   int `json:"repeated"`
	Unanswered int `json:"unanswered"`
	// WithoutVerdict are graded rows of which no verdict is recorded.
	WithoutVerdict int `json:"without_verdict"`
	Agree          int `json:"agree"`
	Gained         int `json:"gained"`
	Lost           int `json:"lost"`

	Cells          []Cell          `json:"cells"`
	Leaderboard    []Standing      `json:"leaderboard"`
	Causes         []Cause         `json:"causes"`
	Gold           Gold            `json:"gold"`
	Kinds          []GoldKind      `json:"kinds"`
	Holes          []Hole          `json:"holes"`
	Contradictions []Contradiction `json:"contradictions"`
	Ungraded       []Ungraded      `json:"ungraded"`
	Unread         []UnreadFile    `json:"unread_files"`
	Differences    []Difference    `json:"differences"`
	// Rates are those of the benchmark's own evaluator beside ours, Cases the smallest plans that show its holes, Notes
	// what a reader must know.
	Rates []Rate   `json:"rates,omitempty"`
	Cases []Case   `json:"cases,omitempty"`
	Notes []string `json:"notes,omitempty"`

	cells map[[3]string]*Cell
}

// Cell counts the answers of an engine to one kind of prompt about one set of tasks.
type Cell struct {
	Engine string `json:"engine"`
	Domain string `json:"domain"`
	Method string `json:"method"`
	Rows   int    `json:"rows"`
	Graded int    `json:"graded"`
	// Recorded are the answers recorded as right, Correct those that are. Gained are recorded as wrong but
	// right, Lost the opposite.
	Recorded int `json:"recorded"`
	Correct  int `json:"correct"`
	Gained   int `json:"gained"`
	Lost     int `json:"lost"`
}

// Standing is an entry of a leaderboard, as recorded and as graded by us.
type Standing struct {
	Set          string `json:"set"`
	Engine       string `json:"engine"`
	Rows         int    `json:"rows"`
	Graded       int    `json:"graded"`
	Recorded     int    `json:"recorded"`
	Correct      int    `json:"correct"`
	RecordedRank int    `json:"recorded_rank"`
	Rank         int    `json:"rank"`
}

// Cause counts the wrong verdicts of one cause, with the shortest answer of each direction.
type Cause struct {
	Cause    string       `json:"cause"`
	Hole     string       `json:"hole"`
	Gained   int          `json:"gained"`
	Lost     int          `json:"lost"`
	Smallest []Difference `json:"smallest"`
	lengths  map[string]int
}

// Difference is an answer whose recorded verdict is not ours.
type Difference struct {
	Row        string `json:"row"`
	Difference string `json:"difference"`
	Cause      string `json:"cause"`
	Status     string `json:"status"`
	Message    string `json:"message,omitempty"`
	// Answer and Extracted are the model's answer and the plan that the record read in it, cut where they
	// are long.
	Answer    string `json:"answer"`
	Extracted string `json:"extracted,omitempty"`
}

// Gold counts gold answers, and lists those that are wrong.
type Gold struct {
	Answers  int         `json:"answers"`
	Ungraded int         `json:"ungraded"`
	Wrong    []WrongGold `json:"wrong"`
}

// WrongGold is a gold answer that is wrong.
type WrongGold struct {
	Row     string `json:"row"`
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
	Gold    string `json:"gold"`
}

// GoldKind counts the gold answers to one kind of question.
type GoldKind struct {
	Kind    string `json:"kind"`
	Graded  int    `json:"graded"`
	Wrong   int    `json:"wrong"`
	Holes   int    `json:"holes"` // right ones with a hole
	Perfect int    `json:"perfect"`
}

// Hole counts the questions with something that a benchmark's grading lets through, refuses or leaves open, and shows
// the first.
type Hole struct {
	Hole  string `json:"hole"`
	Rows  int    `json:"rows"`
	First string `json:"first"`
	What  string `json:"what"`
}

// goldFound counts what was found about a gold answer.
func (rep *Report) goldFound(kind, row, gold string, f finding) {
	at := slices.IndexFunc(rep.Kinds, func(k GoldKind) bool { return k.Kind == kind })
	if at < 0 {
		at = len(rep.Kinds)
		rep.Kinds = append(rep.Kinds, GoldKind{Kind: kind})
	}
	k := &rep.Kinds[at]
	k.Graded++
	switch {
	case f.wrong != "":
		k.Wrong++
		rep.Gold.Wrong = append(rep.Gold.Wrong, WrongGold{Row: row, Status: "wrong-gold", Message: f.wrong, Gold: gold})
		return
	case f.hole == "":
		k.Perfect++
		return
	}
	k.Holes++
	for i := range rep.Holes {
		if rep.Holes[i].Hole == f.hole {
			rep.Holes[i].Rows++
			return
		}
	}
	rep.Holes = append(rep.Holes, Hole{f.hole, 1, row, f.what})
}

// Contradiction is one answer to one prompt with two recorded verdicts.
type Contradiction struct {
	First        string `json:"first"`
	Second       string `json:"second"`
	FirstVerdict bool   `json:"first_verdict"`
}

// Ungraded counts the rows that are not graded for one reason.
type Ungraded struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Rows    int    `json:"rows"`
	First   string `json:"first"`
}

// UnreadFile is a file that cannot be read.
type UnreadFile struct {
	File    string `json:"file"`
	Message string `json:"message"`
}

// cell is the cell of an engine, a set of tasks and a kind of prompt.
func (rep *Report) cell(engine, domain, method string) *Cell {
	if rep.cells == nil {
		rep.cells = map[[3]string]*Cell{}
	}
	k := [3]string{engine, domain, method}
	if rep.cells[k] == nil {
		rep.cells[k] = &Cell{Engine: engine, Domain: domain, Method: method}
	}
	return rep.cells[k]
}

// add counts a graded answer.
func (rep *Report) add(r *record, g *eval.GradedResponse, stated *statedTasks) {
	c := rep.cell(r.file.engine, r.file.domain, r.file.method)
	rep.Rows++
	c.Rows++
	if r.Recorded != nil && *r.Recorded {
		c.Recorded++
	}
	if !g.Status.Graded() {
		rep.ungraded(string(g.Status), g.Message, r.name())
		return
	}
	rep.Graded++
	c.Graded++
	if g.Correct {
		c.Correct++
	}
	switch {
	case r.Recorded == nil:
		rep.WithoutVerdict++
	case g.Difference == "":
		rep.Agree++
	default:
		rep.differs(c, r, g, causeOf(r, g, stated))
	}
}

func (rep *Report) differs(c *Cell, r *record, g *eval.GradedResponse, cause string) {
	if g.Difference == "gained" {
		rep.Gained++
		c.Gained++
	} else {
		rep.Lost++
		c.Lost++
	}
	d := Difference{
		Row: r.name(), Difference: g.Difference, Cause: cause, Status: string(g.Status), Message: g.Message,
		Answer: shortText(r.Text, 600), Extracted: shortText(r.Extracted, 400),
	}
	rep.Differences = append(rep.Differences, d)
	at := slices.IndexFunc(rep.Causes, func(x Cause) bool { return x.Cause == cause })
	if at < 0 {
		at = len(rep.Causes)
		rep.Causes = append(rep.Causes, Cause{Cause: cause, Hole: holes[cause], lengths: map[string]int{}})
	}
	rep.Causes[at].count(d, len(r.Text))
}

// count adds a difference, and keeps it if its answer is the shortest of its direction.
func (x *Cause) count(d Difference, length int) {
	if d.Difference == "gained" {
		x.Gained++
	} else {
		x.Lost++
	}
	at := slices.IndexFunc(x.Smallest, func(s Difference) bool { return s.Difference == d.Difference })
	switch {
	case at < 0:
		x.Smallest = append(x.Smallest, d)
	case length < x.lengths[d.Difference]:
		x.Smallest[at] = d
	default:
		return
	}
	x.lengths[d.Difference] = length
}

func (rep *Report) ungraded(status, message, row string) {
	for i := range rep.Ungraded {
		if u := &rep.Ungraded[i]; u.Status == status && u.Message == message {
			u.Rows++
			return
		}
	}
	rep.Ungraded = append(rep.Ungraded, Ungraded{status, message, 1, row})
}

// finish sorts the lists.
func (rep *Report) finish() {
	for _, c := range rep.cells {
		rep.Cells = append(rep.Cells, *c)
	}
	slices.SortFunc(rep.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Engine, b.Engine))
	})
	slices.SortFunc(rep.Causes, func(a, b Cause) int {
		return cmp.Or(b.Gained+b.Lost-a.Gained-a.Lost, cmp.Compare(a.Cause, b.Cause))
	})
	slices.SortStableFunc(rep.Ungraded, func(a, b Ungraded) int { return b.Rows - a.Rows })
	slices.SortFunc(rep.Kinds, func(a, b GoldKind) int { return cmp.Compare(a.Kind, b.Kind) })
	slices.SortFunc(rep.Holes, func(a, b Hole) int { return cmp.Or(b.Rows-a.Rows, cmp.Compare(a.Hole, b.Hole)) })
	slices.SortStableFunc(rep.Gold.Wrong, func(a, b WrongGold) int { return cmp.Compare(a.Row, b.Row) })
	notNil(&rep.Kinds)
	notNil(&rep.Holes)
	notNil(&rep.Cells)
	notNil(&rep.Leaderboard)
	notNil(&rep.Causes)
	notNil(&rep.Gold.Wrong)
	notNil(&rep.Contradictions)
	notNil(&rep.Ungraded)
	notNil(&rep.Unread)
	notNil(&rep.Differences)
}

// notNil makes a list without entries [] in JSON.
func notNil[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}

// shortText cuts a text that is longer than n bytes, between characters.
func shortText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " ..."
}
