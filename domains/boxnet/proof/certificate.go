package proof

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/internal/rowjson"
)

// Certificate shows that a plan has the fewest steps.
type Certificate struct {
	Instance *boxnet.Instance
	Reading  boxnet.Reading
	Plan     boxnet.Plan
	// Refuted is one less than the steps of the plan if the lemmas show that there is no plan of
	// so many steps, and -1 where a lower bound shows that.
	Refuted int
	// Clashes are pairs of motions that collide, as the numbers of a robot and two of its points
	// and the same of another robot. The formula forbids each in every step.
	Clashes [][6]int32
	// Loaded are pairs of motions of BoxNet3D that collide if both robots carry an object.
	Loaded [][6]int32
	// Lemmas are clauses that follow from the formula and those before them; the last is empty.
	Lemmas []Lemma
}

// Lemma is a clause that follows, or one that is not needed any longer.
type Lemma struct {
	Lits []int32
	Gone bool
}

// Variables numbers the variables of the formula of a number of steps, from 1. Points and the
// reach of robots are numbered as [Check] says.
type Variables struct {
	Steps, Points, Objects int
	Reach                  []int // of each robot: the number of its points

	arms, each int
	before     []int
}

// NewVariables prepares the numbers.
func NewVariables(steps, points, objects int, reach []int) *Variables {
	v := &Variables{Steps: steps, Points: points, Objects: objects, Reach: reach}
	for _, n := range reach {
		v.before = append(v.before, v.arms)
		v.arms += n
	}
	v.each = v.arms + objects*points + objects*len(reach)
	return v
}

// Arm says that the tip of a robot is at its i-th point after t steps.
func (v *Variables) Arm(t, robot, i int) int32 { return int32(t*v.each + v.before[robot] + i + 1) }

// Object says that an object is at a point after t steps.
func (v *Variables) Object(t, object, point int) int32 {
	return int32(t*v.each + v.arms + object*v.Points + point + 1)
}

// Carry says that a robot carries an object in step t, from 1.
func (v *Variables) Carry(t, robot, object int) int32 {
	return int32(t*v.each + v.arms + v.Objects*v.Points + robot*v.Objects + object + 1)
}

// Count is the number of variables.
func (v *Variables) Count() int { return (v.Steps + 1) * v.each }

// header is the first line of a certificate.
type header struct {
	Format  string         `json:"certificate"`
	Reading boxnet.Reading `json:"reading"`
	Steps   int            `json:"optimal_steps"`
	Refuted int            `json:"refuted"`
}

const format = "boxnet 1"

// WriteTo writes the certificate: a line of JSON with the task and the plan, a line "x r i k s j l" for each
// clash, with "w" for "x" if both must carry, and the lemmas in the form of DRAT: numbers up to 0, after "d" if gone.
func (c *Certificate) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	head := rowjson.Append(nil, header{format, c.Reading, len(c.Plan), c.Refuted})
	task, err := rowjson.AppendValue(nil, c.Instance)
	if err != nil {
		return 0, err
	}
	b.Write(head[:len(head)-1])
	fmt.Fprintf(&b, ",%s,\"plan\":%s}\n", task[1:len(task)-1], rowjson.Append(nil, c.Plan))
	for kind, list := range [][][6]int32{c.Clashes, c.Loaded} {
		for _, x := range list {
			b.WriteByte("xw"[kind])
			for _, n := range x {
				b.Write(strconv.AppendInt([]byte{' '}, int64(n), 10))
			}
			b.WriteByte('\n')
		}
	}
	for _, l := range c.Lemmas {
		if l.Gone {
			b.WriteString("d ")
		}
		for _, n := range l.Lits {
			b.Write(append(strconv.AppendInt(nil, int64(n), 10), ' '))
		}
		b.WriteString("0\n")
	}
	return b.WriteTo(w)
}

// maxLine bounds a line of a certificate.
const maxLine = 16 << 20

// Read reads a certificate. Errors name the line.
func Read(r io.Reader) (*Certificate, error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	if !s.Scan() {
		return nil, fmt.Errorf("line 1: no certificate: %w", orEnd(s.Err()))
	}
	c, err := readHeader(bytes.Clone(s.Bytes()))
	if err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	for line := 2; s.Scan(); line++ {
		if err := c.readLine(s.Bytes()); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	return c, s.Err()
}

func orEnd(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

func readHeader(line []byte) (*Certificate, error) {
	var h struct {
		header
		Plan boxnet.Plan `json:"plan"`
	}
	if err := rowjson.Unmarshal(line, &h, false); err != nil {
		return nil, err
	}
	if h.Format != format {
		return nil, fmt.Errorf("not a certificate %q but %q", format, h.Format)
	}
	if _, err := boxnet.ParseReading(string(h.Reading)); err != nil {
		return nil, err
	}
	in, err := boxnet.ReadInstance(line, true)
	if err != nil {
		return nil, err
	}
	if err := in.CheckReading(h.Reading); err != nil {
		return nil, err
	}
	if h.Steps != len(h.Plan) {
		return nil, fmt.Errorf("the plan has %d steps, not %d", len(h.Plan), h.Steps)
	}
	return &Certificate{Instance: in, Reading: h.Reading, Plan: h.Plan, Refuted: h.Refuted}, nil
}

func (c *Certificate) readLine(line []byte) error {
	words := bytes.Fields(line)
	if len(words) == 0 {
		return nil
	}
	kind := string(words[0])
	if kind == "x" || kind == "w" || kind == "d" {
		words = words[1:]
	}
	numbers := make([]int32, len(words))
	for i, w := range words {
		n, err := strconv.ParseInt(string(w), 10, 32)
		if err != nil {
			return fmt.Errorf("%q is not a number", w)
		}
		numbers[i] = int32(n)
	}
	switch {
	case kind == "x" && len(numbers) == 6:
		c.Clashes = append(c.Clashes, [6]int32(numbers))
	case kind == "w" && len(numbers) == 6:
		c.Loaded = append(c.Loaded, [6]int32(numbers))
	case kind != "x" && kind != "w" && len(numbers) > 0 && numbers[len(numbers)-1] == 0:
		c.Lemmas = append(c.Lemmas, Lemma{numbers[:len(numbers)-1], kind == "d"})
	default:
		return fmt.Errorf("neither a clash of six numbers nor a clause that ends with 0")
	}
	return nil
}
