# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The median and its interval, as the measurements in guests have them."""

import sys

from machine import TOP

sys.path.insert(0, str(TOP / "selftests/kernel/bench"))
from stats import median_interval  # noqa: E402

__all__ = ["median_interval"]
