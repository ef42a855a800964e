package sat

// order is a heap of variables, the most active one on top. Equal activities are ordered by
// the variables' numbers.
type order struct {
	heap     []int32
	at       []int32 // by variable: its place in the heap, -1 for none
	activity []float64
}

func (o *order) grow() {
	o.at = append(o.at, -1)
	o.activity = append(o.activity, 0)
}

func (o *order) before(v, w int32) bool {
	return o.activity[v] > o.activity[w] || o.activity[v] == o.activity[w] && v < w
}

func (o *order) push(v int32) {
	if o.at[v] >= 0 {
		return
	}
	o.heap = append(o.heap, v)
	o.at[v] = int32(len(o.heap) - 1)
	o.up(len(o.heap) - 1)
}

func (o *order) pop() (int32, bool) {
	if len(o.heap) == 0 {
		return 0, false
	}
	top, last := o.heap[0], o.heap[len(o.heap)-1]
	o.heap = o.heap[:len(o.heap)-1]
	o.at[top] = -1
	if top != last {
		o.heap[0], o.at[last] = last, 0
		o.down(0)
	}
	return top, true
}

func (o *order) bump(v int32, by float64) {
	o.activity[v] += by
	if i := o.at[v]; i >= 0 {
		o.up(int(i))
	}
}

func (o *order) scale(by float64) {
	for v := range o.activity {
		o.activity[v] *= by
	}
}

func (o *order) up(i int) {
	v := o.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !o.before(v, o.heap[parent]) {
			break
		}
		o.heap[i] = o.heap[parent]
		o.at[o.heap[i]] = int32(i)
		i = parent
	}
	o.heap[i], o.at[v] = v, int32(i)
}

func (o *order) down(i int) {
	v := o.heap[i]
	for {
		child := 2*i + 1
		if child >= len(o.heap) {
			break
		}
		if child+1 < len(o.heap) && o.before(o.heap[child+1], o.heap[child]) {
			child++
		}
		if !o.before(o.heap[child], v) {
			break
		}
		o.heap[i] = o.heap[child]
		o.at[o.heap[i]] = int32(i)
		i = child
	}
	o.heap[i], o.at[v] = v, int32(i)
}
