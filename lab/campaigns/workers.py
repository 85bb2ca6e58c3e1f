# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Who runs the cells: this process one after the other, or a cluster of Dask, a task for each cell.

With a cluster only this process writes results, as each task ends. So a worker that is killed loses
the cell it was at, which another one then runs, and the folder need not be shared. Workers need the
project in the same place, built, and the campaign's folder in their PYTHONPATH."""

import contextlib
import pathlib

import places
from errors import CampaignError

HERE = pathlib.Path(__file__).resolve().parent


def here(cells):
    for cell in cells:
        yield cell, places.run(cell)


def _import_campaigns(path):
    import sys

    if path not in sys.path:
        sys.path.insert(0, path)


@contextlib.contextmanager
def client(where):
    """local:N starts N workers here, one cell at a time each; ADDRESS is a scheduler's."""
    from distributed import Client, LocalCluster

    with contextlib.ExitStack() as stack:
        if where.startswith("local:"):
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=int(where.removeprefix("local:")),
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                )
            )
            where = cluster.scheduler_address
        try:
            c = stack.enter_context(Client(where, timeout=20))
        except OSError as err:
            raise CampaignError(f"no Dask scheduler at {where}: {err}") from None
        c.run(_import_campaigns, str(HERE))
        yield c


def cluster(cells, where):
    from distributed import as_completed

    with client(where) as c:
        # Results differ though the arguments are the same: nothing is pure here.
        tasks = {c.submit(places.run, cell, pure=False, retries=0): cell for cell in cells}
        for task in as_completed(tasks):
            yield tasks[task], task.result()


def run(cells, where):
    return cluster(cells, where) if where else here(cells)
