// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

package rqspin

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"

	"github.com/cilium/ebpf"
)

// MapType is a type of maps. That of cilium/ebpf has the same numbers: MapType(m.Type()).
type MapType = ebpf.MapType

// Cause is a row of docs/map-errors.md: why an operation on a map returns an error, on any kernel.
// rqspin errno says what holds on this one.
type Cause struct {
	Types  []MapType
	Ops    []Op
	Errors []syscall.Errno // none: those of the operation on one element
	Cause  string
	Later  bool     // the same may succeed after a pause
	Resume bool     // some elements have been done
	Advice []string // what to do
}

// again says how often and how long, if an operation may succeed later.
type again struct {
	tries int
	first time.Duration
}

// Decision is what to do about an error of a map operation.
type Decision struct {
	Retry  bool          // try again: Tries times at most, with Pause before each
	Resume bool          // of a batch: behind the elements that were done, not from its beginning
	Tries  int           // after the first one
	First  time.Duration // longest pause before the first of them
	Causes []Cause       // that return this error; none: it has nothing to do with locks
}

// Decide says what to do after an operation on a map has failed with err, from user space.
func Decide(t MapType, op Op, err error) Decision {
	var errno syscall.Errno
	var d Decision
	if !errors.As(err, &errno) {
		return d
	}
	resume := false
	for _, c := range causes {
		if !slices.Contains(c.Types, t) || !slices.Contains(c.Ops, op) {
			continue
		}
		resume = resume || c.Resume && len(c.Errors) == 0
		if slices.Contains(c.Errors, errno) {
			d.Causes = append(d.Causes, c)
			d.Retry = d.Retry || c.Later
			resume = resume || c.Resume
		}
	}
	d.Resume = d.Retry && resume
	if d.Retry {
		d.Tries, d.First = retries[errno].tries, retries[errno].first
	}
	return d
}

// Pause is how long to wait before the nth try after the first one, n from 1: each is twice as long
// as the one before, and random in its upper half, so that two sides do not meet again.
func (d Decision) Pause(n int) time.Duration {
	whole := d.First << (n - 1)
	return whole/2 + rand.N(whole/2+1)
}

// Error is an error of a map operation that is left after all tries. It wraps the operation's.
type Error struct {
	Op    Op
	Tries int // how often the operation was done
	Err   error
	Decision
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %v", e.Op, e.Err)
	if e.Tries > 1 {
		text += fmt.Sprintf(" (%d tries)", e.Tries)
	}
	for _, c := range e.Causes {
		text += fmt.Sprintf("; maybe: %s", c.Cause)
	}
	return text
}

// Retry does an operation on a map, and again as [Decide] says, until it succeeds, ctx is done or
// all tries have failed. An error that is no matter of locks is returned at once, as it is. do of a
// batch goes on behind the elements that were done.
func Retry(ctx context.Context, t MapType, op Op, do func() error) error {
	for n := 1; ; n++ {
		err := do()
		if err == nil {
			return nil
		}
		d := Decide(t, op, err)
		if len(d.Causes) == 0 {
			return err
		}
		if !d.Retry || n > d.Tries {
			return &Error{op, n, err, d}
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), &Error{op, n, err, d})
		case <-time.After(d.Pause(n)):
		}
	}
}
