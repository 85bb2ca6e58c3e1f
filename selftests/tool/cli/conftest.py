# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Run the rqspin command as a user would: real kernel, real programs."""

import contextlib
import functools
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter

import jsonschema
import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
BUILD = TOP / os.environ.get("O", "build")
RQSPIN = BUILD / "rqspin"
VERBS = ["list", "run", "trace", "record", "held", "stat", "top", "export", "report", "replay"]
VERBS += ["doctor", "errno", "check", "version"]
BPFTOOL = os.environ.get("BPFTOOL") or shutil.which("bpftool") or "/usr/sbin/bpftool"
LIMIT = 240  # seconds for one command: a guest without KVM is slow
SANITIZER = 99  # the exit code of what the sanitizers find: scripts/test-sanitize.sh

# The background jobs of a script ignore these two, and so would all commands that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def find_clang():
    """The command of clang 19 or newer, None without one."""
    res = subprocess.run([TOP / "scripts/find-clang.sh"], capture_output=True, text=True)
    return res.stdout.strip() or None


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="test_commands.py: what takes long")


@pytest.fixture(scope="session", autouse=True)
def bpffs():
    """Some tests pin; a machine without systemd may not have the file system mounted."""
    ours = os.geteuid() == 0 and not os.path.ismount("/sys/fs/bpf")
    if ours:
        subprocess.run(["mount", "-t", "bpf", "bpf", "/sys/fs/bpf"], check=True)
    yield
    if ours:
        subprocess.run(["umount", "/sys/fs/bpf"], check=True)


def rqspin(*args, **kw):
    """Run to the end; text in and out."""
    kw.setdefault("timeout", LIMIT)
    return subprocess.run([RQSPIN, *map(str, args)], capture_output=True, text=True, **kw)


# A guest has the BTF of another kernel. The Makefile may know the file by either name.
MAKE = ["make", *(f"-o{d}/vmlinux.h" for d in (BUILD, os.path.relpath(BUILD, TOP)))]


def make(*args):
    cmd = [*MAKE, "-C", TOP, f"O={BUILD}", *args]
    return subprocess.run(cmd, check=True, capture_output=True, text=True)


@pytest.fixture(scope="session")
def reader(tmp_path_factory):
    """The environment of a reader who has typed `make install`."""
    prefix = tmp_path_factory.mktemp("prefix")
    make("install", f"PREFIX={prefix}")
    path = os.pathsep.join([f"{prefix}/sbin", os.environ["PATH"], "/usr/sbin", "/sbin"])
    return {**os.environ, "PATH": path, "PKG_CONFIG_PATH": f"{prefix}/share/pkgconfig"}


@functools.cache
def doctor():
    return json.loads(rqspin("doctor", "--json").stdout)


def doctor_check(name):
    return next(c for c in doctor()["checks"] if c["id"] == name)


def no_locks():
    """Why programs cannot take a resilient lock on this kernel; None if they can."""
    kfuncs = doctor_check("kfuncs")
    return None if kfuncs["available"] else kfuncs["detail"]


@functools.cache
def kernel_has_tracepoint():
    """Asked without the tool: is it the lock that tells of its failures itself?"""
    btf = pathlib.Path("/sys/kernel/btf/vmlinux")
    return btf.exists() and b"btf_trace_rqspinlock_failure" in btf.read_bytes()


def skip_without_tracepoint():
    sources = {s["name"]: s for s in doctor()["trace_sources"]}
    if not kernel_has_tracepoint():
        pytest.skip("the kernel has no tracepoint rqspinlock:rqspinlock_failure")
    assert sources["tracepoint"]["usable"], sources["tracepoint"]["detail"]


def no_held_table():
    """A lock that tells owners itself needs no table; elsewhere a missing one is a failure."""
    table = doctor_check("held_table")
    return table["detail"] if kernel_has_tracepoint() and not table["available"] else None


def skip_without_held_table():
    skip_without_locks()
    if no_held_table():
        pytest.skip(no_held_table())


def skip_without_locks():
    if no_locks():
        pytest.skip(f"needs the lock kfuncs: {no_locks()}")


@pytest.fixture
def locks():
    skip_without_locks()


needs_locks = pytest.mark.usefixtures("locks")


def run_sample(*args):
    """`rqspin run ... --json` of a sample that behaves as announced."""
    res = rqspin("run", *args, "--json")
    if res.returncode == 3:
        skip_without_locks()
    assert res.returncode == 0, res.stderr
    return json.loads(res.stdout)


def failed_by_program(run):
    """By what the programs return: not every kernel counts calls of somebody else's locks."""
    failed = Counter()
    for role in run["roles"]:
        failed[role["program"]] += sum(r["times"] for r in role["returned"] if r["value"] < 0)
    return failed


def failed_runs(run):
    return sum(failed_by_program(run).values())


def wait_ready(proc, fifo):
    """Until the process, or one that it started, has written there."""
    # If it fails first, nobody opens the other end: do not block on it.
    fd = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLHUP)
    while proc.poll() is None and not poll.poll(200):
        pass
    os.close(fd)
    assert proc.poll() is None, proc.stderr.read()


def cpu_clock(pid):
    """A process's CPU clock for time.clock_gettime(), as clock_getcpuclockid(3) makes it."""
    return ~pid << 3 | 2


class Tracer:
    """`rqspin trace --json` in the background, from ready to summary."""

    def __init__(self, tmp_path, args):
        self.out = tmp_path / "events"
        ready = tmp_path / "ready"
        os.mkfifo(ready)
        cmd = [RQSPIN, "trace", "--json", "--ready-file", ready, *map(str, args)]
        with open(self.out, "w") as out:
            self.proc = subprocess.Popen(cmd, stdout=out, stderr=subprocess.PIPE, text=True)
        wait_ready(self.proc, ready)

    def stop(self, sig=signal.SIGINT):
        if hasattr(self, "talk"):
            return self.proc.returncode
        if self.proc.poll() is None:
            self.proc.send_signal(sig)
        self.talk = self.proc.communicate(timeout=LIMIT)[1]
        assert self.proc.returncode != SANITIZER, self.talk
        lines = [json.loads(line) for line in self.out.read_text().splitlines()]
        self.events = [e for e in lines if e["type"] == "failure"]
        self.summary = lines[-1] if lines and lines[-1]["type"] == "summary" else None
        return self.proc.returncode


@pytest.fixture
def tracer(tmp_path):
    started = []

    @contextlib.contextmanager
    def start(*args):
        where = tmp_path / str(len(started))
        where.mkdir()
        t = Tracer(where, args)
        started.append(t)
        yield t
        t.stop()

    yield start
    for t in started:
        if t.proc.poll() is None:
            t.proc.kill()
            t.proc.wait()


def stat_while(body, *args, said=None):
    """The one table of `rqspin stat --json` while the body runs, which gets its process."""
    cmd = [RQSPIN, "stat", "--json", *args]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        # From "counting" on no failure can be missed. Others' maps may be warned of before that.
        assert any("counting" in line for line in proc.stderr)
        body(proc)
        proc.send_signal(signal.SIGINT)
        out, talk = proc.communicate(timeout=LIMIT)
    finally:
        proc.kill()
    assert proc.returncode == 0, talk
    if said is not None:
        said[:] = talk.splitlines()
    (table,) = (json.loads(line) for line in out.splitlines())
    validator("stat.schema.json").validate(table)
    assert table["lost"] == 0
    return table


@contextlib.contextmanager
def stopped(t):
    """A tracer that gets no CPU while programs come, fail and go."""
    proc = getattr(t, "proc", t)
    os.kill(proc.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, proc.pid, os.WSTOPPED | os.WNOWAIT)
    yield
    proc.send_signal(signal.SIGCONT)


def loaded():
    """Ids of all BPF programs and maps, and everything pinned."""
    ids = {}
    for kind in ("prog", "map", "link"):
        out = subprocess.run([BPFTOOL, "-j", kind, "show"], capture_output=True, text=True)
        # What goes while bpftool lists it is an "error" entry.
        ids[kind] = {o["id"] for o in json.loads(out.stdout or "[]") if "id" in o}
    bpffs = pathlib.Path("/sys/fs/bpf")
    ids["pins"] = {str(p) for p in bpffs.rglob("*")} if bpffs.is_mount() else set()
    return ids


@pytest.fixture
def strace():
    """Its path, where it may trace."""
    path = shutil.which("strace")
    if not path or subprocess.run([path, "-D", "true"], check=False).returncode:
        pytest.skip("needs strace, and ptrace to be allowed")
    return path


@pytest.fixture
def nothing_left():
    """What this test loads or pins must be gone soon after it ends.

    Not at once: programs and maps are freed after a grace period, and what
    others load meanwhile is none of our business, so what is new at the first
    look must go away, whatever comes later.
    """
    before = loaded()
    yield
    all_gone(before)


def all_gone(before):
    """Wait until nothing is there any more that came since `before`."""
    left = {k: v - before[k] for k, v in loaded().items()}
    deadline = time.monotonic() + 20
    while any(left.values()) and time.monotonic() < deadline:
        now = loaded()
        left = {k: v & now[k] for k, v in left.items()}
    assert not any(left.values()), f"left behind: {left}"


@functools.cache
def validator(name):
    """Of a schema in docs/: its own check is made once, not for each document."""
    doc = json.loads((TOP / "docs" / name).read_text())
    kind = jsonschema.validators.validator_for(doc)
    kind.check_schema(doc)
    return kind(doc)


@pytest.fixture(scope="session")
def schema():
    return validator("events.schema.json")


def cpus():
    return len(os.sched_getaffinity(0))


needs_two_cpus = pytest.mark.skipif(cpus() < 2, reason="needs two CPUs")
# With four CPUs test_waiters_in_the_queue has waiters of another kind.
needs_own_wait = pytest.mark.skipif(
    cpus() >= 4 and not kernel_has_tracepoint(),
    reason="newer kernels refuse an owner before it comes to the queue",
)
needs_four_cpus = pytest.mark.skipif(cpus() < 4, reason="needs four CPUs: make vmtest")
needs_three_cpus = pytest.mark.skipif(cpus() < 3, reason="needs three CPUs: make vmtest")


@pytest.fixture(scope="module")
def reachable():
    """The binary and a sample where an unprivileged user can read them."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as tmp:
        where = pathlib.Path(tmp)
        where.chmod(0o755)
        shutil.copy(RQSPIN, where)
        shutil.copy(BUILD / "bpf/progs/aa.bpf.o", where)
        yield where


@pytest.fixture
def bpffs_of_ours(tmp_path, nothing_left):
    """A BPF file system in which no other recorder is."""
    where = tmp_path / "bpf"
    where.mkdir()
    subprocess.run(["mount", "-t", "bpf", "bpf", where], check=True)
    yield where
    subprocess.run(["umount", where], check=True)


class Recorder:
    def __init__(self, bpffs):
        self.bpffs = bpffs
        self.root = bpffs / "rqspin"

    def record(self, *args, **kw):
        return rqspin("record", "--bpffs", self.bpffs, *args, **kw)

    def start(self, *args):
        res = self.record(*args)
        assert res.returncode == 0, res.stderr
        assert not res.stdout and "recording of each CPU: the last " in res.stderr

    def status(self):
        res = self.record("--status", "--json")
        assert res.returncode == 0, res.stderr
        status = json.loads(res.stdout)
        validator("record.schema.json").validate(status)
        return status

    def last(self, *args):
        """Failures and summary."""
        res = rqspin("trace", "--last", "--bpffs", self.bpffs, "--json", *args)
        assert res.returncode == 0, res.stderr
        lines = [json.loads(line) for line in res.stdout.splitlines()]
        for line in lines:
            validator("events.schema.json").validate(line)
        return lines[:-1], lines[-1]

    def stop(self):
        res = self.record("--stop")
        assert res.returncode == 0, res.stderr
        assert not self.root.exists()
        return res


@pytest.fixture
def recorder(bpffs_of_ours):
    r = Recorder(bpffs_of_ours)
    yield r
    r.stop()


def refused(res, code, text):
    assert res.returncode == code, (res.returncode, res.stderr)
    assert text in res.stderr
    assert not res.stdout
