package search

// Observer is told how a search gets on. Search code prints nothing. Calls come from
// the goroutine that called Run, at intervals of work, not of time.
type Observer interface {
	// Progress reports the statistics so far; r is reused and must not be kept.
	Progress(r *Result)
}

// ObserverFunc makes a function an Observer.
type ObserverFunc func(*Result)

// Progress implements Observer.
func (f ObserverFunc) Progress(r *Result) { f(r) }
