# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Where cells run: in this process one after the other, in processes of this machine, on a cluster.

Only this process writes results, as each cell ends. So a worker that is killed only loses its
current cell, which another worker then runs, and the folder of results need not be shared.

local:N is N processes, which only this process can reach, through pipes. A cluster is one of Dask,
whose workers run any code from anybody with the key: so TLS, a key that is made for the run, and no
root. Its workers need the project in the same place, built, and this folder in their PYTHONPATH."""

import collections
import contextlib
import ctypes
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import signal
import stat
import subprocess
import sys

import places
from errors import CampaignError

HERE = pathlib.Path(__file__).resolve().parent
TRIES = 3  # a cell that ends so many workers is itself the cause
PR_SET_PDEATHSIG = 1


def here(cells):
    for cell in cells:
        yield cell, places.run(cell)


def _serve(pipe, parent):
    """A worker: cells come through the pipe, and go back as outcomes or errors."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        return
    # So that the processes that a cell has started end, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            cell = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(places.run(cell))
        except CampaignError as err:
            pipe.send(err)


class Worker:
    """A worker process, our end of its pipe, and its current cell."""

    def __init__(self):
        context = multiprocessing.get_context("spawn")
        self.pipe, its = context.Pipe()
        self.process = context.Process(target=_serve, args=(its, os.getpid()), daemon=True)
        self.process.start()
        its.close()
        self.cell = None

    def give(self, cell):
        self.cell = cell
        # A worker that has just died is noticed when its outcome is read.
        with contextlib.suppress(BrokenPipeError):
            self.pipe.send(cell)

    def take(self):
        """The outcome; None if the worker has died."""
        try:
            outcome = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            return None
        if isinstance(outcome, CampaignError):
            raise outcome
        return outcome

    def end(self):
        self.pipe.close()
        self.process.terminate()
        self.process.join()


class Pool:
    def __init__(self, cells, nr):
        self.rest = collections.deque(cells)
        self.deaths = collections.Counter()
        self.workers = {}
        for _ in range(min(nr, len(self.rest))):
            self._start()

    def _start(self):
        worker = Worker()
        self.workers[worker.pipe] = worker
        worker.give(self.rest.popleft())

    def _replace(self, worker):
        cell = worker.cell
        del self.workers[worker.pipe]
        worker.end()
        self.deaths[cell.key] += 1
        if self.deaths[cell.key] == TRIES:
            raise CampaignError(f"{cell}: {cell.command}: it has ended {TRIES} workers")
        self.rest.appendleft(cell)
        self._start()

    def _next(self, worker):
        if self.rest:
            worker.give(self.rest.popleft())
        else:
            del self.workers[worker.pipe]
            worker.end()

    def outcomes(self):
        while self.workers:
            for pipe in multiprocessing.connection.wait(list(self.workers)):
                worker = self.workers[pipe]
                outcome = worker.take()
                if outcome is None:
                    self._replace(worker)
                else:
                    yield worker.cell, outcome
                    self._next(worker)

    def end(self):
        for worker in self.workers.values():
            worker.end()


def local(cells, nr):
    pool = None
    try:
        pool = Pool(cells, nr)
        yield from pool.outcomes()
    finally:
        if pool:
            pool.end()


def make_key(path):
    """A certificate and its key in one file, for one run: whoever has it can run commands."""
    cmd = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    cmd += ["-nodes", "-days", "30", "-subj", "/CN=rqspin-lab", "-keyout", "-", "-out", "-"]
    try:
        pem = subprocess.run(cmd, capture_output=True, check=True).stdout
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as f:
            f.write(pem)
    except FileExistsError:
        raise CampaignError(f"{path}: is there already; a key is for one run") from None
    except (OSError, subprocess.CalledProcessError) as err:
        raise CampaignError(f"{path}: no key made: {err}") from None


def _check_key(path):
    try:
        mode = os.stat(path).st_mode
    except OSError as err:
        raise CampaignError(f"--key {path}: {err.strerror}") from None
    if stat.S_IMODE(mode) & 0o077:
        raise CampaignError(f"--key {path}: others may read it: chmod 600, or make another one")


def check_cluster(where, key):
    if os.geteuid() == 0:
        raise CampaignError("--dask: not as root: whoever has the key could run commands as root")
    if not where.startswith("tls://"):
        raise CampaignError(f"--dask {where}: neither local:N nor tls://HOST:PORT; without TLS "
                            "anybody who reaches the scheduler can run commands")  # fmt: skip
    if not key:
        raise CampaignError("--dask: needs --key FILE; 'rqspin-lab key FILE' makes one")
    _check_key(key)


def _import_campaigns(path):
    import sys

    if path not in sys.path:
        sys.path.insert(0, path)


@contextlib.contextmanager
def client(where, key):
    from distributed import Client
    from distributed.security import Security

    check_cluster(where, key)
    names = ("tls_ca_file", "tls_client_cert", "tls_client_key")
    security = Security(require_encryption=True, **dict.fromkeys(names, str(key)))
    try:
        c = Client(where, timeout=20, security=security)
    except (OSError, ValueError) as err:
        raise CampaignError(f"no Dask scheduler with this key at {where}: {err}") from None
    with c:
        c.run(_import_campaigns, str(HERE))
        yield c


def cluster(cells, where, key):
    from distributed import as_completed

    with client(where, key) as c:
        # Results differ though the arguments are the same: no call is pure here.
        tasks = {c.submit(places.run, cell, pure=False, retries=0): cell for cell in cells}
        for task in as_completed(tasks):
            yield tasks[task], task.result()


def _count(where):
    text = where.removeprefix("local:")
    if not text.isdecimal() or not 0 < int(text) <= 4096:
        raise CampaignError(f"--dask {where}: local:N with a number of workers from 1")
    return int(text)


def run(cells, where=None, key=None):
    if not where:
        return here(cells)
    if where.startswith("local:"):
        return local(cells, _count(where))
    return cluster(cells, where, key)
