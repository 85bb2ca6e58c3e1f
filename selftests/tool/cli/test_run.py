# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin run`: counts, limits, CPUs, the user's own objects, the shape of its JSON."""

import json
import os
import re
import shutil
import struct
import subprocess
import tempfile

import jsonschema
import pytest
from bpfobj import compile_bpf
from conftest import (
    BPFTOOL,
    BUILD,
    RQSPIN,
    VERBS,
    cpus,
    kernel_has_tracepoint,
    needs_locks,
    needs_two_cpus,
    rqspin,
    run_sample,
    skip_without_locks,
    validator,
)

PROGS = BUILD / "bpf/progs"


def samples():
    return json.loads(rqspin("list", "--json").stdout)["samples"]


@pytest.fixture(scope="session")
def run_schema():
    return validator("run.schema.json")


@pytest.mark.parametrize("args", [["aa", "-c", 3], ["nested", "-c", 3]], ids=str)
def test_json_matches_schema(args, run_schema):
    run_schema.validate(run_sample(*args))


def test_json_of_a_path_that_is_no_text(tmp_path, run_schema):
    path = bytes(tmp_path) + b"/\xff.bpf.o"
    shutil.copy(PROGS / "aa.bpf.o", path)
    run = run_sample(os.fsdecode(path), "--roles", "aa", "--count", 2)
    run_schema.validate(run)
    assert run["object"].endswith("/?.bpf.o")


def test_schema_can_fail(run_schema):
    run = run_sample("aa", "-c", 1)
    run["total"]["failed"] = -1
    with pytest.raises(jsonschema.ValidationError):
        run_schema.validate(run)


def test_every_sample_has_its_object():
    missing = [s["name"] for s in samples() if not s["object"]]
    assert not missing


@pytest.mark.parametrize("sample", samples(), ids=lambda s: s["name"])
def test_sample_does_what_is_expected(sample, nothing_left):
    if sample["by_hand"]:
        assert rqspin("run", sample["name"]).returncode == 3
        pytest.skip("driven by hand with bpftool: selftests/tool/samples.sh does it")
    if cpus() < sample["min_cpus"]:
        pytest.skip(f"needs {sample['min_cpus']} CPUs: make vmtest")
    res = rqspin("run", sample["name"], "--json")
    if res.returncode == 3 and sample["needs"]:
        assert "fentry" in res.stderr or "out of order" in res.stderr
        pytest.skip(f"needs {sample['needs']}: {res.stderr.strip()}")
    if res.returncode == 3:
        skip_without_locks()
    assert res.returncode == 0, res.stderr
    assert json.loads(res.stdout)["as_expected"] is True


def test_count_is_exact():
    run = run_sample("aa", "--count", 1009)
    assert run["roles"][0]["rounds"] == run["total"]["failed"] == 1009
    assert run["total"]["acquired"] == 0
    assert run["total"]["latency_ns"]["acquired"] is None
    p = run["total"]["latency_ns"]["failed"]
    assert 0 < p["p50"] <= p["p90"] <= p["p99"] <= p["max"]


@needs_two_cpus
def test_one_role_runs_on_every_cpu_named():
    # not aa: where a kernel looks for AA only at the head of the queue, an owner that queues behind
    # the other CPU waits for that CPU's time limit
    run = run_sample("nested", "--count", 17, "--cpus", "1,0")
    assert [(r["cpu"], r["acquired"]) for r in run["roles"]] == [(1, 17), (0, 17)]
    assert run["total"]["acquired"] == 34


@needs_two_cpus
def test_roles_go_to_the_cpus_named():
    run = run_sample("abba", "--count", 5, "--cpus", "1,0")
    assert [(r["program"], r["cpu"]) for r in run["roles"]] == [("abba_0", 1), ("abba_1", 0)]
    assert all(r["rounds"] >= 5 for r in run["roles"])


def test_roles_that_share_a_cpu_are_told_apart():
    run = run_sample("out_of_order", "--count", 50, "--cpus", "0")
    assert run["counted_by"] == "return"
    assert [(r["cpu"], r["acquired"]) for r in run["roles"]] == [(0, 50), (0, 50)]


def test_program_ids_match_the_trace(tracer):
    with tracer() as t:
        run = run_sample("aa", "--count", 3)
    assert {e["prog"]["id"] for e in t.events} == {run["roles"][0]["program_id"]}


def test_rate_limits_rounds():
    run = run_sample("nested", "--count", 20, "--rate", 100)
    assert run["total"]["acquired"] == 20
    assert run["seconds"] >= 0.19


def test_duration_ends_the_run():
    run = run_sample("nested", "--duration", "300ms")
    assert run["seconds"] >= 0.3
    assert run["total"]["acquired"] == run["roles"][0]["rounds"] > 0


def test_own_object():
    run = run_sample(PROGS / "aa.bpf.o", "--roles", "aa", "--count", 7)
    assert run["total"]["failures"] == {"EDEADLK": 7, "ETIMEDOUT": 0, "other": 0}


OWN = BUILD / "selftests/kernel/progs"
VERDICT = BUILD / "selftests/tool/cli/verdict.bpf.o"
FLOWS = BUILD / "selftests/tool/cli/flows.bpf.o"


def skip_without_counting():
    skip_without_locks()
    if kernel_has_tracepoint():
        pytest.skip("this kernel's lock would report the functions that count as callers")


def own_counts(*args, **kw):
    """Of the first role: counts, and what it returned."""
    skip_without_counting()
    run = run_sample(*args, **kw)
    assert run["counted_by"] == "calls" and run["as_expected"] is None
    role = run["roles"][0]
    returned = {r["value"]: r["times"] for r in role["returned"]}
    return {"ok": role["acquired"], **role["failures"]}, returned


def test_own_object_without_counters(run_schema):
    """Not one of ours: calls are counted, and what the programs returned is shown beside them."""
    counts, returned = own_counts(OWN / "aa.bpf.o", "--roles", "aa_plain", "--count", 5)
    assert counts == {"ok": 5, "EDEADLK": 5, "ETIMEDOUT": 0, "other": 0}
    assert returned == {-35: 5}
    run_schema.validate(run_sample(OWN / "aa.bpf.o", "--roles", "aa_plain", "--count", 1))


@pytest.mark.parametrize(
    "obj, role, ok, failed",
    [
        ("aa", "aa_irqsave", 1, 1),
        ("aa", "aa_below_others", 3, 1),
        ("aa", "aa_sleepable", 1, 1),
        ("graph", "list_push_and_pop", 1, 0),  # maps that only their own object may use
        ("graph", "tree_add_and_remove_first", 1, 0),
    ],
)
def test_calls_are_counted(obj, role, ok, failed):
    counts, _ = own_counts(OWN / f"{obj}.bpf.o", "--roles", role, "--count", 7)
    assert counts == {"ok": 7 * ok, "EDEADLK": 7 * failed, "ETIMEDOUT": 0, "other": 0}


@needs_two_cpus
def test_calls_of_each_role_are_its_own():
    """The roles share the maps: without that take_ba would deadlock with nobody."""
    skip_without_counting()
    args = [OWN / "abba.bpf.o", "--roles", "take_ab,take_ba", "--count", 1000]
    run = run_sample(*args)
    for role in run["roles"]:
        failed = sum(r["times"] for r in role["returned"] if r["value"] < 0)
        assert role["failed"] == failed
        assert role["acquired"] == 2 * role["rounds"] - failed


def packet(tmp_path, size):
    path = tmp_path / f"packet{size}"
    path.write_bytes(bytes(size))
    return path


@needs_locks
def test_no_lock_was_taken():
    """One program needs no --roles; that it passes packets is no failure of a lock."""
    skip_without_counting()
    res = rqspin("run", VERDICT, "--count", 10)
    assert res.returncode == 0
    assert "no lock was taken" in res.stderr and "--data-in" in res.stderr
    row = next(line for line in res.stdout.splitlines() if line.startswith("count_long"))
    assert row.split() == ["count_long", "0", "10", "0", "0", "0", "0", "XDP_PASS"]


def test_packet_from_a_file(tmp_path):
    counts, returned = own_counts(VERDICT, "--data-in", packet(tmp_path, 100), "--count", 10)
    assert counts == {"ok": 10, "EDEADLK": 10, "ETIMEDOUT": 0, "other": 0}
    assert returned == {2: 10}
    assert own_counts(VERDICT, "--data-in", packet(tmp_path, 99))[0]["ok"] == 0


@needs_two_cpus
def test_packet_for_each_cpu(tmp_path):
    """One program, and only the first CPU's packet is long."""
    skip_without_counting()
    packets = ["--data-in", packet(tmp_path, 100), "--data-in", packet(tmp_path, 99)]
    run = run_sample(VERDICT, "--cpus", "0,1", "--count", 10, *packets)
    assert {r["cpu"]: r["acquired"] for r in run["roles"]} == {0: 10, 1: 0}


def dining_run(tmp_path, role, option, padding):
    """Its programs wait for each other: a run alone is repeated, so each round deadlocks."""
    args = ["--roles", role, "--cpus", "0,1", "--count", 50]
    for party in 0, 1:
        path = tmp_path / f"party{party}"
        path.write_bytes(struct.pack("2I", party, 2) + bytes(padding))
        args += [option, path]
    return run_sample(PROGS / "dining.bpf.o", *args)


@needs_two_cpus
@needs_locks
@pytest.mark.parametrize(
    "role, option, padding", [("dining_packet", "--data-in", 8), ("dining", "--ctx-in", 0)]
)
def test_inputs_are_parties(tmp_path, role, option, padding):
    run = dining_run(tmp_path, role, option, padding)
    assert all(r["rounds"] >= 50 for r in run["roles"])
    assert run["total"]["failed"] >= max(r["rounds"] for r in run["roles"])


def ip_packet(path, src, dst, size=64):
    """Between 10.0.0.src and 10.0.0.dst."""
    ip = struct.pack("!BBHHHBBH4B4B", 0x45, 0, 46, 0, 0, 64, 17, 0, 10, 0, 0, src, 10, 0, 0, dst)
    path.write_bytes((bytes(12) + b"\x08\x00" + ip + bytes(30))[:size])
    return path


def test_packets_with_the_same_two_flows(tmp_path):
    """The maps of both CPUs are the same, and what is not found in them is added."""
    packets = [ip_packet(tmp_path / "forth", 1, 2), ip_packet(tmp_path / "back", 2, 1)]
    counts, _ = own_counts(FLOWS, "--roles", "account", "--data-in", packets[0], "--count", 10)
    assert counts == {"ok": 20, "EDEADLK": 0, "ETIMEDOUT": 0, "other": 0}
    same = ip_packet(tmp_path / "same", 1, 1)
    counts, _ = own_counts(FLOWS, "--roles", "account", "--data-in", same, "--count", 10)
    assert counts == {"ok": 10, "EDEADLK": 10, "ETIMEDOUT": 0, "other": 0}


@needs_locks
def test_why_no_lock_was_taken(tmp_path):
    """A packet that the program passes on, and a look-up in a map that starts empty."""
    skip_without_counting()
    short = ip_packet(tmp_path / "short", 1, 2, size=30)
    res = rqspin("run", FLOWS, "--roles", "account", "--data-in", short, "--count", 1)
    assert "no lock was taken" in res.stderr
    assert "a packet of 30 bytes with EtherType 0x0800 (IPv4 has 0x0800)" in res.stderr
    assert "map flows is empty, and look-ups in it return NULL" in res.stderr


@needs_locks
def test_failures_without_a_call(tmp_path):
    """A pair of one lock is refused before the kernel is asked."""
    skip_without_counting()
    same = ip_packet(tmp_path / "same", 1, 1)
    res = rqspin("run", FLOWS, "--roles", "account_pair", "--data-in", same, "--count", 10)
    assert "no lock was taken" not in res.stderr
    assert "the programs reported 10 failures, which 'rqspin trace' shows" in res.stderr
    row = next(line for line in res.stdout.splitlines() if line.startswith("account_pair"))
    assert row.split()[2:] == ["10", "0", "0", "0", "0", "XDP_DROP"]


@pytest.mark.parametrize("dst, calls", [(1, 1), (2, 2)])
def test_one_flow_has_a_branch_of_its_own(tmp_path, dst, calls):
    path = ip_packet(tmp_path / "packet", 1, dst)
    counts, _ = own_counts(FLOWS, "--roles", "account_either", "--data-in", path, "--count", 10)
    assert counts == {"ok": 10 * calls, "EDEADLK": 0, "ETIMEDOUT": 0, "other": 0}


@needs_locks
def test_packet_and_context():
    """A struct xdp_md that hides the first 64 bytes leaves too few."""
    skip_without_counting()
    run = [RQSPIN, "run", VERDICT, "--json", "--count", "4"]
    res = subprocess.run([*run, "--data-in", "-"], input=bytes(140), capture_output=True)
    assert json.loads(res.stdout)["total"]["acquired"] == 4
    # data, data_end, data_meta, ingress_ifindex, rx_queue_index, egress_ifindex
    ctx = struct.pack("6I", 64, 140, 0, 0, 0, 0)
    with tempfile.NamedTemporaryFile() as data:
        data.write(bytes(140))
        data.flush()
        run += ["--data-in", data.name, "--ctx-in", "-"]
        res = subprocess.run(run, input=ctx, capture_output=True)
    assert json.loads(res.stdout)["total"]["acquired"] == 0, res.stderr


@needs_locks
@pytest.mark.parametrize(
    "args, message",
    [
        (["--data-in", "/nonexistent"], "--data-in /nonexistent: No such file"),
        (["--data-in", "/dev/null"], "--data-in /dev/null: empty"),
        (["--ctx-in", "/dev/zero"], "--ctx-in /dev/zero: too large"),
        (["--data-in=a", "--data-in=b"], "--data-in: 2 files for 1 thread: give one for all"),
        (["--data-in=-", "--ctx-in=-"], "standard input (-) can be given once"),
    ],
)
def test_input_that_cannot_be(args, message):
    res = rqspin("run", VERDICT, *args)
    assert res.returncode == 2 and message in res.stderr and not res.stdout


@needs_locks
def test_packet_that_the_kernel_refuses(tmp_path):
    res = rqspin("run", VERDICT, "--data-in", packet(tmp_path, 13))
    assert res.returncode == 1 and "at least 14 bytes" in res.stderr


@needs_locks
def test_packet_for_a_program_without(tmp_path):
    args = ["--roles", "aa_sleepable", "--data-in", packet(tmp_path, 64)]
    res = rqspin("run", OWN / "aa.bpf.o", *args)
    assert res.returncode == 2 and "aa_sleepable is no program for packets" in res.stderr


def test_input_is_not_for_samples(tmp_path):
    res = rqspin("run", "xdp", "--data-in", packet(tmp_path, 64))
    assert res.returncode == 2 and "only for your own objects" in res.stderr


HEAD = """
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
char _license[] SEC("license") = "GPL";
struct elem {
	struct bpf_res_spin_lock lock;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
	__type(key, int);
	__type(value, struct elem);
} %s SEC(".maps");
"""
TAKES = """
SEC("tc") int takes(struct __sk_buff *s)
{
	int zero = 0, err;
	struct elem *e = bpf_map_lookup_elem(&%s, &zero);

	err = e ? res_spin_lock(&e->lock) : 0;
	if (e && !err)
		res_spin_unlock(&e->lock);
	return err;
}
"""
READS = 'SEC("raw_tp") int reads(struct bpf_raw_tracepoint_args *c) { return c->args[0]; }'


# A list is only for programs of the object that made it, so the copy that counts has its own maps.
LISTED = """
#include "progs/objects.bpf.h"
struct item {
	struct bpf_list_node node;
};
struct bpf_res_spin_lock guard guarded(items);
struct bpf_list_head items contains(item, node) guarded(items);
SEC("tc") int lists(struct __sk_buff *s)
{
	struct item *in = obj_new(struct item);
	struct bpf_list_node *out;

	if (!in)
		return 1;
	if (res_spin_lock(&guard)) {
		obj_drop(in);
		return 1;
	}
	list_push(&items, &in->node);
	out = bpf_list_pop_front(&items);
	res_spin_unlock(&guard);
	if (out)
		obj_drop(container(out, struct item, node));
	return takes(s);
}
"""


@needs_locks
@pytest.mark.parametrize("listed", [False, True])
def test_pinned_maps_are_shared_and_none_is_left(tmp_path, listed):
    name = f"rqspin_test_run_{os.getpid()}"
    text = (HEAD + TAKES) % (name, name)
    if listed:
        text = text.replace('SEC("tc") int takes', "static int takes") + LISTED
    obj = compile_bpf(tmp_path / "pins.bpf.c", text)
    pin = f"/sys/fs/bpf/{name}"
    assert run_sample(obj, "-c", 2)["total"]["failed"] == 0
    assert not os.path.exists(pin)
    made = ["map", "create", pin, "type", "array", "key", 4, "value", 4, "entries", 9]
    subprocess.run([BPFTOOL, *map(str, made), "name", name], check=True)
    try:
        # It is of another shape, so it cannot be what the object asks for: it was looked at.
        res = rqspin("run", obj, "-c", 2)
        assert res.returncode == 1 and "cannot be loaded" in res.stderr
        assert os.path.exists(pin)
    finally:
        os.unlink(pin)


@needs_locks
def test_arguments_that_are_missing(tmp_path):
    obj = compile_bpf(tmp_path / "reads.bpf.c", HEAD % "unused" + READS)
    res = rqspin("run", obj, "-c", 2)
    assert res.returncode == 1 and "give it one with --ctx-in" in res.stderr


def test_object_that_has_no_program(tmp_path):
    obj = compile_bpf(tmp_path / "empty.bpf.c", HEAD % "alone")
    res = rqspin("run", obj)
    assert res.returncode == 1 and f"{obj}: there is no program in it" in res.stderr


def test_object_that_is_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "fifo.o")
    for verb in ("run", "check"):
        res = rqspin(verb, tmp_path / "fifo.o")
        assert res.returncode in (1, 2) and "fifo.o: not a regular file" in res.stderr


def test_lines_of_a_run_that_is_counted(tracer):
    """Between program and lock is a function of ours; lines are still the program's."""
    with tracer() as t:
        run_sample(OWN / "aa.bpf.o", "--roles", "aa_plain", "--count", 3)
    if not t.events:
        pytest.skip("no source of this kernel sees programs that do not report themselves")
    assert {e["prog"]["name"] for e in t.events} == {"aa_plain"}
    assert {e["at"]["file"].rsplit("/")[-1] for e in t.events} == {"aa.bpf.c"}


@needs_locks
def test_lines_come_before_counts():
    """The patched lock knows one place of each waiter: that stays the program's."""
    if not kernel_has_tracepoint():
        pytest.skip("this kernel's lock reports no place of a waiter")
    res = rqspin("run", OWN / "aa.bpf.o", "--roles", "aa_plain", "--count", 5)
    assert res.returncode == 0 and "acquisitions are not counted: on this kernel" in res.stderr
    row = next(line for line in res.stdout.splitlines() if line.startswith("aa_plain"))
    assert row.split()[2:7] == ["5", "-", "-", "-", "-"]


@needs_locks
def test_unexpected_outcome_is_a_failure(tmp_path):
    """An object that never fails under the name of one that always does."""
    harmless = (PROGS / "syscall.bpf.o").read_bytes()
    (tmp_path / "held_max.bpf.o").write_bytes(harmless.replace(b"snapshot", b"held_max"))
    env = {"RQSPIN_PROGS_DIR": str(tmp_path)}
    res = rqspin("run", "held_max", "--count", 3, "--json", env=env)
    assert res.returncode == 1
    assert "expected ok=0, got 3" in res.stderr
    run = json.loads(res.stdout)
    assert run["as_expected"] is False and run["differs"] == "expected ok=0, got 3"


@pytest.mark.parametrize("verb", ["li", "d", "ru"])
def test_prefix(verb):
    assert rqspin(verb, "--help").returncode == 0


@pytest.mark.parametrize("verb", [[], *([v] for v in VERBS)], ids=" ".join)
def test_short_help(verb):
    """-h is --help."""
    short, full = rqspin(*verb, "-h"), rqspin(*verb, "--help")
    assert (short.returncode, short.stdout, short.stderr) == (0, full.stdout, "")


def test_without_verb():
    res = rqspin()
    assert res.returncode == 2 and not res.stdout
    assert re.findall(r"^  (\w+)  +\w", res.stderr, re.M) == VERBS


def test_ambiguous_prefix():
    res = rqspin("", "--help")
    assert res.returncode == 2
    assert "could be any of: list, run" in res.stderr
