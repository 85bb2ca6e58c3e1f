#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Map operations nested in operations on the same map: the unpatched 6.12, the patched one, a 7.x.

Every case runs in a guest: what hangs on the unpatched kernel takes its guest along, and the
cases after it get a new one. A case hangs when its programs do not come back within 20 s after they
should have, or the guest no longer answers. TAP: each kernel does what docs/map-errors.md says, so
the patched one does what 7.x does."""

import argparse
import json
import queue
import subprocess
import sys
import threading

from stats import TOP, Tap

# case -> what it comes to on the unpatched kernel, and on those with resilient locks. On the
# patched one an error counts only if a lock has failed meanwhile: a full map returns -E2BIG as
# well. On the unpatched one it depends on luck whether a nested insertion wants the very free list
# that is held.
CASES = {
    "hash-same-bucket": ("-EBUSY", "-EDEADLK"),
    "hash-other-bucket": ("-EBUSY", "ok"),
    "hash-two-maps": ("hang", "-EDEADLK"),
    "lru-list": ("hang", "-ENOMEM"),
    "lpm-trie": ("hang", "-EDEADLK"),
    "queue": ("hang", "-EBUSY"),
    "stack": ("hang", "-EBUSY"),
    "ringbuf-output": ("hang", "-EAGAIN"),
    "ringbuf-reserve": ("hang", "NULL"),
    "free-list": ("hang or -EBUSY or -E2BIG", "-E2BIG"),
}
SILENCE = 90  # seconds in which a guest that began a case must say something


def read_lines(pipe, lines):
    for line in pipe:
        lines.put(line)
    lines.put(None)


def next_line(lines, started):
    """None when the guest has ended, "" when it is silent."""
    try:
        return lines.get(timeout=SILENCE if started else None)
    except queue.Empty:
        return ""


def one_guest(kernel, cases, args):
    """Outcomes of the cases up to the first that hangs, in one guest."""
    cmd = [TOP / "selftests/vm/run.sh", "--kernel", kernel, "--cpu", "queue"]
    cmd += ["--timeout", str(args.timeout), "--", "build/selftests/kernel/bench/nested", *cases]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=sys.stderr, text=True, cwd=TOP)
    lines, started, out = queue.Queue(), None, {}
    threading.Thread(target=read_lines, args=(proc.stdout, lines), daemon=True).start()
    while line := next_line(lines, started):
        r = json.loads(line)
        started = r.get("start")
        if not started:
            out[r["case"]] = r
            if r["outcome"] == "hang":
                break
    if started:
        out[started] = {"case": started, "outcome": "hang" if line == "" else "guest died"}
    proc.terminate()
    proc.wait()
    return out


def outcomes(kernel, args):
    out = {}
    while left := [c for c in args.cases if c not in out]:
        found = one_guest(kernel, left, args)
        if not found:
            sys.exit(f"nested: no guest of {kernel}")
        for r in found.values():
            print(f"# {kernel}: {json.dumps(r)}", flush=True)
        out |= found
    return out


def show(found, cases):
    print(f"# {'case':18} {' '.join(f'{kernel:18}' for kernel in found)}")
    for case in cases:
        results = [r[case]["outcome"] for r in found.values()]
        print(f"# {case:18} {' '.join(f'{result:18}' for result in results)}")


def check(tap, found, args):
    for case in args.cases:
        plain, resilient = CASES[case]
        a = found[args.base][case]["outcome"]
        tap.check(a in plain.split(" or "), f"{case}: {a} on {args.base}")
        for kernel in (args.ours, args.later):
            r = found[kernel][case]
            good = r["outcome"] == resilient and r["usable"]
            tap.check(good, f"{case}: {r['outcome']} on {kernel}, and the map is as good as ever")


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--base", default="6.12-rqspin-base")
    ap.add_argument("--ours", default="6.12-rqspin-lean")
    ap.add_argument("--later", default="debian-7.3")
    ap.add_argument("--timeout", type=int, default=500, help="seconds for one guest")
    ap.add_argument("--json", metavar="FILE")
    ap.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    args = ap.parse_args()
    args.cases = args.cases or list(CASES)
    if unknown := set(args.cases) - set(CASES):
        ap.error(f"no such case: {', '.join(unknown)}")
    found = {k: outcomes(k, args) for k in (args.ours, args.later, args.base)}
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"schema": "rqspin-nested/1", **found}, f, indent=1)
    tap = Tap()
    show(found, args.cases)
    check(tap, found, args)
    return tap.close()


if __name__ == "__main__":
    sys.exit(main())
