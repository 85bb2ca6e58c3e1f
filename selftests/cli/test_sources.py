# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Programs that report nothing themselves: exact counts from what the kernel tells."""

import contextlib
import ctypes
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
from collections import Counter

import pytest
from conftest import (
    BPFTOOL,
    BUILD,
    LIMIT,
    TOP,
    all_gone,
    doctor,
    doctor_check,
    kernel_has_tracepoint,
    loaded,
    needs_four_cpus,
    needs_three_cpus,
    needs_two_cpus,
    rqspin,
    run_sample,
)

PLAIN = BUILD / "selftests/progs/plain_deadlock.bpf.o"
QUEUE = BUILD / "selftests/progs/queue_wait.bpf.o"
WANTS = {"plain_ab": "lock_b", "plain_ba": "lock_a"}
HOLDS = {"plain_ab": "lock_a", "plain_ba": "lock_b"}


BPF_OBJ_GET = 7
SYS_BPF = {"x86_64": 321}.get(platform.machine(), 280)


def usable():
    """Source -> None, or why it does not work here."""
    return {s["name"]: None if s["usable"] else s["detail"] for s in doctor()["trace_sources"]}


@pytest.fixture(params=["trampoline", "stream"])
def source(request):
    why = usable()[request.param]
    if why:
        pytest.skip(f"{request.param}: {why}")
    return request.param


def run_plain(roles, count):
    return run_sample(PLAIN, "--roles", roles, "--count", count)


def check(t, run):
    """Every failure is there, or was dropped by a kernel that counts what it drops."""
    failed = Counter({r["program"]: r["failed"] for r in run["roles"] if r["failed"]})
    assert failed, run
    ours = [e for e in t.events if (e["prog"]["name"] or "").startswith("plain_")]
    seen = Counter(e["prog"]["name"] for e in ours)
    assert seen <= failed and failed.total() - seen.total() == t.summary["lost"]
    assert not t.summary["lost_unknown"]
    # A program may have a hundred reports in a tenth of a second, if there is room for them.
    assert 2 * seen.total() >= min(failed.total(), 100)
    if t.summary["sources"] != "stream" or not kernel_has_tracepoint():
        assert t.summary["lost"] == 0
    return ours


def test_aa(tracer, source):
    with tracer("--source", source) as t:
        run = run_plain("plain_aa", 101)
    for e in check(t, run):
        assert (e["kind"], e["parties"], e["errno"]) == ("AA", 1, "EDEADLK")
        # The key is gone with the map, if the tracer got to run too late.
        assert e["lock"]["name"] in ("plain_hash[key 7].lock", "plain_hash[key ?].lock")
        assert e["lock"]["key"] in ("7", None)
        assert e["held"][0]["addr"] == e["lock"]["addr"]
        assert e["at"]["file"].endswith("plain_deadlock.bpf.c")
        assert "again->lock" in e["at"]["text"]


@needs_two_cpus
def test_abba(tracer, source):
    with tracer("--source", source) as t:
        run = run_plain("plain_ab,plain_ba", 53)
    for e in check(t, run):
        prog = e["prog"]["name"]
        assert e["lock"]["name"] == WANTS[prog]
        assert [h["name"] for h in e["held"]] == [HOLDS[prog]]
        if e["errno"] == "ETIMEDOUT":  # a partner that was stopped: not a deadlock
            continue
        assert (e["kind"], e["parties"]) == ("ABBA", 2)
        if source == "stream" and not kernel_has_tracepoint():
            assert e["owner"] is None
            continue
        # The other side: it holds what this one wants and wants what this one holds.
        assert e["owner"]["cpu"] != e["cpu"]
        assert [h["name"] for h in e["owner"]["held"]] == [WANTS[prog]]
        if source != "stream":
            assert e["owner"]["wants"]["name"] == HOLDS[prog]


def check_cycle_event(e):
    """A lock that finds cycles answers at once; others, and a stopped owner, take their time."""
    if kernel_has_tracepoint() and e["errno"] == "EDEADLK":
        assert (e["kind"], e["parties"]) == ("CYCLE", 3)
    else:
        assert e["errno"] == "ETIMEDOUT" and e["kind"] in ("CYCLE", "TIMEOUT")


@needs_three_cpus
def test_cycle_of_three(tracer, source):
    """A stream is read when the victim has left; only if others failed with it the cycle shows."""
    runs = 3 if source == "stream" else 1
    for _ in range(runs):
        with tracer("--source", source) as t:
            run = run_plain("plain_ab3,plain_bc3,plain_ca3", 3)
        events = check(t, run)
        for e in events:
            check_cycle_event(e)
        if any(e["kind"] == "CYCLE" and e["parties"] == 3 for e in events):
            return
    pytest.fail(f"no cycle of three in {runs} runs")


@pytest.fixture
def queueing():
    """Waiters queue here, and the tracer sees them."""
    if usable()["contention"]:
        pytest.skip(f"contention: {usable()['contention']}")
    queue = doctor_check("queue")
    if not queue["available"]:
        pytest.skip(f"waiters do not queue: {queue['detail']}")


@needs_four_cpus
def test_queue_of_waiters_with_many_locks(tracer, queueing):
    """Of three waiters the first is beside the queue, and so unseen; each has ten locks."""
    roles = "queue_own,queue_0,queue_1,queue_2"
    source = ("--source", "contention")
    with (
        tracer(*source) as t,
        tracer(*source, "--kind", "aa,abba") as deadlocks,
        tracer(*source, "--cpu", 0) as owners,
    ):
        run = run_sample(QUEUE, "--roles", roles, "--count", 3)
    waiters = {r["cpu"]: r for r in run["roles"] if r["program"] != "queue_own"}
    assert 0 not in waiters
    failed = sum(r["failures"]["ETIMEDOUT"] for r in waiters.values())
    assert failed >= 3, run
    ours = [e for e in t.events if e["lock"]["name"] == "lock_x"]
    assert failed // 3 <= len(ours) <= failed - failed // 3
    for e in ours:
        nth = int(waiters[e["cpu"]]["program"][-1])
        assert (e["kind"], e["errno"]) == ("TIMEOUT", "ETIMEDOUT")
        # The kernel's table has ten and the awaited one, the event room for eight: the newest.
        assert e["nr_held"] == 10
        assert [h["name"] for h in e["held"]] == [
            f"bags[{nth * 10 + i}].lock" for i in range(2, 10)
        ]
        assert e["owner"]["cpu"] == 0
        assert e["owner"]["held"][0]["name"] == "lock_x"
    assert t.summary["lost"] == 0
    for other in (deadlocks, owners):
        assert not [e for e in other.events if e["lock"]["name"] == "lock_x"]
        assert other.summary["events"] >= len(ours)


@contextlib.contextmanager
def stopped(t):
    """A tracer that gets no CPU while programs come, fail and go."""
    os.kill(t.proc.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, t.proc.pid, os.WSTOPPED | os.WNOWAIT)
    yield
    t.proc.send_signal(signal.SIGCONT)


def test_ring_that_is_never_seen(tracer):
    with tracer("--source", "ring") as t, stopped(t):
        before = loaded()
        run = run_sample("aa", "--count", 101)
        all_gone(before)
    assert run["total"]["failed"] == 101
    assert t.events == [] and t.summary["lost_unknown"]


def test_stream_that_is_never_seen(tracer, source):
    with tracer("--source", source) as t, stopped(t):
        before = loaded()
        run_plain("plain_aa", 101)
        all_gone(before)
    # The trampoline's own memory has them all.
    assert len(t.events) == (101 if source == "trampoline" else 0)
    assert t.summary["lost_unknown"] == (source == "stream")


@pytest.fixture
def pinned_aa():
    where = "/sys/fs/bpf/rqspin_test_sources"
    load = [BPFTOOL, "prog", "loadall", PLAIN, where]
    subprocess.run(load, check=True, capture_output=True, timeout=LIMIT)
    yield f"{where}/plain_aa"
    shutil.rmtree(where)


def fail(pin, tmp_path, count):
    (tmp_path / "packet").write_bytes(bytes(64))
    run = [BPFTOOL, "prog", "run", "pinned", pin, "data_in", tmp_path / "packet"]
    subprocess.run([*run, "repeat", str(count)], check=True, capture_output=True, timeout=LIMIT)


def fdinfo(pin):
    """What the kernel says of a pinned program."""
    attr = ctypes.create_string_buffer(pin.encode())
    get = (ctypes.c_uint64 * 2)(ctypes.addressof(attr), 0)
    fd = ctypes.CDLL(None).syscall(SYS_BPF, BPF_OBJ_GET, get, ctypes.sizeof(get))
    assert fd >= 0
    try:
        return pathlib.Path(f"/proc/self/fdinfo/{fd}").read_text()
    finally:
        os.close(fd)


def test_full_stream(tracer, pinned_aa, tmp_path):
    """A stream keeps 100000 bytes, some 150 reports; how many are lost only some kernels know."""
    if usable()["stream"]:
        pytest.skip(f"stream: {usable()['stream']}")
    with tracer("--source", "stream") as t, stopped(t):
        fail(pinned_aa, tmp_path, 400)
    assert 0 < len(t.events) < 400
    if "stderr_dropped" in fdinfo(pinned_aa):
        assert len(t.events) + t.summary["lost"] == 400 and not t.summary["lost_unknown"]
    else:
        assert t.summary["lost"] == 0 and t.summary["lost_unknown"]
    # What was dropped before is none of the next session's business.
    with tracer("--source", "stream") as t:
        fail(pinned_aa, tmp_path, 20)
    assert len(t.events) == 20
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]


def test_no_source_twice():
    res = rqspin("trace", "--source", "ring,ring")
    assert res.returncode == 2 and "twice" in res.stderr


def test_unusable_source_says_why():
    broken = [name for name, why in usable().items() if why]
    if not broken:
        pytest.skip("every source works here")
    res = rqspin("trace", "--source", broken[0])
    assert res.returncode == 3
    assert usable()[broken[0]] in res.stderr


@pytest.mark.usefixtures("locks")
@pytest.mark.parametrize("verb", ["trace", "stat"])
def test_program_that_does_not_report(verb, pinned_aa, tmp_path):
    """Where only self-reporting programs are seen, the others are named and may be lost."""
    strict = ["--strict", "--fail-on-event", "--duration", "1"] if verb == "trace" else ["1", "1"]
    res = rqspin(verb, "--source", "ring", "--prog", "plain_aa", *strict)
    assert "NOT seen" in res.stderr.splitlines()[1]
    assert re.search(r"program \d+ plain_aa takes locks.*NOT seen here", res.stderr), res.stderr
    said = res.stderr.splitlines()[-1] if verb == "trace" else res.stdout
    assert "lost: unknown (1 program without reports of failures)" in said
    assert res.returncode == (4 if verb == "trace" else 0)


@pytest.mark.usefixtures("locks")
def test_program_that_does_not_report_exact(tracer, pinned_aa, tmp_path):
    """Each such program is counted once; one that reports or is not asked for is none."""
    with tracer("--source", "ring", "--prog", "plain_aa") as t:
        fail(pinned_aa, tmp_path, 50)
    assert t.events == []
    assert (t.summary["programs_unseen"], t.summary["lost_unknown"]) == (1, True)
    with tracer("--source", "ring", "--prog", "aa", "--strict") as t:
        run_sample("aa", "--count", 7)
    assert len(t.events) == 7
    assert [t.summary[f"programs_{what}"] for what in ("unseen", "missed")] == [0, 0]
    assert not t.summary["lost_unknown"]
    assert t.proc.returncode == 0


BYSTANDER = """
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
int count;

SEC("tc") int bystander(struct __sk_buff *skb)
{
	count++;
	return 0;
}

SEC("tc") int locker(struct __sk_buff *skb)
{
	int err = res_spin_lock(&lock);

	if (!err)
		res_spin_unlock(&lock);
	return err;
}

char _license[] SEC("license") = "GPL";
"""


@pytest.fixture
def pinned_bystander(tmp_path):
    source, obj = tmp_path / "bystander.bpf.c", tmp_path / "bystander.bpf.o"
    source.write_text(BYSTANDER)
    clang = os.environ.get("CLANG") or shutil.which("clang-19") or "clang"
    flags = ["-g", "-O2", "-target", "bpf", "-mcpu=v3", f"-I{BUILD}", f"-I{TOP}/include"]
    subprocess.run([clang, *flags, "-c", source, "-o", obj], check=True, timeout=LIMIT)
    where = "/sys/fs/bpf/rqspin_test_bystander"
    load = [BPFTOOL, "prog", "loadall", obj, where]
    subprocess.run(load, check=True, capture_output=True, timeout=LIMIT)
    yield
    shutil.rmtree(where)


@pytest.mark.usefixtures("locks", "pinned_bystander")
def test_only_programs_that_take_locks_are_named(tracer):
    """Two programs of one object share its types; what tells them apart is their instructions."""
    with tracer("--source", "ring", "--prog", "bystander") as t:
        pass
    assert "NOT seen here" not in t.talk and t.summary["programs_unseen"] == 0
    with tracer("--source", "ring", "--prog", "locker") as t:
        pass
    assert "locker takes locks" in t.talk and t.summary["programs_unseen"] == 1
