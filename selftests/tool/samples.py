# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Drive every sample with plain bpftool and compare with bpf/progs/expected.tsv."""

import csv
import ctypes
import errno
import functools
import json
import mmap
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGS = Path(os.environ.get("RQSPIN_PROGS_DIR", "build/bpf/progs"))
TABLE = Path("bpf/progs/expected.tsv")
PINS = Path(f"/sys/fs/bpf/rqspin-samples-{os.getpid()}")
BPFTOOL = os.environ.get("BPFTOOL", "bpftool")
LIMIT = 120  # seconds for one command
ALONE = 1
ATTEMPTS = 5  # until the roles of a sample meet on a busy machine
SETTLE = 10  # seconds for the last run of a program that was taken off
# struct sample_stats of bpf/progs/sample.h
COUNTERS = ("ok", "EDEADLK", "ETIMEDOUT", "other")
CPUS_MAX, BUCKETS = 256, 64 * 16
STATS = struct.Struct(f"={len(COUNTERS)}Q{2 * BUCKETS}I")
LIBBPF = ctypes.CDLL("libbpf.so.1")


class Skip(Exception):
    pass


class Fail(Exception):
    pass


def rows():
    with TABLE.open() as f:
        lines = [line for line in f if not line.startswith("# ")]
    lines[0] = lines[0].lstrip("#")
    return list(csv.DictReader(lines, delimiter="\t"))


def bpftool(*args, check=True):
    p = subprocess.run([BPFTOOL, *map(str, args)], capture_output=True, text=True, timeout=LIMIT)
    if check and p.returncode:
        raise Fail(f"bpftool {' '.join(map(str, args))}: {p.stderr.strip()[-2000:]}")
    return p


def bpftool_json(*args):
    return json.loads(bpftool("-j", *args).stdout)


def cpus():
    return sorted(os.sched_getaffinity(0))


@functools.cache
def kernel_has(function):
    with open("/proc/kallsyms") as symbols:
        return any(line.split()[2] == function for line in symbols)


def check_needs(row):
    if not kernel_has("bpf_res_spin_lock") and row["sample"] != "fallback":
        raise Skip("this kernel has no bpf_res_spin_lock kfunc: 6.15 or later has")
    if len(cpus()) < int(row["cpus"]):
        raise Skip(f"needs {row['cpus']} CPUs, this machine has {len(cpus())}")
    if row["needs"] == "lsm":
        lsm = Path("/sys/kernel/security/lsm")
        if not lsm.exists() and Path("/sys/kernel/security").is_dir():
            subprocess.run(["mount", "-t", "securityfs", "none", lsm.parent], capture_output=True)
        if not lsm.exists() or "bpf" not in lsm.read_text().split(","):
            raise Skip("BPF LSM is not active: boot with bpf in the lsm= list")
    if row["needs"] == "unlock_ooo" and not kernel_has("bpf_res_spin_unlock_ooo"):
        raise Skip("needs bpf_res_spin_unlock_ooo: Linux 6.12 with kernel-patches/ has it")
    if row["needs"] == "sched_ext" and not Path("/sys/kernel/sched_ext").is_dir():
        raise Skip("this kernel has no sched_ext (CONFIG_SCHED_CLASS_EXT)")


def load(row, pins):
    obj = PROGS / f"{row['sample']}.bpf.o"
    if row["needs"] == "sched_ext":
        p = bpftool("struct_ops", "register", obj, pins, check=False)
    else:
        attach = [] if row["attach"] == "-" else ["autoattach"]
        p = bpftool("prog", "loadall", obj, pins, *attach, check=False)
    if p.returncode and row["needs"] in ("trampoline", "lsm"):
        # Lockdown and missing function tracing answer so; anything else is a defect.
        for code in (errno.EPERM, 524):
            if f"load failed: {os.strerror(code)}" in p.stderr or f"({-code})" in p.stderr:
                raise Skip(
                    "this kernel refuses programs at kernel functions (lockdown or no ftrace)"
                )
    return p


def map_ids(pins, row):
    ids = set()
    names = [row["attach"]] if row["needs"] == "sched_ext" else []
    for pin in [] if names else pins.iterdir():
        p = bpftool("-j", "prog", "show", "pinned", pin, check=False)
        if p.returncode:
            # The answer is right, the exit status of bpftool 7.5 is not.
            link = bpftool("-j", "link", "show", "pinned", pin, check=False)
            p = bpftool("-j", "prog", "show", "id", json.loads(link.stdout)["prog_id"])
        ids.update(json.loads(p.stdout).get("map_ids", []))
    for name in names:
        ids.update(bpftool_json("prog", "show", "name", name)["map_ids"])
    return ids


def map_memory(map_id, size):
    """By libbpf and mmap(): as JSON from bpftool the 2 MiB take a guest half a minute."""
    fd = LIBBPF.bpf_map_get_fd_by_id(map_id)
    if fd < 0:
        raise Fail(f"map {map_id} cannot be opened: {os.strerror(-fd)}")
    try:
        return mmap.mmap(fd, size, mmap.MAP_SHARED, mmap.PROT_READ)
    finally:
        os.close(fd)


def stats_memory(pins, row):
    """The counters, which outlive their programs as long as they are mapped."""
    maps = []
    for i in map_ids(pins, row):
        info = bpftool_json("map", "show", "id", i)
        if info.get("name") != ".bss.sample":
            continue
        if info["bytes_value"] != STATS.size * CPUS_MAX:
            raise Fail(f"the counters have {info['bytes_value']} bytes, not those of sample.h")
        maps.append(map_memory(i, info["bytes_value"]))
    return maps


def sum_up(maps):
    """Totals, and what does not fit between counters and histograms."""
    total, wrong = dict.fromkeys(COUNTERS, 0), None
    for memory in maps:
        for values in STATS.iter_unpack(memory[:]):
            now = dict(zip(COUNTERS, values, strict=False))
            failed = sum(now.values()) - now["ok"]
            hist_ok, hist_fail = values[4 : 4 + BUCKETS], values[4 + BUCKETS :]
            if (sum(hist_ok), sum(hist_fail)) != (now["ok"], failed):
                wrong = f"the histograms hold {sum(hist_ok)} and {sum(hist_fail)}: {now}"
            total = {name: total[name] + now[name] for name in COUNTERS}
    return total, wrong


def counts(pins, row):
    maps = stats_memory(pins, row)
    deadline = time.monotonic()
    if not roles(row):
        # The kernel runs it, now too: it is taken off, and then may be in its last run.
        shutil.rmtree(pins)
        deadline += SETTLE
    while True:
        total, wrong = sum_up(maps)
        if not wrong:
            return total
        if time.monotonic() >= deadline:
            raise Fail(wrong)


def roles(row):
    if row["roles"].endswith("*"):
        # bpftool has no context for a syscall program on several CPUs at once.
        suffix = "_packet" if row["type"].startswith("syscall") else ""
        return [row["roles"][:-1] + suffix] * len(cpus())
    return [] if row["roles"] == "-" else row["roles"].split(",")


def arguments(row, role, nr, repeat, tmp):
    kind = row["type"].split(",")[0]
    if kind == "struct_ops":
        data, args = bytes(8), ["ctx_in"]
    elif kind == "syscall" and not row["roles"].endswith("*"):
        return ["repeat", "0"]
    else:
        data, args = struct.pack("=II8x", role, nr), ["data_in"]
    path = Path(tmp) / f"input{role}"
    path.write_bytes(data)
    return [*args, path, *(["repeat", str(repeat)] if args[0] == "data_in" else [])]


def start(pins, row, role, name, cpu, repeat, tmp):
    args = arguments(row, role, len(roles(row)), repeat, tmp)
    cmd = ["taskset", "-c", cpu, BPFTOOL, "-j", "prog", "run", "pinned", pins / name, *args]
    return subprocess.Popen(list(map(str, cmd)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process):
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Fail("the run did not end") from None
    if process.returncode:
        raise Fail(f"run: {err.decode().strip()}")
    value = json.loads(out)["retval"]
    return value - (1 << 32) if value >= 1 << 31 else value


def run_roles(pins, row, tmp):
    repeat, together = int(row["rounds"]), int(row["cpus"]) > 1
    names, returned = roles(row), []
    if together:
        started = [
            start(pins, row, i, n, c, repeat, tmp)
            for i, (n, c) in enumerate(zip(names, cpus(), strict=False))
        ]
        returned = [finish(p) for p in started]
    else:
        for i, n in enumerate(names):
            returned.append(finish(start(pins, row, i, n, cpus()[0], repeat, tmp)))
    allowed = {int(v) for v in row["returns"].split() if v != "-"}
    allowed |= {ALONE} if together else set()
    if not set(returned) <= allowed:
        raise Fail(f"returned {returned}, expected one of {sorted(allowed)}")


def rounds_met(row, total):
    """Every role counts once in a round in which all came, else none does."""
    nr = len(roles(row))
    if not nr:
        return 1
    done, rest = divmod(sum(total.values()), nr)
    most = int(row["rounds"])
    if rest or done > most or (done < most and int(row["cpus"]) == 1):
        raise Fail(f"{total} is not {most} rounds of {nr}")
    return done


def emulated():
    return "QEMU" in Path("/proc/cpuinfo").read_text()


def forgive_stalls(row, total, rounds):
    """When an emulator does not run a CPU for 250 ms, its waiters time out whatever is tested."""
    stalled = total["ETIMEDOUT"]
    if not emulated() or int(row["cpus"]) == 1:
        return total
    if not stalled or "ETIMEDOUT" in row["expected"] or stalled > max(1, rounds // 2):
        return total
    meant = re.match("[A-Za-z]+", row["expected"])[0]
    print(f"# {row['sample']}: {stalled} timeouts by stalled CPUs taken for {meant}")
    return total | {"ETIMEDOUT": 0, meant: total[meant] + stalled}


def check_outcome(row, total, rounds):
    total = forgive_stalls(row, total, rounds)
    named = {"ok"}
    for term in row["expected"].split():
        names, op, number = re.fullmatch(r"([A-Za-z+]+)(>?=)(\d+)", term).groups()
        named.update(names.split("+"))
        got, want = sum(total[n] for n in names.split("+")), int(number) * rounds
        if got != want if op == "=" else got < want:
            raise Fail(f"{rounds} rounds: expected {names}{op}{want}, got {total}")
    for name in set(COUNTERS) - named:
        if total[name]:
            raise Fail(f"{rounds} rounds: expected no {name}, got {total}")


def trigger():
    """Something that opens a file and makes tasks run, for the programs in hooks."""
    subprocess.run(["cat", "/proc/self/stat"], stdout=subprocess.DEVNULL, check=True)


def run_loaded(row, pins, tmp):
    rounds = 0
    for _ in range(ATTEMPTS):
        run_roles(pins, row, tmp)
        if not roles(row):
            trigger()
        if row["expected"] == "no counts":
            return
        total = counts(pins, row)
        rounds = sum(total.values()) // max(len(roles(row)), 1)
        if rounds or not roles(row):
            break
    if not rounds:
        raise Fail("the roles never met: " + str(total))
    rounds = rounds_met(row, total)
    check_outcome(row, total, rounds)
    print(f"# {row['sample']}: {rounds} rounds, {total}")


def run_sample(row, tmp):
    pins = PINS / row["sample"]
    check_needs(row)
    p = load(row, pins)
    if row["expected"].startswith("refused: "):
        message = row["expected"].removeprefix("refused: ")
        if not p.returncode or message not in p.stderr:
            raise Fail(f"expected refusal with '{message}', got: {p.stderr[-1000:]}")
        return
    if p.returncode:
        raise Fail(f"not loaded: {p.stderr.strip()[-3000:]}")
    run_loaded(row, pins, tmp)


def check_complete(table):
    """Every object is in the table and the other way round."""
    sources = {p.name.removesuffix(".bpf.c") for p in Path("bpf/progs").glob("*.bpf.c")}
    listed = {r["sample"] for r in table}
    if sources != listed:
        raise Fail(f"not in both {TABLE} and bpf/progs: {sorted(sources ^ listed)}")
    for name in sorted(sources):
        lines = Path(f"bpf/progs/{name}.bpf.c").read_text().count("\n")
        if lines > 80:
            raise Fail(f"{name}.bpf.c has {lines} lines; a sample has at most 80")
    p = subprocess.run(["scripts/samples-table.py", "--check"], capture_output=True, text=True)
    if p.returncode:
        raise Fail(p.stderr.strip())


def report(number, name, test, results):
    try:
        test()
    except Skip as skip:
        results["skipped"] += 1
        print(f"ok {number} {name} # SKIP {skip}")
    except (Fail, subprocess.TimeoutExpired) as fail:
        results["failed"] += 1
        print(f"not ok {number} {name}")
        print("\n".join(f"# {line}" for line in str(fail).splitlines()))
    else:
        results["passed"] += 1
        print(f"ok {number} {name}")
    sys.stdout.flush()


def main():
    wanted = sys.argv[1:]
    table = rows()
    chosen = [r for r in table if not wanted or r["sample"] in wanted]
    results = dict.fromkeys(("passed", "failed", "skipped"), 0)
    print(f"1..{len(chosen) + 1}")
    report(1, "table", lambda: check_complete(table), results)
    PINS.mkdir()
    with tempfile.TemporaryDirectory() as tmp:
        try:
            for i, row in enumerate(chosen, 2):
                report(i, row["sample"], lambda row=row: run_sample(row, tmp), results)
                shutil.rmtree(PINS / row["sample"], ignore_errors=True)
        finally:
            shutil.rmtree(PINS, ignore_errors=True)
    print(", ".join(f"{results[k]} {k}" for k in results))
    return results["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
