# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The failure tracepoint of this project's kernel: failures that kernel modules make to order.

Nothing but the modules takes a resilient lock meanwhile, so their own counts, and the kernel's
(lock_event_counts), must come out exactly.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
from collections import Counter

import pytest
from conftest import (
    LIMIT,
    RQSPIN,
    TOP,
    cpus,
    doctor,
    needs_four_cpus,
    needs_three_cpus,
    needs_two_cpus,
    rqspin,
    skip_without_tracepoint,
    stat_while,
    validator,
)

DEBUGFS = pathlib.Path("/sys/kernel/debug")
EVENTS = DEBUGFS / "lock_event_counts"
BCC = TOP / "user/bcc/rqspindeadlock.py"
SECONDS = 8


def modprobe(*args):
    path = shutil.which("modprobe") or "/usr/sbin/modprobe"
    return subprocess.run([path, *args], capture_output=True, text=True, timeout=LIMIT)


@pytest.fixture(autouse=True)
def tracepoint():
    skip_without_tracepoint()
    if modprobe("-n", "locktorture").returncode or modprobe("-n", "rqspinlock_stress").returncode:
        pytest.skip("the kernel's test modules are not installed")


@contextlib.contextmanager
def module(name, *args):
    res = modprobe(name, *args)
    assert res.returncode == 0, res.stderr
    try:
        yield
    finally:
        res = modprobe("-r", name)
    assert res.returncode == 0, res.stderr


def torture(seconds=SECONDS):
    """Deadlocks that locktorture provokes, with what it counted when it ended."""
    kinds = "aa,abba,cycle,stall" if cpus() > 2 else "aa,abba,stall"
    mark = f"rqspin-test {time.monotonic_ns()}"
    pathlib.Path("/dev/kmsg").write_text(f"<6>{mark}\n")
    with module(
        "locktorture",
        "torture_type=raw_res_spin_lock",
        f"res_provoke={kinds}",
        "stat_interval=3600",
        "verbose=0",
    ):
        time.sleep(seconds)
    log = subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout
    log = log.partition(mark)[2]
    told = re.findall(r"Provoked/diagnosed: (.*)  victims of cycles: (\d+)  not met", log)[-1]
    late = int(re.findall(r"late owners: (\d+)", log)[-1])
    rounds = {kind: int(n) for kind, n in re.findall(r"(\w+): (\d+)/", told[0])}
    assert rounds["aa"] and int(told[1]), log
    return rounds, int(told[1]), late


@contextlib.contextmanager
def kernels_count():
    """How many acquisitions the kernel says have failed meanwhile."""
    if not EVENTS.is_dir():
        pytest.skip(f"{EVENTS}: the kernel lacks CONFIG_LOCK_EVENT_COUNTS")

    def read():
        names = ("rqspinlock_deadlock", "rqspinlock_lock_timeout")
        return Counter({name: int((EVENTS / name).read_text()) for name in names})

    count, before = Counter(), read()
    yield count
    count.update(read() - before)


def by_kind(events):
    return Counter(e["kind"] for e in events)


def check_torture(kinds, told):
    rounds, victims, late = told
    assert kinds["AA"] == rounds["aa"]
    assert kinds["ABBA"] + kinds["CYCLE"] == victims
    assert kinds["TIMEOUT"] == rounds["stall"] + late
    assert not kinds["UNKNOWN"] and not kinds["NESTED"]


def test_doctor_names_the_kernel_by_what_it_has():
    checks = {c["id"]: c for c in doctor()["checks"]}
    assert checks["tracepoint"]["available"]
    assert "this project's" in checks["lock"]["detail"]
    # No such table here, but the tracepoint shows what it would: see test_locktorture_exact.
    table = checks["held_table"]
    assert not table["available"] and "'held' does not work" in table["costs"]
    assert "names" not in table["costs"] and "shows the other side" in table["costs"]
    for missing in ("trampoline", "contention"):
        assert checks[missing]["available"] or "nothing" in checks[missing]["costs"]


def test_locktorture_exact(tracer, schema):
    with tracer("--stacks") as t, kernels_count() as count:
        told = torture()
    assert t.summary["sources"] == "ring, tracepoint"
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]
    assert {e["source"] for e in t.events} == {"tracepoint"}
    check_torture(by_kind(t.events), told)
    assert len(t.events) == count.total()
    for e in t.events:
        schema.validate(e)
        check_locktorture_event(e)


def check_locktorture_event(e):
    assert e["lock"]["name"].startswith("torture_res_")
    assert "torture_res_" in e["report"] and "__bpf_trace" not in e["report"]
    assert e["prog"] is None and e["joined"] is None and not e["sampled"]
    assert e["wait_ns"] is not None
    assert e["errno"] == ("ETIMEDOUT" if e["kind"] == "TIMEOUT" else "EDEADLK")
    if e["kind"] == "AA":
        assert e["owner"]["cpu"] == e["cpu"] and e["chain"] == [] and e["parties"] == 1
        assert [h["addr"] for h in e["held"]] == [e["lock"]["addr"]]
    if e["kind"] in ("ABBA", "CYCLE"):
        check_cycle(e)
    for hop in e["chain"]:
        assert hop["function"].startswith("torture_res") and hop["prog"] is hop["at"] is None
        assert hop["tid"]


def check_cycle(e):
    """Everybody owns what the one before wants, wants another one, and the last wants ours."""
    assert e["parties"] == len(e["chain"]) + 1
    assert (e["parties"] == 2) == (e["kind"] == "ABBA")
    members = [e["cpu"], *(hop["cpu"] for hop in e["chain"])]
    wants = [e["lock"]["addr"], *(hop["wants"]["addr"] for hop in e["chain"])]
    assert len(set(members)) == len(set(wants)) == e["parties"]
    assert e["owner"]["cpu"] == members[1]
    assert e["owner"]["wants"]["addr"] == wants[1]
    assert [h["addr"] for h in e["held"]] == [wants[-1]]
    assert e["nr_held"] is None  # there may be more


def text_of(args, body):
    """Standard output of the command while the body runs."""
    proc = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "tracing" in proc.stderr.readline()
    try:
        told = body()
    finally:
        proc.send_signal(signal.SIGINT)
        out, talk = proc.communicate(timeout=LIMIT)
    assert proc.returncode == 0, talk
    return out, told


HOP = r" of cpu (\d+) wants (\S+) in torture_res_\w+"


@needs_three_cpus
def test_text_shows_the_whole_cycle():
    out, _ = text_of([RQSPIN, "trace", "--kind", "cycle"], torture)
    lines = out.splitlines()
    assert lines and all("no prog: wants torture_res_" in line for line in lines), out
    for line in lines:
        n = int(re.search(r" CYCLE (\d+) ", line)[1])
        first, rest, last = re.search(
            rf"; cycle: cpu (\d+) wants \S+((?:{HOP})+) of cpu (\d+); waited [\d.]+ ms", line
        ).group(1, 2, 5)
        assert first == last and len(re.findall(HOP, rest)) == n - 1


def test_stat_counts_the_same():
    told = []
    table = stat_while(lambda _stat: told.append(torture()))
    assert not table["lost_unknown"]
    kinds = Counter()
    for row in table["counters"]:
        assert row["prog"] is None and row["lock"]["name"].startswith("torture_res_")
        kinds[row["kind"]] += row["count"]
    check_torture(kinds, told[0])


def stress(parties):
    with module("rqspinlock_stress", f"parties={parties}"):
        time.sleep(SECONDS)
        verdict = (DEBUGFS / "rqspinlock_stress/verdict").read_text()
    told = {k: int(v) for k, v in re.findall(r"^(\w+): (\d+)$", verdict, re.M)}
    return told


@needs_four_cpus
@pytest.mark.parametrize("parties", [0, 2, 3])
def test_stress_exact(tracer, parties):
    """With NMIs on top of the tracer's own program: what it does not see is counted."""
    with tracer("--source", "tracepoint") as t, kernels_count() as count:
        told = stress(parties)
    assert len(t.events) + t.summary["lost"] == count.total()
    assert not t.summary["lost_unknown"]
    kinds = by_kind(t.events)
    # The module is asked while it still runs.
    seen = sum(told[k] for k in ("aa", "abba", "cycle", "timeout", "nested"))
    assert count.total() >= seen > 0
    assert kinds["CYCLE"] if parties == 3 else kinds["ABBA"]
    for e in t.events:
        assert e["lock"]["name"].startswith("rqs_locks")
        if parties and e["kind"] in ("ABBA", "CYCLE"):
            check_stress_cycle(e)


def check_stress_cycle(e):
    """An NMI may stand for a member, and a CPU be a member with both: no more than that."""
    assert e["parties"] == len(e["chain"]) + 1
    assert e["owner"]["cpu"] == e["chain"][0]["cpu"] != e["cpu"]


# locktorture's parties are on the first four CPUs, backwards; the second one is stalled.
STALLED = min(cpus(), 4) - 2


@needs_four_cpus
def test_filters(tracer):
    with tracer() as t, tracer("--kind", "abba,timeout", "--cpu", STALLED) as some:
        torture()
    want = [e for e in t.events if e["kind"] in ("ABBA", "TIMEOUT") and e["cpu"] == STALLED]
    assert by_kind(some.events) == by_kind(want) and by_kind(want)["TIMEOUT"]
    assert some.summary["events"] == t.summary["events"] > some.summary["shown"]


def run_bcc(tmp_path, args, body, end=signal.SIGINT):
    """The BCC tool's JSON lines while the body runs, the summary last, and what the body told."""
    out = tmp_path / "bcc"
    with open(out, "w") as f:
        proc = subprocess.Popen(
            [BCC, "-j", *args],
            stdout=f,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ, PATH=f"/usr/bin:{os.environ['PATH']}"),
        )
    said = proc.stderr.readline()
    if "python3-bpfcc" in said:
        pytest.skip(said.strip())
    assert "Tracing" in said, said + proc.stderr.read()
    told = body()
    if proc.poll() is None:
        proc.send_signal(end)
    assert proc.wait(timeout=LIMIT) == 0, proc.stderr.read()
    *events, summary = [json.loads(line) for line in out.read_text().splitlines()]
    assert summary["type"] == "summary" and summary["shown"] == len(events)
    assert sum(row["failures"] for row in summary["totals"]) == len(events) + summary["lost"]
    for line in (*events, summary):
        validator("events.schema.json").validate(line)
    return events, summary, told


def test_bcc_locktorture_exact(tmp_path):
    with kernels_count() as count:
        events, summary, told = run_bcc(tmp_path, ["-s"], torture)
    assert summary["lost"] == 0
    assert len(events) == summary["events"] == count.total()
    check_torture(by_kind(events), told)
    for e in events:
        assert "\n torture_res_" in e["report"] and "__bpf_trace" not in e["report"]
        if e["kind"] == "AA":
            assert e["owner"]["cpu"] == e["cpu"] and e["chain"] == []
        if e["kind"] in ("ABBA", "CYCLE"):
            check_cycle(e)


def known_agree(ours, theirs, path="event"):
    """All that the tool knows is what 'rqspin trace' says. Each looks at the clock itself."""
    if ours is None or path in ("event.time", "event.ts_ns"):
        return
    assert type(ours) is type(theirs), path
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), path
        for key in ours:
            known_agree(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(ours, list):
        assert len(ours) == len(theirs), path
        for one, other in zip(ours, theirs, strict=True):
            known_agree(one, other, f"{path}[]")
    else:
        assert ours == theirs, path


@needs_three_cpus
def test_bcc_agrees_with_trace(tmp_path, tracer):
    """On failures of programs, in the order of each CPU: those refused at once are alike."""

    def samples():
        for sample in ("aa", "abba", "abbcca", "timeout"):
            assert rqspin("run", sample, "--count", 3).returncode == 0

    def which(e):
        return e["cpu"], e["tid"], e["kind"], e["lock"]["addr"], e["wait_ns"]

    def in_order(es):
        return sorted(es, key=lambda e: (which(e), e["ts_ns"]))

    with tracer("--source", "tracepoint") as t:
        events, summary, _ = run_bcc(tmp_path, [], samples)
    ours, theirs = in_order(events), in_order(t.events)
    assert summary["lost"] == t.summary["lost"] == 0
    assert [which(e) for e in ours] == [which(e) for e in theirs]
    assert by_kind(events).keys() >= {"AA", "ABBA", "CYCLE", "TIMEOUT"}
    for e, their in zip(ours, theirs, strict=True):
        known_agree(e, their)
        assert e["prog"]["name"] == their["prog"]["name"]
        for hop in e["chain"]:
            assert hop["prog"]["name"].startswith("abb") and hop["tid"]


@needs_two_cpus
def test_bcc_filters_by_name(tmp_path):
    def samples():
        for sample in ("aa", "abba"):
            assert rqspin("run", sample, "--count", 3).returncode == 0

    args = ["--prog", "abba_1", "--comm", "rqspin", "--no-addr"]
    events, summary, _ = run_bcc(tmp_path, args, samples)
    assert {e["prog"]["name"] for e in events} <= {"abba_1"}
    assert {e["lock"]["addr"] for e in events} <= {None}
    assert summary["events"] >= 6 and summary["shown"] < summary["events"]


@needs_four_cpus
def test_bcc_stress_exact(tmp_path):
    """Even where there is no room for everything."""
    with kernels_count() as count:
        events, summary, _ = run_bcc(tmp_path, ["--pages", "1"], lambda: stress(0))
    assert len(events) + summary["lost"] == count.total()
    assert events


@needs_four_cpus
def test_bcc_filters(tmp_path, tracer):
    with tracer() as t:
        args = ["-k", "abba,timeout", "-C", f"{STALLED}"]
        events, summary, _ = run_bcc(tmp_path, args, torture)
    want = [e for e in t.events if e["kind"] in ("ABBA", "TIMEOUT") and e["cpu"] == STALLED]
    assert by_kind(events) == by_kind(want) and by_kind(want)["TIMEOUT"]
    assert summary["lost"] == 0


def test_bcc_stops_by_itself(tmp_path):
    events, _, _ = run_bcc(tmp_path, ["-k", "aa", "-c", "3"], torture)
    assert len(events) == 3


def test_bcc_hangup_ends_with_a_summary(tmp_path):
    with kernels_count() as count:
        events, summary, _ = run_bcc(tmp_path, [], torture, end=signal.SIGHUP)
    assert len(events) + summary["lost"] == count.total() > 0


def test_bcc_cpu_ranges(tmp_path):
    """All CPUs that a kernel can have, in one range."""
    with kernels_count() as count:
        events, summary, _ = run_bcc(tmp_path, ["-C", "0-8191"], torture)
    assert len(events) + summary["lost"] == count.total() > 0
