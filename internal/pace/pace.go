// Package pace ends work in many small pieces when a context does: counting a piece costs a nanosecond, and only
// every few thousandth looks at the context.
package pace

import "context"

// portion is the work between two looks: some thousand tokens or formulas, well below a millisecond.
const portion = 1 << 12

// Pace counts the pieces of some work. The zero value never ends it.
type Pace struct {
	ctx  context.Context // nil: never
	left int             // pieces until the next look
	err  error           // of ctx, once that has ended
}

// Of ends the work when ctx ends.
func Of(ctx context.Context) Pace { return Pace{ctx: ctx} }

// Stop counts a piece and reports whether the work is to end; then it does so from now on.
func (p *Pace) Stop() bool {
	p.left--
	return p.left < 0 && p.look()
}

func (p *Pace) look() bool {
	if p.err == nil && p.ctx != nil {
		p.err = p.ctx.Err()
	}
	if p.err != nil {
		return true
	}
	p.left = portion
	return false
}

// Err is the error of the context if it has ended the work; what that has made is incomplete then.
func (p *Pace) Err() error { return p.err }
