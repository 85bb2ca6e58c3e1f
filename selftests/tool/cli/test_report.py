# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin report`: the page opens without an error, and its numbers are those of the lines."""

import copy
import itertools
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser

import pytest
from conftest import LIMIT, RQSPIN, rqspin, run_sample, validator

HOSTILE = "</script><b>&\"\\\n\u202e'"
KINDS = ["AA", "ABBA", "CYCLE", "TIMEOUT", "NESTED", "UNKNOWN"]
TRACE = """ERROR: AA or ABBA deadlock detected for bpf_res_spin_lock
Attempted lock   = 0xff23a5e4c2ac497c
Total held locks = 0
CPU: 2 UID: 0 PID: 154 Comm: my tool
Call trace:
bpf_res_spin_lock+0x8f/0xd0
bpf_prog_f4341053c9676354_inner+0xe2/0x104
  err = bpf_res_spin_lock(&again->lock); @ plain.bpf.c:81
bpf_test_run+0x25d/0x460

"""


def lock(name, addr="0x10"):
    names = ("map_type", "internal", "index", "key", "path")
    return {"name": name, "map_id": 3, "map": "m", "addr": addr, **dict.fromkeys(names)}


def failure(kind, prog="mine", name="table[0].lock", **other):
    parties = {"AA": 1, "ABBA": 2, "CYCLE": 3}.get(kind)
    unknown = ("wait_ns", "map_id", "owner", "chain", "joined", "report")
    return {
        "schema": "rqspin-event/2",
        "type": "failure",
        "time": "2026-11-21T12:00:00.000000Z",
        "ts_ns": 1,
        **dict.fromkeys(unknown),
        "kind": kind,
        "parties": parties,
        "err": -35,
        "errno": "EDEADLK",
        "cpu": 1,
        "pid": 7,
        "tid": 7,
        "comm": "task",
        "prog": {"id": 5, "name": prog},
        "lock": lock(name),
        "held": [lock("other.lock", "0x20")],
        "nr_held": 1,
        "at": {"line": 41, "file": "/src/x.bpf.c", "text": None, "call": True},
        "source": "tracepoint",
        "sampled": False,
        **other,
    }


def summary(**other):
    return {
        "schema": "rqspin-event/2",
        "type": "summary",
        **dict.fromkeys(("events", "shown", "repeats", "skipped", "lost"), 0),
        **dict.fromkeys(("programs_missed", "programs_unseen"), 0),
        "kinds": {},
        "totals": [],
        "lost_unknown": False,
        "sources": "tracepoint, ring",
        **other,
    }


def many():
    """Of every kind, programs and locks with hostile names among them, and what was lost."""
    owner = {"cpu": 2, "pid": 4, "tid": 4, "comm": HOSTILE, "held": None, "nr_held": None}
    owner["wants"] = lock("other.lock", "0x20")
    unknown = dict.fromkeys(("tid", "prog", "at", "function"))
    wants = (lock("b", "0x30"), owner["wants"])
    chain = [{"cpu": 2 + i, "wants": wanted, **unknown} for i, wanted in enumerate(wants)]
    choices = itertools.product(KINDS, ["one", "two", HOSTILE], ["l", f"[{HOSTILE}].lock"])
    for i, (kind, prog, name) in enumerate(choices):
        other = {"time": f"2026-11-21T12:00:{i:02}.5{i:05}Z", "report": TRACE if i % 2 else None}
        if kind in ("ABBA", "CYCLE"):
            other["owner"] = owner
        if kind == "CYCLE":
            other["chain"] = chain
        yield from itertools.repeat(failure(kind, prog, name, **other), i % 5 + 1)
    yield failure("UNKNOWN", prog=None, lock=None, map_id=9, at=None, comm=None, held=None)
    totals = [
        {"prog_id": 5, "prog": "one", "kind": "AA", "failures": 900, "lost": 890},
        {"prog_id": None, "prog": None, "kind": None, "failures": 7, "lost": 7},
    ]
    yield summary(
        lost=897, lost_unknown=True, programs_missed=2, map_types_unseen=["ringbuf"], totals=totals
    )


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def events(tmp_path, schema):
    lines = list(many())
    for line in lines:
        schema.validate(line)
    return write(tmp_path / "events.jsonl", lines)


def check_wrong_use(tmp_path, args, code, message):
    """The exit code, what is said, and that nothing is written."""
    (tmp_path / "empty").write_text("")
    write(tmp_path / "one", [failure("AA")])
    res = rqspin("report", *args, cwd=tmp_path)
    assert (res.returncode, res.stdout) == (code, "") and message in res.stderr, res
    assert {p.name for p in tmp_path.iterdir()} == {"empty", "one"}


def numbers(*args, **kw):
    res = rqspin("report", "--json", *args, **kw)
    assert res.returncode == 0, res.stderr
    data = json.loads(res.stdout)
    validator("report.schema.json").validate(data)
    return data


def counts(table):
    return {row["name"]: row["count"] for row in table["rows"]}


def leaves(node):
    if not node["children"]:
        return Counter({node["name"]: node["count"]})
    return sum(map(leaves, node["children"]), Counter())


def test_numbers_are_those_of_the_lines(events):
    data = numbers(events)
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    failures = [line for line in lines if line["type"] == "failure"]
    assert data["lines"] == len(lines) and data["failures"] == len(failures)
    assert data["kinds"] == Counter(f["kind"] for f in failures)
    names = Counter((f["prog"] or {}).get("name") or "program 5" for f in failures)
    assert counts(data["programs"]) == names
    locks = Counter((f["lock"] or {"name": "a lock inside map 9"})["name"] for f in failures)
    assert counts(data["locks"]) == locks == leaves(data["stacks"])
    cycles = sum(f["kind"] in ("AA", "ABBA", "CYCLE") for f in failures)
    assert sum(c["count"] for c in data["cycles"]["rows"]) == cycles
    in_bins = sum((Counter(b) for b in data["timeline"]["bins"]), Counter())
    assert in_bins == Counter(f["kind"] for f in failures)
    assert data["traces"] == sum(bool(f["report"]) for f in failures)
    assert data["summary"]["lost"] == 897 and data["summary"]["lost_unknown"]
    assert data["summary"]["map_types_unseen"] == ["ringbuf"]
    assert [(t["prog"], t["kind"], t["count"], t["lost"]) for t in data["totals"]] == [
        ("one", "AA", 900, 890),
        ("", "", 7, 7),
    ]


def test_stacks_have_the_call_trace(tmp_path):
    data = numbers(write(tmp_path / "e", [failure("AA", report=TRACE), failure("AA")]))
    (task,) = data["stacks"]["children"]
    paths = set()
    for node in task["children"]:
        path = [node["name"]]
        while node["children"]:
            (node,) = node["children"]
            path.append(node["name"])
        paths.add(tuple(path))
    assert paths == {
        ("bpf_test_run", "inner [bpf] at plain.bpf.c:81", "bpf_res_spin_lock", "table[0].lock"),
        ("mine", "x.bpf.c:41", "table[0].lock"),
    }


def test_stacks_that_are_cut(tmp_path):
    """Too deep, or too many of them: how many failures that concerns is told."""
    deep = "Call trace:\n" + "".join(f"f{n}+0x1/0x2\n" for n in range(129)) + "\n"
    lines = [failure("AA", report=deep), failure("AA", report=deep), failure("AA", report=TRACE)]
    data = numbers(write(tmp_path / "deep", lines))
    assert data["stacks_shortened"] == 2
    # Three new branches each, below one task: program, line, lock.
    wide = [failure("AA", prog=f"p{n}") for n in range(7_000)]
    data = numbers(write(tmp_path / "wide", wide))
    assert data["stacks"]["count"] == 7_000
    assert data["stacks_shortened"] == 7_000 - (20_000 - 1) // 3


def test_lines_of_each_member(tmp_path):
    """What the tracepoint knows of the others: program and line, or the kernel's function."""
    at = {"line": 24, "file": "/src/abba.bpf.c", "text": None, "call": True}
    prog = {"cpu": 2, "tid": 9, "wants": lock("b"), "prog": {"id": 6, "name": "its"}, "at": at}
    func = {"cpu": 3, "tid": 9, "wants": lock("other.lock", "0x20"), "prog": None, "at": None}
    chain = [prog | {"function": None}, func | {"function": "htab_map_update_elem"}]
    (cycle,) = numbers(write(tmp_path / "e", [failure("CYCLE", chain=chain)]))["cycles"]["rows"]
    assert cycle["text"] == (
        "mine at x.bpf.c:41 wants table[0].lock and holds other.lock; "
        "its at abba.bpf.c:24 wants b; htab_map_update_elem wants other.lock"
    )
    for label in ("mine", "x.bpf.c:41", "its", "abba.bpf.c:24", "htab_map_update_elem"):
        assert f">{label}</text>" in cycle["svg"], cycle["svg"]


def test_one_graph_for_each_deadlock(tmp_path):
    """Either member fails, and names only itself; together they name both."""

    def abba(prog, wants, holds, **other):
        addr = {"b": "0x10", "a": "0x20"}
        owner = {"cpu": 2, "pid": 4, "tid": 4, "comm": "t", "held": None, "nr_held": None}
        owner["wants"] = lock(holds, addr[holds])
        held = [lock(holds, addr[holds])]
        return failure("ABBA", prog, wants, owner=owner, held=held, nr_held=1, **other)

    lines = [abba("p", "a", "b")] * 3 + [abba("q", "b", "a")] * 2 + [abba("other", "a", "b")]
    rows = numbers(write(tmp_path / "e", lines))["cycles"]["rows"]
    assert [(c["count"], c["text"]) for c in rows] == [
        (5, "p at x.bpf.c:41 wants a and holds b; q at x.bpf.c:41 wants b"),
        (1, "other at x.bpf.c:41 wants a and holds b"),
    ]


def test_a_name_that_another_line_has(tmp_path):
    """A program that was gone, and a map of which only the id was known."""
    bucket = lock("hash conns bucket 1") | {"map_id": 9, "map": "conns"}
    bare = {"lock": None, "map_id": 9}
    lines = [
        failure("AA") | {"prog": {"id": 7, "name": None}},
        failure("UNKNOWN") | {"prog": {"id": 7, "name": "mine"}} | bare,
        failure("ABBA", held=[bucket]) | {"prog": {"id": 8, "name": None}},
    ]
    data = numbers(write(tmp_path / "e", lines))
    assert counts(data["programs"]) == {"mine": 2, "program 8": 1}
    assert counts(data["locks"])["a lock inside map conns"] == 1
    assert data["cycles"]["rows"][0]["text"].startswith("mine at ")
    # Two machines use the same ids for other things.
    lines.append(failure("AA") | {"prog": {"id": 7, "name": "theirs"}})
    data = numbers(write(tmp_path / "e", lines))
    assert counts(data["programs"]) == {"program 7": 1, "mine": 1, "program 8": 1, "theirs": 1}


@pytest.mark.parametrize(
    "losses, says, alarm",
    [
        ({"lost": 0, "lost_unknown": False}, "0", False),
        ({"lost": 0, "lost_unknown": True}, "?", True),
        ({"lost": 0, "lost_unknown": False, "map_types_unseen": ["lru_hash"]}, "?", True),
        ({"lost": 3, "lost_unknown": False}, "3", True),
        ({"lost": 3, "lost_unknown": True}, "≥ 3", True),
    ],
)
def test_losses_are_an_alarm_or_none(tmp_path, losses, says, alarm):
    page = tmp_path / "r.html"
    events = write(tmp_path / "e", [failure("AA"), summary(**losses)])
    assert rqspin("report", events, "-o", page).returncode == 0
    dom, console = chromium(page)
    assert console == []
    (look, text) = re.search(r'<b id="lost" class="(\w+)">([^<]*)<', dom).groups()
    assert (look, text) == ("bad" if alarm else "good", says)


def test_where_it_was_recorded_and_when(tmp_path):
    origin = {"host": HOSTILE, "kernel": "7.3.4", "command": "rqspin trace --json"}
    times = [f"2026-11-21T12:00:{s:02}.000000Z" for s in (0, 10)]
    lines = [failure("AA", time=t) for t in times] + [summary(**origin), summary(), summary()]
    events, page = write(tmp_path / "e", lines), tmp_path / "r.html"
    assert numbers(events)["summary"]["recorded"] == [origin]
    assert rqspin("report", events, "-o", page).returncode == 0
    cells = Cells(chromium(page)[0])
    assert "Linux 7.3.4: rqspin trace --json" in cells.text["recorded"]
    timeline = cells.text["timeline"]
    assert re.match(r"failures per 83.3 ms", timeline) and "+10 s" in timeline
    assert timeline.endswith("time since 2026-11-21 12:00:00.000 UTC")


def test_traces_one_after_the_other(tmp_path):
    again = {k: failure("AA")[k] for k in ("schema", "ts_ns", "kind", "prog", "lock", "at")}
    again |= {"type": "repeat", "again": 4}
    totals = [{"prog_id": 5, "prog": "mine", "kind": "AA", "failures": 5, "lost": 0}]
    one = [failure("AA"), again, summary(events=5, totals=totals, skipped=3)]
    data = numbers(write(tmp_path / "e", [*one, *one]))
    assert (data["failures"], data["repeats"]) == (2, 8)
    assert data["kinds"] == {"AA": 10} and counts(data["programs"]) == {"mine": 10}
    assert [t["count"] for t in data["totals"]] == [10]
    assert data["summary"]["summaries"] == 2 and data["summary"]["skipped"] == 6


def test_what_a_trace_of_today_writes(tmp_path, tracer):
    with tracer() as t:
        run_sample("aa", "--count", 97)
        t.stop()
    data = numbers(t.out)
    (origin,) = data["summary"]["recorded"]
    assert origin["kernel"] == os.uname().release and origin["host"] == os.uname().nodename
    assert " trace --json --ready-file " in origin["command"]
    assert data["failures"] == 97 and data["kinds"] == {"AA": 97}
    assert counts(data["programs"]) == {"aa": 97}
    assert counts(data["locks"]) == {"slots[0].lock": 97}
    assert [t["count"] for t in data["totals"]] == [97]


def chromium(page, *args):
    """The page's elements after its script ran, and what the console said."""
    browser = shutil.which("chromium")
    if not browser:
        pytest.skip("needs chromium: scripts/setup.sh installs it on Debian")
    cmd = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    cmd += [f"--user-data-dir={page}.profile", *args, "--dump-dom", page.as_uri()]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 0, res.stderr
    return res.stdout, [line for line in res.stderr.splitlines() if "CONSOLE" in line]


class Cells(HTMLParser):
    """Text by the id of the element around it, rows of tables, and how often each tag is there."""

    def __init__(self, dom):
        super().__init__()
        self.text, self.rows, self.tags, self.open = {}, [], Counter(), []
        self.in_cell = False
        self.feed(dom)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.open.append(dict(attrs).get("id"))
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag):
        if self.open:
            self.open.pop()
        if tag == "td":
            self.in_cell = False

    def handle_data(self, data):
        for name in filter(None, self.open):
            self.text[name] = self.text.get(name, "") + data
        if self.in_cell:
            self.rows[-1][-1] += data


@pytest.fixture
def page(events, tmp_path):
    page = tmp_path / "report.html"
    res = rqspin("report", events, "-o", page)
    assert (res.returncode, res.stdout, res.stderr) == (0, "", "")
    return page


def test_page_has_the_numbers(page, events):
    dom, console = chromium(page)
    assert console == []
    data, cells = numbers(events), Cells(dom)
    assert cells.text["failures"] == str(data["failures"])
    assert cells.text["lost"] == "≥ 897"
    for kind, count in data["kinds"].items():
        assert cells.text[f"kind-{kind}"] == str(count)
    assert "More failures may have been lost" in cells.text["losses"]
    want = [[str(r["count"]), r["name"]] for t in ("programs", "locks") for r in data[t]["rows"]]
    want += [["900", "890", "one", "AA"], ["7", "7", "others", ""]]
    assert [row for row in cells.rows if row] == want
    for kind in ("AA", "ABBA", "CYCLE"):
        assert f"{kind}" in cells.text["cycles"]
    # Hostile names are text. One graph per cycle, and the timeline; the kinds and counts are bold.
    assert cells.tags["svg"] == len(data["cycles"]["rows"]) + 1
    assert cells.tags["b"] == 2 + len(data["kinds"]) + len(data["cycles"]["rows"])


@pytest.mark.parametrize("width", [360, 1280])
def test_page_fits(page, tmp_path, width):
    """Nothing is wider than the window; the colours are those that the reader prefers."""
    probe = (
        "<script>const css = getComputedStyle(document.body);"
        "document.title = [innerWidth, document.documentElement.scrollWidth,"
        " css.backgroundColor, css.color].join(';')</script></body>"
    )
    copy = tmp_path / "probe.html"
    copy.write_text(page.read_text().replace("</body>", probe))
    colors = set()
    for scheme in ("0", "1"):
        prefer = f"--blink-settings=preferredColorScheme={scheme}"
        dom, console = chromium(copy, f"--window-size={width},900", prefer)
        assert console == []
        inner, wide, back, fore = re.search("<title>(.*)</title>", dom)[1].split(";")
        assert int(wide) <= int(inner), (wide, inner)
        colors.add((back, fore))
    assert len(colors) == 2


def test_an_error_in_the_console_is_seen(page, tmp_path):
    broken = tmp_path / "broken.html"
    broken.write_text(page.read_text().replace('"summary":', '"sum":'))
    assert chromium(broken)[1] != []


def test_page_loads_nothing(page):
    text = page.read_text()
    assert "default-src 'none'" in text
    assert re.findall(r"\b(?:src|href)=\"(?!data:)[^\"]*\"|@import|url\(", text) == []


def test_without_graphviz(events, tmp_path):
    page = tmp_path / "report.html"
    res = rqspin("report", events, "-o", page, env=dict(os.environ, PATH=str(tmp_path)))
    assert res.returncode == 0 and "install graphviz" in res.stderr
    dom, console = chromium(page)
    assert console == [] and Cells(dom).tags["svg"] == 1


def without(member):
    line = failure("AA")
    del line[member]
    return json.dumps(line)


WRONG = [
    ('{"schema":"rqspin-ev', "not JSON"),
    ("nonsense", "not JSON"),
    ("[1, 2]", 'it has no "schema"'),
    ('{"a": 1}', 'it has no "schema"'),
    ('{"schema": "rqspin-stat/1"}', "the schema is 'rqspin-stat/1'"),
    ('{"schema": "rqspin-event/2"}', "the type '' is none of"),
    ('{"schema": "rqspin-event/2", "type": "x"}', "the type 'x' is none of"),
    (without("cpu"), 'a failure without "cpu"'),
    (json.dumps(failure("AA", comm=5)), '"comm" of the failure has the wrong type'),
    (json.dumps(failure("AA", cpu=-1)), '"cpu" of the failure is negative'),
    ("\udcff\udcfe", "not JSON"),
]


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_a_wrong_line_is_named(tmp_path, line, message):
    events, page = tmp_path / "events.jsonl", tmp_path / "report.html"
    good = json.dumps(failure("AA"))
    end = json.dumps(summary())
    text = f"{good}\n\n{line}\n{end}\n"
    events.write_bytes(text.encode("utf-8", "surrogateescape"))
    res = rqspin("report", events, "-o", page)
    assert (res.returncode, res.stdout) == (1, "")
    assert f"{events}:3: " in res.stderr and message in res.stderr and "--skip" in res.stderr
    assert not page.exists()
    data = numbers(events, "--skip")
    assert (data["lines"], data["lines_left_out"], data["failures"]) == (4, 1, 1)


def test_a_trace_that_was_killed(tmp_path):
    """No summary, and half a line: the page says so."""
    events = tmp_path / "events.jsonl"
    line = json.dumps(failure("AA"))
    events.write_text(f"{line}\n{line[:100]}")
    res = rqspin("report", events, "--json")
    assert res.returncode == 1 and ":2: not JSON" in res.stderr and "cut short" in res.stderr
    res = rqspin("report", events, "--skip", "-o", tmp_path / "r.html")
    assert res.returncode == 0 and "1 lines that" in res.stderr
    text = Cells(chromium(tmp_path / "r.html")[0]).text["losses"]
    assert "has no summary" in text and "1 line of the file" in text


def test_no_failures(tmp_path):
    page = tmp_path / "report.html"
    res = rqspin("report", write(tmp_path / "e", [summary()]), "-o", page)
    assert res.returncode == 0, res.stderr
    dom, console = chromium(page)
    assert console == [] and Cells(dom).text["losses"] == "Nothing was lost."


def test_standard_input_and_output(events):
    with open(events) as f:
        res = rqspin("report", "-", stdin=f)
    assert res.returncode == 0 and res.stdout.startswith("<!doctype html>")
    assert '"input":"standard input"' in res.stdout


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ([], 2, "needs a file that 'rqspin trace --json' has written"),
        (["a", "b"], 2, "one argument too many: 'b'"),
        (["nowhere.jsonl"], 1, "nowhere.jsonl: No such file or directory"),
        (["."], 1, ".: Is a directory"),
        (["empty"], 1, "empty: no events in it"),
        (["one", "-o", "/nowhere/r.html"], 1, "/nowhere/r.html: No such file or directory"),
        (["one", "-o", "/dev/null"], 2, "/dev/null is no regular file"),
    ],
)
def test_wrong_use(tmp_path, args, code, message):
    check_wrong_use(tmp_path, args, code, message)


def test_full_disk(events):
    with open("/dev/full", "w") as full:
        cmd = [RQSPIN, "report", events]
        res = subprocess.run(cmd, stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
    assert res.returncode == 1 and "No space left on device" in res.stderr


def test_the_page_does_not_grow_with_the_number_of_events(tmp_path):
    few, lots = tmp_path / "few.html", tmp_path / "lots.html"
    line = copy.deepcopy(failure("AA"))
    for page, nr in ((few, 10), (lots, 20_000)):
        events = write(tmp_path / "e", itertools.repeat(line, nr))
        assert rqspin("report", events, "-o", page).returncode == 0
    assert lots.stat().st_size < few.stat().st_size + 100
