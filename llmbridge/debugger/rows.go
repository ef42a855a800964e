package debugger

import (
	"encoding/json"

	"github.com/planproof/planproof/rltrain/oracle"
)

// scoreRows scores the rows of a request with the bytes of the reward oracle's /v1/score (docs/ORACLE.md), in the browser
// too. Rows name bundled tasks or contain their texts; they name no files.
func (c *call) scoreRows(body []byte) (any, error) {
	o, err := oracle.New(oracle.Options{
		Files: oracle.NoFiles(), Workers: 1,
		Limits: oracle.Limits{CacheBytes: c.opt.Memory, TableBytes: c.opt.Memory, TableCacheBytes: c.opt.Memory, TableTime: c.left()},
	})
	if err != nil {
		return nil, err
	}
	reply, fault := o.Call(c.ctx, oracle.OpScore, body)
	switch {
	case fault == nil:
		return json.RawMessage(reply.Body), nil
	case fault.Code == oracle.FaultTooLarge:
		return nil, problem(TooLarge, "%s", fault.Message)
	case fault.Code == oracle.FaultInternal:
		return nil, problem(Internal, "%s", fault.Message)
	}
	return nil, problem(BadInput, "%s", fault.Message)
}
