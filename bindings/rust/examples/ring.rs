// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! ring OBJECT [ROUNDS]: load a BPF object that reports its own failures, run its tc programs, and
//! show the failures. It needs neither rqspin nor a kernel with the locks.
mod object;

use std::env;

use anyhow::{bail, Context, Result};
use rqspin::{find_ring, Ring};

fn show(ring: &mut Ring) -> Result<()> {
    ring.read_last(|event| println!("{event}"))?;
    let (lost, refused) = (ring.lost(), ring.refused());
    if lost + refused == 0 {
        return Ok(());
    }
    eprintln!("{lost} failures were lost, {refused} refused; all there were:");
    let (groups, others) = ring.groups()?;
    for g in groups {
        let (file, line) = (g.file.unwrap_or_default(), g.line.unwrap_or(0));
        eprintln!("{} {} in {} at {file}:{line}", g.count, g.kind, g.prog);
    }
    if others > 0 {
        eprintln!("{others} others");
    }
    Ok(())
}

fn run(name: &str, rounds: u32) -> Result<()> {
    let object = object::load(name)?;
    let mut ring = Ring::open(&find_ring(&object).context(name.to_string())?)?;
    object::run(&object, rounds)?;
    show(&mut ring)
}

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [name] => run(name, 3),
        [name, rounds] => run(name, rounds.parse().context("ROUNDS")?),
        _ => bail!("usage: ring OBJECT [ROUNDS]"),
    }
}
