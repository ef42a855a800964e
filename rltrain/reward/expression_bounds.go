package reward

import (
	"errors"
	"fmt"
	"sort"
)

// bounds computes bounds of the value from those of the variables. It reports
// why there are none: a divisor that may be 0, or numbers that may overflow. All
// numbers inside are finite then.
func (x *expr) bounds(of func(name string) interval) (interval, error) {
	stack := make([]interval, 0, x.depth)
	for _, i := range x.code {
		switch i.op {
		case opPush:
			stack = append(stack, interval{i.num, i.num})
		case opLoad:
			stack = append(stack, of(x.names[i.arg]))
		case opNeg, opAbs:
			top := &stack[len(stack)-1]
			if negated := (interval{-top.hi, -top.lo}); i.op == opNeg {
				*top = negated
			} else if top.lo < 0 && top.hi > 0 {
				*top = interval{0, max(negated.hi, top.hi)}
			} else if top.hi <= 0 {
				*top = negated
			}
		case opChoose:
			n := len(stack) - 2
			c, a, b := stack[n-1], stack[n], stack[n+1]
			r := interval{min(a.lo, b.lo), max(a.hi, b.hi)}
			switch {
			case c.lo > 0 || c.hi < 0:
				r = a
			case c == zero:
				r = b
			}
			stack[n-1] = r
			stack = stack[:n]
		default:
			n := len(stack) - 1
			r, err := bounds2(i.op, stack[n-1], stack[n])
			if err != nil {
				return interval{}, err
			}
			stack[n-1] = r
			stack = stack[:n]
		}
	}
	return stack[0], nil
}

// bounds2 are the bounds of an operation with two operands. Rounding is monotone, so
// they hold for rounded values too.
func bounds2(op exprOp, a, b interval) (interval, error) {
	switch op {
	case opAdd:
		return checked(interval{a.lo + b.lo, a.hi + b.hi})
	case opSub:
		return checked(interval{a.lo - b.hi, a.hi - b.lo})
	case opDiv:
		if b.lo <= 0 && b.hi >= 0 {
			return interval{}, fmt.Errorf("the divisor may be 0: it is %s", b)
		}
		return checked(hull(func(x, y float64) float64 { return x / y }, a, b))
	case opMul:
		return checked(hull(func(x, y float64) float64 { return x * y }, a, b))
	case opMin:
		return interval{min(a.lo, b.lo), min(a.hi, b.hi)}, nil
	case opMax:
		return interval{max(a.lo, b.lo), max(a.hi, b.hi)}, nil
	}
	// A comparison: decided when the ranges do not meet.
	var always, never bool
	switch op {
	case opLess:
		always, never = a.hi < b.lo, a.lo >= b.hi
	case opLessEqual:
		always, never = a.hi <= b.lo, a.lo > b.hi
	default:
		apart := a.hi < b.lo || b.hi < a.lo
		same := a.lo == a.hi && a == b
		always, never = same, apart
		if op == opNotEqual {
			always, never = never, always
		}
	}
	switch {
	case always:
		return interval{1, 1}, nil
	case never:
		return zero, nil
	}
	return unit, nil
}

func checked(i interval) (interval, error) {
	if i.lo < -tooLarge || i.hi > tooLarge {
		return interval{}, errors.New("a number in it may become too large")
	}
	return i, nil
}

// hull is the least interval that holds f of all corners.
func hull(f func(x, y float64) float64, a, b interval) interval {
	corners := []float64{f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)}
	sort.Float64s(corners)
	return interval{corners[0], corners[3]}
}
