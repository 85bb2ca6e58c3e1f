# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The tracer reports exactly the failures that happened: a known prime number of them."""

from collections import Counter

from conftest import LIMIT, needs_three_cpus, needs_two_cpus, run_sample

AA = 997
ABBA = 101


def check(events, run, kinds):
    failed = {r["program"]: r["failed"] for r in run["roles"] if r["failed"]}
    assert Counter(e["prog"]["name"] for e in events) == Counter(failed)
    assert {e["kind"] for e in events} <= kinds, Counter(e["kind"] for e in events)


def test_aa_exact(tracer):
    with tracer() as t:
        run = run_sample("aa", "--count", AA)
    assert run["total"]["failures"]["EDEADLK"] == AA
    assert len(t.events) == AA
    check(t.events, run, {"AA"})
    assert {e["lock"]["name"] for e in t.events} == {"slots[0].lock"}
    assert all(e["held"][0]["name"] == "slots[0].lock" for e in t.events)
    assert all(e["errno"] == "EDEADLK" and e["parties"] == 1 for e in t.events)
    assert t.summary["events"] == AA and t.summary["lost"] == 0


@needs_two_cpus
def test_abba_exact(tracer):
    with tracer() as t:
        run = run_sample("abba", "--count", ABBA)
    failures = run["total"]["failures"]
    assert run["total"]["failed"] >= ABBA
    assert len(t.events) == run["total"]["failed"]
    check(t.events, run, {"ABBA", "TIMEOUT"})
    # A virtual CPU that loses its host CPU for too long ends in a timeout: still counted exactly.
    kinds = Counter(e["kind"] for e in t.events)
    assert (kinds["ABBA"], kinds["TIMEOUT"]) == (failures["EDEADLK"], failures["ETIMEDOUT"])
    assert kinds["ABBA"] > ABBA // 2
    for e in t.events:
        wanted, held = e["lock"]["name"], e["held"][0]["name"]
        assert {wanted, held} == {"lock_a", "lock_b"}, e
        assert (e["prog"]["name"] == "abba_0") == (wanted == "lock_b"), e
    assert t.summary["lost"] == 0


@needs_two_cpus
def test_mixed_exact(tracer):
    """One tracer, several samples: nothing is counted for the wrong program."""
    with tracer() as t:
        aa = run_sample("aa", "--count", 89)
        abba = run_sample("abba", "--count", 23)
        aa_again = run_sample("aa", "--count", 13)
    total = sum(r["total"]["failed"] for r in (aa, abba, aa_again))
    assert len(t.events) == total == t.summary["events"]
    kinds = Counter(e["kind"] for e in t.events)
    assert kinds["AA"] == 102
    assert kinds["ABBA"] + kinds["TIMEOUT"] == abba["total"]["failed"]
    assert t.summary["lost"] == 0


@needs_two_cpus
def test_timeout_exact(tracer):
    with tracer() as t:
        run = run_sample("timeout", "--count", 3)
    timeouts = run["total"]["failures"]["ETIMEDOUT"]
    assert timeouts == 3
    assert Counter(e["kind"] for e in t.events) == {"TIMEOUT": timeouts}
    assert t.summary["lost"] == 0


@needs_three_cpus
def test_cycle(tracer):
    """Three CPUs in a ring: a stock kernel only times out, the tracer may say why."""
    with tracer() as t:
        run = run_sample("abbcca", "--count", 3)
    assert len(t.events) == run["total"]["failed"] >= 3
    assert {e["kind"] for e in t.events} <= {"CYCLE", "TIMEOUT", "ABBA"}
    assert any(e["kind"] == "CYCLE" and e["parties"] == 3 for e in t.events)
    assert t.summary["lost"] == 0


def test_filters(tracer):
    with tracer("--prog", "aa", "--kind", "aa") as t:
        run_sample("aa", "--count", 7)
    assert len(t.events) == 7
    with tracer("--kind", "timeout") as t:
        run_sample("aa", "--count", 7)
    assert t.events == []
    with tracer("--prog", "other") as t:
        run_sample("aa", "--count", 7)
    assert t.events == []


def test_count_ends_the_trace(tracer):
    with tracer("--count", 5) as t:
        run_sample("aa", "--count", 11)
        t.proc.wait(timeout=LIMIT)
    assert len(t.events) == 5


def test_fail_on_event(tracer):
    with tracer("--fail-on-event") as t:
        run_sample("aa", "--count", 2)
    assert t.proc.returncode == 10
    with tracer("--fail-on-event") as t:
        pass
    assert t.proc.returncode == 0
