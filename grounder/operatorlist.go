package grounder

const operatorPiece = 1 << 12

// operatorList collects operators in pieces. One slice would be copied each time it grows, and with a million operators
// no limit could end that.
type operatorList struct {
	pieces [][]Operator
	n      int
}

func (l *operatorList) add(op Operator) {
	last := len(l.pieces) - 1
	if last < 0 || len(l.pieces[last]) == cap(l.pieces[last]) {
		l.pieces = append(l.pieces, make([]Operator, 0, min(max(2*l.n, 16), operatorPiece)))
		last++
	}
	l.pieces[last] = append(l.pieces[last], op)
	l.n++
}

// join moves the operators to one slice.
func (l *operatorList) join(g *grounder) []Operator {
	switch len(l.pieces) {
	case 0:
		return nil
	case 1:
		return l.pieces[0]
	}
	all := make([]Operator, 0, l.n)
	for i, p := range l.pieces {
		all = append(all, p...)
		l.pieces[i] = nil
		g.work(len(p))
	}
	return all
}
