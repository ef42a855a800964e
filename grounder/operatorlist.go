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

// reserve makes room for about so many more operators in one piece, which join need not copy then.
func (l *operatorList) reserve(more int, g *grounder) {
	if last := len(l.pieces) - 1; last >= 0 && cap(l.pieces[last])-len(l.pieces[last]) >= more {
		return
	}
	l.move(l.n+more, g)
}

// move moves the operators to one piece of a size.
func (l *operatorList) move(size int, g *grounder) {
	all := make([]Operator, 0, size)
	for i, p := range l.pieces {
		all = append(all, p...)
		l.pieces[i] = nil
		g.work(len(p))
	}
	l.pieces = append(l.pieces[:0], all)
}

// join moves the operators to one slice.
func (l *operatorList) join(g *grounder) []Operator {
	switch len(l.pieces) {
	case 0:
		return nil
	case 1:
		return l.pieces[0]
	}
	l.move(l.n, g)
	return l.pieces[0]
}
