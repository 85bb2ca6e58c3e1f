#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How many failures `rqspin` takes without loss, and what that costs.

Here and in guests: a program fails on CPU 0. Printed are the largest burst without loss (the tracer
gets no CPU meanwhile), the highest rate that `trace` and `stat` hold without loss, and memory and
CPU time of the tracer at several rates. A rate that the machine cannot produce is shown as what it
could. Table as text, as Markdown for docs/events.md, or as JSON."""

import argparse
import contextlib
import ctypes
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

from overhead import pinned
from stats import TOP, guest

BUILD = TOP / os.environ.get("O", "build")
SYS_BPF = {"x86_64": 321}.get(os.uname().machine, 280)
PROG_TEST_RUN, OBJ_GET = 10, 7
SECONDS = 4
TICK = 0.01
RATES = (2000, 5000, 10000, 20000, 50000, 100000)
COSTS = (0, 1000, 100000)
BURST = 40000
EVENTS = 2 * 16384  # for rates, at least: twice what a CPU's buffer holds
# word for the kernel -> object, program, --source. The fallback lock fails fast on any kernel.
RING = ("selftests/tool/rings/ring.bpf.o", "one_lock", "ring")
PLAIN = ("selftests/kernel/progs/plain_deadlock.bpf.o", "plain_aa", "auto")
GUESTS = {"debian-7": (PLAIN, RING), "6.12-rqspin": (PLAIN,)}
LIBC = ctypes.CDLL(None, use_errno=True)


def bpf(command, attr):
    attr = ctypes.create_string_buffer(attr)
    got = LIBC.syscall(SYS_BPF, command, attr, len(attr) - 1)
    if got < 0:
        sys.exit(f"bursts: bpf({command}): {os.strerror(ctypes.get_errno())}")
    return got


class Program:
    """A pinned program that fails each time it runs."""

    def __init__(self, path):
        name = ctypes.create_string_buffer(os.fsencode(path))
        self.fd = bpf(OBJ_GET, struct.pack("QQ", ctypes.addressof(name), 0))
        self.packet = ctypes.create_string_buffer(64)

    def close(self):
        """Else it stays loaded, and the next tracer may not see its failures."""
        os.close(self.fd)

    def fail(self, times):
        data = ctypes.addressof(self.packet)
        bpf(PROG_TEST_RUN, struct.pack("4I2Q2I", self.fd, 0, 64, 0, data, 0, times, 0) + bytes(32))

    def fail_for(self, seconds, rate):
        """Evenly, as far as this CPU can. Returns how many times."""
        start, done = time.monotonic(), 0
        while (now := time.monotonic() - start) < seconds:
            due = int(rate * now) - done
            if due:
                self.fail(min(due, max(1, int(rate * TICK))))
                done += min(due, max(1, int(rate * TICK)))
            else:
                time.sleep(TICK / 2)
        return done


@contextlib.contextmanager
def tracer(verb, source, *options):
    """A running rqspin, ready; its last line is in the file afterwards."""
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp) / "out"
        cmd = [BUILD / "rqspin", verb, "--json", "--source", source, *options]
        with open(out, "w") as f:
            proc = subprocess.Popen(cmd, stdout=f, stderr=subprocess.PIPE, text=True)
        word = "counting" if verb == "stat" else "tracing"
        if not any(word in line for line in proc.stderr):
            sys.exit(f"bursts: rqspin {verb} ended with {proc.wait()}")
        result = {}
        try:
            yield proc, result
        finally:
            proc.send_signal(signal.SIGINT)
            talk = proc.communicate(timeout=300)[1]
        if proc.returncode or not out.stat().st_size:
            sys.exit(f"bursts: rqspin {verb}: status {proc.returncode}: {talk}")
        result.update(json.loads(last_line(out)))


def last_line(path):
    with open(path, "rb") as f:
        f.seek(max(0, os.path.getsize(path) - 262144))
        return f.read().splitlines()[-1]


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def field(path, name):
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


def memory_mib(pid):
    """What is resident, and what the kernel keeps for its maps; mapped parts of them count once."""
    fds = pathlib.Path(f"/proc/{pid}/fdinfo")
    maps = {field(fd, "map_id"): field(fd, "memlock") for fd in fds.iterdir()}
    maps.pop(0, None)
    anon = field(f"/proc/{pid}/status", "RssAnon") + field(f"/proc/{pid}/status", "RssFile")
    return round(anon / 1024 + sum(maps.values()) / 2**20, 1)


def largest_burst(prog, source):
    with tracer("trace", source) as (proc, result):
        proc.send_signal(signal.SIGSTOP)
        prog.fail(BURST)
        proc.send_signal(signal.SIGCONT)
    assert result["events"] + result["lost"] == BURST, result
    return result["events"]


def sustained(prog, verb, source):
    """The highest rate without loss, and whether it was the highest that could be made."""
    best = 0
    for rate in RATES:
        seconds = max(SECONDS, EVENTS / rate)
        with tracer(verb, source) as (_proc, result):
            done = prog.fail_for(seconds, rate)
        if result["lost"] or result["lost_unknown"]:
            return best, False
        best = max(best, round(done / seconds))
        if done < 0.9 * rate * seconds:
            break
    return best, True


def cost(prog, source, rate):
    with tracer("trace", source) as (proc, result):
        before = cpu_seconds(proc.pid)
        done = prog.fail_for(SECONDS, rate)
        used = cpu_seconds(proc.pid) - before
        memory = memory_mib(proc.pid)
    return {"rate": round(done / SECONDS), "cpu": used / SECONDS, "mib": memory}


def measure(load, where):
    obj, name, source = load
    os.sched_setaffinity(0, {0})
    with pinned(BUILD / obj) as folder:
        prog = Program(folder / name)
        row = {**where, "source": source, "program": name}
        row["burst"] = largest_burst(prog, source)
        for verb in ("trace", "stat"):
            row[verb], row[f"{verb}_is_limit_of_load"] = sustained(prog, verb, source)
        row["costs"] = [cost(prog, source, rate) for rate in COSTS]
        prog.close()
    return row


def here(loads, where):
    return [measure(load, where) for load in loads]


def in_guest(kernel, args):
    cmd = f"{sys.executable} selftests/kernel/bench/bursts.py --here {kernel}"
    text = guest(kernel, cmd, cpus=args.cpus, limit=args.timeout)
    # run.sh has tried it; the device alone says little.
    kvm = TOP / "build/vm/kvm"
    works = kvm.exists() and kvm.read_text().split()[-1:] == ["yes"]
    kind = "guest with KVM" if works else "emulated guest"
    return [{**row, "kind": kind} for row in json.loads(text.splitlines()[-1])]


def cells(row):
    def rate(verb):
        return ("at least " if row[f"{verb}_is_limit_of_load"] else "") + str(row[verb])

    costs = [f"{c['cpu']:.0%}, {c['mib']:.0f} MiB" for c in row["costs"]]
    if row["costs"][2]["rate"] < 0.9 * COSTS[2]:
        costs[2] += f" (at {row['costs'][2]['rate']}/s)"
    machine = f"{row['kernel']}, {row['kind']}, {row['cpus']} CPUs"
    return [machine, row["source"], str(row["burst"]), rate("trace"), rate("stat"), *costs]


HEADS = ["machine", "source", "burst", "`trace`, /s", "`stat`, /s", "cost at 0/s"]
HEADS += ["at 1000/s", "at 100 000/s"]


def show(rows, markdown):
    lines = [HEADS, *map(cells, rows)]
    if markdown:
        lines.insert(1, ["---"] * len(HEADS))
        for line in lines:
            print("| " + " | ".join(line) + " |")
        return
    wide = [max(len(line[i]) for line in lines) for i in range(len(HEADS))]
    for line in lines:
        print("  ".join(c.ljust(w) for c, w in zip(line, wide, strict=True)).rstrip())


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--kernels", nargs="+", default=["running", *GUESTS])
    ap.add_argument("--cpus", type=int, default=4, help="of a guest")
    ap.add_argument("--timeout", type=int, default=600)
    ap.add_argument("--here", metavar="NAME", help=argparse.SUPPRESS)
    form = ap.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true")
    form.add_argument("--markdown", action="store_true")
    args = ap.parse_args()
    if args.here:
        where = {"kernel": args.here, "cpus": os.cpu_count()}
        print(json.dumps(here(GUESTS.get(args.here, (PLAIN,)), where)))
        return
    rows = []
    for kernel in args.kernels:
        if kernel == "running":
            where = {
                "kernel": os.uname().release.split("-")[0],
                "kind": "native",
                "cpus": os.cpu_count(),
            }
            rows += here([RING], where)
        else:
            rows += in_guest(kernel, args)
    if args.json:
        print(json.dumps({"schema": "rqspin-bursts/1", "rows": rows}))
    else:
        show(rows, args.markdown)


if __name__ == "__main__":
    main()
