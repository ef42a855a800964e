package dataset

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
)

// Responses are answers of models to the prompts of a data set, by record.
type Responses struct {
	// SHA256 is that of what was read, in hexadecimal digits.
	SHA256 string `json:"sha256"`
	name   string
	rows   []*responseRow
	// by has the rows of a record's id or task hash, in order.
	by map[string][]*responseRow
	// Empty counts the rows of planproof score without a plan: what the model said is not in
	// them, so that nothing can be learnt from them.
	Empty int `json:"empty"`
}

// responseRow is one answer.
type responseRow struct {
	line      int
	candidate candidate
	// plan is the answer of a row that planproof score wrote, which has the plan alone.
	plan  []string
	taken atomic.Bool
}

// maxResponseRow bounds a line of a file of responses.
const maxResponseRow = 64 << 20

// ReadResponses reads answers, JSON Lines with
//
//	id | task       the record's id or its task's hash; or domain_text and problem_text
//	response        a text, a chat, or a list of texts; also called completion
//	extracted       instead of it: the plan, as rows of planproof score have it
//	unconstrained   true for an answer to the prompt without its constraints
//	kl              the mean divergence, for TrainerOptions.Pairs.DropLowest
//	finish          "length" for an answer that was cut off
//
// What rows say of rewards and verdicts does not count: every answer is judged again. Every
// bad row is reported, with its line.
func ReadResponses(in io.Reader, name string) (*Responses, error) {
	out := &Responses{name: name, by: map[string][]*responseRow{}}
	var faults rowjson.Faults
	sum := sha256.New()
	s := bufio.NewScanner(io.TeeReader(in, sum))
	s.Buffer(make([]byte, 1<<16), maxResponseRow)
	line := 1
	for ; s.Scan(); line++ {
		text := s.Bytes()
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte(rowjson.BOM))
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := out.add(line, text); err != nil {
			faults.Add(name, line, 1, text, err)
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		faults.Add(name, line, 1, nil, rowjson.Errorf(rowjson.CodeTooLong, "", "%v", rowjson.Reading(err, maxResponseRow)))
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if len(out.rows) == 0 {
		return nil, fmt.Errorf("%s: no responses", name)
	}
	out.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return out, nil
}

func (x *Responses) add(line int, text []byte) error {
	var row responseLine
	if err := rowjson.Unmarshal(text, &row, false); err != nil {
		return err
	}
	key := row.key()
	if key == "" {
		return rowjson.Errorf(rowjson.CodeMissing, "", "the row says neither by id nor by task which prompt it answers")
	}
	raw := row.Response
	if !given(raw) {
		raw = row.Completion
	}
	base := candidate{unconstrained: row.Unconstrained, truncated: row.Finish == "length", kl: row.KL, origin: fmt.Sprint("line ", line)}
	put := func(r *responseRow) {
		r.line = line
		x.rows = append(x.rows, r)
		x.by[key] = append(x.by[key], r)
	}
	var several []string
	switch {
	case !given(raw) && row.Extracted == nil, string(raw) == "[]":
		return rowjson.Errorf(rowjson.CodeMissing, "response", "the row has no response")
	case !given(raw):
		plan := strings.TrimSpace(*row.Extracted)
		if plan == "" {
			x.Empty++
			return nil
		}
		put(&responseRow{candidate: base, plan: strings.Split(plan, "\n")})
	case rowjson.Unmarshal(raw, &several, false) == nil:
		for i, s := range several {
			c := base
			c.text, c.origin = s, fmt.Sprintf("line %d, %d", line, i+1)
			put(&responseRow{candidate: c})
		}
	default:
		var err error
		if base.text, err = extract.CompletionText(raw); err != nil {
			member := "response"
			if !given(row.Response) {
				member = "completion"
			}
			return rowjson.At(rowjson.CodeType, member, err)
		}
		put(&responseRow{candidate: base})
	}
	return nil
}

// responseLine is a row of responses.
type responseLine struct {
	ID            json.RawMessage `json:"id"`
	Task          string          `json:"task"`
	DomainText    string          `json:"domain_text"`
	ProblemText   string          `json:"problem_text"`
	Response      json.RawMessage `json:"response"`
	Completion    json.RawMessage `json:"completion"`
	Extracted     *string         `json:"extracted"`
	Unconstrained bool            `json:"unconstrained"`
	KL            float64         `json:"kl"`
	Finish        string          `json:"finish"`
}

// key names the prompt that the row answers: its id, else its task; "" if nothing does.
func (row *responseLine) key() string {
	key := row.Task
	if row.DomainText != "" && row.ProblemText != "" {
		key = taskref.Sum(row.DomainText, row.ProblemText)
	}
	if given(row.ID) {
		if rowjson.Unmarshal(row.ID, &key, false) != nil {
			key = string(row.ID)
		}
	}
	return key
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// take returns the responses to a record, those by its id before those by its task.
func (x *Responses) take(r *Record, form func() (*answerForm, error)) ([]candidate, error) {
	var out []candidate
	var f *answerForm
	for _, key := range []string{r.ID, r.Task} {
		for _, row := range x.by[key] {
			row.taken.Store(true)
			c := row.candidate
			if row.plan != nil {
				if f == nil {
					var err error
					if f, err = form(); err != nil {
						return nil, err
					}
				}
				c.text = f.write(row.plan)
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// unused says which responses answer no prompt of the data set; nil when each does.
func (x *Responses) unused() error {
	var faults []error
	for _, r := range x.rows {
		if r.taken.Load() {
			continue
		}
		if faults = append(faults, fmt.Errorf("%s:%d: the data set has no such prompt", x.name, r.line)); len(faults) == 20 {
			faults = append(faults, errors.New("and perhaps more"))
			break
		}
	}
	return errors.Join(faults...)
}
