#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rqspindeadlock  Trace failed acquisitions of resilient queued spin locks.
#                 For Linux, uses BCC, eBPF.
#
# USAGE: rqspindeadlock [-h] [-j] [-k KIND] [-C CPU] [-p PID] [--prog ID|NAME]
#                       [--comm NAME] [--lock ADDR] [--no-addr] [-c COUNT]
#                       [-d DURATION] [-s] [--pages PAGES]
#
# Needs the tracepoint rqspinlock:rqspinlock_failure (kernel-patches/), and no
# kernel headers. On the lock's path are a raw tracepoint program, per-CPU
# arrays and perf buffers: none takes a lock.
"""Trace failed acquisitions of resilient queued spin locks, with BCC."""

import sys

# Python looks for modules in the script's folder first, which may be somebody
# else's. With -P or -I it does not, so the first entry is no such folder.
if __name__ == "__main__" and not (
    sys.flags.isolated or getattr(sys.flags, "safe_path", False)
):
    del sys.path[0]

import argparse
import collections
import contextlib
import ctypes
import datetime
import errno
import json
import os
import re
import signal
import struct
import tempfile
import time

BTF_PATH = "/sys/kernel/btf/vmlinux"
TRACEPOINT = "rqspinlock_failure"
PARAMS = 8  # of a probe function: its own data, then the tracepoint's
HOPS = 32
DEPTH = 48
ERRNO = {
    errno.EDEADLK: "EDEADLK",
    errno.ETIMEDOUT: "ETIMEDOUT",
}  # EDEADLOCK is the same
KINDS = ("AA", "ABBA", "CYCLE", "TIMEOUT", "NESTED")
EXIT_FAIL = 1
EXIT_UNSUPPORTED = 3
CPU_MAX = 8191  # of any x86 kernel
PID_MAX = 1 << 22  # of any 64-bit kernel
PAGES_MAX = 1 << 18  # BCC keeps the bytes in an int

EXAMPLES = """examples:
    ./rqspindeadlock              # every failed acquisition, live
    ./rqspindeadlock -k abba,cycle
                                  # deadlocks of two CPUs and more
    ./rqspindeadlock -C 0,2-3     # failures on these CPUs
    ./rqspindeadlock -p 181       # failures in this process
    ./rqspindeadlock --prog xdp_in
                                  # failures of this BPF program
    ./rqspindeadlock -s           # with kernel stacks
    ./rqspindeadlock -j -d 60     # JSON lines for a minute
"""
SCHEMA = "rqspin-event/2"  # of 'rqspin trace --json', which prints the same
POLL = 0.1  # seconds between looks at the programs that there are
COMM_MAX = 15  # the kernel cuts the names of tasks and programs

PROGRAM = r"""
struct event {
    u64 ts_ns;
    u64 lock;
    u64 wait_ns;
    u32 kind;
    s32 ret;
    s32 owner;
    u32 cpu;
    u32 pid;
    u32 tid;
    u32 hops;
    s64 stack_len;
    char comm[16];
    char chain[HOPS * HOP_SIZE];
    u64 stack[DEPTH];
};

BPF_PERCPU_ARRAY(scratch, struct event, 1);
BPF_PERCPU_ARRAY(lost, u64, 1);
BPF_PERCPU_ARRAY(seen, u64, 1);
BPF_PERF_OUTPUT(events);

static inline int wanted(u32 kind, u32 cpu, u32 pid)
{
    return FILTER;
}

static inline void read_chain(struct event *e, u64 chain)
{
    u32 hops = 0;

    bpf_probe_read_kernel(&hops, sizeof(hops), (void *)(chain + N_OFFSET));
    if (hops > HOPS)
        hops = HOPS;
    e->hops = hops;
    bpf_probe_read_kernel(e->chain, hops * HOP_SIZE,
                          (void *)(chain + HOP_OFFSET));
}

/*
 * Nested calls on one CPU do not get here:
 * the kernel counts them, and scratch is ours.
 */
RAW_TRACEPOINT_PROBE(rqspinlock_failure)
{
    u64 id = bpf_get_current_pid_tgid(), *full, *all;
    u32 zero = 0, cpu = bpf_get_smp_processor_id();
    struct event *e = scratch.lookup(&zero);

    all = seen.lookup(&zero);
    if (all)
        (*all)++;
    if (!e || !wanted(ctx->args[1], cpu, id >> 32))
        return 0;
    e->ts_ns = bpf_ktime_get_ns();
    e->lock = ctx->args[0];
    e->kind = ctx->args[1];
    e->ret = ctx->args[2];
    e->wait_ns = ctx->args[3];
    e->owner = ctx->args[4];
    e->cpu = cpu;
    e->pid = id >> 32;
    e->tid = id;
    bpf_get_current_comm(e->comm, sizeof(e->comm));
    read_chain(e, ctx->args[5]);
    e->stack_len = bpf_get_stack(ctx, e->stack, sizeof(e->stack), 0);
    full = lost.lookup(&zero);
    if (events.perf_submit(ctx, e, sizeof(*e)) && full)
        (*full)++;
    return 0;
}
"""

# All that BCC and the program need from kernel headers. The other types are
# in the kernel's BTF.
HEADERS = {
    "linux/types.h": """
#ifndef RQSPIN_TYPES_H
#define RQSPIN_TYPES_H
typedef signed char __s8, s8;
typedef unsigned char __u8, u8;
typedef short __s16, s16;
typedef unsigned short __u16, u16, __be16;
typedef int __s32, s32;
typedef unsigned int __u32, u32, __be32, __wsum;
typedef long long __s64, s64;
typedef unsigned long long __u64, u64;
typedef __u64 __aligned_u64 __attribute__((aligned(8)));
typedef unsigned long size_t, uintptr_t;
typedef _Bool bool;
#define NULL ((void *)0)
#define CONFIG_BPF_SYSCALL 1
#endif
""",
    "linux/kconfig.h": "#include <linux/types.h>\n",
    "linux/version.h": "#define KERNEL_VERSION(a, b, c) "
    "(((a) << 16) + ((b) << 8) + (c))\n"
    "#define LINUX_VERSION_CODE KERNEL_VERSION(6, 12, 0)\n",
    **dict.fromkeys(
        (
            "asm/page.h",
            "linux/bpf_common.h",
            "linux/compiler_types.h",
            "linux/log2.h",
            "uapi/linux/bpf.h",
            "uapi/linux/if_ether.h",
            "uapi/linux/if_packet.h",
            "uapi/linux/ptrace.h",
        ),
        "",
    ),
}


class Unsupported(Exception):
    """What is missing, and how to get it: one line."""


class Failed(Exception):
    """What did not work, and what would: one line."""


class Btf:
    """The types of the kernel that the program depends on."""

    INT, PTR, STRUCT, ENUM, TYPEDEF, FUNC_PROTO = 1, 2, 4, 6, 8, 13
    EXTRA = {1: 4, 3: 12, 14: 4, 17: 4}  # bytes behind struct btf_type
    EACH = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}  # and for each of vlen

    def __init__(self, blob):
        header = struct.unpack_from("<HBBIIIII", blob)
        magic, _, _, head, type_off, type_len, str_off, str_len = header
        if magic != 0xEB9F:
            raise ValueError("no BTF")
        self.types = blob[head + type_off :][:type_len]
        self.strings = blob[head + str_off :][:str_len]
        self.offsets = [0]
        at = 0
        while at < type_len:
            self.offsets.append(at)
            _, info, _ = struct.unpack_from("<III", self.types, at)
            kind, vlen = info >> 24 & 0x1F, info & 0xFFFF
            at += 12 + self.EXTRA.get(kind, 0) + self.EACH.get(kind, 0) * vlen

    def name(self, off):
        return self.strings[off : self.strings.index(b"\0", off)].decode()

    def get(self, nth):
        name, info, size = struct.unpack_from(
            "<III", self.types, self.offsets[nth]
        )
        return name, info >> 24 & 0x1F, info & 0xFFFF, size

    def find(self, want, want_kind):
        off = self.strings.find(b"\0" + want.encode() + b"\0") + 1
        for nth in range(1, len(self.offsets)) if off else ():
            name, kind, _, _ = self.get(nth)
            if kind == want_kind and name == off:
                return nth
        return None

    def params(self, typedef):
        """Number of parameters of a pointer to a function."""
        nth = self.find(typedef, self.TYPEDEF)
        while nth:
            _, kind, vlen, target = self.get(nth)
            if kind == self.FUNC_PROTO:
                return vlen
            nth = target if kind in (self.TYPEDEF, self.PTR) else None
        return None

    def layout(self, want):
        """Size of a struct, and the offsets of its members."""
        nth = self.find(want, self.STRUCT)
        if not nth:
            return None
        _, _, vlen, size = self.get(nth)
        at = self.offsets[nth] + 12
        members = (
            struct.unpack_from("<III", self.types, at + 12 * i)
            for i in range(vlen)
        )
        return size, {self.name(name): bits // 8 for name, _, bits in members}

    def enum(self, want):
        nth = self.find(want, self.ENUM)
        if not nth:
            return {}
        at = self.offsets[nth] + 12
        values = (
            struct.unpack_from("<Ii", self.types, at + 8 * i)
            for i in range(self.get(nth)[2])
        )
        return {self.name(name): value for name, value in values}


class Layout:
    """Where the tracepoint's data is in the structures of this kernel."""

    def __init__(self, btf):
        params = btf.params("btf_trace_" + TRACEPOINT)
        if not params:
            raise Unsupported(
                f"this kernel has no tracepoint rqspinlock:{TRACEPOINT}: boot "
                "one with this project's patches (kernel-patches/README.md), "
                "or use 'rqspin trace'"
            )
        chain, hop = btf.layout("res_chain"), btf.layout("res_hop")
        kinds = btf.enum("res_kind")
        known = hop and {"lock", "ip", "cpu", "pid"} <= hop[1].keys()
        if params != PARAMS or not chain or not known or not kinds:
            raise Unsupported(
                f"this kernel has another {TRACEPOINT}: use this tool's "
                "release for it"
            )
        self.n, self.hop = chain[1]["n"], chain[1]["hop"]
        self.hop_size = hop[0]
        self.hop_lock, self.hop_cpu = hop[1]["lock"], hop[1]["cpu"]
        self.hop_ip, self.hop_pid = hop[1]["ip"], hop[1]["pid"]
        self.kinds = {kinds["RES_KIND_" + name]: name for name in KINDS}

    def values(self, names):
        return [value for value, name in self.kinds.items() if name in names]

    def chain(self, raw, hops):
        """[(CPU, thread, the lock it waits for, the caller's address)]"""

        def member(at, kind, where):
            return struct.unpack_from(kind, raw, at + where)[0]

        return [
            (
                member(at, "=H", self.hop_cpu),
                member(at, "=i", self.hop_pid),
                member(at, "=Q", self.hop_lock),
                member(at, "=Q", self.hop_ip),
            )
            for at in range(0, hops * self.hop_size, self.hop_size)
        ]


def kernel_layout():
    try:
        with open(BTF_PATH, "rb") as f:
            return Layout(Btf(f.read()))
    except OSError as e:
        why = "the kernel lacks CONFIG_DEBUG_INFO_BTF"
        if not os.path.isdir("/sys/kernel"):
            why = "mount -t sysfs sysfs /sys"
        raise Unsupported(f"{BTF_PATH}: {e.strerror}: {why}") from e


def event_class(hop_size):
    u32, s32, u64, s64 = (
        ctypes.c_uint32,
        ctypes.c_int32,
        ctypes.c_uint64,
        ctypes.c_int64,
    )

    class Event(ctypes.Structure):
        _fields_ = [
            *((name, u64) for name in ("ts_ns", "lock", "wait_ns")),
            *(("kind", u32), ("ret", s32), ("owner", s32)),
            *((name, u32) for name in ("cpu", "pid", "tid", "hops")),
            ("stack_len", s64),
            ("comm", ctypes.c_char * 16),
            ("chain", ctypes.c_ubyte * (HOPS * hop_size)),
            ("stack", u64 * DEPTH),
        ]

    return Event


def parse_list(text, item):
    return [value for word in text.split(",") for value in item(word)]


def kind_list(text):
    def item(word):
        if word.upper() not in KINDS:
            raise argparse.ArgumentTypeError(
                f"'{word}' is not one of {', '.join(KINDS).lower()}"
            )
        return [word.upper()]

    return parse_list(text, item)


def number(text, lowest, highest, error):
    fits = text.isascii() and text.isdigit() and len(text) < 20
    if not fits or not lowest <= int(text) <= highest:
        raise argparse.ArgumentTypeError(error)
    return int(text)


def cpu_list(text):
    """As ranges: 0-8191 need not become a list of 8192 CPUs."""

    def item(word):
        error = f"'{text}' is not a list of CPUs like 0,2-3, up to {CPU_MAX}"
        first, dash, last = word.partition("-")
        first = number(first, 0, CPU_MAX, error)
        return [
            (first, number(last, first, CPU_MAX, error) if dash else first)
        ]

    return parse_list(text, item)


def process(text):
    return number(
        text, 1, PID_MAX, f"'{text}' is not a process id from 1 to {PID_MAX}"
    )


def page_count(text):
    """The buffers must leave half of the available memory to others."""
    pages = number(text, 1, 1 << 60, f"'{text}' is not a power of two")
    if pages & (pages - 1):
        raise argparse.ArgumentTypeError(f"{pages} is not a power of two")
    most = PAGES_MAX
    while (
        most > 1
        and most * os.sysconf("SC_NPROCESSORS_ONLN") > available_pages() // 2
    ):
        most //= 2
    if pages > most:
        raise argparse.ArgumentTypeError(
            f"{pages} is more than there is room for: at most {most}"
        )
    return pages


def available_pages():
    try:
        with open("/proc/meminfo") as f:
            kib = next(
                int(line.split()[1])
                for line in f
                if line.startswith("MemAvailable:")
            )
    except (OSError, StopIteration):
        return os.sysconf("SC_AVPHYS_PAGES")
    return kib * 1024 // os.sysconf("SC_PAGE_SIZE")


def positive(kind):
    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(
                f"'{text}' is not a positive number"
            )
        return value

    return convert


def name(text):
    if not text:
        raise argparse.ArgumentTypeError("a name is needed")
    return text[:COMM_MAX]


def address(text):
    try:
        return int(text, 16)
    except ValueError:
        error = f"'{text}' is not an address as the column LOCK has it"
        raise argparse.ArgumentTypeError(error) from None


class Parser(argparse.ArgumentParser):
    def error(self, message):
        super().error(printable(message))


def parse_args(argv=None):
    parser = Parser(
        prog="rqspindeadlock",
        description="Trace failed acquisitions of resilient queued spin locks",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=EXAMPLES,
    )
    add = parser.add_argument
    add(
        "-j",
        "--json",
        action="store_true",
        help="print JSON, one object per line",
    )
    add(
        "-k",
        "--kind",
        type=kind_list,
        help="only these kinds: aa, abba, cycle, timeout, nested",
    )
    add(
        "-C",
        "--cpu",
        type=cpu_list,
        help="only failures on these CPUs, as in 0,2-3",
    )
    add("-p", "--pid", type=process, help="only failures in this process")
    add(
        "--prog",
        type=name,
        metavar="ID|NAME",
        help="only failures of this BPF program",
    )
    add(
        "--comm",
        type=name,
        metavar="NAME",
        help="only failures of tasks with this name",
    )
    add(
        "--lock",
        type=address,
        metavar="ADDR",
        help="only failures to acquire this lock",
    )
    add("--no-addr", action="store_true", help="show no kernel addresses")
    add(
        "-c",
        "--count",
        type=positive(int),
        help="stop after this many failures",
    )
    add(
        "-d",
        "--duration",
        type=positive(float),
        help="stop after this many seconds",
    )
    add("-s", "--stack", action="store_true", help="show kernel stacks")
    add(
        "--pages",
        type=page_count,
        default=64,
        help="pages of the buffer per CPU, a power of two",
    )
    add("--ebpf", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def filter_of(args, layout):
    """The filter as an expression in C."""

    def one_of(name, values):
        return (
            "(" + " || ".join(f"{name} == {value}" for value in values) + ")"
        )

    def one_of_ranges(name, ranges):
        """Unsigned arithmetic needs only one comparison for each range."""
        return (
            "("
            + " || ".join(f"{name} - {a}u <= {b - a}u" for a, b in ranges)
            + ")"
        )

    terms = []
    if args.kind:
        terms.append(one_of("kind", layout.values(args.kind)))
    if args.cpu:
        terms.append(one_of_ranges("cpu", args.cpu))
    if args.pid:
        terms.append(one_of("pid", [args.pid]))
    return " && ".join(terms) or "1"


def program_of(args, layout):
    defines = {
        "HOPS": HOPS,
        "HOP_SIZE": layout.hop_size,
        "N_OFFSET": layout.n,
        "HOP_OFFSET": layout.hop,
        "DEPTH": DEPTH,
        "FILTER": f"({filter_of(args, layout)})",
    }
    return (
        "".join(f"#define {name} {value}\n" for name, value in defines.items())
        + PROGRAM
    )


def clock_offsets():
    """How far clocks of a time namespace are ahead of the kernel's, in ns."""
    ns = "/proc/self/ns/"
    try:
        if os.readlink(ns + "time") != os.readlink(ns + "time_for_children"):
            return {}
        with open("/proc/self/timens_offsets") as f:
            fields = [line.split() for line in f]
    except OSError:
        return {}
    return {name: int(sec) * 10**9 + int(ns) for name, sec, ns in fields}


OFFSETS = clock_offsets()


def monotonic_ns():
    """The same clock as bpf_ktime_get_ns()."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) - OFFSETS.get(
        "monotonic", 0
    )


def wall_time(ts_ns):
    """CLOCK_MONOTONIC as wall time."""
    since = time.time() - monotonic_ns() / 1e9
    return datetime.datetime.fromtimestamp(since + ts_ns / 1e9, datetime.UTC)


# Functions between the failed acquisition and the tracing program.
TRACING = ("bpf_trace_run", "__bpf_trace_", "__traceiter_")
# An interrupt: code further out did not ask for the lock.
ENTRIES = ("asm_", "end_repeat_nmi", "handle_softirqs", "__do_softirq")
OFFSET_MAX = 1 << 16  # of a function: beyond it is some other code


ROOM = (
    8192  # functions of programs that are known before old ones are forgotten
)
RECENT = 1024  # programs that are kept although they are gone

PROGRAM_SYMBOL = re.compile("bpf_prog_[0-9a-f]{16}(_|$)")


def slept_ns():
    """How far CLOCK_BOOTTIME, the clock of load times, is ahead."""
    boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - OFFSETS.get(
        "boottime", 0
    )
    return boot - monotonic_ns()


class Programs:
    """Addresses of the code of BPF programs, also of unloaded ones."""

    # struct bpf_prog_info up to jited_func_lens
    INFO = struct.Struct("=II8sIIQQQIIQ16sIIQQIIQQ")

    def __init__(self, lib):
        self.lib = lib
        self.newest = 0
        self.missed = 0
        self.ranges = []
        self.room = ROOM

    def scan(self):
        """Add programs loaded since the last scan: ids only grow."""
        first, found = not self.newest, ctypes.c_uint32()
        next_id = self.lib.bpf_prog_get_next_id
        while not next_id(self.newest, ctypes.byref(found)):
            if not first:
                self.missed += found.value - self.newest - 1
            self.newest = found.value
            self.missed += not self.add(found.value)
        if len(self.ranges) > self.room:
            self.forget()

    def forget(self):
        """Drop programs that are long gone: their failures are shown."""
        kept = {
            nr: nr > self.newest - RECENT or self.is_there(nr)
            for nr in {prog["id"] for *_, prog in self.ranges}
        }
        self.ranges = [r for r in self.ranges if kept[r[-1]["id"]]]
        self.room = 2 * len(self.ranges) + ROOM

    def is_there(self, nr):
        fd = self.lib.bpf_prog_get_fd_by_id(nr)
        if fd >= 0:
            os.close(fd)
        return fd >= 0

    def add(self, nr):
        fd = self.lib.bpf_prog_get_fd_by_id(nr)
        if fd < 0:
            return False
        addrs, lens = (ctypes.c_uint64 * 256)(), (ctypes.c_uint32 * 256)()
        info = ctypes.create_string_buffer(
            self.INFO.pack(
                *(0, 0, b"", 0, 0, 0, 0, 0, 0, 0, 0, b"", 0, 0, 0, 0),
                *(256, 256, ctypes.addressof(addrs), ctypes.addressof(lens)),
            )
        )
        size = ctypes.c_uint32(self.INFO.size)
        get_info = self.lib.bpf_obj_get_info_by_fd
        err = get_info(fd, info, ctypes.byref(size))
        os.close(fd)
        if err:
            return False
        fields = self.INFO.unpack_from(info.raw)
        name = fields[11].rstrip(b"\0").decode(errors="replace")
        prog = {"id": nr, "name": name or None}
        born = fields[7] - slept_ns()
        for i in range(min(fields[16], fields[17], 256)):
            self.ranges.append((addrs[i], addrs[i] + lens[i], born, prog))
        return True

    def find(self, addr, when):
        """The newest program there at that time: memory is used again."""
        for begin, end, born, prog in reversed(self.ranges):
            if begin < addr <= end and born <= when:
                return prog
        return None


class Symbols:
    """The program, or the kernel function's name, at an address."""

    def __init__(self, programs, ksym):
        self.programs = programs
        self.ksym = ksym

    def function(self, addr):
        """None if unknown: BCC then names the next lower symbol."""
        symbol = self.ksym(addr)
        name, _, offset = symbol.partition("+")
        own = PROGRAM_SYMBOL.match(name) or name.startswith("[")
        if own or (offset and int(offset, 16) >= OFFSET_MAX):
            return None
        return symbol

    def frame(self, addr, when):
        prog = self.programs.find(addr, when)
        return prog or self.function(addr) or "?"


def kernel_stack(event, symbols):
    """Programs and functions, innermost first, without the tracing itself."""
    addrs = event.stack[: min(max(event.stack_len, 0) // 8, DEPTH)]
    frames = [symbols.frame(addr, event.ts_ns) for addr in addrs]
    last = -1
    for i, frame in enumerate(frames):
        if isinstance(frame, str) and frame.startswith(TRACING):
            last = i
        elif last >= 0:
            break
    return frames[last + 1 :] if last >= 0 else []


def calling_program(stack):
    """The innermost program that the failed acquisition was made for."""
    for frame in stack:
        if isinstance(frame, dict):
            return frame
        if frame == "?" or frame.startswith(ENTRIES):
            return None
    return None


def lock_of(addr, no_addr):
    """The lock: only its address is known here."""
    names = ("name", "map_id", "map", "map_type", "internal", "index", "key")
    return {
        **dict.fromkeys((*names, "path")),
        "addr": None if no_addr else f"0x{addr:x}",
    }


def member_of(hop, when, symbols, no_addr):
    cpu, tid, lock, ip = hop
    prog = symbols.programs.find(ip, when)
    function = None if prog or not ip else symbols.function(ip)
    return {
        "cpu": cpu,
        "tid": tid or None,
        "wants": lock_of(lock, no_addr),
        "prog": prog,
        "at": None,
        "function": function.partition("+")[0] if function else None,
    }


def owner_of(event, lock, chain):
    if event.owner < 0:
        return None
    return {
        "cpu": event.owner,
        **dict.fromkeys(("pid", "tid", "comm", "nr_held")),
        "held": [lock],
        "wants": chain[0]["wants"] if chain else None,
    }


def parties_of(kind, chain):
    return 1 if kind == "AA" else len(chain) + 1 if chain else None


def report_of(stack):
    """The stack, as in the JSON of 'rqspin trace --stacks'."""

    def text(frame):
        if isinstance(frame, str):
            return f" {frame}\n"
        return f" program {frame['id']} {frame['name'] or '?'}\n"

    return "Call trace:\n" + "".join(map(text, stack))


def describe(event, layout, symbols, args):
    """The failure, in the format of 'rqspin trace --json'."""
    kind = layout.kinds.get(event.kind, "UNKNOWN")
    lock = lock_of(event.lock, args.no_addr)
    stack = kernel_stack(event, symbols)
    hops = layout.chain(bytes(event.chain), event.hops)
    chain = [
        member_of(hop, event.ts_ns, symbols, args.no_addr) for hop in hops
    ]
    held = [lock] if kind == "AA" else [chain[-1]["wants"]] if chain else None
    when = wall_time(event.ts_ns).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "schema": SCHEMA,
        "type": "failure",
        "time": when,
        "ts_ns": event.ts_ns,
        "wait_ns": event.wait_ns,
        "kind": kind,
        "parties": parties_of(kind, chain),
        "err": event.ret,
        "errno": ERRNO.get(-event.ret),
        "cpu": event.cpu,
        "pid": event.pid,
        "tid": event.tid,
        "comm": event.comm.decode(errors="replace"),
        "prog": calling_program(stack),
        "map_id": None,
        "returned": None,
        "lock": lock,
        "held": held,
        "nr_held": None,
        "owner": owner_of(event, lock, chain),
        "chain": chain,
        "at": None,
        "source": "tracepoint",
        "joined": None,
        "sampled": False,
        "report": report_of(stack) if args.stack else None,
    }


def matches(f, addr, args):
    """Apply the filters that are not in the program: they need names."""
    prog = f["prog"] or {"id": None, "name": None}
    same_comm = args.comm in (None, f["comm"])
    same_prog = args.prog in (None, str(prog["id"]), prog["name"])
    return same_comm and same_prog and args.lock in (None, addr)


ROW = "%-15s %-8s %-4s %-7s %-16s %-5s %12s  %-18s %-16s %s"
HEADER = ROW % (
    "TIME",
    "KIND",
    "CPU",
    "PID",
    "COMM",
    "OWNER",
    "WAIT(us)",
    "LOCK",
    "PROG",
    "CYCLE",
)


def cycle_text(f):
    """cpu 0 wants the lock of cpu 1, which wants ..."""
    hops = [
        f"cpu {hop['cpu']} wants {lock_text(hop['wants'])}"
        for hop in f["chain"]
    ]
    return ", ".join([*hops, f"of cpu {f['cpu']}"]) if hops else "-"


def lock_text(lock):
    return lock["addr"] or "lock?"


def printable(text):
    """A task may put line ends and escape codes into its name."""
    return "".join(
        c
        if c.isprintable() and c != "\\"
        else c.encode("unicode_escape").decode()
        for c in text
    )


def text_lines(f):
    kind = f["kind"]
    if kind == "CYCLE":
        kind += f" {len(f['chain']) + 1}"
    wait = f"{f['wait_ns'] / 1000:.1f}"
    owner = f["owner"]["cpu"] if f["owner"] else "?"
    when = datetime.datetime.strptime(
        f["time"][:-1] + "+0000", "%Y-%m-%dT%H:%M:%S.%f%z"
    )
    prog = f["prog"]["name"] if f["prog"] else None
    yield (
        ROW
        % (
            when.astimezone().strftime("%H:%M:%S.%f"),
            kind,
            f["cpu"],
            f["pid"],
            printable(f["comm"]),
            owner,
            wait,
            lock_text(f["lock"]),
            printable(prog or "-"),
            cycle_text(f),
        )
    ).rstrip()
    for frame in (f["report"] or "").splitlines()[1:]:
        yield "   " + printable(frame)


def misses(fd):
    """Number of calls while the program already ran on the same CPU."""
    with open(f"/proc/self/fdinfo/{fd}") as f:
        for line in f:
            if line.startswith("recursion_misses:"):
                return int(line.split()[1])
    return 0


def keep_folder(name, alive):
    """Keep a folder until the other end of `alive` is closed."""
    try:
        os.setsid()  # signals to the tool's process group are not for this one
        with tempfile.TemporaryDirectory(prefix="rqspindeadlock-") as top:
            os.write(name, top.encode())
            os.close(name)
            os.read(alive, 1)
    finally:
        os._exit(0)


@contextlib.contextmanager
def folder():
    """A temporary folder; another process removes it in any case."""
    (name_in, name_out), (alive_in, alive_out) = os.pipe(), os.pipe()
    keeper = os.fork()
    if not keeper:
        os.close(name_in)
        os.close(alive_out)
        keep_folder(name_out, alive_in)
    os.close(name_out)
    os.close(alive_in)
    try:
        top = os.read(name_in, 4096).decode()
        if not top:
            raise Failed(
                "no room for temporary files: set TMPDIR to a folder for them"
            )
        yield top
    finally:
        os.close(name_in)
        os.close(alive_out)
        os.waitpid(keeper, 0)


@contextlib.contextmanager
def own_headers():
    """BCC compiles with these instead of the kernel's."""
    names = ("BCC_KERNEL_SOURCE", "BCC_KERNEL_MODULES_SUFFIX")
    before = {name: os.environ.get(name) for name in names}
    with folder() as top:
        for name, text in HEADERS.items():
            path = os.path.join(top, "include", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                f.write(text)
        os.environ.update(dict(zip(names, (top, "."), strict=True)))
        try:
            yield top
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def load(text):
    try:
        from bcc import BPF
    except ImportError as e:
        raise Unsupported("no BCC for Python: install python3-bpfcc") from e
    with own_headers():
        try:
            return BPF(text=text)
        except Exception as e:  # BCC has no other
            raise Failed(f"BCC cannot load the program: {e}") from e


def programs():
    """With the functions of libbpf, on which BCC is built."""
    from bcc import lib

    found = Programs(lib)
    try:
        found.scan()
    except AttributeError as e:
        raise Failed(f"this BCC cannot list programs: {e}") from e
    return found


class Tracer:
    def __init__(self, args, layout, out=sys.stdout):
        self.args = args
        self.layout = layout
        self.out = out
        self.shown = 0
        self.totals = collections.Counter()
        self.queue = collections.deque()
        self.bpf = load(program_of(args, layout))
        self.programs = programs()
        self.symbols = Symbols(self.programs, self.ksym)
        self.event_class = event_class(layout.hop_size)
        self.fd = self.bpf.funcs[b"raw_tracepoint__" + TRACEPOINT.encode()].fd
        try:
            self.bpf["events"].open_perf_buffer(
                self.on_event, page_cnt=args.pages, lost_cb=lambda count: None
            )
        except Exception as e:  # BCC has no other
            raise Failed(
                f"no buffer of {args.pages} pages per CPU (--pages): {e}"
            ) from e

    def done(self):
        return self.args.count and self.shown >= self.args.count

    def ksym(self, addr):
        name = self.bpf.ksym(addr, show_offset=True)
        return name.decode(errors="replace")

    def on_event(self, cpu, data, size):
        # Called from C, where an exception would be lost.
        size = ctypes.sizeof(self.event_class)
        self.queue.append(ctypes.string_at(data, size))

    def show(self, raw):
        event = self.event_class.from_buffer_copy(raw)
        f = describe(event, self.layout, self.symbols, self.args)
        if not matches(f, event.lock, self.args):
            return
        self.shown += 1
        prog = f["prog"] or {"id": None, "name": None}
        self.totals[prog["id"], prog["name"], f["kind"]] += 1
        self.say(json.dumps(f) if self.args.json else "\n".join(text_lines(f)))

    def say(self, text):
        print(text, file=self.out, flush=True)

    def lost(self):
        """Failures without room in the buffer, or on top of the program."""
        return sum(self.bpf["lost"][0]) + misses(self.fd)

    def seen(self):
        """Number of failures before all filters."""
        return sum(self.bpf["seen"][0]) + misses(self.fd)

    def poll(self, ms):
        self.bpf.perf_buffer_poll(timeout=ms)
        self.programs.scan()
        while self.queue and not self.done():
            self.show(self.queue.popleft())

    def follow(self, stop):
        end = (
            time.monotonic() + self.args.duration
            if self.args.duration
            else float("inf")
        )
        while not self.done() and not stop and time.monotonic() < end:
            self.poll(max(1, int(min(end - time.monotonic(), POLL) * 1000)))
        self.poll(0)

    def summary(self):
        lost = self.lost()
        if self.args.json:
            missed = self.programs.missed
            data = summary_of(self.seen(), lost, missed, self.totals)
            self.say(json.dumps(data))
        else:
            self.say(f"{self.shown} failed acquisitions, lost: {lost}")


def summary_of(seen, lost, missed, totals):
    """As in 'rqspin trace --json'; lost failures are of no known kind."""
    kinds = collections.Counter(dict.fromkeys((*KINDS, "UNKNOWN"), 0))
    rows = []
    for (prog_id, prog, kind), nr in totals.items():
        kinds[kind] += nr
        rows.append(total_row(prog_id, prog, kind, nr, 0))
    if lost:
        rows.append(total_row(None, None, None, lost, lost))
    return {
        "schema": SCHEMA,
        "type": "summary",
        "events": seen,
        "shown": sum(totals.values()),
        "repeats": 0,
        "kinds": kinds,
        "skipped": 0,
        "totals": rows,
        "lost": lost,
        "lost_unknown": False,
        "programs_missed": missed,
        "programs_unseen": 0,
        "sources": "tracepoint",
    }


def total_row(prog_id, prog, kind, failures, lost):
    return {
        "prog_id": prog_id,
        "prog": prog,
        "kind": kind,
        "failures": failures,
        "lost": lost,
    }


def run(args, stop):
    """stop: not empty once a signal has asked for the end."""
    layout = kernel_layout()
    if args.ebpf:
        print(program_of(args, layout))
        return 0
    if os.geteuid():
        raise Unsupported("not allowed to load BPF programs: run it as root")
    tracer = Tracer(args, layout)
    print(
        "Tracing failed acquisitions of resilient locks... Hit Ctrl-C to end.",
        file=sys.stderr if args.json else sys.stdout,
        flush=True,
    )
    if not args.json:
        tracer.say(HEADER)
    tracer.follow(stop)
    tracer.summary()
    return 0


def end_by_signal(stop):
    """Also by SIGHUP, unless nohup has set it to be ignored."""
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if sig != signal.SIGHUP or signal.getsignal(sig) != signal.SIG_IGN:
            signal.signal(sig, lambda sig, frame: stop.append(sig))


def output_failed(e):
    """The reader is gone, or writing fails: do not try again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if e.errno in (errno.EPIPE, errno.EIO):  # EIO: the terminal is gone
        return 0
    print(f"rqspindeadlock: {printable(str(e))}", file=sys.stderr)
    return EXIT_FAIL


def main(argv=None):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    args = parse_args(argv)
    stop = []
    end_by_signal(stop)
    try:
        return run(args, stop)
    except (Unsupported, Failed) as e:
        print(f"rqspindeadlock: {printable(str(e))}", file=sys.stderr)
        return EXIT_UNSUPPORTED if isinstance(e, Unsupported) else EXIT_FAIL
    except OSError as e:
        return output_failed(e)


if __name__ == "__main__":
    sys.exit(main())
