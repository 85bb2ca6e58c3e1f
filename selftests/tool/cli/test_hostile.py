# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Files, folders, children and input that somebody has prepared against us."""

import datetime
import json
import os
import shutil
import subprocess
import time

import pytest
from conftest import LIMIT, RQSPIN, TOP, rqspin, skip_without_locks
from test_replay import HERE, wanted_of
from test_report import failure, leaves, lock, numbers, summary, write

# A name is cut at 359 bytes: the last of them is the first half of a character.
CUT = "x" * 358 + "\u00e9\u00e9"


def frames(name):
    return f"Call trace:\n{name}+0x1/0x2\n\n"


NAMES = {
    "prog": {"prog": CUT},
    "lock": {"name": CUT},
    "function": {"report": frames(CUT)},
    "program's function": {"report": frames(f"bpf_prog_0123456789abcdef_{CUT[26:]}")},
    "comm": {"comm": CUT},
    "file": {"at": {"line": 1, "file": f"/{CUT}", "text": None, "call": True}},
}


@pytest.mark.parametrize("other", NAMES.values(), ids=NAMES)
def test_a_name_that_is_cut_within_a_character(tmp_path, other):
    data = numbers(write(tmp_path / "e", [failure("AA", **other)] * 3 + [summary()]))
    for table in (data["programs"], data["locks"], data["cycles"]):
        assert [row["count"] for row in table["rows"]] == [3]
    assert sum(leaves(data["stacks"]).values()) == 3
    assert data["stacks_shortened"] == 0


def test_totals_and_kinds_that_are_cut(tmp_path):
    total = {"prog_id": 5, "prog": CUT, "kind": "AA", "failures": 5, "lost": 1}
    kind = "x" * 6 + "\u00e9" * 20
    lines = [failure(kind), failure("AA"), summary(totals=[total, {**total, "prog": CUT + "y"}])]
    res = rqspin("report", "--json", write(tmp_path / "e", lines))
    data = json.loads(res.stdout)
    assert [(t["prog"], t["count"]) for t in data["totals"]] == [(CUT, 5), (CUT + "y", 5)]
    assert sum(sum(b.values()) for b in data["timeline"]["bins"]) == 2


def test_report_frees_nothing_that_it_uses(tmp_path):
    if not shutil.which("valgrind") or os.environ.get("O", "build") != "build":
        pytest.skip("needs valgrind and a build without sanitizers")
    total = {"prog_id": 5, "prog": CUT, "kind": "AA", "failures": 5, "lost": 1}
    lines = [failure("AA", **other) for other in NAMES.values()] + [summary(totals=[total])]
    cmd = ["valgrind", "-q", "--error-exitcode=9", RQSPIN, "report", "--json"]
    cmd.append(write(tmp_path / "e", lines))
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 0, res.stderr


def test_a_chain_of_any_length(tmp_path):
    """A graph of all of it would take graphviz minutes."""
    unknown = dict.fromkeys(("tid", "prog", "at"))
    chain = [
        {"cpu": n, "wants": lock(f"l{n}", hex(n)), "function": f"f{n}", **unknown}
        for n in range(3000)
    ]
    (cycle,) = numbers(write(tmp_path / "e", [failure("CYCLE", chain=chain)]))["cycles"]["rows"]
    assert ">2985 more CPUs</text>" in cycle["svg"] and ">f14</text>" in cycle["svg"]
    assert cycle["svg"].count('class="node who"') == 17
    assert cycle["text"].endswith("f14 wants l14; and 2985 more CPUs")


def test_any_number_of_names(tmp_path):
    """Those beyond a limit are counted as one; the sum is right."""
    lines = [failure("AA", f"p{n}", f"l{n}", comm=f"t{n}") for n in range(10_050)]
    res = rqspin("report", "--json", write(tmp_path / "e", lines))
    data = json.loads(res.stdout)
    for table in ("programs", "locks"):
        assert data[table]["rows"][0] == {"count": 50, "kinds": {"AA": 50}, "name": "(others)"}
        rows = data[table]["rows"]
        assert sum(row["count"] for row in rows) + data[table]["more_count"] == 10_050
    rows = data["cycles"]["rows"]
    assert sum(row["count"] for row in rows) + data["cycles"]["more_count"] == 10_050
    assert "8050 failures are of cycles beyond the first 2000 different ones" in res.stderr


def test_a_line_without_end(tmp_path):
    events = tmp_path / "e"
    events.write_bytes(b" " * (17 << 20))
    for skip in ([], ["--skip"]):
        res = rqspin("report", *skip, "--json", events)
        assert res.returncode == 1 and "e:1: the line is longer than 16 MiB" in res.stderr


def written(verb, where, tmp_path):
    """A verb that writes a file of that name."""
    events = write(tmp_path / "events", [failure("AA"), summary()])
    args = {
        "report": ["report", events, "-o", where],
        "export": ["export", "--textfile", where, "--duration", "1ms"],
        "trace": ["trace", "--ready-file", where, "--duration", "1ms"],
        "check": ["check", RQSPIN.parent / "bpf/progs/abba.bpf.o", f"--dot={where}"],
    }[verb]
    return rqspin(*args)


WRITERS = ["report", "export", "trace", "check"]


@pytest.mark.parametrize("verb", WRITERS)
def test_a_written_file(tmp_path, verb):
    """A neighbour of it is left alone, mode and owner stay, no link is followed."""
    folder = tmp_path / "out"
    folder.mkdir()
    file, neighbour = folder / "file", folder / "file.tmp"
    neighbour.write_text("precious")
    file.write_text("old")
    file.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(file, 65534, 65534)
    before = file.stat()
    res = written(verb, file, tmp_path)
    assert res.returncode in (0, 10), res.stderr
    after = file.stat()
    assert file.read_text() != "old", res.stderr
    assert (after.st_mode, after.st_uid) == (before.st_mode, before.st_uid)
    assert neighbour.read_text() == "precious"
    assert sorted(p.name for p in folder.iterdir()) == ["file", "file.tmp"]


@pytest.mark.parametrize("verb", WRITERS)
def test_a_link_is_not_followed(tmp_path, verb):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("precious")
    link.symlink_to(target)
    res = written(verb, link, tmp_path)
    assert res.returncode in (1, 2) and f"{link}" in res.stderr, res.stderr
    assert target.read_text() == "precious" and link.is_symlink()


def replay(folder, **kw):
    return rqspin("replay", HERE / "aa-7.jsonl", "-o", folder, **kw)


def test_a_folder_of_somebody_else(tmp_path):
    """Whose Makefile, source or object would it be?"""
    if os.geteuid():
        pytest.skip("needs root: gives a folder away")
    folder = tmp_path / "shared"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    res = replay(folder)
    assert (res.returncode, res.stdout) == (1, "")
    assert "belongs to uid 65534, not to you (uid 0)" in res.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_folder_that_others_may_write(tmp_path, mode):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(mode)
    res = replay(folder)
    assert res.returncode == 1 and f"others may write into the folder (mode {mode:o})" in res.stderr
    assert list(folder.iterdir()) == []


def test_a_link_to_a_folder(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    res = replay(tmp_path / "link")
    assert res.returncode == 1 and "it is a link; name the folder itself" in res.stderr
    assert list((tmp_path / "real").iterdir()) == []


def test_no_make_runs(tmp_path):
    """A makefile that make prefers to ours, and a compiler's configuration in the environment."""
    folder = tmp_path / "replay"
    assert replay(folder).returncode == 0
    trap = tmp_path / "bin"
    trap.mkdir()
    for name in ("make", "sh"):
        (trap / name).write_text(f"#!/bin/bash\ntouch {tmp_path}/ran\n")
        (trap / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{trap}:{os.environ['PATH']}", "MAKEFLAGS": "n"}
    before = (folder / "replay.bpf.o").read_bytes()
    (folder / "replay.bpf.o").write_bytes(b"")
    res = replay(folder, env=env)
    assert res.returncode == 0, res.stderr
    assert (folder / "replay.bpf.o").read_bytes() == before
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("left", [["replay.bpf.o"], [".rqspin-0011223344556677"]])
def test_what_a_killed_replay_has_left(tmp_path, left):
    """The same command goes on where it was."""
    folder = tmp_path / "replay"
    folder.mkdir()
    for name in left:
        (folder / name).write_text("half")
    res = replay(folder)
    assert res.returncode == 0, res.stderr
    assert (folder / "replay.bpf.o").read_bytes()[:4] == b"\x7fELF"


def installed(prefix):
    """The command and its headers, in a folder of that name."""
    (prefix / "bin").mkdir(parents=True)
    shutil.copy(RQSPIN, prefix / "bin/rqspin")
    shutil.copytree(TOP / "include", prefix / "include")
    return prefix / "bin/rqspin"


@pytest.mark.parametrize("name", ["q';touch ran;'", 'q"$(touch ran)`touch ran`', "a b#c$d"])
def test_the_name_of_the_installation(tmp_path, name):
    """It is in the Makefile, and in what a shell gets from it."""
    command, folder = installed(tmp_path / name), tmp_path / "replay"
    cmd = [command, "replay", "--json", HERE / "aa-7.jsonl", "-o", folder]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT, cwd=tmp_path)
    assert res.returncode == 0, res.stderr
    if json.loads(res.stdout)["object"] == "compiled":
        (folder / "replay.bpf.o").unlink()
        env = {k: v for k, v in os.environ.items() if k != "RQSPIN_INCLUDE"}
        subprocess.run(["make", "-s"], cwd=folder, env=env, check=True, timeout=LIMIT)
        assert (folder / "replay.bpf.o").stat().st_size
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize("does", ["exit 0", "echo nonsense", "echo nonsense; exit 1"])
def test_a_compiler_that_compiles_nothing(tmp_path, does):
    """The object is said to be compiled only if it was."""
    clang = tmp_path / "clang"
    clang.write_text(f"#!/bin/bash\n{does}\n")
    clang.chmod(0o755)
    env = {**os.environ, "CLANG": str(clang)}
    cmd = ["replay", "--json", HERE / "aa-7.jsonl", "-o", tmp_path / "replay"]
    res = rqspin(*cmd, env=env)
    assert res.returncode == 0 and json.loads(res.stdout)["object"] == "built-in"
    assert (tmp_path / "replay/replay.bpf.o").read_bytes()[:4] == b"\x7fELF"


CHILDREN = {
    "dot": lambda where: ["report", where / "events", "-o", where / "page"],
    "clang": lambda where: ["replay", where / "events", "-o", where / "replay"],
}


@pytest.mark.parametrize("name", CHILDREN)
def test_no_child_outlives_us(tmp_path, name):
    """It writes into a pipe that ends with it."""
    write(tmp_path / "events", [wanted_of(HERE / "aa-7.jsonl"), summary()])
    (tmp_path / name).write_text("#!/bin/bash\necho begun >&2\nexec sleep 600\n")
    (tmp_path / name).chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "CLANG": str(tmp_path / "clang")}
    env["HOME"] = str(tmp_path)
    if name == "clang":
        # The trial with the headers is silent.
        (tmp_path / name).write_text(
            '#!/bin/bash\n[[ "$*" == *-fsyntax-only* ]] && exit\necho begun >&2\nexec sleep 600\n'
        )
    cmd = [RQSPIN, *CHILDREN[name](tmp_path)]
    with subprocess.Popen(cmd, env=env, stderr=subprocess.PIPE) as proc:
        assert proc.stderr.readline() == b"begun\n"
        proc.kill()
        assert proc.stderr.read() == b""


def in_time_namespace(*cmd):
    return ["unshare", "-T", "--monotonic", "1000000", "--boottime", "1000000", "--", *cmd]


def test_a_time_namespace(tmp_path, nothing_left):
    """Its clocks are eleven days ahead of the kernel's, which failures have their times from."""
    skip_without_locks()
    if subprocess.run(in_time_namespace("true"), capture_output=True).returncode:
        pytest.skip("needs root, and time namespaces in the kernel")
    cmd = in_time_namespace(RQSPIN, "trace", "--json", "--", RQSPIN, "run", "aa", "--count", "3")
    begin = time.time()
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 0, res.stderr
    events = [json.loads(line) for line in res.stdout.splitlines() if line.startswith("{")]
    mine = [e for e in events if e.get("type") == "failure" and e["comm"] == "rqspin"]
    assert mine, res.stdout
    for event in mine:
        when = datetime.datetime.fromisoformat(event["time"]).timestamp()
        assert begin - 1 <= when <= time.time() + 1
        assert event["prog"] and event["prog"]["name"] == "aa"


@pytest.mark.parametrize("how", ["itself", "by python3"])
def test_the_folder_of_the_bcc_tool(tmp_path, how):
    """A copy of it in a folder of somebody else imports nothing from there."""
    tool = shutil.copy(TOP / "user/bcc/rqspindeadlock.py", tmp_path / "rqspindeadlock")
    for name in ("ctypes", "json", "struct", "tempfile", "argparse", "bcc"):
        text = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
        (tmp_path / f"{name}.py").write_text(text)
    cmd = [tool] if how == "itself" else ["/usr/bin/python3", tool]
    for args in (["--help"], ["-d", "0.1"]):
        res = subprocess.run([*cmd, *args], capture_output=True, cwd=tmp_path, timeout=LIMIT)
        assert not (tmp_path / "ran").exists() and b"Traceback" not in res.stderr, res.stderr


WITHOUT_SYS = {
    "run": ["run", "aa"],
    "check": ["check", RQSPIN.parent / "bpf/progs/aa.bpf.o"],
    "held": ["held"],
    "doctor": ["doctor"],
}


@pytest.mark.parametrize("verb", WITHOUT_SYS)
def test_without_sys(verb):
    """Not the kernel lacks the locks: nobody can look."""
    cmd = ["unshare", "-m", "sh", "-c", 'umount -l /sys && exec "$@"', "sh", RQSPIN]
    if os.geteuid() or subprocess.run([*cmd[:-1], "true"], capture_output=True).returncode:
        pytest.skip("needs root, and a mount namespace")
    cmd += WITHOUT_SYS[verb]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    said = res.stdout + res.stderr
    assert "/sys is not mounted" in said and "mount -t sysfs sysfs /sys" in said
    assert "has no" not in said and res.returncode == 3
