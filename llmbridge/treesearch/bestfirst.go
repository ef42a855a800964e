package treesearch

import "context"

// BestFirst is the baseline with one tree: the open leaf with the greatest R_conf is
// expanded, as CATS with w = 1 and no backward tree would. With ByBound it is A*.
type BestFirst struct {
	// First ends the search at the first plan instead of at a proof.
	First bool
}

// NewBestFirst returns the method that goes on to a proof.
func NewBestFirst() *BestFirst { return &BestFirst{} }

// Name implements Method.
func (*BestFirst) Name() string { return "best-first" }

// Check implements Method: there is nothing to check.
func (*BestFirst) Check() error { return nil }

// Search implements Method.
func (b *BestFirst) Search(ctx context.Context, s *Space, g Guide, opt Options) (*Result, error) {
	r := &run{
		ctx: ctx, space: s, guide: g.until(ctx), opt: opt, first: b.First,
		rewards: Rewards{Weight: 1, Distance: Jaccard, Norm: Likelihood},
		counted: counted{Result: Result{Method: b.Name()}}, best: Unlimited,
		forward: newTree(s, Forward, false),
	}
	return r.search()
}
