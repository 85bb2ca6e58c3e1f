// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! deadlocks OBJECT: load a BPF object, run its tc programs, and show which locks they failed to
//! get, as rqspin trace sees it.
mod object;

use std::{
    env,
    io::BufReader,
    process::{Command, Stdio},
};

use anyhow::{bail, ensure, Context, Result};
use rqspin::{read_trace, trace::Line};

const ROUNDS: u32 = 3;

fn show(line: Line) {
    if let Line::Failure(failure) = line {
        println!("{failure}");
    }
}

/// Runs this program once more, below rqspin trace, which waits until it can see failures.
fn watch(name: &str) -> Result<()> {
    let rqspin = env::var("RQSPIN").unwrap_or_else(|_| "rqspin".into());
    let mut trace = Command::new(&rqspin)
        .args(["trace", "--json", "--"])
        .arg(env::current_exe()?)
        .args(["--run", name])
        .stdout(Stdio::piped())
        .spawn()
        .context(rqspin)?;
    let read = read_trace(BufReader::new(trace.stdout.take().unwrap()), show);
    if read.is_err() {
        trace.kill()?;
    }
    let status = trace.wait()?;
    let summary = read?;
    if summary.lost > 0 {
        eprintln!("{} failures were lost", summary.lost);
    }
    ensure!(status.success(), "rqspin trace: {status}");
    Ok(())
}

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--run", name] => object::run(&object::load(name)?, ROUNDS),
        [name] => watch(name),
        _ => bail!("usage: deadlocks OBJECT"),
    }
}
