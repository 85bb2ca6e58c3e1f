# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs jobs with rqspin-sim: one process for all of them."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
COMMAND = ROOT / "build/lab/machines/rqspin-sim"


class Simulator:
    """rqspin-sim --batch, kept open; jobs in, results out, in order."""

    def __init__(self, command=COMMAND):
        if not Path(command).exists():
            raise SystemExit(f"{command} does not exist: run make sim")
        self.cells = 0
        self.seen = {}
        self.process = subprocess.Popen(
            [command, "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, job):
        """The result of a job, as a dict. The same job is run once."""
        text = json.dumps(job, sort_keys=True)
        if text not in self.seen:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            if not answer:
                raise SystemExit(f"rqspin-sim ended at {text}")
            self.seen[text] = json.loads(answer)
            self.cells += 1
        return self.seen[text]

    def rate(self, job):
        return self.run(job)["per_second"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
