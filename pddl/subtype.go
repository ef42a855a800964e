package pddl

// IsSubtype reports whether every value of type sub is a value of type super.
func (d *Domain) IsSubtype(sub, super TypeID) bool {
	x := d.index
	if sub == super || super == RootType || x.full.has(sub, super) {
		return true
	}
	if alts := d.Types[sub].Either; alts != nil {
		for _, a := range alts {
			if !d.IsSubtype(a, super) {
				return false
			}
		}
		return true
	}
	alts := d.Types[super].Either
	for _, a := range alts {
		if x.full.has(sub, a) {
			return true
		}
	}
	if alts == nil || len(x.unions) == 0 || x.full.covers(super) {
		return false
	}
	return d.belowUnion(sub, super, map[TypeID]bool{})
}

// belowUnion reports whether sub is below the union super, which (:types ...) does
// not mention: it is if sub is declared below a union that is below super.
// Declarations have no cycles, so the recursion ends; known keeps it from branching.
func (d *Domain) belowUnion(sub, super TypeID, known map[TypeID]bool) bool {
	if v, ok := known[sub]; ok {
		return v
	}
	below := false
	for _, a := range d.Types[super].Either {
		below = below || d.index.full.has(sub, a)
	}
	for _, u := range d.index.unions {
		if below || !d.index.declared.has(sub, u) {
			continue
		}
		all := true
		for _, a := range d.Types[u].Either {
			all = all && d.belowUnion(a, super, known)
		}
		below = all
	}
	known[sub] = below
	return below
}

// typeMatrix is a relation of the types that (:types ...) mentions: row t, bit s.
type typeMatrix struct {
	bits  []uint64
	words int
}

func newTypeMatrix(n int) typeMatrix {
	words := (n + 63) / 64
	return typeMatrix{make([]uint64, n*words), words}
}

func (m *typeMatrix) row(t TypeID) []uint64 { return m.bits[int(t)*m.words : (int(t)+1)*m.words] }

func (m *typeMatrix) set(t, s TypeID) { m.bits[int(t)*m.words+int(s>>6)] |= 1 << (uint(s) & 63) }

// covers reports whether the matrix has a row for t.
func (m *typeMatrix) covers(t TypeID) bool { return (int(t)+1)*m.words <= len(m.bits) }

func (m *typeMatrix) has(t, s TypeID) bool {
	if w := int(s >> 6); w >= m.words || !m.covers(t) {
		return false
	}
	return m.bits[int(t)*m.words+int(s>>6)]>>(uint(s)&63)&1 != 0
}

// typesMeet reports whether some type is a subtype of both a and b, so that one
// value could belong to both.
func (d *Domain) typesMeet(a, b TypeID) bool {
	if d.IsSubtype(a, b) || d.IsSubtype(b, a) {
		return true
	}
	for t := range d.Types {
		if d.Types[t].Either == nil && d.IsSubtype(TypeID(t), a) && d.IsSubtype(TypeID(t), b) {
			return true
		}
	}
	return false
}
