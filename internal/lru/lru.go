// Package lru is a cache that is bounded by the size of what it keeps.
package lru

import (
	"container/list"
	"context"
	"sync"
)

// Cache is a bounded least-recently-used cache of things that are made once. Two
// callers who ask for the same key wait for one making. Keys hold whole texts, not
// hashes of them: two tasks are never taken for each other.
type Cache[K comparable, V any] struct {
	maxBytes int64
	size     func(K, V) int64

	mu    sync.Mutex
	bytes int64
	items map[K]*list.Element
	order list.List // front: used last
}

type cacheItem[K comparable, V any] struct {
	key   K
	done  chan struct{} // closed when it is made or given up
	gone  bool          // given up; set before done is closed
	v     V
	bytes int64 // 0 until it is made and counted
}

// New returns an empty cache of at most maxBytes, as size counts them.
func New[K comparable, V any](maxBytes int64, size func(K, V) int64) *Cache[K, V] {
	return &Cache[K, V]{maxBytes: maxBytes, size: size, items: map[K]*list.Element{}}
}

// Get returns the value of key, made by build if it is not there. An evicted value
// stays usable by those who hold it.
func (c *Cache[K, V]) Get(key K, build func() V) V {
	v, _ := c.GetContext(context.Background(), key, func() (V, error) { return build(), nil })
	return v
}

// GetContext is Get for callers who may have to go: who waits for another's making leaves with the error of ctx when ctx
// ends. An error of build means that it was cut off: then nothing is kept, and the next of those who wait makes the
// value. Faults that belong to the key are values.
func (c *Cache[K, V]) GetContext(ctx context.Context, key K, build func() (V, error)) (V, error) {
	for {
		c.mu.Lock()
		e, ok := c.items[key]
		if ok {
			c.order.MoveToFront(e)
		} else {
			e = c.order.PushFront(&cacheItem[K, V]{key: key, done: make(chan struct{})})
			c.items[key] = e
		}
		item := e.Value.(*cacheItem[K, V])
		c.mu.Unlock()
		if !ok {
			return c.make(e, item, build)
		}
		select {
		case <-item.done:
			if !item.gone {
				return item.v, nil
			}
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		}
	}
}

// make makes the value of an item that nobody else makes.
func (c *Cache[K, V]) make(e *list.Element, item *cacheItem[K, V], build func() (V, error)) (v V, err error) {
	item.gone = true // also where build panics
	defer func() {
		if item.gone {
			c.forget(e, item)
		}
		close(item.done)
	}()
	if v, err = build(); err == nil {
		item.v, item.gone = v, false
		c.add(e, item)
	}
	return v, err
}

// forget drops an item, if its key still stands for it.
func (c *Cache[K, V]) forget(e *list.Element, item *cacheItem[K, V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items[item.key] == e {
		c.remove(e)
	}
}

// remove takes an item out; c.mu is held.
func (c *Cache[K, V]) remove(e *list.Element) {
	item := e.Value.(*cacheItem[K, V])
	c.order.Remove(e)
	delete(c.items, item.key)
	c.bytes -= item.bytes
}

// Made returns the value of key if it has been made.
func (c *Cache[K, V]) Made(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok || e.Value.(*cacheItem[K, V]).bytes == 0 {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cacheItem[K, V]).v, true
}

// Drop forgets key. Called while the value is being made, it makes the next one who
// asks make it again.
func (c *Cache[K, V]) Drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.remove(e)
	}
}

// Held is the size of what is kept, in bytes as size counts them.
func (c *Cache[K, V]) Held() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// Count is the number of values that are kept.
func (c *Cache[K, V]) Count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.items)
}

// add counts a new value's size and makes room for it.
func (c *Cache[K, V]) add(e *list.Element, item *cacheItem[K, V]) {
	size := max(1, c.size(item.key, item.v))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items[item.key] != e {
		return // evicted while it was made
	}
	item.bytes = size
	c.bytes += size
	for last := c.order.Back(); c.bytes > c.maxBytes && last != nil; {
		previous := last.Prev()
		// The newest stays even if it is too large by itself; what is still being
		// made is not counted yet.
		if old := last.Value.(*cacheItem[K, V]); old.bytes > 0 && last != e {
			c.remove(last)
		}
		last = previous
	}
}
