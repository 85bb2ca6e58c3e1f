# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The flight recorder: it goes on alone, its memory does not grow, and nothing of it stays."""

import fcntl
import json
import os
import signal
import subprocess

import pytest
from conftest import (
    BPFTOOL,
    LIMIT,
    RQSPIN,
    doctor,
    failed_runs,
    kernel_has_tracepoint,
    needs_four_cpus,
    needs_locks,
    refused,
    rqspin,
    run_sample,
    stopped,
)
from mapfailures import PLACES, REFUSALS, failed, failures

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
pytestmark = root_only


def test_start_status_stop(recorder):
    refused(recorder.record("--status"), 1, "no recorder runs: start one with 'rqspin record'")
    recorder.start("--keep", "32")
    status = recorder.status()
    assert (status["keep"], status["stacks"]) == (32, False)
    assert status["folder"] == f"{recorder.bpffs}/rqspin/recorder"
    assert all(s["recorded"] == s["kept"] == 0 for s in status["sources"])
    text = recorder.record("--status").stdout
    assert "of each CPU: the last 32 failures" in text and "MiB, in " in text
    assert "are removed" in recorder.stop().stderr
    assert "no recorder ran" in recorder.stop().stderr


def test_what_is_not_recorded_is_said(recorder):
    """Where only the programs themselves tell of failures."""
    said = "NOT recorded with these sources, nor those of programs that are loaded later"
    assert said in recorder.record("--source", "ring").stderr
    recorder.stop()
    usable = {s["name"] for s in doctor()["trace_sources"] if s["usable"]}
    watched = usable & {"tracepoint", "trampoline"}
    assert (said in recorder.record().stderr) != bool(watched)


@needs_locks
def test_what_came_later_may_be_missing(recorder):
    """Where only programs that were there already are recorded, "lost: 0" would not be true."""
    recorder.start("--source", "ring")
    assert failed_runs(run_sample("aa", "--count", 3))
    res = rqspin("trace", "--last", "--strict", "--bpffs", recorder.bpffs)
    assert res.returncode == 4
    assert "programs that were loaded after the recorder began are in it" in res.stderr
    assert recorder.last()[1]["lost_unknown"]


def test_started_twice(recorder):
    recorder.start()
    before = sorted(recorder.root.rglob("*"))
    refused(recorder.record(), 1, "a recorder runs already, started by process ")
    assert sorted(recorder.root.rglob("*")) == before
    assert recorder.status()["keep"] == 256


def test_another_command_is_at_it(recorder):
    recorder.root.mkdir()
    fd = os.open(recorder.root, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    refused(recorder.record(), 1, "another rqspin starts or stops the recorder")
    os.close(fd)
    recorder.root.rmdir()


@pytest.mark.parametrize("verb", [["record"], ["record", "--status"], ["trace", "--last"]])
def test_no_bpffs(tmp_path, nothing_left, verb):
    for where in (tmp_path, tmp_path / "missing"):
        res = rqspin(*verb, "--bpffs", where)
        refused(res, 3, f"{where} is no BPF file system")
        assert f"'mount -t bpf bpf {where}'" in res.stderr
    assert not list(tmp_path.iterdir())


def test_no_privilege(recorder, reachable):
    recorder.start()
    recorder.bpffs.chmod(0o755)
    for path in (recorder.bpffs.parent, *recorder.bpffs.parent.parents):
        if path.stat().st_mode & 0o1 == 0 and str(path).startswith("/tmp/"):
            path.chmod(0o755)
    for args in (["record"], ["record", "--status"], ["record", "--stop"], ["trace", "--last"]):
        cmd = [reachable / "rqspin", *args, "--bpffs", recorder.bpffs]
        res = subprocess.run(cmd, capture_output=True, text=True, user=65534, group=65534)
        assert res.returncode == 3, (args, res.stderr)
        assert "root" in res.stderr or "Permission denied" in res.stderr, (args, res.stderr)
    assert recorder.status()


def test_nothing_recorded(recorder):
    refused_text = "no recorder runs: start one with 'rqspin record'"
    refused(rqspin("trace", "--last", "--bpffs", recorder.bpffs), 1, refused_text)
    recorder.start()
    events, summary = recorder.last()
    assert events == [] and summary["lost"] == 0


def leave_unfinished(recorder):
    """As a command that was killed when it had pinned something."""
    folder = recorder.root / "recorder_unfinished"
    (folder / "contention").mkdir(parents=True)
    args = ["type", "array", "key", "4", "value", "8", "entries", "1", "name", "left"]
    cmd = [BPFTOOL, "map", "create", folder / "contention/heads", *args]
    subprocess.run(cmd, check=True)


def test_half_made_is_named_and_removed(recorder):
    leave_unfinished(recorder)
    said = "has left a recorder half-made: remove it with 'rqspin record --stop'"
    refused(recorder.record("--status"), 1, said)
    refused(rqspin("trace", "--last", "--bpffs", recorder.bpffs), 1, said)
    assert "are removed" in recorder.stop().stderr


def test_half_made_is_replaced(recorder):
    leave_unfinished(recorder)
    res = recorder.record()
    assert res.returncode == 0
    assert "removing a recorder that a killed command left half-made" in res.stderr
    assert not (recorder.root / "recorder_unfinished").exists()
    assert recorder.status()


@pytest.mark.parametrize("sig", [signal.SIGKILL, signal.SIGINT])
def test_ended_in_the_middle(recorder, sig):
    """A kill leaves a half-made one at most, Ctrl-C nothing, unless it came too late."""
    unfinished = recorder.root / "recorder_unfinished"
    cmd = [RQSPIN, "record", "--bpffs", recorder.bpffs]
    with subprocess.Popen(cmd, stderr=subprocess.PIPE, text=True) as proc:
        while proc.poll() is None and not unfinished.exists():
            pass
        proc.send_signal(sig)
        said = proc.communicate(timeout=LIMIT)[1]
    if sig == signal.SIGINT and proc.returncode:
        assert proc.returncode == 1 and "interrupted: nothing was started" in said
        assert not recorder.root.exists()
    whole = (recorder.root / "recorder").exists()
    assert recorder.record("--status").returncode == (0 if whole else 1)


def meta(recorder):
    return recorder.root / "recorder/meta"


def change_meta(recorder, change):
    """The value of the map that says what the recorder is, as bytes."""
    cmd = [BPFTOOL, "-j", "map", "lookup", "pinned", meta(recorder), "key", "0", "0", "0", "0"]
    res = subprocess.run(cmd, check=True, capture_output=True, text=True)
    value = change([int(b, 16) for b in json.loads(res.stdout)["value"]])
    cmd = [BPFTOOL, "map", "update", "pinned", meta(recorder), "key", "0", "0", "0", "0", "value"]
    subprocess.run([*cmd, *map(str, value)], check=True)


def test_recorder_of_another_version(recorder):
    recorder.start()
    # The layout follows the 16 bytes of the magic.
    change_meta(recorder, lambda v: [*v[:16], v[16] ^ 1, *v[17:]])
    for verb in (["record", "--status"], ["trace", "--last"]):
        res = rqspin(*verb, "--bpffs", recorder.bpffs)
        refused(res, 1, "the recorder was started by another version of rqspin")
        assert "'rqspin record --stop'" in res.stderr
    refused(recorder.record(), 1, "a recorder runs already")


def test_something_else_in_its_place(recorder):
    (recorder.root / "recorder").mkdir(parents=True)
    refused(recorder.record("--status"), 1, "another version of rqspin")
    refused(recorder.record(), 1, "of another version of rqspin")


CONFLICTS = {
    "--count=1": "--count",
    "--rate=1": "--rate",
    "--duration=1": "--duration",
    "--source=ring": "--source",
    "--buffer=1M": "--buffer",
    "--ready-file=x": "--ready-file",
}


@pytest.mark.parametrize("option", CONFLICTS)
def test_what_is_about_the_future(option):
    res = rqspin("trace", "--last", option)
    refused(res, 2, f"--last shows what was recorded: {CONFLICTS[option]} does not go with it")


def test_command_line():
    refused(rqspin("trace", "--last", "--", "true"), 2, "a command does not go with it")
    refused(rqspin("trace", "--last=0"), 2, "--last: '0' is not a positive number")
    refused(rqspin("trace", "--bpffs", "/x"), 2, "--bpffs goes with --last")
    refused(rqspin("record", "--keep", "15"), 2, "--keep: '15' is not a number from 16 to 65536")
    refused(rqspin("record", "--stop", "--status"), 2, "--status and --stop are two things to do")
    refused(rqspin("record", "--stop", "--keep", "16"), 2, "--keep is for starting the recorder")
    refused(rqspin("record", "x"), 2, "takes no arguments, but got 'x'")
    refused(rqspin("record", "--source", "stream"), 2, "no source 'stream'")


@needs_locks
def test_rings_outlive_their_programs(recorder):
    """A program that reports itself, loaded before the recorder was started."""
    cmd = [RQSPIN, "run", "aa", "--duration", "1h", "--json"]
    with subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as proc:
        # Not before it has failed once is it certain that it is loaded.
        seen = rqspin("trace", "--source", "ring", "--prog", "aa", "--count", "1", "--json")
        # Attaching waits until each running program has made way once.
        with stopped(proc):
            recorder.start()
        proc.send_signal(signal.SIGINT)
        out = proc.communicate(timeout=LIMIT)[0]
    assert '"type":"failure"' in seen.stdout
    events, summary = recorder.last("--kind", "aa")
    ring = [e for e in events if e["source"] == "ring"]
    sources = {s["source"] for s in recorder.status()["sources"]}
    # The kernel's own report stands for each failure, and there was none before the start.
    if "tracepoint" in sources:
        return
    if "trampoline" in sources:
        assert ring
        return
    assert recorder.status()["rings"] >= 1
    assert len(ring) + summary["lost"] >= failed_runs(json.loads(out)) > 0
    assert {e["prog"]["name"] for e in ring} == {"aa"}
    assert all(e["at"]["file"].endswith("aa.bpf.c") for e in ring)


@needs_locks
def test_the_last_few(recorder):
    cmd = [RQSPIN, "run", "aa", "--duration", "1h", "--json"]
    with subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as proc:
        rqspin("trace", "--source", "ring", "--prog", "aa", "--count", "5", "--json")
        with stopped(proc):
            recorder.start()
        proc.send_signal(signal.SIGINT)
        proc.communicate(timeout=LIMIT)
    everything, summary = recorder.last()
    few, short = recorder.last("--last=3")
    assert len(everything) > 3
    # Each command looks at the wall clock itself, so the last digits of the time may differ.
    without_time = [{k: v for k, v in e.items() if k != "time"} for e in everything]
    assert [{k: v for k, v in e.items() if k != "time"} for e in few] == without_time[-3:]
    assert (short["shown"], short["events"]) == (3, summary["events"])


def skip_without_witness():
    names = {s["name"] for s in doctor()["trace_sources"] if s["usable"]}
    if not names & {"tracepoint", "trampoline"}:
        pytest.skip("nobody may watch failures on this kernel: no fentry, no tracepoint")


@needs_locks
@needs_four_cpus
def test_all_is_gone_and_has_its_name(recorder):
    """Programs and maps are unloaded before anybody looks."""
    skip_without_witness()
    recorder.start("--keep", "4096")
    told = run_sample("abba", "--count", "5")
    array = run_sample("map_value", "--count", "3")
    events, summary = recorder.last()
    assert summary["lost"] == 0
    ours = [e for e in events if e["prog"]["name"].startswith("abba_")]
    assert len(ours) == failed_runs(told)
    for e in ours:
        assert e["prog"]["name"].startswith("abba_") and e["at"]["line"] > 0
        assert e["at"]["file"].endswith("abba.bpf.c")
        assert {e["lock"]["path"], e["held"][0]["path"]} == {"lock_a", "lock_b"}
        assert e["lock"]["map_id"]
    assert len(events) == failed_runs(told) + failed_runs(array)


@needs_locks
def test_what_each_operation_returned(recorder):
    skip_without_witness()
    if kernel_has_tracepoint():
        pytest.skip("this kernel's lock tells of each failure, not of what operations return")
    recorder.start("--keep", "4096")
    told = {}
    for place in ("hash", "lru_list", "lru_cpu"):
        with failures(place, 11) as told[place]:
            pass
    events, summary = recorder.last()
    assert summary["lost"] == 0 and not summary["lost_unknown"]
    for place, t in told.items():
        ours = [e for e in events if e["map_id"] == t["lock"]["map_id"]]
        assert len(ours) == failed(t, place) == 11
        for e in ours:
            want = {0: "EDEADLK"}.get(REFUSALS.get(place, 0), "ENOMEM")
            assert (e["returned"], e["errno"]) == (want, "EDEADLK"), e
            assert e["prog"] == {"id": t["prog_id"], "name": t["prog"]}
            assert e["at"]["file"].endswith("map_failures.bpf.c")
            assert e["lock"]["map"] == t["lock"]["map"]
    hash_names = {
        e["lock"]["name"] for e in events if e["map_id"] == told["hash"]["lock"]["map_id"]
    }
    assert hash_names == {PLACES["hash"][0]}


@needs_locks
def test_memory_does_not_grow(recorder):
    """The oldest are overwritten and counted; programs go on when their maker is gone."""
    skip_without_witness()
    if kernel_has_tracepoint():
        pytest.skip("this kernel's lock tells of each failure: counted in test_tracepoint.py")
    recorder.start("--keep", "16", "--source", "mapops")
    before = recorder.status()
    pins = sorted(recorder.root.rglob("*"))
    with failures("hash", 20000) as told:
        nr = failed(told, "hash")
    after = recorder.status()
    (source,) = after["sources"]
    assert (source["recorded"], source["kept"]) == (nr, 16)
    assert source["overwritten"] == nr - 16
    assert after["memory"] == before["memory"]
    assert sorted(recorder.root.rglob("*")) == pins
    events, summary = recorder.last()
    assert len(events) == 16 and summary["lost"] == nr - 16
    assert [e["ts_ns"] for e in events] == sorted(e["ts_ns"] for e in events)
