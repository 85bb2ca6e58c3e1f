# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin replay`: what was recorded happens again, and what cannot happen again is refused.

Fixtures in replay/ were recorded with 'rqspin trace --json -- rqspin run SAMPLE': on 7.x, where the
cycle is sampled, and on the patched 6.12 (names with -6.12), whose events have the whole chain. The
build makes a replay of each in build/selftests/tool/cli/replay, for machines without a compiler.
"""

import copy
import json
import pathlib
import shutil
import subprocess

import pytest
from conftest import (
    BUILD,
    LIMIT,
    RQSPIN,
    cpus,
    needs_locks,
    needs_two_cpus,
    rqspin,
    validator,
)

HERE = pathlib.Path(__file__).parent / "replay"
FIXTURES = sorted(p.stem for p in HERE.glob("*.jsonl"))
COMPILED = BUILD / "selftests/tool/cli/replay"
# What else may come of one that has no CPU for a while, as in guests.
OTHERS = {"AA": set(), "TIMEOUT": set(), "ABBA": {"TIMEOUT"}, "CYCLE": {"TIMEOUT", "ABBA"}}
SAMPLES = {"aa": 1, "abba": 2, "abbcca": 3, "timeout": 2}


@pytest.fixture
def traced(tracer, schema):
    """The failures of a command of ours; others may run programs, too."""

    def run(*command):
        with (
            tracer() as t,
            subprocess.Popen([RQSPIN, *map(str, command)], stdout=subprocess.PIPE) as proc,
        ):
            proc.communicate(timeout=LIMIT)
        assert proc.returncode == 0
        for event in t.events:
            schema.validate(event)
        return [e for e in t.events if e["pid"] == proc.pid]

    return run


def first(events, kind):
    return next(i for i, e in enumerate(events, 1) if e["kind"] == kind)


def plan(events, *args):
    res = rqspin("replay", events, "--json", *args)
    assert res.returncode == 0, res.stderr
    data = json.loads(res.stdout)
    validator("replay.schema.json").validate(data)
    return data


def same_kind(events, wanted):
    """At least one is of the wanted kind and size, and none of a kind that cannot come of it."""
    kind, parties = wanted["kind"], wanted["parties"]
    assert {e["kind"] for e in events} <= {kind} | OTHERS[kind], events
    assert any((e["kind"], e["parties"]) == (kind, parties) for e in events), events


def order(events, locks):
    """Which lock was wanted while which was held, as indices of the plan's locks."""
    where = {}
    for i, lock in enumerate(locks):
        where[lock["name"], lock["key"]] = i

    def index(lock):
        if lock["map"].startswith("."):
            return where[lock["path"], None]
        return where[lock["map"], lock["index"]]

    return {(index(e["held"][-1]), index(e["lock"])) for e in events if e["held"]}


def wanted_of(path):
    events = [json.loads(line) for line in path.read_text().splitlines()]
    return next(e for e in events if e["type"] == "failure")


def enough_cpus(parties):
    if cpus() < parties:
        pytest.skip(f"needs {parties} CPUs: make vmtest")


@needs_locks
@pytest.mark.parametrize("name", FIXTURES)
def test_built_in(name, traced):
    """Needs no compiler."""
    wanted = wanted_of(HERE / f"{name}.jsonl")
    enough_cpus(wanted["parties"] or 2)
    events = traced("replay", HERE / f"{name}.jsonl", "--run")
    same_kind(events, wanted)
    assert all(e["prog"]["name"].startswith("replay_") for e in events if e["prog"])


@needs_locks
@pytest.mark.parametrize("name", FIXTURES)
def test_compiled(name, traced):
    """With the event's names, and its locks in the same order."""
    path = HERE / f"{name}.jsonl"
    wanted = wanted_of(path)
    enough_cpus(wanted["parties"] or 2)
    events = traced("run", COMPILED / name / "replay.bpf.o")
    same_kind(events, wanted)
    data = plan(path)
    programs = {p["program"] for p in data["parties"]}
    assert wanted["prog"]["name"] in programs
    assert {e["prog"]["name"] for e in events if e["prog"]} <= programs
    edges = {(p["holds"], p["wants"]) for p in data["parties"]}
    assert order(events, data["locks"]) <= edges


@needs_locks
@pytest.mark.parametrize("sample", SAMPLES)
def test_recorded_here(sample, tmp_path, traced):
    """From a failure on this kernel to the same on this kernel, all by hand."""
    enough_cpus(SAMPLES[sample])
    kind = {"aa": "AA", "abba": "ABBA", "abbcca": "CYCLE", "timeout": "TIMEOUT"}[sample]
    file = tmp_path / "events.jsonl"
    recorded = traced("run", sample, "--count", 3)
    file.write_text("".join(json.dumps(e) + "\n" for e in recorded))
    nr = first(recorded, kind)
    data = plan(file, "--event", nr, "-o", tmp_path / "replay")
    assert data["object"] == ("compiled" if can_compile(tmp_path / "replay") else "built-in")
    events = traced("run", tmp_path / "replay/replay.bpf.o")
    same_kind(events, recorded[nr - 1])


def can_compile(folder):
    res = subprocess.run(["make", "-s", "-C", folder, "can-compile"], capture_output=True)
    return res.returncode == 0


def compiled(folder, events, *args):
    """A replay that must be compiled here."""
    data = plan(events, "-o", folder, *args)
    if not can_compile(folder):
        pytest.skip("needs clang and libbpf's headers")
    assert data["object"] == "compiled"
    return data


def edited(tmp_path, name, **changes):
    event = copy.deepcopy(wanted_of(HERE / f"{name}.jsonl")) | changes
    path = tmp_path / "edited.jsonl"
    path.write_text(json.dumps(event) + "\n")
    return path


def lock(name, addr, **other):
    unknown = dict.fromkeys(("map_id", "map", "map_type", "internal", "index", "key", "path"))
    return {"name": name, "addr": addr, **unknown, **other}


def element(kind, place, addr, **other):
    name = f"flows[{place}].state.guard"
    where = {"index": place} if kind == "array" else {"key": str(place)}
    table = {"map_id": 9, "map": "flows", "map_type": kind, "path": "state.guard"}
    return lock(name, addr, **table | where | other)


def cycle(tmp_path, locks, **changes):
    """An event of the patched 6.12: a cycle through these locks."""
    unknown = dict.fromkeys(("prog", "at", "function", "tid"))
    chain = [{"cpu": i, "wants": w, **unknown} for i, w in enumerate(locks[2:] + locks[:1])]
    nr = len(locks)
    kind = "ABBA" if nr == 2 else "CYCLE"
    members = {"kind": kind, "parties": nr, "chain": chain, "owner": None, "held": None}
    return edited(tmp_path, "abba-7", lock=locks[1], **members | changes)


@needs_locks
@needs_two_cpus
@pytest.mark.parametrize("kind", ["hash", "lru_hash", "array"])
def test_locks_in_maps(kind, tmp_path, traced):
    """In the same kind of map, under the same keys."""
    path = cycle(tmp_path, [element(kind, 7, "0x10"), element(kind, 3, "0x20")])
    data = compiled(tmp_path / "replay", path)
    where = "array" if kind == "array" else "hash"
    assert [(k["where"], k["name"], k["key"]) for k in data["locks"]] == [
        (where, "flows", 7),
        (where, "flows", 3),
    ]
    events = traced("run", tmp_path / "replay/replay.bpf.o")
    same_kind(events, wanted_of(path))
    shown = "flows[{}].guard" if kind == "array" else "flows[key {}].guard"
    assert {e["lock"]["name"] for e in events} <= {shown.format(7), shown.format(3)}


@needs_locks
@needs_two_cpus
def test_places_that_do_not_fit(tmp_path, traced):
    """A huge index, keys that are no numbers, a lock without a name: still two locks."""
    far = [element("array", 9000000, "0x10"), element("array", 9000001, "0x20")]
    text = [element("hash", 0, f"0x{i}", key="c0ffee" + i) for i in "12"]
    for locks in (far, text, [lock(None, "0x10"), lock(None, "0x20")]):
        shutil.rmtree(tmp_path / "replay", ignore_errors=True)
        path = cycle(tmp_path, locks)
        compiled(tmp_path / "replay", path)
        events = traced("run", tmp_path / "replay/replay.bpf.o")
        same_kind(events, wanted_of(path))


HOSTILE = ["int", "main", "ready", "printf", "*/ #error", "a\nb\\", "\u202eää", "SEC", "9lives"]


@needs_locks
@needs_two_cpus
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(name, tmp_path, traced):
    """Of programs, locks, maps, tasks and files: the source compiles and says nothing else."""
    locks = [element("array", 0, "0x10"), lock(name, "0x20", path=name, map_id=3, map=".data.x")]
    locks[0] |= {"map": name, "path": name, "name": f"{name}[0].{name}"}
    changes = {"comm": name, "at": {"line": 3, "file": name, "text": name, "call": True}}
    path = cycle(tmp_path, locks, prog={"id": 3, "name": name}, **changes)
    compiled(tmp_path / "replay", path)
    events = traced("run", tmp_path / "replay/replay.bpf.o")
    same_kind(events, wanted_of(path))
    assert (
        "#error"
        not in subprocess.run(
            ["cpp", "-fpreprocessed", "-dD", "-P", tmp_path / "replay/replay.bpf.c"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )


@needs_locks
@needs_two_cpus
def test_names_that_meet(tmp_path, traced):
    """A map called as the look-up function of another one, and a program as that of a map."""
    locks = [
        element("array", 0, "0x10", map="flows", map_id=9),
        element("array", 0, "0x20", map="flows_at", map_id=10),
    ]
    path = cycle(tmp_path, locks, prog={"id": 3, "name": "flows_at_at"})
    data = compiled(tmp_path / "replay", path)
    names = [k["name"] for k in data["locks"]] + [p["program"] for p in data["parties"]]
    assert len(set(names)) == 4
    events = traced("run", tmp_path / "replay/replay.bpf.o")
    same_kind(events, wanted_of(path))


def test_longest_cycle(tmp_path):
    """33 CPUs, as many as an event can show."""
    path = cycle(tmp_path, [lock("l", f"0x{i}", path="l") for i in range(33)])
    data = plan(path, "-o", tmp_path / "replay")
    assert len({p["program"] for p in data["parties"]}) == 33
    assert len({k["name"] for k in data["locks"]}) == 33
    assert [(p["holds"], p["wants"]) for p in data["parties"]] == [
        (i, (i + 1) % 33) for i in range(33)
    ]
    res = rqspin("run", tmp_path / "replay/replay.bpf.o", "--cpus", "0-1")
    assert res.returncode == 2 and "needs 33 CPUs, one per role" in res.stderr


INSIDE = element("hash", 1, "0x10", internal="bucket")
REFUSED = {
    "nested": ({"kind": "NESTED"}, "kind NESTED"),
    "unknown": ({"kind": "UNKNOWN", "parties": None}, "only its errno is known"),
    "no_parties": ({"kind": "CYCLE", "parties": None}, "how many CPUs were in the cycle"),
    "wrong_parties": ({"kind": "ABBA", "parties": 3}, "is not that of its kind"),
    "too_many": ({"kind": "CYCLE", "parties": 34}, "more than 33 CPUs"),
    "inside_a_map": ({"lock": INSIDE, "held": [INSIDE], "kind": "AA"}, "inside maps"),
    "map_operation": ({"lock": None, "map_id": 3, "kind": "AA"}, "inside maps"),
    "short_chain": (
        {"kind": "CYCLE", "parties": 4, "chain": [{"cpu": 1, "wants": None}]},
        'missing in "chain"',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case, tmp_path):
    changes, why = REFUSED[case]
    path = edited(tmp_path, "abba-7", **changes)
    for args in ([], ["--run"], ["-o", tmp_path / "replay"], ["--json"]):
        res = rqspin("replay", path, *args)
        assert (res.returncode, res.stdout) == (3, "")
        assert "cannot be replayed: " in res.stderr and why in res.stderr
    assert not (tmp_path / "replay").exists()


def test_one_lock_twice(tmp_path):
    path = cycle(tmp_path, [lock("a", "0x10"), lock("b", "0x20"), lock("a", "0x10")])
    res = rqspin("replay", path)
    assert res.returncode == 3 and "that two CPUs hold it" in res.stderr


def test_some_locks_inside_a_map(tmp_path):
    """The others make the cycle: the map's lock is replaced by one of the program's own."""
    locks = [INSIDE | {"addr": "0x30"}, lock("b", "0x20", path="b")]
    data = plan(cycle(tmp_path, locks))
    assert [k["inside_map"] for k in data["locks"]] == [True, False]
    res = rqspin("replay", tmp_path / "edited.jsonl")
    assert res.returncode == 0 and "inside a map in the event" in res.stdout


def test_which_event(tmp_path):
    """--event counts failures, not lines; what is said of others."""
    texts = [(HERE / f"{name}-7.jsonl").read_text() for name in ("timeout", "aa", "abba")]
    path = tmp_path / "all.jsonl"
    path.write_text("".join(texts))
    kinds = [json.loads(line).get("kind") for line in "".join(texts).splitlines()]
    places = [i for i, kind in enumerate(kinds, 1) if kind]
    for nr, place in enumerate(places, 1):
        data = plan(path, "--event", nr)
        assert data["kind"] == kinds[place - 1] and data["event"] == nr
        assert data["from"].endswith(f"all.jsonl, line {place}")
    res = rqspin("replay", path)
    assert res.returncode == 0 and f"has {len(places)} failures; this is the first" in res.stderr
    res = rqspin("replay", path, "--event", len(places) + 1)
    assert (res.returncode, res.stdout) == (2, "")
    assert f"--event {len(places) + 1}: {path} has {len(places)} failures" in res.stderr


def test_bad_input(tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n" + (HERE / "aa-7.jsonl").read_text())
    res = rqspin("replay", bad)
    assert res.returncode == 1 and "bad.jsonl:1: not a line of 'rqspin trace --json'" in res.stderr
    res = rqspin("replay", bad, "--skip", "--json")
    assert res.returncode == 0 and "1 lines" in res.stderr
    assert json.loads(res.stdout)["from"].endswith("bad.jsonl, line 2")
    bad.write_text("")
    res = rqspin("replay", bad)
    assert (res.returncode, res.stdout) == (1, "") and "no failure in it" in res.stderr
    res = rqspin("replay", tmp_path / "none")
    assert res.returncode == 1 and "none: No such file" in res.stderr
    assert rqspin("replay").returncode == 2
    res = rqspin("replay", bad, "--run", "-o", tmp_path)
    assert res.returncode == 2 and "exclude each other" in res.stderr


def test_standard_input():
    with open(HERE / "aa-7.jsonl") as events:
        res = rqspin("replay", "-", stdin=events)
    assert res.returncode == 0 and "standard input, line " in res.stdout


def test_folder(tmp_path):
    """Its own files are replaced, others never."""
    source = tmp_path / "replay/replay.bpf.c"
    for name in ("aa-7", "timeout-7"):
        plan(HERE / f"{name}.jsonl", "-o", tmp_path / "replay")
        res = rqspin("replay", HERE / f"{name}.jsonl")
        assert res.returncode == 0 and source.read_text() == res.stdout
    for name in ("notes.txt", "Makefile"):
        other = tmp_path / name / "other"
        other.mkdir(parents=True)
        (other / name).write_text("mine")
        res = rqspin("replay", HERE / "aa-7.jsonl", "-o", other)
        assert res.returncode == 1 and "new" in res.stderr
        assert [p.name for p in other.iterdir()] == [name]
        assert (other / name).read_text() == "mine"
    res = rqspin("replay", HERE / "aa-7.jsonl", "-o", source)
    assert res.returncode == 1 and "Not a directory" in res.stderr


@needs_locks
def test_without_a_compiler(tmp_path, traced):
    """The object in the folder is the built-in one, until make has a compiler."""
    folder = tmp_path / "replay"
    res = rqspin(
        "replay", HERE / "aa-7.jsonl", "-o", folder, env={"PATH": "/usr/bin", "CLANG": "-"}
    )
    assert res.returncode == 0 and "a built-in object" in res.stderr
    made = {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}
    assert all(made["replay.bpf.o"] < made[name] for name in made.keys() - {"replay.bpf.o"})
    events = traced("run", folder / "replay.bpf.o")
    same_kind(events, wanted_of(HERE / "aa-7.jsonl"))
    assert {e["prog"]["name"] for e in events} == {"replay_aa"}
    if can_compile(folder):
        subprocess.run(["make", "-s", "-C", folder], check=True)
        events = traced("run", folder / "replay.bpf.o")
        assert {e["prog"]["name"] for e in events} == {"aa"}


@needs_locks
def test_run_is_judged(tmp_path):
    """As a sample is: --json is that of run, an object says what must come out."""
    res = rqspin("replay", HERE / "aa-7.jsonl", "--run", "--json")
    data = json.loads(res.stdout)
    validator("run.schema.json").validate(data)
    assert res.returncode == 0 and data["as_expected"] is True
    assert data["total"]["failures"]["EDEADLK"] == data["roles"][0]["rounds"] == 100
    plan(HERE / "aa-7.jsonl", "-o", tmp_path / "replay")
    image = (tmp_path / "replay/replay.bpf.o").read_bytes()
    assert image.count(b"ok=0 EDEADLK=1\0") == 1
    wrong = tmp_path / "wrong.bpf.o"
    wrong.write_bytes(image.replace(b"ok=0 EDEADLK=1\0", b"ok=1 EDEADLK=0\0"))
    res = rqspin("run", wrong)
    assert res.returncode == 1 and "expected ok=100, got 0" in res.stderr


def test_description_is_checked(tmp_path):
    """Roles that are not there, none at all."""
    plan(HERE / "aa-7.jsonl", "-o", tmp_path / "replay")
    shutil.rmtree(tmp_path / "replay/none", ignore_errors=True)
    folder = tmp_path / "replay"
    res = rqspin(
        "replay", HERE / "aa-7.jsonl", "-o", folder, env={"PATH": "/usr/bin", "CLANG": "-"}
    )
    assert res.returncode == 0, res.stderr
    image = (folder / "replay.bpf.o").read_bytes()
    roles = b"replay_aa" + bytes(100)
    assert image.count(roles) == 1
    wrong = tmp_path / "wrong.bpf.o"
    wrong.write_bytes(image.replace(roles, b",replay_a" + bytes(100)))
    res = rqspin("run", wrong)
    assert res.returncode == 2 and "does not say what to run" in res.stderr
    wrong.write_bytes(image.replace(roles, b"x" * len(roles)))
    assert rqspin("run", wrong).returncode in (1, 3)
