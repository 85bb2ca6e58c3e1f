# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check: what it finds in the samples, and how it says it."""

import json
import pathlib
import platform
import re
import shutil
import subprocess

import pytest
from bpfobj import FLAGS, compile_bpf, pinned
from conftest import BUILD, LIMIT, TOP, needs_locks, rqspin, validator

ARCH = platform.machine()
FOUND, CLEAN, SPENT, UNSUPPORTED = 10, 0, 4, 3
PROGS = BUILD / "bpf/progs"
SAMPLES = sorted(p.name.removesuffix(".bpf.c") for p in (TOP / "bpf/progs").glob("*.bpf.c"))

# What is wrong with a sample; all others are right.
WRONG = {
    "aa": {"aa"},
    "abba": {"cycle"},
    "abbcca": {"cycle"},
    "dining": {"cycle", "interrupt"},
    "fallback": {"aa"},
    "held_max": {"aa"},
    "out_of_order": {"cycle"},
    "out_of_order_fail": {"refused"},
}
# What cannot be decided: the order of a list is not that of the numbers of its nodes (only where
# the kernel lets the program take them).
UNDECIDED = {"hand_over_hand"}

CORPUS = BUILD / "selftests/tool/check"

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]


def valid(res):
    out = json.loads(res.stdout)
    validator("check.schema.json").validate(out)
    loud = [f for f in out["findings"] if f["severity"] != "note" and not f["known"]]
    spent = any(m.get("budget") for p in out["programs"] for m in p["incomplete"])
    assert res.returncode == (FOUND if loud else SPENT if spent else CLEAN)
    return out


def check(*objects, code=None):
    res = rqspin("check", "--json", *objects, timeout=LIMIT * (1 + len(objects) // 40))
    if code is not None:
        assert res.returncode == code, res.stdout + res.stderr
    return valid(res)


def kinds(out, *severities):
    return {f["kind"] for f in out["findings"] if f["severity"] in severities}


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples(sample):
    res = rqspin("check", "--json", PROGS / f"{sample}.bpf.o")
    if res.returncode == UNSUPPORTED:
        pytest.skip("the kernel lacks a type that the sample names")
    out = valid(res)
    assert kinds(out, "error", "warning") == WRONG.get(sample, set())
    undecided = sample in UNDECIDED and out["acquisitions"] != []
    assert ("undecided" in kinds(out, "note")) == undecided
    # What is left out here for want of trampolines is said.
    # Lists and trees: test_check_leak.py.
    weak = {"assumed"} if sample == "hand_over_hand" else set()
    assert kinds(out, "note") <= {"undecided", "not-loaded", "leak"} | weak


def by_object(out):
    found = {}
    for f in out["findings"]:
        found.setdefault(pathlib.Path(f["object"]).name, []).append(f)
    return found


def test_corpus():
    """Each cycle that was planted, and nothing else: each object has maps of its own."""
    objects = sorted((CORPUS / "corpus").glob("*.bpf.o"))
    found = by_object(check(*objects, code=FOUND))
    kinds = [o.name.split("_")[0] for o in objects]
    assert kinds.count("cycle") >= 40 and kinds.count("clean") >= 40
    for obj in objects:
        kinds = {f["kind"] for f in found.get(obj.name, []) if f["severity"] != "note"}
        assert kinds == ({"cycle"} if obj.name.startswith("cycle") else set()), obj.name


def test_corpus_cycle_is_told_whole():
    """Of each planted cycle all parties and their locks, in each of the four places."""
    sources = (CORPUS / "corpus").glob("cycle_*.bpf.c")
    long = [s.with_suffix(".o") for s in sources if "party_4" in s.read_text()]
    assert len(long) == 4
    for obj in long:
        (cycle,) = check(obj)["findings"]
        assert {s["program"] for s in cycle["stages"]} == {f"party_{n}" for n in range(5)}
        assert len(cycle["stages"]) == 10


SPECIAL = sorted((TOP / "selftests/tool/check/progs").glob("*.bpf.c"))


@pytest.mark.parametrize("source", SPECIAL, ids=lambda p: p.name.removesuffix(".bpf.c"))
def test_corpus_special(source):
    res = rqspin("check", "--json", CORPUS / "progs" / source.with_suffix(".o").name)
    if res.returncode == UNSUPPORTED:
        pytest.skip("the kernel lacks a function that the program names")
    out = valid(res)
    severity, kind = re.search(r"/\* (finds|notes): (\w+)", source.read_text()).groups()
    expected = {kind} - {"nothing"}
    assert kinds(out, "error", "warning") == (expected if severity == "finds" else set())
    assert kinds(out, "note") == (expected if severity == "notes" else set())


def test_functions_of_their_own_are_named():
    """A program whose callback takes the locks in the other order: both names."""
    (cycle,) = check(CORPUS / "progs/bad_many_callbacks.bpf.o", code=FOUND)["findings"]
    holders = {s["message"].split(" takes")[0] for s in cycle["stages"][::2]}
    assert holders == {"starts", "starts (in last)"}


@pytest.mark.parametrize(
    ("name", "gets"),
    [
        ("bad_interrupt", "gets -EDEADLK"),
        ("bad_interrupt_arena", "gives up, mostly with -ETIMEDOUT"),
    ],
)
def test_an_interrupt_says_what_the_inner_one_gets(name, gets):
    res = rqspin("check", "--json", CORPUS / f"progs/{name}.bpf.o")
    if res.returncode == UNSUPPORTED:
        pytest.skip("the kernel has no arenas")
    (found,) = valid(res)["findings"]
    assert found["kind"] == "interrupt"
    assert found["stages"][0]["message"].endswith(f" takes it here, and {gets}")


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


def test_what_is_left_out_is_in_the_json():
    """A note says it to people, a member of the program to programs."""
    out = check(CORPUS / "progs/note_many_held.bpf.o", code=CLEAN)
    (prog,) = out["programs"]
    # 40 are taken, 36 can be remembered.
    assert prog["incomplete"] == [{"what": "held", "count": 4}]
    (note,) = out["findings"]
    assert "more than 36 locks" in note["message"] and note["program"] == "many_held"
    whole = check(PROGS / "nested.bpf.o")["programs"]
    assert [p["incomplete"] for p in whole] == [[]] * len(whole)


def test_budget():
    """Too many sets of held locks: the program is named, the other one is judged."""
    objects = [CORPUS / "progs/spent_too_many_paths.bpf.o", PROGS / "nested.bpf.o"]
    out = check(*objects, code=SPENT)
    (left,) = [p for p in out["programs"] if p["incomplete"]]
    assert left["name"] == "many_sets"
    (what,) = left["incomplete"]
    assert (what["what"], what["budget"]) == ("paths", True) and "budget" in what["why"]
    (note,) = out["findings"]
    assert (note["kind"], note["program"]) == ("incomplete", "many_sets")
    assert check(PROGS / "aa.bpf.o", objects[0], code=FOUND)


def test_approximations_are_counted():
    """A loop over unknown numbers: what was forgotten is told beside a finding."""
    res = rqspin("check", "--json", PROGS / "abba.bpf.o")
    rough = [p["approximated"] for p in json.loads(res.stdout)["programs"]]
    told = re.search(
        r"in 2 programs \((\d+) comparisons, (\d+) states, (\d+) numbers\)", res.stderr
    )
    sums = [sum(r[k] for r in rough) for k in ("conditions", "joined", "expressions")]
    assert sums[1] and [int(n) for n in told.groups()] == sums


def test_dot(tmp_path):
    dot = tmp_path / "locks.dot"
    rqspin("check", "--dot", dot, PROGS / "abba.bpf.o")
    text = dot.read_text()
    assert len(re.findall(r'"lock_a[^"]*" -> "lock_b[^"]*" \[label="abba_0:\d+"\]', text)) == 1
    assert len(re.findall(r'"lock_b[^"]*" -> "lock_a[^"]*" \[label="abba_1:\d+"\]', text)) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["locks.dot"]
    if shutil.which("dot"):
        svg = subprocess.run(["dot", "-Tsvg", dot], capture_output=True, text=True, check=True)
        assert svg.stderr == "" and svg.stdout.count('class="edge"') == 2


def test_dot_that_cannot_be_written():
    """The findings are printed all the same, and what is missing has its exit code."""
    res = rqspin("check", "--dot", "/nonexistent/locks.dot", PROGS / "abba.bpf.o")
    assert res.returncode == 1
    assert "--dot /nonexistent/locks.dot: No such file" in res.stderr
    assert "[cycle]" in res.stdout


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


NOTED = CORPUS / "progs/note_same_map.bpf.o"


def test_notes_that_are_errors():
    """Keys that are not known: a note, or what fails."""
    check(NOTED, code=CLEAN)
    for kinds_ in ("undecided", "aa,undecided", "all"):
        out = valid(rqspin("check", "--json", f"--error={kinds_}", NOTED))
        assert kinds(out, "error") == {"undecided"}
    assert kinds(valid(rqspin("check", "--json", "--error=aa", NOTED)), "error") == set()


def test_undecided_notes_are_in_the_summary():
    res = rqspin("check", NOTED)
    notes = len(re.findall(r"note: .*\[undecided\]", res.stdout))
    text = "it" if notes == 1 else "them"
    assert notes and f"{notes} undecided: --error=undecided counts {text}\n" in res.stderr
    for how in (("--error=undecided", NOTED), (PROGS / "nested.bpf.o",)):
        assert "undecided: --error" not in rqspin("check", *how).stderr


def test_baseline(tmp_path):
    """What is known is neither printed nor counted; what is new is."""
    known = tmp_path / "known.json"
    old = [PROGS / "aa.bpf.o", NOTED]
    res = rqspin("check", "--write-baseline", known, *old)
    assert (res.returncode, res.stdout) == (CLEAN, "")
    found = json.loads(known.read_text())["findings"]
    assert {f["kind"] for f in found} == {"aa", "undecided"}
    res = rqspin("check", "--error=all", "--baseline", known, *old)
    assert (res.returncode, res.stdout) == (CLEAN, "")
    assert f"{len(found)} known, in the baseline; 0 of it found no longer" in res.stderr
    res = rqspin("check", "--baseline", known, *old, PROGS / "abba.bpf.o")
    assert res.returncode == FOUND
    assert "[cycle]" in res.stdout and "[aa]" not in res.stdout
    res = rqspin("check", "--baseline", known, NOTED)
    assert "1 known, in the baseline; 1 of it found no longer" in res.stderr


def test_baseline_survives_other_lines(tmp_path):
    """A comment more above the program, in another folder."""
    text = (TOP / "bpf/progs/aa.bpf.c").read_text()
    flags = [*FLAGS, "-I", TOP / "bpf/progs", "-idirafter", f"/usr/include/{ARCH}-linux-gnu"]
    objects = []
    for name, head in (("one", ""), ("two", "/* Two lines */\n\n")):
        (tmp_path / name).mkdir()
        objects.append(compile_bpf(tmp_path / name / "aa.bpf.c", head + text, flags))
    known = tmp_path / "known.json"
    rqspin("check", "--write-baseline", known, objects[0])
    out = valid(rqspin("check", "--json", "--baseline", known, objects[1]))
    (finding,) = out["findings"]
    assert finding["known"] and finding["line"] != check(objects[0])["findings"][0]["line"]
    sarif = json.loads(rqspin("check", "--sarif", "--baseline", known, objects[1]).stdout)
    (result,) = sarif["runs"][0]["results"]
    assert result["baselineState"] == "unchanged"
    assert result["partialFingerprints"] == {"rqspin/v1": finding["id"]}


@pytest.mark.parametrize(
    "text, says",
    [
        (None, "No such file"),
        ("{", "known.json: "),
        ("{}", "not what --write-baseline writes"),
        ('{"schema": "rqspin-check-baseline/1", "findings": [{}]}', 'finding 1 has no "id"'),
    ],
)
def test_bad_baseline(tmp_path, text, says):
    known = tmp_path / "known.json"
    if text is not None:
        known.write_text(text)
    res = rqspin("check", "--baseline", known, PROGS / "aa.bpf.o")
    assert (res.returncode, res.stdout) == (1, "") and says in res.stderr
    assert f"--baseline {known}" in res.stderr


@pytest.mark.parametrize(
    "args, code, says",
    [
        (["--error=cycle,none", "x.o"], 2, "there is no kind 'none'"),
        (["--error=", "x.o"], 2, "there is no kind ''"),
        (["--write-baseline", "/", "x.o"], 2, "--write-baseline /: not a file"),
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
