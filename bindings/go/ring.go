// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

package rqspin

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

var (
	// ErrNoRing: the map, or none of the maps, is a ring of events.
	ErrNoRing = errors.New("no ring of events: does the object include rqspin/res_events.bpf.h?")
	// ErrLayout: the ring cannot be read.
	ErrLayout = errors.New("the ring has another layout: its program was compiled with the " +
		"headers of another release, compile it again")
	// ErrJump: what follows is read, but how many events are missing is not known.
	ErrJump = errors.New("the ring's count of events is not where programs leave it: an unknown " +
		"number of events is lost")
)

const (
	eventSize  = unsafe.Sizeof(rawEvent{})
	headSize   = unsafe.Sizeof(rawRing{})
	groupSize  = unsafe.Sizeof(rawGroup{})
	groupsSize = ringGroups * groupSize

	holesMax = 64
	giveUp   = time.Second // a slot that is not filled by then: its writer is gone
	jumpMax  = 1 << 40     // more than any writers can do between two reads
)

// hole is a slot that was reserved and not filled when it was read.
type hole struct {
	pos   uint64
	since time.Time
}

// Ring reads the events of one object. Several goroutines must not use it at the same time.
type Ring struct {
	mem     []byte
	ring    *rawRing
	nr      uint64 // slots
	pos     uint64
	holes   []hole
	delta   int64
	lost    uint64
	refused uint64
}

// FindRing finds the ring among the maps of a [ebpf.Collection].
func FindRing(maps map[string]*ebpf.Map) (*ebpf.Map, error) {
	for _, name := range []string{".data.rqspin", ".bss.rqspin"} {
		if m := maps[name]; m != nil {
			return m, nil
		}
	}
	return nil, ErrNoRing
}

// OpenRing maps a ring into memory, where it stays if the map is closed. Programs find out what
// this CPU holds, and so tell AA from ABBA, only from then on: open it before they run.
func OpenRing(m *ebpf.Map) (*Ring, error) {
	mem, err := unix.Mmap(m.FD(), 0, int(m.ValueSize()), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("%v: ring cannot be mapped: %w", m, err)
	}
	r, err := ringOver(mem)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%v: %w", m, err), unix.Munmap(mem))
	}
	r.delta = heldDelta()
	r.arm()
	runtime.KeepAlive(m)
	return r, nil
}

func ringOver(mem []byte) (*Ring, error) {
	rest := uint64(headSize + groupsSize)
	nr := (uint64(len(mem)) - rest) / uint64(eventSize)
	if uint64(len(mem)) <= rest || nr&(nr-1) != 0 || rest+nr*uint64(eventSize) != uint64(len(mem)) {
		return nil, fmt.Errorf("%d bytes: %w", len(mem), ErrLayout)
	}
	return &Ring{mem: mem, ring: (*rawRing)(unsafe.Pointer(&mem[0])), nr: nr}, nil
}

// heldDelta says how far a CPU's table of held locks is from what programs can find; 0: unknown.
func heldDelta() int64 {
	var section *btf.Datasec
	kernel, err := btf.LoadKernelSpec()
	if err != nil || kernel.TypeByName(".data..percpu", &section) != nil {
		return 0
	}
	offsets := map[string]int64{}
	for _, v := range section.Vars {
		offsets[v.Type.TypeName()] = int64(v.Offset)
	}
	from, known := offsets["runqueues"]
	to, has := offsets["rqspinlock_held_locks"]
	if !known || !has {
		return 0
	}
	return to - from
}

// arm tells the programs. A loader may write the first contents over it.
func (r *Ring) arm() {
	if r.delta != 0 {
		atomic.CompareAndSwapInt64(&r.ring.heldDelta, 0, r.delta)
	}
}

func (r *Ring) slot(pos uint64) *[eventSize / 8]uint64 {
	at := headSize + uintptr(pos%r.nr)*eventSize
	return (*[eventSize / 8]uint64)(unsafe.Pointer(&r.mem[at]))
}

// copySlot copies word by word: as atomics these reads stay between those of the number.
func (r *Ring) copySlot(pos uint64) (*rawEvent, bool) {
	var words [eventSize / 8]uint64
	slot := r.slot(pos)
	for i := range words {
		words[i] = atomic.LoadUint64(&slot[i])
	}
	same := words[0] == pos+1 && atomic.LoadUint64(&slot[0]) == pos+1
	return (*rawEvent)(unsafe.Pointer(&words)), same
}

// empty: it may still be filled. A writer moves the head before it takes the number away.
func (r *Ring) empty(pos uint64) bool {
	number := atomic.LoadUint64(&r.slot(pos)[0])
	return number <= pos && atomic.LoadUint64(&r.ring.head)-pos <= r.nr
}

// take hands out what is there or counts it as lost; false: it may still be filled.
func (r *Ring) take(pos uint64, fn func(*Event)) bool {
	if r.empty(pos) {
		return false
	}
	raw, ok := r.copySlot(pos)
	switch {
	case !ok:
		r.lost++
	case !raw.valid(monotonic()):
		r.refused++
	default:
		fn(raw.event())
	}
	return true
}

func monotonic() uint64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return uint64(now.Nano())
}

func (r *Ring) readHoles(last bool, fn func(*Event)) {
	kept := r.holes[:0]
	for _, h := range r.holes {
		switch {
		case r.take(h.pos, fn):
		case last || time.Since(h.since) > giveUp:
			r.lost++
		default:
			kept = append(kept, h)
		}
	}
	r.holes = kept
}

// stepOver leaves a slot for later; false: there are as many as can be remembered.
func (r *Ring) stepOver(last bool) bool {
	switch {
	case last:
		r.lost++
	case len(r.holes) == holesMax:
		return false
	default:
		r.holes = append(r.holes, hole{r.pos, time.Now()})
	}
	return true
}

func (r *Ring) read(last bool, fn func(*Event)) error {
	r.arm()
	head := atomic.LoadUint64(&r.ring.head)
	if head != 0 && atomic.LoadUint32(&r.ring.layout) != ringLayout {
		return ErrLayout
	}
	if head-r.pos > jumpMax {
		r.pos, r.holes = head, nil
		return ErrJump
	}
	r.readHoles(last, fn)
	if head-r.pos > r.nr {
		r.lost += head - r.pos - r.nr
		r.pos = head - r.nr
	}
	for ; r.pos < head; r.pos++ {
		if !r.take(r.pos, fn) && !r.stepOver(last) {
			break
		}
	}
	return nil
}

// Read calls fn with each event since the last Read. It does not wait: call it again within the
// time in which the programs can fill the ring, such as every 10 ms.
func (r *Ring) Read(fn func(*Event)) error { return r.read(false, fn) }

// ReadLast is the last Read, after the programs have ended: what is not complete is lost.
func (r *Ring) ReadLast(fn func(*Event)) error { return r.read(true, fn) }

// Lost is how many events were overwritten before they were read, or never completed.
func (r *Ring) Lost() uint64 { return r.lost }

// Refused is how many records no failure can have left: somebody has written into the ring.
func (r *Ring) Refused() uint64 { return r.refused }

// Groups counts all failures since the object was loaded, lost ones, too, by program, lock, kind,
// CPU and line. The second number is of those for which the table had no room.
func (r *Ring) Groups() ([]Group, uint64, error) {
	var all []Group
	others := atomic.LoadUint64(&r.ring.others)
	if atomic.LoadUint64(&r.ring.head) != 0 && atomic.LoadUint32(&r.ring.layout) != ringLayout {
		return nil, 0, ErrLayout
	}
	at := headSize + uintptr(r.nr)*eventSize
	for i := range uintptr(ringGroups) {
		g := (*rawGroup)(unsafe.Pointer(&r.mem[at+i*groupSize]))
		if atomic.LoadUint64(&g.key) == 0 {
			continue
		}
		n := atomic.LoadUint64(&g.count)
		if atomic.LoadUint64(&g.ready) == 0 || g.err >= 0 || g.err < -errnoMax ||
			int(g.kind) >= len(kindNames) {
			others += n
			continue
		}
		all = append(all, Group{
			Count: n, Kind: Kind(g.kind), Err: unix.Errno(-g.err), CPU: int(g.cpu),
			Prog: cString(g.prog[:]), File: cString(g.file[:]), Line: int(g.line), Lock: g.lock,
		})
	}
	return all, others, nil
}

// Close unmaps the ring, of which only Lost and Refused can be called then.
func (r *Ring) Close() error {
	mem := r.mem
	r.mem, r.ring = nil, nil
	return unix.Munmap(mem)
}
