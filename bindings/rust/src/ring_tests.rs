// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
use super::*;
use crate::tables::{Kind, WAIT_UNASKED};
use std::time::Duration;

const RECORDED: &str = include_str!("../../testdata/aa.ring");
const LINES: &str = include_str!("../../testdata/aa.ring.txt");

fn memory(size: usize) -> Ring {
    let mem = MmapOptions::new().len(size).map_anon().unwrap();
    Ring::over(mem.into()).unwrap()
}

/// With eight slots.
fn empty_ring() -> Ring {
    let ring = memory(REST + 8 * EVENT);
    ring.set_layout(RING_LAYOUT);
    ring
}

impl Ring {
    fn set_layout(&self, layout: u32) {
        let at = self.at(offset_of!(tables::Ring, layout)).cast();
        unsafe { AtomicU32::from_ptr(at) }.store(layout, Relaxed);
    }

    fn reserve(&self) -> u64 {
        let pos = self.head();
        self.word(offset_of!(tables::Ring, head))
            .store(pos + 1, Relaxed);
        self.word(self.slot(pos)).store(0, Relaxed);
        pos
    }

    fn fill(&self, pos: u64) {
        self.fill_with(pos, |_| {});
    }

    fn fill_with(&self, pos: u64, spoil: impl FnOnce(&mut tables::Event)) {
        let mut raw: tables::Event = unsafe { transmute([0u64; WORDS]) };
        raw.seq = pos + 1;
        raw.err = -libc::EDEADLK;
        raw.kind = 1;
        raw.line = pos as u32 + 1;
        spoil(&mut raw);
        unsafe { self.at(self.slot(pos)).cast::<tables::Event>().write(raw) };
    }
}

fn seqs(ring: &mut Ring, last: bool) -> Vec<u64> {
    let mut seqs = Vec::new();
    ring.read_to_head(last, |e| seqs.push(e.seq)).unwrap();
    seqs
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

#[test]
fn recorded_ring() {
    let (head, words) = RECORDED.split_once('\n').unwrap();
    let size = head.split(' ').next().unwrap().parse().unwrap();
    let mut ring = memory(size);
    for line in words.lines() {
        let (offset, word) = line.split_once(' ').unwrap();
        ring.word(hex(offset) as usize).store(hex(word), Relaxed);
    }
    let mut events = Vec::new();
    ring.read_last(|e| events.push(e)).unwrap();
    let lines: String = events.iter().map(|e| format!("{e}\n")).collect();
    assert_eq!((lines.as_str(), ring.lost(), ring.refused()), (LINES, 0, 0));
    let e = &events[2];
    assert_eq!((e.seq, e.err, e.wait), (3, libc::EDEADLK, None));
    assert_eq!((e.kind, e.parties, e.nr_held), (Kind::Aa, Some(1), Some(1)));
    let owner = e.owner.as_ref().unwrap();
    assert_eq!((owner.cpu, owner.tid), (e.cpu, Some(e.tid)));
    assert_eq!((owner.nr_held, owner.wants), (None, None));
    let (groups, others) = ring.groups().unwrap();
    assert_eq!((groups.len(), groups[0].count, others), (1, 3, 0));
    let g = &groups[0];
    assert_eq!(
        (&g.prog, &g.file, g.line, g.lock),
        (&e.prog, &e.file, e.line, e.lock)
    );
}

#[test]
fn what_is_behind_a_hole_does_not_wait() {
    let mut ring = empty_ring();
    ring.fill(ring.reserve());
    let hole = ring.reserve();
    ring.fill(ring.reserve());
    assert_eq!(seqs(&mut ring, false), [1, 3]);
    ring.fill(hole);
    assert_eq!(seqs(&mut ring, false), [2]);
    assert_eq!((seqs(&mut ring, true).len(), ring.lost()), (0, 0));
}

#[test]
fn the_last_read_counts_what_never_came() {
    let mut ring = empty_ring();
    ring.reserve();
    ring.fill(ring.reserve());
    assert_eq!(seqs(&mut ring, false), [2]);
    ring.reserve();
    assert_eq!((seqs(&mut ring, true).len(), ring.lost()), (0, 2));
}

#[test]
fn overwritten_events_are_lost_once() {
    let mut ring = empty_ring();
    ring.reserve();
    assert!(seqs(&mut ring, false).is_empty());
    for _ in 0..16 {
        ring.fill(ring.reserve());
    }
    assert_eq!(seqs(&mut ring, false), (10..18).collect::<Vec<_>>());
    assert_eq!(ring.lost(), 9);
}

#[test]
fn nonsense_is_refused() {
    let mut ring = empty_ring();
    let spoil: [fn(&mut tables::Event); 7] = [
        |e| e.err = 35,
        |e| e.ts_ns = 1 << 63,
        |e| e.kind = Kind::ALL.len() as u32,
        |e| e.cpu = 65536,
        |e| e.nr_held = 4097,
        |e| e.owner_cpu = -2,
        |e| e.wait_ns = WAIT_UNASKED - 1,
    ];
    for (i, spoil) in (1..).zip(spoil) {
        ring.fill_with(ring.reserve(), spoil);
        assert!(seqs(&mut ring, false).is_empty());
        assert_eq!(ring.refused(), i);
    }
}

#[test]
fn an_unknown_wait_is_no_nonsense() {
    let mut ring = empty_ring();
    for wait in [0, WAIT_UNASKED, u64::MAX] {
        ring.fill_with(ring.reserve(), |e| e.wait_ns = wait);
    }
    let mut waits = Vec::new();
    ring.read_to_head(false, |e| waits.push(e.wait)).unwrap();
    assert_eq!(waits, [Some(Duration::ZERO), None, None]);
    assert_eq!(ring.refused(), 0);
}

#[test]
fn a_head_out_of_order_is_an_error() {
    let mut ring = empty_ring();
    ring.fill(ring.reserve());
    assert_eq!(seqs(&mut ring, false), [1]);
    ring.word(0).store(0, Relaxed);
    assert!(matches!(ring.read(|_| panic!()), Err(RingError::Jump)));
    ring.fill(ring.reserve());
    assert_eq!(seqs(&mut ring, false), [1]);
}

#[test]
fn other_layouts() {
    for size in [1, 100, REST, REST + 24, REST + 3 * EVENT] {
        let mem = MmapOptions::new().len(size).map_anon().unwrap();
        assert!(matches!(Ring::over(mem.into()), Err(RingError::Layout)));
    }
    let mut ring = empty_ring();
    ring.set_layout(RING_LAYOUT + 1);
    ring.fill(ring.reserve());
    assert!(matches!(ring.read(|_| panic!()), Err(RingError::Layout)));
    assert!(matches!(ring.groups(), Err(RingError::Layout)));
}

#[test]
fn no_name_controls_a_terminal() {
    let mut ring = empty_ring();
    ring.fill_with(ring.reserve(), |e| {
        e.prog[..5].copy_from_slice(b"a\x1b[2\n")
    });
    let mut text = String::new();
    ring.read(|e| text = e.to_string()).unwrap();
    assert_eq!(
        text,
        "AA in a\\u{1b}[2\\n reported at line 1: cpu 0 /0 wants 0x0"
    );
}
