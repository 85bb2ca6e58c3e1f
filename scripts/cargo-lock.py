#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cargo-lock.py [--update]: write bindings/rust/Cargo.lock from Cargo.lock.in, which has version
and hash of each crate, but no registry: that is the one for which cargo has been set up.
--update lets cargo choose new versions, and writes Cargo.lock.in."""

import json
import pathlib
import re
import subprocess
import sys

CRATE = pathlib.Path(__file__).resolve().parent.parent / "bindings/rust"
LOCK = CRATE / "Cargo.lock"
KEPT = CRATE / "Cargo.lock.in"
PLACE = "@registry@"


def cargo(*args):
    res = subprocess.run(["cargo", *args], cwd=CRATE, capture_output=True, text=True, check=False)
    if res.returncode:
        sys.exit(f"cargo {args[0]}: {res.stderr.strip()}")
    return res.stdout


def registry():
    """As cargo names it; nothing is fetched."""
    meta = json.loads(cargo("metadata", "--no-deps", "--format-version", "1"))
    return next(d["source"] for p in meta["packages"] for d in p["dependencies"] if d["source"])


def main():
    if "--update" in sys.argv[1:]:
        cargo("update")
        KEPT.write_text(
            re.sub(r'^source = ".*"$', f'source = "{PLACE}"', LOCK.read_text(), flags=re.M)
        )
        return
    text = KEPT.read_text().replace(PLACE, registry())
    if not LOCK.exists() or LOCK.read_text() != text:
        LOCK.write_text(text)


if __name__ == "__main__":
    main()
