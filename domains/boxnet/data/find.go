package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/internal/rowjson"
)

// Find returns the task of the row with an id, or of the first row if id is "".
func Find(in io.Reader, id string) (*boxnet.Instance, error) {
	var found *boxnet.Instance
	var faults rowjson.Faults
	err := rowjson.EachLine(in, "rows", MaxRow, &faults, func(_ int, line []byte) error {
		if found != nil || id != "" && !hasID(line, id) {
			return nil
		}
		task, err := boxnet.ReadInstance(line, true)
		found = task
		return err
	})
	switch {
	case err != nil || faults.Err() != nil:
		return nil, errors.Join(err, faults.Err())
	case found == nil && id == "":
		return nil, errors.New("there is no row")
	case found == nil:
		return nil, fmt.Errorf("there is no row with the id %q", id)
	}
	return found, nil
}

func hasID(line []byte, id string) (same bool) {
	_ = rowjson.EachMember(line, func(name string, value []byte) error {
		same = same || name == "id" && string(bytes.Trim(value, `"`)) == id
		return nil
	})
	return same
}
