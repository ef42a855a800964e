package rows

import (
	"encoding/json"
	"math"
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/validator"
)

// TestAppendRow compares rows with those of encoding/json, whatever members they have: a
// new one that is forgotten shows.
func TestAppendRow(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	fill := func(v any) reflect.Value {
		value, ok := quick.Value(reflect.TypeOf(v), random)
		if !ok {
			t.Fatalf("no random %T", v)
		}
		return value
	}
	texts := []string{"", "(a b)\n(c)", `"q\"`, "<&>", "caf\u00e9\n\u2028", "\xffx", "\x00\b\f\r\t\x7f", "a\nb\"c\\d\u00e9\ne"}
	text := func() string { return texts[random.Intn(len(texts))] }
	numbers := []float64{0, 1, -1, 0.1, math.Copysign(0, -1), 1e21, 1e-7, 1 << 53, -1 << 60, 105, 1.0 / 3}
	number := func() *float64 {
		if i := random.Intn(len(numbers) + 1); i < len(numbers) {
			return &numbers[i]
		}
		return nil
	}
	exact := []pddl.Number{pddl.Int(0), pddl.Int(-7), pddl.Int(1 << 62)}
	third, _ := pddl.Int(1).Div(pddl.Int(3))
	exact = append(exact, third)
	score := func() *Score {
		s := &Score{}
		for i := range reflect.TypeFor[Score]().NumField() {
			switch f := reflect.ValueOf(s).Elem().Field(i); f.Interface().(type) {
			case json.RawMessage:
				ids := []string{``, `null`, `7`, `"x\u00e9 <"`, `{"a": [1, 2]}`}
				if id := ids[random.Intn(len(ids))]; id != "" {
					f.SetBytes([]byte(id))
				}
			case *validator.Verdict:
			case string:
				f.SetString(text())
			default:
				f.Set(fill(f.Interface()))
			}
		}
		s.Reward, s.Advantage = number(), number()
		s.Components = reward.Components{}
		for range random.Intn(4) {
			s.Components[text()+"c"] = numbers[random.Intn(len(numbers))]
		}
		if random.Intn(4) == 0 {
			return s
		}
		s.Verdict = &validator.Verdict{
			Valid: random.Intn(2) == 0, Cost: exact[random.Intn(4)], CostDefined: random.Intn(3) > 0, TotalCost: exact[random.Intn(4)], HasTotalCost: random.Intn(2) == 0,
			Steps: random.Intn(3), Executed: random.Intn(3), GoalReached: random.Intn(2) == 0, Warnings: []string{text()},
		}
		if random.Intn(3) > 0 {
			f := fill(validator.Failure{}).Interface().(validator.Failure)
			if random.Intn(2) == 0 {
				f = validator.Failure{Kind: validator.FailGoal, Unsatisfied: []string{text()}, Message: text()}
			}
			s.Verdict.Failure = &f
		}
		if random.Intn(5) == 0 {
			s.Verdict.Explanation = &validator.Explanation{}
		}
		return s
	}
	compare := func(got []byte, v any) {
		t.Helper()
		want, err := rowjson.AppendValue(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != "before"+string(want) {
			t.Fatalf("%s\nwant\n%s", got, want)
		}
	}
	for range 3000 {
		s := score()
		compare(s.AppendRow([]byte("before")), s)
	}
	for range 100 {
		a := Batch{ID: score().ID, Rewards: []*float64{}, Statuses: []Status{}, Items: []*Score{}}
		for range random.Intn(4) {
			s := score()
			a.Rewards, a.Statuses, a.Items = append(a.Rewards, s.Reward), append(a.Statuses, s.Status), append(a.Items, s)
		}
		compare(a.AppendRow([]byte("before")), a)
	}
}
