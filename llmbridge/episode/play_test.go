package episode

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/llmbridge/model"
)

func playAll(t *testing.T, o *Options, names ...string) (string, []*Metrics) {
	t.Helper()
	var tasks []Task
	for _, n := range names {
		tasks = append(tasks, Task{Name: n, Structure: n, Problem: load(t, n)})
	}
	var out bytes.Buffer
	list, err := Play(t.Context(), tasks, &out, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), list
}

// TestPlay: the same options give the same bytes, and better agents do better.
func TestPlay(t *testing.T) {
	o := &Options{Agents: AgentNames, Episodes: 4, Settings: []Setting{{Rounds: Mid}}, Seed: 1, JSON: true}
	one, list := playAll(t, o, "blocksworld:4-17")
	if two, _ := playAll(t, o, "blocksworld:4-17"); one != two {
		t.Error("two plays differ")
	}
	rate := map[string]*Metrics{}
	for _, m := range list {
		rate[m.Agent] = m
	}
	if rate["optimal"].VPR.Rate != 1 || rate["omniscient"].Accuracy.Rate != 1 || rate["stubborn"].VPR.Rate > 0.5 || rate["random"].VPR.Rate > rate["optimal"].VPR.Rate {
		t.Errorf("%v", one)
	}
	if m := rate["optimal"]; m.Silent.Mean != 0 || m.Accuracy.Bootstrap.Low != 1 || m.Structures != 1 {
		t.Errorf("%+v", m)
	}
}

// TestAblations: every ablation has its settings; without memory the optimal agent repeats violations.
func TestAblations(t *testing.T) {
	settings, err := Ablations("all", Setting{Rounds: Low, Memory: true})
	if err != nil || len(settings) != 3+2+2+3+4 {
		t.Fatalf("%d settings, %v", len(settings), err)
	}
	if _, err := Ablations("mood", Setting{}); err == nil {
		t.Error("there is no such ablation")
	}
	settings, _ = Ablations("memory,source", Setting{Rounds: High, Memory: true})
	_, list := playAll(t, &Options{Agents: []string{"optimal"}, Episodes: 10, Settings: settings, Seed: 1}, "blocksworld:4-17")
	if len(list) != 5 {
		t.Fatalf("%d rows", len(list))
	}
	for _, m := range list {
		switch m.Setting {
		case "memory=off":
			if m.AWRV.Mean+m.AURV.Mean == 0 {
				t.Errorf("%+v", m)
			}
		case "source=world":
			if m.ATUC.Mean != 0 {
				t.Errorf("%+v", m)
			}
		case "source=user":
			if m.ATWC.Mean != 0 {
				t.Errorf("%+v", m)
			}
		}
		if m.Setting != "memory=off" && m.VPR.Rate != 1 {
			t.Errorf("%+v", m)
		}
	}
}

// failing is a model whose run is ended after some answers.
type failing struct {
	model.Model
	left int
	end  context.CancelFunc
}

func (f *failing) Generate(ctx context.Context, r *model.Request) (*model.Response, error) {
	if f.left--; f.left < 0 {
		f.end()
		return nil, ctx.Err()
	}
	return f.Model.Generate(ctx, r)
}

// TestModels: a model without answers has no scores, an episode that was ended in the middle is continued from the
// transcript with the same bytes, and answers are read.
func TestModels(t *testing.T) {
	down, err := model.NewScripted("down")
	if err != nil {
		t.Fatal(err)
	}
	careless, err := model.NewScripted("careless")
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{Models: []model.Model{down, careless}, Episodes: 3, Settings: []Setting{{Rounds: Low}}, Seed: 1, JSON: true}
	whole, list := playAll(t, o, "blocksworld:4-17")
	if list[0].Episodes != 0 || list[0].Unanswered != 3 || !strings.Contains(whole, `"status":"outage"`) {
		t.Errorf("%+v", list[0])
	}
	if list[1].Episodes != 3 || !strings.Contains(whole, `"response":`) || !strings.Contains(whole, "does not work") {
		t.Errorf("%+v", list[1])
	}
	file := filepath.Join(t.TempDir(), "transcript.jsonl")
	o.Models = []model.Model{careless}
	whole, _ = playAll(t, o, "blocksworld:4-17")
	for _, answers := range []int{1, 3, 1000} { // each run is killed after so many more answers
		log, err := model.OpenTranscript(file)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		o.Models = []model.Model{model.Record(&failing{careless, answers, cancel}, log)}
		var out bytes.Buffer
		_, err = Play(ctx, []Task{{Name: "blocksworld:4-17", Structure: "blocksworld:4-17", Problem: load(t, "blocksworld:4-17")}}, &out, o)
		cancel()
		log.Close()
		if !strings.HasPrefix(whole, out.String()) {
			t.Errorf("after %d answers: other bytes", answers)
		}
		if answers == 1000 && (err != nil || out.String() != whole) {
			t.Errorf("continued: %v", err)
		}
	}
}
