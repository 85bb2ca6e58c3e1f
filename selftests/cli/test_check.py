# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check: what it finds in the samples, and how it says it."""

import json
import pathlib
import re

import pytest
from bpfobj import pinned
from conftest import BUILD, TOP, needs_locks, rqspin, validator

FOUND, CLEAN, UNSUPPORTED = 10, 0, 3
PROGS = BUILD / "bpf/progs"
SAMPLES = sorted(p.name.removesuffix(".bpf.c") for p in (TOP / "bpf/progs").glob("*.bpf.c"))

# What is wrong with a sample; all others are right.
WRONG = {
    "aa": {"aa"},
    "abba": {"cycle"},
    "abbcca": {"cycle"},
    "dining": {"cycle"},
    "fallback": {"aa"},
    "held_max": {"aa"},
    "out_of_order": {"cycle"},
    "out_of_order_fail": {"refused"},
}
# What cannot be decided: a task and packets take forks, perhaps the same ones.
UNDECIDED = {"dining"}

CORPUS = BUILD / "selftests/check"

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]


def check(*objects, code=None):
    res = rqspin("check", "--json", *objects)
    out = json.loads(res.stdout)
    validator("check.schema.json").validate(out)
    if code is not None:
        assert res.returncode == code, res.stdout + res.stderr
    loud = [f for f in out["findings"] if f["severity"] != "note"]
    assert res.returncode == (FOUND if loud else CLEAN)
    return out


def kinds(out, *severities):
    return {f["kind"] for f in out["findings"] if f["severity"] in severities}


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples(sample):
    obj = PROGS / f"{sample}.bpf.o"
    if rqspin("check", obj).returncode == UNSUPPORTED:
        pytest.skip("the kernel lacks a type that the sample names")
    out = check(obj)
    assert kinds(out, "error", "warning") == WRONG.get(sample, set())
    assert ("undecided" in kinds(out, "note")) == (sample in UNDECIDED)
    # What is left out here for want of trampolines is said.
    assert kinds(out, "note") <= {"undecided", "not-loaded"}


def by_object(out):
    found = {}
    for f in out["findings"]:
        found.setdefault(pathlib.Path(f["object"]).name, []).append(f)
    return found


def test_table():
    """Each cycle that was planted, and nothing else: each object has maps of its own."""
    objects = sorted((CORPUS / "corpus").glob("*.bpf.o"))
    found = by_object(check(*objects, code=FOUND))
    assert len(objects) >= 80
    for obj in objects:
        kinds = {f["kind"] for f in found.get(obj.name, []) if f["severity"] != "note"}
        assert kinds == ({"cycle"} if obj.name.startswith("cycle") else set()), obj.name


def test_planted_cycle_is_told_whole():
    """Of each planted cycle all parties and their locks, in each of the four places."""
    objects = [*(CORPUS / "corpus").glob("cycle_*.bpf.o")]
    long = [o for o in objects if "party_4" in json.dumps(check(o)["programs"])]
    assert len(long) == 4
    for obj in long:
        (cycle,) = check(obj)["findings"]
        assert {s["program"] for s in cycle["stages"]} == {f"party_{n}" for n in range(5)}
        assert len(cycle["stages"]) == 10


SPECIAL = sorted((TOP / "selftests/check/progs").glob("*.bpf.c"))


@pytest.mark.parametrize("source", SPECIAL, ids=lambda p: p.name.removesuffix(".bpf.c"))
def test_special(source):
    out = check(CORPUS / "progs" / source.with_suffix(".o").name)
    severity, kind = re.search(r"/\* (finds|notes): (\w+)", source.read_text()).groups()
    expected = {kind} - {"nothing"}
    assert kinds(out, "error", "warning") == (expected if severity == "finds" else set())
    assert kinds(out, "note") == (expected if severity == "notes" else set())


def test_objects_that_pin_share():
    objects = [CORPUS / f"progs/shared_{side}.bpf.o" for side in ("left", "right")]
    (cycle,) = check(*objects, code=FOUND)["findings"]
    assert {pathlib.Path(s["object"]).name for s in cycle["stages"]} == {o.name for o in objects}


def test_loaded_programs_and_those_of_an_object():
    """What is in the kernel is checked by its instructions, and told by its number."""
    with pinned(PROGS / "abba.bpf.o"):
        out = json.loads(rqspin("check", "--loaded", "--json").stdout)
        validator("check.schema.json").validate(out)
        ours = [f for f in out["findings"] if f["kind"] == "cycle" and "abba_" in f["message"]]
        assert ours and all(s["object"] is None for s in ours[0]["stages"])
        assert "(map " in ours[0]["message"]


def test_dot(tmp_path):
    dot = tmp_path / "locks.dot"
    rqspin("check", "--dot", dot, PROGS / "abba.bpf.o")
    text = dot.read_text()
    assert len(re.findall(r'"lock_a[^"]*" -> "lock_b[^"]*" \[label="abba_0:\d+"\]', text)) == 1
    assert len(re.findall(r'"lock_b[^"]*" -> "lock_a[^"]*" \[label="abba_1:\d+"\]', text)) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["locks.dot"]


def test_sarif():
    res = rqspin("check", "--sarif", PROGS / "abba.bpf.o", PROGS / "out_of_order_fail.bpf.o")
    sarif = json.loads(res.stdout)
    assert res.returncode == FOUND and sarif["version"] == "2.1.0"
    (run,) = sarif["runs"]
    rules = {r["id"] for r in run["tool"]["driver"]["rules"]}
    assert {r["ruleId"] for r in run["results"]} == rules == {"cycle", "refused"}
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith(".bpf.c") and place["region"]["startLine"]
        assert result["level"] in ("error", "warning") and result["message"]["text"]


def test_cycle_has_lines_of_each_edge():
    out = check(PROGS / "abbcca.bpf.o", code=FOUND)
    (cycle,) = out["findings"]
    lines = (TOP / "bpf/progs/abbcca.bpf.c").read_text().splitlines()
    assert len(cycle["stages"]) == 6
    for stage in cycle["stages"]:
        assert stage["file"].endswith("abbcca.bpf.c")
        assert "CYCLE_PARTY" in lines[stage["line"] - 1]
    holds = [re.search(r"takes (lock_\w) here", s["message"])[1] for s in cycle["stages"][::2]]
    assert sorted(holds) == ["lock_a", "lock_b", "lock_c"]


def test_text_is_what_compilers_print():
    res = rqspin("check", PROGS / "aa.bpf.o", cwd=TOP)
    assert res.returncode == FOUND
    assert re.match(
        r"\S*aa\.bpf\.c:\d+: warning: aa takes slots\[0\]\.lock,.* \[aa\]\n", res.stdout
    )
    assert re.search(r"aa\.bpf\.c:\d+: note: +it was taken here", res.stdout)
    assert "1 program, 2 acquisitions, 1 finding, 0 notes" in res.stderr


def test_refusal_has_line_and_fix():
    (refused,) = check(PROGS / "out_of_order_fail.bpf.o", code=FOUND)["findings"]
    assert refused["severity"] == "error"
    assert "bpf_res_spin_unlock cannot be out of order" in refused["message"]
    assert "reverse order" in refused["fix"]
    assert refused["file"].endswith("out_of_order_fail.bpf.c") and refused["line"]


def test_objects_that_share_no_map_share_no_lock():
    out = check(PROGS / "nested.bpf.o", PROGS / "rank.bpf.o", code=CLEAN)
    assert {p["object"] for p in out["programs"]} == {
        str(PROGS / "nested.bpf.o"),
        str(PROGS / "rank.bpf.o"),
    }


@pytest.mark.parametrize(
    "args, code, says",
    [
        ([], 2, "which object"),
        (["/nonexistent.bpf.o"], 1, "/nonexistent.bpf.o: No such file"),
        (["--json", "--sarif", "x.o"], 2, "exclude each other"),
        (["--dot", "/", "x.o"], 2, "--dot /: not a file"),
        (["/etc/os-release"], 1, "/etc/os-release: not a BPF object"),
    ],
)
def test_bad_input(args, code, says):
    res = rqspin("check", *args)
    assert (res.returncode, res.stdout) == (code, "")
    assert says in res.stderr
