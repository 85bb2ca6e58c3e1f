# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What ends a campaign with a message instead of a traceback."""


class CampaignError(Exception):
    """Names the thing and the fix."""
