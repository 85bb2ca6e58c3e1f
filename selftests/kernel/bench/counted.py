#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs a command in a guest that counts instructions, and prints what it prints.

The guest has one virtual CPU, whose clock goes on by one nanosecond with each instruction: a time
is a number of instructions, and what else runs on the machine does not change it."""

import argparse

from stats import counting, guest


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--timeout", type=int, default=900, help="seconds for the guest")
    ap.add_argument("kernel", help="a folder of build/kernels")
    ap.add_argument("command", help="for the guest's shell")
    args = ap.parse_args()
    with counting() as env:
        print(guest(args.kernel, args.command, "queue", 1, args.timeout, env), end="")


if __name__ == "__main__":
    main()
