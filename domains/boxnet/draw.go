package boxnet

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/chart"
)

// Sizes of a drawing, in pixels.
const (
	cellSize = 96.0
	margin   = 24.0
)

// colors of objects, in turn; each target has the color of its object.
var colors = []string{"#c53030", "#2b6cb0", "#2f855a", "#b7791f", "#6b46c1", "#0987a0"}

// canvas places points: y grows upwards, as in the tasks.
type canvas struct {
	in    *Instance
	d     *chart.Drawing
	side  float64
	times []float64 // when each state is reached, from 0 to 1; nil for a still picture
	total float64   // seconds
}

func (c *canvas) x(p Point) float64 { return margin + cellSize*float64(p.X)/c.side }
func (c *canvas) y(p Point) float64 {
	return margin + cellSize*(float64(c.in.Height)-float64(p.Y)/c.side)
}

// Draw draws the state before the first step: cells, bases, arms, objects (squares) and their
// targets (circles of the same color).
func (in *Instance) Draw(w io.Writer) error {
	c := &canvas{in: in, side: float64(in.Side())}
	c.scene([]*State{NewJudge(in, Default).Start()})
	_, err := c.d.WriteTo(w)
	return err
}

// Animate draws a plan as a moving picture that begins anew at its end. Steps take their time at an
// arm's speed, twice as fast; a step that is not legal ends it. The error is that of w.
func (j *Judge) Animate(w io.Writer, plan Plan) error {
	c := &canvas{in: j.Instance, side: float64(j.Instance.Side())}
	st, s := j.Start(), new(Scratch)
	states := []*State{st.Clone()}
	at := []float64{0}
	for _, step := range plan {
		if j.Step(st, step, s) != nil {
			break
		}
		time := max(0.3, j.Instance.duration(s.motions)/2)
		between := j.between(states[len(states)-1], s)
		began := at[len(at)-1]
		for i, state := range append(between, st.Clone()) {
			states = append(states, state)
			at = append(at, began+time*float64(i+1)/float64(len(between)+1))
		}
	}
	end := at[len(at)-1] + 1 // rest before it begins anew
	c.total = end
	for _, t := range at {
		c.times = append(c.times, t/end)
	}
	if len(states) == 1 {
		c.times = nil
	}
	c.scene(states)
	_, err := c.d.WriteTo(w)
	return err
}

// between are states on the way of a step that began in one, for arms that swing.
func (j *Judge) between(before *State, s *Scratch) (list []*State) {
	const parts = 12
	for n := 1; n < parts && j.Instance.Swings(); n++ {
		st := before.Clone()
		for r := range s.motions {
			if m := &s.motions[r]; m.From != m.To {
				x, y := m.way().at(float64(n) / parts)
				st.Arms[r] = Point{Coord(x * float64(One)), Coord(y * float64(One))}
			}
			if o := s.carried[r]; o >= 0 {
				st.Objects[o] = st.Arms[r]
			}
		}
		list = append(list, st)
	}
	return list
}

func (c *canvas) scene(states []*State) {
	width, height := 2*margin+cellSize*float64(c.in.Width), 2*margin+cellSize*float64(c.in.Height)
	c.d = chart.New("width", width, "height", height, "viewBox", fmt.Sprintf("0 0 %.0f %.0f", width, height), "font-family", "sans-serif", "font-size", 10)
	c.d.Add(chart.Title(fmt.Sprintf("BoxNet%dD, %d x %d cells", max(2, c.in.Dimensions), c.in.Width, c.in.Height)))
	c.d.Add(chart.Shape("rect", "width", width, "height", height, "fill", "#ffffff"))
	c.grid()
	for i := range c.in.Obstacles {
		o := &c.in.Obstacles[i]
		c.d.Add(chart.Group(chart.Title(o.Name), chart.Shape("circle", "cx", c.x(o.At), "cy", c.y(o.At), "r", cellSize*float64(o.Radius)/c.side, "fill", "#a0aec0")))
	}
	for i := range c.in.Objects {
		o, color := &c.in.Objects[i], colors[i%len(colors)]
		if o.Target != nil {
			c.d.Add(chart.Group(chart.Title(o.Name+" target"), chart.Shape("circle", "cx", c.x(*o.Target), "cy", c.y(*o.Target), "r", 11.0, "fill", "none", "stroke", color, "stroke-width", 3)))
		}
	}
	for i := range c.in.Objects {
		c.object(i, states)
	}
	for i := range c.in.Robots {
		c.robot(i, states)
	}
}

func (c *canvas) grid() {
	for x := 0; x <= c.in.Width; x++ {
		p, q := Point{X: Coord(x) * c.in.Side()}, Point{Coord(x) * c.in.Side(), Coord(c.in.Height) * c.in.Side()}
		c.d.Add(chart.Shape("line", "x1", c.x(p), "y1", c.y(p), "x2", c.x(q), "y2", c.y(q), "stroke", "#cbd5e0"))
	}
	for y := 0; y <= c.in.Height; y++ {
		p, q := Point{Y: Coord(y) * c.in.Side()}, Point{Coord(c.in.Width) * c.in.Side(), Coord(y) * c.in.Side()}
		c.d.Add(chart.Shape("line", "x1", c.x(p), "y1", c.y(p), "x2", c.x(q), "y2", c.y(q), "stroke", "#cbd5e0"))
	}
}

func (c *canvas) object(i int, states []*State) {
	const side = 14.0
	var xs, ys []float64
	for _, st := range states {
		xs, ys = append(xs, c.x(st.Objects[i])-side/2), append(ys, c.y(st.Objects[i])-side/2)
	}
	inside := append([]chart.Element{chart.Title(c.in.Objects[i].Name)}, append(c.animation("x", xs), c.animation("y", ys)...)...)
	c.d.Add(chart.Holding("rect", inside, "x", xs[0], "y", ys[0], "width", side, "height", side, "fill", colors[i%len(colors)], "fill-opacity", "0.85"))
}

func (c *canvas) robot(i int, states []*State) {
	r := &c.in.Robots[i]
	var xs, ys []float64
	for _, st := range states {
		xs, ys = append(xs, c.x(st.Arms[i])), append(ys, c.y(st.Arms[i]))
	}
	bx, by := c.x(r.Base), c.y(r.Base)
	c.d.Add(chart.Holding("line", append(c.animation("x2", xs), c.animation("y2", ys)...), "x1", bx, "y1", by, "x2", xs[0], "y2", ys[0], "stroke", "#4a5568", "stroke-width", 3))
	c.d.Add(chart.Holding("circle", append(c.animation("cx", xs), c.animation("cy", ys)...), "cx", xs[0], "cy", ys[0], "r", 4.0, "fill", "#4a5568"))
	c.d.Add(chart.Group(chart.Title(r.Name), chart.Shape("rect", "x", bx-5, "y", by-5, "width", 10.0, "height", 10.0, "fill", "#1a202c")),
		chart.Text(r.Name, "x", bx+7, "y", by-7, "fill", "#1a202c"))
}

// animation moves an attribute through values, one for each state.
func (c *canvas) animation(attribute string, values []float64) []chart.Element {
	if c.times == nil {
		return nil
	}
	list, times := make([]string, 0, len(values)+1), make([]string, 0, len(values)+1)
	for i, v := range values {
		list = append(list, strconv.FormatFloat(v, 'f', 1, 64))
		times = append(times, strconv.FormatFloat(c.times[i], 'f', 4, 64))
	}
	list, times = append(list, list[len(list)-1]), append(times, "1")
	return []chart.Element{chart.Shape("animate", "attributeName", attribute, "values", strings.Join(list, ";"), "keyTimes", strings.Join(times, ";"),
		"dur", strconv.FormatFloat(c.total, 'f', 2, 64)+"s", "repeatCount", "indefinite")}
}
