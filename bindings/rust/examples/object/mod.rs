// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Load and run BPF objects.
use anyhow::{Context, Result};
use libbpf_rs::{Object, ObjectBuilder, ProgramInput, ProgramType};

pub fn load(name: &str) -> Result<Object> {
    let open = ObjectBuilder::default().open_file(name);
    open.and_then(|o| o.load())
        .with_context(|| name.to_string())
}

/// Its tc programs. One that fails to get a lock returns an errno, which is no error here.
pub fn run(object: &Object, rounds: u32) -> Result<()> {
    for prog in object.progs_mut() {
        if prog.prog_type() != ProgramType::SchedCls {
            continue;
        }
        let input = ProgramInput {
            data_in: Some(&[0; 64]),
            repeat: rounds,
            ..Default::default()
        };
        let name = prog.name().to_string_lossy().into_owned();
        prog.test_run(input).context(name)?;
    }
    Ok(())
}
