# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Kernels that let no program trace one of their functions: the others are traced, and what cannot
be seen is said."""

import json
import os
import re
import subprocess
from collections import Counter

import pytest
from conftest import BPFTOOL, BUILD, doctor, failed_by_program, rqspin, run_sample
from mapfailures import failed, failures

REFUSE = BUILD / "selftests/tool/refuse/refuse.so"
PLAIN = BUILD / "selftests/kernel/progs/plain_deadlock.bpf.o"
VMLINUX = "/sys/kernel/btf/vmlinux"
COUNT = 7


def source_needed(name):
    why = next(s for s in doctor()["trace_sources"] if s["name"] == name)
    if not why["usable"]:
        pytest.skip(f"{name}: {why['detail']}")


def types_unseen():
    """What doctor says now; the others ask it once."""
    checks = json.loads(rqspin("doctor", "--json").stdout)["checks"]
    return next(c for c in checks if c["id"] == "map_locks")["detail"].split(", ")


@pytest.fixture
def refuse(monkeypatch):
    """From now on, commands get no program for this function of the kernel."""

    def begin(function):
        dump = [BPFTOOL, "btf", "dump", "file", VMLINUX]
        out = subprocess.run(dump, capture_output=True, text=True, check=True).stdout
        monkeypatch.setenv(
            "RQSPIN_REFUSED", re.search(rf"^\[(\d+)\] FUNC '{function}'", out, re.M)[1]
        )
        monkeypatch.setenv("LD_PRELOAD", str(REFUSE))
        asan = os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0"
        monkeypatch.setenv("ASAN_OPTIONS", ":".join(filter(None, asan)))

    return begin


def test_other_operations_of_maps(tracer, refuse, nothing_left):
    """Deletions cannot be traced, updates can: such maps are not called seen."""
    source_needed("mapops")
    before = types_unseen()
    refuse("htab_map_delete_elem")
    after = types_unseen()
    with tracer("--source", "mapops") as t, failures("hash", COUNT) as told:
        assert failed(told, "hash") == COUNT
        t.stop()
    assert [e["prog"]["name"] for e in t.events] == [told["prog"]] * COUNT
    assert "hash" not in before and "hash" in after
    assert "hash" in t.summary["map_types_unseen"]


def test_report_whose_begin_is_unseen(tracer, refuse, nothing_left):
    """The kernel's reports are read when they end."""
    source_needed("trampoline")
    refuse("bpf_prog_find_from_stack")
    with tracer("-v", "--source", "trampoline") as t:
        run = run_sample(PLAIN, "--roles", "plain_aa", "--count", COUNT)
    assert "fexit of bpf_prog_find_from_stack()" in t.talk
    ours = [e for e in t.events if (e["prog"]["name"] or "").startswith("plain_")]
    assert Counter(e["prog"]["name"] for e in ours) == +Counter(failed_by_program(run))
    assert all((e["kind"], e["errno"]) == ("AA", "EDEADLK") for e in ours) and ours
    assert all(e["held"][0]["addr"] == e["lock"]["addr"] for e in ours)
