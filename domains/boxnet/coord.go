package boxnet

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Coord is a coordinate in units of 10^-12.
type Coord int64

const (
	// One is the side of a cell, and how far an arm reaches in x and in y (not included).
	One Coord = 1_000_000_000_000
	// maxCoord bounds coordinates, so that differences of them fit into 64 bits.
	maxCoord = 1_000_000 * One
	decimals = 12
)

// Errors of parseCoord.
var (
	errNumber   = errors.New("not a number")
	errDecimals = errors.New("a number with more than 12 decimals")
	errHuge     = errors.New("a number beyond a million")
)

// parseCoord reads a number as JSON writes it. A number beyond a million gives errHuge and the
// nearest coordinate of its sign that is allowed: an arm that is sent there is out of its reach
// whatever the exact place.
func parseCoord(s string) (Coord, error) {
	digits, negative := strings.CutPrefix(s, "-")
	mantissa, exponent, err := splitExponent(digits)
	if err != nil {
		return 0, err
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	if !isDigits(whole) || point && !isDigits(fraction) || len(whole) > 1 && whole[0] == '0' {
		return 0, errNumber
	}
	all := strings.TrimLeft(whole+fraction, "0")
	scale := exponent - len(fraction) // the value is all * 10^scale
	for strings.HasSuffix(all, "0") {
		all, scale = all[:len(all)-1], scale+1
	}
	switch {
	case all == "":
		return 0, nil
	case len(all)+scale > 7:
		return withSign(maxCoord, negative), errHuge
	case scale < -decimals:
		return 0, errDecimals
	}
	n, err := strconv.ParseInt(all+strings.Repeat("0", scale+decimals), 10, 64)
	if err != nil || Coord(n) > maxCoord {
		return withSign(maxCoord, negative), errHuge
	}
	return withSign(Coord(n), negative), nil
}

// splitExponent cuts off the exponent of a number. Those that no mantissa of a line could
// make up for are cut to size.
func splitExponent(s string) (mantissa string, exponent int, err error) {
	at := strings.IndexAny(s, "eE")
	if at < 0 {
		return s, 0, nil
	}
	digits := strings.TrimPrefix(s[at+1:], "+")
	if digits, _ := strings.CutPrefix(digits, "-"); !isDigits(digits) || strings.HasPrefix(s[at+1:], "+-") {
		return "", 0, errNumber
	}
	exponent, err = strconv.Atoi(digits)
	if err != nil || exponent > math.MaxInt32 || exponent < math.MinInt32 {
		exponent = math.MaxInt32
		if digits[0] == '-' {
			exponent = math.MinInt32
		}
	}
	return s[:at], exponent, nil
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func withSign(c Coord, negative bool) Coord {
	if negative {
		return -c
	}
	return c
}

// String writes the coordinate as the prompts of the paper do: with at least one decimal.
func (c Coord) String() string { return string(c.append(nil)) }

func (c Coord) append(b []byte) []byte {
	if c < 0 {
		b, c = append(b, '-'), -c
	}
	b = strconv.AppendInt(b, int64(c/One), 10)
	fraction := strconv.FormatInt(int64(One+c%One), 10)[1:]
	fraction = strings.TrimRight(fraction, "0")
	if fraction == "" {
		fraction = "0"
	}
	return append(append(b, '.'), fraction...)
}

// Point is a place in the plane.
type Point struct{ X, Y Coord }

// String is "[0.75, 1.25]".
func (p Point) String() string { return string(p.append(nil)) }

func (p Point) append(b []byte) []byte {
	b = p.X.append(append(b, '['))
	b = p.Y.append(append(b, ", "...))
	return append(b, ']')
}

// MarshalJSON writes the point as a list of two numbers.
func (p Point) MarshalJSON() ([]byte, error) { return p.append(nil), nil }

// MarshalJSON writes the coordinate as a number.
func (c Coord) MarshalJSON() ([]byte, error) { return c.append(nil), nil }
