package travel

import (
	"encoding/json"

	"github.com/planproof/planproof/internal/rowjson"
)

// A Row is a line of a batch: a query, its plan, and the tables that it is judged by.
type Row struct {
	// Name is the JSON of the member "case", else of "idx" or "id"; nil for none.
	Name   json.RawMessage
	Number int // of the row in its input, from 1; set by the functions that answer rows
	Query  *Query
	Plan   *Plan
	World  *World
}

type rowJSON struct {
	Case      json.RawMessage `json:"case"`
	Index     json.RawMessage `json:"idx"`
	ID        json.RawMessage `json:"id"`
	Query     json.RawMessage `json:"query"`
	Plan      json.RawMessage `json:"plan"`
	Reference json.RawMessage `json:"reference"`
	World     json.RawMessage `json:"world"`
	Response  json.RawMessage `json:"response"`
}

// ParseRow reads a row. The query is the object "query" or, where that is a text, the row itself. The plan is "plan"
// or, without that member, the list of days in the text "response". The tables are those under "reference" or "world" (as [ReadWorld] reads them) or, without these members, those of world. The row is returned with an error too, for its name.
func ParseRow(line []byte, world *World) (*Row, error) {
	var in rowJSON
	err := rowjson.Unmarshal(line, &in, false)
	r := &Row{Name: in.Case, World: world}
	for _, name := range []json.RawMessage{in.Index, in.ID} {
		if r.Name == nil {
			r.Name = name
		}
	}
	r.Name = rowjson.Echo(r.Name)
	if err != nil {
		return r, err
	}
	if text := in.Query; rowjson.Present(text) && text[0] == '{' {
		r.Query, err = ReadQuery(text)
		err = rowjson.Within("query", err)
	} else {
		r.Query, err = ReadQuery(line)
	}
	if err != nil {
		return r, err
	}
	if rowjson.Present(in.Reference) {
		if r.World, err = ReadReference(in.Reference, r.Query); err != nil {
			return r, rowjson.Within("reference", err)
		}
	}
	if rowjson.Present(in.World) {
		if r.World, err = ReadWorld("world", in.World); err != nil {
			return r, rowjson.At(rowjson.CodeValue, "world", err)
		}
	}
	if r.World == nil {
		return r, rowjson.Errorf(rowjson.CodeMissing, "", "the row has no tables (reference), and there is no world")
	}
	if in.Plan == nil {
		in.Plan = in.Response
	}
	r.Plan = ReadPlan(in.Plan)
	return r, nil
}
