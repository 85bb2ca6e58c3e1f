// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! deadlocks OBJECT: load a BPF object with libbpf-rs, run its tc programs, and show which locks
//! they failed to get.
mod event;

use std::{
    env,
    io::BufReader,
    process::{Command, Stdio},
};

use anyhow::{bail, ensure, Context, Result};
use libbpf_rs::{ObjectBuilder, ProgramInput, ProgramType};

const ROUNDS: u32 = 3;

/// A program that fails to get a lock returns an errno, which is no error here.
fn run(object: &str) -> Result<()> {
    let open = ObjectBuilder::default()
        .open_file(object)
        .context(object.to_string())?;
    let loaded = open.load().context(object.to_string())?;
    for prog in loaded.progs_mut() {
        if prog.prog_type() != ProgramType::SchedCls {
            continue;
        }
        let input = ProgramInput {
            data_in: Some(&[0; 64]),
            repeat: ROUNDS,
            ..Default::default()
        };
        let name = prog.name().to_string_lossy().into_owned();
        prog.test_run(input).context(name)?;
    }
    Ok(())
}

/// Runs this program once more, below rqspin trace, which waits until it can see failures.
fn watch(object: &str) -> Result<()> {
    let rqspin = env::var("RQSPIN").unwrap_or_else(|_| "rqspin".into());
    let mut trace = Command::new(&rqspin)
        .args(["trace", "--json", "--"])
        .arg(env::current_exe()?)
        .args(["--run", object])
        .stdout(Stdio::piped())
        .spawn()
        .context(rqspin)?;
    let out = BufReader::new(trace.stdout.take().unwrap());
    let read = event::read_events(out, |e| println!("{e}"));
    if read.is_err() {
        trace.kill()?;
    }
    let status = trace.wait()?;
    let lost = read?;
    if lost > 0 {
        eprintln!("{lost} failures were lost");
    }
    ensure!(status.success(), "rqspin trace: {status}");
    Ok(())
}

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--run", object] => run(object),
        [object] => watch(object),
        _ => bail!("usage: deadlocks OBJECT"),
    }
}
