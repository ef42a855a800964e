package retime

import "math"

// difference is a constraint x[to] - x[from] >= least, in units of the grid. Node 0 is the
// beginning of time, which is fixed.
type difference struct {
	from, to int32
	least    int64
}

// arc is an arc of the residual network; its reverse is arc i^1.
type arc struct {
	from, to int32
	room     int64 // unlimited for constraints
	cost     int64
}

const unlimited = math.MaxInt64 / 4

// network finds times that satisfy constraints and differ least from given ones. By duality it
// is a circulation: a constraint is an arc without capacity whose cost is its slack; a term
// |(x[b]-x[a]) - (given[b]-given[a])| of the objective is a pair of arcs of capacity 1 and cost 0.
// The potentials of a circulation of least cost are the changes.
type network struct {
	given []int64 // by node
	arcs  []arc
	out   [][]int32
	dist  []int64
	via   []int32
}

func newNetwork(given []int64) *network {
	return &network{given: given, out: make([][]int32, len(given)), dist: make([]int64, len(given)), via: make([]int32, len(given))}
}

func (n *network) arc(from, to int32, room, back, cost int64) {
	i := int32(len(n.arcs))
	n.arcs = append(n.arcs, arc{from, to, room, cost}, arc{to, from, back, -cost})
	n.out[from] = append(n.out[from], i)
	n.out[to] = append(n.out[to], i+1)
}

// require adds a constraint.
func (n *network) require(d difference) {
	n.arc(d.from, d.to, unlimited, 0, n.given[d.to]-n.given[d.from]-d.least)
}

// prefer makes every unit by which x[b]-x[a] changes cost 1.
func (n *network) prefer(a, b int32) { n.arc(a, b, 1, 1, 0) }

// solve returns the times, or false if no times satisfy the constraints.
func (n *network) solve() ([]int64, bool) {
	for {
		cycle := n.negativeCycle()
		if cycle == nil {
			break
		}
		room := int64(unlimited)
		for _, i := range cycle {
			room = min(room, n.arcs[i].room)
		}
		if room == unlimited { // constraints only
			return nil, false
		}
		for _, i := range cycle {
			n.push(i, room)
		}
	}
	out := make([]int64, len(n.given))
	for i := range out {
		out[i] = n.given[i] - (n.dist[i] - n.dist[0])
	}
	return out, true
}

// push sends flow along an arc.
func (n *network) push(i int32, amount int64) {
	if n.arcs[i].room < unlimited {
		n.arcs[i].room -= amount
	}
	if n.arcs[i^1].room < unlimited {
		n.arcs[i^1].room += amount
	}
}

// negativeCycle returns the arcs of a residual cycle of negative cost, or nil after it has left
// the potentials in dist (Bellman and Ford, with a queue).
func (n *network) negativeCycle() []int32 {
	nodes := len(n.given)
	depth := make([]int32, nodes) // arcs on the path to the node
	queued := make([]bool, nodes)
	queue := make([]int32, 0, nodes)
	for i := range nodes {
		n.dist[i], n.via[i], queued[i] = 0, -1, true
		queue = append(queue, int32(i))
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		queued[u] = false
		for _, i := range n.out[u] {
			a := &n.arcs[i]
			if a.room <= 0 || n.dist[u]+a.cost >= n.dist[a.to] {
				continue
			}
			n.dist[a.to], n.via[a.to], depth[a.to] = n.dist[u]+a.cost, i, depth[u]+1
			if int(depth[a.to]) >= nodes {
				return n.cycleAt(a.to)
			}
			if !queued[a.to] {
				queued[a.to] = true
				queue = append(queue, a.to)
			}
		}
	}
	return nil
}

// cycleAt returns the cycle that the arcs via lead to from a node; nil is never returned, since
// a path with as many arcs as nodes repeats one.
func (n *network) cycleAt(v int32) []int32 {
	seen := make([]bool, len(n.given))
	for !seen[v] {
		seen[v] = true
		v = n.arcs[n.via[v]].from
	}
	var cycle []int32
	for u := v; ; {
		i := n.via[u]
		cycle = append(cycle, i)
		if u = n.arcs[i].from; u == v {
			return cycle
		}
	}
}
