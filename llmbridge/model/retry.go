package model

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	backoffFirst = 500 * time.Millisecond
	backoffCap   = 30 * time.Second
)

// backoff returns the pause after a failed try: the one that the server asked for, or else exponential
// backoff with full jitter.
func backoff(try int, asked time.Duration) time.Duration {
	if asked >= 0 {
		return asked
	}
	limit := backoffCap
	if try < 7 {
		limit = min(limit, backoffFirst<<try)
	}
	return time.Duration(rand.Int64N(int64(limit) + 1))
}

// retryAfter reads the pause that a server asks for: Retry-After in seconds or as a date, or the
// x-ratelimit-reset headers ("1s", "6m0s", "250ms", seconds). It is negative if there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if v := h.Get("Retry-After-Ms"); v != "" {
		if ms, err := strconv.ParseFloat(v, 64); err == nil && ms >= 0 && ms < 1e12 {
			return time.Duration(ms * float64(time.Millisecond))
		}
	}
	if v := h.Get("Retry-After"); v != "" {
		if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 && s < 1e9 {
			return time.Duration(s * float64(time.Second))
		}
		if t, err := http.ParseTime(v); err == nil {
			return max(0, t.Sub(now))
		}
	}
	longest := time.Duration(-1)
	for _, what := range []string{"requests", "tokens"} {
		if h.Get("x-ratelimit-remaining-"+what) != "0" {
			continue // another limit was hit
		}
		v := h.Get("x-ratelimit-reset-" + what)
		d, err := time.ParseDuration(v)
		if err != nil {
			s, ferr := strconv.ParseFloat(v, 64)
			if ferr != nil || !(s >= 0 && s < 1e9) {
				continue
			}
			d = time.Duration(s * float64(time.Second))
		}
		longest = max(longest, d)
	}
	return longest
}
