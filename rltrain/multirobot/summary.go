package multirobot

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Summary holds the paper's figures over scored answers.
type Summary struct {
	Tasks   int `json:"tasks"`
	Answers int `json:"answers"`
	Errors  int `json:"errors"`
	// Success is the part of all answers that succeed. PassAt1 is the mean over tasks of the part of their
	// answers that succeed: the paper takes four answers to each task.
	Success float64 `json:"success"`
	PassAt1 float64 `json:"pass_at_1"`
	Reward  float64 `json:"reward"`
	// StepDiff and AStarDiff are means over the plans that succeed; against the fewest steps, and against the
	// paper's search over those whose rows have its steps.
	StepDiff  *float64 `json:"step_diff"`
	AStarDiff *float64 `json:"astar_diff"`
	// ParaMax is the mean over the plans that succeed of the most robots that move in one step, ParaMean that of
	// the moves per step.
	ParaMax  *float64 `json:"para_max"`
	ParaMean *float64 `json:"para_mean"`

	scores []scored
}

// scored is what the summary needs of a score, by the number of its row.
type scored struct {
	row   int
	task  string
	score *Score
}

func (s *Summary) add(row int, score *Score) {
	kept := *score
	kept.Verdict = nil
	s.scores = append(s.scores, scored{row, taskKey(score.ID), &kept})
}

// Finish computes the means, in the order of the rows: sums of floats depend on it.
func (s *Summary) Finish() *Summary {
	slices.SortFunc(s.scores, func(a, b scored) int { return cmp.Compare(a.row, b.row) })
	s.Answers = len(s.scores)
	answers, succeeded := map[string]int{}, map[string]int{}
	var order []string
	var diffs, astar, paraMax, paraMean []float64
	for _, x := range s.scores {
		if answers[x.task]++; answers[x.task] == 1 {
			order = append(order, x.task)
		}
		s.Reward += x.score.Reward
		if !x.score.Success {
			continue
		}
		succeeded[x.task]++
		diffs = append(diffs, float64(*x.score.StepDiff))
		paraMax, paraMean = append(paraMax, float64(x.score.ParaMax)), append(paraMean, x.score.ParaMean)
		if x.score.AStarDiff != nil {
			astar = append(astar, float64(*x.score.AStarDiff))
		}
	}
	s.Tasks = len(order)
	for _, t := range order {
		s.PassAt1 += float64(succeeded[t]) / float64(answers[t])
	}
	s.PassAt1 /= float64(max(1, s.Tasks))
	s.Success, s.Reward = float64(len(diffs))/float64(max(1, s.Answers)), s.Reward/float64(max(1, s.Answers))
	s.StepDiff, s.AStarDiff, s.ParaMax, s.ParaMean = mean(diffs), mean(astar), mean(paraMax), mean(paraMean)
	return s
}

// mean is nil for no numbers.
func mean(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	sum /= float64(len(list))
	return &sum
}

// WriteText writes the figures for people.
func (s *Summary) WriteText(w io.Writer) error {
	text := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.2f", *v)
	}
	_, err := fmt.Fprintf(w, "%d tasks, %d answers: success %.2f, pass@1 %.2f, reward %.3f, StepDiff %s (against A* %s), para max %s, mean %s; %d errors\n",
		s.Tasks, s.Answers, s.Success, s.PassAt1, s.Reward, text(s.StepDiff), text(s.AStarDiff), text(s.ParaMax), text(s.ParaMean), s.Errors)
	return err
}
