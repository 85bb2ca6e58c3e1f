# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The files of docs/monitoring: the programs that read them accept them; they fit the command."""

import json
import re
import shutil
import subprocess
import sys
import time

import pytest
from conftest import LIMIT, RQSPIN, TOP, run_sample
from docpages import blocks
from test_export import counted, listening, prometheus, tool

yaml = pytest.importorskip("yaml")

HERE = TOP / "docs/monitoring"
UNIT = HERE / "rqspin-export.service"
AA = {("aa", "slots[0].lock", "AA"): 7}


def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT, **kw)


def unit(setting):
    """All words of a setting."""
    return " ".join(re.findall(rf"^{setting}=(.*)", UNIT.read_text(), re.M)).split()


def systemd_analyze(*args):
    if not shutil.which("systemd-analyze"):
        pytest.skip("needs systemd-analyze of Debian's package systemd")
    return run("systemd-analyze", *args)


def test_unit_is_valid(tmp_path):
    """With the command that was built: the one of the unit need not be installed here."""
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text().replace("/usr/local/sbin/rqspin", str(RQSPIN)))
    res = systemd_analyze("verify", "--man=no", copy)
    assert (res.returncode, res.stdout, res.stderr) == (0, "", "")
    copy.write_text(UNIT.read_text().replace("[Service]", "[Service]\nProtectHomes=yes"))
    assert "ProtectHomes" in systemd_analyze("verify", "--man=no", copy).stderr


def test_unit_is_hardened():
    res = systemd_analyze("security", "--offline=true", "--threshold=40", UNIT)
    assert res.returncode == 0, res.stdout


def with_capabilities(names):
    caps = ",".join(f"+{name.removeprefix('CAP_').lower()}" for name in names)
    return ["setpriv", "--no-new-privs", "--inh-caps=-all", f"--bounding-set=-all,{caps}"]


def test_unit_has_the_capabilities(nothing_left):
    if run(*with_capabilities(unit("CapabilityBoundingSet")), "true").returncode:
        pytest.skip("needs setpriv, root and these capabilities")
    with listening(by=with_capabilities(unit("CapabilityBoundingSet"))) as x:
        assert not any("cannot be listed" in line for line in x.talk), x.talk
        run_sample("aa", "--count", 7)
        assert counted(x, AA) == AA


def calls_of(name, seen):
    """The system calls in a set of systemd's, with the sets in it."""
    for line in systemd_analyze("syscall-filter", "--no-pager", name).stdout.splitlines()[1:]:
        word = line.strip()
        if word.startswith("@") and word not in seen:
            seen.add(word)
            yield from calls_of(word, seen)
        elif word and not word.startswith("#"):
            yield word


def test_unit_allows_the_system_calls(tmp_path):
    strace = shutil.which("strace")
    if not strace or run(strace, "-D", "true").returncode:
        pytest.skip("needs strace, and ptrace to be allowed")
    log = tmp_path / "calls"
    # The children of strace are the command itself, so it gets the signals.
    with listening(by=[strace, "-D", "-f", "-o", log]) as x:
        run_sample("aa", "--count", 7)
        assert counted(x, AA) == AA
    allowed = set()
    for word in unit("SystemCallFilter"):
        allowed |= set(calls_of(word, set())) if word.startswith("@") else {word}
    # strace may still be writing: what counts is that the calls of all stages are there.
    made = set(re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.M))
    assert {"bpf", "perf_event_open", "accept4", "epoll_ctl"} <= made
    assert made <= allowed


def test_manifest_is_valid(tmp_path):
    cmd = [sys.executable, "-m", "kubernetes_validate", "--strict"]
    res = run(*cmd, HERE / "rqspin-daemonset.yaml")
    assert res.returncode == 0 and "passed" in res.stdout + res.stderr, res
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text((HERE / "rqspin-daemonset.yaml").read_text().replace("ports:", "port:"))
    assert run(*cmd, wrong).returncode != 0


def manifest_container():
    spec = yaml.safe_load((HERE / "rqspin-daemonset.yaml").read_text())["spec"]["template"]["spec"]
    return spec["containers"][0]


def test_manifest_and_unit_agree():
    container = manifest_container()
    caps = container["securityContext"]["capabilities"]["add"]
    assert [f"CAP_{c}" for c in caps] == unit("CapabilityBoundingSet")
    words = unit("ExecStart")
    assert container["command"] == words[:1]
    assert container["args"] == [w.replace("127.0.0.1", "") for w in words[1:]]
    assert f":{container['ports'][0]['containerPort']}" == container["args"][-1]


def targets_of(jobs):
    return [t for job in jobs for static in job["static_configs"] for t in static["targets"]]


def test_all_files_name_one_port():
    prom = yaml.safe_load((HERE / "prometheus.yml").read_text())
    otel = yaml.safe_load((HERE / "otel-collector.yaml").read_text())
    scraped = otel["receivers"]["prometheus"]["config"]["scrape_configs"]
    where = unit("ExecStart")[-1]
    assert targets_of(prom["scrape_configs"]) == targets_of(scraped) == [where]


def test_collector_configuration():
    """As far as that goes without a collector: no pipeline names a part that is not there."""
    otel = yaml.safe_load((HERE / "otel-collector.yaml").read_text())
    parts = ("receivers", "processors", "exporters")
    assert set(otel) == {*parts, "service"} and set(otel["service"]) == {"pipelines"}
    used = {part: set() for part in parts}
    for pipeline in otel["service"]["pipelines"].values():
        assert pipeline["receivers"] and pipeline["exporters"]
        for part in parts:
            used[part] |= set(pipeline[part])
    assert used == {part: set(otel[part]) for part in parts}
    assert otel["exporters"]["otlphttp"]["endpoint"].startswith("http://")


def test_prometheus_configuration():
    for what in (["config", HERE / "prometheus.yml"], ["rules", HERE / "rqspin-alerts.yml"]):
        res = run(tool("promtool"), "check", *what)
        assert res.returncode == 0, res.stdout + res.stderr


def dashboard_queries():
    board = json.loads((HERE / "grafana-dashboard.json").read_text())
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))
    for panel in board["panels"]:
        for target in panel["targets"]:
            expr = target["expr"].replace("$instance", ".*")
            yield panel["title"], re.sub(r"\$__(range|rate_interval)", "1h", expr)


def alert_queries():
    (group,) = yaml.safe_load((HERE / "rqspin-alerts.yml").read_text())["groups"]
    return [(rule["alert"], rule["expr"]) for rule in group["rules"]]


def test_every_query_is_answered(tmp_path, nothing_left):
    """By a real Prometheus that has the metrics; each names only metrics that there are."""
    queries = [*dashboard_queries(), *alert_queries()]
    assert len(queries) > 10
    alerts = {name for name, _ in alert_queries()}
    with listening() as x, prometheus(tmp_path, x.where[7:].removesuffix("/metrics")) as ask:
        run_sample("aa", "--count", 7)
        counted(x, AA)
        known = set(re.findall(r"^(rqspin_\w+)", x.scrape(), re.M))
        answers, empty = {}, set(dict(queries))
        deadline = time.monotonic() + LIMIT
        # A query may come between two scrapes: what it lacks is there after the next one.
        while time.monotonic() < deadline and not empty <= alerts:
            answers = {title: ask(query) for title, query in queries}
            empty = {title for title, rows in answers.items() if not rows}
    for title, query in queries:
        assert set(re.findall(r"rqspin_\w+", query)) <= known, title
    assert empty <= alerts
    assert answers["Machines that count"][0]["value"][1] == "1"


def test_expressions_of_the_document(tmp_path):
    (block,) = (b for b in blocks("docs/monitoring.md") if b.begins.startswith("sum by "))
    lines = block.text.splitlines()
    rules = [{"record": f"line_{i}", "expr": line} for i, line in enumerate(lines)]
    (tmp_path / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "g", "rules": rules}]}))
    res = run(tool("promtool"), "check", "rules", tmp_path / "rules.yml")
    assert res.returncode == 0 and f"{len(lines)} rules" in res.stdout, res


def test_documents_name_every_metric():
    text = (TOP / "docs/monitoring.md").read_text()
    table = set(re.findall(r"^\| `(rqspin_\w+)`", text, re.M))
    with listening() as x:
        run_sample("aa", "--count", 7)
        counted(x, AA)
        assert table == set(re.findall(r"^# TYPE (\w+)", x.scrape(), re.M))
