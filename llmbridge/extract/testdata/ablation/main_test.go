package extract

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"runtime/debug"
	"testing"
)

// Of the generated answers every eighth is read, and no more than mostAsked for a condition.
const (
	generatedShare = 8
	mostAsked      = 5000
)

// TestMain runs the tests, and then reads again, with each site off in turn, what asks it.
func TestMain(m *testing.M) {
	if code := m.Run(); code != 0 {
		os.Exit(code)
	}
	text, err := os.ReadFile(os.Getenv("ABLATION_IN"))
	if err != nil {
		panic(err)
	}
	var sites []site
	if err := json.Unmarshal(text, &sites); err != nil {
		panic(err)
	}
	ablationRecording = false
	debug.SetGCPercent(400)
	ablationTry(sites, ablationThin(ablationRecords), os.Getenv("PLANPROOF_ABLATION"))
	if text, err = json.Marshal(sites); err != nil {
		panic(err)
	}
	if err := os.WriteFile(os.Getenv("ABLATION_OUT"), text, 0o666); err != nil {
		panic(err)
	}
}

// ablationThin returns the answers to be read in an order drawn at random, the generated ones last.
func ablationThin(all []ablationRecord) []ablationRecord {
	rand.New(rand.NewSource(1)).Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	var first, last []ablationRecord
	seen, read := 0, map[string]int{}
	for _, a := range all {
		group := ablationGroup(a.from)
		switch {
		case group != "generated":
			first = append(first, a)
		case seen%generatedShare == 0:
			last = append(last, a)
			fallthrough
		default:
			seen++
		}
		read[group]++
	}
	fmt.Fprintln(os.Stderr, "answers:", read, "generated and read:", len(last))
	return append(first, last...)
}

// ablationTry reads the answers again with each site off in turn that they ask. The mode is "" for rules, "conditions",
// or "asked" for none.
func ablationTry(sites []site, all []ablationRecord, mode string) {
	asked := make([][]int32, len(sites)+1) // by site: the records whose reading asks it
	for i := range all {
		clear(ablationSaid[:])
		all[i].want = all[i].read()
		for id := range asked {
			if ablationSaid[id] {
				asked[id] = append(asked[id], int32(i))
			}
		}
	}
	for i := range sites {
		s := &sites[i]
		s.Asked, s.Moved = len(asked[s.ID]), map[string]int{}
		if mode == "asked" || s.Rule == (mode == "conditions") {
			continue
		}
		ablationActive = s.ID
		if !s.Rule {
			asked[s.ID] = asked[s.ID][:min(len(asked[s.ID]), mostAsked)]
		}
		for _, k := range asked[s.ID] {
			if all[k].read() != all[k].want {
				if s.Moved[ablationGroup(all[k].from)]++; !s.Rule {
					break
				}
			}
		}
	}
}

// ablationGroup says what kind of answers a test reads.
func ablationGroup(test string) string {
	switch test {
	case "TestCorpusPlanbench":
		return "PlanBench"
	case "TestCorpusAnswers", "TestOwnAnswers", "TestDenials", "TestRules", "TestExtractGolden":
		return "written"
	case "TestMutants", "TestDecoratedAnswers", "TestDecoratedSteps", "TestEndsAnywhere", "TestAttack", "TestAttackValid", "TestAnyFormatRoundTrip":
		return "generated"
	}
	return "other"
}
