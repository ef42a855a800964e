package dataset

import "strings"

// optionFormats says to which formats, by the beginnings of their names, an option of
// [TrainerOptions] means something.
var optionFormats = map[string][]string{
	"text":             {"trl-grpo", "trl-sft", "trl-dpo", "trl-ca-dpo", "trl-kto"},
	"thoughts":         {"trl-sft", "verl-sft"},
	"prm":              {"trl-prm"},
	"responses":        {"trl-dpo", "trl-ca-dpo", "trl-kto", "trl-prm"},
	"mutants":          {"trl-dpo", "trl-ca-dpo", "trl-kto", "trl-prm"},
	"pairs":            {"trl-dpo", "trl-ca-dpo"},
	"pairs-per-prompt": {"trl-dpo", "trl-ca-dpo"},
	"drop-lowest":      {"trl-dpo", "trl-ca-dpo"},
	"keep-valid":       {"trl-ca-dpo"},
	"inline-tasks":     {"verl", "trl-grpo"},
	"agent-name":       {"verl"},
}

// FormatsWith returns nil if an option means something to one of the formats, and otherwise the
// beginnings of the names of formats that it is for. Options are named as the flags of planproof
// export.
func FormatsWith(option string, formats []Format) []string {
	for _, f := range formats {
		for _, p := range optionFormats[option] {
			if strings.HasPrefix(f.Name, p) {
				return nil
			}
		}
	}
	return optionFormats[option]
}
