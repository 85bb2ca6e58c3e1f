#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""BPF objects out of packages of this system, for `rqspin check`: foreign.py FOLDER.

Packages are downloaded and unpacked below the folder, never installed. Objects that are files of
their own, and those that programs carry in their data (skeletons), are written to FOLDER/objects.
Exit 3 with the reason if nothing can be had: no network, or no packages.
"""

import pathlib
import shutil
import struct
import subprocess
import sys

PACKAGES = (
    "bpftool",
    "golang-github-cilium-ebpf-dev",
    "libbpf-tools",
    "libxdp1",
    "libknot13",
    "linux-perf",
    "qemu-system-x86",
    "suricata",
    "systemd",
    "xdp-tests",
    "xdp-tools",
)
BPF = 247  # e_machine
HEAD = b"\x7fELF\x02\x01\x01"
FILE_MAX = 64 << 20


def no(reason):
    print(f"foreign.py: no objects: {reason}", file=sys.stderr)
    sys.exit(3)


def known(package):
    """Whether this system's lists have it."""
    res = subprocess.run(["apt-cache", "show", package], capture_output=True, text=True)
    return res.returncode == 0 and "\nFilename:" in "\n" + res.stdout


def download(folder):
    """The packages' files; those that were had before are used again."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        if any(folder.glob(f"{package}_*.deb")) or not known(package):
            continue
        cmd = ["apt-get", "download", "-q", package]
        res = subprocess.run(cmd, cwd=folder, capture_output=True, text=True)
        if res.returncode:
            print(f"foreign.py: {package}: {res.stderr.strip()}", file=sys.stderr)
    return sorted(folder.glob("*.deb"))


def unpack(deb, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run(["dpkg", "-x", deb, folder], check=True)


def elf_size(data, at):
    """Of the BPF object at that place: up to the end of its last section; 0: there is none."""
    head = data[at : at + 64]
    if len(head) < 64 or struct.unpack_from("<HH", head, 16) != (1, BPF):
        return 0
    (table,) = struct.unpack_from("<Q", head, 40)
    size, nr = struct.unpack_from("<HH", head, 58)
    end = table + size * nr
    if size != 64 or at + end > len(data):
        return 0
    for i in range(nr):
        kind, _, _, off, length = struct.unpack_from("<IQQQQ", data, at + table + i * size + 4)
        end = max(end, 0 if kind == 8 else off + length)
    return end if at + end <= len(data) else 0


def objects_in(data):
    at = data.find(HEAD)
    while at >= 0:
        size = elf_size(data, at)
        if size:
            yield data[at : at + size]
        at = data.find(HEAD, at + max(size, 1))


def extract(package, root, folder, seen):
    """How many were written; each once, whatever carries it."""
    nr = 0
    for file in sorted(p for p in root.rglob("*") if p.is_file() and not p.is_symlink()):
        if file.stat().st_size > FILE_MAX:
            print(f"foreign.py: {file}: too large, not looked into", file=sys.stderr)
            continue
        for i, data in enumerate(objects_in(file.read_bytes())):
            if data in seen:
                continue
            seen.add(data)
            nr += 1
            (folder / f"{package}-{file.name.removesuffix('.o')}-{i}.bpf.o").write_bytes(data)
    return nr


def main():
    folder = pathlib.Path(sys.argv[1])
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        no("this system has no apt-get and dpkg")
    debs = download(folder / "debs")
    if not debs:
        no("no package can be downloaded")
    objects = folder / "objects"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir()
    seen = set()
    for deb in debs:
        package = deb.name.split("_")[0]
        unpack(deb, folder / "root" / package)
        nr = extract(package, folder / "root" / package, objects, seen)
        print(f"{package}: {nr} objects")
        shutil.rmtree(folder / "root" / package)


if __name__ == "__main__":
    main()
