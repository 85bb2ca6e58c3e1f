// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

package rqspin

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
)

// Schema is the version of lines that ReadTrace knows: docs/events.schema.json.
const Schema = "rqspin-event/2"

// ErrNoSummary: the last line is missing, so nobody knows how many failures were lost.
var ErrNoSummary = errors.New("the trace has no summary: rqspin trace did not get to its end")

// A Line of rqspin trace --json: *Failure or *Repeat. Everywhere nil is what the kernel or the
// source of the event does not know; docs/events.schema.json explains each member.
type Line interface{ line() }

// Lock is a lock, inside a map or in its values, or a variable of the kernel.
type Lock struct {
	Name     *string `json:"name"`
	MapID    *uint32 `json:"map_id"`
	Map      *string `json:"map"`
	MapType  *string `json:"map_type"`
	Internal *string `json:"internal"`
	Index    *uint64 `json:"index"`
	Key      *string `json:"key"`
	Path     *string `json:"path"`
	Addr     *string `json:"addr"`
}

// Prog is a BPF program.
type Prog struct {
	ID   *uint32 `json:"id"`
	Name *string `json:"name"`
}

// At is a line of source.
type At struct {
	Line int     `json:"line"`
	File *string `json:"file"`
	Text *string `json:"text"`
	Call bool    `json:"call"`
}

// TraceOwner is the CPU that owns the lock, and the task on it.
type TraceOwner struct {
	CPU    int     `json:"cpu"`
	PID    *int    `json:"pid"`
	TID    *int    `json:"tid"`
	Comm   *string `json:"comm"`
	Held   []Lock  `json:"held"`
	NrHeld *int    `json:"nr_held"`
	Wants  *Lock   `json:"wants"`
}

// Member of a cycle.
type Member struct {
	CPU      int     `json:"cpu"`
	TID      *int    `json:"tid"`
	Wants    *Lock   `json:"wants"`
	Prog     *Prog   `json:"prog"`
	At       *At     `json:"at"`
	Function *string `json:"function"`
}

// Failure is one failed acquisition.
type Failure struct {
	Schema  string      `json:"schema"`
	Type    string      `json:"type"`
	Time    string      `json:"time"`
	TsNs    uint64      `json:"ts_ns"`
	Kind    string      `json:"kind"`
	Parties *int        `json:"parties"`
	Err     *int        `json:"err"`
	Errno   *string     `json:"errno"`
	WaitNs  *uint64     `json:"wait_ns"`
	CPU     int         `json:"cpu"`
	PID     *int        `json:"pid"`
	TID     *int        `json:"tid"`
	Comm    *string     `json:"comm"`
	Prog    *Prog       `json:"prog"`
	MapID   *uint32     `json:"map_id"`
	Lock    *Lock       `json:"lock"`
	Held    []Lock      `json:"held"`
	NrHeld  *int        `json:"nr_held"`
	Owner   *TraceOwner `json:"owner"`
	Chain   []Member    `json:"chain"`
	At      *At         `json:"at"`
	Source  string      `json:"source"`
	Joined  *string     `json:"joined"`
	Sampled bool        `json:"sampled"`
	Report  *string     `json:"report"`
}

// Wait is an acquisition that waited long and succeeded: rqspin trace --last shows what a recorder
// with --wait-longer-than has kept.
type Wait struct {
	Schema string  `json:"schema"`
	Type   string  `json:"type"`
	Time   string  `json:"time"`
	TsNs   uint64  `json:"ts_ns"`
	WaitNs uint64  `json:"wait_ns"`
	CPU    int     `json:"cpu"`
	PID    *int    `json:"pid"`
	TID    *int    `json:"tid"`
	Comm   *string `json:"comm"`
	Prog   *Prog   `json:"prog"`
	MapID  *uint32 `json:"map_id"`
	Lock   *Lock   `json:"lock"`
	At     *At     `json:"at"`
	Report *string `json:"report"`
}

// Repeat says how often a failure that was shown once came again, with --unique.
type Repeat struct {
	Schema string `json:"schema"`
	Type   string `json:"type"`
	Again  uint64 `json:"again"`
	TsNs   uint64 `json:"ts_ns"`
	Kind   string `json:"kind"`
	Prog   *Prog  `json:"prog"`
	Lock   *Lock  `json:"lock"`
	At     *At    `json:"at"`
}

// Total is a sum by program and kind.
type Total struct {
	ProgID   *uint32 `json:"prog_id"`
	Prog     *string `json:"prog"`
	Kind     *string `json:"kind"`
	Failures uint64  `json:"failures"`
	Lost     uint64  `json:"lost"`
}

// WaitTotals says how many long waits there are.
type WaitTotals struct {
	LongerThanNs uint64  `json:"longer_than_ns"`
	Events       uint64  `json:"events"`
	Shown        uint64  `json:"shown"`
	Lost         uint64  `json:"lost"`
	LostUnknown  bool    `json:"lost_unknown"`
	NotSeen      *string `json:"not_seen"`
}

// Summary is the last line. Look at Lost and LostUnknown.
type Summary struct {
	Schema         string            `json:"schema"`
	Type           string            `json:"type"`
	Events         uint64            `json:"events"`
	Shown          uint64            `json:"shown"`
	Repeats        uint64            `json:"repeats"`
	Kinds          map[string]uint64 `json:"kinds"`
	Host           *string           `json:"host,omitempty"`
	Kernel         *string           `json:"kernel,omitempty"`
	Command        *string           `json:"command,omitempty"`
	OfOthers       *uint64           `json:"of_others,omitempty"`
	Skipped        uint64            `json:"skipped"`
	Totals         []Total           `json:"totals"`
	Lost           uint64            `json:"lost"`
	LostUnknown    bool              `json:"lost_unknown"`
	ProgramsMissed uint64            `json:"programs_missed"`
	ProgramsUnseen uint64            `json:"programs_unseen"`
	MapTypesUnseen []string          `json:"map_types_unseen,omitzero"`
	Waits          *WaitTotals       `json:"waits,omitempty"`
	Sources        string            `json:"sources"`
}

func (*Failure) line() {}
func (*Wait) line()    {}
func (*Repeat) line()  {}

func or(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return printable(*s)
}

// String is one line: kind, program, source and the lock that was wanted.
func (f *Failure) String() string {
	prog, lock, where := "(unknown program)", "(unknown lock)", ""
	if f.Prog != nil {
		prog = or(f.Prog.Name, prog)
	}
	if f.Lock != nil {
		lock = or(f.Lock.Name, lock)
	}
	if f.At != nil {
		where = fmt.Sprintf(" at %s:%d", path.Base(or(f.At.File, "?")), f.At.Line)
	}
	return fmt.Sprintf("%s in %s%s: wants %s", f.Kind, prog, where, lock)
}

// parse returns a Line, a *Summary or an error. Members that it does not know may be new ones.
func parse(text []byte) (any, error) {
	var head struct{ Schema, Type string }
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	if head.Schema != Schema {
		return nil, fmt.Errorf("schema %q, but this package knows %q", head.Schema, Schema)
	}
	lines := map[string]any{
		"failure": &Failure{}, "wait": &Wait{}, "repeat": &Repeat{}, "summary": &Summary{},
	}
	line := lines[head.Type]
	if line == nil {
		return nil, fmt.Errorf("no type %q is known", head.Type)
	}
	return line, json.Unmarshal(text, line)
}

// ReadTrace calls fn with each line of rqspin trace --json until its summary, which it returns. If
// fn returns an error it ends with that.
func ReadTrace(r io.Reader, fn func(Line) error) (*Summary, error) {
	from := bufio.NewReader(r)
	for n := 1; ; n++ {
		text, end := from.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) == 0 && end == io.EOF {
			return nil, ErrNoSummary
		}
		if end != nil && end != io.EOF {
			return nil, end
		}
		line, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if s, last := line.(*Summary); last {
			return s, nil
		}
		if err := fn(line.(Line)); err != nil {
			return nil, err
		}
	}
}
