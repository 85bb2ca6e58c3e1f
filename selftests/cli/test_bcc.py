# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The BCC tool without its kernel: arguments, filters, formatting, and what it says is missing."""

import importlib.util
import os
import re
import signal
import struct
import subprocess
import sys

import pytest
from conftest import TOP

PATH = TOP / "user/bcc/rqspindeadlock.py"
EXAMPLE = TOP / "user/bcc/rqspindeadlock_example.txt"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("rqspindeadlock", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*args):
    return subprocess.run([PATH, *args], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "args",
    [
        ("-k", "deadlock"),
        ("-k", ""),
        ("-C", "x"),
        ("-C", "3-1"),
        ("-C", "-1"),
        ("-p", "0"),
        ("-p", "init"),
        ("-c", "0"),
        ("-d", "0"),
        ("-d", "inf"),
        ("--pages", "3"),
        ("--pages", "0"),
        ("--pages", "1073741824"),
        ("--pages", "9" * 5000),
        ("-C", "0-999999999"),
        ("-C", "1,8192"),
        ("-C", "9" * 5000),
        ("-p", "4294967296"),
        ("-p", "9" * 5000),
        ("surplus",),
    ],
    ids=lambda args: " ".join(args)[:20],
)
def test_bad_arguments(args):
    res = run(*args)
    assert res.returncode == 2 and "error:" in res.stderr
    assert not res.stdout and "Traceback" not in res.stderr


def test_pages_leave_room(tool, monkeypatch):
    monkeypatch.setattr(tool, "available_pages", lambda: 1000 * os.sysconf("SC_NPROCESSORS_ONLN"))
    assert tool.parse_args(["--pages", "256"]).pages == 256
    with pytest.raises(SystemExit):
        tool.parse_args(["--pages", "512"])


def test_good_arguments(tool):
    args = tool.parse_args(["-j", "-s", "-k", "aa,CYCLE", "-C", "0,2-3", "-p", "7", "-d", "0.5"])
    assert (args.json, args.stack, args.pid, args.duration) == (True, True, 7, 0.5)
    assert args.kind == ["AA", "CYCLE"] and args.cpu == [(0, 0), (2, 3)]


class Btf:
    """Type information with what the tool looks for, as the kernel lays it out."""

    def __init__(self):
        self.strings, self.types, self.nr = b"\0", b"", 0

    def name(self, text):
        if not text:
            return 0
        self.strings += text.encode() + b"\0"
        return len(self.strings) - len(text) - 1

    def add(self, name, kind, vlen, size, extra=b""):
        info = kind << 24 | vlen
        self.types += struct.pack("<III", self.name(name), info, size) + extra
        self.nr += 1
        return self.nr

    def struct(self, name, size, **members):
        extra = b"".join(
            struct.pack("<III", self.name(m), 1, off * 8) for m, off in members.items()
        )
        return self.add(name, 4, len(members), size, extra)

    def blob(self):
        sizes = (0, len(self.types), len(self.types), len(self.strings))
        return struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, *sizes) + self.types + self.strings


def kernel_btf(params=8, kinds=("NONE", "AA", "ABBA", "CYCLE", "TIMEOUT", "NESTED")):
    """One whose structs are not laid out as today's."""
    btf = Btf()
    btf.add("int", 1, 0, 4, struct.pack("<I", 32))
    proto = btf.add("", 13, params, 0, struct.pack("<II", 0, 1) * params)
    pointer = btf.add("", 2, 0, proto)
    btf.add("btf_trace_rqspinlock_failure", 8, 0, pointer)
    btf.struct("res_hop", 24, cpu=4, lock=16)
    btf.struct("res_chain", 784, n=4, hop=16)
    values = b"".join(
        struct.pack("<Ii", btf.name("RES_KIND_" + kind), i + 10) for i, kind in enumerate(kinds)
    )
    btf.add("res_kind", 6, len(kinds), 4, values)
    return btf.blob()


@pytest.fixture
def layout(tool):
    return tool.Layout(tool.Btf(kernel_btf()))


def test_layout_is_the_kernels(layout):
    assert (layout.n, layout.hop, layout.hop_size) == (4, 16, 24)
    assert (layout.hop_lock, layout.hop_cpu) == (16, 4)
    assert layout.kinds[11] == "AA" and layout.kinds[15] == "NESTED"


def test_a_kernel_without_the_tracepoint(tool):
    btf = Btf()
    btf.add("int", 1, 0, 4, struct.pack("<I", 32))
    with pytest.raises(tool.Unsupported, match="has no tracepoint.*kernel-patches"):
        tool.Layout(tool.Btf(btf.blob()))
    with pytest.raises(tool.Unsupported, match="another"):
        tool.Layout(tool.Btf(kernel_btf(params=7)))


def test_what_is_missing_is_said_in_one_line():
    res = run("-d", "0.1")
    if res.returncode == 0:
        pytest.skip("nothing is missing here")
    assert res.returncode == 3 and not res.stdout
    assert len(res.stderr.splitlines()) == 1
    assert re.search("kernel-patches|python3-bpfcc|root|CONFIG_DEBUG_INFO_BTF", res.stderr)


def test_program_has_the_filters(tool, layout):
    args = tool.parse_args(["-k", "aa,cycle", "-C", "1,4-8191", "-p", "7"])
    text = tool.program_of(args, layout)
    cpus = "(cpu - 1u <= 0u || cpu - 4u <= 8187u)"
    filters = f"((kind == 11 || kind == 13) && {cpus} && (pid == 7))"
    assert f"#define FILTER {filters}\n" in text
    assert "#define STACKS" not in text and "#define HOP_SIZE 24\n" in text
    assert "#define FILTER (1)\n" in tool.program_of(tool.parse_args([]), layout)


def test_folder_is_removed(tool):
    with tool.own_headers() as top:
        assert os.path.isfile(f"{top}/include/linux/types.h")
        assert os.environ["BCC_KERNEL_SOURCE"] == top
    assert not os.path.exists(top) and "BCC_KERNEL_SOURCE" not in os.environ


@pytest.mark.parametrize("sig", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM], ids=str)
def test_folder_is_removed_after_a_kill(sig):
    """Killed at start, with all of its process group, while BCC compiles."""
    script = (
        "import runpy, signal, sys\n"
        "tool = runpy.run_path(sys.argv[1])\n"
        "with tool['own_headers']() as top:\n"
        "    print(top, flush=True)\n"
        "    signal.pause()\n"
    )
    cmd = [sys.executable, "-c", script, PATH]
    with subprocess.Popen(cmd, stdout=subprocess.PIPE, text=True, process_group=0) as proc:
        top = proc.stdout.readline().strip()
        assert os.path.isdir(top)
        os.killpg(proc.pid, sig)
        # The end of the file: nobody is left who writes, so the folder's keeper is done.
        assert proc.stdout.read() == ""
        assert proc.wait() == -sig
    assert not os.path.exists(top)


def test_no_room_for_the_folder(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(tool.tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(tool.Failed, match="TMPDIR"), tool.own_headers():
        pass


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=str)
def test_signals_ask_for_the_end(tool, sig):
    before = signal.getsignal(sig)
    try:
        stop = []
        tool.end_by_signal(stop)
        signal.raise_signal(sig)
        assert stop == [sig]
        if sig == signal.SIGHUP:
            signal.signal(sig, signal.SIG_IGN)  # nohup
            tool.end_by_signal(stop)
            assert signal.getsignal(sig) == signal.SIG_IGN
    finally:
        signal.signal(sig, before)


def event(tool, layout, **fields):
    e = tool.event_class(layout.hop_size, True)()
    e.comm = b"rqs/2"
    e.owner = -1
    for name, value in fields.items():
        setattr(e, name, value)
    return e


def hops(layout, *members):
    raw = bytearray(32 * layout.hop_size)
    for i, (cpu, lock) in enumerate(members):
        struct.pack_into("=H", raw, i * layout.hop_size + layout.hop_cpu, cpu)
        struct.pack_into("=Q", raw, i * layout.hop_size + layout.hop_lock, lock)
    return raw


def test_cycle(tool, layout):
    e = event(tool, layout, kind=13, ret=-35, cpu=2, pid=9, owner=3, wait_ns=1500, lock=0xA0)
    e.hops = 2
    raw = hops(layout, (3, 0xB0), (5, 0xC0))
    e.chain = type(e.chain)(*raw)
    f = tool.describe(e, layout)
    assert (f["kind"], f["errno"], f["owner"], f["comm"]) == ("CYCLE", "EDEADLK", 3, "rqs/2")
    assert f["chain"] == [{"cpu": 3, "wants": "0xb0"}, {"cpu": 5, "wants": "0xc0"}]
    (line,) = tool.text_lines(f)
    assert re.search(r"CYCLE 3 +2 +9 +rqs/2 +3 +1\.5 +0xa0 ", line)
    assert line.endswith("cpu 3 wants 0xb0, cpu 5 wants 0xc0, of cpu 2")


def test_task_names_are_escaped(tool, layout):
    """A name neither ends its line nor reaches the terminal as it is; JSON has all of it."""
    e = event(tool, layout, kind=11, ret=-35, comm="a\n\x1b[2J\u202eb\\é".encode(), lock=0xA0)
    f = tool.describe(e, layout)
    (line,) = tool.text_lines(f)
    assert line.isprintable() and r" a\n\x1b[2J\u202eb\\é " in line
    assert f["comm"] == "a\n\x1b[2J\u202eb\\é"
    e.comm = b"\xff\xfe"
    assert next(tool.text_lines(tool.describe(e, layout))).isprintable()


def test_arguments_are_escaped():
    res = run("-k", "a\n\x1b[31mb")
    assert res.returncode == 2 and r"a\n\x1b[31mb" in res.stderr


def test_unknown_owner(tool, layout):
    e = event(tool, layout, kind=14, ret=-110, wait_ns=500_000_000, lock=0xA0)
    f = tool.describe(e, layout)
    assert (f["kind"], f["errno"], f["owner"]) == ("TIMEOUT", "ETIMEDOUT", None)
    (line,) = tool.text_lines(f)
    assert re.search(r" \? +500000\.0 +0xa0 +-$", line)


def test_stack_begins_behind_the_tracing(tool, layout):
    names = {1: "bpf_prog_0123_x", 2: "bpf_trace_run7", 3: "res_report", 4: "bpf_prog_4567_mine"}
    e = event(tool, layout, kind=11, ret=-35, stack_len=32)
    for i in range(4):
        e.stack[i] = i + 1
    f = tool.describe(e, layout, names.get)
    assert f["stack"] == ["res_report", "bpf_prog_4567_mine"]
    assert [line.strip() for line in tool.text_lines(f)][1:] == f["stack"]
    e.stack_len = -14
    assert tool.describe(e, layout, names.get)["stack"] == []


def test_example_file_tells_every_option(tool):
    """Python releases differ in how they lay the options out."""
    text, usage = EXAMPLE.read_text(), run("-h").stdout
    assert tool.EXAMPLES.strip() in usage and tool.EXAMPLES.strip() in text
    options = set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z]*", usage.partition("examples:")[0]))
    assert {"-j", "--stack", "--pages"} <= options
    assert {option for option in options if option not in text} == set()
