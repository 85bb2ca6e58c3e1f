# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Deadlocks inside maps, made to order: selftests/tool/cli/map_failures.c."""

import contextlib
import errno
import json
import select
import subprocess

import pytest
from conftest import BUILD, LIMIT

DRIVER = BUILD / "selftests/tool/cli/map_failures"
STORAGE = BUILD / "selftests/tool/cli/storage_failures"

# Place: the lock's name and the call that fails.
PLACES = {
    "hash": ("hash hash bucket 0", "bpf_map_update_elem(&hash,"),
    "percpu_hash": ("percpu_hash hash_cpu bucket 0", "bpf_map_delete_elem(&hash_cpu,"),
    "lru_bucket": ("lru_hash lru_one bucket 0", "bpf_map_delete_elem(&lru_one,"),
    "lru_list": ("lru_hash lru cpu list 0", "bpf_map_update_elem(&lru,"),
    # It deletes all the same.
    "lru_delete": ("lru_hash lru cpu list 0", "bpf_map_delete_elem(&lru,"),
    "lru_cpu": ("lru_hash lru_cpu cpu list 0", "bpf_map_update_elem(&lru_cpu,"),
    "lpm": ("lpm_trie trie lock", "bpf_map_update_elem(&trie,"),
    "ringbuf_output": ("ringbuf ringbuf lock", "bpf_ringbuf_output(&ringbuf,"),
    "ringbuf_reserve": ("ringbuf ringbuf lock", "bpf_ringbuf_reserve(&ringbuf,"),
    "ringbuf_dynptr": ("ringbuf ringbuf lock", "bpf_ringbuf_reserve_dynptr(&ringbuf,"),
    "stackid": ("stack_trace stacks free list 0", "bpf_get_stackid(ctx, &stacks,"),
    "queue": ("queue queue lock", "bpf_map_push_elem(&queue,"),
    "stack": ("stack stack lock", "bpf_map_pop_elem(&stack,"),
}

# What the operation returns where it is not the lock's own error, on every kernel.
REFUSALS = {
    "lru_list": errno.ENOMEM,
    "lru_cpu": errno.ENOMEM,
    "ringbuf_output": errno.EAGAIN,
    "ringbuf_dynptr": errno.EINVAL,
    "stackid": errno.ENOMEM,
    "queue": errno.EBUSY,
    "stack": errno.EBUSY,
}


def failed(told, place):
    """How often the lock failed; and every operation said so in its own way."""
    assert told["nested_ok"] == told["etimedout"] == 0, told
    assert told["other_err"] == -REFUSALS.get(place, 0), told
    own = "other" if place in REFUSALS else "edeadlk"
    assert told[own] + told["refused"] == told["edeadlk"] + told["other"] + told["refused"], told
    return told[own] + told["refused"]


@contextlib.contextmanager
def failures(place, count, driver=DRIVER):
    """What the driver counted; its maps and programs are there until the end."""
    with subprocess.Popen(
        [driver, place, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as proc:
        if not select.select([proc.stdout], [], [], LIMIT)[0]:
            proc.kill()
        line = proc.stdout.readline()
        if not line and proc.wait(timeout=LIMIT) == 3:
            pytest.skip(proc.stderr.read().strip())
        assert line, proc.stderr.read()
        told = json.loads(line)
        assert told["outer_failed"] == 0, told
        yield told
        proc.stdin.close()
        assert proc.wait(timeout=LIMIT) == 0, proc.stderr.read()


def check_lock(lock, name, want):
    assert lock["name"] == name
    assert (lock["map_id"], lock["map"], lock["addr"]) == (
        want["map_id"],
        want["map"],
        want["addr"],
    )
