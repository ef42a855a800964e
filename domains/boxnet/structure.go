package boxnet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// Structure returns a hash that instances share if they are the same up to the names and order of
// robots and objects, the symmetries of the map (turned, mirrored) and where the arms are at
// first. Splits are made by it, so that no split holds an instance of another one in disguise.
func (in *Instance) Structure() string {
	var best []byte
	for turn := range 8 {
		text := in.seen(turn)
		if best == nil || slices.Compare(text, best) < 0 {
			best = text
		}
	}
	sum := sha256.Sum256(best)
	return hex.EncodeToString(sum[:16])
}

// seen writes the instance as it looks after one of the eight symmetries of a rectangle's plane; those that
// exchange width and height give the text of the turned map.
func (in *Instance) seen(turn int) []byte {
	w, h := Coord(in.Width)*in.Side(), Coord(in.Height)*in.Side()
	move := func(p Point) Point {
		if turn&1 != 0 {
			p.X = w - p.X
		}
		if turn&2 != 0 {
			p.Y = h - p.Y
		}
		if turn&4 != 0 {
			p.X, p.Y = p.Y, p.X
		}
		return p
	}
	size := Point{w, h}
	if turn&4 != 0 {
		size = Point{h, w}
	}
	var bases, objects []string
	for i := range in.Robots {
		bases = append(bases, move(in.Robots[i].Base).String())
	}
	for i := range in.Objects {
		text := move(in.Objects[i].At).String()
		if t := in.Objects[i].Target; t != nil {
			text += " -> " + move(*t).String()
		}
		objects = append(objects, text)
	}
	for i := range in.Obstacles {
		bases = append(bases, fmt.Sprintf("obstacle %v %v", move(in.Obstacles[i].At), in.Obstacles[i].Radius))
	}
	slices.Sort(bases)
	slices.Sort(objects)
	text := []byte(size.String())
	if in.Swings() {
		text = append(text, " 3D"...)
	}
	for _, line := range append(append(bases, ""), objects...) {
		text = append(append(text, '\n'), line...)
	}
	return text
}
