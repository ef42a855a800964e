package oracle

import (
	"context"
	"time"
)

// lanes share out the making of tables and maskers, of which some take milliseconds and
// some half a minute, so that nobody waits for what takes much longer than his own.
//
//	lane 0: up to 250 ms ─► lane 1: up to 2 s ─► lane 2: up to 16 s ─► lane 3: the rest
//
// Work begins in lane 0. When its turn there is over it goes on in the next lane if that has
// a place, and else is given up and begins anew once it has. So it waits in a lane only for
// others that take as long as itself, or for one turn of others there.
type lanes struct {
	life  context.Context // ends all work
	lanes []lane
}

type lane struct {
	turn   time.Duration // 0 is as long as it takes
	places chan struct{}
}

// firstTurn is how long work may take in lane 0, and laneFactor how much longer each lane is
// than the one before.
const (
	firstTurn  = 250 * time.Millisecond
	laneFactor = 8
)

func newLanes(life context.Context, workers int) *lanes {
	l := &lanes{life, []lane{{firstTurn, make(chan struct{}, max(1, workers))}}}
	for _, turn := range []time.Duration{firstTurn * laneFactor, firstTurn * laneFactor * laneFactor, 0} {
		l.lanes = append(l.lanes, lane{turn, make(chan struct{}, max(1, workers-1))})
	}
	return l
}

// run does the work, which reports whether it is done: it may not be if its context has
// ended. wait is how long the caller waits for work to begin; then it goes on without him.
// The error is that of wait.
func (l *lanes) run(wait context.Context, work func(context.Context) (done bool)) error {
	select {
	case l.lanes[0].places <- struct{}{}:
	case <-wait.Done():
		return wait.Err()
	}
	for at := 0; ; {
		done, last := l.try(at, work)
		if done || l.life.Err() != nil {
			return nil
		}
		at = last + 1
		l.lanes[at].places <- struct{}{}
	}
}

// try does the work from a lane on, in which it has a place. last is the lane in which it has
// come to its end, or been given up.
func (l *lanes) try(at int, work func(context.Context) bool) (done bool, last int) {
	ctx, cancel := context.WithCancel(l.life)
	defer cancel()
	ended := make(chan bool, 1)
	go func() { ended <- work(ctx) }()
	for {
		var over <-chan time.Time
		if turn := l.lanes[at].turn; turn > 0 {
			timer := time.NewTimer(turn)
			defer timer.Stop()
			over = timer.C
		}
		select {
		case done := <-ended:
			<-l.lanes[at].places
			return done || over == nil, at
		case <-over:
		}
		select {
		case l.lanes[at+1].places <- struct{}{}:
			<-l.lanes[at].places
			at++
		default:
			cancel()
			<-l.lanes[at].places
			return <-ended, at
		}
	}
}
