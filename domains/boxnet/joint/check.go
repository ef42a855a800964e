package joint

import (
	"context"
	"io"

	"github.com/planproof/planproof/domains/boxnet"
)

// CheckBatch answers rows of steps, plans and instances as [boxnet.CheckBatch] says. opt limits the
// search for the optimum of each instance.
func CheckBatch(ctx context.Context, in io.Reader, out io.Writer, batch boxnet.BatchOptions, opt Options) (boxnet.BatchStats, error) {
	batch.Optimum = func(ctx context.Context, in *boxnet.Instance, reading boxnet.Reading) (boxnet.Optimum, error) {
		own := opt
		own.Reading = reading
		res, err := Solve(ctx, in, own)
		if err != nil {
			return boxnet.Optimum{}, err
		}
		return res.Optimum(), nil
	}
	return boxnet.CheckBatch(ctx, in, out, batch)
}
