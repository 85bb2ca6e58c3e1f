# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check with what strangers give it: damaged objects, odd names, no privilege, no locks."""

import json
import os
import pathlib
import platform
import shutil
import subprocess

import damage
import pytest
from bpfobj import FLAGS, compile_bpf
from conftest import BUILD, LIMIT, RQSPIN, TOP, needs_locks, no_locks, rqspin, validator

CLEAN, FAIL, UNSUPPORTED, FOUND = 0, 1, 3, 10
PROGS = BUILD / "bpf/progs"
ABBA = PROGS / "abba.bpf.o"
SYSTEM = [f"-I/usr/include/{platform.machine()}-linux-gnu"]
HOSTILE = b"x\n\x1b[2J\xc2\x9b\xe2\x80\xae\xff"

pytestmark = pytest.mark.usefixtures("nothing_left")


def survives(elf, obj):
    """Findings as JSON that is whole, or one message that names the object."""
    obj.write_bytes(elf)
    res = rqspin("check", "--json", obj)
    assert res.returncode in (CLEAN, FAIL, UNSUPPORTED, FOUND), res
    if res.stdout:
        validator("check.schema.json").validate(json.loads(res.stdout))
    else:
        assert res.returncode in (FAIL, UNSUPPORTED) and obj.name in res.stderr, res
    return res.returncode


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_flipped(first, tmp_path):
    whole = ABBA.read_bytes()
    for seed in range(first, first + 10):
        survives(damage.mutate(whole, seed), tmp_path / f"seed{seed}.bpf.o")


def test_truncated(tmp_path):
    whole = ABBA.read_bytes()
    for part in range(40):
        obj = tmp_path / f"part{part}.bpf.o"
        assert survives(whole[: len(whole) * part // 40], obj) == FAIL


def prog_text(body, more=""):
    return (
        f"{more}\n"
        f'__attribute__((section("tc"))) int mine(void *ctx) {{ {body} }}\n'
        'char _license[] __attribute__((section("license"))) = "GPL";\n'
    )


@needs_locks
def test_without_type_information(tmp_path):
    """No names of sources, no lines: the program is judged by its instructions."""
    flags = ["-O2", "-target", "bpf"]
    obj = compile_bpf(tmp_path / "plain.bpf.c", prog_text("return 0;"), flags=flags)
    res = rqspin("check", obj)
    assert (res.returncode, res.stdout) == (CLEAN, "")
    assert "1 program, 0 acquisitions" in res.stderr


WRONG = {
    "text": (lambda p: p.write_text("this is no object\n"), "not a BPF object"),
    "empty": (lambda p: p.write_bytes(b""), "not a BPF object"),
    "a program of this machine": (lambda p: shutil.copy(RQSPIN, p), "not a BPF object"),
    "folder": (lambda p: p.mkdir(), "a folder: name the objects in it"),
    "fifo": (os.mkfifo, "not a regular file"),
    "nothing": (lambda p: None, "No such file"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_file(what, tmp_path):
    make, says = WRONG[what]
    make(tmp_path / "wrong.bpf.o")
    res = rqspin("check", tmp_path / "wrong.bpf.o", timeout=60)
    assert (res.returncode, res.stdout) == (FAIL, ""), res
    assert f"wrong.bpf.o: {says}" in res.stderr, res.stderr


@needs_locks
def test_one_of_many(tmp_path):
    """What cannot be looked at does not hide what is found in the others, and is not forgotten."""
    (tmp_path / "wrong.bpf.o").write_text("no object\n")
    res = rqspin("check", "--json", tmp_path / "wrong.bpf.o", ABBA)
    assert res.returncode == FAIL
    assert "wrong.bpf.o: not a BPF object" in res.stderr
    assert [f["kind"] for f in json.loads(res.stdout)["findings"]] == ["cycle"]


@needs_locks
def test_maps_without_a_size(tmp_path):
    """Their command sets it: here any will do, and that is said."""
    more = (
        "struct { int (*type)[2]; int *key; long *value; } unsized"
        ' __attribute__((section(".maps")));'
    )
    body = "return !ctx || !&unsized;"
    obj = compile_bpf(tmp_path / "unsized.bpf.c", prog_text(body, more))
    res = rqspin("check", "--json", obj)
    assert res.returncode == CLEAN, res.stderr
    (note,) = json.loads(res.stdout)["findings"]
    assert (note["kind"], note["severity"]) == ("incomplete", "note")
    assert [s["message"] for s in note["stages"]] == ["map unsized: 64 elements of 8 bytes"]


@needs_locks
def test_older_than_libbpf(tmp_path):
    more = 'struct { int a[5]; } old __attribute__((section("maps")));'
    obj = compile_bpf(tmp_path / "old.bpf.c", prog_text("return (long)&old;", more))
    res = rqspin("check", obj)
    assert (res.returncode, res.stdout) == (FAIL, "")
    assert "old.bpf.o: made for older versions of libbpf" in res.stderr


@needs_locks
def test_hostile_names(tmp_path):
    """Of file and source: in text, DOT and SARIF nothing special, in JSON the name itself."""
    src = pathlib.Path(os.fsdecode(bytes(tmp_path) + b"/" + HOSTILE + b".bpf.c"))
    here = TOP / "selftests/tool/check"
    shutil.copy(here / "progs/bad_retry.bpf.c", src)
    obj = compile_bpf(src, flags=[*FLAGS, *SYSTEM, f"-I{here}", f"-I{here}/progs"])
    env = dict(os.environ, LC_ALL="C.UTF-8")
    dot = tmp_path / "locks.dot"
    cmd = [RQSPIN, "check", "--dot", dot, obj]
    text = subprocess.run(cmd, capture_output=True, env=env, timeout=LIMIT)
    assert text.returncode == FOUND, text.stderr
    for out in (text.stdout.decode(), text.stderr.decode(), dot.read_text()):
        assert not {c for c in out if not c.isprintable() and c not in "\n\t"}
    assert r"x\n\x1b[2J\u009b\u202e\xff.bpf.c:" in text.stdout.decode()
    cmd = [RQSPIN, "check", "--sarif", obj]
    sarif = json.loads(subprocess.run(cmd, capture_output=True, env=env, timeout=LIMIT).stdout)
    (result,) = sarif["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii() and "x%0A%1B%5B2J" in uri


@pytest.mark.parametrize("args", [["--loaded"], [str(ABBA)]], ids=["loaded", "object"])
def test_without_privilege(args, reachable):
    cmd = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    cmd += [reachable / "rqspin", "check", *args]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert (res.returncode, res.stdout) == (UNSUPPORTED, ""), res
    assert "CAP_BPF" in res.stderr or "root" in res.stderr


@needs_locks
@pytest.mark.parametrize(
    "more, needed", [("", "CAP_SYS"), (",+syslog", "CAP_SYS_ADMIN")], ids=["names", "maps"]
)
def test_with_half_of_the_privilege(more, needed, reachable):
    """Programs can be loaded, but not be understood: that is not taken for clean."""
    # Where anybody may see addresses, CAP_SYSLOG is not what is missing first.
    caps = f"+bpf,+perfmon,+net_admin{more}"
    cmd = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    cmd += ["--inh-caps", caps, "--ambient-caps", caps]
    cmd += [reachable / "rqspin", "check", reachable / "aa.bpf.o"]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert (res.returncode, res.stdout) == (UNSUPPORTED, ""), res
    assert needed in res.stderr


def test_without_locks():
    """A kernel without the locks: programs that need none can be checked, ours cannot."""
    if not no_locks():
        pytest.skip("this kernel has the locks")
    res = rqspin("check", ABBA)
    assert (res.returncode, res.stdout) == (UNSUPPORTED, "")
    assert "abba.bpf.o: this kernel has no resilient locks" in res.stderr
    assert "rqspin doctor" in res.stderr
