# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""TAP of the scripts that compare kernels."""


class Tap:
    """Test lines in order, the plan and the sum at the end."""

    def __init__(self):
        self.count = self.failed = 0

    def check(self, good, text, comments=()):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {text}", flush=True)
        for c in comments:
            print(f"# {c}")

    def close(self):
        """The exit status."""
        print(f"1..{self.count}")
        print(f"{self.count - self.failed} passed, {self.failed} failed, 0 skipped")
        return 1 if self.failed else 0
