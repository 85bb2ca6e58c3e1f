# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A reader who types the commands of a block, in order, in one folder."""

import os
import re
import shlex
import shutil
import socket
import subprocess

from commands import entry_of, plausible, rule_for, verify
from conftest import LIMIT, TOP, cpus, no_held_table, no_locks
from docpages import commands, pattern
from terminal import Terminal

HOURS = 8 * 3600
# What later commands of a block make use of.
STATE = re.compile(r"(?:alias )?[\w-]+=(?:'[^']*'|\"[^\"]*\"|\S*)")


def is_taken(port):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("", port))
        except OSError:
            return True
    return False


class Typist:
    def __init__(self, block, scratch, env, long):
        self.block, self.entry, self.long = block, entry_of(block), long
        self.scratch, self.env = scratch, {**env, "SCRATCH": str(scratch)}
        self.folder = TOP if self.entry.get("place") == "tree" else scratch
        self.state, self.skipped = ["shopt -s expand_aliases"], []
        self.limit = HOURS if long else LIMIT

    def all(self):
        before = ["before", "before_long"] if self.long else ["before"]
        if self.lacks("nothing was typed", self.entry):
            return
        for script in before:
            self.shell(self.entry.get(script, ""), self.scratch)
        self.folder = self.folder / self.entry.get("cd", "")
        if "guest" in self.entry and self.long:
            self.in_guest()
        else:
            for command, output in commands(self.block):
                self.one(command, output)

    def one(self, command, output):
        rule = rule_for(self.entry, command)
        verify(rule, command)
        command = self.changed(command, rule)
        if STATE.fullmatch(command):
            self.state.append(command)
            return
        if self.left_out(rule):
            if self.folder == TOP or "guest" in self.entry:
                plausible(command)
            command, output = rule.get("instead"), None
        if command and not self.lacks(command, rule):
            self.type(command, output, rule)

    def left_out(self, rule):
        """Here and now: it is for others, or for --long."""
        if "long" in rule or "guest" in self.entry:
            return not self.long
        return "by" in rule

    def changed(self, command, rule):
        changes = {**self.entry.get("change", {}), **rule.get("change", {})}
        changes |= {} if self.long else rule.get("everyday", {})
        for old, new in changes.items():
            command = command.replace(old, new)
        return command

    def lacks(self, what, rule):
        """Why it cannot be done here, if so: that is remembered."""
        why = next(filter(None, map(self.lack, rule.get("needs", []))), None)
        if why:
            self.skipped.append(f"{what}: needs {why}")
        return why

    def lack(self, need):
        kind, _, rest = need.partition(" ")
        if kind == "locks":
            return f"the lock kfuncs: {no_locks()}" if no_locks() else None
        if kind == "held":
            return f"the table of held locks: {no_held_table()}" if no_held_table() else None
        if kind == "port":
            return f"port {rest}, and somebody has it" if is_taken(int(rest)) else None
        if kind == "try":
            cmd = ["bash", "-c", rest]
            res = subprocess.run(
                cmd,
                cwd=self.folder,
                env=self.env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.limit,
            )
            there = res.returncode == 0
        elif kind == "cpus":
            there = cpus() >= int(rest)
        elif kind == "root":
            there = os.geteuid() == 0
        else:
            there = (TOP / need).exists() if "/" in need else shutil.which(need)
        return None if there else need

    def shell(self, script, folder):
        """What is no command of the document."""
        if not script:
            return
        cmd = ["bash", "-e", "-c", self.mounted(script)]
        res = subprocess.run(
            cmd,
            cwd=folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=self.limit,
        )
        assert res.returncode == 0, f"{self.block}: {script}\n{res.stdout}{res.stderr}"

    def mounted(self, script):
        """Some folders of the system are the block's own."""
        mounts = ""
        for where in self.entry.get("own", []):
            mine = self.scratch / "root" / where.lstrip("/")
            if not mine.exists() and where.startswith("/"):
                mine.mkdir(parents=True)
            elif not mine.exists():
                shutil.copytree(TOP / where, mine)
            mounts += f"mount --bind {mine} {TOP / where} || exit\n"
        return f"exec unshare -m bash -c {shlex.quote(mounts + script)}" if mounts else script

    def type(self, command, output, rule):
        typed = self.mounted("\n".join([*self.state, command]))
        with Terminal(typed, self.folder, self.env, self.limit) as screen:
            self.attend(screen, rule)
            status = screen.end()
        where = f"{self.block}: {command}: status {status}:\n{screen.seen}"
        assert status in rule.get("status", [0]), where
        for shown in rule.get("shows", []):
            assert re.search(shown, screen.seen, re.M), f"{where}\nhas no {shown}"
            assert output is None or re.search(shown, output, re.M), f"{self.block} has no {shown}"
        if output is not None and "shows" not in rule:
            assert re.fullmatch(pattern(output), screen.seen), f"{where}\nnot:\n{output}"
        self.shell(rule.get("then", ""), self.folder)

    def attend(self, screen, rule):
        """What the reader does while the command runs."""
        early = None if self.long else rule.get("early")
        if "ready" in rule:
            screen.until(rule["ready"])
        self.shell(rule.get("meanwhile", ""), self.folder)
        if "until" in rule or early:
            screen.until(rule.get("until", early))
        if "keys" in rule or early:
            screen.press(rule.get("keys", "\x03"))

    def in_guest(self):
        """The whole block on the machine that it is for."""
        typed = [self.changed(c, rule_for(self.entry, c)) for c, _ in commands(self.block)]
        script = "\n".join(["set -ex", f"export PATH={self.env['PATH']}", *typed])
        cmd = ["selftests/vm/run.sh", "--kernel", self.entry["guest"], "--timeout", "3600"]
        cmd += ["--", "bash", "-c", script]
        res = subprocess.run(cmd, cwd=TOP, capture_output=True, text=True, timeout=self.limit)
        assert res.returncode == 0, f"{self.block}: {res.stdout[-4000:]}{res.stderr[-4000:]}"
