# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Names of locks in elements that a map allocates one by one."""

from bpfobj import pinned, run_pinned
from conftest import BUILD, doctor_check, needs_locks

SPARSE = BUILD / "selftests/tool/cli/sparse.bpf.o"
REFUSED = "locks in elements of maps without preallocation are shown by address"


@needs_locks
def test_the_key_of_an_element(tracer, nothing_left):
    """Where the kernel refuses to list elements, the command says so, once."""
    listed = doctor_check("map_elements")["available"]
    with pinned(SPARSE) as where, tracer("--source", "ring") as t:
        run_pinned(where / "lock_twice", 3)
    names = [e["lock"]["name"] for e in t.events]
    assert len(names) == 3 and set(names) == {"sparse[key 7].lock" if listed else None}
    assert t.talk.count(REFUSED) == (0 if listed else 1)
