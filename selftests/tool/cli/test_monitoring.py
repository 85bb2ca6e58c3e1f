# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The files of docs/monitoring: the programs that read them accept them; they fit the command."""

import json
import re
import shutil
import subprocess
import sys
import time

import pytest
from conftest import LIMIT, RQSPIN, TOP, doctor_check, kernel_has_tracepoint, run_sample
from docpages import blocks
from test_export import counted, listening, prometheus, tool
from test_export_waits import make_waits

yaml = pytest.importorskip("yaml")

HERE = TOP / "docs/monitoring"
UNIT = HERE / "rqspin-export.service"
RECORDER = HERE / "rqspin-record.service"
AA = {("aa", "slots[0].lock", "AA"): 7}
WITH_WAITS = ["--wait-longer-than", "10ms"]


def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT, **kw)


def unit(setting, of=UNIT):
    """All words of a setting."""
    return " ".join(re.findall(rf"^{setting}=(.*)", of.read_text(), re.M)).split()


def systemd_analyze(*args):
    if not shutil.which("systemd-analyze"):
        pytest.skip("needs systemd-analyze of Debian's package systemd")
    return run("systemd-analyze", *args)


units = pytest.mark.parametrize("of", [UNIT, RECORDER], ids=lambda p: p.stem)


@units
def test_unit_is_valid(tmp_path, of):
    """With the command that was built: the one of the unit need not be installed here."""
    copy = tmp_path / of.name
    copy.write_text(of.read_text().replace("/usr/local/sbin/rqspin", str(RQSPIN)))
    res = systemd_analyze("verify", "--man=no", copy)
    assert (res.returncode, res.stdout, res.stderr) == (0, "", "")
    copy.write_text(of.read_text().replace("[Service]", "[Service]\nProtectHomes=yes"))
    assert "ProtectHomes" in systemd_analyze("verify", "--man=no", copy).stderr


@units
def test_unit_is_hardened(of):
    res = systemd_analyze("security", "--offline=true", "--threshold=40", of)
    assert res.returncode == 0, res.stdout


def with_capabilities(names):
    caps = ",".join(f"+{name.removeprefix('CAP_').lower()}" for name in names)
    return ["setpriv", "--no-new-privs", "--inh-caps=-all", f"--bounding-set=-all,{caps}"]


def test_unit_has_the_capabilities(nothing_left):
    if run(*with_capabilities(unit("CapabilityBoundingSet")), "true").returncode:
        pytest.skip("needs setpriv, root and these capabilities")
    with listening("--waits", by=with_capabilities(unit("CapabilityBoundingSet"))) as x:
        assert not any("cannot be listed" in line for line in x.talk), x.talk
        run_sample("aa", "--count", 7)
        assert counted(x, AA) == AA


def waits_are_seen():
    queue = doctor_check("queue")["detail"].split(":")[0] == "queue"
    return kernel_has_tracepoint() or (queue and doctor_check("contention")["available"])


def record_as_unit(bpffs, by):
    """What the recorder's unit runs, but for the place, and with waits if there are any."""
    said = ""
    for setting in ("ExecStart", "ExecStop"):
        words = unit(setting, RECORDER)
        assert words[:2] == ["/usr/local/sbin/rqspin", "record"]
        more = WITH_WAITS if setting == "ExecStart" and waits_are_seen() else []
        res = run(*by, RQSPIN, *words[1:], *more, "--bpffs", bpffs)
        assert res.returncode == 0, res.stderr
        said += res.stderr
    return said


@pytest.fixture
def bpffs_of_ours(tmp_path):
    where = tmp_path / "bpf"
    where.mkdir()
    if run("mount", "-t", "bpf", "bpf", where).returncode:
        pytest.skip("needs root")
    yield where
    run("umount", where)


def test_recorder_has_the_capabilities(bpffs_of_ours, nothing_left):
    by = with_capabilities(unit("CapabilityBoundingSet", RECORDER))
    if run(*by, "true").returncode:
        pytest.skip("needs setpriv and these capabilities")
    said = record_as_unit(bpffs_of_ours, by)
    assert "recording of each CPU: the last" in said and "are removed" in said
    assert "without" not in said, said


def test_recorder_is_allowed_its_system_calls(tmp_path, bpffs_of_ours, strace):
    log = tmp_path / "calls"
    record_as_unit(bpffs_of_ours, [strace, "-A", "-f", "-o", log])
    allowed = set()
    for word in unit("SystemCallFilter", RECORDER):
        allowed |= set(calls_of(word, set())) if word.startswith("@") else {word}
    made = set(re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.M))
    assert {"bpf", "mkdir", "rename", "flock"} <= made
    assert made <= allowed


def calls_of(name, seen):
    """The system calls in a set of systemd's, with the sets in it."""
    for line in systemd_analyze("syscall-filter", "--no-pager", name).stdout.splitlines()[1:]:
        word = line.strip()
        if word.startswith("@") and word not in seen:
            seen.add(word)
            yield from calls_of(word, seen)
        elif word and not word.startswith("#"):
            yield word


def test_unit_allows_the_system_calls(tmp_path, strace):
    log = tmp_path / "calls"
    # The children of strace are the command itself, so it gets the signals.
    with listening("--waits", by=[strace, "-D", "-f", "-o", log]) as x:
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


def manifests():
    """By their kind."""
    found = yaml.safe_load_all((HERE / "rqspin-daemonset.yaml").read_text())
    return {one["kind"]: one for one in found}


def manifest_container():
    return manifests()["DaemonSet"]["spec"]["template"]["spec"]["containers"][0]


def test_the_policy_is_about_the_pods():
    pods, policy = manifests()["DaemonSet"], manifests()["NetworkPolicy"]
    assert policy["metadata"]["namespace"] == pods["metadata"]["namespace"]
    labels = policy["spec"]["podSelector"]["matchLabels"]
    assert labels == pods["spec"]["template"]["metadata"]["labels"]
    assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert policy["spec"]["egress"] == []
    (rule,) = policy["spec"]["ingress"]
    ports = [p["port"] for p in rule["ports"]]
    assert rule["from"] and ports == [p["name"] for p in manifest_container()["ports"]]


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


def minutes(*parts):
    """Samples a minute apart: pairs of a value, "_" for none, and how often."""
    return " ".join(" ".join([str(value)] * times) for value, times in parts)


# A series that begins with its first failures; one with later ones; none; and one whose machine
# starts again.
FAILURES = 'rqspin_lock_failures_total{{instance="{}",program="p",lock="l",kind="AA"}}'
SAMPLES = {
    FAILURES.format("first"): minutes(("_", 30), (3, 91)),
    FAILURES.format("later"): minutes((5, 60), (6, 61)),
    FAILURES.format("quiet"): minutes((7, 121)),
    FAILURES.format("again"): minutes((0, 10), (4, 20), ("_", 10), (2, 81)),
    'rqspin_lost_failures_total{instance="first"}': minutes(("_", 30), (2, 91)),
}
FIRES = {"12m": {"again"}, "29m": set(), "30m": {"first"}, "38m": {"first"}, "45m": {"again"}}
FIRES |= {"62m": {"later"}, "80m": set()}
SUMS = {"Failures in this time": 3 + 1 + 0 + (4 + 2), "Lost": 2}  # after 100 minutes, of 95


def rule_test(tmp_path, rules, tests, samples=SAMPLES):
    (tmp_path / "rules.yml").write_text(yaml.safe_dump(rules))
    series = [{"series": s, "values": v} for s, v in samples.items()]
    doc = {"rule_files": ["rules.yml"], "evaluation_interval": "1m"}
    doc["tests"] = [{"interval": "1m", "input_series": series, **tests}]
    (tmp_path / "test.yml").write_text(yaml.safe_dump(doc))
    return run(tool("promtool"), "test", "rules", tmp_path / "test.yml")


def firing(rules, instances):
    (rule,) = (r for r in rules["groups"][0]["rules"] if r["alert"] == "LockAcquisitionsFail")
    for name in sorted(instances):
        labels = {"instance": name, "program": "p", "lock": "l", "kind": "AA"}
        said = dict(rule["annotations"])
        for label, value in labels.items():
            said["summary"] = said["summary"].replace(f"{{{{ $labels.{label} }}}}", value)
        yield {"exp_labels": labels | rule["labels"], "exp_annotations": said}


def test_first_failure_fires_the_alert(tmp_path):
    rules = yaml.safe_load((HERE / "rqspin-alerts.yml").read_text())
    when = [
        {
            "eval_time": at,
            "alertname": "LockAcquisitionsFail",
            "exp_alerts": list(firing(rules, names)),
        }
        for at, names in FIRES.items()
    ]
    res = rule_test(tmp_path, rules, {"alert_rule_test": when})
    assert res.returncode == 0, res.stdout + res.stderr


def test_increase_alone_would_not_fire(tmp_path):
    """So the samples are such that the test above can fail."""
    rules = yaml.safe_load((HERE / "rqspin-alerts.yml").read_text())
    (rule,) = (r for r in rules["groups"][0]["rules"] if r["alert"] == "LockAcquisitionsFail")
    only = "increase(rqspin_lock_failures_total[10m])"
    rule["expr"] = f"sum by (instance, program, lock, kind) ({only}) > 0"
    exp = {"eval_time": "35m", "alertname": "LockAcquisitionsFail"}
    exp["exp_alerts"] = list(firing(rules, {"first"}))
    res = rule_test(tmp_path, rules, {"alert_rule_test": [exp]})
    assert res.returncode and "first" in res.stdout + res.stderr


# Waits: a quarter of a CPU for half an hour, a hundredth of one, and none any more.
WAITED = 'rqspin_lock_wait_seconds_{}{{instance="i",program="p",lock="{}"{}}}'
WAITS = {
    WAITED.format("sum", "fought", ""): "0+15x30 450x60",
    WAITED.format("sum", "quiet", ""): "0+0.6x90",
    WAITED.format("bucket", "fought", ',le="0.004194304"'): "0+90x90",
    WAITED.format("bucket", "fought", ',le="0.016777216"'): "0+100x90",
    WAITED.format("bucket", "fought", ',le="+Inf"'): "0+100x90",
}


def fought_over(rules):
    (rule,) = (r for r in rules["groups"][0]["rules"] if r["alert"] == "LockIsFoughtOver")
    said = rule["annotations"]
    said |= {"summary": "25% of a CPU on i waits for fought"}
    return {"exp_labels": {"instance": "i", "lock": "fought"} | rule["labels"],
            "exp_annotations": said}  # fmt: skip


def test_a_lock_that_is_fought_over_fires_the_alert(tmp_path):
    """After ten minutes, not for one that is rarely waited for, and not when it is over."""
    rules = yaml.safe_load((HERE / "rqspin-alerts.yml").read_text())
    fires = fought_over(yaml.safe_load((HERE / "rqspin-alerts.yml").read_text()))
    when = [
        {"eval_time": at, "alertname": "LockIsFoughtOver", "exp_alerts": alerts}
        for at, alerts in (("9m", []), ("15m", [fires]), ("30m", [fires]), ("45m", []))
    ]
    res = rule_test(tmp_path, rules, {"alert_rule_test": when}, WAITS)
    assert res.returncode == 0, res.stdout + res.stderr
    less = {k: v.replace("0+15x30", "0+3x30") for k, v in WAITS.items()}
    assert rule_test(tmp_path, rules, {"alert_rule_test": when}, less).returncode


def test_dashboard_shows_waits(tmp_path):
    board = json.loads((HERE / "grafana-dashboard.json").read_text())
    exprs = {p["title"]: p["targets"][0]["expr"] for p in board["panels"]}
    wanted = {
        "CPUs that wait, by lock": (0.25, 'lock="fought"'),
        "Wait that 99 % stay below, by lock": (0.004194304 + 0.9 * 0.012582912, 'lock="fought"'),
    }
    tests = []
    for title, (value, labels) in wanted.items():
        expr = exprs[title].replace("$instance", ".*").replace("$__rate_interval", "5m")
        expr = f"abs(({expr}) - {value}) < bool 1e-6"
        samples = [{"labels": "{" + labels + "}", "value": 1}]
        if "CPUs" in title:
            samples.append({"labels": '{lock="quiet"}', "value": 0})
        tests.append({"expr": expr, "eval_time": "20m", "exp_samples": samples})
    res = rule_test(tmp_path, {"groups": []}, {"promql_expr_test": tests}, WAITS)
    assert res.returncode == 0, res.stdout + res.stderr


def dashboard_checks(board):
    """Sums may be extrapolated by a little; what began with a failure is exact."""
    exprs = {p["title"]: [t["expr"] for t in p["targets"]] for p in board["panels"]}
    for title, want in SUMS.items():
        expr = exprs[title][0].replace("$instance", ".*").replace("$__range", "95m")
        yield f"abs(({expr}) - {want}) < bool 0.2", "100m", 1
    lines = [e for es in exprs.values() for e in es if "$__rate_interval" in e]
    lines = [e for e in lines if "failures" in e]
    assert len(lines) == 3
    for expr in lines:
        expr = expr.replace("$instance", "first").replace("$__rate_interval", "4m")
        for at, want in (("30m", 3), ("32m", 3), ("60m", 0)):
            yield f"sum({expr})", at, want


def test_dashboard_counts_first_failures(tmp_path):
    board = json.loads((HERE / "grafana-dashboard.json").read_text())
    tests = [
        {"expr": expr, "eval_time": at, "exp_samples": [{"labels": "{}", "value": want}]}
        for expr, at, want in dashboard_checks(board)
    ]
    res = rule_test(tmp_path, {"groups": []}, {"promql_expr_test": tests})
    assert res.returncode == 0, res.stdout + res.stderr


def test_every_query_is_answered(tmp_path, nothing_left):
    """By a real Prometheus that has the metrics; each names only metrics that there are."""
    queries = [*dashboard_queries(), *alert_queries()]
    assert len(queries) > 10
    alerts = {name for name, _ in alert_queries()}
    with (
        listening("--waits") as x,
        prometheus(tmp_path, x.where[7:].removesuffix("/metrics")) as ask,
    ):
        run_sample("aa", "--count", 7)
        counted(x, AA)
        # Where nobody can be made to wait in sight, these panels stay empty.
        if not make_waits(x):
            alerts |= {title for title, query in queries if "lock_wait" in query}
            alerts |= {title for title, query in queries if "longest_wait" in query}
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
    with listening("--waits") as x:
        run_sample("aa", "--count", 7)
        counted(x, AA)
        assert table == set(re.findall(r"^# TYPE (\w+)", x.scrape(), re.M))
