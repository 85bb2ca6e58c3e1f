# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin run`: counts, limits, CPUs, the user's own objects, the shape of its JSON."""

import json
import os
import re
import shutil

import jsonschema
import pytest
from conftest import (
    BUILD,
    VERBS,
    cpus,
    needs_locks,
    needs_two_cpus,
    rqspin,
    run_sample,
    skip_without_locks,
    validator,
)

PROGS = BUILD / "bpf/progs"


def samples():
    return json.loads(rqspin("list", "--json").stdout)["samples"]


@pytest.fixture(scope="session")
def run_schema():
    return validator("run.schema.json")


@pytest.mark.parametrize("args", [["aa", "-c", 3], ["nested", "-c", 3]], ids=str)
def test_json_matches_schema(args, run_schema):
    run_schema.validate(run_sample(*args))


def test_json_of_a_path_that_is_no_text(tmp_path, run_schema):
    path = bytes(tmp_path) + b"/\xff.bpf.o"
    shutil.copy(PROGS / "aa.bpf.o", path)
    run = run_sample(os.fsdecode(path), "--roles", "aa", "--count", 2)
    run_schema.validate(run)
    assert run["object"].endswith("/?.bpf.o")


def test_schema_can_fail(run_schema):
    run = run_sample("aa", "-c", 1)
    run["total"]["failed"] = -1
    with pytest.raises(jsonschema.ValidationError):
        run_schema.validate(run)


def test_every_sample_has_its_object():
    missing = [s["name"] for s in samples() if not s["object"]]
    assert not missing


@pytest.mark.parametrize("sample", samples(), ids=lambda s: s["name"])
def test_sample_does_what_is_expected(sample, nothing_left):
    if sample["by_hand"]:
        assert rqspin("run", sample["name"]).returncode == 3
        pytest.skip("driven by hand with bpftool: selftests/samples.sh does it")
    if cpus() < sample["min_cpus"]:
        pytest.skip(f"needs {sample['min_cpus']} CPUs: make vmtest")
    res = rqspin("run", sample["name"], "--json")
    if res.returncode == 3 and sample["needs"]:
        assert "fentry" in res.stderr or "out of order" in res.stderr
        pytest.skip(f"needs {sample['needs']}: {res.stderr.strip()}")
    if res.returncode == 3:
        skip_without_locks()
    assert res.returncode == 0, res.stderr
    assert json.loads(res.stdout)["as_expected"] is True


def test_count_is_exact():
    run = run_sample("aa", "--count", 1009)
    assert run["roles"][0]["rounds"] == run["total"]["failed"] == 1009
    assert run["total"]["acquired"] == 0
    assert run["total"]["latency_ns"]["acquired"] is None
    p = run["total"]["latency_ns"]["failed"]
    assert 0 < p["p50"] <= p["p90"] <= p["p99"] <= p["max"]


@needs_two_cpus
def test_one_role_runs_on_every_cpu_named():
    # not aa: where a kernel looks for AA only at the head of the queue, an owner that queues behind
    # the other CPU waits for that CPU's time limit
    run = run_sample("nested", "--count", 17, "--cpus", "1,0")
    assert [(r["cpu"], r["acquired"]) for r in run["roles"]] == [(1, 17), (0, 17)]
    assert run["total"]["acquired"] == 34


@needs_two_cpus
def test_roles_go_to_the_cpus_named():
    run = run_sample("abba", "--count", 5, "--cpus", "1,0")
    assert [(r["program"], r["cpu"]) for r in run["roles"]] == [("abba_0", 1), ("abba_1", 0)]
    assert all(r["rounds"] >= 5 for r in run["roles"])


def test_roles_that_share_a_cpu_are_told_apart():
    run = run_sample("out_of_order", "--count", 50, "--cpus", "0")
    assert run["counted_by"] == "return"
    assert [(r["cpu"], r["acquired"]) for r in run["roles"]] == [(0, 50), (0, 50)]


def test_program_ids_match_the_trace(tracer):
    with tracer() as t:
        run = run_sample("aa", "--count", 3)
    assert {e["prog"]["id"] for e in t.events} == {run["roles"][0]["program_id"]}


def test_rate_limits_rounds():
    run = run_sample("nested", "--count", 20, "--rate", 100)
    assert run["total"]["acquired"] == 20
    assert run["seconds"] >= 0.19


def test_duration_ends_the_run():
    run = run_sample("nested", "--duration", "300ms")
    assert run["seconds"] >= 0.3
    assert run["total"]["acquired"] == run["roles"][0]["rounds"] > 0


def test_own_object():
    run = run_sample(PROGS / "aa.bpf.o", "--roles", "aa", "--count", 7)
    assert run["total"]["failures"] == {"EDEADLK": 7, "ETIMEDOUT": 0, "other": 0}


def test_own_object_without_counters():
    """Not one of ours: what its programs return is what is counted."""
    own = BUILD / "selftests/progs/aa.bpf.o"
    run = run_sample(own, "--roles", "aa_plain", "--count", 5)
    assert run["counted_by"] == "return"
    assert run["total"]["failures"] == {"EDEADLK": 5, "ETIMEDOUT": 0, "other": 0}


@needs_locks
def test_unexpected_outcome_is_a_failure(tmp_path):
    """An object that never fails under the name of one that always does."""
    harmless = (PROGS / "syscall.bpf.o").read_bytes()
    (tmp_path / "held_max.bpf.o").write_bytes(harmless.replace(b"snapshot", b"held_max"))
    env = {"RQSPIN_PROGS_DIR": str(tmp_path)}
    res = rqspin("run", "held_max", "--count", 3, "--json", env=env)
    assert res.returncode == 1
    assert "expected ok=0, got 3" in res.stderr
    run = json.loads(res.stdout)
    assert run["as_expected"] is False and run["differs"] == "expected ok=0, got 3"


@pytest.mark.parametrize("verb", ["li", "d", "ru"])
def test_prefix(verb):
    assert rqspin(verb, "--help").returncode == 0


@pytest.mark.parametrize("verb", [[], *([v] for v in VERBS)], ids=" ".join)
def test_short_help(verb):
    """-h is --help."""
    short, full = rqspin(*verb, "-h"), rqspin(*verb, "--help")
    assert (short.returncode, short.stdout, short.stderr) == (0, full.stdout, "")


def test_without_verb():
    res = rqspin()
    assert res.returncode == 2 and not res.stdout
    assert re.findall(r"^  (\w+)  +\w", res.stderr, re.M) == VERBS


def test_ambiguous_prefix():
    res = rqspin("", "--help")
    assert res.returncode == 2
    assert "could be any of: list, run" in res.stderr
