package space

// pipeline hands batches to workers and takes them back in the order they were sent.
type pipeline[B any] struct {
	jobs chan *job[B]
	ring []job[B]
	sent int // batches sent so far
	got  int // batches taken back so far
}

type job[B any] struct {
	batch B
	done  chan struct{}
}

// newPipeline starts the workers; work returns the function of one worker.
func newPipeline[B any](workers int, work func() func(*B)) *pipeline[B] {
	p := &pipeline[B]{jobs: make(chan *job[B], 3*workers), ring: make([]job[B], 3*workers+2)}
	for i := range p.ring {
		p.ring[i].done = make(chan struct{}, 1)
	}
	for range workers {
		do := work()
		go func() {
			for j := range p.jobs {
				do(&j.batch)
				j.done <- struct{}{}
			}
		}()
	}
	return p
}

// idle reports whether a batch may be filled and sent.
func (p *pipeline[B]) idle() bool { return p.sent-p.got < len(p.ring)-1 }

// empty reports whether no batch is on its way.
func (p *pipeline[B]) empty() bool { return p.sent == p.got }

// fill returns the batch to fill next; send sends it.
func (p *pipeline[B]) fill() *B { return &p.ring[p.sent%len(p.ring)].batch }

func (p *pipeline[B]) send() {
	p.jobs <- &p.ring[p.sent%len(p.ring)]
	p.sent++
}

// take waits for the oldest batch that was sent. It is valid until the next call.
func (p *pipeline[B]) take() *B {
	j := &p.ring[p.got%len(p.ring)]
	<-j.done
	p.got++
	return &j.batch
}

// close ends the workers once they have done what was sent.
func (p *pipeline[B]) close() { close(p.jobs) }
