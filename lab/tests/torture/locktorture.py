#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Throughput of kernel locks by locktorture: a row of JSON for each type and number of writers.

As in Paolillo 2023: one CPU for each writer, round and round; no stutter, no shuffling; the first
reports are not counted. --long-hold 0, which is not the module's default, leaves out the occasional
hold of 100 ms: with few writers that is most of the time, and hides the lock.

Runs as root on the kernel that is measured. A type that the module does not have is left out, and
named on stderr."""

import argparse
import json
import os
import pathlib
import re
import select
import subprocess
import sys

STAT_S = 1
WRITES = re.compile(r"Writes:\s+Total: (\d+)\s+Max/Min: (\d+)/(\d+)")
# Far longer than a report can be late on a busy machine.
PATIENCE_S = 60


class TortureError(Exception):
    """It did not run, or found something: the text says what."""


class Log:
    """The kernel's log from now on."""

    def __init__(self):
        self.fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.fd, 0, os.SEEK_END)

    def close(self):
        os.close(self.fd)

    def line(self):
        """Seconds since the boot, and text."""
        if not select.select([self.fd], [], [], PATIENCE_S)[0]:
            raise TortureError(f"nothing from locktorture in {PATIENCE_S} s")
        try:
            head, _, text = os.read(self.fd, 8192).decode(errors="replace").partition(";")
        except BrokenPipeError:
            raise TortureError("the kernel's log ran over") from None
        return int(head.split(",")[2]) / 1e6, text.split("\n")[0]

    def until(self, pattern):
        while True:
            when, text = self.line()
            if match := pattern.search(text):
                return when, match


def writers():
    """The module's own threads: the kernel cuts their names."""
    for comm in pathlib.Path("/proc").glob("[0-9]*/comm"):
        try:
            if comm.read_text().startswith("lock_torture_wr"):
                yield int(comm.parent.name)
        except OSError:
            continue


def pin():
    cpus = sorted(os.sched_getaffinity(0))
    threads = sorted(writers())
    for i, pid in enumerate(threads):
        os.sched_setaffinity(pid, {cpus[i % len(cpus)]})
    return len(threads)


def modprobe(*args):
    done = subprocess.run(["modprobe", *args], capture_output=True, text=True, check=False)
    if done.returncode:
        raise TortureError(done.stderr.strip() or f"modprobe {' '.join(args)} fails")


def load(lock, count, args):
    modprobe(
        "locktorture", f"torture_type={lock}", f"nwriters_stress={count}", "nreaders_stress=0",
        f"stat_interval={STAT_S}", "stutter=0", "shuffle_interval=0", "rt_boost=0",
        f"long_hold={args.long_hold}", "verbose=0",
    )  # fmt: skip


def reports(log, args):
    """What was counted between the end of the warm-up and the end."""
    for _ in range(args.warm_up):
        begin, first = log.until(WRITES)
    for _ in range(args.seconds):
        end, last = log.until(WRITES)
    ops = int(last[1]) - int(first[1])
    # Of all time: the module does not say what each writer did in a part of it.
    most, least = int(last[2]), int(last[3])
    return {"per_second": ops / (end - begin), "most": most, "least": least}


def measure(lock, count, args):
    log = Log()
    try:
        load(lock, count, args)
        try:
            if pin() != count:
                raise TortureError(f"{lock}: {count} writers wanted")
            row = reports(log, args)
        finally:
            modprobe("-r", "locktorture")
        _, verdict = log.until(re.compile(r"End of test: (\w+)"))
    finally:
        log.close()
    if verdict[1] != "SUCCESS":
        raise TortureError(f"{lock}, {count} writers: End of test: {verdict[1]}")
    return {"lock": lock, "writers": count, **row}


def known():
    """The types that the module names in its text."""
    path = subprocess.run(
        ["modinfo", "-n", "locktorture"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if not path:
        raise TortureError("no module locktorture: CONFIG_LOCK_TORTURE_TEST=m")
    open_ = {".xz": "xzcat", ".zst": "zstdcat", ".gz": "zcat"}.get(pathlib.Path(path).suffix, "cat")
    text = subprocess.run([open_, path], capture_output=True, check=True).stdout
    return {word.decode() for word in re.findall(rb"\0(\w+_lock(?:_irq)?)(?=\0)", text)}


def words(text):
    return text.split(",")


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--types", type=words, default=["spin_lock", "raw_res_spin_lock"])
    ap.add_argument("--writers", type=numbers, default=[1, 2, 4])
    ap.add_argument("--seconds", type=int, default=5, help="counted (default 5)")
    ap.add_argument("--warm-up", type=int, default=2, help="seconds before that (default 2)")
    ap.add_argument("--long-hold", type=int, default=0, help="ms (default 0)")
    args = ap.parse_args()
    try:
        there = known()
        for lock in set(args.types) - there:
            print(f"locktorture has no type {lock} on this kernel", file=sys.stderr)
        rows = [
            measure(lock, n, args) for lock in args.types if lock in there for n in args.writers
        ]
    except (TortureError, OSError) as err:
        sys.exit(f"locktorture.py: {err}")
    print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
