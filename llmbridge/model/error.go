package model

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrorKind says why there is no answer. The values are statuses of reports.
type ErrorKind string

// Kinds of errors. The first four may pass and are tried again.
const (
	KindOutage      ErrorKind = "outage"       // no connection, a reset, or a 5xx
	KindRateLimited ErrorKind = "rate-limited" // 429
	KindTimeout     ErrorKind = "timeout"      // a time limit of ours
	KindMalformed   ErrorKind = "malformed"    // an answer that cannot be read, or half of one
	KindRefused     ErrorKind = "refused"      // another 4xx
	KindAuth        ErrorKind = "unauthorized" // 401, 403
	KindTooLong     ErrorKind = "too-long"     // the prompt exceeds the context
	KindQuota       ErrorKind = "quota"        // 429 that waiting does not cure
	KindUnsupported ErrorKind = "unsupported"  // the model cannot do it
	KindMissing     ErrorKind = "not-recorded" // a replay without that request
	KindCancelled   ErrorKind = "cancelled"    // the caller ended it
)

// Error is the reason for which a request has no answer.
type Error struct {
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message"`
	// Status is the HTTP status, 0 if there was none.
	Status int `json:"status,omitempty"`
	// Tries is the number of calls made.
	Tries int `json:"tries,omitempty"`
	// Spent is what those parts of a request for scores used that were answered before it
	// failed; nil if there was none, or the server does not tell.
	Spent *Usage `json:"spent,omitempty"`

	retryAfter time.Duration // what the server asked for; negative: it did not
	param      string        // the parameter that the server complained of
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

// Is makes errors.Is(err, ErrUnsupported) hold for every error of that kind, and
// errors.Is(err, context.Canceled) for what the caller ended.
func (e *Error) Is(target error) bool {
	if target == context.Canceled {
		return e.Kind == KindCancelled
	}
	t, ok := target.(*Error)
	return ok && t.Message == "" && t.Kind == e.Kind
}

// Passing tells that the same request may succeed later.
func (e *Error) Passing() bool {
	switch e.Kind {
	case KindOutage, KindRateLimited, KindTimeout, KindMalformed:
		return true
	}
	return false
}

// ErrUnsupported is, for errors.Is, what the model cannot do.
var ErrUnsupported = &Error{Kind: KindUnsupported}

func errorf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), retryAfter: -1}
}

// SpentOn is what a request that failed with err has used all the same, nil if nothing is
// known.
func SpentOn(err error) *Usage {
	var e *Error
	if errors.As(err, &e) {
		return e.Spent
	}
	return nil
}

// after makes err tell what was used before it. An error may belong to several requests:
// it is not changed.
func after(used *Usage, err error) error {
	var e *Error
	if used == nil || *used == (Usage{}) || !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Spent = used
	return &told
}

// KindOf is the kind of an error, "" for nil, and outage for an error of another type.
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
