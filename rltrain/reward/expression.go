package reward

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"math"
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

// tooLarge bounds intermediate results, far from where float64 overflows.
const tooLarge = 1e300
