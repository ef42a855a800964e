package oracle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/rewardtest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
)

// TestGold scores rows with and without what a reward needs to know.
func TestGold(t *testing.T) {
	files := fileRewards(t, "tight", "loose", "robots")
	o := newTestOracle(t, Options{Rewards: files})
	domain, problem, err := domains.Load("gripper:1")
	if err != nil {
		t.Fatal(err)
	}
	priced := strings.Replace(domain.Text, "(:predicates", "(:functions (total-cost) - number)\n(:predicates", 1)
	priced = strings.ReplaceAll(priced, ":effect (and", ":effect (and (increase (total-cost) 2)")
	costs := strings.TrimSuffix(strings.TrimSpace(problem.Text), ")") + "(:metric minimize (total-cost)))"
	plan := `[PLAN]\n(pick ball0 room0 left)\n(move room0 room1)\n(drop ball0 room1 left)\n[PLAN END]`
	unit := `"task":"gripper:1"`
	paid := `"domain_text":` + jsonText(priced) + `,"problem_text":` + jsonText(costs)
	for _, c := range []struct{ reward, row, want string }{
		{"multirobot", unit, `"reward":1,`},
		{"multirobot", unit + `,"gold":{"steps":2}`, `"reward":0.9,`},
		{"multirobot", unit + `,"gold":{"plan":["(a)","(b)","(c)","(d)"]}`, `"ref_not_optimal":1`},
		{"multirobot", paid, `"reward":1,`},
		{"tight", unit, `"reward":0.5,`},
		{"tight", unit + `,"gold":{"cost":"3","optimal":true}`, `"reward":0.5,`},
		{"tight", unit + `,"gold":{"cost":2,"optimal":true}`, `"reward":0,`},
		{"tight", unit + `,"gold":{"cost":"7/2","optimal":true}`, `"status":"no-gold","error":"a valid plan costs 3, less than the optimal cost 3.5 of the gold data"`},
		{"tight", unit + `,"gold":{"cost":"3"}`, `"status":"no-gold","error":"the cost in the row's gold data is not marked as optimal"`},
		{"tight", paid, `"status":"no-gold","error":"the optimal cost is not known`},
		{"tight", paid + `,"gold":{"cost":"6","optimal":true}`, `"reward":0.5,`},
		{"loose", paid + `,"gold":{"cost":"6","optimal":true}`, `"status":"no-gold","error":"the slack of a loose budget is not known`},
		{"loose", paid + `,"gold":{"cost":"5","optimal":true,"slack":"1"}`, `"reward":0.8333333333333334,`},
		{"budget", unit, `"reward":null,"extracted":"","status":"no-gold","error":"the row has no budget"`},
		{"budget", unit + `,"budget":"3"`, `"reward":1,`},
		{"budget", unit + `,"budget":2.5`, `"reward":0,`},
		{"budget", unit + `,"budget":"4","gold":{"cost":"7/2","optimal":true}`, `"status":"no-gold","error":"a valid plan costs 3, less than the optimal cost 3.5 of the gold data"`},
		{"budget", unit + `,"budget":"2","gold":{"cost":"7/2","optimal":true}`, `"status":"no-gold"`},
		{"budget", unit + `,"budget":"4","gold":{"cost":"7/2"}`, `"reward":1,`},
		{"budget", unit + `,"budget":"3","gold":{"cost":"3","optimal":true}`, `"reward":1,`},
		{"budget", unit + `,"budget":"-1"`, `"status":"bad-row"`},
		{"budget", unit + `,"budget":"1/0"`, `"status":"bad-row"`},
		{"budget", unit + `,"gold":[]`, `"status":"bad-row"`},
		{"multirobot", unit + `,"gold":{"steps":-1}`, `"status":"bad-row"`},
		{"robots", unit, `"reward":1.2,`},
		{files[2].SHA(), unit, `"reward":1.2,`},
	} {
		row := fmt.Sprintf(`{"id":1,"reward":%q,%s,"response":"%s"}`, c.reward, c.row, plan)
		if got := run(t, o, row)[0]; !strings.Contains(got, c.want) {
			t.Errorf("%s %.150s:\n%s\nhas no %s", c.reward, c.row, got, c.want)
		}
	}
}

// fileRewards reads the rewards of the tests with these names, or all of them.
func fileRewards(t testing.TB, names ...string) (list []*reward.Spec) {
	t.Helper()
	byName := map[string]*reward.Spec{}
	for _, text := range rewardtest.Mixes {
		s, diags := reward.Read(pddl.NewSource("reward.json", text))
		if s == nil {
			t.Fatal(diags)
		}
		byName[s.Name] = s
		if len(names) == 0 {
			list = append(list, s)
		}
	}
	for _, n := range names {
		list = append(list, byName[n])
	}
	return list
}
