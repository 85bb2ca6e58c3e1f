# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin report --perfetto`: trace events that a viewer can draw, with all that the lines say."""

import itertools
import json
import pathlib
import shutil
import subprocess
import sys
from collections import Counter

import pytest
from conftest import LIMIT, RQSPIN, rqspin, validator
from test_report import HOSTILE, check_wrong_use, failure, lock, many, summary, write

VIEWER = pathlib.Path(__file__).parents[3] / "scripts/perfetto.py"
RECORDED = sorted((pathlib.Path(__file__).parent / "replay").glob("*.jsonl"))


def problems(events):
    """What a viewer of trace events would refuse, drop or draw wrongly."""
    tracks = {e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    yield from (f"no name: {e}" for e in events if e["ph"] != "M" and e["tid"] not in tracks)
    yield from badly_nested(events)
    yield from loose_arrows(events)


def slices(events):
    """By track: begin, end, the outer ones first."""
    found = [e for e in events if e["ph"] == "X"]
    found.sort(key=lambda e: (e["tid"], e["ts"], -e["dur"]))
    for track, of_track in itertools.groupby(found, key=lambda e: e["tid"]):
        yield track, [(e["ts"], e["ts"] + e["dur"]) for e in of_track]


def badly_nested(events):
    for track, spans in slices(events):
        stack = []
        for begin, end in spans:
            while stack and stack[-1] <= begin + 0.0005:
                stack.pop()
            if stack and stack[-1] < end - 0.0005:
                yield f"track {track}: {begin} to {end} overlaps what ends at {stack[-1]}"
            stack.append(end)


def loose_arrows(events):
    """Both ends are there once, in this order, each within a slice of its track."""
    spans = dict(slices(events))
    arrows = [e for e in events if e["ph"] in "sf"]
    for id_ in {e["id"] for e in arrows}:
        ends = [e for e in arrows if e["id"] == id_]
        if [e["ph"] for e in ends] != ["s", "f"] or ends[1].get("bp") != "e":
            yield f"arrow {id_}: {ends}"
        if len({(e["cat"], e["name"]) for e in ends}) != 1 or ends[0]["ts"] > ends[1]["ts"]:
            yield f"arrow {id_} is not one: {ends}"
    for e in arrows:
        if not any(begin <= e["ts"] <= end for begin, end in spans.get(e["tid"], [])):
            yield f"an arrow from or to nothing: {e}"


def timeline(tmp_path, lines, *args):
    out = tmp_path / "timeline.json"
    res = rqspin("report", write(tmp_path / "e", lines), "--perfetto", out, *args)
    assert res.returncode == 0, res.stderr
    data = json.loads(out.read_text())
    validator("timeline.schema.json").validate(data)
    assert list(problems(data["traceEvents"])) == []
    return data, res


def of_phase(data, phase):
    return [e for e in data["traceEvents"] if e["ph"] == phase]


def test_every_failure_is_there(tmp_path):
    lines = list(many())
    data, res = timeline(tmp_path, lines)
    failures = [line for line in lines if line["type"] == "failure"]
    marks = of_phase(data, "i")
    assert Counter(e["name"] for e in marks) == Counter(line["kind"] for line in failures)
    assert {e["tid"] for e in marks} == {2 * line["cpu"] + 1 for line in failures}
    assert data["otherData"]["failures"] == len(failures) and data["otherData"]["lost"] == 897
    assert HOSTILE in {e["args"]["program"] for e in marks}
    assert "897 more failures are known by number only" in res.stderr
    assert res.stdout == ""


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.stem)
def test_recorded_failures(tmp_path, recorded):
    (line,) = (json.loads(text) for text in recorded.read_text().splitlines())
    data, _ = timeline(tmp_path, [line])
    (mark,) = of_phase(data, "i")
    waits = of_phase(data, "X")
    if line["wait_ns"] == 0:  # refused at once
        assert waits == []
        return
    own = next(e for e in waits if e["tid"] == 2 * line["cpu"] + 2)
    assert mark["ts"] == pytest.approx(own["ts"] + own["dur"])
    assert own["name"] == f"wants {line['lock']['name']}"
    assert own["dur"] == pytest.approx((line["wait_ns"] or 1000) / 1000)
    assert ("begin" in own["args"]) == (line["wait_ns"] is None)
    whole = line["kind"] == "ABBA" or line["chain"]
    members = {"ABBA": 2, "CYCLE": line["parties"]}.get(line["kind"], 1)
    assert len(waits) == (members if whole or members == 1 else 2)
    arrows = 0 if members == 1 else members if whole else 1
    assert len(of_phase(data, "s")) == arrows


def test_arrows_go_round_a_cycle(tmp_path):
    """Each leads from who waits to who holds what it wants."""
    (line,) = (json.loads(text) for text in RECORDED[4].read_text().splitlines())
    assert line["kind"] == "CYCLE" and line["chain"]
    data, _ = timeline(tmp_path, [line])
    ends = {e["id"]: e["tid"] for e in of_phase(data, "f")}
    pairs = [(e["tid"], ends[e["id"]]) for e in of_phase(data, "s")]
    cpus = [line["cpu"], *(hop["cpu"] for hop in line["chain"])]
    tids = [2 * cpu + 2 for cpu in cpus]
    assert pairs == list(zip(tids, tids[1:] + tids[:1], strict=True))


def test_times_are_those_of_the_lines(tmp_path):
    lines = [
        failure("TIMEOUT", time="2026-11-21T12:00:01.000000Z", wait_ns=250_000_001),
        failure("AA", time="2026-11-21T12:00:00.900000Z"),
    ]
    data, _ = timeline(tmp_path, lines)
    assert data["otherData"]["start"] == "2026-11-21T12:00:00.749999999Z"
    assert [e["ts"] for e in of_phase(data, "i")] == pytest.approx([150_000.001, 250_000.001])


def test_overlaps_and_wild_numbers(tmp_path):
    """Waits that cannot be, since times are not exact, or the file is not trace's."""
    waits = [None, 1, 999, 10**6, 10**9, 10**18, 2**63 - 1]
    times = [f"2026-11-21T12:00:00.{us:06}Z" for us in (0, 1, 500, 501, 999999)]
    lines = [
        failure(kind, time=time, wait_ns=wait, cpu=cpu)
        for time, wait, cpu, kind in itertools.product(times, waits, (0, 2**31), ("AA", "ABBA"))
    ]
    data, _ = timeline(tmp_path, lines)
    assert len(of_phase(data, "i")) == len(lines)


@pytest.mark.parametrize(
    "other", [{"time": "yesterday"}, {"time": "1960-01-01T00:00:00.000000Z"}, {"cpu": 2**40}]
)
def test_what_cannot_be_drawn_is_counted(tmp_path, other):
    data, res = timeline(tmp_path, [failure("AA"), failure("AA", **other)])
    assert (data["otherData"]["failures"], data["otherData"]["left_out"]) == (1, 1)
    assert "1 failure without a time or CPU is left out" in res.stderr


def test_too_many_for_a_viewer(tmp_path):
    events, out = write(tmp_path / "e", itertools.repeat(failure("AA"), 140_000)), tmp_path / "t"
    res = rqspin("report", events, "--perfetto", out)
    data = json.loads(out.read_text())
    about = data["otherData"]
    assert about["failures"] + about["left_out"] == 140_000 and about["left_out"] > 0
    assert len(of_phase(data, "i")) == about["failures"]
    assert f"the last {about['left_out']} failures are left out" in res.stderr


def test_a_name_that_another_line_has(tmp_path):
    lines = [
        failure("AA") | {"prog": {"id": 7, "name": None}},
        failure("AA") | {"prog": {"id": 7, "name": "mine"}},
    ]
    data, _ = timeline(tmp_path, lines)
    assert {e["args"]["program"] for e in of_phase(data, "i")} == {"mine"}


def test_the_owner_of_a_timeout_may_wait_too(tmp_path):
    owner = {"cpu": 2, "pid": 4, "tid": 4, "comm": "t", "held": None, "nr_held": None}
    for wants, waits in ((None, 1), (lock("b"), 2)):
        data, _ = timeline(tmp_path, [failure("TIMEOUT", owner=owner | {"wants": wants})])
        assert len(of_phase(data, "X")) == waits and of_phase(data, "s") == []


def test_no_failures(tmp_path):
    data, _ = timeline(tmp_path, [summary()])
    assert of_phase(data, "i") == [] and "start" not in data["otherData"]


def test_with_a_page_and_with_numbers(tmp_path):
    page = tmp_path / "page.html"
    _, res = timeline(tmp_path, [failure("AA"), summary()], "-o", page)
    assert page.read_text().startswith("<!doctype html>") and res.stdout == ""
    _, res = timeline(tmp_path, [failure("AA"), summary()], "--json")
    assert json.loads(res.stdout)["failures"] == 1


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["one", "--perfetto"], 2, "requires an argument"),
        (["nowhere", "--perfetto", "t"], 1, "nowhere: No such file or directory"),
        (["empty", "--perfetto", "t"], 1, "empty: no events in it"),
        (["one", "--perfetto", "/nowhere/t"], 1, "/nowhere/t: No such file or directory"),
        (["one", "--perfetto", "/dev/null"], 2, "--perfetto: /dev/null is no regular file"),
        (["one", "--perfetto", "."], 2, "--perfetto: . is no regular file"),
        (["one", "--perfetto", "t", "-o", "t"], 2, "--output and --perfetto name one file"),
        (["one", "--perfetto", "t", "-o", "/dev/null"], 2, "--output: /dev/null is no regular"),
    ],
)
def test_wrong_use(tmp_path, args, code, message):
    check_wrong_use(tmp_path, args, code, message)


def test_full_disk(tmp_path):
    """An old timeline stays whole; the limit of file sizes stands for a disk that is full."""
    events, out = write(tmp_path / "e", [failure("AA")]), tmp_path / "timeline.json"
    out.write_text("old")
    cmd = ["prlimit", "--fsize=100", "--", RQSPIN, "report", events, "--perfetto", out]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 1 and f"{out}: File too large" in res.stderr
    assert out.read_text() == "old" and {p.name for p in tmp_path.iterdir()} == {"e", out.name}


def viewed(trace, *args):
    """What Perfetto itself found in a file."""
    cmd = [sys.executable, VIEWER, trace, *args]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=2 * LIMIT)
    assert res.returncode == 0, res.stderr
    return json.loads(res.stdout)


def test_perfetto_opens_it(tmp_path):
    """The viewer draws each failure, wait and arrow, and refuses nothing."""
    if not shutil.which("chromium"):
        pytest.skip("needs chromium: scripts/setup.sh installs it on Debian")
    lines = [json.loads(text) for path in RECORDED for text in path.read_text().splitlines()]
    data, _ = timeline(tmp_path, [*lines, failure("AA", comm=HOSTILE)])
    count = Counter(e["ph"] for e in data["traceEvents"])
    tracks = len({e["tid"] for e in data["traceEvents"] if e["ph"] != "M"})
    shot = tmp_path / "shot.png"
    wait = next(e["name"] for e in data["traceEvents"] if e["ph"] == "X")
    assert viewed(tmp_path / "timeline.json", "--shot", shot, "--select", wait) == {
        "slices": count["X"] + count["i"],
        "flows": count["s"],
        "tracks": tracks,
        "errors": 0,
    }
    assert shot.read_bytes().startswith(b"\x89PNG")
