# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Programs that report nothing themselves: exact counts from what the kernel tells."""

import contextlib
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import time
from collections import Counter

import pytest
from bpfobj import MAP_CREATE, bpf, compile_bpf, fdinfo, pinned, read_stream, run_pinned
from conftest import (
    BPFTOOL,
    BUILD,
    LIMIT,
    RQSPIN,
    all_gone,
    cpu_clock,
    doctor,
    doctor_check,
    failed_by_program,
    kernel_has_tracepoint,
    loaded,
    needs_four_cpus,
    needs_three_cpus,
    needs_two_cpus,
    rqspin,
    run_sample,
    stopped,
)

PLAIN = BUILD / "selftests/kernel/progs/plain_deadlock.bpf.o"
AA = BUILD / "bpf/progs/aa.bpf.o"
QUEUE = BUILD / "selftests/kernel/progs/queue_wait.bpf.o"
WANTS = {"plain_ab": "lock_b", "plain_ba": "lock_a"}
HOLDS = {"plain_ab": "lock_a", "plain_ba": "lock_b"}


def usable():
    """Source -> None, or why it does not work here."""
    return {s["name"]: None if s["usable"] else s["detail"] for s in doctor()["trace_sources"]}


def test_doctor_is_right_about_sources():
    """What it calls usable starts, alone and with the others; what it does not is refused."""
    for name, why in usable().items():
        res = rqspin("trace", "--source", name, "--duration", "0.1")
        assert (res.returncode, why or "") == (3 if why else 0, why or ""), (name, res.stderr)
        assert not why or why in res.stderr
    talk = rqspin("trace", "--duration", "0.1").stderr
    assert "cannot be started" not in talk, talk


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
    failed = +Counter(failed_by_program(run))
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


LEFT_OUT = "the kernel left lines out of a report"


def check_cut(t, source):
    """The kernel may have no memory for a source line, rarely, and the tracer says so."""
    cut = [e for e in t.events if not e["at"]]
    assert len(cut) <= 2, (cut, t.talk)
    if source == "trampoline" and cut:
        assert LEFT_OUT in t.talk, cut


def test_aa(tracer, source, pinned_aa):
    with tracer("--source", source) as t:
        run_pinned(pinned_aa, 101)
    check_cut(t, source)
    # A report whose first line is missing is no report, but it counts.
    missing = 101 - len(t.events)
    assert 0 <= missing <= 2 and (not missing or t.summary["lost"] or t.summary["lost_unknown"])
    assert t.summary["lost"] <= missing
    for e in t.events:
        assert (e["kind"], e["parties"], e["errno"]) == ("AA", 1, "EDEADLK")
        assert (e["lock"]["name"], e["lock"]["key"]) == ("plain_hash[key 7].lock", "7")
        assert e["held"][0]["addr"] == e["lock"]["addr"]
        if e["at"]:
            assert e["at"]["file"].endswith("plain_deadlock.bpf.c")
            assert "again->lock" in e["at"]["text"]


LONG_REPORT = """
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

extern int bpf_res_spin_lock(struct bpf_res_spin_lock *lock) __ksym;
extern void bpf_res_spin_unlock(struct bpf_res_spin_lock *lock) __ksym;

struct value {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct value);
} slots SEC(".maps");

int calls;

static __always_inline struct value *find(void)
{
	__u32 key = 0;

	asm volatile("" : "+r"(key));
	return bpf_map_lookup_elem(&slots, &key);
}

static __always_inline void deadlock(struct value *v, struct value *again)
{
	if (bpf_res_spin_lock(&v->lock))
		return;
	if (!bpf_res_spin_lock(&again->lock))
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&v->lock);
}

char _license[] SEC("license") = "GPL";
"""


FIND = """
	struct value *v = find(), *again = find();

	if (!v || !again)
		return 0;
"""


def long_lines(length):
    """The longest chain of calls, each in a line of source of more than that length."""
    fill = "/* " + "x" * length + " */"
    text = f"static __noinline int call_0(void)\n{{\n{FIND}\tdeadlock(v, again);\n"
    text += "\treturn calls++;\n}\n"
    for n in range(1, 7):
        text += f"static __noinline int call_{n}(void)\n"
        text += f"{{\n\tint err = call_{n - 1}(); {fill}\n\tcalls++;\n\treturn err;\n}}\n"
    return text + 'SEC("tc") int long_report(struct __sk_buff *skb) { return call_6(); }\n'


def nested(name, innermost):
    """Seven callbacks, each called by a helper of the one before."""
    args = "struct bpf_map *map, __u32 *at, struct value *value, void *ctx"
    text = f"static long {name}_0({args})\n{{\n{innermost}\n}}\n"
    for n in range(1, 7):
        text += f"static long {name}_{n}({args})\n"
        text += f"{{\n\t{run(name, n - 1)}\n\treturn 0;\n}}\n"
    return text


def run(name, n=6):
    return f"bpf_for_each_map_elem(&slots, {name}_{n}, 0, 0);"


def deep_stack(locks=28):
    """Many held locks, and a program that runs inside another one, each seven callbacks deep."""
    text = "".join(
        f'struct bpf_res_spin_lock l{n} __hidden SEC(".data.l{n}");\n' for n in range(locks)
    )
    hold = "".join(f"\tif (bpf_res_spin_lock(&l{n})) goto out_{n};\n" for n in range(locks))
    free = "".join(f"\tbpf_res_spin_unlock(&l{n});\nout_{n}:\n" for n in reversed(range(locks)))
    text += nested("inner", f"{FIND}{hold}\tdeadlock(v, again);\n{free}\treturn 0;")
    text += nested("outer", '\tbpf_printk("deeper");\n\treturn 0;')
    text += 'SEC("tp_btf/bpf_trace_printk") int deep_report(void *ctx)\n'
    text += f"{{\n\t{run('inner')}\n\treturn 0;\n}}\n"
    text += 'SEC("tc") int starts(struct __sk_buff *skb)\n'
    return text + f"{{\n\t{run('outer')}\n\treturn 0;\n}}\n"


@pytest.mark.parametrize("length, cut", [(300, False), (1100, True)], ids=["whole", "too_long"])
def test_long_report_of_long_lines(tracer, source, tmp_path, length, cut):
    """What follows the failed call may be cut; the kernel refuses lines of more than 1024 bytes."""
    text = LONG_REPORT + long_lines(length)
    with (
        pinned(compile_bpf(tmp_path / "long.bpf.c", text)) as where,
        tracer("--source", source) as t,
    ):
        run_pinned(where / "long_report", 5)
    assert len(t.events) == 5
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]
    for e in t.events:
        assert (e["kind"], e["lock"]["name"]) == ("AA", "slots[0].lock")
        assert "again->lock" in e["at"]["text"]
    assert (LEFT_OUT in t.talk) == (cut and source == "trampoline")


def test_long_report_of_a_deep_stack(tracer, source, tmp_path):
    """As many lines as held locks and frames, more than the 64 that were once read."""
    obj = compile_bpf(tmp_path / "deep.bpf.c", LONG_REPORT + deep_stack())
    with pinned(obj, attach=True) as where, tracer("--source", source) as t:
        run_pinned(where / "starts", 1)
    assert [e["kind"] for e in t.events if e["prog"]["name"] == "deep_report"] == ["AA"]
    assert t.events[0]["nr_held"] == 29
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]


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


def test_a_program_is_loaded_once(tracer):
    """One that came and went before, only to be tried, would be a program that nobody saw."""
    with tracer("--source", "ring", "-v") as t, stopped(t):
        before = loaded()
        run_plain("plain_aa", 101)
        all_gone(before)
    assert t.talk.count("plain_aa was gone before it could be examined") == 1, t.talk


@pytest.fixture
def pinned_aa():
    with pinned(PLAIN) as where:
        yield where / "plain_aa"


@pytest.fixture
def stream():
    if usable()["stream"]:
        pytest.skip(f"stream: {usable()['stream']}")


needs_stream = pytest.mark.usefixtures("stream")


@needs_stream
def test_full_stream(tracer, pinned_aa):
    """A stream keeps 100000 bytes, some 150 reports; how many are lost only some kernels know."""
    with tracer("--source", "stream") as t, stopped(t):
        run_pinned(pinned_aa, 400)
    assert 0 < len(t.events) < 400
    if "stderr_dropped" in fdinfo(pinned_aa):
        assert len(t.events) + t.summary["lost"] == 400 and not t.summary["lost_unknown"]
    else:
        assert t.summary["lost"] == 0 and t.summary["lost_unknown"]
    # What was dropped before is none of the next session's business.
    with tracer("--source", "stream") as t:
        run_pinned(pinned_aa, 20)
    assert len(t.events) == 20
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]


@needs_stream
def test_ring_and_stream_report_a_failure_once(tracer):
    """Whenever it happens: at each look of the tracer both have it, or none of them."""
    with pinned(AA) as where, tracer("--source", "ring,stream", "--prog", "aa") as t:
        for _ in range(20):
            run_pinned(where / "aa", 5)
    assert Counter((e["source"], e["joined"]) for e in t.events) == {("ring", "stream"): 100}
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]


OTHER = """
__attribute__((section("tc"))) int other(void *ctx)
{
	return 0;
}

char _license[] __attribute__((section("license"))) = "GPL";
"""


@pytest.fixture
def pinned_other(tmp_path):
    with pinned(compile_bpf(tmp_path / "other.bpf.c", OTHER)) as where:
        yield where / "other"


@pytest.fixture
def many():
    """Loads that many copies of an object; takes them away at the end."""
    with contextlib.ExitStack() as stack:
        yield lambda obj, copies: [stack.enter_context(pinned(obj)) for _ in range(copies)]


TOO_MANY = "more programs take locks than the limit of open files allows"


def few_files(args, nr):
    """The command with that limit of open files, soft and hard."""
    return ["bash", "-c", f'ulimit -n {nr}; exec "$0" "$@"', RQSPIN, *args]


def stream_with_few_files(pin, nr=48):
    """stderr, events, summary of a trace that sees 5 failures of the program."""
    packet = "head -c 64 /dev/zero"
    run = f"{packet} | {BPFTOOL} prog run pinned {pin} data_in - repeat 5 >/dev/null"
    args = ["trace", "--json", "--source", "stream", "--", "sh", "-c", run]
    res = subprocess.run(few_files(args, nr), capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 0, res.stderr
    lines = [json.loads(x) for x in res.stdout.splitlines() if x.startswith('{"schema"')]
    return res.stderr, [x for x in lines if x["type"] == "failure"], lines[-1]


@needs_stream
def test_stream_beyond_the_limit_of_files(many):
    """Those that cannot be held are read all the same, and the reason for doubt is given once."""
    pins = many(PLAIN, 10)
    for pin in (pins[0], pins[-1]):
        said, events, summary = stream_with_few_files(pin / "plain_aa")
        assert said.count(f"{TOO_MANY} (48)") == 1, said
        assert len(events) == 5
        assert summary["lost"] == 0 and summary["lost_unknown"]


@needs_stream
def test_stream_holds_only_what_takes_locks(many, pinned_aa, tmp_path):
    many(compile_bpf(tmp_path / "other.bpf.c", OTHER), 64)
    said, events, summary = stream_with_few_files(pinned_aa)
    assert TOO_MANY not in said
    assert len(events) == 5
    assert summary["lost"] == 0 and not summary["lost_unknown"]


@needs_stream
def test_two_readers_of_streams(tracer, pinned_aa):
    """Each may have taken what the other lacks: neither claims to have seen all; a third can."""
    with tracer("--source", "stream") as first, tracer("--source", "stream") as second:
        run_pinned(pinned_aa, 20)
    assert len(first.events) + len(second.events) <= 20
    for t in (first, second):
        assert t.summary["lost_unknown"]
        assert t.talk.count("another rqspin reads the error streams") == 1
    with tracer("--source", "stream") as third:
        run_pinned(pinned_aa, 20)
    assert len(third.events) == 20 and not third.summary["lost_unknown"]


@pytest.fixture
def kprobes(stream):
    if not doctor_check("kprobe")["available"]:
        pytest.skip(f"kprobes: {doctor_check('kprobe')['detail']}")


@pytest.mark.usefixtures("kprobes")
def test_a_reader_that_is_no_rqspin(tracer, pinned_aa):
    """What it took is missing, and that is known."""
    with tracer("--source", "stream", "--strict") as t:
        with stopped(t):
            run_pinned(pinned_aa, 20)
            assert read_stream(pinned_aa).count(b"ERROR:") == 20
        run_pinned(pinned_aa, 3)
    assert len(t.events) == 3 and t.summary["lost_unknown"] and t.proc.returncode == 4
    assert t.talk.count("another process reads the error streams") == 1


@pytest.mark.usefixtures("kprobes")
def test_readers_that_take_nothing(tracer, pinned_aa, pinned_other):
    """A program that takes no locks has no reports; doctor reads what it wrote itself."""
    with tracer("--source", "stream", "--strict") as t:
        read_stream(pinned_other)
        rqspin("doctor")
        run_pinned(pinned_aa, 3)
    assert "another process reads" not in t.talk
    assert len(t.events) == 3
    # On a busy machine a program of doctor's may come and go before the tracer gets to run.
    if not t.summary["programs_missed"]:
        assert not t.summary["lost_unknown"] and t.proc.returncode == 0


def bpftool_map(nr):
    cmd = [BPFTOOL, "-j", "map", "show", "id", str(nr)]
    return json.loads(subprocess.run(cmd, check=True, capture_output=True, text=True).stdout)


def wait_for(what):
    deadline = time.monotonic() + 30
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ring_alone(where):
    """Pins the ring of an object whose program goes again; returns the map's id."""
    load = [BPFTOOL, "prog", "load", AA, f"{where}_prog"]
    subprocess.run(load, check=True, capture_output=True, timeout=LIMIT)
    show = [BPFTOOL, "-j", "prog", "show", "pinned", f"{where}_prog"]
    prog = json.loads(subprocess.run(show, check=True, capture_output=True).stdout)
    ring = next(i for i in prog["map_ids"] if bpftool_map(i)["name"] == ".bss.rqspin")
    subprocess.run([BPFTOOL, "map", "pin", "id", str(ring), where], check=True, timeout=LIMIT)
    os.unlink(f"{where}_prog")
    wait_for(lambda: prog["id"] not in loaded()["prog"])
    return ring


@pytest.mark.usefixtures("locks")
def test_ring_without_a_program(tracer):
    """Nobody keeps a map for a program that never came; one that comes late is seen as well."""
    where = "/sys/fs/bpf/rqspin_test_ring"
    late = [BPFTOOL, "prog", "load", AA, f"{where}/late", "map", "name", ".bss.rqspin"]
    os.mkdir(where)
    try:
        ring_alone(f"{where}/first")
        second = ring_alone(f"{where}/second")
        with tracer("--source", "ring", "--prog", "aa") as t:
            os.unlink(f"{where}/second")
            wait_for(lambda: second not in loaded()["map"])
            late += ["pinned", f"{where}/first"]
            subprocess.run(late, check=True, capture_output=True, timeout=LIMIT)
            run_pinned(f"{where}/late", 5)
        assert len(t.events) == 5
        assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]
    finally:
        shutil.rmtree(where)


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
def test_program_that_does_not_report(verb, pinned_aa):
    """Where only self-reporting programs are seen, the others are named and may be lost."""
    strict = ["--strict", "--fail-on-event", "--duration", "1"] if verb == "trace" else ["1", "1"]
    res = rqspin(verb, "--source", "ring", "--prog", "plain_aa", *strict)
    assert "are NOT seen with these sources" in res.stderr
    assert re.search(r"program \d+ plain_aa takes locks.*NOT seen here", res.stderr), res.stderr
    said = res.stderr.splitlines()[-1] if verb == "trace" else res.stdout
    assert "lost: unknown (1 program without reports of failures" in said
    assert res.returncode == (4 if verb == "trace" else 0)


@pytest.mark.usefixtures("locks")
@pytest.mark.parametrize("prog, code", [("plain_aa", 4), ("aa", 0)], ids=["unseen", "seen"])
def test_strict_stat(prog, code, pinned_aa):
    """Exit code 4 where failures may be missing, and only there."""
    args = ("--source", "ring", "--json", "--prog", prog, "0.2", "1")
    for strict in ([], ["--strict"]):
        res = rqspin("stat", *strict, *args)
        assert json.loads(res.stdout)["lost_unknown"] == (code == 4), res
        assert res.returncode == (code if strict else 0), res


@pytest.mark.usefixtures("locks")
def test_program_that_does_not_report_exact(tracer, pinned_aa):
    """Each such program is counted once; one that reports or is not asked for is none."""
    with tracer("--source", "ring", "--prog", "plain_aa") as t:
        run_pinned(pinned_aa, 50)
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
    with pinned(compile_bpf(tmp_path / "bystander.bpf.c", BYSTANDER)):
        yield


@pytest.mark.usefixtures("locks", "pinned_bystander")
def test_only_programs_that_take_locks_are_named(tracer):
    """Two programs of one object share its types; what tells them apart is their instructions."""
    with tracer("--source", "ring", "--prog", "bystander") as t:
        pass
    assert "NOT seen here" not in t.talk and t.summary["programs_unseen"] == 0
    with tracer("--source", "ring", "--prog", "locker") as t:
        pass
    assert "locker takes locks" in t.talk and t.summary["programs_unseen"] == 1


@pytest.mark.usefixtures("locks")
def test_more_programs_than_names_are_kept(tracer, tmp_path):
    """256 names: a program beyond them counts as unseen each time, and no longer as missed."""
    begin, rest = BYSTANDER.split('SEC("tc") int locker')
    body, end = rest.split("\n}\n")

    def lockers(nr):
        text = "".join(f'SEC("tc") int locker_{i}{body}\n}}\n' for i in range(nr))
        return compile_bpf(tmp_path / f"lockers_{nr}.bpf.c", begin + text + end)

    many = lockers(257)  # the newest of them is looked at first
    with tracer("--source", "ring") as t:
        with stopped(t):
            before = loaded()
            with pinned(lockers(1)):
                pass
            all_gone(before)
        for _ in range(3):
            with pinned(many):
                rqspin("stat", "--source", "ring", "0.1", "1")
    assert t.summary["programs_unseen"] == 256 + 3
    # Where perf events are refused nobody knows the name of what came and went.
    assert t.summary["programs_missed"] <= 1


def test_probes_of_the_tool_are_left_out(tracer):
    """What doctor and a second tracer load and provoke is no finding, and nothing unseen."""
    with tracer("--fail-on-event") as t:
        rqspin("doctor")
        rqspin("stat", "0.1", "1")
    assert t.events == [] and t.proc.returncode == 0
    assert [t.summary[f"programs_{what}"] for what in ("unseen", "missed")] == [0, 0]
    assert "NOT seen here" not in t.talk


@pytest.mark.usefixtures("locks")
def test_a_name_like_the_tools_hides_nothing(tracer, tmp_path):
    """A program is the tool's own by its object's mark, not by its name."""
    text = BYSTANDER.replace("int locker", "int rqspin_aa")
    obj = compile_bpf(tmp_path / "named.bpf.c", text)
    with pinned(obj), tracer("--source", "ring", "--prog", "rqspin_aa") as t:
        pass
    assert "rqspin_aa takes locks" in t.talk and t.summary["programs_unseen"] == 1


def many_maps(count):
    """Descriptors of so many small maps."""
    attr = struct.pack("IIIII", 2, 4, 8, 1, 0).ljust(128, b"\0")  # an array of one value
    return [bpf(MAP_CREATE, attr) for _ in range(count)]


def idle_cpu(tracer, seconds):
    """CPU time of a tracer while nothing fails; what its start takes varies more than that."""
    with tracer() as t:
        clock = cpu_clock(t.proc.pid)
        start = time.clock_gettime(clock)
        with pytest.raises(subprocess.TimeoutExpired):
            t.proc.wait(timeout=seconds)
        return time.clock_gettime(clock) - start


def test_an_idle_tracer_costs_little_with_many_maps(tracer):
    if os.geteuid():
        pytest.skip("needs root to make maps")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(4096, limits[0]), max(4096, limits[1])))
    fds, seconds = [], 5
    try:
        few = idle_cpu(tracer, seconds)
        fds = many_maps(2000)
        many = idle_cpu(tracer, seconds)
    finally:
        for fd in fds:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert many - few < 0.05 * seconds, (few, many)
