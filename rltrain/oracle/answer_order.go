package oracle

import (
	"bufio"
	"bytes"
	"io"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/groups"
	"github.com/planproof/planproof/rltrain/rows"
)

// answerWriter puts the answers out in order. With groups, answers from the first member
// of a group on are held until the end, when all members are known.
type answerWriter struct {
	out     *bufio.Writer
	groups  bool
	held    []heldAnswer
	summary *Summary
}

func newAnswerWriter(out io.Writer, groups bool) *answerWriter {
	return &answerWriter{out: bufio.NewWriterSize(out, 1<<16), groups: groups, summary: &Summary{ByStatus: map[rows.Status]int{}, ByReader: map[extract.Kind]int{}}}
}

func (w *answerWriter) write(j *job) error {
	w.summary.add(j)
	if w.groups && (len(w.held) > 0 || j.grouped()) {
		w.held = append(w.held, hold(j))
		return nil
	}
	_, err := w.out.Write(j.text)
	return err
}

// end writes what has been held.
func (w *answerWriter) end() error {
	if err := writeHeld(w.out, w.held); err != nil {
		return err
	}
	return w.out.Flush()
}

// grouped reports whether the job is a single response of a group.
func (j *job) grouped() bool { return !j.list && len(j.scores) == 1 && j.scores[0].Group != "" }

// heldAnswer is an answer that waits for the rest of its group. Only what the
// advantage needs is kept beside the text.
type heldAnswer struct {
	text  []byte
	score *rows.Score // nil unless it belongs to a group
}

func hold(j *job) heldAnswer {
	h := heldAnswer{text: j.text}
	if j.grouped() {
		s := j.scores[0]
		h.score = &rows.Score{Reward: s.Reward, Group: s.Group}
	}
	return h
}

func writeHeld(w *bufio.Writer, held []heldAnswer) error {
	var scores []*rows.Score
	for _, h := range held {
		if h.score != nil {
			scores = append(scores, h.score)
		}
	}
	groups.SetAdvantages(scores)
	for _, h := range held {
		text := h.text
		if h.score != nil {
			advantage, err := rowjson.AppendValue(nil, h.score.Advantage)
			if err != nil {
				return err
			}
			text = bytes.TrimSuffix(bytes.TrimRight(text, "\n"), []byte("}"))
			w.Write(text)
			w.WriteString(`,"advantage":`)
			w.Write(advantage)
			text = []byte("}\n")
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// add counts a job's scores.
func (s *Summary) add(j *job) {
	s.Lines++
	if j.failed {
		s.Responses++
		s.ByStatus[rows.StatusBadRow]++
	}
	for status, n := range j.counts {
		s.Responses += n
		s.ByStatus[status] += n
	}
	for _, score := range j.scores {
		s.Responses++
		s.ByStatus[score.Status]++
		if score.Reader != "" {
			s.ByReader[score.Reader]++
		}
		if r := score.Reward; r != nil {
			s.Scored++
			s.RewardSum += *r
			if score.Status != rows.StatusValid && *r > 0 {
				s.PaidInvalid++
				s.PaidInvalidSum += *r
			}
		}
	}
}
