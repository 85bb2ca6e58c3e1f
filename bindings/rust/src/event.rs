// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! One failed acquisition, as the program itself reported it.
use std::{fmt, time::Duration};

use crate::tables::{self, Kind, HELD_UNKNOWN, TID_UNKNOWN, WAIT_UNASKED};

const ERRNO_MAX: i32 = 4095;
const CPUS_MAX: u32 = 65536;
const HELD_MAX: u32 = 4096; // more locks than anybody can hold
const INT_MAX: u32 = i32::MAX as u32;

/// One failed acquisition, from a ring of `rqspin/res_events.bpf.h`. Locks are addresses in the
/// kernel; `rqspin trace` knows their names. `None` is what the program cannot know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// 1 + its position in the ring's history.
    pub seq: u64,
    /// `CLOCK_MONOTONIC`, when the scope began.
    pub time: Duration,
    /// `None` with each lock of the kernel or in an arena.
    pub wait: Option<Duration>,
    /// Why it failed.
    pub kind: Kind,
    /// A positive errno.
    pub err: i32,
    /// CPUs in the cycle.
    pub parties: Option<u32>,
    /// On which it failed.
    pub cpu: u32,
    /// Process of the current task.
    pub pid: u32,
    /// Its thread.
    pub tid: u32,
    /// Its name.
    pub comm: String,
    /// Name of the program's function.
    pub prog: String,
    /// `None`: the line is that of the report, not that of the lock call.
    pub file: Option<String>,
    /// Line of the source.
    pub line: Option<u32>,
    /// The lock that was wanted.
    pub lock: u64,
    /// Locks that this CPU held, oldest first, at most 8.
    pub held: Option<Vec<u64>>,
    /// How many it held.
    pub nr_held: Option<u32>,
    /// Who has the lock.
    pub owner: Option<Owner>,
}

/// The CPU that owns the lock. Only the fallback lock knows what it holds and wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its number.
    pub cpu: u32,
    /// The thread.
    pub tid: Option<u32>,
    /// Locks that it held, as in [`Event`].
    pub held: Option<Vec<u64>>,
    /// How many.
    pub nr_held: Option<u32>,
    /// The lock that it waits for.
    pub wants: Option<u64>,
}

/// A number of failures that are alike. Groups count all failures, lost events, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// How many.
    pub count: u64,
    /// Why they failed.
    pub kind: Kind,
    /// A positive errno.
    pub err: i32,
    /// On which they failed.
    pub cpu: u32,
    /// Name of the program's function.
    pub prog: String,
    /// As in [`Event`].
    pub file: Option<String>,
    /// As in [`Event`].
    pub line: Option<u32>,
    /// The lock that was wanted.
    pub lock: u64,
}

pub(crate) fn known(number: u32, unknown: u32) -> Option<u32> {
    (number != unknown).then_some(number)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn locks(all: &[u64], nr: u32) -> Option<Vec<u64>> {
    known(nr, HELD_UNKNOWN).map(|n| all[..all.len().min(n as usize)].to_vec())
}

/// Anybody can choose names: none of them controls a terminal.
pub(crate) fn printable(name: &str) -> String {
    let plain = |c: char| (c.is_ascii_graphic() || c == ' ') && c != '\\';
    name.chars()
        .map(|c| {
            if plain(c) {
                c.to_string()
            } else {
                c.escape_default().to_string()
            }
        })
        .collect()
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} in {}", self.kind, printable(&self.prog))?;
        match (&self.file, self.line) {
            (_, None) => {}
            (None, Some(line)) => write!(f, " reported at line {line}")?,
            (Some(file), Some(line)) => write!(f, " at {}:{line}", printable(file))?,
        }
        let comm = printable(&self.comm);
        let (cpu, pid, lock) = (self.cpu, self.pid, self.lock);
        write!(f, ": cpu {cpu} {comm}/{pid} wants {lock:#x}")?;
        for (i, lock) in self.held.iter().flatten().enumerate() {
            write!(f, "{} {lock:#x}", if i == 0 { " holds" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl tables::Event {
    fn owner(&self) -> Option<Owner> {
        Some(Owner {
            cpu: u32::try_from(self.owner_cpu).ok()?,
            tid: known(self.owner_tid, TID_UNKNOWN),
            held: locks(&self.owner_held, self.nr_owner_held),
            nr_held: known(self.nr_owner_held, HELD_UNKNOWN),
            wants: (self.owner_wants != 0).then_some(self.owner_wants),
        })
    }

    /// `None`: no failure can have left that. A ring is the program's own memory, and whoever may
    /// write maps may write anything there.
    pub(crate) fn event(&self, now_ns: u64) -> Option<Event> {
        // The two largest numbers say that it is not known.
        let wait = (self.wait_ns < WAIT_UNASKED).then_some(self.wait_ns);
        let held_valid = |nr| nr <= HELD_MAX || nr == HELD_UNKNOWN;
        let valid = (-ERRNO_MAX..0).contains(&self.err)
            && self.ts_ns <= now_ns
            && wait.unwrap_or(0) <= now_ns
            && self.parties <= CPUS_MAX
            && self.cpu < CPUS_MAX
            && (-1..CPUS_MAX as i32).contains(&self.owner_cpu)
            && [self.pid, self.tid, self.line]
                .iter()
                .all(|n| *n <= INT_MAX)
            && held_valid(self.nr_held)
            && held_valid(self.nr_owner_held)
            && (self.owner_tid <= INT_MAX || self.owner_tid == TID_UNKNOWN);
        let kind = *Kind::ALL.get(self.kind as usize)?;
        valid.then(|| Event {
            seq: self.seq,
            time: Duration::from_nanos(self.ts_ns),
            wait: wait.map(Duration::from_nanos),
            kind,
            err: -self.err,
            parties: known(self.parties, 0),
            cpu: self.cpu,
            pid: self.pid,
            tid: self.tid,
            comm: text(&self.comm),
            prog: text(&self.prog),
            file: (self.file[0] != 0).then(|| text(&self.file)),
            line: known(self.line, 0),
            lock: self.lock,
            held: locks(&self.held, self.nr_held),
            nr_held: known(self.nr_held, HELD_UNKNOWN),
            owner: self.owner(),
        })
    }
}

impl tables::Group {
    /// `None`: no failure can have left that.
    pub(crate) fn group(&self, count: u64) -> Option<Group> {
        let kind = *Kind::ALL.get(self.kind as usize)?;
        (-ERRNO_MAX..0).contains(&self.err).then(|| Group {
            count,
            kind,
            err: -self.err,
            cpu: self.cpu,
            prog: text(&self.prog),
            file: (self.file[0] != 0).then(|| text(&self.file)),
            line: known(self.line, 0),
            lock: self.lock,
        })
    }
}
