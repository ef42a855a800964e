package episode

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzEpisode plays any plans, one a paragraph, under any profile: bad constraints are located errors, every plan has a
// turn, what is disclosed is of the profile, and the same plans give the same episode.
func FuzzEpisode(f *testing.F) {
	f.Add("(forbidden (stack a b))", "(at-most 1 (pick-up ?))", "(unstack b c)\n(put-down b)\n\n(pick-up a)")
	f.Add("(missing a)\n(capacity 1 (clear ?))", "(cost-limit 1) (always (handempty))", "(pick up\n\n\n\nnothing")
	f.Add("(initially (not (handempty)))", "(within 0)", "")
	f.Add("(missing", "(cost-limit -1/0)", "()\n\n(unstack b c) ; x")
	prob := load(f, "blocksworld:3-5")
	f.Fuzz(func(t *testing.T, world, user, text string) {
		if len(world)+len(user)+len(text) > 2000 {
			t.Skip()
		}
		p := &Profile{World: []string{world}, User: []string{user}}
		if err := p.Parse(prob); err != nil {
			if !strings.Contains(err.Error(), "profile:") {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		if len(p.list) > 6 {
			t.Skip()
		}
		known := map[string]bool{}
		for i := range p.list {
			known[p.list[i].String()] = true
		}
		env, err := NewEnv(prob, p)
		if err != nil {
			return // what has no compiled form is refused by name
		}
		once := playText(t, env, text)
		if twice := playText(t, env, text); string(once) != string(twice) {
			t.Fatalf("two episodes differ:\n%s\n%s", once, twice)
		}
		var row Row
		if err := json.Unmarshal(once, &row); err != nil {
			t.Fatal(err)
		}
		for _, turn := range row.Turns {
			for _, c := range append(turn.New, turn.Repeated...) {
				if !known[c] {
					t.Fatalf("%s is disclosed and not of the profile", c)
				}
			}
			if turn.Feedback == "" || turn.Passed && len(turn.New)+len(turn.Repeated)+len(turn.Fault) > 0 {
				t.Fatalf("%+v", turn)
			}
		}
	})
}

func playText(t *testing.T, env *Env, text string) []byte {
	g := env.Begin(MaxTurns)
	for plan := range strings.SplitSeq(text, "\n\n") {
		if g.Done() {
			break
		}
		if _, err := g.Take(&Proposal{Plan: strings.Split(plan, "\n")}); err != nil {
			t.Fatal(err)
		}
	}
	out, err := json.Marshal(g.Row())
	if err != nil {
		t.Fatal(err)
	}
	return out
}
