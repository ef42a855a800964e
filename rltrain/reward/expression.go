package reward

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/spell"
)

// Limits of an expression.
const (
	maxExprBytes = 4096
	maxExprDepth = 64
)

// exprError is a fault at an offset of an expression.
type exprError struct {
	at   int
	hint string
	text string
}

// expr is an arithmetic expression over named numbers, in Go's syntax: + - * /, the
// comparisons (1 or 0), parentheses, and the functions min, max (of two or more),
// abs, clamp(x, low, high) and choose(condition, then, else). It is read by the parser of
// Go's standard library.
//
// It is evaluated in float64 from left to right, each operation rounded once, so the
// result is the same everywhere. Nothing can be undefined: a division is allowed only
// where the bounds of the names show that the divisor cannot be 0, and an expression
// has bounds of its own.
type expr struct {
	names []string // of the variables, sorted
	code  []instr
	depth int // of the stack
}

type instr struct {
	op  exprOp
	arg int     // variable of opLoad
	num float64 // of opPush
}

type exprOp uint8

const (
	opPush exprOp = iota
	opLoad
	opNeg
	opAdd
	opSub
	opMul
	opDiv
	opMin
	opMax
	opAbs
	opChoose
	opLess
	opLessEqual
	opEqual
	opNotEqual
)

// parseExpr reads an expression over the known names; a name may have one dot.
func parseExpr(text string, known func(name string) bool, all []string) (*expr, []exprError) {
	if len(text) > maxExprBytes {
		return nil, []exprError{{0, "", fmt.Sprintf("an expression of %d bytes: at most %d are read", len(text), maxExprBytes)}}
	}
	// The parser's positions are columns of one line.
	line := strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	root, err := parser.ParseExpr(line)
	if err != nil {
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			return nil, []exprError{{min(max(list[0].Pos.Offset, 0), len(text)), "", "not an expression: " + list[0].Msg}}
		}
		return nil, []exprError{{0, "", "not an expression: " + err.Error()}}
	}
	c := &exprCompiler{known: known, all: all, index: map[string]int{}}
	c.expr(root, 0)
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	return &c.out, nil
}

type exprCompiler struct {
	known  func(string) bool
	all    []string
	index  map[string]int
	out    expr
	stack  int
	faults []exprError
}

func (c *exprCompiler) fault(n ast.Node, hint, format string, args ...any) {
	c.faults = append(c.faults, exprError{int(n.Pos()) - 1, hint, fmt.Sprintf(format, args...)})
}

// emit appends an instruction that takes n values off the stack and puts one on it.
func (c *exprCompiler) emit(i instr, n int) {
	c.out.code = append(c.out.code, i)
	c.stack += 1 - n
	c.out.depth = max(c.out.depth, c.stack)
}

func (c *exprCompiler) expr(n ast.Expr, depth int) {
	if depth > maxExprDepth {
		c.fault(n, "", "an expression of more than %d levels", maxExprDepth)
		return
	}
	switch n := n.(type) {
	case *ast.ParenExpr:
		c.expr(n.X, depth+1)
	case *ast.BasicLit:
		c.number(n)
	case *ast.Ident:
		c.name(n, n.Name)
	case *ast.SelectorExpr:
		if part, ok := n.X.(*ast.Ident); ok {
			c.name(n, part.Name+"."+n.Sel.Name)
			return
		}
		if part, ok := n.X.(*ast.SelectorExpr); ok {
			if first, ok := part.X.(*ast.Ident); ok {
				c.name(n, first.Name+"."+part.Sel.Name+"."+n.Sel.Name)
				return
			}
		}
		c.fault(n, "", "no name of a component")
	case *ast.UnaryExpr:
		c.expr(n.X, depth+1)
		switch n.Op {
		case token.SUB:
			c.emit(instr{op: opNeg}, 1)
		case token.ADD:
		default:
			c.fault(n, exprHelp, "operator %s", n.Op)
		}
	case *ast.BinaryExpr:
		c.binary(n, depth)
	case *ast.CallExpr:
		c.call(n, depth)
	default:
		c.fault(n, exprHelp, "not arithmetic")
	}
}

const exprHelp = "there are + - * / < <= > >= == != min max abs clamp choose, numbers and components"

func (c *exprCompiler) number(n *ast.BasicLit) {
	x, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != token.INT && n.Kind != token.FLOAT || err != nil || strings.ContainsAny(n.Value, "xX_oObBpP") || len(n.Value) > 1 && n.Value[0] == '0' && n.Value[1] != '.' {
		c.fault(n, "write a decimal number", "%s is no number", spell.Clip(n.Value, 40))
		return
	}
	if x > tooLarge {
		c.fault(n, "", "%s is too large", spell.Clip(n.Value, 40))
		return
	}
	c.emit(instr{op: opPush, num: x}, 0)
}

func (c *exprCompiler) name(n ast.Node, name string) {
	if !c.known(name) {
		hint := "there are " + strings.Join(c.all, ", ")
		if best := spell.Nearest(name, c.all); best != "" {
			hint = fmt.Sprintf("did you mean %q?", best)
		}
		c.fault(n, spell.Clip(hint, 400), "no component %s", spell.Clip(name, 60))
		return
	}
	i, ok := c.index[name]
	if !ok {
		i = len(c.out.names)
		c.index[name] = i
		c.out.names = append(c.out.names, name)
	}
	c.emit(instr{op: opLoad, arg: i}, 0)
}

func (c *exprCompiler) binary(n *ast.BinaryExpr, depth int) {
	x, y := n.X, n.Y
	op, ok := map[token.Token]exprOp{
		token.ADD: opAdd, token.SUB: opSub, token.MUL: opMul, token.QUO: opDiv,
		token.LSS: opLess, token.LEQ: opLessEqual, token.GTR: opLess, token.GEQ: opLessEqual, token.EQL: opEqual, token.NEQ: opNotEqual,
	}[n.Op]
	if !ok {
		c.fault(n, exprHelp, "operator %s", n.Op)
		return
	}
	if n.Op == token.GTR || n.Op == token.GEQ {
		x, y = y, x
	}
	c.expr(x, depth+1)
	c.expr(y, depth+1)
	c.emit(instr{op: op}, 2)
}

func (c *exprCompiler) call(n *ast.CallExpr, depth int) {
	fun, ok := n.Fun.(*ast.Ident)
	if !ok || n.Ellipsis.IsValid() {
		c.fault(n, exprHelp, "no function")
		return
	}
	least, most := 0, 0
	switch fun.Name {
	case "min", "max":
		least, most = 2, 16
	case "abs":
		least, most = 1, 1
	case "clamp", "choose":
		least, most = 3, 3
	default:
		c.fault(n, exprHelp, "no function %s", spell.Clip(fun.Name, 40))
		return
	}
	if len(n.Args) < least || len(n.Args) > most {
		c.fault(n, "", "%s with %d arguments", fun.Name, len(n.Args))
		return
	}
	c.expr(n.Args[0], depth+1)
	switch fun.Name {
	case "abs":
		c.emit(instr{op: opAbs}, 1)
	case "min", "max":
		op := opMin
		if fun.Name == "max" {
			op = opMax
		}
		for _, a := range n.Args[1:] {
			c.expr(a, depth+1)
			c.emit(instr{op: op}, 2)
		}
	case "clamp":
		c.expr(n.Args[1], depth+1)
		c.emit(instr{op: opMax}, 2)
		c.expr(n.Args[2], depth+1)
		c.emit(instr{op: opMin}, 2)
	case "choose":
		c.expr(n.Args[1], depth+1)
		c.expr(n.Args[2], depth+1)
		c.emit(instr{op: opChoose}, 3)
	}
}

// eval computes the value for the variables, in the order of names. The stack must hold
// depth values.
func (x *expr) eval(vars, stack []float64) float64 {
	n := 0
	for _, i := range x.code {
		switch i.op {
		case opPush:
			stack[n] = i.num
			n++
			continue
		case opLoad:
			stack[n] = vars[i.arg]
			n++
			continue
		case opNeg:
			stack[n-1] = -stack[n-1]
			continue
		case opAbs:
			stack[n-1] = math.Abs(stack[n-1])
			continue
		case opChoose:
			n -= 2
			if stack[n-1] != 0 {
				stack[n-1] = stack[n]
			} else {
				stack[n-1] = stack[n+1]
			}
			continue
		}
		n--
		a, b := stack[n-1], stack[n]
		switch i.op {
		case opAdd:
			a += b
		case opSub:
			a -= b
		case opMul:
			a *= b
		case opDiv:
			a /= b
		case opMin:
			a = min(a, b)
		case opMax:
			a = max(a, b)
		case opLess:
			a = boolFloat(a < b)
		case opLessEqual:
			a = boolFloat(a <= b)
		case opEqual:
			a = boolFloat(a == b)
		case opNotEqual:
			a = boolFloat(a != b)
		}
		stack[n-1] = a
	}
	return stack[0]
}

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
			return interval{}, fmt.Errorf("the divisor may be 0 (it is from %g to %g)", b.lo, b.hi)
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

// tooLarge bounds intermediate results, far from where float64 overflows.
const tooLarge = 1e300

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
