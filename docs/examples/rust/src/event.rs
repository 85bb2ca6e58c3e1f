// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A line of `rqspin trace --json`: the members that this example needs.
use std::{fmt, io::BufRead, path::Path};

use anyhow::{ensure, Context, Result};
use serde::Deserialize;

const SCHEMA: &str = "rqspin-event/2";

/// `None` is what this kernel or source does not know.
#[derive(Deserialize)]
pub struct Event {
    schema: String,
    #[serde(rename = "type")]
    what: String,
    #[serde(default)]
    kind: String,
    prog: Option<Named>,
    lock: Option<Named>,
    at: Option<At>,
    lost: Option<u64>,
}

#[derive(Deserialize)]
struct Named {
    name: Option<String>,
}

#[derive(Deserialize)]
struct At {
    file: Option<String>,
    line: u32,
}

fn name<'a>(of: &'a Option<Named>, otherwise: &'a str) -> &'a str {
    of.as_ref()
        .and_then(|n| n.name.as_deref())
        .unwrap_or(otherwise)
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} in {}",
            self.kind,
            name(&self.prog, "(unknown program)")
        )?;
        if let Some(at) = &self.at {
            let file = Path::new(at.file.as_deref().unwrap_or("?"));
            let last = file.file_name().unwrap_or(file.as_os_str());
            write!(f, " at {}:{}", last.to_string_lossy(), at.line)?;
        }
        write!(f, ": wants {}", name(&self.lock, "(unknown lock)"))
    }
}

/// Calls `show` for each failure, and returns the number of those that were lost.
pub fn read_events(from: impl BufRead, mut show: impl FnMut(&Event)) -> Result<u64> {
    let mut lost = 0;
    for line in from.lines() {
        let line = line?;
        let event: Event = serde_json::from_str(&line).context(line)?;
        ensure!(
            event.schema == SCHEMA,
            "events of schema {}, not {SCHEMA}",
            event.schema
        );
        match event.what.as_str() {
            "failure" => show(&event),
            "summary" => lost = event.lost.unwrap_or(0),
            _ => {}
        }
    }
    Ok(lost)
}
