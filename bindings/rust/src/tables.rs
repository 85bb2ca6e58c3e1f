// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Made by scripts/bindings-tables.py from user/errors/*.tsv and include/rqspin/event.h.
use crate::policy::Cause;

pub(crate) const RING_LAYOUT: u32 = 5;
pub(crate) const RING_GROUPS: u32 = 512;
pub(crate) const HELD_UNKNOWN: u32 = 4294967295;
pub(crate) const TID_UNKNOWN: u32 = 4294967295;
pub(crate) const WAIT_UNASKED: u64 = 18446744073709551614;

/// Why an acquisition failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `UNKNOWN`
    Unknown,
    /// `AA`
    Aa,
    /// `ABBA`
    Abba,
    /// `CYCLE`
    Cycle,
    /// `TIMEOUT`
    Timeout,
    /// `NESTED`
    Nested,
}

impl Kind {
    /// Each of them.
    pub const ALL: &'static [Self] = &[Self::Unknown, Self::Aa, Self::Abba, Self::Cycle, Self::Timeout, Self::Nested];

    /// As `rqspin trace` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::Aa => "AA",
            Self::Abba => "ABBA",
            Self::Cycle => "CYCLE",
            Self::Timeout => "TIMEOUT",
            Self::Nested => "NESTED",
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Event {
    pub seq: u64,
    pub ts_ns: u64,
    pub wait_ns: u64,
    pub lock: u64,
    pub owner_wants: u64,
    pub err: i32,
    pub kind: u32,
    pub parties: u32,
    pub cpu: u32,
    pub owner_cpu: i32,
    pub pid: u32,
    pub tid: u32,
    pub line: u32,
    pub nr_held: u32,
    pub nr_owner_held: u32,
    pub owner_tid: u32,
    pub group: u32,
    pub held: [u64; 8],
    pub owner_held: [u64; 8],
    pub comm: [u8; 16],
    pub prog: [u8; 16],
    pub file: [u8; 32],
}
const _: () = assert!(std::mem::size_of::<Event>() == 280);

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub seq: u64,
    pub frame: u64,
    pub lock: u64,
    pub line: u32,
    pub file: [u8; 32],
    pub pad: u32,
}
const _: () = assert!(std::mem::size_of::<Site>() == 64);

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub key: u64,
    pub count: u64,
    pub ready: u64,
    pub lock: u64,
    pub ts_ns: u64,
    pub err: i32,
    pub kind: u32,
    pub parties: u32,
    pub cpu: u32,
    pub line: u32,
    pub unasked: u32,
    pub prog: [u8; 16],
    pub file: [u8; 32],
}
const _: () = assert!(std::mem::size_of::<Group>() == 112);

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Ring {
    pub head: u64,
    pub held_delta: i64,
    pub layout: u32,
    pub groups_used: u32,
    pub others: u64,
    pub others_unasked: u64,
    pub pad: [u64; 3],
    pub site_head: u64,
    pub sites: [Site; 64],
}
const _: () = assert!(std::mem::size_of::<Ring>() == 4168);

/// An operation on a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Op {
    /// `update`
    Update,
    /// `update_batch`
    UpdateBatch,
    /// `delete`
    Delete,
    /// `delete_batch`
    DeleteBatch,
    /// `lookup_and_delete`
    LookupAndDelete,
    /// `lookup`
    Lookup,
    /// `get_next_key`
    GetNextKey,
    /// `lookup_batch`
    LookupBatch,
    /// `lookup_and_delete_batch`
    LookupAndDeleteBatch,
    /// `push`
    Push,
    /// `pop`
    Pop,
    /// `peek`
    Peek,
    /// `output`
    Output,
    /// `reserve`
    Reserve,
    /// `reserve_dynptr`
    ReserveDynptr,
    /// `submit`
    Submit,
    /// `discard`
    Discard,
    /// `query`
    Query,
    /// `drain`
    Drain,
    /// `get_stackid`
    GetStackid,
    /// `get`
    Get,
    /// `alloc_pages`
    AllocPages,
    /// `free_pages`
    FreePages,
}

impl Op {
    /// Each of them.
    pub const ALL: &'static [Self] = &[Self::Update, Self::UpdateBatch, Self::Delete, Self::DeleteBatch, Self::LookupAndDelete, Self::Lookup, Self::GetNextKey, Self::LookupBatch, Self::LookupAndDeleteBatch, Self::Push, Self::Pop, Self::Peek, Self::Output, Self::Reserve, Self::ReserveDynptr, Self::Submit, Self::Discard, Self::Query, Self::Drain, Self::GetStackid, Self::Get, Self::AllocPages, Self::FreePages];

    /// As `rqspin errno` names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::UpdateBatch => "update_batch",
            Self::Delete => "delete",
            Self::DeleteBatch => "delete_batch",
            Self::LookupAndDelete => "lookup_and_delete",
            Self::Lookup => "lookup",
            Self::GetNextKey => "get_next_key",
            Self::LookupBatch => "lookup_batch",
            Self::LookupAndDeleteBatch => "lookup_and_delete_batch",
            Self::Push => "push",
            Self::Pop => "pop",
            Self::Peek => "peek",
            Self::Output => "output",
            Self::Reserve => "reserve",
            Self::ReserveDynptr => "reserve_dynptr",
            Self::Submit => "submit",
            Self::Discard => "discard",
            Self::Query => "query",
            Self::Drain => "drain",
            Self::GetStackid => "get_stackid",
            Self::Get => "get",
            Self::AllocPages => "alloc_pages",
            Self::FreePages => "free_pages",
        }
    }
}

/// Error, tries after the first, milliseconds before the first of them.
pub(crate) const RETRIES: &[(i32, u32, u64)] = &[
    (libc::EDEADLK, 5, 1),
    (libc::EBUSY, 5, 1),
    (libc::ETIMEDOUT, 2, 100),
    (libc::ENOMEM, 4, 1),
    (libc::E2BIG, 1, 1),
    (libc::EAGAIN, 4, 1),
    (libc::EINVAL, 1, 1),
];

pub(crate) const CAUSES: &[Cause] = &[
    Cause { types: &[1, 5, 13], ops: &[Op::Update, Op::UpdateBatch, Op::Delete, Op::DeleteBatch, Op::LookupAndDelete], errors: &[libc::EBUSY, libc::EDEADLK],
        cause: "program nested in an operation on the same bucket", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU.", "Test for `-EBUSY`, `-EDEADLK` and `-ETIMEDOUT` alike: which of them comes depends on the kernel."] },
    Cause { types: &[1, 5, 13], ops: &[Op::Update, Op::UpdateBatch, Op::Delete, Op::DeleteBatch, Op::LookupAndDelete], errors: &[libc::EBUSY],
        cause: "program nested in an operation on another bucket of the map", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU.", "Test for `-EBUSY`, `-EDEADLK` and `-ETIMEDOUT` alike: which of them comes depends on the kernel."] },
    Cause { types: &[1, 5, 13], ops: &[Op::Update, Op::UpdateBatch, Op::Delete, Op::DeleteBatch, Op::LookupAndDelete], errors: &[libc::EDEADLK],
        cause: "two CPUs nest operations on two maps in opposite order", later: false, resume: false,
        advice: &["Let all programs nest operations on these maps in the same order, or end one before the next begins."] },
    Cause { types: &[1, 5, 13], ops: &[Op::Update, Op::UpdateBatch, Op::Delete, Op::DeleteBatch, Op::LookupAndDelete], errors: &[libc::ETIMEDOUT],
        cause: "owner does not release", later: true, resume: false,
        advice: &["Try again in the next run of the program. In a guest the owner's vCPU may not have been running."] },
    Cause { types: &[1, 5, 13], ops: &[Op::Update, Op::UpdateBatch], errors: &[libc::EBUSY],
        cause: "replaces an element of a full preallocated map, nested in another replacement on the same CPU", later: false, resume: false,
        advice: &["Give the map more room (`max_entries`), or do not replace elements in programs that run on top of each other."] },
    Cause { types: &[1, 5, 13], ops: &[Op::Update, Op::UpdateBatch], errors: &[libc::E2BIG, libc::EBUSY],
        cause: "free lists cannot be locked, no free element elsewhere (insert or nested replacement, preallocated)", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU."] },
    Cause { types: &[1, 5, 13], ops: &[Op::Update, Op::UpdateBatch], errors: &[libc::E2BIG],
        cause: "map full (insert)", later: false, resume: false,
        advice: &["Raise `max_entries` or delete elements: no lock has failed."] },
    Cause { types: &[1, 5, 13], ops: &[Op::Update, Op::UpdateBatch], errors: &[libc::ENOMEM],
        cause: "no memory for a new element, though memory is free: a map with `BPF_F_NO_PREALLOC` takes it, with interrupts off, from the CPU's cache, which many insertions in a row empty", later: true, resume: false,
        advice: &["Try again in the next run of the program, or after a moment in user space: the kernel fills the CPU's cache when interrupts are on.", "Let the map preallocate its elements (without `BPF_F_NO_PREALLOC`), or insert in smaller batches."] },
    Cause { types: &[1, 5, 13], ops: &[Op::Lookup, Op::GetNextKey], errors: &[],
        cause: "takes no lock of the map; nor do iterators and an update of an existing element with `BPF_F_LOCK`", later: false, resume: false,
        advice: &[] },
    Cause { types: &[1, 5, 13, 9, 10], ops: &[Op::LookupBatch, Op::LookupAndDeleteBatch], errors: &[libc::EBUSY, libc::ETIMEDOUT],
        cause: "bucket cannot be locked", later: true, resume: true,
        advice: &["Read `count` and `out_batch`: the next call continues there."] },
    Cause { types: &[1, 5, 13, 9, 10, 11], ops: &[Op::UpdateBatch, Op::DeleteBatch], errors: &[],
        cause: "the single operation fails", later: true, resume: true,
        advice: &["Read `count`: so many elements were done. Treat the error as that of the single operation, and go on behind them."] },
    Cause { types: &[9, 10], ops: &[Op::Update, Op::UpdateBatch], errors: &[libc::EBUSY, libc::EDEADLK, libc::ETIMEDOUT],
        cause: "bucket cannot be locked", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU.", "Test for `-EBUSY`, `-EDEADLK` and `-ETIMEDOUT` alike: which of them comes depends on the kernel."] },
    Cause { types: &[9, 10], ops: &[Op::Update, Op::UpdateBatch], errors: &[libc::ENOMEM],
        cause: "an LRU list cannot be locked (program on top of its owner)", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU."] },
    Cause { types: &[9, 10], ops: &[Op::Update, Op::UpdateBatch], errors: &[libc::ENOMEM],
        cause: "owner of an LRU list, or of a bucket to evict from, does not release", later: true, resume: false,
        advice: &["Try again in the next run of the program. In a guest the owner's vCPU may not have been running."] },
    Cause { types: &[9, 10], ops: &[Op::Update, Op::UpdateBatch], errors: &[libc::ENOMEM],
        cause: "nothing can be evicted", later: false, resume: false,
        advice: &["Raise `max_entries`: every element that this CPU may evict is in use."] },
    Cause { types: &[9, 10], ops: &[Op::Delete, Op::DeleteBatch, Op::LookupAndDelete], errors: &[libc::EBUSY, libc::EDEADLK, libc::ETIMEDOUT],
        cause: "bucket cannot be locked", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU.", "Test for `-EBUSY`, `-EDEADLK` and `-ETIMEDOUT` alike: which of them comes depends on the kernel."] },
    Cause { types: &[9, 10], ops: &[Op::Delete, Op::DeleteBatch, Op::LookupAndDelete], errors: &[],
        cause: "LRU list cannot be locked", later: false, resume: false,
        advice: &[] },
    Cause { types: &[9, 10], ops: &[Op::Lookup, Op::GetNextKey], errors: &[],
        cause: "takes no lock of the map", later: false, resume: false,
        advice: &[] },
    Cause { types: &[11], ops: &[Op::Update, Op::UpdateBatch, Op::Delete, Op::DeleteBatch], errors: &[libc::EDEADLK],
        cause: "nested in an operation on the same trie", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU.", "Test for `-EBUSY`, `-EDEADLK` and `-ETIMEDOUT` alike: which of them comes depends on the kernel."] },
    Cause { types: &[11], ops: &[Op::Update, Op::UpdateBatch, Op::Delete, Op::DeleteBatch], errors: &[libc::ETIMEDOUT],
        cause: "owner does not release", later: true, resume: false,
        advice: &["Try again in the next run of the program. In a guest the owner's vCPU may not have been running."] },
    Cause { types: &[11], ops: &[Op::Update, Op::UpdateBatch], errors: &[libc::ENOMEM],
        cause: "no memory", later: true, resume: false,
        advice: &["Try again in the next run of the program, or after a moment in user space: the kernel fills the CPU's cache when interrupts are on."] },
    Cause { types: &[11], ops: &[Op::Lookup, Op::GetNextKey], errors: &[],
        cause: "takes no lock of the map", later: false, resume: false,
        advice: &[] },
    Cause { types: &[22, 23], ops: &[Op::Push, Op::Pop, Op::Peek, Op::LookupAndDelete, Op::Update, Op::Lookup], errors: &[libc::EBUSY],
        cause: "lock taken, caller in an NMI", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU."] },
    Cause { types: &[22, 23], ops: &[Op::Push, Op::Pop, Op::Peek, Op::LookupAndDelete, Op::Update, Op::Lookup], errors: &[libc::EBUSY],
        cause: "nested in an operation on the same map", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU."] },
    Cause { types: &[22, 23], ops: &[Op::Push, Op::Pop, Op::Peek, Op::LookupAndDelete, Op::Update, Op::Lookup], errors: &[libc::EBUSY],
        cause: "owner does not release", later: true, resume: false,
        advice: &["Try again in the next run of the program. In a guest the owner's vCPU may not have been running."] },
    Cause { types: &[22, 23], ops: &[Op::Pop, Op::Peek, Op::LookupAndDelete, Op::Lookup], errors: &[],
        cause: "the value after any of these errors", later: false, resume: false,
        advice: &[] },
    Cause { types: &[22, 23], ops: &[Op::Push, Op::Update], errors: &[libc::E2BIG],
        cause: "map full", later: false, resume: false,
        advice: &["Raise `max_entries` or delete elements: no lock has failed."] },
    Cause { types: &[27], ops: &[Op::Output], errors: &[libc::EAGAIN],
        cause: "no room", later: false, resume: false,
        advice: &["Enlarge the ring buffer, or let its consumer read sooner: no lock has failed."] },
    Cause { types: &[27], ops: &[Op::Output], errors: &[libc::EAGAIN],
        cause: "lock taken, caller in an NMI", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU.", "If the record is smaller than the ring, the flags are valid, and `bpf_ringbuf_query()` says that there is room (`BPF_RB_AVAIL_DATA` well below `BPF_RB_RING_SIZE`), the lock has failed."] },
    Cause { types: &[27], ops: &[Op::Output], errors: &[libc::EAGAIN],
        cause: "nested in a reservation", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU.", "If the record is smaller than the ring, the flags are valid, and `bpf_ringbuf_query()` says that there is room (`BPF_RB_AVAIL_DATA` well below `BPF_RB_RING_SIZE`), the lock has failed."] },
    Cause { types: &[27], ops: &[Op::Output], errors: &[libc::EAGAIN],
        cause: "owner does not release", later: true, resume: false,
        advice: &["Try again in the next run of the program. In a guest the owner's vCPU may not have been running.", "If the record is smaller than the ring, the flags are valid, and `bpf_ringbuf_query()` says that there is room (`BPF_RB_AVAIL_DATA` well below `BPF_RB_RING_SIZE`), the lock has failed."] },
    Cause { types: &[27], ops: &[Op::Reserve], errors: &[],
        cause: "no room", later: false, resume: false,
        advice: &["Enlarge the ring buffer, or let its consumer read sooner: no lock has failed."] },
    Cause { types: &[27], ops: &[Op::Reserve], errors: &[],
        cause: "lock cannot be taken", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU.", "If the record is smaller than the ring, the flags are valid, and `bpf_ringbuf_query()` says that there is room (`BPF_RB_AVAIL_DATA` well below `BPF_RB_RING_SIZE`), the lock has failed."] },
    Cause { types: &[27], ops: &[Op::ReserveDynptr], errors: &[libc::EINVAL],
        cause: "no room", later: false, resume: false,
        advice: &["Enlarge the ring buffer, or let its consumer read sooner: no lock has failed."] },
    Cause { types: &[27], ops: &[Op::ReserveDynptr], errors: &[libc::EINVAL],
        cause: "lock cannot be taken", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU.", "If the record is smaller than the ring, the flags are valid, and `bpf_ringbuf_query()` says that there is room (`BPF_RB_AVAIL_DATA` well below `BPF_RB_RING_SIZE`), the lock has failed."] },
    Cause { types: &[27], ops: &[Op::Submit, Op::Discard, Op::Query], errors: &[],
        cause: "takes no lock", later: false, resume: false,
        advice: &[] },
    Cause { types: &[31], ops: &[Op::Drain], errors: &[libc::EBUSY],
        cause: "takes no such lock; another CPU drains it", later: true, resume: false,
        advice: &["Try again when the other CPU is done."] },
    Cause { types: &[7], ops: &[Op::GetStackid], errors: &[libc::ENOMEM],
        cause: "free lists cannot be locked, no free bucket elsewhere", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU."] },
    Cause { types: &[7], ops: &[Op::GetStackid], errors: &[libc::ENOMEM],
        cause: "no free bucket", later: false, resume: false,
        advice: &["Raise `max_entries` or delete elements: no lock has failed."] },
    Cause { types: &[7], ops: &[Op::Delete, Op::Lookup], errors: &[],
        cause: "free list cannot be locked", later: false, resume: false,
        advice: &[] },
    Cause { types: &[29, 32], ops: &[Op::Get, Op::Delete, Op::Update, Op::Lookup], errors: &[libc::EBUSY, libc::EDEADLK, libc::ETIMEDOUT],
        cause: "lock cannot be taken", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU."] },
    Cause { types: &[28], ops: &[Op::Get, Op::Delete, Op::Update, Op::Lookup], errors: &[libc::ETIMEDOUT],
        cause: "lock cannot be taken (no program that has these functions runs on top of the lock's owner)", later: true, resume: false,
        advice: &["Try again in the next run of the program. In a guest the owner's vCPU may not have been running."] },
    Cause { types: &[24], ops: &[Op::Get, Op::Delete, Op::Update, Op::Lookup], errors: &[libc::EDEADLK, libc::ETIMEDOUT],
        cause: "lock cannot be taken", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU."] },
    Cause { types: &[29, 32, 28, 24], ops: &[Op::Get, Op::Update, Op::Lookup], errors: &[],
        cause: "no element, and no `BPF_LOCAL_STORAGE_GET_F_CREATE` or no memory", later: false, resume: false,
        advice: &[] },
    Cause { types: &[2], ops: &[Op::Update], errors: &[],
        cause: "the `bpf_res_spin_lock` of the element's list or tree cannot be acquired", later: false, resume: false,
        advice: &["The result does not say what became of the list: take its objects out before the update. Stock kernels up to 7.3 never free them (KNOWN_ISSUES.md)."] },
    Cause { types: &[2, 6, 30, 14, 25, 15, 18, 26], ops: &[Op::Update, Op::Delete, Op::Lookup, Op::Push, Op::Peek], errors: &[],
        cause: "takes no resilient lock of the map", later: false, resume: false,
        advice: &[] },
    Cause { types: &[33], ops: &[Op::AllocPages], errors: &[],
        cause: "lock cannot be taken", later: true, resume: false,
        advice: &["Try again in the next run of the program, not at once: it may have interrupted the owner of the lock, or the owner may wait for this CPU."] },
    Cause { types: &[33], ops: &[Op::FreePages], errors: &[],
        cause: "lock cannot be taken; a program that cannot sleep does not try", later: false, resume: false,
        advice: &[] },
];
