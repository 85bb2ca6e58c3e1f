# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Results of a campaign: a folder with a file for each cell.

A file is written under another name first and is never replaced, so an interrupted run leaves whole
cells. A file that is not ours, or not whole, is refused by name: a mean over the wrong cells looks
as good as any other."""

import contextlib
import json
import os
import pathlib
import tempfile

import machine
import pandas as pd
import quality
from errors import CampaignError

SCHEMA = "rqspin-cell/1"
HEAD = "campaign.json"
UMASK = os.umask(0)
os.umask(UMASK)
MEMBERS = {"schema": str, "campaign": str, "key": str, "params": dict, "command": str,
           "result": dict, "load": float, "seconds": float, "others": float,
           "steal": float, "mhz": float}  # fmt: skip
LATER = {"others", "steal", "mhz"}  # older cells have none


OURS = {"busy", "cell", "load", "mhz"}  # columns beside parameters and figures
LARGEST = 2**63
DEEPEST = 20  # objects in objects


@contextlib.contextmanager
def _written(path, data):
    """Writes all of the data to a temporary file with a name of its own; yields the name."""
    fd, new = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(data)
            os.fchmod(fd, 0o666 & ~UMASK)
            f.flush()
            os.fsync(fd)
        yield new
    finally:
        pathlib.Path(new).unlink(missing_ok=True)


def write_whole(path, text):
    """Writes the whole file or none; an existing one stays as it is."""
    with _written(path, text.encode()) as new:
        os.link(new, path)


def replace_whole(path, data):
    """Writes the whole file and replaces an existing one; a link is replaced, not followed."""
    with _written(path, data if isinstance(data, bytes) else data.encode()) as new:
        os.replace(new, path)


def read_json(path, what):
    try:
        return json.loads(path.read_text())
    except RecursionError:
        raise CampaignError(f"{path}: not {what} (nested too deeply); move it away") from None
    except (OSError, ValueError) as err:
        raise CampaignError(f"{path}: not {what} ({err}); move it away") from None


def check_figures(path, result, depth=0):
    """Refuses numbers that are too large, and objects that are nested too deeply."""
    if depth > DEEPEST:
        raise CampaignError(f"{path}: a result with more than {DEEPEST} objects in each other; "
                            "move it away")  # fmt: skip
    for key, value in result.items():
        if isinstance(value, dict):
            check_figures(path, value, depth + 1)
        elif isinstance(value, int) and abs(value) >= LARGEST:
            raise CampaignError(f"{path}: {key} is larger than any figure; move it away")


def check_rows(path, result):
    """A result, or each of its "rows", must be an object without the names of our columns."""
    rows = result.get("rows", [result])
    if not isinstance(rows, list) or not all(isinstance(part, dict) for part in rows):
        raise CampaignError(f'{path}: "rows" of the result is no list of objects; move it away')
    for part in rows:
        check_figures(path, part)
        for name in sorted(OURS & set(part)):
            raise CampaignError(f'{path}: the result has a "{name}" of its own; move it away')


class Store:
    def __init__(self, folder, campaign):
        self.folder, self.campaign = folder, campaign
        self.cells = folder / "cells"

    def _check_head(self, head, path):
        if not isinstance(head, dict) or not isinstance(head.get("machine"), dict):
            raise CampaignError(f"{path}: not the head of a campaign's results; move it away")
        for key, value in machine.TYPES.items():
            if not isinstance(head["machine"].get(key), value):
                raise CampaignError(f'{path}: "{key}" of the machine is no {value.__name__}; '
                                    "move it away")  # fmt: skip
        if head.get("schema") != SCHEMA or head.get("campaign") != self.campaign.name:
            raise CampaignError(f"{path}: of something else than {self.campaign.name}; name "
                                "another folder with --results")  # fmt: skip

    def head(self):
        path = self.folder / HEAD
        head = read_json(path, "the head of a campaign's results")
        self._check_head(head, path)
        return head

    def _foreign(self):
        """Without a head: does the folder hold more than the leftovers of a killed run?"""
        if not self.folder.exists():
            return False
        if self.cells.is_dir() and any(self.cells.iterdir()):
            return True
        return any(
            p != self.cells and not p.name.startswith(f".{HEAD}.") for p in self.folder.iterdir()
        )

    def prepare(self):
        """Prepares a run on this machine: a new folder, or one that this machine has begun."""
        path, facts = self.folder / HEAD, machine.facts()
        if path.exists():
            if not machine.same(self.head()["machine"], facts):
                raise CampaignError(f"{self.folder}: results of another machine or kernel; name "
                                    "another folder with --results")  # fmt: skip
        elif self._foreign():
            raise CampaignError(f"{self.folder}: not empty, and no results of a campaign")
        else:
            self.cells.mkdir(parents=True, exist_ok=True)
            head = {"schema": SCHEMA, "campaign": self.campaign.name, "machine": facts}
            write_whole(path, json.dumps(head, indent=1) + "\n")
        self.cells.mkdir(exist_ok=True)

    def _path(self, cell):
        return self.cells / f"{cell.key}.json"

    def read(self, cell):
        path = self._path(cell)
        data = read_json(path, "a cell")
        if not isinstance(data, dict) or any(
            not isinstance(data.get(k, 0.0 if k in LATER else None), t) for k, t in MEMBERS.items()
        ):
            raise CampaignError(f"{path}: not a cell; move it away")
        if not data["result"]:
            raise CampaignError(f"{path}: a cell without a result; move it away")
        check_rows(path, data["result"])
        ours = (SCHEMA, cell.campaign, cell.key, cell.params)
        if (data["schema"], data["campaign"], data["key"], data["params"]) != ours:
            raise CampaignError(f"{path}: another cell than its name says; move it away")
        return data

    def refuse_strangers(self):
        """Refuses files that are no cell of this campaign, except the dot files of a killed run."""
        ours = {f"{cell.key}.json" for cell in self.campaign.cells()}
        for path in sorted(self.cells.iterdir()) if self.cells.is_dir() else ():
            if path.name not in ours and not path.name.startswith("."):
                raise CampaignError(
                    f"{path}: no cell of {self.campaign.name}, or of an earlier form of it: "
                    f"move {self.folder} away, or measure again in another folder (--results)"
                )

    def missing(self):
        """Cells without a result; the others are read, to see that they are whole."""
        self.refuse_strangers()
        rest = []
        for cell in self.campaign.cells():
            if self._path(cell).exists():
                self.read(cell)
            else:
                rest.append(cell)
        return rest

    def add(self, cell, outcome):
        data = {"schema": SCHEMA, "campaign": cell.campaign, "key": cell.key,
                "params": cell.params, "command": cell.command, **outcome}  # fmt: skip
        write_whole(self._path(cell), json.dumps(data) + "\n")

    def frame(self):
        """A row for each measured cell, or each of its "rows": parameters and figures."""
        if not self.folder.is_dir():
            raise CampaignError(f"{self.folder}: no such folder of results")
        self.head()
        self.refuse_strangers()
        cells = [self.read(c) for c in self.campaign.cells() if self._path(c).exists()]
        usual = quality.usual_mhz(cells)
        rows = []
        for cell in cells:
            known = {"cell": cell["key"], "load": cell["load"], "mhz": cell.get("mhz")}
            known["busy"] = quality.disturbed(cell) or quality.slowed(cell, usual)
            for part in cell["result"].get("rows", [cell["result"]]):
                rows.append({**known, **self.campaign.fixed, **cell["params"], **flat(part)})
        return pd.DataFrame(rows)

    def export(self):
        """Exports frame(): as CSV, and as JSON with the facts about the machine."""
        frame = self.frame()
        csv, out = self.folder / "cells.csv", self.folder / "cells.json"
        replace_whole(csv, frame.to_csv(index=False))
        rows = json.loads(frame.to_json(orient="records"))
        replace_whole(out, json.dumps({**self.head(), "cells": rows}, indent=1) + "\n")
        return csv, out


def flat(result, prefix=""):
    """{"events": {"queued": 1}} as {"events.queued": 1}; lists stay."""
    out = {}
    for key, value in result.items():
        if isinstance(value, dict):
            out |= flat(value, f"{prefix}{key}.")
        else:
            out[prefix + key] = value
    return out
