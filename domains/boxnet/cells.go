package boxnet

// half is the distance of the points of a cell: 0.25 and 0.75 from its corner.
const half = One / 2

// gridPoint is the point with the given numbers of columns and rows of points left of and below it.
func gridPoint(column, row int) Point {
	return Point{half/2 + Coord(column)*half, half/2 + Coord(row)*half}
}

// Cells returns the points of the map that an arm with the given base reaches, by x, then y: of BoxNet2D four in
// each cell, of BoxNet3D the middles of cells.
func (in *Instance) Cells(base Point) (list []Point) {
	if in.Swings() {
		return in.middles(base)
	}
	for column := range columns(base.X, in.Width) {
		for row := range columns(base.Y, in.Height) {
			if p := gridPoint(column, row); Within(base, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// middles are the middles of cells that an arm reaches.
func (in *Instance) middles(base Point) (list []Point) {
	for column := range around(base.X, in.Width) {
		for row := range around(base.Y, in.Height) {
			p := Point{Side3D/2 + Coord(column)*Side3D, Side3D/2 + Coord(row)*Side3D}
			if in.Reaches(base, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// around are the columns of cells that may be within reach of a base of BoxNet3D.
func around(base Coord, cells int) func(func(int) bool) {
	return func(yield func(int) bool) {
		first := max(0, int(base/Side3D)-2)
		for k := first; k < cells && k < first+5; k++ {
			if !yield(k) {
				return
			}
		}
	}
}

// Beside are the four points beside a base where plans of BoxNet3D put a tip that is not needed; none in BoxNet2D.
func (in *Instance) Beside(base Point) []Point {
	if !in.Swings() {
		return nil
	}
	return []Point{{base.X - rest3D, base.Y}, {base.X, base.Y - rest3D}, {base.X, base.Y + rest3D}, {base.X + rest3D, base.Y}}
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
