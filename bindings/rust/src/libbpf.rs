// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What libbpf-rs knows of rings and errors.
use std::{collections::HashMap, ffi::OsString};

use libbpf_rs::{
    btf::{types, Btf},
    Map, MapCore, Object,
};

use crate::{
    policy::Errno,
    ring::{Ring, RingError, RING_NAMES},
};

/// The ring of an object.
pub fn find_ring(object: &Object) -> Result<Map<'_>, RingError> {
    let is_ring = |m: &Map| RING_NAMES.iter().any(|name| m.name() == *name);
    object.maps().find(is_ring).ok_or(RingError::NoRing)
}

/// How far a CPU's table of held locks is from what programs can find; `None`: unknown here.
pub fn held_delta() -> Option<i64> {
    let kernel = Btf::from_vmlinux().ok()?;
    let section: types::DataSec = kernel.type_by_name(".data..percpu")?;
    let mut offsets = HashMap::<OsString, i64>::new();
    for var in section.iter() {
        let found: Option<types::Var> = kernel.type_by_id(var.ty);
        if let Some(name) = found.as_ref().and_then(|v| v.name()) {
            offsets.insert(name.to_owned(), var.offset.into());
        }
    }
    let at = |name: &str| offsets.get(std::ffi::OsStr::new(name));
    Some(at("rqspinlock_held_locks")? - at("runqueues")?)
}

impl Ring {
    /// Maps a ring into memory, where it stays if the map is closed. Programs find out what this
    /// CPU holds, and so tell AA from ABBA, only from then on: open it before they run.
    pub fn open(map: &impl MapCore) -> Result<Self, RingError> {
        let mut ring = Self::from_fd(map.as_fd(), map.value_size() as usize)?;
        if let Some(delta) = held_delta() {
            ring.arm(delta);
        }
        Ok(ring)
    }
}

/// Only the error's text has the number.
impl Errno for libbpf_rs::Error {
    fn errno(&self) -> Option<i32> {
        let text = format!("{self:#}");
        let (_, number) = text.rsplit_once("(os error ")?;
        number.split_once(')')?.0.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{retry, Op};
    use libbpf_rs::{ErrorExt as _, MapFlags, MapHandle};

    /// It compiles: this is what docs/bindings.md shows.
    #[allow(dead_code)]
    fn as_on_the_page(flows: &MapHandle) -> Result<(), crate::Error<libbpf_rs::Error>> {
        let (key, value) = ([0; 4], [0; 8]);
        retry(flows.map_type() as u32, Op::Update, || {
            flows.update(&key, &value, MapFlags::ANY)
        })?;
        Ok(())
    }

    #[test]
    fn errors_have_their_number() {
        for number in 1..134 {
            let error = libbpf_rs::Error::from_raw_os_error(number);
            assert_eq!(error.errno(), Some(number));
            assert_eq!(
                error.context("flows").context("update").errno(),
                Some(number)
            );
        }
    }
}
