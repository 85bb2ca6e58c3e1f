// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path"
)

const schema = "rqspin-event/2"

// Event is a line of rqspin trace --json: the members that this example needs. A pointer is nil
// where the kernel or the source does not know.
type Event struct {
	Schema string  `json:"schema"`
	Type   string  `json:"type"`
	Kind   string  `json:"kind"`
	Prog   *Prog   `json:"prog"`
	Lock   *Lock   `json:"lock"`
	At     *At     `json:"at"`
	Lost   *uint64 `json:"lost"`
}

// Prog is a BPF program.
type Prog struct {
	Name *string `json:"name"`
}

// Lock is the lock that was wanted.
type Lock struct {
	Name *string `json:"name"`
}

// At is a line of source.
type At struct {
	File *string `json:"file"`
	Line int     `json:"line"`
}

func or(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}

func (e *Event) String() string {
	prog, lock, at := "(unknown program)", "(unknown lock)", ""
	if e.Prog != nil {
		prog = or(e.Prog.Name, prog)
	}
	if e.Lock != nil {
		lock = or(e.Lock.Name, lock)
	}
	if e.At != nil {
		at = fmt.Sprintf(" at %s:%d", path.Base(or(e.At.File, "?")), e.At.Line)
	}
	return fmt.Sprintf("%s in %s%s: wants %s", e.Kind, prog, at, lock)
}

// readEvents calls show for each failure, and returns the number of those that were lost.
func readEvents(r io.Reader, show func(*Event)) (lost uint64, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return 0, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		if e.Schema != schema {
			return 0, fmt.Errorf("events of schema %q, this program knows %q", e.Schema, schema)
		}
		switch e.Type {
		case "failure":
			show(&e)
		case "summary":
			if e.Lost != nil {
				lost = *e.Lost
			}
		}
	}
	return lost, lines.Err()
}
