package model

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrorKind says why there is no answer. Its values appear as statuses in reports.
type ErrorKind string

// Kinds of errors. The first four may pass and are tried again.
const (
	KindOutage      ErrorKind = "outage"       // no connection, a reset, or a 5xx
	KindRateLimited ErrorKind = "rate-limited" // 429
	KindTimeout     ErrorKind = "timeout"      // one of our time limits
	KindMalformed   ErrorKind = "malformed"    // an answer that is cut off or cannot be read
	KindRefused     ErrorKind = "refused"      // another 4xx
	KindAuth        ErrorKind = "unauthorized" // 401, 403
	KindTooLong     ErrorKind = "too-long"     // the prompt exceeds the context
	KindQuota       ErrorKind = "quota"        // 429, and waiting does not help
	KindUnsupported ErrorKind = "unsupported"  // the model cannot do it
	KindMissing     ErrorKind = "not-recorded" // the replayed transcript does not have the request
	KindCancelled   ErrorKind = "cancelled"    // the caller cancelled it
)

// Error is the reason why a request has no answer.
type Error struct {
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message"`
	// Status is the HTTP status, 0 if there was none.
	Status int `json:"status,omitempty"`
	// Tries is the number of calls made.
	Tries int `json:"tries,omitempty"`
	// Spent is the usage of the parts of a score request that were answered before it failed; nil if
	// there are none or the server does not count.
	Spent *Usage `json:"spent,omitempty"`

	retryAfter time.Duration // the pause that the server asked for; negative: none
	param      string        // the parameter that the server refused
}

// Error implements error.
func (e *Error) Error() string {
	s := string(e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Tries > 1 {
		s += fmt.Sprintf(" after %d tries", e.Tries)
	}
	return s + ": " + e.Message
}

// Is makes errors.Is(err, ErrUnsupported) true for every error of that kind, and errors.Is(err,
// context.Canceled) for requests that the caller cancelled.
func (e *Error) Is(target error) bool {
	if target == context.Canceled {
		return e.Kind == KindCancelled
	}
	t, ok := target.(*Error)
	return ok && t.Message == "" && t.Kind == e.Kind
}

// passing reports whether the same request may succeed later.
func (e *Error) passing() bool {
	switch e.Kind {
	case KindOutage, KindRateLimited, KindTimeout, KindMalformed:
		return true
	}
	return false
}

// ErrUnsupported matches, with errors.Is, every error about something that the model cannot do.
var ErrUnsupported = &Error{Kind: KindUnsupported}

func errorf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), retryAfter: -1}
}

// SpentOn returns the usage of a request that failed with err, nil if it is unknown.
func SpentOn(err error) *Usage {
	var e *Error
	if errors.As(err, &e) {
		return e.Spent
	}
	return nil
}

// after returns err with the usage before it. It does not change err, which may belong to several requests.
func after(used *Usage, err error) error {
	var e *Error
	if used == nil || *used == (Usage{}) || !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Spent = used
	return &told
}

// KindOf returns the kind of an error: "" for nil, and KindOutage for an error of another type.
func KindOf(err error) ErrorKind {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Kind
	}
	return KindOutage
}
