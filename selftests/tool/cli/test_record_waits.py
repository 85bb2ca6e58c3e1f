# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin record --wait-longer-than` keeps long waits beside failures; trace --last shows both."""

import json
import os
import re
import subprocess

import pytest
from bpfobj import pinned
from conftest import (
    BPFTOOL,
    BUILD,
    LIMIT,
    RQSPIN,
    doctor_check,
    kernel_has_tracepoint,
    needs_locks,
    needs_own_wait,
    needs_three_cpus,
    needs_two_cpus,
    refused,
    rqspin,
)
from test_export_waits import HELD_NS, is_known, known, three
from test_waits import pair

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")

LONG = BUILD / "selftests/kernel/progs/long_wait.bpf.o"
KNOWN = BUILD / "selftests/kernel/progs/known_waits.bpf.o"
ANY = "0.001ms"  # every wait in a queue is longer
FIRST = "the first waiter of a lock, which waits beside the queue"


@pytest.fixture
def queue():
    """Waiters queue here, so that the kernel tells of some."""
    if doctor_check("queue")["detail"].split(":")[0] != "queue":
        pytest.skip("waiters do not queue here")


@pytest.fixture
def late(queue):
    """An owner that wants its lock again waits a while, so a second CPU is enough for a queue."""
    if doctor_check("aa_at_once")["available"] and not kernel_has_tracepoint():
        pytest.skip("the owner is refused at once, and nobody queues")


def variables(where):
    bss = next(p for p in (where / "maps").iterdir() if p.name.endswith("bss"))
    out = subprocess.check_output([BPFTOOL, "-j", "map", "dump", "pinned", bss])
    ((_, values),) = json.loads(out)[0]["formatted"]["value"].items()
    return {k: v for variable in values for k, v in variable.items()}


def long_waits(rounds):
    """So many rounds; how long each wait that the kernel tells of took, as the waiter saw it.

    Programs and map are gone when this returns.
    """
    with pinned(LONG, maps=True) as where:
        procs = []
        for cpu, role in enumerate(("long_own", "long_wait")):
            cmd = ["taskset", "-c", str(cpu), BPFTOOL, "prog", "run", "pinned", where / role]
            cmd += ["data_in", "-", "repeat", str(rounds)]
            procs.append(subprocess.Popen(cmd, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL))
        for proc in procs:
            proc.stdin.write(bytes(64))
            proc.stdin.close()
        assert [proc.wait(timeout=LIMIT) for proc in procs] == [0, 0]
        told = variables(where)
    assert told["refused"] == rounds
    if not kernel_has_tracepoint():
        # A virtual CPU that got no time came too late for the queue, and waited beside it.
        assert 0 < told["queued"] <= rounds
        return told["queued"], told["waited_ns"][:rounds]
    return rounds - told["failed"], told["waited_ns"][:rounds]


def waits(lines):
    return [x for x in lines if x["type"] == "wait"]


def check_wait(line):
    assert (line["prog"]["name"], line["lock"]["name"]) == ("long_wait", "longs[0].lock")
    assert line["lock"]["map"] == "longs" and line["lock"]["map_id"] and line["map_id"] is None
    assert line["at"]["file"].endswith("long_wait.bpf.c") and line["at"]["line"] > 0
    assert (line["comm"], line["cpu"]) == ("bpftool", 1)


@needs_locks
@needs_two_cpus
def test_each_wait_is_kept_with_its_names(recorder, late):
    """Program and map are gone when somebody looks."""
    recorder.start("--wait-longer-than", ANY)
    nr, waited = long_waits(8)
    lines, summary = recorder.last("--strict") if kernel_has_tracepoint() else recorder.last()
    ours = [x for x in waits(lines) if x["prog"] and x["prog"]["name"] == "long_wait"]
    assert len(ours) == nr
    for line in ours:
        check_wait(line)
        assert 1000 < line["wait_ns"] <= max(waited)
    assert summary["waits"]["events"] == summary["waits"]["shown"] == len(waits(lines))
    assert summary["waits"]["lost"] == 0 and not summary["waits"]["lost_unknown"]
    assert summary["waits"]["longer_than_ns"] == 1000
    assert summary["waits"]["not_seen"] == (None if kernel_has_tracepoint() else FIRST)


@needs_locks
@needs_three_cpus
def test_each_wait_in_the_queue_is_kept(recorder, queue):
    rounds = 20
    recorder.start("--wait-longer-than", ANY)
    with pinned(KNOWN, maps=True) as where:
        three(where, "one", rounds)
        want = known(where, rounds)
    lines, summary = recorder.last()
    ours = [x for x in waits(lines) if x["lock"] and x["lock"]["map"] == "one"]
    assert is_known(len(ours), want) and summary["waits"]["lost"] == 0
    assert all(x["wait_ns"] >= HELD_NS for x in ours if not want["unsure"])
    assert {x["prog"]["name"] for x in ours} <= {"one_0", "one_1"}


@needs_locks
@needs_two_cpus
def test_the_threshold(recorder, late):
    """Shorter waits are not kept; nobody waits for an hour."""
    recorder.start("--wait-longer-than", "1h")
    long_waits(5)
    assert recorder.last()[1]["waits"]["events"] == 0
    assert recorder.status()["waits"]["recorded"] == 0
    recorder.stop()
    recorder.start("--wait-longer-than", "2ms")
    nr, waited = long_waits(8)
    kept = waits(recorder.last()[0])
    assert all(x["wait_ns"] > 2_000_000 for x in kept)
    assert len(kept) <= min(nr, sum(ns > 2_000_000 for ns in waited))
    assert recorder.status()["waits"]["longer_than_ns"] == 2_000_000
    recorder.stop()
    recorder.start("--wait-longer-than", "0.01ms")
    nr = long_waits(4)[0]
    assert len([x for x in waits(recorder.last()[0]) if x["prog"]["name"] == "long_wait"]) == nr


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_waits_push_out_no_failures(recorder, late):
    """Each has memory of its own, and both are in one order of time."""
    if kernel_has_tracepoint():
        pytest.skip("this lock also tells of the waits of pair_wait, which share the ring")
    recorder.start("--wait-longer-than", ANY, "--keep", "16")
    before = recorder.status()
    pair(3)
    nr = long_waits(24)[0]
    pair(3)
    after = recorder.status()
    lines, summary = recorder.last("--map", "longs")
    recorded = after["waits"]["recorded"]
    # An interrupt that waits for a lock while the recorder's program runs may hide a wait.
    assert nr - after["waits"]["missed"] - after["waits"]["unsure"] <= recorded <= nr
    assert recorded > 16
    assert (after["waits"]["kept"], after["waits"]["overwritten"]) == (16, recorded - 16)
    assert after["memory"] == before["memory"]
    assert len(waits(lines)) == 16 and summary["waits"]["lost"] == recorded - 16
    lines, _ = recorder.last()
    assert [x["ts_ns"] for x in lines] == sorted(x["ts_ns"] for x in lines)
    failed = [i for i, x in enumerate(lines) if x["type"] == "failure"]
    assert {x["type"] for x in lines[failed[0] : failed[-1]]} == {"failure", "wait"}
    sources = {s["source"]: s for s in after["sources"]}
    assert "waits" not in sources
    seen = [x for x in lines if x["type"] == "failure" and x["source"] == "contention"]
    assert len(seen) == sources["contention"]["recorded"] == 6
    assert "waits" in recorder.record("--status").stdout


@needs_locks
@needs_two_cpus
def test_text_and_filters(recorder, late):
    recorder.start("--wait-longer-than", ANY, "--stacks")
    nr = long_waits(6)[0]

    def shown(*args):
        res = rqspin("trace", "--last", "--bpffs", recorder.bpffs, *args)
        assert res.returncode == 0, res.stderr
        lines = [x for x in res.stdout.splitlines() if re.match(r"[\d:.]{15} WAIT ", x)]
        return lines, res

    lines, res = shown("--prog", "long_wait")
    assert len(lines) == nr
    form = (
        r"[\d:.]{15} WAIT     cpu 1 bpftool/\d+ prog \d+ long_wait at long_wait\.bpf\.c:\d+: "
        r"got longs\[0\]\.lock\(map \d+\); waited \d+\.\d{3} ms"
    )
    assert all(re.fullmatch(form, x) for x in lines), lines
    summary = r"\d+ of \d+ waits longer than 1\.00 us shown, lost: (at least )?0"
    assert re.search(summary, res.stderr)
    assert ("  not seen: " in res.stderr) != kernel_has_tracepoint()
    assert not shown("--prog", "long_own")[0] and not shown("--kind", "aa")[0]
    assert len(shown("--last=2", "--map", "longs")[0]) == 2
    stacks = shown("--stacks", "--map", "longs")[1].stdout
    assert stacks.count("Call trace:") >= nr and "long_wait" in stacks


@needs_locks
def test_without_the_option_there_are_no_waits(recorder):
    recorder.start()
    assert recorder.status()["waits"] is None
    assert recorder.last()[1]["waits"] is None
    assert not (recorder.root / "recorder/waits").exists()


@needs_locks
def test_both_are_removed(recorder):
    recorder.start("--wait-longer-than", "10ms")
    assert (recorder.root / "recorder/waits").is_dir()
    text = recorder.record("--status").stdout
    assert "of each CPU: the last 256 failures, and the last 256 waits longer than 10.0 ms" in text
    assert "are removed" in recorder.stop().stderr


def hidden(recorder, path, *args):
    """The command where that file is empty."""
    script = f'mount --bind /dev/null {path} && exec "$@"'
    cmd = ["unshare", "-m", "sh", "-c", script, "sh", RQSPIN, "record"]
    cmd += ["--bpffs", recorder.bpffs, *args]
    return subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)


@needs_locks
def test_a_kernel_that_shows_no_waits(recorder):
    """It is said why, and what to do; failures alone are recorded only for who asks for that."""
    res = hidden(recorder, "/proc/kallsyms", "--wait-longer-than", "10ms")
    refused(res, 3, "--wait-longer-than: waits cannot be seen here: ")
    assert "hides their functions in /proc/kallsyms" in res.stderr
    assert "without the option failures alone are recorded" in res.stderr
    assert not recorder.root.exists()
    assert hidden(recorder, "/proc/kallsyms").returncode == 0


@needs_locks
def test_what_cannot_be_found_out_is_said(recorder):
    """One CPU is not enough to see how waiters wait."""
    if kernel_has_tracepoint():
        pytest.skip("this kernel's lock tells of each wait")
    cmd = ["taskset", "-c", "0", RQSPIN, "record", "--bpffs", recorder.bpffs]
    res = subprocess.run(
        [*cmd, "--wait-longer-than", "10ms"], capture_output=True, text=True, timeout=LIMIT
    )
    assert res.returncode == 0, res.stderr
    assert "waits that are NOT recorded: perhaps some waits: whether waiters queue" in res.stderr
    assert recorder.status()["waits"]["not_seen"].startswith("perhaps some waits")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "'0' is not a time like 10, 500ms or 2m"),
        ("10us", "'10us' is not a time like 10, 500ms or 2m"),
        ("0.0001ms", "'0.0001ms' is less than a microsecond"),
    ],
)
def test_wrong_times(value, text):
    refused(rqspin("record", "--wait-longer-than", value), 2, f"--wait-longer-than: {text}")


def test_an_option_for_starting():
    res = rqspin("record", "--status", "--wait-longer-than", "1ms")
    refused(res, 2, "--wait-longer-than is for starting the recorder")
