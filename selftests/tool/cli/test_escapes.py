# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Names from outside that end lines or drive the terminal are escaped, by every verb."""

import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess

import pytest
from bpfobj import compile_bpf
from conftest import (
    BUILD,
    LIMIT,
    RQSPIN,
    TOP,
    VERBS,
    needs_locks,
    rqspin,
    skip_without_held_table,
    wait_ready,
)

AA = BUILD / "bpf/progs/aa.bpf.o"
# A line end, an escape sequence, the same in one character of two bytes, a reversal, no UTF-8.
HOSTILE = b"x\n\x1b[2J\xc2\x9b\xe2\x80\xae\xff"
ESCAPED = r"x\n\x1b[2J\u009b\u202e\xff"
UTF8 = dict(os.environ, LC_ALL="C.UTF-8")


def harmless(data):
    """As text, if nothing in it is special but line ends; what the names must look like."""
    text = data.decode()
    special = {c for c in text if not c.isprintable() and c != "\n"}
    assert not special, text.encode("unicode_escape")
    return text


def run_raw(*args, **kw):
    return subprocess.run([RQSPIN, *args], capture_output=True, timeout=LIMIT, env=UTF8, **kw)


@pytest.mark.parametrize("verb", VERBS)
def test_messages(verb, nothing_left):
    """What a message quotes: an argument here, that a shell may have made of a file's name."""
    args = [b"aa", HOSTILE] if verb == "run" else [HOSTILE]
    res = run_raw(verb, *args)
    # What takes files fails to open one; to the others the word is a wrong argument.
    code = 1 if verb in ("check", "replay", "report") else 2
    assert (res.returncode, res.stdout) == (code, b"")
    assert ESCAPED in harmless(res.stderr)


def test_unknown_verb():
    assert ESCAPED in harmless(run_raw(HOSTILE).stderr)


def test_ascii_terminal():
    """Where the locale has no such characters their bytes might be control characters."""
    env = dict(os.environ, LC_ALL="C")
    res = subprocess.run([RQSPIN, "run", b"\xc3\x9bx"], capture_output=True, env=env, timeout=LIMIT)
    assert rb"\xc3\x9bx" in res.stderr


@pytest.mark.parametrize(
    "args, code",
    [
        (["errno", "hash", "update", "--btf"], 1),
        (["trace", "--"], 127),
        (["trace", "--duration", "0.1", "--ready-file"], 1),
        (["run", "--roles", "a"], 1),
    ],
    ids=["errno", "command", "ready-file", "run"],
)
def test_files_that_are_not_there(args, code, nothing_left):
    """Each name once, escaped once."""
    res = run_raw(*args, b"/nonexistent/" + HOSTILE)
    assert res.returncode == code, res.stderr
    said = [x for x in harmless(res.stderr).splitlines() if "/nonexistent/" in x]
    assert said and all(f"/nonexistent/{ESCAPED}" in x for x in said), res.stderr


def test_what_libbpf_says(tmp_path, nothing_left):
    """-v -v shows its messages, which quote names as they are: no line of a name's own."""
    obj = bytes(tmp_path) + b"/" + HOSTILE + b".bpf.o"
    shutil.copy(AA, obj)
    res = run_raw("run", "-v", "-v", obj, "--roles", "aa", "-c", "1")
    first, rest = ESCAPED.split(r"\n")
    said = harmless(res.stderr)
    assert f"libbpf: loading object from {tmp_path}/{first}\n    {rest}" in said


@pytest.fixture
def hostile_object(tmp_path):
    """hostile.bpf.c, compiled under a name of its kind."""
    src = pathlib.Path(os.fsdecode(bytes(tmp_path) + b"/" + HOSTILE + b".bpf.c"))
    code = (TOP / "selftests/tool/cli/hostile.bpf.c").read_text()
    return compile_bpf(src, code.replace("ESC", "\x1b"))


@needs_locks
def test_run(tmp_path, nothing_left):
    obj = bytes(tmp_path) + b"/" + HOSTILE + b".bpf.o"
    shutil.copy(AA, obj)
    res = run_raw("run", obj, "--roles", "aa", "-c", "1")
    assert res.returncode == 0, res.stderr
    assert ESCAPED + ".bpf.o (" in harmless(res.stdout)
    harmless(res.stderr)
    as_json = json.loads(run_raw("run", obj, "--roles", "aa", "-c", "1", "--json").stdout)
    assert "x\n\x1b[2J" in as_json["object"]


@needs_locks
def test_run_progress(tmp_path, nothing_left):
    obj = bytes(tmp_path) + b"/" + HOSTILE + b".bpf.o"
    shutil.copy(AA, obj)
    parent, child = pty.openpty()
    cmd = [RQSPIN, "run", obj, "--roles", "aa", "-d", "500ms"]
    subprocess.run(cmd, stdout=subprocess.DEVNULL, stderr=child, env=UTF8, timeout=LIMIT)
    os.close(child)
    said = b""
    try:
        while chunk := os.read(parent, 65536):
            said += chunk
    except OSError:
        pass
    os.close(parent)
    own = said.replace(b"\x1b[K", b"").replace(b"\r", b"")
    assert ESCAPED in harmless(own) and "\n" not in own.decode()


def finished(tracer):
    try:
        return tracer.communicate(timeout=LIMIT)
    finally:
        tracer.kill()


def follow(tmp_path, args, obj, role="hostile_name"):
    """What `rqspin trace` prints of two failures in a hostile task."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    task = bytes(tmp_path) + b"/" + HOSTILE
    os.symlink(RQSPIN, task)
    tracer = subprocess.Popen(
        [RQSPIN, "trace", *args, "--source", "ring", "--ready-file", ready],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=UTF8,
    )
    wait_ready(tracer, ready)
    cmd = [task, "run", obj, "--roles", role, "-c", "2"]
    run = subprocess.run(cmd, capture_output=True, timeout=LIMIT)
    if run.returncode:
        tracer.terminate()
    out = finished(tracer)
    assert run.returncode == 0, run.stderr
    return out


@needs_locks
def test_trace(tmp_path, hostile_object, nothing_left):
    out, talk = follow(tmp_path, ["-c", "2"], hostile_object)
    harmless(talk)
    lines = harmless(out).splitlines()
    assert len(lines) == 2
    for line in lines:
        assert re.match(r"\d\d:\d\d:\d\d\.\d+ AA ", line)
        assert f" {ESCAPED}/" in line and r"prog ? x\n\x1b[2J\u009b\xff" in line


@needs_locks
def test_trace_source_line(tmp_path, hostile_object, nothing_left):
    """The line's text and its file's name are those of the object's type information."""
    out, _ = follow(tmp_path, ["-c", "2", "--stacks"], hostile_object, "hostile_line")
    at = [line for line in harmless(out).splitlines() if "res_spin_lock(&again" in line]
    assert len(at) == 2, out
    for line in at:
        assert r"/* \x1b[2J */" in line and ESCAPED + ".bpf.c:" in line


@needs_locks
def test_trace_json(tmp_path, hostile_object, nothing_left):
    """As it is, except what is no UTF-8."""
    out, _ = follow(tmp_path, ["-c", "2", "--json"], hostile_object)
    events = [json.loads(line) for line in out.decode().splitlines()]
    assert [e["type"] for e in events] == ["failure", "failure", "summary"]
    assert all(e["comm"].startswith("x\n\x1b[2J") for e in events[:2])


@needs_locks
def test_stat(hostile_object, nothing_left):
    stat = subprocess.Popen(
        [RQSPIN, "stat", "--source", "ring"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=UTF8,
    )
    while b"counting" not in stat.stderr.readline():
        pass
    run = rqspin("run", hostile_object, "--roles", "hostile_name", "-c", "2")
    stat.send_signal(signal.SIGINT)
    out, _ = finished(stat)
    assert run.returncode == 0, run.stderr
    rows = [line for line in harmless(out).splitlines() if " AA " in line]
    assert len(rows) == 1 and r" x\n\x1b[2J\u009b\xff " in rows[0], out


@needs_locks
def test_held(nothing_left):
    """Its names are maps' and variables', which the kernel restricts: nothing else slips in."""
    skip_without_held_table()
    args = ["run", "held_max", "-d", "1"]
    run = subprocess.Popen([RQSPIN, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    res = run_raw("held", "-w20", "-c", "30")
    run.communicate(timeout=LIMIT)
    assert res.returncode == 0
    harmless(res.stdout)


def test_doctor(tmp_path):
    """It names the mount point of the BPF file system."""
    where = bytes(tmp_path) + b"/" + HOSTILE
    os.mkdir(where)
    cmd = 'umount -a -t bpf; mount -t bpf bpf "$0" && exec "$1" doctor'
    full = ["unshare", "-m", "sh", "-c", cmd, where, RQSPIN]
    res = subprocess.run(full, capture_output=True, env=UTF8, timeout=LIMIT)
    if res.returncode not in (0, 3):
        pytest.skip(f"no private mount: {res.stderr!r}")
    assert ESCAPED in harmless(res.stdout)
    full[4] += " --json"
    checks = json.loads(subprocess.run(full, capture_output=True, env=UTF8).stdout)["checks"]
    assert any("x\n\x1b[2J" in c["detail"] for c in checks)
