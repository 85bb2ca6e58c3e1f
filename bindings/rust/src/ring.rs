// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The ring of events in an object's own memory.
use std::{
    error, fmt, io,
    mem::{offset_of, size_of, transmute},
    os::fd::{AsRawFd, BorrowedFd},
    sync::atomic::{fence, AtomicI64, AtomicU32, AtomicU64, Ordering::*},
    time::{Duration, Instant},
};

use memmap2::{MmapOptions, MmapRaw};

use crate::{
    event::{Event, Group},
    tables::{self, RING_GROUPS, RING_LAYOUT},
};

/// Names of maps that are rings.
pub const RING_NAMES: [&str; 2] = [".bss.rqspin", ".data.rqspin"];

const EVENT: usize = size_of::<tables::Event>();
const WORDS: usize = EVENT / 8;
const HEAD: usize = size_of::<tables::Ring>();
const GROUP: usize = size_of::<tables::Group>();
const REST: usize = HEAD + RING_GROUPS as usize * GROUP;

const HOLES_MAX: usize = 64;
const GIVE_UP: Duration = Duration::from_secs(1); // a slot is not filled by then: no writer
const JUMP_MAX: u64 = 1 << 40; // more than any writers can do between two reads

/// Why a ring cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum RingError {
    /// No map of the object is a ring.
    NoRing,
    /// The ring cannot be mapped.
    Map(io::Error),
    /// Its program was compiled with the headers of another release.
    Layout,
    /// What follows is read, but how many events are missing is not known.
    Jump,
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoRing => {
                f.write_str("no ring of events: does the object include rqspin/res_events.bpf.h?")
            }
            Self::Map(error) => write!(f, "the ring cannot be mapped: {error}"),
            Self::Layout => f.write_str(
                "the ring has another layout: its program was compiled with the headers of \
                 another release, compile it again",
            ),
            Self::Jump => f.write_str(
                "the ring's count of events is not where programs leave it: an unknown number \
                 of events is lost",
            ),
        }
    }
}

impl error::Error for RingError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Map(error) => Some(error),
            _ => None,
        }
    }
}

/// A slot that was reserved and not filled when it was read.
struct Hole {
    pos: u64,
    since: Instant,
}

/// Reads the events of one object.
pub struct Ring {
    mem: MmapRaw,
    nr: u64,
    pos: u64,
    holes: Vec<Hole>,
    delta: i64,
    lost: u64,
    refused: u64,
}

impl Ring {
    /// Maps a ring into memory, where it stays if the map is closed. `size` is the size of the
    /// map's value. See [`Ring::arm`]; with libbpf-rs use `Ring::open`.
    pub fn from_fd(map: BorrowedFd, size: usize) -> Result<Self, RingError> {
        let mem = MmapOptions::new().len(size).map_raw(map.as_raw_fd());
        Self::over(mem.map_err(RingError::Map)?)
    }

    fn over(mem: MmapRaw) -> Result<Self, RingError> {
        let slots = mem.len().checked_sub(REST).ok_or(RingError::Layout)?;
        let nr = slots / EVENT;
        if !nr.is_power_of_two() || nr * EVENT != slots {
            return Err(RingError::Layout);
        }
        Ok(Self {
            mem,
            nr: nr as u64,
            pos: 0,
            holes: Vec::new(),
            delta: 0,
            lost: 0,
            refused: 0,
        })
    }

    /// Tells programs where to find what their CPU holds (`held_delta()`), before they run. They
    /// tell AA from ABBA only then.
    pub fn arm(&mut self, delta: i64) {
        self.delta = delta;
        self.arm_again();
    }

    /// A loader may have written the first contents over it.
    fn arm_again(&self) {
        let at = self.at(offset_of!(tables::Ring, held_delta)).cast();
        // SAFETY: mapped memory, aligned; programs only read it.
        let told = unsafe { AtomicI64::from_ptr(at) };
        if self.delta != 0 {
            let _ = told.compare_exchange(0, self.delta, Relaxed, Relaxed);
        }
    }

    fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset < self.mem.len());
        // SAFETY: every caller stays within what over() has found.
        unsafe { self.mem.as_mut_ptr().add(offset) }
    }

    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: mapped as long as self is, aligned to 8; programs write it atomically.
        unsafe { AtomicU64::from_ptr(self.at(offset).cast()) }
    }

    fn head(&self) -> u64 {
        self.word(offset_of!(tables::Ring, head)).load(Acquire)
    }

    fn check_layout(&self, head: u64) -> Result<(), RingError> {
        let at = self.at(offset_of!(tables::Ring, layout)).cast();
        // SAFETY: as in word().
        let layout = unsafe { AtomicU32::from_ptr(at) }.load(Relaxed);
        if head != 0 && layout != RING_LAYOUT {
            return Err(RingError::Layout);
        }
        Ok(())
    }

    fn slot(&self, pos: u64) -> usize {
        HEAD + (pos % self.nr) as usize * EVENT
    }

    /// What is in place of pos, if it is that and stays that while it is copied.
    fn copy(&self, pos: u64) -> Option<tables::Event> {
        let slot = self.slot(pos);
        let number = || self.word(slot);
        let mut words = [0; WORDS];
        if number().load(Acquire) != pos + 1 {
            return None;
        }
        for (i, word) in words.iter_mut().enumerate() {
            *word = self.word(slot + i * 8).load(Relaxed);
        }
        fence(Acquire);
        // SAFETY: numbers and bytes only, of which every pattern is a value.
        (number().load(Relaxed) == pos + 1).then(|| unsafe { transmute(words) })
    }

    /// It may still be filled. A writer moves the head before it takes the number away.
    fn empty(&self, pos: u64) -> bool {
        let number = self.word(self.slot(pos)).load(Acquire);
        number <= pos && self.head().wrapping_sub(pos) <= self.nr
    }

    /// Hands out what is there or counts it as lost; false: it may still be filled.
    fn take(&mut self, pos: u64, show: &mut impl FnMut(Event)) -> bool {
        if self.empty(pos) {
            return false;
        }
        match self.copy(pos) {
            None => self.lost += 1,
            Some(raw) => match raw.event(monotonic_ns()) {
                None => self.refused += 1,
                Some(event) => show(event),
            },
        }
        true
    }

    fn read_holes(&mut self, last: bool, show: &mut impl FnMut(Event)) {
        for hole in std::mem::take(&mut self.holes) {
            if self.take(hole.pos, show) {
                continue;
            }
            if last || hole.since.elapsed() > GIVE_UP {
                self.lost += 1;
            } else {
                self.holes.push(hole);
            }
        }
    }

    /// Leaves a slot for later; false: there are as many as can be remembered.
    fn step_over(&mut self, last: bool) -> bool {
        if last {
            self.lost += 1;
        } else if self.holes.len() == HOLES_MAX {
            return false;
        } else {
            let (pos, since) = (self.pos, Instant::now());
            self.holes.push(Hole { pos, since });
        }
        true
    }

    fn read_to_head(&mut self, last: bool, mut show: impl FnMut(Event)) -> Result<(), RingError> {
        self.arm_again();
        let head = self.head();
        self.check_layout(head)?;
        if head.wrapping_sub(self.pos) > JUMP_MAX {
            self.pos = head;
            self.holes.clear();
            return Err(RingError::Jump);
        }
        self.read_holes(last, &mut show);
        if head - self.pos > self.nr {
            self.lost += head - self.pos - self.nr;
            self.pos = head - self.nr;
        }
        while self.pos < head && (self.take(self.pos, &mut show) || self.step_over(last)) {
            self.pos += 1;
        }
        Ok(())
    }

    /// Calls `show` with each event since the last `read`. It does not wait: call it again within
    /// the time in which the programs can fill the ring, such as every 10 ms.
    pub fn read(&mut self, show: impl FnMut(Event)) -> Result<(), RingError> {
        self.read_to_head(false, show)
    }

    /// The last `read`, after the programs have ended: what is not complete is lost.
    pub fn read_last(&mut self, show: impl FnMut(Event)) -> Result<(), RingError> {
        self.read_to_head(true, show)
    }

    /// How many events were overwritten before they were read, or never completed.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// How many records no failure can have left: somebody has written into the ring.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Counts all failures since the object was loaded, lost ones, too, by program, lock, kind, CPU
    /// and line. The second number is of those for which the table had no room.
    pub fn groups(&self) -> Result<(Vec<Group>, u64), RingError> {
        let mut others = self.word(offset_of!(tables::Ring, others)).load(Relaxed);
        let mut all = Vec::new();
        self.check_layout(self.head())?;
        for i in 0..RING_GROUPS as usize {
            let at = HEAD + self.nr as usize * EVENT + i * GROUP;
            let word = |offset| self.word(at + offset).load(Acquire);
            if word(offset_of!(tables::Group, key)) == 0 {
                continue;
            }
            let count = word(offset_of!(tables::Group, count));
            let ready = word(offset_of!(tables::Group, ready)) != 0;
            // SAFETY: numbers and bytes only; what is ready is not written again.
            let raw = unsafe { self.at(at).cast::<tables::Group>().read_volatile() };
            match raw.group(count) {
                Some(group) if ready => all.push(group),
                _ => others += count,
            }
        }
        Ok((all, others))
    }
}

fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes there, and cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;
