package tools

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// A Similarity says how alike two texts are, from 0 to 1, in millionths. T-Eval takes the cosine of embeddings, which
// change with the model; here it is a table, so that a score can be had again.
type Similarity func(a, b string) int64

// similar is the similarity of equal texts.
const similar = 1_000_000

// Identity is 1 for equal texts and 0 for others.
func Identity(a, b string) int64 {
	if a == b {
		return similar
	}
	return 0
}

// ReadSimilarity reads a table of JSON Lines {"a", "b", "similarity"}. It is symmetric; equal texts have 1, pairs that
// it lacks 0, and negative similarities count as 0.
func ReadSimilarity(in io.Reader, name string) (Similarity, error) {
	table := map[[2]string]int64{}
	var faults rowjson.Faults
	err := rowjson.EachLine(in, name, 1<<24, &faults, func(_ int, line []byte) error {
		var row struct {
			A, B       *string
			Similarity rawNumber
		}
		fields := map[string]any{"a": &row.A, "b": &row.B, "similarity": &row.Similarity}
		err := rowjson.EachMember(line, func(member string, value []byte) error {
			into, known := fields[member]
			if !known {
				return rowjson.Errorf(rowjson.CodeUnknown, member, "a row of a table of similarities has no %q", member)
			}
			return rowjson.At(rowjson.CodeType, member, rowjson.Unmarshal(value, into, false))
		})
		n, ok := pddl.ParseNumber(string(row.Similarity))
		switch {
		case err != nil:
			return err
		case row.A == nil || row.B == nil:
			return rowjson.Errorf(rowjson.CodeMissing, "", "a row needs a, b and similarity")
		case !ok || n.Cmp(pddl.Int(1)) > 0:
			return rowjson.Errorf(rowjson.CodeValue, "similarity", "similarity is no number up to 1")
		}
		millionths := max(0, n.Mul(pddl.Int(similar)).Rat().Num().Int64()/max(1, n.Mul(pddl.Int(similar)).Rat().Denom().Int64()))
		table[[2]string{*row.A, *row.B}], table[[2]string{*row.B, *row.A}] = millionths, millionths
		return nil
	})
	if err == nil {
		err = faults.Err()
	}
	return func(a, b string) int64 {
		if a == b {
			return similar
		}
		return table[[2]string{a, b}]
	}, err
}

// rawNumber keeps the text of a number.
type rawNumber string

// UnmarshalJSON implements json.Unmarshaler.
func (r *rawNumber) UnmarshalJSON(b []byte) error {
	*r = rawNumber(b)
	return nil
}

// Compat says how T-Eval's evaluator is imitated (2.3 of travel-tools.md).
type Compat struct {
	Similarity Similarity
	// Threshold in millionths: calls match if three quarters of the similarity of names and a quarter of that of
	// arguments are more. T-Eval has 0.8, OpenCompass 0.7.
	Threshold int64
	// NoFloor takes away the one match that every plan gets.
	NoFloor bool
}

// maxCompat bounds the steps that are matched by similarity.
const maxCompat = 64

// ErrCrash is the answer where T-Eval's evaluator ends with an exception.
var ErrCrash = errors.New("the evaluator crashes")

// Score matches as T-Eval's evaluator does: a matching of maximum weight, and the longest increasing run of the matched
// gold steps. Of several such matchings it takes the one that gives the first predicted step the last gold step, and so
// on, which reproduces what the evaluator does with equal calls. A prediction without a match still has one.
func (c Compat) Score(predicted, gold *Plan) (Measure, error) {
	p, g := predicted.scored(), gold.scored()
	m := Measure{0, len(p), len(g)}
	switch {
	case len(predicted.Steps) == 0 || len(gold.Steps) == 0:
		return m, nil
	case len(p) == 0 || len(g) == 0:
		return m, ErrCrash
	case len(p) > maxCompat || len(g) > maxCompat:
		return m, fmt.Errorf("more than %d steps are not matched by similarity", maxCompat)
	}
	weights := make([][]int64, len(p))
	for i := range p {
		weights[i] = make([]int64, len(g))
		for j := range g {
			w := 3*c.Similarity(p[i].Name, g[j].Name) + c.Similarity(p[i].written, g[j].written)
			if w > 4*c.Threshold {
				weights[i][j] = w
			}
		}
	}
	run := increasing(lastMatching(weights))
	if run == 0 && !c.NoFloor {
		run = 1
	}
	m.Matched = run
	return m, nil
}

// increasing is the length of the longest increasing run of the matched places; -1 is no match.
func increasing(match []int) int {
	best := 0
	runs := make([]int, len(match))
	for i, to := range match {
		if to < 0 {
			continue
		}
		runs[i] = 1
		for j := range i {
			if match[j] >= 0 && match[j] < to {
				runs[i] = max(runs[i], runs[j]+1)
			}
		}
		best = max(best, runs[i])
	}
	return best
}

// lastMatching returns, of the matchings of maximum weight, the one that gives the first row the last column, then the
// second row, and so on.
func lastMatching(weights [][]int64) []int {
	match := make([]int, len(weights))
	taken := make([]bool, len(weights[0]))
	left := heaviest(weights, 0, taken)
	for i := range weights {
		match[i] = -1
		for j := len(taken) - 1; j >= 0; j-- {
			if taken[j] || weights[i][j] == 0 {
				continue
			}
			taken[j] = true
			if rest := heaviest(weights, i+1, taken); rest+weights[i][j] == left {
				match[i], left = j, rest
				break
			}
			taken[j] = false
		}
	}
	return match
}

// heaviest is the weight of the heaviest matching of the rows from one on with the columns that are free, by the
// Hungarian method.
func heaviest(weights [][]int64, from int, taken []bool) (sum int64) {
	var columns []int
	for j, t := range taken {
		if !t {
			columns = append(columns, j)
		}
	}
	n := max(len(weights)-from, len(columns))
	at := func(i, j int) int64 { // cost of a square matrix
		if from+i < len(weights) && j < len(columns) {
			return -weights[from+i][columns[j]]
		}
		return 0
	}
	u, v, row, way := make([]int64, n+1), make([]int64, n+1), make([]int, n+1), make([]int, n+1)
	for i := 1; i <= n; i++ {
		row[0] = i
		j0 := 0
		least, used := make([]int64, n+1), make([]bool, n+1)
		for j := range least {
			least[j] = math.MaxInt64
		}
		for row[j0] != 0 {
			used[j0] = true
			i0, j1, delta := row[j0], 0, int64(math.MaxInt64)
			for j := 1; j <= n; j++ {
				if used[j] {
					continue
				}
				if d := at(i0-1, j-1) - u[i0] - v[j]; d < least[j] {
					least[j], way[j] = d, j0
				}
				if least[j] < delta {
					delta, j1 = least[j], j
				}
			}
			for j := range used {
				if used[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else if least[j] < math.MaxInt64 {
					least[j] -= delta
				}
			}
			j0 = j1
		}
		for j0 != 0 {
			row[j0] = row[way[j0]]
			j0 = way[j0]
		}
	}
	for j := 1; j <= n; j++ {
		sum -= at(row[j]-1, j-1)
	}
	return sum
}

// ReadCompat reads what a command is given: a table of similarities, or "identity", and a threshold. It is nil without a
// table.
func ReadCompat(table, threshold string, noFloor bool, open func(string) (io.ReadCloser, error)) (*Compat, error) {
	if table == "" {
		return nil, nil
	}
	c := &Compat{Similarity: Identity, NoFloor: noFloor}
	var err error
	if c.Threshold, err = parseThreshold(threshold); err != nil || table == "identity" {
		return c, err
	}
	in, err := open(table)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c.Similarity, err = ReadSimilarity(in, table)
	return c, err
}

// parseThreshold reads the threshold of similarity.
func parseThreshold(s string) (int64, error) {
	n, ok := pddl.ParseNumber(strings.TrimSpace(s))
	m, whole := n.Mul(pddl.Int(similar)).Int64()
	if !ok || !whole || m < 0 || m > similar {
		return 0, fmt.Errorf("threshold %q is no number from 0 to 1 with at most six decimals", s)
	}
	return m, nil
}
