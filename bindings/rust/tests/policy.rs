// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What to do about errors. Types of maps are the kernel's numbers.
use std::io;

use rqspin::{decide, retry, Error, Op};

const HASH: u32 = 1;
const ARRAY: u32 = 2;
const PERCPU_HASH: u32 = 5;
const LRU_HASH: u32 = 9;
const LPM_TRIE: u32 = 11;
const QUEUE: u32 = 22;

#[test]
fn decisions() {
    let cases = [
        (HASH, Op::Update, libc::EDEADLK, true, false, 2),
        (LRU_HASH, Op::Delete, libc::ETIMEDOUT, true, false, 1),
        (HASH, Op::Update, libc::E2BIG, true, false, 2),
        (LRU_HASH, Op::Update, libc::ENOMEM, true, false, 3),
        (QUEUE, Op::Push, libc::E2BIG, false, false, 1),
        (QUEUE, Op::Update, libc::EBUSY, true, false, 3),
        (LPM_TRIE, Op::UpdateBatch, libc::EDEADLK, true, true, 1),
        (PERCPU_HASH, Op::LookupBatch, libc::EBUSY, true, true, 1),
        (HASH, Op::Update, libc::EEXIST, false, false, 0),
        (HASH, Op::UpdateBatch, libc::EFAULT, false, false, 0),
        (ARRAY, Op::Update, libc::EBUSY, false, false, 0),
    ];
    for (map_type, op, errno, again, resume, causes) in cases {
        let d = decide(map_type, op, errno);
        let got = (d.retry, d.resume, d.causes.len(), d.tries > 0);
        assert_eq!(got, (again, resume, causes, again), "{op:?} {errno}");
    }
}

#[test]
fn pauses_grow() {
    let d = decide(HASH, Op::Update, libc::EDEADLK);
    for n in 1..=d.tries {
        let whole = d.first * (1 << (n - 1));
        assert!((whole / 2..=whole).contains(&d.pause(n)));
    }
}

/// Fails so often, then succeeds; returns the calls as well.
fn tried(map_type: u32, op: Op, times: u32, errno: i32) -> (Result<u32, Error<io::Error>>, u32) {
    let mut calls = 0;
    let done = retry(map_type, op, || {
        calls += 1;
        if calls > times {
            return Ok(calls);
        }
        Err(io::Error::from_raw_os_error(errno))
    });
    (done, calls)
}

#[test]
fn retries() {
    assert_eq!(tried(HASH, Op::Update, 2, libc::EDEADLK).0.unwrap(), 3);
    let (left, calls) = tried(QUEUE, Op::Push, 100, libc::EBUSY);
    let left = left.unwrap_err();
    assert_eq!((left.tries, calls), (6, 6));
    assert!(left.to_string().contains("(6 tries); maybe: "));
    let (left, calls) = tried(QUEUE, Op::Push, 100, libc::E2BIG);
    assert_eq!(calls, 1);
    assert!(left.unwrap_err().to_string().ends_with("; maybe: map full"));
    let (left, calls) = tried(HASH, Op::Delete, 100, libc::ENOENT);
    assert_eq!((calls, left.unwrap_err().decision.causes.len()), (1, 0));
}
