package boxnet

import (
	"fmt"
	"math/rand/v2"
)

// Layout says where the robots stand.
type Layout string

// Layouts of a map of W x H cells; its joints have coordinates from 0 to W and to H.
const (
	// Interior: a robot at every joint inside the map. Every map is connected and covered.
	Interior Layout = "interior"
	// Quincunx: joints whose coordinates are both odd or both even, and what odd sides need
	// to be covered; sparser, and nearest to the figures of the paper's data. A map of two cells in one
	// direction has all its interior joints.
	Quincunx Layout = "quincunx"
	// RandRob: as many robots as Interior has, at random joints, those on the border included,
	// so that the arms' reaches are connected (the paper's RANDROB).
	RandRob Layout = "randrob"
)

// ParseLayout reads the name of a layout.
func ParseLayout(name string) (Layout, error) {
	switch l := Layout(name); l {
	case Interior, Quincunx, RandRob:
		return l, nil
	}
	return "", fmt.Errorf("%q is not a layout: there are %s, %s, %s", name, Interior, Quincunx, RandRob)
}

type joint struct{ x, y int }

func (j joint) point(side Coord) Point { return Point{Coord(j.x) * side, Coord(j.y) * side} }

// joints are the places of the robots, by x, then y.
func (l Layout) joints(width, height int) (list []joint) {
	all := l != Quincunx || width == 2 || height == 2
	for x := 1; x < width; x++ {
		for y := 1; y < height; y++ {
			link := width%2 == 1 && x == width-1 && y%2 == 1 || height%2 == 1 && y == height-1 && x%2 == 1
			if all || x%2 == y%2 || link {
				list = append(list, joint{x, y})
			}
		}
	}
	return list
}

// randomJoints draws joints until the reaches are connected. It gives up, with nil, where that
// is not to be expected.
func randomJoints(r *rand.Rand, width, height int) []joint {
	n := len(Interior.joints(width, height))
	for range 10_000 {
		list := make([]joint, n)
		for i, k := range r.Perm((width + 1) * (height + 1))[:n] {
			list[i] = joint{k / (height + 1), k % (height + 1)}
		}
		sortJoints(list)
		if connected(list) {
			return list
		}
	}
	return nil
}

// connected reports whether one can get from each robot to each other one by reaches that
// share points: those of robots at most one joint apart in x and in y.
func connected(list []joint) bool {
	seen := make([]bool, len(list))
	queue := []int{0}
	seen[0] = true
	for n := 0; n < len(queue); n++ {
		a := list[queue[n]]
		for i, b := range list {
			if !seen[i] && max(a.x-b.x, b.x-a.x) <= 1 && max(a.y-b.y, b.y-a.y) <= 1 {
				seen[i] = true
				queue = append(queue, i)
			}
		}
	}
	return len(queue) == len(list)
}
