// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What to do about an error of a map operation.
use std::{error, fmt, io, thread, time::Duration};

use crate::tables::{Op, CAUSES, RETRIES};

/// A row of docs/map-errors.md: why an operation on a map returns an error, on any kernel.
/// `rqspin errno` says what holds on this one.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cause {
    /// Types of maps: numbers of the kernel's `enum bpf_map_type`.
    pub types: &'static [u32],
    /// Operations.
    pub ops: &'static [Op],
    /// Positive errnos; none: those of the operation on one element.
    pub errors: &'static [i32],
    /// What happened.
    pub cause: &'static str,
    /// The same may succeed after a pause.
    pub later: bool,
    /// Some elements have been done.
    pub resume: bool,
    /// What to do.
    pub advice: &'static [&'static str],
}

/// What to do about an error of a map operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// Try again: `tries` times at most, with [`Decision::pause`] before each.
    pub retry: bool,
    /// Of a batch: behind the elements that were done, not from its beginning.
    pub resume: bool,
    /// After the first one.
    pub tries: u32,
    /// Longest pause before the first of them.
    pub first: Duration,
    /// That return this error; none: it has nothing to do with locks.
    pub causes: Vec<&'static Cause>,
}

impl Decision {
    /// How long to wait before the nth try after the first one, n from 1: each is twice as long as
    /// the one before, and random in its upper half, so that two sides do not meet again.
    pub fn pause(&self, n: u32) -> Duration {
        let whole = self.first * (1 << (n.clamp(1, 16) - 1));
        whole / 2 + whole.mul_f64(fastrand::f64() / 2.0)
    }
}

/// Says what to do after an operation on a map has failed, from user space. `map_type` is a number
/// of the kernel's `enum bpf_map_type`, as `map.map_type() as u32` of libbpf-rs, `errno` positive.
pub fn decide(map_type: u32, op: Op, errno: i32) -> Decision {
    let mut decision = Decision::default();
    let mut resume = false;
    let about = |c: &&Cause| c.types.contains(&map_type) && c.ops.contains(&op);
    for cause in CAUSES.iter().filter(about) {
        resume |= cause.resume && cause.errors.is_empty();
        if cause.errors.contains(&errno) {
            decision.causes.push(cause);
            decision.retry |= cause.later;
            resume |= cause.resume;
        }
    }
    decision.resume = decision.retry && resume;
    let again = RETRIES.iter().find(|r| decision.retry && r.0 == errno);
    if let Some((_, tries, first_ms)) = again {
        decision.tries = *tries;
        decision.first = Duration::from_millis(*first_ms);
    }
    decision
}

/// Errors of operations on maps.
pub trait Errno {
    /// Positive; `None`: it is none of the kernel's.
    fn errno(&self) -> Option<i32>;
}

impl Errno for io::Error {
    fn errno(&self) -> Option<i32> {
        self.raw_os_error()
    }
}

/// An error of a map operation that is left after all tries.
#[derive(Debug)]
#[non_exhaustive]
pub struct Error<E> {
    /// The operation.
    pub op: Op,
    /// How often it was done.
    pub tries: u32,
    /// What it returned.
    pub error: E,
    /// What was decided.
    pub decision: Decision,
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {:#}", self.op.name(), self.error)?;
        if self.tries > 1 {
            write!(f, " ({} tries)", self.tries)?;
        }
        for cause in &self.decision.causes {
            write!(f, "; maybe: {}", cause.cause)?;
        }
        Ok(())
    }
}

impl<E: error::Error + 'static> error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Does an operation on a map, and again as [`decide`] says, until it succeeds or all tries have
/// failed. An error that is no matter of locks is returned at once. `act` of a batch goes on behind
/// the elements that were done. It sleeps: in asynchronous code use [`decide`].
pub fn retry<T, E: Errno>(
    map_type: u32,
    op: Op,
    mut act: impl FnMut() -> Result<T, E>,
) -> Result<T, Error<E>> {
    let mut tries = 0;
    loop {
        let error = match act() {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        tries += 1;
        let decision = error.errno().map(|e| decide(map_type, op, e));
        let decision = decision.unwrap_or_default();
        if tries > decision.tries {
            return Err(Error {
                op,
                tries,
                error,
                decision,
            });
        }
        thread::sleep(decision.pause(tries));
    }
}
