package rltrain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// write puts the answers out in order. With groups, answers from the first member
// of a group on are held until the end, when all members are known.
func (o *Oracle) write(order <-chan *job, out io.Writer, groups bool) (*Summary, error) {
	w := bufio.NewWriterSize(out, 1<<16)
	summary := &Summary{ByStatus: map[Status]int{}}
	var held []heldAnswer
	for {
		j, ok := next(order, w)
		if !ok {
			break
		}
		if err := wait(j, w); err != nil {
			return summary, err
		}
		summary.add(j)
		if groups && (len(held) > 0 || j.grouped()) {
			held = append(held, hold(j))
			continue
		}
		if _, err := w.Write(j.text); err != nil {
			return summary, err
		}
	}
	if err := writeHeld(w, held); err != nil {
		return summary, err
	}
	return summary, w.Flush()
}

// next takes the next job; what has been written is sent before waiting for it.
func next(order <-chan *job, w *bufio.Writer) (*job, bool) {
	select {
	case j, ok := <-order:
		return j, ok
	default:
	}
	// A failure to write shows at the next write: the writer keeps its error.
	w.Flush()
	j, ok := <-order
	return j, ok
}

// wait waits for the job's answer, likewise.
func wait(j *job, w *bufio.Writer) error {
	select {
	case <-j.done:
		return nil
	default:
	}
	err := w.Flush()
	<-j.done
	return err
}

// grouped reports whether the job is a single response of a group.
func (j *job) grouped() bool { return !j.list && len(j.scores) == 1 && j.scores[0].Group != "" }

// heldAnswer is an answer that waits for the rest of its group. Only what the
// advantage needs is kept beside the text.
type heldAnswer struct {
	text  []byte
	score *Score // nil unless it belongs to a group
}

func hold(j *job) heldAnswer {
	h := heldAnswer{text: j.text}
	if j.grouped() {
		s := j.scores[0]
		h.score = &Score{Reward: s.Reward, Group: s.Group}
	}
	return h
}

func writeHeld(w *bufio.Writer, held []heldAnswer) error {
	var scores []*Score
	for _, h := range held {
		if h.score != nil {
			scores = append(scores, h.score)
		}
	}
	setAdvantages(scores)
	for _, h := range held {
		text := h.text
		if h.score != nil {
			advantage, err := json.Marshal(h.score.Advantage)
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
		s.ByStatus[StatusBadRow]++
	}
	for status, n := range j.counts {
		s.Responses += n
		s.ByStatus[status] += n
	}
	for _, score := range j.scores {
		s.Responses++
		s.ByStatus[score.Status]++
		if r, ok := score.reward(); ok {
			s.Scored++
			s.RewardSum += r
			if score.Status != StatusValid && r > 0 {
				s.PaidInvalid++
				s.PaidInvalidSum += r
			}
		}
	}
}
