package pddl

import "context"

// pace ends reading when a context does. The readers then see the end of the text at once, as in
// a file that is cut off, and what they have made and reported by then is thrown away.
type pace struct {
	ctx  context.Context // nil: never
	left int             // work until the next look at ctx
	err  error           // of ctx, once it has ended
}

// portion is the work between two looks at a context: some thousand tokens, well below a millisecond.
const portion = 1 << 12

// stop counts a piece of work, a token or a parenthesis, and reports whether reading is to end.
func (p *pace) stop() bool {
	p.left--
	return p.left < 0 && p.look()
}

func (p *pace) look() bool {
	if p.err == nil && p.ctx != nil {
		p.err = p.ctx.Err()
	}
	if p.err != nil {
		return true
	}
	p.left = portion
	return false
}

// ParseDomainContext is [ParseDomain] that ends soon after ctx does. The error is that of ctx; then
// there are neither a domain nor diagnostics.
func ParseDomainContext(ctx context.Context, src *Source, opt Options) (*Domain, Diagnostics, error) {
	c := &collector{src: src, strict: opt.Strict, pace: pace{ctx: ctx}}
	d, diags := parseDomain(c)
	if c.err != nil {
		return nil, nil, c.err
	}
	return d, diags, nil
}

// ParseProblemContext is [ParseProblem] that ends soon after ctx does. The error is that of ctx; then
// there are neither a problem nor diagnostics.
func ParseProblemContext(ctx context.Context, src *Source, dom *Domain, opt Options) (*Problem, Diagnostics, error) {
	c := &collector{src: src, strict: opt.Strict, pace: pace{ctx: ctx}}
	p, diags := parseProblem(c, dom)
	if c.err != nil {
		return nil, nil, c.err
	}
	return p, diags, nil
}
