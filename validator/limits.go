package validator

// Judging counts its work in s.work, which only falls. Where it falls below 0 the work of
// the portion is used up, and more looks at the limits: hot loops test one number for all of
// them, and without a Context the first portion is the whole work.

// portion is the work between two looks at Scratch.Context, a tenth of a millisecond or a
// few milliseconds where values have many digits.
const portion = 1 << 14

// Bytes per entry of what a plan makes grow, with the room that appending leaves free.
const (
	overlayEntry = 128 // an atom or value without an id of the judge
	pendingEntry = 32  // a change of the current step
)

// maxOverlay bounds what one plan may intern and maxPending what one step may change: each
// about 2 GB at worst.
const (
	maxOverlay = 1 << 24
	maxPending = 1 << 26
)

// allow sets the work of what is judged next.
func (s *Scratch) allow(work int64) {
	s.work, s.rest = work, 0
	if s.Context != nil {
		s.work = min(work, portion)
		s.rest = work - s.work
	}
	s.overlayLimit, s.pendingLimit = maxOverlay, maxPending
	if s.MaxBytes > 0 {
		s.overlayLimit = int(min(s.MaxBytes/overlayEntry, maxOverlay))
		s.pendingLimit = int(min(s.MaxBytes/pendingEntry, maxPending))
	}
}

// left is the work that is left.
func (s *Scratch) left() int64 { return s.work + s.rest }

// more is asked when work is below 0: it grants the next portion, or stops judging and
// reports false.
func (s *Scratch) more() bool {
	for s.work < 0 && s.stop == goOn {
		switch {
		case s.rest <= 0:
			s.stop = stopWork
		case s.ended():
			s.stop = stopTime
		default:
			n := min(s.rest, portion)
			s.work, s.rest = s.work+n, s.rest-n
		}
	}
	return s.stop == goOn
}

// ended reports whether the context has.
func (s *Scratch) ended() bool { return s.Context != nil && s.Context.Err() != nil }

// commitEvery is the number of changes that are committed between two looks at the context.
const commitEvery = 1 << 16

// commitAll applies changes of one kind.
func (s *Scratch) commitAll(changes []change, v bool) {
	for len(changes) > commitEvery {
		for _, c := range changes[:commitEvery] {
			s.set(c, v)
		}
		if changes = changes[commitEvery:]; s.ended() {
			s.stop = stopTime
			return
		}
	}
	for _, c := range changes {
		s.set(c, v)
	}
}
