// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Lines of `rqspin trace --json`. `None` is what the kernel or the source of the event does not
//! know; docs/events.schema.json explains each member.
#![allow(missing_docs)]
use std::{collections::BTreeMap, error, fmt, io, path::Path};

use serde::{Deserialize, Serialize};

use crate::event::printable;

/// The version of lines that [`read_trace`] knows.
pub const SCHEMA: &str = "rqspin-event/2";

/// A lock, inside a map or in its values, or a variable of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    pub name: Option<String>,
    pub map_id: Option<u32>,
    pub map: Option<String>,
    pub map_type: Option<String>,
    pub internal: Option<String>,
    pub index: Option<u64>,
    pub key: Option<String>,
    pub path: Option<String>,
    pub addr: Option<String>,
}

/// A BPF program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prog {
    pub id: Option<u32>,
    pub name: Option<String>,
}

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    pub line: u32,
    pub file: Option<String>,
    pub text: Option<String>,
    pub call: bool,
}

/// The CPU that owns the lock, and the task on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub cpu: u32,
    pub pid: Option<u32>,
    pub tid: Option<u32>,
    pub comm: Option<String>,
    pub held: Option<Vec<Lock>>,
    pub nr_held: Option<u32>,
    pub wants: Option<Lock>,
}

/// Member of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub cpu: u32,
    pub tid: Option<u32>,
    pub wants: Option<Lock>,
    pub prog: Option<Prog>,
    pub at: Option<At>,
    pub function: Option<String>,
}

/// One failed acquisition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub time: String,
    pub ts_ns: u64,
    pub kind: String,
    pub parties: Option<u32>,
    pub err: Option<i32>,
    pub errno: Option<String>,
    pub wait_ns: Option<u64>,
    pub cpu: u32,
    pub pid: Option<u32>,
    pub tid: Option<u32>,
    pub comm: Option<String>,
    pub prog: Option<Prog>,
    pub map_id: Option<u32>,
    pub lock: Option<Lock>,
    pub held: Option<Vec<Lock>>,
    pub nr_held: Option<u32>,
    pub owner: Option<Owner>,
    pub chain: Option<Vec<Member>>,
    pub at: Option<At>,
    pub source: String,
    pub joined: Option<String>,
    pub sampled: bool,
    pub report: Option<String>,
}

/// An acquisition that waited long and succeeded: `rqspin trace --last` shows what a recorder with
/// `--wait-longer-than` has kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    pub time: String,
    pub ts_ns: u64,
    pub wait_ns: u64,
    pub cpu: u32,
    pub pid: Option<u32>,
    pub tid: Option<u32>,
    pub comm: Option<String>,
    pub prog: Option<Prog>,
    pub map_id: Option<u32>,
    pub lock: Option<Lock>,
    pub at: Option<At>,
    pub report: Option<String>,
}

/// How often a failure that was shown once came again, with `--unique`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    pub again: u64,
    pub ts_ns: u64,
    pub kind: String,
    pub prog: Option<Prog>,
    pub lock: Option<Lock>,
    pub at: Option<At>,
}

/// A sum by program and kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    pub prog_id: Option<u32>,
    pub prog: Option<String>,
    pub kind: Option<String>,
    pub failures: u64,
    pub lost: u64,
}

/// How many long waits there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitTotals {
    pub longer_than_ns: u64,
    pub events: u64,
    pub shown: u64,
    pub lost: u64,
    pub lost_unknown: bool,
    pub not_seen: Option<String>,
}

/// The last line. Look at `lost` and `lost_unknown`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub events: u64,
    pub shown: u64,
    pub repeats: u64,
    pub kinds: BTreeMap<String, u64>,
    pub host: Option<String>,
    pub kernel: Option<String>,
    pub command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_others: Option<u64>,
    pub skipped: u64,
    pub totals: Vec<Total>,
    pub lost: u64,
    pub lost_unknown: bool,
    pub programs_missed: u64,
    pub programs_unseen: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_types_unseen: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitTotals>,
    pub sources: String,
}

/// A line. Members that are not known here may be new ones, and are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    Failure(Box<Failure>),
    Wait(Box<Wait>),
    Repeat(Box<Repeat>),
    Summary(Box<Summary>),
}

/// Why a trace cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum TraceError {
    Read(io::Error),
    /// Number of the line.
    Line(u64, serde_json::Error),
    /// Number of the line, its schema.
    Schema(u64, String),
    /// The last line is missing, so nobody knows how many failures were lost.
    NoSummary,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "{error}"),
            Self::Line(n, error) => write!(f, "line {n}: {error}"),
            Self::Schema(n, found) => {
                write!(
                    f,
                    "line {n}: schema {found:?}, but this crate knows {SCHEMA:?}"
                )
            }
            Self::NoSummary => {
                f.write_str("the trace has no summary: rqspin trace did not get to its end")
            }
        }
    }
}

impl error::Error for TraceError {}

fn name<'a>(name: Option<&'a String>, otherwise: &'a str) -> String {
    name.map_or(otherwise.to_string(), |n| printable(n))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let prog = self.prog.as_ref().and_then(|p| p.name.as_ref());
        let lock = self.lock.as_ref().and_then(|l| l.name.as_ref());
        write!(f, "{} in {}", self.kind, name(prog, "(unknown program)"))?;
        if let Some(at) = &self.at {
            let file = name(at.file.as_ref(), "?");
            let last = Path::new(&file).file_name().unwrap_or(file.as_ref());
            write!(f, " at {}:{}", last.to_string_lossy(), at.line)?;
        }
        write!(f, ": wants {}", name(lock, "(unknown lock)"))
    }
}

#[derive(Deserialize)]
struct Head {
    schema: String,
}

fn parse(n: u64, text: &str) -> Result<Line, TraceError> {
    let broken = |error| TraceError::Line(n, error);
    let head: Head = serde_json::from_str(text).map_err(broken)?;
    if head.schema != SCHEMA {
        return Err(TraceError::Schema(n, head.schema));
    }
    serde_json::from_str(text).map_err(broken)
}

/// Calls `show` with each line of `rqspin trace --json` until its summary, which it returns.
pub fn read_trace(
    from: impl io::BufRead,
    mut show: impl FnMut(Line),
) -> Result<Summary, TraceError> {
    for (n, text) in (1..).zip(from.lines()) {
        match parse(n, &text.map_err(TraceError::Read)?)? {
            Line::Summary(summary) => return Ok(*summary),
            line => show(line),
        }
    }
    Err(TraceError::NoSummary)
}
