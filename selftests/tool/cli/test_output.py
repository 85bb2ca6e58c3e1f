# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Every verb's JSON, the schema, and the promise that stdout is data."""

import json
import os
import re
import subprocess
from collections import Counter

import jsonschema
import pytest
from bpfobj import pinned, run_pinned
from conftest import (
    BUILD,
    LIMIT,
    RQSPIN,
    TOP,
    doctor_check,
    kernel_has_tracepoint,
    needs_locks,
    no_locks,
    rqspin,
    run_sample,
    skip_without_held_table,
    validator,
    wait_ready,
)


def test_events_match_schema(tracer, schema):
    with tracer() as t:
        run_sample("aa", "--count", 3)
    lines = t.out.read_text().splitlines()
    assert len(lines) == 4
    for line in lines:
        schema.validate(json.loads(line))


def test_schema_can_fail(schema):
    with pytest.raises(jsonschema.ValidationError):
        schema.validate({"schema": "rqspin-event/2", "type": "failure"})


def test_no_addr(tracer):
    with tracer("--no-addr") as t:
        run_sample("aa", "--count", 3)
    assert len(t.events) == 3
    assert not re.search(r"0x[0-9a-f]{8,}|ffff[0-9a-f]{12}", t.out.read_text())


@pytest.mark.parametrize("verb", ["list", "doctor", "held"])
def test_json_verbs(verb):
    if verb == "held":
        skip_without_held_table()
    res = rqspin(verb, "--json")
    assert res.returncode == (3 if verb == "doctor" and no_locks() else 0), res.stderr
    validator(f"{verb}.schema.json").validate(json.loads(res.stdout))


def test_schemas_agree():
    """Where two have a definition of the same name it is the same one; each has its own id."""
    files = {p: json.loads(p.read_text()) for p in (TOP / "docs").glob("*.schema.json")}
    for path, doc in files.items():
        word = path.name.removesuffix(".schema.json").removesuffix("s")
        assert re.fullmatch(rf"rqspin-{word}s?/\d+", doc["$id"]), path
        said = set(re.findall(r'"schema": {"const": "([^"]*)"}', json.dumps(doc)))
        assert said == {doc["$id"]}, path
    docs = files.values()
    assert len(docs) > 9 and len({d["$id"] for d in docs}) == len(docs)
    locks = [d["$defs"]["lock"] for d in docs if "lock" in d.get("$defs", {})]
    assert len(locks) == 4 and all(lock == locks[0] for lock in locks)


@pytest.mark.parametrize(
    "name",
    [
        *["check", "doctor", "errno", "held", "list", "replay", "report", "run", "stat", "top"],
        "waits",
    ],
)
def test_a_schema_refuses(name):
    schema = validator(f"{name}.schema.json")
    with pytest.raises(jsonschema.ValidationError):
        schema.validate({"schema": schema.schema["properties"]["schema"]["const"]})


def test_list_names_run():
    names = [s["name"] for s in json.loads(rqspin("list", "--json").stdout)["samples"]]
    assert {"aa", "abba", "timeout", "nested"} <= set(names)
    assert len(names) == len(set(names))


def test_doctor_names_the_trace_source():
    text = rqspin("doctor").stdout
    assert re.search(r"^trace source\w* +ring", text, re.M)


@needs_locks
def test_doctor_says_when_an_aa_is_looked_for():
    checks = {c["id"]: c for c in json.loads(rqspin("doctor", "--json").stdout)["checks"]}
    aa = checks["aa_at_once"]
    # The time of the kernel's report is in it only where there is one and its start is not seen.
    clear = not checks["stream"]["available"] or checks["trampoline"]["available"]
    assert (aa["available"] is None) == (not clear), aa
    said = {True: "at entry", False: "after spinning", None: "cannot be told"}
    assert said[aa["available"]] in aa["detail"]


@needs_locks
@pytest.mark.parametrize("name", ["interrupted", "long_waits"])
def test_doctor_tells_of_what_it_does_not_try(name):
    """To find out could hang the machine: it is told by whose lock it is."""
    check = doctor_check(name)
    if kernel_has_tracepoint():
        assert check["available"] is True and "this project's lock" in check["detail"]
    else:
        assert check["available"] is None and check["detail"].startswith("not tried: ")


@needs_locks
def test_text_event_names_kind_and_lock(tmp_path):
    """The text form carries the same facts; the count of lost events is always told."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    cmd = [RQSPIN, "trace", "--count", "2", "--ready-file", ready]
    pipe = subprocess.PIPE
    proc = subprocess.Popen(cmd, stdout=pipe, stderr=pipe, text=True)
    wait_ready(proc, ready)
    run_sample("aa", "--count", 3)
    try:
        out, talk = proc.communicate(timeout=LIMIT)
    finally:
        proc.kill()
    assert len(re.findall(r"\bAA\b.*slots\[0\]\.lock", out)) == 2, out
    assert re.search(r"\b0 lost\b|lost[: ]+0", talk), talk


def test_what_is_not_there_is_said(tmp_path):
    """A filter that cannot match anything now is warned of, once, and followed all the same."""
    args = ["--prog", "nosuch", "--pid", "4194303", "--cpu", "0,1023", "--duration", "0.1"]
    res = rqspin("trace", *args)
    assert res.returncode == 0
    said = [line for line in res.stderr.splitlines() if "warning" in line]
    assert len(said) == 3, res.stderr
    for line, what in zip(said, ("'nosuch'", "4194303", "CPU 1023"), strict=True):
        assert what in line


def test_probes_are_quiet_until_asked_twice():
    """What is tried only to see if it works fails as it should: libbpf's words are for -vv."""
    assert "libbpf" not in rqspin("doctor", "-v").stderr
    assert "libbpf" in rqspin("doctor", "-vv").stderr


def test_doctor_in_one_stream():
    """The verdict comes after the lines that it speaks of."""
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    res = subprocess.run([RQSPIN, "doctor"], **both, text=True, timeout=LIMIT)
    lines = res.stdout.splitlines()
    assert lines[0].startswith("kernel ") and lines[0].endswith(os.uname().machine)
    if res.returncode:
        assert "cannot be used" in lines[-1]


def test_stat_tables_have_their_time():
    out = rqspin("stat", "100ms", "2").stdout
    assert len(re.findall(r"^\d\d:\d\d:\d\d\.\d+\n +FAILURES", out, re.M)) == 2
    table = json.loads(rqspin("stat", "--json", "100ms", "1").stdout)
    validator("stat.schema.json").validate(table)
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT[\d:.]+Z", table["time"])


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return f"{value:016x}"


@needs_locks
@pytest.mark.parametrize("size", [64, 65, 480, 1000])
def test_long_keys(tracer, schema, size):
    """Locks whose keys differ in the last byte only have different names; a cut key says so."""
    # The map must outlive the tracer's last look, or its memory is somebody else's.
    with pinned(BUILD / "selftests/kernel/progs/long_keys.bpf.o") as where, tracer() as t:
        run_pinned(where / f"keys_{size}", 3)
    keys = [bytes(size), bytes(size - 1) + b"\xaa"]
    shown = [k.hex() if size == 64 else f"{k[:32].hex()}...#{fnv1a(k)}" for k in keys]
    events = [e for e in t.events if e["lock"]["map"] == f"hash_{size}"]
    assert Counter(e["lock"]["key"] for e in events) == dict.fromkeys(shown, 3)
    names = {f"hash_{size}[key {key}].lock" for key in shown}
    assert {e["lock"]["name"] for e in events} == names
    for e in events:
        schema.validate(e)


def test_findings_come_before_their_sum():
    """Also where both go to one pipe, and standard output waits in a buffer."""
    cmd = [RQSPIN, "check", BUILD / "bpf/progs/aa.bpf.o"]
    res = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = res.stdout.splitlines()
    finding = next(i for i, line in enumerate(lines) if line.endswith("[aa]"))
    total = next(i for i, line in enumerate(lines) if ", 1 finding," in line)
    assert finding < total, res.stdout
