package joint

// ways are motions of BoxNet3D that are not possible at all, or only where no object lies.
type ways struct {
	blocked []wayOf // by obstacles
	swept   []sweep
}

type wayOf struct{ r, from, to int32 }

// sweep is a motion that passes over a point.
type sweep struct {
	wayOf
	point int32
}

// ways lists them; there are none in BoxNet2D.
func (p *places) ways() *ways {
	w := new(ways)
	if !p.in.Swings() {
		return w
	}
	for r := range p.reach {
		for i := range p.reach[r] {
			for k := range p.ordinaryReach(int32(r)) {
				if i != k {
					p.lookAt(w, wayOf{int32(r), int32(i), int32(k)})
				}
			}
		}
	}
	return w
}

func (p *places) lookAt(w *ways, of wayOf) {
	m := p.motion(of.r, of.from, of.to)
	if p.in.Blocked(&m) != nil {
		w.blocked = append(w.blocked, of)
		return
	}
	for q, at := range p.points[:p.ordinary] {
		if p.in.MayMeet(m.Base, at) && m.Sweeps(at) {
			w.swept = append(w.swept, sweep{of, int32(q)})
		}
	}
}

// onTheWay: no robot moves through an obstacle, or over an object that it does not carry.
func (f *formula) onTheWay(w *ways, t int) {
	for _, b := range w.blocked {
		f.add(-f.arm[t-1][b.r][b.from], -f.arm[t][b.r][b.to])
	}
	for _, s := range w.swept {
		for o := range f.at {
			f.add(-f.arm[t-1][s.r][s.from], -f.arm[t][s.r][s.to], not(f.object[t-1][o][s.point]), f.carry[t][s.r][o])
		}
	}
}
