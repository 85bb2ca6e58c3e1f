// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! For programs that load BPF objects: read the failures of resilient locks, from an object's own
//! ring ([`Ring`]) or from `rqspin trace --json` ([`read_trace`]), and say what to do about an error
//! of a map operation ([`decide`], [`retry`]).
#![warn(missing_docs)]

mod event;
#[cfg(feature = "libbpf")]
mod libbpf;
mod policy;
mod ring;
#[rustfmt::skip]
mod tables;
pub mod trace;

pub use event::{Event, Group, Owner};
#[cfg(feature = "libbpf")]
pub use libbpf::{find_ring, held_delta};
pub use policy::{decide, retry, Cause, Decision, Errno, Error};
pub use ring::{Ring, RingError, RING_NAMES};
pub use tables::{Kind, Op};
pub use trace::read_trace;
