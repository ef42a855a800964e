package server

import (
	"net/http"

	"github.com/planproof/planproof/rltrain/oracle"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics tells. Each server has a registry of its own.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by route and code
	items    *prometheus.CounterVec   // by status
	seconds  *prometheus.HistogramVec // by route
	judge    prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "planproof_oracle_requests_total", Help: "Requests that were answered, by route and HTTP status code.",
		}, []string{"route", "code"}),
		items: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "planproof_oracle_items_total", Help: "Items of requests, by the status of docs/REWARDS.md.",
		}, []string{"status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "planproof_oracle_request_seconds", Help: "Elapsed time from the first byte of a body to the last of its answer.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 17),
		}, []string{"route"}),
		judge: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "planproof_oracle_judge_seconds_total", Help: "Time spent on reading and judging responses, over all workers.",
		}),
	}
	m.registry.MustRegister(m.requests, m.items, m.seconds, m.judge,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// watch adds the gauges of a server.
func (m *metrics) watch(s *Server) {
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("planproof_oracle_requests_active", "Requests being read or worked on.", func() float64 { return float64(s.requests.Load()) })
	gauge("planproof_oracle_body_bytes", "Bytes of bodies that are held.", func() float64 { return float64(s.bytes.Load()) })
	gauge("planproof_oracle_sessions", "Sessions of environments that are open.", func() float64 { return float64(s.sockets.count()) })
}

// count notes the items of an answer.
func (m *metrics) count(r *oracle.Reply) {
	for status, n := range r.Statuses {
		m.items.WithLabelValues(string(status)).Add(float64(n))
	}
	m.judge.Add(r.Judge.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
