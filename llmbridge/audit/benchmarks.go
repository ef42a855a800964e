package audit

import "context"

// Run audits a checkout. done gets the number of answers graded since its last call, from any goroutine.
type Run func(ctx context.Context, checkout string, done func(int)) (*Report, error)
