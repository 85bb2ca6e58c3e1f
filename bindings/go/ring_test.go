// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

package rqspin

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rqspin.example/rqspin/internal/object"
)

const recorded = "../testdata/aa.ring"

var record = flag.String("record", "", "object whose ring to write into "+recorded)

// memory is that of a ring with nr slots.
func memory(t *testing.T, nr int) []byte {
	t.Helper()
	size := int(headSize+groupsSize) + nr*int(eventSize)
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	return mem
}

func ringIn(t *testing.T, mem []byte) *Ring {
	t.Helper()
	r, err := ringOver(mem)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func newRing(t *testing.T, nr int) *Ring {
	t.Helper()
	r := ringIn(t, memory(t, nr))
	r.ring.layout = ringLayout
	return r
}

func wordsOf(mem []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&mem[0])), len(mem)/8)
}

func (r *Ring) reserve() uint64 {
	pos := r.ring.head
	r.ring.head++
	r.slot(pos)[0] = 0
	return pos
}

func (r *Ring) fill(pos uint64) {
	raw := (*rawEvent)(unsafe.Pointer(r.slot(pos)))
	*raw = rawEvent{seq: pos + 1, err: -int32(unix.EDEADLK), kind: uint32(KindAA), line: uint32(pos)}
}

func read(t *testing.T, r *Ring, last bool) []int {
	t.Helper()
	var lines []int
	if err := r.read(last, func(e *Event) { lines = append(lines, e.Line) }); err != nil {
		t.Fatal(err)
	}
	return lines
}

func expect(t *testing.T, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("got %v, not %v", got, want)
	}
}

// TestRecord writes the file of the next test, as root: go test -run TestRecord -record OBJECT
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("only with -record")
	}
	coll, err := object.Load(*record)
	if err != nil {
		t.Fatal(err)
	}
	defer coll.Close()
	m, err := FindRing(coll.Maps)
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenRing(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := object.Run(coll, 3); err != nil {
		t.Fatal(err)
	}
	out := fmt.Sprintf("%d bytes; offset and value of each word that is not 0\n", len(r.mem))
	for i, word := range wordsOf(r.mem) {
		if word != 0 {
			out += fmt.Sprintf("%x %x\n", i*8, word)
		}
	}
	var lines string
	err = r.ReadLast(func(e *Event) { lines += e.String() + "\n" })
	err = errors.Join(err, os.WriteFile(recorded, []byte(out), 0o644),
		os.WriteFile(recorded+".txt", []byte(lines), 0o644), r.Close())
	if err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T) *Ring {
	t.Helper()
	file, err := os.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Scan()
	var size, offset int
	var word uint64
	if _, err := fmt.Sscanf(lines.Text(), "%d", &size); err != nil {
		t.Fatal(err)
	}
	mem := memory(t, (size-int(headSize+groupsSize))/int(eventSize))
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "%x %x", &offset, &word); err != nil {
			t.Fatal(err)
		}
		wordsOf(mem)[offset/8] = word
	}
	return ringIn(t, mem)
}

func TestRecordedRing(t *testing.T) {
	r := load(t)
	want, err := os.ReadFile(recorded + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var events []*Event
	if err := r.ReadLast(func(e *Event) { events = append(events, e) }); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, e := range events {
		fmt.Fprintln(&lines, e)
	}
	if lines.String() != string(want) || r.Lost()+r.Refused() != 0 {
		t.Fatalf("lost %d, refused %d:\n%v", r.Lost(), r.Refused(), lines.String())
	}
	e := events[2]
	if e.Seq != 3 || e.Err != unix.EDEADLK || e.Wait != nil || e.Owner == nil || *e.NrHeld != 1 ||
		e.Owner.CPU != e.CPU || *e.Owner.TID != e.TID || e.Owner.NrHeld != nil || e.Parties != 1 {
		t.Fatalf("%+v, owner %+v", e, e.Owner)
	}
	groups, others, err := r.Groups()
	if err != nil || others != 0 || len(groups) != 1 || groups[0].Count != 3 ||
		groups[0].Line != e.Line || groups[0].Prog != "aa" || groups[0].Lock != e.Lock {
		t.Fatalf("%+v, %d others, %v", groups, others, err)
	}
}

func TestWhatIsBehindAHoleDoesNotWait(t *testing.T) {
	r := newRing(t, 8)
	r.fill(r.reserve())
	hole := r.reserve()
	r.fill(r.reserve())
	expect(t, read(t, r, false), 0, 2)
	r.fill(hole)
	expect(t, read(t, r, false), 1)
	expect(t, read(t, r, true))
	if r.Lost() != 0 {
		t.Fatal(r.Lost())
	}
}

func TestTheLastReadCountsWhatNeverCame(t *testing.T) {
	r := newRing(t, 8)
	r.reserve()
	r.fill(r.reserve())
	expect(t, read(t, r, false), 1)
	r.reserve()
	expect(t, read(t, r, true))
	if r.Lost() != 2 {
		t.Fatal(r.Lost())
	}
}

func TestOverwrittenEventsAreLostOnce(t *testing.T) {
	r := newRing(t, 8)
	r.reserve()
	expect(t, read(t, r, false))
	for range 16 {
		r.fill(r.reserve())
	}
	expect(t, read(t, r, false), 9, 10, 11, 12, 13, 14, 15, 16)
	if r.Lost() != 9 {
		t.Fatal(r.Lost())
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	r := newRing(t, 8)
	for i, spoil := range []func(*rawEvent){
		func(e *rawEvent) { e.err = 35 },
		func(e *rawEvent) { e.tsNs = 1 << 63 },
		func(e *rawEvent) { e.kind = uint32(len(kindNames)) },
		func(e *rawEvent) { e.cpu = cpusMax },
		func(e *rawEvent) { e.nrHeld = heldMax + 1 },
		func(e *rawEvent) { e.ownerCpu = -2 },
		func(e *rawEvent) { e.waitNs = waitUnasked - 1 },
	} {
		pos := r.reserve()
		r.fill(pos)
		spoil((*rawEvent)(unsafe.Pointer(r.slot(pos))))
		expect(t, read(t, r, false))
		if r.Refused() != uint64(i+1) {
			t.Fatalf("%d refused after %d", r.Refused(), i+1)
		}
	}
}

func TestAnUnknownWaitIsNoNonsense(t *testing.T) {
	r := newRing(t, 8)
	for _, wait := range []uint64{0, waitUnasked, math.MaxUint64} {
		pos := r.reserve()
		r.fill(pos)
		(*rawEvent)(unsafe.Pointer(r.slot(pos))).waitNs = wait
	}
	var waits []*time.Duration
	if err := r.Read(func(e *Event) { waits = append(waits, e.Wait) }); err != nil {
		t.Fatal(err)
	}
	if len(waits) != 3 || waits[0] == nil || *waits[0] != 0 || waits[1] != nil ||
		waits[2] != nil || r.Refused() != 0 {
		t.Fatalf("%v, %d refused", waits, r.Refused())
	}
}

func TestAHeadOutOfOrderIsAnError(t *testing.T) {
	r := newRing(t, 8)
	r.fill(r.reserve())
	expect(t, read(t, r, false), 0)
	r.ring.head = 0
	if err := r.Read(func(*Event) { t.Fatal("nothing is new") }); !errors.Is(err, ErrJump) {
		t.Fatal(err)
	}
	r.fill(r.reserve())
	expect(t, read(t, r, false), 0)
}

func TestOtherLayouts(t *testing.T) {
	for _, size := range []int{0, 100, int(headSize + groupsSize), int(headSize+groupsSize) + 24,
		int(headSize+groupsSize) + 3*int(eventSize)} {
		if _, err := ringOver(make([]byte, size)); !errors.Is(err, ErrLayout) {
			t.Fatalf("%d: %v", size, err)
		}
	}
	r := newRing(t, 8)
	r.ring.layout++
	r.fill(r.reserve())
	if err := r.Read(nil); !errors.Is(err, ErrLayout) {
		t.Fatal(err)
	}
	if _, _, err := r.Groups(); !errors.Is(err, ErrLayout) {
		t.Fatal(err)
	}
}

func TestNoNameControlsATerminal(t *testing.T) {
	e := Event{Prog: "a\x1b[2J\n", Comm: "b\\", Kind: KindABBA, File: "c", Line: 7}
	want := `ABBA in a\x1b[2J\x0a at c:7: cpu 0 b\x5c/0 wants 0x0`
	if e.String() != want {
		t.Fatalf("%q", e.String())
	}
}
