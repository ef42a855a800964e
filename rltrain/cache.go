package rltrain

import (
	"container/list"
	"sync"
)

// cache is a bounded least-recently-used cache of things that are made once. Two
// callers who ask for the same key wait for one making. Keys hold whole texts, not
// hashes of them: two tasks are never taken for each other.
type cache[K comparable, V any] struct {
	maxBytes int64
	size     func(K) int64

	mu    sync.Mutex
	bytes int64
	items map[K]*list.Element
	order list.List // front: used last
}

type cacheItem[K comparable, V any] struct {
	key  K
	once sync.Once
	make func() V
	v    V
}

func newCache[K comparable, V any](maxBytes int64, size func(K) int64) *cache[K, V] {
	return &cache[K, V]{maxBytes: maxBytes, size: size, items: map[K]*list.Element{}}
}

// get returns the value of key, made by build if it is not there. An evicted value
// stays usable by those who hold it.
func (c *cache[K, V]) get(key K, build func() V) V {
	c.mu.Lock()
	e, ok := c.items[key]
	if ok {
		c.order.MoveToFront(e)
	} else {
		e = c.order.PushFront(&cacheItem[K, V]{key: key, make: build})
		c.items[key] = e
		c.bytes += c.size(key)
		for c.bytes > c.maxBytes && c.order.Len() > 1 {
			last := c.order.Back()
			c.order.Remove(last)
			k := last.Value.(*cacheItem[K, V]).key
			delete(c.items, k)
			c.bytes -= c.size(k)
		}
	}
	item := e.Value.(*cacheItem[K, V])
	c.mu.Unlock()
	item.once.Do(func() { item.v = item.make() })
	return item.v
}
