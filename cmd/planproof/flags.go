package main

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/rltrain/dataset"
	"github.com/planproof/planproof/rltrain/rows"

	"github.com/urfave/cli/v2"
)

// sharedSpecs are the flags that several commands have, by the name after a + in command.spec.
// help/shared-NAME.txt says what they do.
var sharedSpecs = map[string]string{
	"limits":    `time,timeout memory=4GB`,
	"strict":    `strict:bool`,
	"reader":    `reader=natural`,
	"schedule":  `schedule`,
	"schedules": `schedule:strings`,
	"keep-old":  `keep-old:bool`,
	"style":     `style=nl`,
	"store":     `store=truth.db@PLANPROOF_TRUTH`,
	"status":    `status:strings id`,
	"cost":      `nodes:int64 workers:int`,
	"oracle":    `reward=valid list-rewards:bool task domain problem table-dir table-states:int64=2000000 table-time:duration=30s workers:int`,
	"model": `model:strings base-url@OPENAI_BASE_URL key-env=OPENAI_API_KEY transcript replay temperature:float top-p:float=1 max-tokens:int=2048
		concurrency:int=4 tries:int=6 request-time:duration=10m answer-time:duration=30m stream:bool price:strings`,
	"method": fmt.Sprintf(`guide=lmcut bound expansions:int=%v first:bool weight:float=0.5 distance=%v norm=%v confidence=%v beam:int=%v
		branches:int depth:int=%v exploration:float=%v seed:uint64=1`, treesearch.DefaultExpansions, treesearch.Jaccard, treesearch.Likelihood, treesearch.BothParts,
		treesearch.NewToT().Beam, treesearch.NewRAP().Depth, treesearch.NewRAP().Exploration),
	"export-format": fmt.Sprintf(`text:bool thoughts=none responses prm=executable mutants:int=%v pairs:int pairs-per-prompt:int
		drop-lowest:float keep-valid:bool inline-tasks:bool agent-name`, dataset.DefaultMutants),
}

// sharedFlags makes the flags of sharedSpecs.
func sharedFlags() map[string][]cli.Flag {
	out := map[string][]cli.Flag{}
	for name, spec := range sharedSpecs {
		_, usage := cmdline.ParseHelp(helpTexts.Text("shared-" + name))
		category := ""
		if name == "model" {
			category = name
		}
		flags, err := cmdline.Flags(spec, usage, category, nil)
		if err != nil {
			panic(fmt.Sprintf("help/shared-%s.txt: %v", name, err))
		}
		out[name] = flags
	}
	return out
}

// flagNames are the names of shared flags.
func flagNames(shared string) (names []string) {
	for _, f := range sharedFlags()[shared] {
		names = append(names, f.Names()[0])
	}
	return names
}

// reader reads --reader.
func (e env) reader() (kind extract.Kind, err error) {
	if kind, err = extract.ParseKind(e.String("reader")); err != nil {
		err = fmt.Errorf("--reader: %w", err)
	}
	return kind, err
}

// rows returns where rows of verdicts and scores go: readable lines, or as they are with --json.
func (e env) rows() io.Writer {
	if e.Bool("json") {
		return e.Stdout
	}
	return rows.Readable(e.Stdout)
}

// rowGarbage is the percentage for rows: docs/decisions/serving.md.
const rowGarbage = 200
