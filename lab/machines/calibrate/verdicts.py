# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Errors, verdicts, and the list of misses that are known."""

import dataclasses

import numpy as np

#: Errors that are closer than this are the same.
TIE = 0.005


@dataclasses.dataclass(frozen=True)
class Miss:
    """A target that is known to be missed: its value, and by how much another run may differ."""

    value: float
    tolerance: float
    why: str


class Report:
    """Prints verdicts; remembers missed targets, and those that differ from the list."""

    def __init__(self, expected):
        self.expected = expected
        self.seen = set()
        self.missed = []
        self.changed = []
        self.facts = {}

    def target(self, name, what, met, value=None):
        """value: compared with the value in the list of known misses."""
        known = self.expected.get(name)
        self.seen.add(name)
        verdict, changed = self._verdict(known, met, value)
        if changed:
            self.changed.append(name)
        if not met:
            self.missed.append(name)
        print(f"{verdict}: {what}" + (f" ({known.why})" if known and not met else ""), flush=True)

    def _verdict(self, known, met, value):
        """The text of the verdict, and whether it differs from the list."""
        if known is None:
            return ("ok", False) if met else ("target not met", True)
        if met:
            return "met, but listed as missed", True
        if value is None or not abs(value - known.value) <= known.tolerance:
            return f"target not met, listed with {known.value} +- {known.tolerance}", True
        return "target not met, as expected", False

    def expected_misses(self):
        """Prints the list. A target on it that was not judged is a change, too."""
        print("\nknown misses, each with the value that is expected:")
        for name, miss in self.expected.items():
            print(f"  {name}: {miss.value} +- {miss.tolerance}: {miss.why}")
            if name not in self.seen:
                self.changed.append(name)
                print(f"  {name}: no such target any more")

    def status(self):
        """The exit status: 1 if anything is not as the list says."""
        return 1 if self.changed else 0


def mape(simulated, measured):
    return float(np.mean(np.abs(np.asarray(simulated) / np.asarray(measured) - 1)))
