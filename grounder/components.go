package grounder

// components are the strongly connected components of a graph, successors first:
// a component comes after all components that it has edges to.
type components struct {
	list [][]int32
	of   []int32 // by node: index in list
}

// stronglyConnected runs Tarjan's algorithm without recursion. The edges are given by the node that they come from; to
// returns the one that they lead to.
func stronglyConnected[E any](g *grounder, edges [][]E, to func(E) int32) components {
	n := len(edges)
	c := components{of: make([]int32, n)}
	number := make([]int32, n) // 0 = not visited
	low := make([]int32, n)
	onStack := make([]bool, n)
	var stack []int32
	inOrder := make([]int32, 0, n) // of the components, which are pieces of it
	type frame struct {
		node int32
		next []E
	}
	var calls []frame
	count := int32(0)
	enter := func(v int32) {
		count++
		number[v], low[v] = count, count
		stack = append(stack, v)
		onStack[v] = true
		calls = append(calls, frame{v, edges[v]})
		g.work(len(edges[v]))
	}
	for root := range int32(n) {
		if number[root] != 0 {
			continue
		}
		enter(root)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if len(f.next) > 0 {
				w := to(f.next[0])
				f.next = f.next[1:]
				if number[w] == 0 {
					enter(w)
				} else if onStack[w] {
					low[f.node] = min(low[f.node], number[w])
				}
				continue
			}
			v := f.node
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				p := calls[len(calls)-1].node
				low[p] = min(low[p], low[v])
			}
			if low[v] != number[v] {
				continue
			}
			first := len(inOrder)
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[w] = false
				c.of[w] = int32(len(c.list))
				inOrder = append(inOrder, w)
				if w == v {
					break
				}
			}
			c.list = append(c.list, inOrder[first:len(inOrder):len(inOrder)])
		}
	}
	return c
}
