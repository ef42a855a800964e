package model

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/planproof/planproof/internal/rowjson"
)

// requestKey returns the content hash of a request to a model. Equal requests have the same key in every
// run. kind is "generate" or "score".
func requestKey(model, kind string, request any) string {
	data, err := rowjson.Escaped(struct {
		Version int    `json:"v"`
		Model   string `json:"model"`
		Kind    string `json:"kind"`
		Request any    `json:"request"`
	}{1, model, kind, request})
	if err != nil {
		panic("model: a request that cannot be encoded: " + err.Error()) // only NaN does that
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

func inputKey(in *Input) string { return requestKey("", "input", in) }
