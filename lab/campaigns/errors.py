# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The error that ends a campaign with a message instead of a traceback."""


class CampaignError(Exception):
    """Its message names the problem and the fix."""
