# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The published tables, as data frames, and which part of them is for calibration."""

from pathlib import Path

import pandas as pd

TABLES = Path(__file__).resolve().parents[1] / "published"

#: Sockets, cores of a socket, threads of a core: "Evaluation setup" of Dwivedi 2025.
MACHINES = {"x86_64": (2, 48, 2), "arm64": (2, 128, 1)}

#: Contended acquisitions per counted operation (fs/locks.c, fs/file.c of Linux 6.12).
ACQUISITIONS = {"lock1": 0.5, "lock2": 1.0, "open1": 2.0, "open2": 2.0}

#: Tables that calibrate the machine, at these numbers of threads, on one socket and on two.
MACHINE_TABLES = ("lock1", "open1")
MACHINE_THREADS = {
    "x86_64": (1, 4, 16, 32, 48, 64, 96, 144, 192),
    "arm64": (1, 4, 16, 64, 128, 144, 192, 256),
}

#: The other tables calibrate their own workload only, on one socket.
LOAD_THREADS = {"x86_64": (1, 4, 16, 48), "arm64": (1, 4, 16, 128)}


def read(name):
    """A table of published/, without its comments."""
    return pd.read_csv(TABLES / name, comment="#")


def will_it_scale():
    """QL of Dwivedi 2025: columns benchmark, arch, threads, rate, train."""
    t = read("rqspinlock-2025.csv")
    t = t[t.benchmark != "locktorture"].rename(columns={"ql": "rate"})
    t["train"] = [is_training(*key) for key in zip(t.benchmark, t.arch, t.threads, strict=True)]
    return t[["benchmark", "arch", "threads", "rate", "train"]].reset_index(drop=True)


def is_training(benchmark, arch, threads):
    part = MACHINE_THREADS if benchmark in MACHINE_TABLES else LOAD_THREADS
    return threads in part[arch]
