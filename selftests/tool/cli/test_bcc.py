# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The BCC tool without its kernel: arguments, filters, formatting, and what it says is missing."""

import importlib.util
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
from collections import Counter

import pytest
from conftest import TOP

PATH = TOP / "user/bcc/rqspindeadlock.py"
EXAMPLE = TOP / "user/bcc/rqspindeadlock_example.txt"
MAN = TOP / "user/bcc/rqspindeadlock.8"
MINE = {"id": 9, "name": "mine"}
PROGRAMS = [(0x100, 0x200, 0, {"id": 7, "name": "x"}), (0x400, 0x500, 0, MINE)]
SYMBOLS = {
    2: "bpf_trace_run7+0x2",
    4: "bpf_prog_test_run_skb+0x4",
    3: "res_report+0x3",
    5: "htab_map_update_elem+0x5",
    6: "asm_exc_nmi+0x6",
    7: "bpf_get_stack_raw_tp+0x7",
    8: "some_module_function+0x123456",
    9: "bpf_prog_0123456789abcdef_gone+0x9",
}
OWN, CALLER = 0x101, 0x500


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
        ("--prog", ""),
        ("--comm", ""),
        ("--lock", "slots[0]"),
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


HOP = {"cpu": 4, "pid": 8, "lock": 16, "ip": 24}


def kernel_btf(params=8, kinds=("NONE", "AA", "ABBA", "CYCLE", "TIMEOUT", "NESTED"), hop=HOP):
    """One whose structs are not laid out as today's."""
    btf = Btf()
    btf.add("int", 1, 0, 4, struct.pack("<I", 32))
    proto = btf.add("", 13, params, 0, struct.pack("<II", 0, 1) * params)
    pointer = btf.add("", 2, 0, proto)
    btf.add("btf_trace_rqspinlock_failure", 8, 0, pointer)
    btf.struct("res_hop", 32, **hop)
    btf.struct("res_chain", 1040, n=4, hop=16)
    values = b"".join(
        struct.pack("<Ii", btf.name("RES_KIND_" + kind), i + 10) for i, kind in enumerate(kinds)
    )
    btf.add("res_kind", 6, len(kinds), 4, values)
    return btf.blob()


@pytest.fixture
def layout(tool):
    return tool.Layout(tool.Btf(kernel_btf()))


def test_layout_is_the_kernels(layout):
    assert (layout.n, layout.hop, layout.hop_size) == (4, 16, 32)
    assert (layout.hop_lock, layout.hop_cpu, layout.hop_ip, layout.hop_pid) == (16, 4, 24, 8)
    assert layout.kinds[11] == "AA" and layout.kinds[15] == "NESTED"


def test_a_kernel_without_the_tracepoint(tool):
    btf = Btf()
    btf.add("int", 1, 0, 4, struct.pack("<I", 32))
    with pytest.raises(tool.Unsupported, match="has no tracepoint.*kernel-patches"):
        tool.Layout(tool.Btf(btf.blob()))
    with pytest.raises(tool.Unsupported, match="another"):
        tool.Layout(tool.Btf(kernel_btf(params=7)))
    with pytest.raises(tool.Unsupported, match="another"):
        tool.Layout(tool.Btf(kernel_btf(hop={"cpu": 4, "lock": 16})))


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
    assert "#define HOP_SIZE 32\n" in text
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
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # under nohup it is ignored
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
    before = signal.signal(sig, signal.SIG_DFL)  # the tests may run under nohup
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
    e = tool.event_class(layout.hop_size)()
    e.comm = b"rqs/2"
    e.owner = -1
    for name, value in fields.items():
        setattr(e, name, value)
    return e


def hops(layout, *members):
    raw = bytearray(32 * layout.hop_size)
    for i, (cpu, pid, lock, ip) in enumerate(members):
        struct.pack_into("=H", raw, i * layout.hop_size + layout.hop_cpu, cpu)
        struct.pack_into("=i", raw, i * layout.hop_size + layout.hop_pid, pid)
        struct.pack_into("=Q", raw, i * layout.hop_size + layout.hop_lock, lock)
        struct.pack_into("=Q", raw, i * layout.hop_size + layout.hop_ip, ip)
    return raw


@pytest.fixture
def symbols(tool):
    programs = tool.Programs(None)
    programs.ranges = PROGRAMS
    return tool.Symbols(programs, lambda addr: SYMBOLS.get(addr, "[unknown]"))


@pytest.fixture
def describe(tool, layout, schema, symbols):
    """An event as JSON, which has the schema of 'rqspin trace --json'."""

    def run(e, *args, stack=()):
        e.stack_len = len(stack) * 8
        e.stack[: len(stack)] = stack
        f = tool.describe(e, layout, symbols, tool.parse_args(args))
        schema.validate(f)
        return f

    return run


def test_cycle(tool, layout, describe):
    e = event(tool, layout, kind=13, ret=-35, cpu=2, pid=9, owner=3, wait_ns=1500, lock=0xA0)
    e.hops = 2
    raw = hops(layout, (3, 70, 0xB0, CALLER), (5, 0, 0xC0, 5))
    e.chain = type(e.chain)(*raw)
    f = describe(e)
    assert (f["kind"], f["parties"], f["errno"], f["comm"]) == ("CYCLE", 3, "EDEADLK", "rqs/2")
    assert f["owner"]["cpu"] == 3 and f["owner"]["wants"]["addr"] == "0xb0"
    assert [(hop["cpu"], hop["tid"], hop["wants"]["addr"]) for hop in f["chain"]] == [
        (3, 70, "0xb0"),
        (5, None, "0xc0"),
    ]
    assert f["chain"][0]["prog"] == MINE and not f["chain"][0]["function"]
    assert f["chain"][1]["function"] == "htab_map_update_elem" and not f["chain"][1]["prog"]
    assert [held["addr"] for held in f["held"]] == ["0xc0"]
    (line,) = tool.text_lines(f)
    assert re.search(r"CYCLE 3 +2 +9 +rqs/2 +3 +1\.5 +0xa0 ", line)
    assert line.endswith("cpu 3 wants 0xb0, cpu 5 wants 0xc0, of cpu 2")


def test_no_addresses(tool, layout, describe):
    e = event(tool, layout, kind=12, ret=-35, owner=3, lock=0xA0, hops=1)
    e.chain = type(e.chain)(*hops(layout, (3, 70, 0xB0, CALLER)))
    f = describe(e, "--no-addr")
    assert '"0x' not in json.dumps(f)
    assert "0x" not in next(tool.text_lines(f))


def test_aa_is_held_by_its_cpu(tool, layout, describe):
    f = describe(event(tool, layout, kind=11, ret=-35, cpu=2, owner=2, lock=0xA0))
    assert f["parties"] == 1 and f["held"] == [f["lock"]] == f["owner"]["held"]
    assert f["chain"] == [] and f["owner"]["wants"] is None


def test_task_names_are_escaped(tool, layout, describe):
    """A name neither ends its line nor reaches the terminal as it is; JSON has all of it."""
    e = event(tool, layout, kind=11, ret=-35, comm="a\n\x1b[2J\u202eb\\é".encode(), lock=0xA0)
    f = describe(e)
    (line,) = tool.text_lines(f)
    assert line.isprintable() and r" a\n\x1b[2J\u202eb\\é " in line
    assert f["comm"] == "a\n\x1b[2J\u202eb\\é"
    e.comm = b"\xff\xfe"
    assert next(tool.text_lines(describe(e))).isprintable()


def test_arguments_are_escaped():
    res = run("-k", "a\n\x1b[31mb")
    assert res.returncode == 2 and r"a\n\x1b[31mb" in res.stderr


def test_unknown_owner(tool, layout, describe):
    e = event(tool, layout, kind=14, ret=-110, wait_ns=500_000_000, lock=0xA0)
    f = describe(e)
    assert (f["kind"], f["errno"], f["owner"]) == ("TIMEOUT", "ETIMEDOUT", None)
    assert f["parties"] is f["held"] is None and f["chain"] == []
    (line,) = tool.text_lines(f)
    assert re.search(r" \? +500000\.0 +0xa0 +- +-$", line)


def test_stack_begins_behind_the_tracing(tool, layout, describe, symbols):
    e = event(tool, layout, kind=11, ret=-35)
    f = describe(e, "-s", stack=[7, OWN, 2, 3, 5, CALLER, 4, 8, 9])
    assert f["report"] == (
        "Call trace:\n res_report+0x3\n htab_map_update_elem+0x5\n program 9 mine\n"
        " bpf_prog_test_run_skb+0x4\n ?\n ?\n"
    )
    assert [line.strip() for line in tool.text_lines(f)][1:] == [
        "res_report+0x3",
        "htab_map_update_elem+0x5",
        "program 9 mine",
        "bpf_prog_test_run_skb+0x4",
        "?",
        "?",
    ]
    assert f["prog"] == MINE
    assert describe(e, stack=[OWN, 2, 3])["report"] is None
    e.stack_len = -14
    assert tool.kernel_stack(e, symbols) == []


def test_a_program_that_is_gone_is_unknown(tool, layout, describe):
    """BCC names the next lower symbol, which is some other program or a function of a module."""
    e = event(tool, layout, kind=11, ret=-35)
    for unknown in (8, 9, 10):
        assert describe(e, stack=[OWN, 2, 3, unknown, CALLER])["prog"] is None


def test_programs_are_looked_up_once(tool):
    """Ids only grow; those that went before they could be looked at are counted."""
    ids, asked = [3, 4], []

    class Lib:
        def bpf_prog_get_next_id(self, after, found):
            later = [i for i in ids if i > after]
            if not later:
                return -1
            found._obj.value = later[0]
            return 0

        def bpf_prog_get_fd_by_id(self, nr):
            asked.append(nr)
            return -1 if nr == 8 else os.open(os.devnull, os.O_RDONLY)

        def bpf_obj_get_info_by_fd(self, fd, info, size):
            return 0

    programs = tool.Programs(Lib())
    programs.scan()
    assert programs.missed == 0
    ids += [7, 8]
    programs.scan()
    programs.scan()
    assert asked == [3, 4, 7, 8] and programs.missed == 3  # 5, 6 and 8


def test_memory_that_is_used_again(tool):
    """A failure is of the program that was there then; who is long gone is forgotten."""
    progs = [{"id": nr, "name": f"p{nr}"} for nr in range(1, 10001)]

    class Lib:
        def bpf_prog_get_next_id(self, after, found):
            found._obj.value = after + 1
            return 0 if after < len(progs) else -1

        def bpf_prog_get_fd_by_id(self, nr):
            return os.open(os.devnull, os.O_RDONLY) if nr == 5 else -1

    programs = tool.Programs(Lib())
    programs.add = lambda nr: programs.ranges.append((0x100, 0x200, nr * 10, progs[nr - 1])) or True
    programs.scan()
    assert [r[-1]["id"] for r in programs.ranges] == [5, *range(10001 - tool.RECENT, 10001)]
    assert programs.find(0x180, 99999)["id"] == 9999
    assert programs.find(0x180, 99990)["id"] == 9999
    assert programs.find(0x180, 55)["id"] == 5 and programs.find(0x180, 9) is None


def test_an_interrupted_program_did_not_ask(tool, layout, describe):
    e = event(tool, layout, kind=11, ret=-35)
    assert describe(e, stack=[OWN, 2, 3, 6, CALLER])["prog"] is None


@pytest.mark.parametrize(
    ("args", "hit"),
    [
        (("--prog", "mine"), True),
        (("--prog", "min"), False),
        (("--prog", "9"), True),
        (("--comm", "rqs/2"), True),
        (("--comm", "rqs"), False),
        (("--lock", "0xa0"), True),
        (("--lock", "A1"), False),
        (("--lock", "A0", "--no-addr", "--prog", "mine"), True),
    ],
)
def test_filters_by_name(tool, layout, describe, args, hit):
    e = event(tool, layout, kind=11, ret=-35, lock=0xA0)
    f = describe(e, *args, stack=[OWN, 2, 3, CALLER])
    assert tool.matches(f, e.lock, tool.parse_args(args)) is hit


def test_summary(tool, schema):
    totals = Counter({(9, "mine", "AA"): 3, (None, None, "TIMEOUT"): 1})
    data = json.loads(json.dumps(tool.summary_of(9, 2, 1, totals)))
    schema.validate(data)
    assert (data["events"], data["shown"], data["lost"]) == (9, 4, 2)
    assert data["kinds"]["AA"] == 3 and data["kinds"]["CYCLE"] == 0
    assert sum(row["failures"] for row in data["totals"]) == 6


def test_example_file_tells_every_option(tool):
    """Python releases differ in how they lay the options out."""
    text, usage = EXAMPLE.read_text(), run("-h").stdout
    assert tool.EXAMPLES.strip() in usage and tool.EXAMPLES.strip() in text
    options = set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", usage.partition("examples:")[0]))
    assert {"-j", "--stack", "--pages"} <= options
    assert {option for option in options if option not in text} == set()
    man = MAN.read_text().replace("\\-", "-")
    short = {"--count": "-c", "--cpu": "-C", "--duration": "-d", "--help": "-h", "--json": "-j"}
    short |= {"--kind": "-k", "--pid": "-p", "--stack": "-s"}
    assert {o for o in options if short.get(o, o) not in man} == set()


def test_man_page_is_one_that_bcc_would_take():
    """Its sections, and no complaint of the formatter."""
    text = MAN.read_text()
    for section in ("REQUIREMENTS", "FIELDS", "OVERHEAD", "CAVEATS", "STABILITY", "SEE ALSO"):
        assert f"\n.SH {section}\n" in text
    cmd = ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", MAN]
    if not shutil.which("man"):
        pytest.skip("needs man (man-db)")
    res = subprocess.run(cmd, capture_output=True, text=True)
    assert (res.returncode, res.stderr) == (0, "")
