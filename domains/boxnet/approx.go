package boxnet

import "math"

// approx is a number that is known up to an error: the number differs from v by at most e. The operations bound the
// rounding of their result too, so what positive and negative report is certain.
//
// A rounded operation is off by at most half a unit in the last place, v * 2^-53. Bounds are sums of a few
// products of numbers that are not negative, whose own rounding grown makes up for: at most 7 operations, each
// by a factor of 1 - 2^-53 at worst. Nothing underflows: see scale.
type approx struct{ v, e float64 }

const (
	halfUnit = 1.0 / (1 << 53)
	grown    = 1 + 1.0/(1<<50)
)

func (a approx) neg() approx { return approx{-a.v, a.e} }

func (a approx) plus(b approx) approx {
	v := a.v + b.v
	return approx{v, (a.e + b.e + math.Abs(v)*halfUnit) * grown}
}

func (a approx) minus(b approx) approx { return a.plus(b.neg()) }

func (a approx) times(b approx) approx {
	v := a.v * b.v
	return approx{v, (math.Abs(a.v)*b.e + math.Abs(b.v)*a.e + a.e*b.e + math.Abs(v)*halfUnit) * grown}
}

// root of a number that is positive for certain, or zero.
func (a approx) root() approx {
	if a.v == 0 {
		return a
	}
	v := math.Sqrt(a.v)
	return approx{v, (a.e/v + v*halfUnit) * grown}
}

func (a approx) positive() bool { return a.v > a.e }
func (a approx) negative() bool { return -a.v > a.e }

// differs reports that a number is not zero, for certain.
func (a approx) differs() bool { return math.Abs(a.v) > a.e }

// answer is what floats can say.
type answer int8

const (
	no answer = iota
	unsure
	yes
)

// all is yes if every number is above 0 for certain, no if one is below 0 for certain.
func all(list ...approx) answer {
	got := yes
	for _, a := range list {
		switch {
		case a.negative():
			return no
		case !a.positive():
			got = unsure
		}
	}
	return got
}

// arrow is a place or a way, in units that scale chooses.
type arrow struct{ x, y approx }

// scale turns differences of coordinates into floats: the power of two next to One.
const scale = 1.0 / (1 << 40)

// scaled is the way between two points, without error; ok is false if it is too long for that.
func scaled(from, to Point) (w arrow, ok bool) {
	const long = 1 << 43
	x, y := to.X-from.X, to.Y-from.Y
	if max(x, -x) > long || max(y, -y) > long {
		return w, false
	}
	return arrow{approx{v: float64(x) * scale}, approx{v: float64(y) * scale}}, true
}

func (a arrow) cross(b arrow) approx { return a.x.times(b.y).minus(a.y.times(b.x)) }
func (a arrow) dot(b arrow) approx   { return a.x.times(b.x).plus(a.y.times(b.y)) }

func (a arrow) times(n approx) arrow { return arrow{a.x.times(n), a.y.times(n)} }
func (a arrow) plus(b arrow) arrow   { return arrow{a.x.plus(b.x), a.y.plus(b.y)} }
func (a arrow) minus(b arrow) arrow  { return arrow{a.x.minus(b.x), a.y.minus(b.y)} }
func (a arrow) back() arrow          { return arrow{a.x.neg(), a.y.neg()} }
