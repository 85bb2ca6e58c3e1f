# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Campaigns: resumed, interrupted, refused, spread over workers, reported."""

import dataclasses
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import types

import campaign as campaigns
import charts
import compare
import machine
import markup
import places
import pytest
import quality
import report
import sources
import store
import styles
import tables
import workers
from conftest import measure
from errors import CampaignError
from machine import TOP

HERE = pathlib.Path(__file__).parent
LAB = [sys.executable, str(HERE / "rqspin-lab")]
LIMIT = 120
# The background jobs of a script ignore it, and so would the campaigns that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
TOY = '''
title = "Toy"
about = "<script>alert(1)</script>"
tries = 1
command = """echo cell {round} {n} >>{log}; {extra}
          echo '{{"x": {n}, "events": {{"y": 2}}}}' """
[axes]
round = [1, 2, 3]
n = [1, 2, 4]
lock = ["a", "b"]
[fixed]
log = "LOG"
extra = ""
[quick]
round = [1]
[[table]]
name = "toy"
title = "Toy table"
rows = "n"
columns = "lock"
value = "x / events.y"
digits = 1
relative = "a"
[[chart]]
title = "Toy chart"
x = "n"
y = "x"
unit = "x of a round"
series = "lock"
'''


@pytest.fixture
def toy(tmp_path, monkeypatch):
    folder = tmp_path / "campaigns"
    folder.mkdir()
    (folder / "toy.toml").write_text(TOY.replace("LOG", str(tmp_path / "log")))
    monkeypatch.setattr(campaigns, "FOLDER", folder)
    return tmp_path


def measured(toy):
    log = toy / "log"
    return log.read_text().splitlines() if log.exists() else []


def run(st, where=None, stop_after=None):
    st.prepare()
    for i, (cell, outcome) in enumerate(workers.run(st.missing(), where)):
        st.add(cell, outcome)
        if i + 1 == stop_after:
            return


def test_stops_and_goes_on(toy):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st, stop_after=7)
    assert len(measured(toy)) == 7 and len(st.missing()) == 11
    kept = {p: p.read_bytes() for p in st.cells.iterdir()}
    run(st)
    assert len(measured(toy)) == 18 and st.missing() == []
    assert all(p.read_bytes() == text for p, text in kept.items())
    run(st)
    assert len(measured(toy)) == 18
    assert len(st.frame()) == 18 and set(st.frame()["events.y"]) == {2}
    csv, out = st.export()
    assert len(csv.read_text().splitlines()) == 19
    data = json.loads(out.read_text())
    assert data["machine"]["cpus"] >= 1 and len(data["cells"]) == 18


def test_killed_at_once(toy):
    """Killed before the head was there: the leftovers are not in the way."""
    folder = toy / "r/toy"
    (folder / "cells").mkdir(parents=True)
    (folder / ".campaign.json.1234").write_text("{")
    st = store.Store(folder, campaigns.load("toy", quick=True))
    run(st)
    assert st.missing() == []


def test_nothing_is_overwritten(toy):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st)
    cell = next(iter(st.campaign.cells()))
    with pytest.raises(FileExistsError):
        st.add(cell, {"result": {"x": 99}, "load": 0.0, "seconds": 0.0})
    assert st.read(cell)["result"]["x"] == 1
    assert [p for p in st.cells.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": "rqspin-cell/1"}', '{"x": 1}', b"\xff\xfe".decode("latin1")]
)
def test_corrupt_cell(toy, text):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st, stop_after=1)
    path = next(st.cells.iterdir())
    path.write_text(text, encoding="latin1")
    with pytest.raises(CampaignError, match=re.escape(str(path))):
        st.missing()


def test_foreign_results(toy, monkeypatch):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st, stop_after=2)
    one, two = st.cells.iterdir()
    two.write_bytes(one.read_bytes())
    with pytest.raises(CampaignError, match=f"{two.name}.*another cell"):
        st.missing()
    monkeypatch.setattr(machine, "facts", lambda: {"cpu": "another"})
    with pytest.raises(CampaignError, match="another machine"):
        st.prepare()
    other = toy / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(CampaignError, match="not empty"):
        store.Store(other, st.campaign).prepare()
    assert [p.name for p in other.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("text", ["[1]", "{}", '{"machine": {}}', None])
def test_corrupt_head(toy, text):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st, stop_after=1)
    path = st.folder / store.HEAD
    path.unlink()
    if text:
        path.write_text(text)
    for use in (st.frame, st.prepare):
        with pytest.raises(CampaignError, match=re.escape(str(st.folder))):
            use()


def test_strangers_are_refused(toy):
    """A cell of another campaign, or a file that somebody has left there."""
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st, stop_after=1)
    (st.cells / "notes.txt").write_text("mine")
    for use in (st.frame, st.missing):
        with pytest.raises(CampaignError, match="notes.txt: no cell of toy"):
            use()
    with pytest.raises(CampaignError, match="no such folder"):
        store.Store(toy / "r/none", st.campaign).frame()


@pytest.mark.parametrize(
    ("result", "why"), [({}, "without a result"), ({"x": "abc"}, "x is no number: 'abc'")]
)
def test_figures_are_numbers(toy, result, why):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st)
    cell = next(iter(st.campaign.cells()))
    path = st.cells / f"{cell.key}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "result": result}))
    with pytest.raises(CampaignError, match=f"{cell.key}.*{why}"):
        tables.build(st.frame(), st.campaign.tables[0])


@pytest.mark.parametrize(
    ("extra", "why"), [("false;", "status 1"), ("exit 0;", "no line of JSON"), ("echo {;", None)]
)
def test_failing_cell(toy, extra, why):
    toml = campaigns.FOLDER / "toy.toml"
    toml.write_text(toml.read_text().replace('extra = ""', f'extra = "set -e; {extra}"'))
    st = store.Store(toy / "r/toy", campaigns.load("toy", quick=True))
    if why is None:
        run(st)
        return
    with pytest.raises(CampaignError, match=why):
        run(st)
    assert list(st.cells.iterdir()) == []


def lab(toy, *args, **kwargs):
    """The command itself, with the toy as its campaigns."""
    code = (
        f"import sys, pathlib, runpy; sys.path.insert(0, {str(HERE)!r}); import campaign; "
        f"campaign.FOLDER = pathlib.Path({str(campaigns.FOLDER)!r}); "
        f"sys.argv = ['rqspin-lab'] + {list(map(str, args))!r}; "
        f"runpy.run_path({LAB[1]!r}, run_name='__main__')"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        **kwargs,
    )  # fmt: skip


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGKILL])
def test_interrupted(toy, sig):
    """In the middle of the third cell, which writes to a FIFO and then waits for ever."""
    toml, fifo = campaigns.FOLDER / "toy.toml", toy / "fifo"
    os.mkfifo(fifo)
    stop = f"if [ {{round}}{{n}} = 12 ]; then echo >{fifo}; exec sleep 1000; fi;"
    plain = toml.read_text()
    toml.write_text(plain.replace("{extra}", stop))
    proc = lab(toy, "run", "--results", toy / "r", "toy")
    fifo.read_text()
    proc.send_signal(sig)
    err = proc.communicate(timeout=LIMIT)[1]
    assert proc.returncode == (130 if sig == signal.SIGINT else -9)
    assert sig == signal.SIGKILL or "the same command goes on" in err
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    assert len(st.frame()) == 2
    toml.write_text(plain.replace("{extra}", stop.replace("= 12", "= never")))


def test_worker_is_killed(toy):
    """The first cell kills the worker it is on: another one runs it, the rest are not lost."""
    toml, once = campaigns.FOLDER / "toy.toml", toy / "once"
    kill = f"if mkdir {once} 2>/dev/null; then kill -9 $PPID; sleep 1; fi;"
    toml.write_text(toml.read_text().replace("{extra}", kill))
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st, "local:2")
    assert once.exists() and st.missing() == [] and len(st.frame()) == 18


def test_a_cell_that_kills_every_worker(toy):
    toml = campaigns.FOLDER / "toy.toml"
    toml.write_text(toml.read_text().replace("{extra}", "kill -9 $PPID; sleep 1;"))
    st = store.Store(toy / "r/toy", campaigns.load("toy", quick=True))
    with pytest.raises(CampaignError, match="it has ended 3 workers"):
        run(st, "local:1")


def sockets(pid):
    """Network addresses that the process or one of its children listens at."""
    pids = [pid, *subprocess.run(["pgrep", "-P", str(pid)], capture_output=True).stdout.split()]
    found = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    return [line for line in found.splitlines() for p in pids if f"pid={int(p)}," in line]


def test_local_workers_have_no_network(toy):
    """Workers are reached through pipes, and a failing cell ends all of them."""
    toml, fifo = campaigns.FOLDER / "toy.toml", toy / "fifo"
    os.mkfifo(fifo)
    stop = (
        f"if [ {{round}}{{n}}{{lock}} = 11a ]; then echo $PPID >{fifo}; cat {fifo} >/dev/null; fi;"
    )
    toml.write_text(toml.read_text().replace("{extra}", stop))
    proc = lab(toy, "run", "--results", toy / "r", "--dask", "local:2", "toy")
    fifo.read_text()
    assert sockets(proc.pid) == []
    fifo.write_text("go on")
    assert proc.communicate(timeout=LIMIT) and proc.returncode == 0
    assert len(store.Store(toy / "r/toy", campaigns.load("toy")).frame()) == 18


@pytest.mark.parametrize("where", ["local:", "local:0", "local:x", "local:-1"])
def test_a_wrong_number_of_workers(toy, where):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    with pytest.raises(CampaignError, match="local:N with a number"):
        run(st, where)


def test_a_cluster_needs_a_key(toy, monkeypatch):
    """Whoever reaches a scheduler runs commands: no root, no address without TLS, no open key."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(CampaignError, match="not as root"):
        workers.check_cluster("tls://127.0.0.1:1", toy / "key")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(CampaignError, match="neither local:N nor tls"):
        workers.check_cluster("tcp://127.0.0.1:8786", toy / "key")
    with pytest.raises(CampaignError, match="needs --key FILE"):
        workers.check_cluster("tls://127.0.0.1:1", None)
    with pytest.raises(CampaignError, match="No such file"):
        workers.check_cluster("tls://127.0.0.1:1", toy / "key")
    workers.make_key(toy / "key")
    workers.check_cluster("tls://127.0.0.1:1", toy / "key")
    with pytest.raises(CampaignError, match="is there already"):
        workers.make_key(toy / "key")
    (toy / "key").chmod(0o644)
    with pytest.raises(CampaignError, match="others may read it"):
        workers.check_cluster("tls://127.0.0.1:1", toy / "key")


CLUSTER = """
import os
import pathlib
import sys
sys.path.insert(0, {here!r})
import campaign, store, workers
from distributed import LocalCluster
from distributed.security import Security
from errors import CampaignError

def main():
    os.geteuid = lambda: 1000  # the tests may run as root
    campaign.FOLDER = pathlib.Path({folder!r})
    for name in ("key", "other"):
        workers.make_key({toy!r} + "/" + name)
    names = ("tls_ca_file", "tls_client_cert", "tls_client_key", "tls_scheduler_cert",
             "tls_scheduler_key", "tls_worker_cert", "tls_worker_key")
    security = Security(require_encryption=True, **dict.fromkeys(names, {toy!r} + "/key"))
    with LocalCluster(n_workers=1, threads_per_worker=1, protocol="tls://", security=security,
                      dashboard_address=":0", local_directory={toy!r}) as cluster:
        where = cluster.scheduler_address
        try:
            list(workers.run([1], where, {toy!r} + "/other"))
        except CampaignError as err:
            print("other key:", err)
        st = store.Store(pathlib.Path({toy!r}) / "r/toy", campaign.load("toy", quick=True))
        st.prepare()
        for cell, outcome in workers.run(st.missing(), where, {toy!r} + "/key"):
            st.add(cell, outcome)
        print("measured:", len(st.frame()))

if __name__ == "__main__":
    main()
"""


def test_a_cluster_with_a_key(toy):
    """Cells run on the cluster, and a client with another key is refused."""
    script = toy / "cluster.py"
    script.write_text(CLUSTER.format(here=str(HERE), toy=str(toy), folder=str(campaigns.FOLDER)))
    cmd = [sys.executable, script]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT, cwd=toy)
    assert "measured: 6" in res.stdout, res.stdout + res.stderr
    assert "other key: no Dask scheduler with this key" in res.stdout, res.stdout


def head_with(toy, **machine_has):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st, stop_after=1)
    path = st.folder / store.HEAD
    head = json.loads(path.read_text())
    head["machine"] |= machine_has
    path.write_text(json.dumps(head))
    return st


@pytest.mark.parametrize("key", ["cpu", "cpus", "kernel", "date", "commit"])
def test_facts_about_a_machine_have_their_types(toy, key):
    wrong = 5 if machine.TYPES[key] is str else "<b>x"
    st = head_with(toy, **{key: wrong})
    with pytest.raises(CampaignError, match=f'"{key}" of the machine is no'):
        st.frame()


@pytest.mark.parametrize("member", ["others", "steal", "load", "seconds", "mhz"])
def test_shares_are_numbers(toy, member):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st, stop_after=1)
    (path,) = st.cells.iterdir()
    path.write_text(json.dumps({**json.loads(path.read_text()), member: "high"}))
    with pytest.raises(CampaignError, match="not a cell"):
        st.frame()


def test_facts_are_text_in_the_page(toy):
    st = head_with(toy, cpu="<b>cpu", kernel="<b>kernel", date="<b>date", commit="<b>commit")
    report.campaign_page(st, toy, svg=False)
    page = (toy / "toy.html").read_text()
    assert "<b>" not in page.replace("<b>%{", "") and "&lt;b&gt;commit" in page


HUGE = "9" * 400
RESULTS = [
    ('{"rows": 5}', '"rows" of the result is no list'),
    ('{"rows": [1, 2]}', '"rows" of the result is no list'),
    ('{"x": 1, "load": "high"}', 'has a "load" of its own'),
    ('{"rows": [{"cell": 1}]}', 'has a "cell" of its own'),
    (f'{{"x": {HUGE}}}', "x is larger than any figure"),
    ('{"x": 1, "a": ' + '{"a": ' * 50 + "1" + "}" * 51, "objects in each other"),
    ("[" * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(("result", "why"), RESULTS, ids=[why for _, why in RESULTS])
def test_results_that_are_none(toy, result, why):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st, stop_after=1)
    (path,) = st.cells.iterdir()
    text = path.read_text()
    at = text.index('"result": ') + len('"result": ')
    path.write_text(text[:at] + result + text[text.index(', "load"') :])
    for use in (st.frame, st.missing):
        with pytest.raises(CampaignError, match=why):
            use()


@pytest.mark.parametrize("name", ["{toy}/other/toy", "../other/toy", "./toy", "", "toy.toml"])
def test_a_campaign_is_a_name(toy, name):
    """A name is no path: its command would run, and its results would be anywhere."""
    (toy / "other").mkdir()
    shutil.copy(campaigns.FOLDER / "toy.toml", toy / "other")
    with pytest.raises(CampaignError, match="no campaign '"):
        campaigns.load(name.format(toy=toy))


def test_no_link_is_followed(toy):
    st = store.Store(toy / "r/toy", campaigns.load("toy", quick=True))
    run(st)
    (toy / "mine").write_text("precious")
    for name in ("cells.csv", "cells.json"):
        (st.folder / name).symlink_to(toy / "mine")
    (toy / "toy.html").symlink_to(toy / "mine")
    st.export()
    report.campaign_page(st, toy, svg=False)
    assert (toy / "mine").read_text() == "precious"
    assert sorted(p.name for p in st.folder.iterdir()) == [
        "campaign.json",
        "cells",
        "cells.csv",
        "cells.json",
    ]


def test_table_and_compare(toy):
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st)
    spec = st.campaign.tables[0]
    table = tables.build(st.frame(), spec)
    assert list(table.columns) == ["a", "b", "b rel"]
    assert table["a"].to_dict() == {1: "0.5 ±0.0", 2: "1.0 ±0.0", 4: "2.0 ±0.0"}
    assert set(table["b rel"]) == {"+0 % (+0 to +0)"}
    both = compare.build(st.frame(), st.frame().assign(x=lambda f: f.x * 2), st.campaign, "x")
    assert set(both["B / A"]) == {"2.000"} and set(both["intervals apart"]) == {"yes"}
    first = st.frame().query("round == 1")
    both = compare.build(first, st.frame(), st.campaign, "x")
    assert set(both["intervals apart"]) == {"one round"}
    assert compare.left_out(first, st.frame(), st.campaign) == 0
    assert compare.left_out(first.iloc[1:], st.frame(), st.campaign) == 1
    with pytest.raises(CampaignError, match="no 'z'"):
        tables.build(st.frame(), spec | {"value": "z"})


def test_table_of_the_first_document():
    """Deviations have columns, ratios are factors; published columns can be in expressions."""
    frame = store.pd.DataFrame(
        {"threads": n, "lock": lock, "x": x * n}
        for n in (1, 2)
        for lock, values in {"ql": (90.0, 110.0), "rql": (72.0, 88.0)}.items()
        for x in values
    )
    spec = {"title": "open1", "rows": "threads", "columns": "lock", "value": "x", "digits": 0}
    spec |= {"style": "speedup"}
    spec |= {"relative": "ql", "published": "rqspinlock-2025.csv"}
    spec |= {"published_where": {"benchmark": "open1", "arch": "x86_64"}}
    spec |= {"published_eval": {"speedup": "rql / ql"}}
    table = tables.build(frame, spec)
    ours = table.loc[2, ["ql", "ql stddev", "ql stddev %", "rql", "rql speedup"]]
    assert list(ours) == ["200", "28", "14.14", "160", "0.80"]
    assert table.loc[4, "ql"] == "-" and table.loc[4, "published speedup"] == 0.7
    assert not {"published benchmark", "published arch"} & set(table.columns)


def test_a_ratio_is_one_inside_a_round():
    """Its interval is that of the rounds; the machine was twice as fast in the second one."""
    frame = store.pd.DataFrame(
        {"round": n, "threads": 1, "lock": lock, "x": x}
        for n, one, other in ((1, 100, 90), (2, 200, 160), (3, 100, 110))
        for lock, x in (("a", one), ("b", other))
    )
    spec = {"title": "t", "rows": "threads", "columns": "lock", "value": "x", "relative": "a"}
    assert tables.build(frame, spec).loc[1, "b rel"] == "-10 % (-20 to +10)"
    factor = tables.build(frame, spec | {"style": "speedup"})
    assert factor.loc[1, "b speedup"] == "0.90 (0.80 to 1.10)"
    assert tables.build(frame[frame["round"] == 3], spec).loc[1, "b rel"] == "+10 %"
    equal = frame.assign(x=[1000 if lock == "a" else 999 for lock in frame["lock"]])
    assert tables.build(equal, spec).loc[1, "b rel"] == "+0 % (+0 to +0)"
    alone = frame[(frame["round"] != 2) | (frame["lock"] != "a")]
    assert tables.build(alone, spec).loc[1, "b rel"] == "+0 % (-10 to +10)"


def test_rows_are_in_an_order_that_tells():
    """Numbers by size; names as they were measured, also where a lock has not all of them."""
    spec = {"title": "t", "rows": "r", "columns": "lock", "value": "x"}
    rows = [("z", "a"), ("b", "a"), ("y", "a"), ("y", "b")]
    frame = store.pd.DataFrame([{"r": r, "lock": lock, "x": 1} for r, lock in rows])
    assert list(tables.build(frame, spec).index) == ["z", "b", "y"]
    frame["r"] = [24, 1, 4, 4]
    assert list(tables.build(frame, spec).index) == [1, 4, 24]


def test_cycles_are_drawn_by_members():
    """Apart from stalls, which are 5 orders of magnitude longer, and from AA."""
    c = campaigns.load("resilience")
    figures = [charts.build(frame_of("resilience"), s, c.all_axes)[0] for s in c.charts]
    cycles, own, crowd, stalls = ([t.x for t in figure.data] for figure in figures)
    assert cycles == [(2, 3)] * 2 and figures[0].layout.yaxis.type == "log"
    assert stalls == [(2,)] * 2 and own == [("AA",)] * 2 and crowd == [("2, 1 behind",)] * 2
    assert figures[0].layout.yaxis.title.text == "time to the first error, us"
    assert figures[3].layout.yaxis.title.text == "from the call to the time limit, ms"


POINT = {
    "backoff": {"threads": [1, 2, 24], "lock": ["ticket", "ticket-50x", "rqspinlock"]},
    "micro": {
        "layout": ["standalone", "embedded"],
        "threads": [1, 2],
        "lock": ["queued-cmpxchg", "rqspinlock"],
    },
    "resilience": {
        "scenario": ["AA", "ABBA", "cycle of 3", "2 + 2*1 behind", "stalled owner, 2 wait"],
        "lock": ["rqspinlock", "upstream"],
    },
    "bpf": {
        "place": ["host"],
        "what": ["hash", "hash_no_prealloc", "lru_hash", "bpf_res_spin_lock"],
        "mix": ["few", "-"],
        "threads": [1, 2],
    },
    "maps": {
        "kernel": ["6.12-rqspin-base", "6.12-rqspin-lean"],
        "what": ["hash", "hash_no_prealloc", "lru_hash"],
        "mix": ["98 % lookups", "no lookups"],
    },
    "locktorture": {
        "place": ["6.12-rqspin-base queue 2", "6.12-rqspin-lean queue 2"],
        "long_hold": [0, 100],
        "lock": ["raw_spin_lock", "rtmutex_lock"],
        "writers": [1, 2],
    },
    "will-it-scale": {"test": ["open1", "lock1"], "threads": [1, 2], "place": ["host", "guest"]},
    "rql": {"test": ["open1", "lock1"], "threads": [1, 2], "lock": ["qspinlock", "rqspinlock"]},
    "pv": {"threads": [2, 4], "lock": ["pv-queued", "unfair"]},
    "flows": {"kernel": ["debian-7", "6.12-rqspin-lean"], "case": ["own", "hot"]},
    "storm": {
        "kernel": ["debian-7", "6.12-rqspin-lean"],
        "lock": ["own", "shared"],
        "storm": ["none", "abba"],
    },
    "convoy": {"kernel": ["debian-7", "6.12-rqspin-lean"], "program": ["tight", "calls"]},
}
FIGURES = {"per_second": 1e6, "ns_each": 1e3, "failed": 3, "most": 2, "least": 1, "ops": 10,
           "longest_ms": 1, "timeouts": 0, "events.unfair": 1, "events.queued": 3,
           "per_second.p50": 1e6, "p50_ns.p50": 50, "p99_ns.p50": 90, "p50_ns": 50, "p99_ns": 90,
           "longest_timed_ns": 1e6, "one_victim": 9, "rounds": 10,
           "bystander_errors": 0}  # fmt: skip
GROUPS = {"AA": "aa", "ABBA": "ring", "cycle of 3": "ring", "2 + 2*1 behind": "crowd",
          "stalled owner, 2 wait": "stall"}  # fmt: skip


def frame_of(name, rounds=2):
    """A row for each point of a campaign, as its command prints them."""
    axes = {"round": range(1, rounds + 1), **POINT[name]}
    rows = [dict(zip(axes, row, strict=True)) for row in itertools.product(*axes.values())]
    for row in rows:
        row |= {"group": GROUPS[row["scenario"]]} if "scenario" in row else {}
    return store.pd.DataFrame({**row, **FIGURES} for row in rows)


def frame_of_unlike(name):
    """One round, in which no two rows have the same figure."""
    frame = frame_of(name, rounds=1)
    for i, figure in enumerate(FIGURES, 1):
        frame[figure] = [i + n**0.5 for n in range(1, len(frame) + 1)]
    return frame


@pytest.mark.parametrize("name", campaigns.names())
def test_nothing_is_pooled(name):
    """No table or chart of ours is a mean over anything but rounds."""
    c, frame = campaigns.load(name), frame_of(name)
    assert set(POINT[name]) <= set(c.all_axes)
    for spec in c.tables:
        tables.build(frame, spec, c.all_axes)
    assert all(charts.build(frame, spec, c.all_axes) for spec in c.charts)


def test_the_overview_tells_a_story(tmp_path):
    """Every campaign has its place, deadlocks first."""
    stores = [
        types.SimpleNamespace(campaign=campaigns.load(name), frame=lambda n=name: frame_of(n))
        for name in campaigns.names()
    ]
    report.overview(stores, tmp_path)
    pages = re.findall('<h2><a href="(.*?).html"', (tmp_path / "index.html").read_text())
    assert pages == list(report.STORY) and pages[0] == "resilience"


def spec_named(name, table):
    return next(s for s in campaigns.load(name).tables if s["name"] == table)


# Percentiles, owners, counters; recoveries; stalls.
FIGURES.update(
    {f"wait_ns.{name}": 900 for name in ("p50", "p99", "p999")}
    | {"owner.changes_each": 0.4, "owner.run_p50": 2, "owner.run_p99": 30}
    | {f"counters.{name}": 70 for name in ("cycles", "instructions", "cache_misses")}
    | {"counters.context_switches": 5, "seconds": 1, "tries": 4, "held_ms": 10.5}
    | {f"recovery.{who}_{p}_ns": 800 for who in ("again", "anybody") for p in ("p50", "p99")}
)
POINT["stalls"] = {"waiters": [1, 4], "hold_ms": [10, 300], "lock": ["rqspinlock", "upstream"]}
POINT.setdefault(
    "micro",
    {"layout": ["standalone", "embedded"], "threads": [1, 2], "lock": ["ticket", "cna"]},
)


@pytest.mark.parametrize("name", ["micro", "stalls"])
def test_nothing_more_is_pooled(name):
    test_nothing_is_pooled(name)


def test_what_no_machine_counted_is_on_no_page():
    """Older results have no such columns, a machine without counters has them empty."""
    c, frame = campaigns.load("micro"), frame_of("micro")
    titles = [spec["title"] for spec in c.tables]
    assert [t for t in titles if f"<h2>{t}" in "".join(report._tables(c, frame))] == titles
    counted = [name for name in frame if name.startswith(("counters.", "owner."))]
    for less in (frame.drop(columns=counted), frame.assign(**dict.fromkeys(counted))):
        page = "".join(report._tables(c, less))
        assert [t for t in titles if f"<h2>{t}" in page] == titles[:2]
    c, frame = campaigns.load("pv"), frame_of("pv")
    less = frame.drop(columns="wait_ns.p99")
    assert len(report._figures(c, frame)) == len(report._figures(c, less)) + 1


def test_a_mean_over_an_axis_is_refused():
    """Two workloads of locktorture, three numbers of threads in one interval."""
    spec = dict(spec_named("locktorture", "locktorture-rtmutex"))
    spec["where"] = {"lock": "rtmutex_lock"}
    axes = campaigns.load("locktorture").all_axes
    with pytest.raises(CampaignError, match=r"would be a mean over long_hold \(0, 100\)"):
        tables.build(frame_of("locktorture"), spec, axes)
    c = campaigns.load("bpf")
    with pytest.raises(CampaignError, match=r"would be a mean over threads \(1, 2\)"):
        charts.build(frame_of("bpf"), c.charts[0] | {"facets": "mix"}, c.all_axes)


def test_values_of_a_round_are_added_up():
    c = campaigns.load("bpf")
    table = tables.build(frame_of("bpf"), spec_named("bpf", "bpf-failed"), c.all_axes)
    assert set(table["host 1"]) == {"6 ±0"}


def test_published_figures_have_the_workload_of_ours():
    """The documents have the module's long holds, and unfair acquisitions as counts."""
    for table in ("locktorture", "locktorture-rtmutex"):
        assert spec_named("locktorture", table)["where"]["long_hold"] == 100
    c, spec = campaigns.load("pv"), spec_named("pv", "pv-queued-unfair")
    table = tables.build(frame_of("pv"), spec, c.all_axes)
    assert table.loc[2, "unfair"] == "0.25 ±0.00"
    shares = [x for x in table["published hybrid PV"] if x != "-"]
    assert shares == [0.03, 0.03, 0.58, 0.75, 0.84]


@pytest.mark.parametrize("name", campaigns.names())
def test_chart_and_table_have_one_unit(name):
    """A point is a cell of a table with the unit of the chart; a chart without a table says so."""
    c, frame = campaigns.load(name), frame_of_unlike(name)
    shown = [table for table in c.tables if not table.get("published_only")]
    for spec in c.charts:
        same = [table for table in shown if table["value"] == spec["y"]]
        assert bool(same) == ("tables" in spec)
        units = {table["unit"]: set() for table in same}
        for table in same:
            units[table["unit"]] |= set(tables.cells(frame, table, c.all_axes)["mean"])
        figures = charts.build(frame, spec, c.all_axes)
        for figure in figures:
            unit = figure.layout.yaxis.title.text.rpartition(", ")[2]
            assert all(set(trace.y) <= units[unit] for trace in ours_of(figure))
        assert sum(len(trace.y) for figure in figures for trace in figure.data) > 1


def ours_of(figure):
    return [trace for trace in figure.data if ": " not in trace.name]


def theirs_of(figure):
    return [trace for trace in figure.data if ": " in trace.name]


def test_published_columns_stand_first_and_are_marked():
    c = campaigns.load("backoff")
    table = tables.build(frame_of("backoff"), c.tables[0], c.all_axes)
    published = [name for name in table if name.startswith("published ")]
    assert list(table)[:3] == published
    page = markup._table(table, c.tables[0])
    heads = re.findall('<th colspan="([0-9]+)" halign="left">(.*?)</th>', page)
    assert heads == [
        ("3", "<em>published: van Riel 2013</em>"),
        (str(len(table.columns) - 3), "measured here"),
    ]
    assert '<col class="published" span="3">' in page
    for row in re.findall("<tr>(.*?)</tr>", page.partition("<tbody>")[2], re.DOTALL):
        marks = [cell.startswith("<em>") for cell in re.findall("<td>(.*?)</td>", row)]
        assert marks == [True] * 3 + [False] * (len(table.columns) - 3)
    toy = tables.pd.DataFrame({"<b>": ["<i>"]}, index=["<u>"])
    assert not re.search("<[biu]>|<em>|colgroup", markup._table(toy, {"rows": "<b>"}))


def test_published_points_stand_beside_ours():
    c, frame = campaigns.load("backoff"), frame_of("backoff")
    (figure,) = charts.build(frame, c.charts[0], c.all_axes)
    theirs = {trace.name: trace for trace in theirs_of(figure)}
    locks = ("ticket", "ticket-50x", "ticket-250x")
    assert list(theirs) == [f"van Riel 2013: {lock}" for lock in locks]
    fifty = theirs["van Riel 2013: ticket-50x"]
    assert (fifty.x, fifty.y) == ((24,), (400.0,))
    for trace in theirs.values():
        assert trace.visible is True and trace.marker.symbol.endswith("-open")
        assert trace.marker.symbol.removesuffix("-open") not in styles.MARKS
        assert trace.line.dash not in styles.DASHES
    many = frame.assign(
        lock=[f"{lock}-{n}" for lock, n in zip(frame.lock, frame.threads, strict=True)]
    )
    (figure,) = charts.build(many, c.charts[0], c.all_axes)
    assert {trace.visible for trace in theirs_of(figure)} == {"legendonly"}


@pytest.mark.parametrize("name", ["rql", "pv", "locktorture", "micro"])
def test_what_has_the_axes_of_published_figures_shows_them(name):
    c, frame = campaigns.load(name), frame_of(name)
    figures = [f for spec in c.charts for f in charts.build(frame, spec, c.all_axes)]
    assert any(theirs_of(figure) for figure in figures)
    for table in c.tables:
        if "published" in table:
            assert re.fullmatch(r"[\w ]+ 20\d\d", tables.author(table["published"]))


def test_a_chart_has_one_unit():
    c, frame = campaigns.load("rql"), frame_of("rql")
    with pytest.raises(CampaignError, match="several units: opens and closes per second, locks"):
        charts.build(frame, c.charts[0] | {"x": "test", "facets": "threads"}, c.all_axes)
    with pytest.raises(CampaignError, match="rql: a chart of no table: rql-none"):
        campaigns.Campaign("rql", c.data | {"chart": [{"tables": ["rql-none"]}]})


@pytest.mark.parametrize("name", campaigns.names())
def test_units_say_of_what(name):
    for table in campaigns.load(name).tables:
        assert not re.match("((thousand|million) )?operations per second", table.get("unit", ""))


def test_base_stands_beside_the_patched_kernel():
    """Also in a quick run, and in no guest with more CPUs than any machine has."""
    for name in campaigns.names():
        for quick in (False, True):
            places = campaigns.load(name, quick).axes.get("place", [])
            guests = [place.split() for place in places if place != "host"]
            assert all(cpus == "2" for *_, cpus in guests)
            patched = any(kernel == "6.12-rqspin-lean" for kernel, *_ in guests)
            base = any(kernel == "6.12-rqspin-base" for kernel, *_ in guests)
            assert base == patched, f"{name}, quick: {quick}"
            if base:
                at = places.index("6.12-rqspin-base queue 2")
                assert places[at + 1] == "6.12-rqspin-lean queue 2"


def test_rounds_are_forwards_and_backwards():
    """Base in front of the patched kernel in one round, behind it in the next."""
    for name in campaigns.names():
        c = campaigns.load(name)
        assert next(iter(c.axes)) == "round"
        rounds = [
            [{**cell.params, "round": 0} for cell in cells]
            for _, cells in itertools.groupby(c.cells(), lambda cell: cell.params["round"])
        ]
        assert len(rounds) == len(c.axes["round"])
        assert rounds[1] == rounds[0][::-1] and rounds[2] == rounds[0]


def test_no_guest_has_more_cpus_than_the_machine(toy, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    cell = campaigns.Cell("toy", {"place": "debian-7 queue 4"}, "echo '{}'")
    with pytest.raises(CampaignError, match="a guest with 4 virtual CPUs on 2:"):
        places.run(cell)
    cell = dataclasses.replace(cell, params={"place": "debian-7 queue 2"})
    assert "--cpus" in places._argv(cell)


def busy_facts(others, steal=0.0, seconds=1.0):
    return {"load": 0.0, "seconds": seconds, "others": others, "steal": steal}


def test_a_disturbed_cell_is_measured_again(toy, monkeypatch):
    """The first quiet try counts, or the quietest of three."""
    cell = dataclasses.replace(next(iter(campaigns.load("toy").cells())), tries=3)
    for shares, kept, tries in (
        ([0.0], 0.0, 1),
        ([0.5, 0.05, 0.0], 0.05, 2),
        ([0.5, 0.3, 0.4], 0.3, 3),
    ):
        todo = iter(shares)
        monkeypatch.setattr(places.quality.Watch, "facts", lambda _, t=todo: busy_facts(next(t)))
        outcome = places.run(cell)
        assert (outcome["others"], outcome["tries"]) == (kept, tries)


@pytest.mark.parametrize(("quick", "seconds", "tries"), [(1, 30.0, 1), (1, 1.0, 3), (0, 30.0, 3)])
def test_a_quick_run_repeats_short_cells_only(toy, monkeypatch, quick, seconds, tries):
    cell = next(iter(campaigns.load("toy", quick=quick).cells()))
    busy = busy_facts(0.5, seconds=seconds)
    monkeypatch.setattr(places.quality.Watch, "facts", lambda _: busy)
    assert places.run(dataclasses.replace(cell, tries=3))["tries"] == tries


def test_others_are_seen():
    """A process that is not part of the cell uses a CPU meanwhile."""
    spin = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(spin) as proc:
        watch, used = quality.Watch(), pathlib.Path(f"/proc/{proc.pid}/stat")
        while sum(map(int, used.read_text().rsplit(")")[1].split()[11:13])) < quality.TICK:
            pass
        facts = watch.facts()
        proc.kill()
    assert facts["others"] * facts["seconds"] * os.cpu_count() > 0.9
    assert quality.disturbed(busy_facts(0.11))
    assert quality.disturbed(busy_facts(0.0, steal=0.03))
    assert not quality.disturbed(busy_facts(0.05, steal=0.01))
    assert not quality.disturbed(busy_facts(0.9, seconds=0.01))


def fake_cpus(folder, monkeypatch, *khz):
    """A machine whose CPUs have these frequencies; /proc/cpuinfo has 2000.5 MHz."""
    for i, text in enumerate(khz):
        path = folder / f"cpu{i}/cpufreq/scaling_cur_freq"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    (folder / "cpuinfo").write_text("cpu MHz\t\t: 1000.000\ncpu MHz\t\t: 2000.500\n")
    monkeypatch.setattr(quality, "CPUS", folder)
    monkeypatch.setattr(quality, "CPUINFO", folder / "cpuinfo")


def test_the_frequency_is_that_of_the_fastest_cpu(tmp_path, monkeypatch):
    fake_cpus(tmp_path, monkeypatch)
    assert quality.frequency() == 2000.5
    fake_cpus(tmp_path, monkeypatch, 800000, 3100000, "<unknown>")
    assert quality.frequency() == 3100
    fake_cpus(tmp_path, monkeypatch, *["<unknown>"] * 3)
    assert quality.frequency() == 2000.5
    (tmp_path / "cpuinfo").write_text("processor\t: 0\n")
    assert quality.frequency() is None and "mhz" not in quality.Watch().facts()


def test_the_frequency_is_that_during_the_cell(toy, monkeypatch):
    """Not that before it, when the CPUs were idle."""
    seen = itertools.count(1000, 10)
    monkeypatch.setattr(quality, "frequency", lambda: next(seen))
    monkeypatch.setattr(quality, "LOOK_EVERY_S", 0.01)
    cell = campaigns.Cell("toy", {}, "sleep 0.2; echo '{\"x\": 1}'", tries=1)
    assert places.run(cell)["mhz"] > 1010
    before = next(seen)
    time.sleep(0.1)
    assert next(seen) == before + 10, "somebody looks for ever"


def test_a_slowed_cell_is_marked(toy):
    st = store.Store(toy / "r/toy", campaigns.load("toy", quick=True))
    run(st)
    paths = [st._path(cell) for cell in st.campaign.cells()]
    for path, mhz in zip(paths, [3000.0, 2900.0, 2500.0, 3000.0, 2300.0, 3000.0], strict=True):
        path.write_text(json.dumps({**json.loads(path.read_text()), "mhz": mhz}))
    assert list(st.frame()["busy"]) == [False] * 4 + [True, False]
    assert list(st.frame()["mhz"])[4] == 2300
    report.campaign_page(st, toy, svg=False)
    page = (toy / "toy.html").read_text()
    assert "CPUs at 2300 to 3000 MHz" in page and tables.BUSY_NOTE in page


def test_a_busy_cell_is_marked():
    c, frame = campaigns.load("pv"), frame_of("pv")
    frame["busy"] = (frame["threads"] == 4) & (frame["lock"] == "unfair")
    table = tables.build(frame, spec_named("pv", "pv-throughput"), c.all_axes)
    assert table.loc[4, "unfair"].endswith(" *") and not table.loc[2, "unfair"].endswith("*")
    assert tables.is_busy(table)
    assert not tables.is_busy(tables.build(frame.assign(busy=False), c.tables[0], c.all_axes))
    figure = charts.build(frame, c.charts[0], c.all_axes)[0]
    symbols = {trace.name: trace.marker.symbol for trace in figure.data}
    queued, unfair = (styles.look(name)["mark"] for name in ("pv-queued", "unfair"))
    assert symbols == {"pv-queued": (queued, queued), "unfair": (unfair, unfair + "-open")}


def test_a_lock_looks_the_same_on_all_pages():
    """Ours in colour, the others in grey, no two alike; seven at first, ours among them."""
    names = sorted({*styles.RIVALS, *POINT["pv"]["lock"]})
    looks = [tuple(styles.look(name).values()) for name in names]
    assert len(set(looks)) == len(names)
    assert {styles.look(n)["colour"] for n in names} <= set(styles.GREYS)
    assert styles.look("6.12-rqspin-lean queue 2") == styles.look("rqspinlock")
    many = [*styles.RIVALS, "rqspinlock-tas", "rqspinlock"]
    assert {"rqspinlock-tas", "rqspinlock"} < styles.seen(many) and len(styles.seen(many)) == 7


def test_charts_are_read_without_the_source():
    """Words and units at the axes, a tick for each number of threads, places by their names."""
    c = campaigns.load("pv")
    figure = charts.build(frame_of("pv"), c.charts[1], c.all_axes)[0]
    assert figure.layout.xaxis.title.text == "threads"
    assert figure.layout.yaxis.title.text == "longest wait, ms"
    assert figure.layout.xaxis.tickvals == (2, 4)
    c = campaigns.load("bpf")
    figure = charts.build(frame_of("bpf"), c.charts[0], c.all_axes)[0]
    assert figure.data[0].name == "this machine's kernel"
    assert figure.layout.yaxis.title.text == "million map operations per second"
    assert styles.title("6.12-rqspin-lean hybrid 2") == "patched 6.12, hybrid"


def test_logarithmic_axes_have_whole_figures():
    """Also where a unit counts thousands; an axis that has hardly any is left to plotly."""
    assert styles.log_ticks([100, 700])["ticktext"] == [
        "100",
        "200",
        "500",
        "1 000",
        "2 000",
        "5 000",
    ]
    many = styles.log_ticks([0.5, 2e6])["ticktext"]
    assert many[:2] == ["0.1", "1"] and many[-1] == "10 000 000"
    assert styles.log_ticks([88, 115]) == styles.log_ticks([]) == {}


def test_points_stand_side_by_side_and_lines_where_they_are():
    c = campaigns.load("convoy")
    figure = charts.build(frame_of("convoy"), c.charts[0], c.all_axes)[0]
    assert figure.layout.scattermode == "group"
    assert {trace.mode for trace in figure.data} == {"markers"}
    c = campaigns.load("pv")
    figure = charts.build(frame_of("pv"), c.charts[0], c.all_axes)[0]
    assert figure.layout.scattermode is None


def test_locks_of_the_kernel_look_unlike():
    locks = ("raw_spin_lock", "raw_res_spin_lock", "mutex_lock", "rtmutex_lock", "rwsem_lock")
    assert len({tuple(styles.look(lock).values()) for lock in locks}) == len(locks)
    ways = [
        styles.look(f"6.12-rqspin-lean {way} 2")["colour"] for way in ("queue", "hybrid", "tas")
    ]
    assert len(set(ways)) == 3


def page_of(c, spec, frame):
    """A table as it stands in a page."""
    table = markup.merged(tables.build(frame, spec, c.all_axes))
    return "\n".join(markup.parts(markup.worded(table, frame, spec), spec))


def test_tables_of_a_page_have_words():
    c, frame = campaigns.load("bpf"), frame_of("bpf")
    frame["place"] = "6.12-rqspin-lean hybrid 2"
    page = page_of(c, c.tables[0], frame)
    assert "patched 6.12, hybrid, 1 thread<" in page and "hybrid, 2 threads<" in page
    failed = page_of(c, c.tables[-1], frame)
    assert "<th>hash that allocates</th>" in failed and "<th>kind of map or lock</th>" in failed
    c = campaigns.load("locktorture")
    page = page_of(c, spec_named("locktorture", "locktorture-rtmutex"), frame_of("locktorture"))
    assert re.findall("<th>((?:stock|patched).*?)</th>", page) == [
        "stock 6.12",
        "patched 6.12",
        "patched 6.12 rel",
    ]


def test_a_page_has_means_and_deviations_in_one_column():
    """Else the published columns, or ours, are off the page."""
    c = campaigns.load("rql")
    frame = frame_of("rql").assign(busy=True)
    page = page_of(c, c.tables[0], frame).partition("</table>")[0]
    heads = re.findall("<th>(?:<em>)?([^<>]+)", page)
    assert heads[:6] == ["threads", "ql", "rql", "speedup", "qspinlock", "rqspinlock"]
    assert "<em>1396323.92 ±7373.12</em>" in page and "<td>500000 ±0 *</td>" in page
    page = page_of(c, c.tables[0], frame_of("rql", rounds=1))
    assert "<td>500000</td>" in page and "±-" not in page
    c = campaigns.load("locktorture")
    spec = spec_named("locktorture", "locktorture-rtmutex")
    page = page_of(c, spec, frame_of("locktorture"))
    assert '<col class="published" span="6">' in page and "<em>713.72 ±25.68</em>" in page
    toy = tables.pd.DataFrame({"published x": [1.0, 0.9, 0.25], "n": [1.0, 2.0, "-"]})
    assert list(markup.merged(toy)["published x"]) == ["1.00", "0.90", "0.25"]
    assert list(markup.merged(toy)["n"]) == ["1", "2", "-"]


def test_a_tall_table_hides_what_is_not_ours():
    c = campaigns.load("rql")
    page = page_of(c, c.tables[0], frame_of("rql"))
    ours, hidden = page.split("<details><summary>published only: 25 rows</summary>")
    rows = [part.partition("<tbody>")[2].count("<tr>") for part in (ours, hidden)]
    assert rows == [2, 25] and page.endswith("</details>")
    table = tables.pd.DataFrame({"a": ["1"] * 40})
    assert len(list(markup.parts(table, {"rows": "n"}))) == 1


def test_digits_that_say_something():
    def text(mean, std):
        return tables._text({"mean": mean, "std": std, "busy": False}, 2)

    assert text(245916.19, 5589.94) == "245916 ±5590"
    assert text(1548.31, 84.2) == "1548.3 ±84.2" and text(0.034, 0.002) == "0.03 ±0.00"


def test_kernels_are_built_for_their_places():
    wanted = {n for n in campaigns.load("locktorture").needs if n.startswith("guest-kernel-")}
    assert wanted == {"guest-kernel-6.12-rqspin-base", "guest-kernel-6.12-rqspin-lean"}
    for name in campaigns.names():
        made = subprocess.run(
            ["make", "-n", "-C", TOP, *campaigns.load(name).needs], capture_output=True, text=True
        )
        assert made.returncode == 0, made.stderr


@pytest.mark.parametrize("name", campaigns.names())
def test_campaigns_are_sound(name):
    for quick in (False, True):
        c = campaigns.load(name, quick)
        cells = list(c.cells())
        assert len({cell.key for cell in cells}) == len(cells) > 0
        assert not any("{" in cell.command.split("printf")[0] for cell in cells)
        for spec in c.tables:
            assert not tables.build(store.pd.DataFrame(), spec | {"published_only": True}).size or (
                "published" in spec
            )
    assert len({spec["name"] for spec in c.tables}) == len(c.tables)


def chromium(page, *args):
    browser = shutil.which("chromium")
    if not browser:
        pytest.skip("needs chromium: scripts/setup.sh installs it on Debian")
    cmd = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    cmd += [f"--user-data-dir={page}.profile", *args, "--dump-dom", page.as_uri()]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 0, res.stderr
    return res.stdout, [line for line in res.stderr.splitlines() if "CONSOLE" in line]


WIDTH = """<script>
document.title = [innerWidth, document.documentElement.scrollWidth].join(";");
</script></body>"""


def made_up(name):
    """The result of a cell, by its parameters."""
    locks = POINT["resilience"]["lock"]
    if name != "resilience":
        return lambda params: FIGURES
    return lambda params: {
        "rows": [
            {"scenario": scenario, "lock": lock, **FIGURES}
            for scenario, group in GROUPS.items()
            for lock in locks
            if group == params["group"]
        ]
    }


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["backoff", "resilience"])
def test_a_page_fits(tmp_path, name, width):
    """A wide table moves inside the page, and a long title has several lines."""
    st = measure(sources.Here(tmp_path), name, made_up(name))
    report.campaign_page(st, tmp_path, svg=False)
    page = tmp_path / f"{name}.html"
    page.write_text(page.read_text().replace("</body>", WIDTH))
    dom, console = chromium(page, f"--window-size={width},900")
    assert console == []
    inner, wide = map(int, re.search("<title>(.*)</title>", dom)[1].split(";"))
    assert wide <= inner


HOVER = """<script>
const all = [...document.querySelectorAll(".plotly-graph-div")];
for (const g of all) Plotly.Fx.hover(g, [{curveNumber: 0, pointNumber: 0}]);
Promise.all(all.map(g => Plotly.restyle(g, {visible: "legendonly"}, [1]))).then(() => {
    document.title = [all.length, document.querySelectorAll(".hovertext").length,
                      all.filter(g => g._fullData[1].visible === "legendonly").length].join(";");
});
</script></body>"""


def test_report(toy):
    """Charts are there, show a point's value, and hide what a reader clicks away."""
    st = store.Store(toy / "r/toy", campaigns.load("toy"))
    run(st)
    out = toy / "report"
    out.mkdir()
    assert report.campaign_page(st, out) is None
    report.overview([st], out)
    assert (out / "toy-1.svg").read_text().startswith("<svg")
    for page in ("toy.html", "index.html"):
        text = (out / page).read_text()
        assert "<script>alert" not in text and not re.search(r'src="http|@import', text)
        assert len(text) < 1e6, "the script is beside the pages, not in each"
        assert chromium(out / page)[1] == []
        tried = out / "tried.html"
        tried.write_text(text.replace("</body>", HOVER))
        dom, console = chromium(tried)
        assert console == []
        assert re.search("<title>(.*)</title>", dom)[1] == "1;2;1" or ";1;1" in dom
