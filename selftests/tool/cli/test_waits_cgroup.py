# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Waits by cgroup: `--by-cgroup` and `--cgroup` of `stat --waits` and `export --waits`."""

import contextlib
import errno
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest
from conftest import (
    LIMIT,
    RQSPIN,
    doctor_check,
    kernel_has_tracepoint,
    needs_locks,
    needs_own_wait,
    needs_two_cpus,
    rqspin,
    stopped,
    validator,
)
from test_export import listening, samples
from test_export_waits import COUNT, PAIR_LOCK, SAMPLED, dropped, scraped
from test_waits import counted, pair, table_while, waits_while

pytestmark = pytest.mark.usefixtures("nothing_left")


def mounted():
    """Where cgroup2 is; of several places that which shows most."""
    lines = pathlib.Path("/proc/self/mounts").read_text().splitlines()
    places = [line.split()[1] for line in lines if line.split()[2] == "cgroup2"]
    return min(places, key=lambda place: os.stat(place).st_ino, default=None)


@contextlib.contextmanager
def tree(where):
    """The root of cgroup2, mounted if it is nowhere."""
    place = mounted()
    if not place:
        where.mkdir()
        res = subprocess.run(
            ["mount", "-t", "cgroup2", "none", where], capture_output=True, text=True
        )
        if res.returncode:
            pytest.skip(f"cgroup2 cannot be mounted: {res.stderr.strip()}")
    try:
        yield pathlib.Path(place or where)
    finally:
        if not place:
            subprocess.run(["umount", where], check=True)


def group_remove(path):
    """A task that has ended may be in it until its CPU has left it."""
    deadline = time.monotonic() + LIMIT
    while True:
        try:
            return path.rmdir()
        except OSError as e:
            if e.errno != errno.EBUSY or time.monotonic() > deadline:
                raise
        os.sched_yield()


@pytest.fixture
def group(tmp_path):
    """A cgroup for the test, with a, a/in and b below it."""
    with tree(tmp_path / "cgroup2") as root:
        top = root / f"rqspin-test-{os.getpid()}"
        try:
            top.mkdir()
        except OSError as e:
            pytest.skip(f"no cgroup can be made: {e}")
        for name in ("a", "a/in", "b"):
            (top / name).mkdir()
        yield top
        for path in sorted(top.rglob("*"), reverse=True):
            if path.is_dir():
                group_remove(path)
        group_remove(top)


@pytest.fixture
def queue():
    """Waiters queue here, so that the kernel tells of some."""
    if doctor_check("queue")["detail"].split(":")[0] != "queue":
        pytest.skip("waiters do not queue here")


def name_of(path):
    return f"/{path.relative_to(mounted())}"


def pair_in(path, rounds):
    """So many rounds of a pair whose tasks are in the cgroup."""
    procs = path / "cgroup.procs"
    pair(rounds, preexec_fn=lambda: procs.write_text(str(os.getpid())))


def spread(group):
    """Seven rounds in a, four in a/in, two in b."""
    pair_in(group / "a", 7)
    pair_in(group / "a/in", 4)
    pair_in(group / "b", 2)


def owners(table):
    """Rows of who waits on every kernel."""
    return [r for r in table["waits"] if r["stack"].split(";")[-1].startswith("pair_own:")]


def assert_counted(table, wanted):
    """{cgroup: waits}"""
    assert sorted(r["cgroup"] for r in owners(table)) == sorted(wanted)
    for row in owners(table):
        assert counted(row["count"], table, wanted[row["cgroup"]]), table


def seen(x, lock, rounds):
    """A page with all waits of so many rounds."""
    return scraped(x, lock, rounds * (2 if kernel_has_tracepoint() else 1))


needs_waits = pytest.mark.usefixtures("locks", "queue")


@needs_waits
@needs_two_cpus
@needs_own_wait
def test_cgroups_are_told_apart(group):
    table = table_while(lambda: spread(group), "--by-cgroup")
    want = {name_of(group / name): nr for name, nr in (("a", 7), ("a/in", 4), ("b", 2))}
    assert_counted(table, want)
    ids = {r["cgroup"]: r["cgroup_id"] for r in owners(table)}
    assert ids == {name: (mounted() / pathlib.Path(name[1:])).stat().st_ino for name in want}


@needs_waits
@needs_two_cpus
@needs_own_wait
def test_without_the_option_they_are_one(group):
    table = table_while(lambda: spread(group))
    rows = owners(table)
    assert counted(sum(r["count"] for r in rows), table, 13)
    assert {(r["cgroup"], r["cgroup_id"]) for r in rows} == {(None, None)}


@needs_waits
@needs_two_cpus
@needs_own_wait
@pytest.mark.parametrize("spelling", ["name", "path", "id"])
def test_one_cgroup_and_those_below(group, spelling):
    a = group / "a"
    text = {"name": name_of(a), "path": str(a), "id": str(a.stat().st_ino)}[spelling]
    table = table_while(lambda: spread(group), "--by-cgroup", "--cgroup", text)
    assert_counted(table, {name_of(a): 7, name_of(a / "in"): 4})
    # What was not asked for is in no count.
    assert sum(r["count"] for r in table["waits"]) <= 2 * 11


@needs_waits
@needs_two_cpus
@needs_own_wait
def test_the_filter_alone(group):
    table = table_while(lambda: spread(group), "--cgroup", name_of(group / "a/in"))
    rows = owners(table)
    assert counted(sum(r["count"] for r in rows), table, 4)
    assert {r["cgroup"] for r in rows} == {None}


@needs_waits
@needs_two_cpus
@needs_own_wait
def test_text_and_folded(group):
    name = name_of(group / "b")
    out = waits_while(lambda: pair_in(group / "b", 3), "--by-cgroup", "--cgroup", name)
    (line,) = [x for x in out.splitlines() if " pair_own" in x]
    dropped = int(re.search(r"^dropped: (\d+)$", out, re.M)[1])
    assert counted(int(line.split()[0]), {"dropped": dropped}, 3), out
    assert line.endswith(f", cgroup {name}"), out
    out = waits_while(lambda: pair_in(group / "b", 3), "--by-cgroup", "--folded", "--cgroup", name)
    (line,) = [x for x in out.splitlines() if ";pair_own:" in x]
    assert line.startswith(f"{name};") and ";pairs[0].lock " in line, out


@needs_waits
@needs_two_cpus
@needs_own_wait
def test_a_cgroup_that_is_gone_has_its_id(group):
    """It is gone before anybody looks."""
    gone = group / "gone"
    gone.mkdir()
    ino = gone.stat().st_ino
    cmd = [RQSPIN, "stat", "--waits", "--json", "--by-cgroup", "--cgroup", name_of(gone)]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert any("counting waits" in line for line in proc.stderr), proc.stderr.read()
        with stopped(proc):
            pair_in(gone, 5)
            group_remove(gone)
        proc.send_signal(signal.SIGINT)
        out, talk = proc.communicate(timeout=LIMIT)
    finally:
        proc.kill()
    table = json.loads(out)
    validator("waits.schema.json").validate(table)
    assert {(r["cgroup"], r["cgroup_id"]) for r in table["waits"]} == {(str(ino), ino)}, talk
    assert counted(sum(r["failed"] for r in table["waits"]), table, 5), table


@needs_waits
@needs_two_cpus
@needs_own_wait
def test_a_scrape_has_the_label(group):
    with listening("--waits", "--by-cgroup") as x:
        spread(group)
        page = seen(x, PAIR_LOCK, 13)
    rows = samples(page)[COUNT]
    own = {k[2]: v for k, v in rows.items() if k[:2] == ("pair_own", PAIR_LOCK)}
    want = {name_of(group / name): nr for name, nr in (("a", 7), ("a/in", 4), ("b", 2))}
    assert own == want and dropped(page) == 0
    assert f'lock="{PAIR_LOCK}",cgroup="{name_of(group / "b")}",le="+Inf"}} 2\n' in page


@needs_waits
@needs_two_cpus
@needs_own_wait
def test_a_scrape_of_one_cgroup(group):
    with listening("--waits", "--cgroup", name_of(group / "a")) as x:
        spread(group)
        page = seen(x, PAIR_LOCK, 11)
    rows = samples(page)
    assert rows[COUNT]["pair_own", PAIR_LOCK] == 11 and dropped(page) == 0
    assert SAMPLED not in rows and rows["rqspin_wait_samples_total"] == {(): 0}


@needs_waits
@needs_two_cpus
@needs_own_wait
def test_many_cgroups_are_bounded(group):
    """One has a name; what the others waited is in the histogram without names."""
    many = [group / "b" / str(i) for i in range(6)]
    with listening("--waits", "--by-cgroup", "--max-wait-series", 1, "--map", "pairs") as x:
        for path in many:
            path.mkdir()
            pair_in(path, 2)
        page = seen(x, "", 12)
    rows = samples(page)
    others = rows[COUNT].pop(("", ""))
    (labels,) = rows[COUNT]
    assert labels[2] in {name_of(path) for path in many}
    assert rows["rqspin_other_waits_total"] == {(): others}
    assert rows["rqspin_wait_series_limit_reached"] == {(): 1}
    assert rows[COUNT][labels] + others >= 12 and dropped(page) == 0


LISTEN = ["export", "--listen", "127.0.0.1:0"]


@needs_locks
@pytest.mark.parametrize("verb", [["stat"], LISTEN])
@pytest.mark.parametrize("text", ["/no such", "18446744073709551615", "/proc", "/cgroup.procs"])
def test_no_such_cgroup(verb, text, group):
    res = rqspin(*verb, "--waits", "--cgroup", text)
    assert res.returncode == 1 and not res.stdout, res
    assert f"--cgroup: '{text}' is no cgroup in {mounted()}: give a path" in res.stderr


@needs_locks
@pytest.mark.parametrize("verb", [["stat"], LISTEN])
@pytest.mark.parametrize("option", [["--by-cgroup"], ["--cgroup", "/"]])
def test_without_a_mount(verb, option):
    if not shutil.which("unshare"):
        pytest.skip("needs unshare")
    umount = "for m in $(awk '$3 == \"cgroup2\" { print $2 }' /proc/self/mounts | tac); do "
    umount += 'umount -l "$m" || exit 99; done; exec "$@"'
    cmd = ["unshare", "-m", "sh", "-c", umount, "sh", RQSPIN, *verb, "--waits", *option]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    if res.returncode == 99 or "unshare failed" in res.stderr:
        pytest.skip(f"cgroup2 cannot be unmounted: {res.stderr.strip()}")
    assert res.returncode == 3 and not res.stdout, res
    assert f"{option[0]}: no cgroup2 is mounted here: 'mount -t cgroup2" in res.stderr


@pytest.mark.parametrize("verb", [["stat"], LISTEN])
@pytest.mark.parametrize(
    "args, message",
    [
        (["--by-cgroup"], "--cgroup and --by-cgroup are for --waits"),
        (["--cgroup", "/"], "--cgroup and --by-cgroup are for --waits"),
        (["--waits", "--cgroup", ""], "--cgroup: a path or an id is needed"),
    ],
)
def test_wrong_options(verb, args, message):
    res = rqspin(*verb, *args)
    assert res.returncode == 2 and message in res.stderr, res
