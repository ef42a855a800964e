package boxnet

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/planproof/planproof/internal/rowjson"
)

// Robot is an arm on a fixed base.
type Robot struct {
	Name string `json:"name"`
	Base Point  `json:"base"`
	Arm  Point  `json:"arm"` // where its tip is at first
}

// Object is a thing to be carried.
type Object struct {
	Name string `json:"name"`
	At   Point  `json:"at"` // at first
	// Target is where it has to be after the last step, nil in a state without a task.
	Target *Point `json:"target,omitempty"`
}

// Instance is a state of robots and objects, and a task if the objects have targets.
type Instance struct {
	// Dimensions is 3 for an instance of BoxNet3D, else 0 or 2.
	Dimensions int
	Width      int // in cells
	Height     int
	Robots     []Robot
	Objects    []Object
	Obstacles  []Obstacle // only of BoxNet3D
}

// Bounds of an instance.
const (
	MaxSide = 1000
	maxList = 1000 // robots, and objects
)

// MarshalJSON writes the members of a row: dimensions if 3, map, robots, objects and obstacles.
func (in *Instance) MarshalJSON() ([]byte, error) {
	return rowjson.AppendValue(nil, struct {
		Dimensions int        `json:"dimensions,omitempty"`
		Map        [2]int     `json:"map"`
		Robots     []Robot    `json:"robots"`
		Objects    []Object   `json:"objects"`
		Obstacles  []Obstacle `json:"obstacles,omitempty"`
	}{in.Dimensions, [2]int{in.Width, in.Height}, in.Robots, append([]Object{}, in.Objects...), in.Obstacles})
}

// ReadInstance reads the members dimensions, map, robots, objects and obstacles of a row of JSON; it ignores others.
// With targets every object must have one. Errors are placed at the member that they are about.
func ReadInstance(row []byte, targets bool) (*Instance, error) {
	in := new(Instance)
	seen := map[string]bool{}
	err := rowjson.EachMember(row, func(name string, value []byte) (err error) {
		switch name {
		case "dimensions":
			if in.Dimensions, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil || in.Dimensions != 2 && in.Dimensions != 3 {
				err = fmt.Errorf("dimensions is %s, neither 2 nor 3", clip(value))
			}
		case "obstacles":
			err = in.readObstacles(value)
		case "map":
			err = in.readMap(value)
		case "robots":
			err = readList(value, "robot", func(name string, members map[string][]byte) (err error) {
				r := Robot{Name: name}
				if r.Base, err = readPoint(members, "base"); err == nil {
					r.Arm, err = readPoint(members, "arm")
				}
				in.Robots = append(in.Robots, r)
				return err
			})
		case "objects":
			err = readList(value, "object", func(name string, members map[string][]byte) (err error) {
				o := Object{Name: name}
				if o.At, err = readPoint(members, "at"); err != nil {
					return err
				}
				if targets || rowjson.Present(members["target"]) {
					var p Point
					p, err = readPoint(members, "target")
					o.Target = &p
				}
				in.Objects = append(in.Objects, o)
				return err
			})
		default:
			return nil
		}
		seen[name] = true
		return rowjson.At(rowjson.CodeValue, name, err)
	})
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"map", "robots", "objects"} {
		if !seen[name] {
			return nil, rowjson.Errorf(rowjson.CodeMissing, "", "the row has no member %q", name)
		}
	}
	if len(in.Obstacles) > 0 && !in.Swings() {
		return nil, rowjson.Errorf(rowjson.CodeValue, "obstacles", `obstacles are only of BoxNet3D: "dimensions": 3`)
	}
	return in, rowjson.At(rowjson.CodeValue, "objects", in.check())
}

// check refuses what no state can be.
func (in *Instance) check() error {
	at := map[Point]string{}
	for i := range in.Objects {
		o := &in.Objects[i]
		if other, taken := at[o.At]; taken {
			return fmt.Errorf("%s and %s are both at %v", other, o.Name, o.At)
		}
		at[o.At] = o.Name
	}
	return nil
}

func (in *Instance) readObstacles(value []byte) error {
	return readList(value, "obstacle", func(name string, members map[string][]byte) (err error) {
		o := Obstacle{Name: name}
		if o.At, err = readPoint(members, "at"); err != nil {
			return err
		}
		if o.Radius, err = readSize(members, "radius"); err != nil {
			return err
		}
		o.Height, err = readSize(members, "height")
		in.Obstacles = append(in.Obstacles, o)
		return err
	})
}

func (in *Instance) readMap(value []byte) error {
	sides, err := elements(value)
	if err != nil || len(sides) != 2 {
		return fmt.Errorf("map is not a list of two numbers, the width and the height in cells")
	}
	for i, to := range []*int{&in.Width, &in.Height} {
		n, err := strconv.Atoi(string(bytes.TrimSpace(sides[i])))
		if err != nil || n < 1 || n > MaxSide {
			return fmt.Errorf("map: %s is not a number of cells from 1 to %d", clip(sides[i]), MaxSide)
		}
		*to = n
	}
	return nil
}

// readList reads a list of objects with names. The members of each are handed to read.
func readList(value []byte, kind string, read func(name string, members map[string][]byte) error) error {
	items, err := elements(value)
	if err != nil {
		return fmt.Errorf("%ss is not a list", kind)
	}
	if len(items) > maxList {
		return fmt.Errorf("%d %ss, more than %d", len(items), kind, maxList)
	}
	names := map[string]bool{}
	for i, item := range items {
		members := map[string][]byte{}
		if err := rowjson.EachMember(item, func(name string, value []byte) error {
			members[name] = value
			return nil
		}); err != nil {
			return fmt.Errorf("%ss[%d] is not an object with names that differ", kind, i)
		}
		name, err := rowjson.String(members["name"])
		if err != nil || name == "" {
			return fmt.Errorf("%ss[%d] has no name", kind, i)
		}
		if names[name] {
			return fmt.Errorf("%ss[%d]: there are two with the name %q", kind, i, name)
		}
		names[name] = true
		if err := read(name, members); err != nil {
			return fmt.Errorf("%ss[%d] (%s): %w", kind, i, name, err)
		}
	}
	return nil
}

// readSize reads a number above 0.
func readSize(members map[string][]byte, name string) (Coord, error) {
	value, ok := members[name]
	if !ok {
		return 0, fmt.Errorf("it has no %q", name)
	}
	c, err := parseCoord(string(bytes.TrimSpace(value)))
	if err == nil && c <= 0 {
		err = errors.New("not above 0")
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %s is %w", name, clip(value), err)
	}
	return c, nil
}

func readPoint(members map[string][]byte, name string) (Point, error) {
	value, ok := members[name]
	if !ok {
		return Point{}, fmt.Errorf("it has no %q", name)
	}
	xy, err := elements(value)
	if err != nil || len(xy) != 2 {
		return Point{}, fmt.Errorf("%s is %s, not a list of two numbers", name, clip(value))
	}
	var p Point
	for i, to := range []*Coord{&p.X, &p.Y} {
		text := bytes.TrimSpace(xy[i])
		if *to, err = parseCoord(string(text)); err != nil {
			return Point{}, fmt.Errorf("%s: %s is %w", name, clip(text), err)
		}
	}
	return p, nil
}

// elements splits a list.
func elements(value []byte) ([][]byte, error) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || value[0] != '[' {
		return nil, rowjson.ErrSyntax
	}
	list, _, err := rowjson.Elements[[]byte](value, len(value))
	return list, err
}

// clip bounds a text in a message.
func clip(b []byte) string {
	if len(b) > 40 {
		return string(bytes.ToValidUTF8(b[:40], nil)) + "..."
	}
	return string(bytes.ToValidUTF8(b, nil))
}

// From is the instance with everything where it is in a state.
func (in *Instance) From(st *State) *Instance {
	out := &Instance{Dimensions: in.Dimensions, Width: in.Width, Height: in.Height, Robots: slices.Clone(in.Robots), Objects: slices.Clone(in.Objects), Obstacles: in.Obstacles}
	for i := range out.Robots {
		out.Robots[i].Arm = st.Arms[i]
	}
	for i := range out.Objects {
		out.Objects[i].At = st.Objects[i]
	}
	return out
}
