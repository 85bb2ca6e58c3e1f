# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin export --waits`: what a scrape has equals what the waiters know of their own waits."""

import contextlib
import json
import subprocess
import time

import pytest
from bpfobj import pinned
from conftest import (
    BPFTOOL,
    BUILD,
    LIMIT,
    cpus,
    doctor_check,
    kernel_has_tracepoint,
    needs_locks,
    needs_own_wait,
    needs_three_cpus,
    needs_two_cpus,
    rqspin,
)
from test_export import exporter, listening, prometheus, samples, stopped, tool
from test_waits import pair

KNOWN = BUILD / "selftests/kernel/progs/known_waits.bpf.o"
COUNT = "rqspin_lock_wait_seconds_count"
SUM = "rqspin_lock_wait_seconds_sum"
BUCKET = "rqspin_lock_wait_seconds_bucket"
LONGEST = "rqspin_lock_longest_wait_seconds"
PAIR_LOCK = "pairs[].lock"
SAMPLED = "rqspin_sampled_waiters_total"
LOCKS = 1000
# So long who is in the queue waits in a round that nobody gives up: LONG turns of
# known_waits.bpf.c, each of which reads memory, and no CPU is as fast as that.
HELD_NS = (1 << 18) * 0.1


@pytest.fixture
def queue():
    """Waiters queue here, so that the kernel tells of some."""
    if doctor_check("queue")["detail"].split(":")[0] != "queue":
        pytest.skip("waiters do not queue here")


def three(where, what, rounds):
    """An owner and two waiters for so many rounds, each on a CPU of its own."""
    procs = []
    for cpu, role in enumerate(("own", "0", "1")):
        cmd = ["taskset", "-c", str(cpu), BPFTOOL, "prog", "run"]
        cmd += ["pinned", where / f"{what}_{role}", "data_in", "-", "repeat", str(rounds)]
        procs.append(subprocess.Popen(cmd, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL))
    for proc in procs:
        proc.stdin.write(bytes(64))
        proc.stdin.close()
    assert [proc.wait(timeout=LIMIT) for proc in procs] == [0, 0, 0]


def known(where, rounds):
    """What the waiters measured of the waits that the kernel tells of.

    A virtual CPU that gets no time lets a waiter run into its time limit. The kernel may have seen
    the two waits of such a round or not: then there are up to `unsure` more than `count`.
    """
    bss = next(p for p in (where / "maps").iterdir() if "bss" in p.name)
    out = subprocess.check_output([BPFTOOL, "-j", "map", "dump", "pinned", bss])
    ((_, variables),) = json.loads(out)[0]["formatted"]["value"].items()
    values = {k: v for variable in variables for k, v in variable.items()}
    places = values["waited"]
    late = values["failed"]
    assert sum(p["count"] for p in places) == 2 * rounds - late
    seen = places if kernel_has_tracepoint() else places[1:]
    return {
        "count": sum(p["count"] for p in seen),
        "unsure": 2 * late,
        "total_ns": sum(p["total_ns"] for p in seen),
        "max_ns": max(p["max_ns"] for p in seen),
    }


def is_known(number, want):
    return want["count"] <= number <= want["count"] + want["unsure"]


def waits_of(page, lock, name=COUNT):
    """Of all programs, so that a waiter may be one or the other."""
    rows = samples(page).get(name, {})
    return [value for labels, value in rows.items() if labels[1].startswith(lock)]


def scraped(x, lock, count):
    """A page with so many waits: a wait is seen soon after it ended, and only once."""
    deadline = time.monotonic() + LIMIT
    page = x.scrape()
    while sum(waits_of(page, lock)) < count and time.monotonic() < deadline:
        page = x.scrape()
    return page


def dropped(page):
    return samples(page)["rqspin_dropped_waits_total"][()]


def sampled(x, where):
    """A page in which a look has hit a waiter, which any one of them may miss."""
    deadline = time.monotonic() + LIMIT
    page = x.scrape()
    while ("one[].lock",) not in samples(page).get(SAMPLED, {}) and time.monotonic() < deadline:
        three(where, "one", 20)
        page = x.scrape()
    return samples(page)


def assert_times(total, longest, want, rounds):
    """A CPU may stop between the kernel's clock and the waiter's, which is read around it."""
    whole = rounds - want["unsure"] // 2
    assert total >= whole * HELD_NS
    assert longest + 1 >= total / (want["count"] + want["unsure"])
    # Of waits that ran into their limit the time is unknown.
    if not want["unsure"]:
        assert total <= want["total_ns"] + 1 and longest <= want["max_ns"] + 1


@needs_locks
@needs_three_cpus
def test_a_scrape_equals_the_known_waits(nothing_left, queue):
    rounds = 20
    with pinned(KNOWN, maps=True) as where, listening("--waits") as x:
        three(where, "one", rounds)
        want = known(where, rounds)
        page = scraped(x, "one[].lock", want["count"])
        rows = samples(page) if kernel_has_tracepoint() else sampled(x, where)
    assert is_known(sum(waits_of(page, "one[].lock")), want) and dropped(page) == 0
    total = sum(waits_of(page, "one[].lock", SUM)) * 1e9
    longest = max(waits_of(page, "one[].lock", LONGEST)) * 1e9
    assert_times(total, longest, want, rounds)
    programs = {labels[0] for labels in samples(page)[COUNT] if labels[1] == "one[].lock"}
    assert programs <= {"one_0", "one_1"}
    looks = rows["rqspin_wait_samples_total"][()]
    if not kernel_has_tracepoint():
        assert 0 < rows[SAMPLED]["one[].lock",] <= 2 * looks
    else:
        assert looks == 0


@needs_locks
@needs_three_cpus
def test_a_thousand_locks_are_bounded(nothing_left, queue):
    """Ten have names; the others are in one histogram, and all are counted."""
    with (
        pinned(KNOWN, maps=True) as where,
        listening("--waits", "--map", "many") as x,
        listening("--waits", "--elements", "--max-wait-series", 10, "--map", "many") as y,
    ):
        three(where, "many", LOCKS)
        want = known(where, LOCKS)
        page = scraped(y, "", want["count"])
        maps = samples(scraped(x, "", want["count"]))
    rows = samples(page)[COUNT]
    others = rows.pop(("", ""))
    assert len(rows) == 10 and is_known(sum(rows.values()) + others, want)
    assert samples(page)["rqspin_wait_series_limit_reached"] == {(): 1}
    assert samples(page)["rqspin_other_waits_total"] == {(): others} and dropped(page) == 0
    assert set(maps[COUNT]) <= {("many_0", "many[].lock"), ("many_1", "many[].lock")}
    assert is_known(sum(maps[COUNT].values()), want)


def pairs_of(x, rounds):
    """A page after so many rounds of a pair, each of which is a wait at least."""
    pair(rounds)
    return scraped(x, PAIR_LOCK, rounds * (2 if kernel_has_tracepoint() else 1))


def make_waits(x):
    """A few waits, if there can be any in sight with two CPUs."""
    own_waits = kernel_has_tracepoint() or 2 <= cpus() < 4
    if not own_waits or doctor_check("queue")["detail"].split(":")[0] != "queue":
        return False
    pairs_of(x, 3)
    return True


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_buckets_add_up(nothing_left, queue):
    with listening("--waits") as x:
        page = pairs_of(x, 7)
    rows = samples(page)
    for (program, lock), count in rows[COUNT].items():
        buckets = [v for k, v in rows[BUCKET].items() if k[:2] == (program, lock)]
        assert len(buckets) == 13 and buckets == sorted(buckets) and buckets[-1] == count
        assert 0 < rows[LONGEST][program, lock] <= rows[SUM][program, lock]
    assert rows[COUNT]["pair_own", PAIR_LOCK] == 7 and dropped(page) == 0
    assert ("first-waiter",) in rows.get("rqspin_unseen_waits", {}) or kernel_has_tracepoint()


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_a_reloaded_program_goes_on(nothing_left, queue):
    """Its series has the waits of the one before, under another address."""
    with listening("--waits") as x:
        pairs_of(x, 3)
        page = pairs_of(x, 4)
        page = scraped(x, PAIR_LOCK, 7 * (2 if kernel_has_tracepoint() else 1))
    assert samples(page)[COUNT]["pair_own", PAIR_LOCK] == 7


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_filters(nothing_left, queue):
    others = ("--map", "nothing"), ("--lock", "lock_x"), ("--prog", "nobody")
    with contextlib.ExitStack() as stack:
        mine = stack.enter_context(listening("--waits", "--prog", "pair_own", "--map", "pairs"))
        them = [stack.enter_context(listening("--waits", *args)) for args in others]
        pair(5)
        assert set(samples(scraped(mine, PAIR_LOCK, 5))[COUNT]) == {("pair_own", PAIR_LOCK)}
        assert all(COUNT not in samples(x.scrape()) for x in them)


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_a_program_that_came_and_went_unseen(nothing_left, queue):
    """It has its own name, not that of a probe of the other exporter, whose memory it had."""
    args = ("--prog", "pair_own"), ("--lock", "0x1")
    with contextlib.ExitStack() as stack:
        them = [stack.enter_context(listening("--waits", *a)) for a in args]
        with contextlib.ExitStack() as pause:
            for x in them:
                pause.enter_context(stopped(x))
            pair(5)
        pages = [scraped(them[0], "", 5), them[1].scrape()]
    # The map's name depends on whether somebody looked before that was gone as well.
    rows = samples(pages[0])[COUNT]
    assert sum(rows.values()) == 5
    assert rows.keys() <= {("pair_own", "pairs[].lock"), ("pair_own", "")}
    assert COUNT not in samples(pages[1])
    assert [dropped(p) for p in pages] == [0, 0]


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_what_no_filter_can_say_is_counted(nothing_left, queue, strace):
    """The same where the kernel reports no loads; an address needs no name."""
    args = ("--prog", "pair_own"), ("--lock", "0x1")
    refused = "--inject=perf_event_open:error=EACCES"
    # -D: the process is the exporter's, so that it can be stopped.
    by = (strace, "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=perf_event_open", refused)
    with contextlib.ExitStack() as stack:
        them = [stack.enter_context(listening("--waits", *a, by=by)) for a in args]
        with contextlib.ExitStack() as pause:
            for x in them:
                pause.enter_context(stopped(x))
            pair(5)
        waits = 5 * (2 if kernel_has_tracepoint() else 1)
        deadline = time.monotonic() + LIMIT
        pages = [x.scrape() for x in them]
        while dropped(pages[0]) < waits and time.monotonic() < deadline:
            pages = [x.scrape() for x in them]
    assert [dropped(p) >= waits for p in pages] == [True, False], pages
    assert all(COUNT not in samples(p) for p in pages)


@needs_locks
def test_promtool_finds_nothing(nothing_left):
    with listening("--waits") as x:
        page = x.scrape()
        om = x.scrape("application/openmetrics-text;version=1.0.0")
    res = subprocess.run(
        [tool("promtool"), "check", "metrics"], input=page, capture_output=True, text=True
    )
    assert (res.returncode, res.stdout, res.stderr) == (0, "", "")
    assert "# TYPE rqspin_lock_wait_seconds histogram\n" in om and om.endswith("\n# EOF\n")


@needs_locks
def test_nothing_of_waits_without_the_option(nothing_left):
    with listening() as x:
        assert "wait" not in x.scrape()


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_the_last_file_has_all(tmp_path, nothing_left, queue):
    file = tmp_path / "rqspin.prom"
    with exporter("--waits", "--textfile", file):
        pair(6)
    assert samples(file.read_text())[COUNT]["pair_own", PAIR_LOCK] == 6


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_a_real_prometheus_has_the_histogram(tmp_path, nothing_left, queue):
    with (
        listening("--waits") as x,
        prometheus(tmp_path, x.where[7:].removesuffix("/metrics")) as ask,
    ):
        pairs_of(x, 9)
        deadline = time.monotonic() + LIMIT
        found = []
        while not found and time.monotonic() < deadline:
            found = ask(f'{COUNT}{{program="pair_own",lock="{PAIR_LOCK}"}} == 9')
        assert found
        (middle,) = ask(f'histogram_quantile(0.5, {BUCKET}{{program="pair_own"}})')
        longest = ask(f'{LONGEST}{{program="pair_own"}}')[0]["value"][1]
        assert 0 < float(middle["value"][1]) < 4 * float(longest)


def answer(ask, query):
    """The number that Prometheus has, or 0 as long as it has none."""
    rows = ask(query)
    return float(rows[0]["value"][1]) if rows else 0


@needs_locks
@needs_three_cpus
def test_what_a_real_prometheus_has_equals_what_was_waited(tmp_path, nothing_left, queue):
    rounds = 20
    lock = '{lock="one[].lock"}'
    with (
        pinned(KNOWN, maps=True) as where,
        listening("--waits") as x,
        prometheus(tmp_path, x.where[7:].removesuffix("/metrics")) as ask,
    ):
        three(where, "one", rounds)
        want = known(where, rounds)
        deadline = time.monotonic() + LIMIT
        count = 0
        while count < want["count"] and time.monotonic() < deadline:
            count = answer(ask, f"sum({COUNT}{lock})")
        total = answer(ask, f"sum({SUM}{lock})") * 1e9
        longest = answer(ask, f"max({LONGEST}{lock})") * 1e9
    assert is_known(count, want)
    assert_times(total, longest, want, rounds)


@pytest.mark.parametrize(
    "args, message",
    [
        (["--max-wait-series", "5"], "--max-wait-series and --elements are for --waits"),
        (["--waits", "--max-wait-series", "0"], "'0' is not a positive number"),
        (["--waits", "--pid", "1"], "it takes no --pid, --comm, --cpu or --kind"),
        (["--waits", "--kind", "aa"], "it takes no --pid, --comm, --cpu or --kind"),
    ],
)
def test_wrong_options(args, message):
    res = rqspin("export", "--listen", "127.0.0.1:0", *args)
    assert res.returncode == 2 and message in res.stderr, res
