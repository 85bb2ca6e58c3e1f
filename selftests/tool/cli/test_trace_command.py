# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""trace: which failures are shown (filters, --unique), and for how long (-- COMMAND)."""

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import time

import pytest
from bpfobj import pinned, run_pinned
from conftest import (
    BUILD,
    LIMIT,
    RQSPIN,
    cpu_clock,
    needs_locks,
    needs_two_cpus,
    rqspin,
    wait_ready,
)
from test_run import FLOWS, ip_packet


def traced(*args, code=0):
    """trace --json ARGS: failures, repeats and summary."""
    res = rqspin("trace", "--json", *args)
    assert res.returncode == code, res.stderr
    lines = [json.loads(line) for line in res.stdout.splitlines() if line.startswith('{"schema"')]
    kinds = ("failure", "repeat", "summary")
    return {kind: [x for x in lines if x["type"] == kind] for kind in kinds}


AA = ("run", "aa", "--count", 5)
ABBA = ("run", "abba", "--count", 5)


def command(*runs):
    """A shell that runs each of these with the tool under test, quietly."""
    lines = [f"{RQSPIN} {' '.join(map(str, r))} >/dev/null" for r in runs]
    return ("--", "sh", "-c", " && ".join(lines))


@needs_locks
def test_command_is_traced(nothing_left):
    """From before its first failure to after its last, without a pause by the caller."""
    out = traced(*command(AA))
    assert len(out["failure"]) == out["summary"][0]["events"] == 5
    assert {e["prog"]["name"] for e in out["failure"]} == {"aa"}


@needs_locks
def test_output_apart_from_the_command(tmp_path, nothing_left):
    """Lines for report and replay in a file, though the command prints."""
    events = tmp_path / "events"
    events.write_text("old\n" * 10000)
    res = rqspin("trace", "--json", "-o", events, "--", RQSPIN, *AA)
    assert res.returncode == 0, res.stderr
    assert "ACQUIRED" in res.stdout and "schema" not in res.stdout
    kinds = [json.loads(line)["type"] for line in events.read_text().splitlines()]
    assert kinds == ["failure"] * 5 + ["summary"]
    assert rqspin("report", events, "-o", tmp_path / "page").returncode == 0


@needs_locks
def test_output_without_json(tmp_path, nothing_left):
    """The last line is a message, as without a file."""
    events = tmp_path / "events"
    res = rqspin("trace", "-o", events, "--", RQSPIN, *AA)
    assert len(events.read_text().splitlines()) == 5
    assert "ACQUIRED" in res.stdout and "5 of 5 failed acquisitions shown" in res.stderr


@pytest.mark.parametrize(
    "name, message",
    [
        ("none/file", "--output {}: No such file or directory"),
        (".", "--output {}: Is a directory"),
        ("link", "--output: {} is a link; links are not followed"),
    ],
)
def test_output_that_cannot_be(tmp_path, nothing_left, name, message):
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / "link").symlink_to(target)
    path = f"{tmp_path}/{name}"
    res = rqspin("trace", "-o", path, "--", "echo", "not started")
    assert (res.returncode, res.stdout) == (1, "") and message.format(path) in res.stderr
    assert target.read_text() == "precious"


def test_output_of_two(tracer, tmp_path):
    """The second one says so, and the first one's lines stay whole."""
    events = tmp_path / "events"
    with tracer("-o", events):
        res = rqspin("trace", "-o", events, "--", "echo", "not started")
    assert (res.returncode, res.stdout) == (1, "")
    assert f"--output: another rqspin writes to {events}" in res.stderr
    assert json.loads(events.read_text())["type"] == "summary"


def test_output_stays_without_a_command(tmp_path, nothing_left):
    (tmp_path / "events").write_text("precious")
    assert rqspin("trace", "-o", tmp_path / "events", "--", "no-such-command").returncode == 127
    assert (tmp_path / "events").read_text() == "precious"


def test_output_to_a_pipe_without_a_reader(tmp_path, nothing_left):
    os.mkfifo(tmp_path / "pipe")
    res = rqspin("trace", "-o", tmp_path / "pipe", "--", "echo", "not started")
    assert (res.returncode, res.stdout) == (1, "") and "is a pipe that nobody reads" in res.stderr


def test_output_is_not_the_ready_file(tmp_path):
    res = rqspin("trace", "-o", tmp_path / "x", "--ready-file", tmp_path / "x")
    assert res.returncode == 2 and "--output and --ready-file name one file" in res.stderr


def test_output_to_a_full_device(nothing_left):
    """The file is named, not standard output."""
    res = rqspin("trace", "--json", "-o", "/dev/full", "--", "true")
    assert res.returncode == 1 and "/dev/full: No space left on device" in res.stderr


@pytest.mark.parametrize(
    "script, code", [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -KILL $$", 137)]
)
def test_command_exit_status(nothing_left, script, code):
    out = traced("--", "sh", "-c", script, code=code)
    assert len(out["summary"]) == 1


def test_command_keeps_the_limit_of_files(nothing_left):
    """The tool raises its own soft limit, not that of the user's command."""
    cmd = 'ulimit -Sn 77; exec "$0" trace -d 5 -- sh -c "ulimit -Sn; ulimit -Hn"'
    res = subprocess.run(["bash", "-c", cmd, RQSPIN], capture_output=True, text=True, timeout=LIMIT)
    hard = subprocess.run(["bash", "-c", "ulimit -Hn"], capture_output=True, text=True).stdout
    assert res.returncode == 0 and f"77\n{hard}" in res.stdout, res


def test_command_keeps_the_signals(nothing_left):
    """What the user has it ignore or block stays so (nohup); the tool's own SIGPIPE does not."""

    def user_did():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell's background jobs ignore it
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})

    res = rqspin("trace", "--", "cat", "/proc/self/status", preexec_fn=user_did)
    assert res.returncode == 0, res.stderr

    def signals(name):
        mask = int(re.search(rf"^{name}:\s+(\w+)$", res.stdout, re.M)[1], 16)
        # The C library's own, from 32 on, are none of the user's.
        return {n for n in range(1, 32) if mask >> (n - 1) & 1}

    assert signals("SigIgn") == {signal.SIGHUP, signal.SIGUSR1}
    assert signals("SigBlk") == {signal.SIGUSR2}


def test_command_not_there(nothing_left, tmp_path):
    res = rqspin("trace", "--", "no-such-command")
    assert (res.returncode, "no-such-command: No such file" in res.stderr) == (127, True)
    plain = tmp_path / "plain"
    plain.write_text("")
    res = rqspin("trace", "--", plain)
    assert (res.returncode, f"{plain}: Permission denied" in res.stderr) == (126, True)


def test_command_only_after_dashes():
    res = rqspin("trace", "true")
    assert res.returncode == 2 and "a command to run comes after --" in res.stderr


@needs_locks
def test_command_options_stay_its_own(nothing_left):
    out = traced("--kind", "timeout", "--", RQSPIN, "run", "aa", "--count", 3, "--json")
    assert not out["failure"] and out["summary"][0]["events"] == 3


@needs_locks
def test_fail_on_event_after_success(nothing_left):
    traced("--fail-on-event", *command(AA), code=10)


@pytest.mark.parametrize("to_group", [True, False])
def test_interrupt_ends_both(nothing_left, tmp_path, to_group):
    """Ctrl-C goes to the group; a signal for the tracer alone reaches the command as SIGTERM."""
    up = tmp_path / "up"
    os.mkfifo(up)
    script = f"trap 'exit 5' INT TERM; echo > {up}; while :; do sleep 0.1; done"
    proc = subprocess.Popen(
        [RQSPIN, "trace", "--json", "--", "sh", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_ready(proc, up)
    if to_group:
        os.killpg(proc.pid, signal.SIGINT)
    else:
        proc.send_signal(signal.SIGINT)
    out, err = proc.communicate(timeout=LIMIT)
    assert proc.returncode == 5, err
    assert json.loads(out.splitlines()[-1])["type"] == "summary"


@needs_locks
def test_count_ends_the_command(nothing_left):
    out = traced("--count", 2, "--", RQSPIN, "run", "aa", "--duration", "60", code=0)
    assert len(out["failure"]) == 2


@needs_locks
def test_unique_folds_repeats(nothing_left):
    out = traced("--unique", *command(AA, AA))
    assert len(out["failure"]) == 1
    assert [r["again"] for r in out["repeat"]] == [9]
    assert out["repeat"][0]["at"] == out["failure"][0]["at"]
    summary = out["summary"][0]
    assert (summary["events"], summary["shown"], summary["repeats"]) == (10, 1, 9)


def work_on(proc, seconds):
    """Until it has used so much of a CPU from now on."""
    clock = cpu_clock(proc.pid)
    end = time.clock_gettime(clock) + seconds
    while proc.poll() is None and time.clock_gettime(clock) < end:
        pass


@needs_locks
def test_unique_keeps_keys(tracer, tmp_path, nothing_left):
    """A repeat has the first one's key, though its map is gone when the repeats are printed."""
    same, lines = ip_packet(tmp_path / "same", 1, 1), tmp_path / "lines"
    os.mkfifo(lines)
    reader = os.open(lines, os.O_RDONLY | os.O_NONBLOCK)
    cmd = [RQSPIN, "run", FLOWS, "--roles", "account", "--data-in", same, "--rate", "1000"]
    with tracer("--unique", "-o", lines) as t, os.fdopen(reader) as out:
        os.set_blocking(reader, True)
        with subprocess.Popen(cmd, stdout=subprocess.DEVNULL) as run:
            first = json.loads(out.readline())
            work_on(run, 0.02)
            run.send_signal(signal.SIGINT)
        t.stop()
        rest = [json.loads(line) for line in out]
    assert first["type"] == "failure" and first["lock"]["key"]
    assert [e["type"] for e in rest] == ["repeat", "summary"]
    assert rest[0]["again"] and rest[0]["lock"] == first["lock"]


@needs_locks
@needs_two_cpus
def test_unique_keeps_what_differs(nothing_left):
    out = traced("--unique", *command(AA, ABBA))
    names = [e["prog"]["name"] for e in out["failure"]]
    assert names.count("aa") == 1 and {"abba_0", "abba_1"} & set(names)
    total = len(out["failure"]) + sum(r["again"] for r in out["repeat"])
    assert total == out["summary"][0]["events"]


@needs_locks
def test_unique_text(nothing_left):
    res = rqspin("trace", "--unique", *command(AA))
    more = r"^4 more: AA +prog \d+ aa at aa\.bpf\.c:\d+: wants slots\[0\]"
    assert re.search(more, res.stdout, re.M)
    assert "1 of 5 failed acquisitions shown, 4 are repeats" in res.stderr


@needs_locks
@needs_two_cpus
def test_stacks_in_order_of_time(nothing_left):
    """Also with a command for each CPU; below each failure stands the line of its own call."""
    res = rqspin("trace", "--stacks", *command(AA, ABBA, AA))
    assert res.returncode == 0, res.stderr
    failures = re.split(r"^(?=\d\d:\d\d:\d\d\.\d{6} )", res.stdout, flags=re.M)[1:]
    assert len(failures) >= 15, res.stdout
    times = [text.split()[0] for text in failures]
    # Midnight may pass.
    assert sum(a > b for a, b in itertools.pairwise(times)) <= (times[0] > times[-1]), times
    for text in failures:
        first, second = text.splitlines()[:2]
        where = re.search(r" at (\S+\.bpf\.c:\d+): wants ", first)[1]
        assert re.match(rf"    at (\S+/)?{re.escape(where)}: ", second), text


SLOTS, LOCK_B, ALL, NONE = (
    {"slots[0].lock"},
    {"lock_b"},
    {"slots[0].lock", "lock_a", "lock_b"},
    set(),
)


@needs_locks
@needs_two_cpus
@pytest.mark.parametrize(
    "option, locks",
    [
        (("--lock", "slots[0].lock"), SLOTS),
        (("--lock", "lock_b"), LOCK_B),
        (("--lock", "slots"), NONE),
        (("--map", "slots"), SLOTS),
        (("--map", ".data.lock_b"), LOCK_B),
        (("--map", "4000000000"), NONE),
        (("--comm", "rqspin"), ALL),
        (("--comm", "other"), NONE),
    ],
)
def test_filter(nothing_left, tracer, option, locks):
    """Which side of an ABBA fails is chance: a tracer without a filter sees what there was."""
    with tracer() as t:
        out = traced(*option, *command(AA, ABBA))

    def of(events):
        # On a busy machine one tracer may come too late for the id of a program, and one not.
        return sorted((e["pid"], e["lock"]["name"]) for e in events)

    assert of(out["failure"]) == [e for e in of(t.events) if e[1] in locks]
    assert len([e for e in of(t.events) if e[1] in SLOTS]) == 5
    assert out["summary"][0]["events"] >= 10


@needs_locks
def test_filter_by_address_and_id(nothing_left, tracer):
    """A pinned program's map stays where it is."""
    with pinned(BUILD / "bpf/progs/aa.bpf.o") as where:
        with tracer("--prog", "aa") as t:
            run_pinned(where / "aa", 1)
        lock = t.events[0]["lock"]
        addr, other = lock["addr"], f"0x{int(lock['addr'], 16) + 8:x}"
        here, elsewhere = lock["map_id"], lock["map_id"] + 100000
        asked = [
            (addr, here),
            (addr.upper().replace("X", "x"), here),
            (addr, elsewhere),
            (other, here),
        ]
        with contextlib.ExitStack() as stack:
            traces = [
                stack.enter_context(tracer("--lock", a, "--map", m, "--prog", "aa"))
                for a, m in asked
            ]
            run_pinned(where / "aa", 3)
    assert [len(t.events) for t in traces] == [3, 3, 0, 0]
    assert {(e["lock"]["addr"], e["lock"]["map_id"]) for e in traces[0].events} == {(addr, here)}


@pytest.mark.parametrize("option", ["--lock", "--map", "--comm"])
def test_empty_names(option):
    res = rqspin("trace", option, "")
    assert res.returncode == 2 and f"{option}: a name is needed" in res.stderr


NO_MATCH = r"^no failure matched (.*)$"


@needs_locks
@pytest.mark.parametrize(
    "options, given",
    [
        (["--lock", "foo"], "--lock foo; 5 others were seen"),
        (["--map", "foo", "--prog", "aa"], "--prog aa --map foo; 5 others were seen"),
        (["--kind", "timeout,abba"], "--kind timeout,abba; 5 others were seen"),
        (["--map", "slots"], None),
        ([], None),
    ],
)
def test_nothing_matched(nothing_left, options, given):
    res = rqspin("trace", *options, *command(AA))
    assert re.findall(NO_MATCH, res.stderr, re.M) == ([given] if given else []), res.stderr


@needs_locks
def test_one_did_not_match(nothing_left):
    run = f"{RQSPIN} run aa --count 1 >/dev/null"
    res = rqspin("trace", "--lock", "x\ny", "--", "sh", "-c", run)
    assert re.findall(NO_MATCH, res.stderr, re.M) == [r"--lock x\ny; 1 other was seen"]


def test_nothing_was_there_to_match():
    for verb in ("trace", "stat"):
        res = rqspin(verb, "--lock", "foo", "--duration", "0.1")
        assert re.findall(NO_MATCH, res.stderr, re.M) == ["--lock foo; no other was seen"]
        assert not re.search(NO_MATCH, rqspin(verb, "--duration", "0.1").stderr, re.M)


def by_program(out):
    names = [e["prog"]["name"] for e in out["failure"]]
    return {name: names.count(name) for name in names}


@needs_locks
@needs_two_cpus
def test_only_the_commands_programs(nothing_left, tmp_path):
    """Another user's program fails meanwhile, for as long as the command runs."""
    go, end = tmp_path / "go", tmp_path / "end"
    os.mkfifo(go)
    os.mkfifo(end)
    script = f"echo >{go}; read line <{end}; {RQSPIN} run aa --count 5 >/dev/null"
    with pinned(BUILD / "bpf/progs/aa.bpf.o") as where:
        cmd = [RQSPIN, "trace", "--json", "--only-command", "--", "sh", "-c", script]
        proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_ready(proc, go)
        run_pinned(where / "aa", 7)
        end.write_text("now\n")
        lines = [json.loads(line) for line in proc.communicate(timeout=LIMIT)[0].splitlines()]
    *events, summary = lines
    assert proc.returncode == 0 and summary["type"] == "summary"
    assert len(events) == summary["shown"] == 5 and summary["of_others"] == 7
    assert len({e["prog"]["id"] for e in events}) == 1


@needs_locks
def test_only_the_commands_tasks(nothing_left):
    """The program was there before; a grandchild of the command runs it."""
    with pinned(BUILD / "bpf/progs/aa.bpf.o") as where:
        run = f"head -c 64 /dev/zero | bpftool prog run pinned {where}/aa data_in - repeat 3"
        env = {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        script = f"sh -c '{run}' >/dev/null"
        out = traced("--only-command", "--", "env", f"PATH={env['PATH']}", "sh", "-c", script)
    assert by_program(out) == {"aa": 3} and out["summary"][0]["of_others"] == 0


@needs_locks
def test_others_are_counted_in_text(nothing_left):
    res = rqspin("trace", "--only-command", *command(AA))
    says = r"^5 of \d+ failed acquisitions shown(, \d+ of other .* --only-command)?, lost: "
    assert re.search(says, res.stderr, re.M), res.stderr
    assert "--only-command" not in rqspin("trace", *command(AA)).stderr


def test_only_command_needs_one():
    res = rqspin("trace", "--only-command")
    assert res.returncode == 2 and "--only-command: there is no command" in res.stderr
