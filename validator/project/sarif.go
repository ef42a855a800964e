package project

import (
	"io"
	"net/url"
	"slices"

	"github.com/planproof/planproof/internal/rowjson"
)

// The parts of SARIF 2.1.0 (OASIS, section 3) that a code host reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"semanticVersion"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

// WriteSARIF writes the findings of rows as one SARIF 2.1.0 log, by a tool of the given
// version. File names that are relative stay so: a code host takes them from the checkout's root.
func WriteSARIF(w io.Writer, version string, rows []*Row) error {
	var rules []string
	for _, r := range rows {
		for _, f := range r.Findings {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	rules = slices.Compact(rules)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "planproof", Version: version, Rules: []sarifRule{}}
	for _, id := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: id})
	}
	for _, r := range rows {
		for _, f := range r.Findings {
			index, _ := slices.BinarySearch(rules, f.Rule)
			text := f.Message
			if f.Hint != "" {
				text += " (" + f.Hint + ")"
			}
			run.Results = append(run.Results, sarifResult{
				RuleID: f.Rule, RuleIndex: index, Level: f.Level, Message: sarifMessage{text},
				Locations: []sarifLocation{{sarifPhysical{
					Artifact: sarifArtifact{(&url.URL{Path: r.File}).String()},
					Region:   sarifRegion{f.Line, f.Column, f.EndLine, f.EndColumn},
				}}},
			})
		}
	}
	return rowjson.WriteLine(w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}
