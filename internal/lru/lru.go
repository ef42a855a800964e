// Package lru is a cache that is bounded by the size of what it keeps.
package lru

import (
	"container/list"
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
	once  sync.Once
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
	c.mu.Lock()
	e, ok := c.items[key]
	if ok {
		c.order.MoveToFront(e)
	} else {
		e = c.order.PushFront(&cacheItem[K, V]{key: key})
		c.items[key] = e
	}
	item := e.Value.(*cacheItem[K, V])
	c.mu.Unlock()
	item.once.Do(func() {
		item.v = build()
		c.add(e, item)
	})
	return item.v
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
		c.order.Remove(e)
		delete(c.items, key)
		c.bytes -= e.Value.(*cacheItem[K, V]).bytes
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
			c.order.Remove(last)
			delete(c.items, old.key)
			c.bytes -= old.bytes
		}
		last = previous
	}
}
