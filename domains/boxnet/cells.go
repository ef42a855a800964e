package boxnet

// half is the distance of the points of a cell: 0.25 and 0.75 from its corner.
const half = One / 2

// gridPoint is the point with the given numbers of columns and rows of points left of and below it.
func gridPoint(column, row int) Point {
	return Point{half/2 + Coord(column)*half, half/2 + Coord(row)*half}
}

// Cells returns the points of the map's cells, four in each, that an arm with the given base
// reaches, by x, then y.
func (in *Instance) Cells(base Point) (list []Point) {
	for column := range columns(base.X, in.Width) {
		for row := range columns(base.Y, in.Height) {
			if p := gridPoint(column, row); Within(base, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// columns are the columns of points of a map of that many cells that may be within reach.
func columns(base Coord, cells int) func(func(int) bool) {
	return func(yield func(int) bool) {
		first := max(0, int((base-One)/half)-1)
		for k := first; k < 2*cells && k < first+8; k++ {
			if !yield(k) {
				return
			}
		}
	}
}

// TargetsMeet reports whether two objects have one target, which no plan can fill twice.
func (in *Instance) TargetsMeet() bool {
	seen := map[Point]bool{}
	for i := range in.Objects {
		if t := in.Objects[i].Target; t != nil {
			if seen[*t] {
				return true
			}
			seen[*t] = true
		}
	}
	return false
}
