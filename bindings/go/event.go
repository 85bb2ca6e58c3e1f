// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

package rqspin

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"syscall"
	"time"
)

// Event is one failed acquisition, as the program itself reported it (rqspin/res_events.bpf.h).
// Locks are addresses in the kernel; rqspin trace knows their names.
type Event struct {
	Seq        uint64         // 1 + its position in the ring's history
	Time       time.Duration  // CLOCK_MONOTONIC, when the scope began
	Wait       *time.Duration // nil: unknown, as with each lock of the kernel or in an arena
	Kind       Kind
	Err        syscall.Errno
	Parties    int // CPUs in the cycle; 0: unknown
	CPU        int
	PID, TID   int
	Comm, Prog string
	File       string   // "": Line is that of the report, not that of the lock call
	Line       int      // 0: unknown
	Lock       uint64   // that was wanted
	Held       []uint64 // by this CPU, oldest first, at most 8
	NrHeld     *int     // nil: unknown
	Owner      *Owner   // nil: unknown
}

// Owner is the CPU that owns the lock. Only the fallback lock knows what it holds and wants.
type Owner struct {
	CPU    int
	TID    *int // nil: unknown
	Held   []uint64
	NrHeld *int   // nil: unknown
	Wants  uint64 // 0: nothing, or unknown
}

// Group is a number of failures that are alike. Groups count all failures, lost events, too.
type Group struct {
	Count uint64
	Kind  Kind
	Err   syscall.Errno
	CPU   int
	Prog  string
	File  string
	Line  int
	Lock  uint64
}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint32(k))
}

func at(file string, line int) string {
	switch {
	case line == 0:
		return ""
	case file == "":
		return fmt.Sprintf(" reported at line %d", line)
	}
	return fmt.Sprintf(" at %s:%d", file, line)
}

// String is one line. What is not printable in a name is escaped: anybody can choose names.
func (e *Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v in %s%s: cpu %d %s/%d wants %#x", e.Kind, printable(e.Prog),
		at(printable(e.File), e.Line), e.CPU, printable(e.Comm), e.PID, e.Lock)
	for i, lock := range e.Held {
		b.WriteString([]string{" holds", ","}[min(i, 1)])
		fmt.Fprintf(&b, " %#x", lock)
	}
	return b.String()
}

func printable(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' || c == '\\' {
			fmt.Fprintf(&b, "\\x%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func cString(text []byte) string {
	text, _, _ = bytes.Cut(text, []byte{0})
	return string(text)
}

func count(nr uint32) *int {
	if nr == heldUnknown {
		return nil
	}
	n := int(nr)
	return &n
}

func locks(all []uint64, nr uint32) []uint64 {
	if nr == heldUnknown {
		return nil
	}
	return append([]uint64(nil), all[:min(int(nr), len(all))]...)
}

func (r *rawEvent) owner() *Owner {
	if r.ownerCpu < 0 {
		return nil
	}
	o := &Owner{CPU: int(r.ownerCpu), Wants: r.ownerWants}
	o.Held, o.NrHeld = locks(r.ownerHeld[:], r.nrOwnerHeld), count(r.nrOwnerHeld)
	if r.ownerTid != tidUnknown {
		tid := int(r.ownerTid)
		o.TID = &tid
	}
	return o
}

// waitKnown: waitUnasked and waitUnknown, the largest number, say that it is not.
func (r *rawEvent) waitKnown() bool { return r.waitNs < waitUnasked }

func (r *rawEvent) event() *Event {
	e := &Event{
		Seq: r.seq, Time: time.Duration(r.tsNs), Kind: Kind(r.kind), Err: syscall.Errno(-r.err),
		Parties: int(r.parties), CPU: int(r.cpu), PID: int(r.pid), TID: int(r.tid),
		Comm: cString(r.comm[:]), Prog: cString(r.prog[:]), File: cString(r.file[:]),
		Line: int(r.line), Lock: r.lock, Held: locks(r.held[:], r.nrHeld),
		NrHeld: count(r.nrHeld), Owner: r.owner(),
	}
	if r.waitKnown() {
		wait := time.Duration(r.waitNs)
		e.Wait = &wait
	}
	return e
}

// Limits of what a failure can leave.
const (
	errnoMax = 4095
	cpusMax  = 65536
	heldMax  = 4096
)

func heldValid(nr uint32) bool { return nr <= heldMax || nr == heldUnknown }

// valid: a ring is the program's own memory, and whoever may write maps may write anything there.
func (r *rawEvent) valid(now uint64) bool {
	return r.err < 0 && r.err >= -errnoMax && r.tsNs <= now &&
		(r.waitNs <= now || !r.waitKnown()) && int(r.kind) < len(kindNames) &&
		r.parties <= cpusMax && r.cpu < cpusMax && r.ownerCpu >= -1 && r.ownerCpu < cpusMax &&
		r.pid <= math.MaxInt32 && r.tid <= math.MaxInt32 && r.line <= math.MaxInt32 &&
		heldValid(r.nrHeld) && heldValid(r.nrOwnerHeld) &&
		(r.ownerTid <= math.MaxInt32 || r.ownerTid == tidUnknown)
}
