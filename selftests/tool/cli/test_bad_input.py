# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Bad input: each case names the thing, names the fix, has its exit code and leaves nothing."""

import json
import os
import re
import signal
import subprocess

import damage
import pytest
from bpfobj import compile_bpf
from conftest import BUILD, LIMIT, RQSPIN, rqspin, skip_without_held_table, skip_without_locks

FAIL, USAGE, UNSUPPORTED = 1, 2, 3
AA = BUILD / "bpf/progs/aa.bpf.o"
ABBA = BUILD / "bpf/progs/abba.bpf.o"

# id: (arguments, exit code, what standard error must say)
CASES = {
    "no verb": ([], USAGE, r"[Uu]sage"),
    "unknown verb": (["trcae"], USAGE, r"trcae.*mean 'trace'"),
    "unlike any verb": (["install"], USAGE, r"no verb 'install'; 'rqspin help' lists"),
    "unknown option": (["trace", "--nonsense"], USAGE, r"nonsense"),
    "option without value": (["trace", "--cpu"], USAGE, r"cpu"),
    "stray argument": (["trace", "stray"], USAGE, r"stray|[Tt]oo many"),
    "trace: bad kind": (["trace", "--kind", "abab"], USAGE, r"abab.*abba"),
    "trace: bad source": (["trace", "--source", "magic"], USAGE, r"magic.*ring"),
    "trace: bad CPU list": (["trace", "--cpu", "0,x"], USAGE, r"0,x"),
    "trace: bad pid": (["trace", "--pid", "me"], USAGE, r"me"),
    "trace: bad duration": (["trace", "--duration", "soon"], USAGE, r"soon"),
    "trace: count zero": (["trace", "--count", "0"], USAGE, r"count|0"),
    "trace: no such prog id": (["trace", "--prog", "4294967290"], FAIL, r"4294967290"),
    "trace: ready file in no folder": (
        ["trace", "--ready-file", "/nonexistent/ready"],
        FAIL,
        r"/nonexistent/ready.*No such file",
    ),
    "run: no sample": (["run"], USAGE, r"SAMPLE|sample"),
    "run: unknown sample": (["run", "abab"], USAGE, r"abab.*mean 'abba'.*list"),
    "run: unlike any sample": (["run", "whatever"], USAGE, r"no sample 'whatever'; 'rqspin list'"),
    "run: source": (["run", "aa.bpf.c"], USAGE, r"aa.bpf.c is C source: compile it"),
    "run: directory": (["run", "/usr/", "--roles", "a"], USAGE, r"/usr/ is a directory"),
    "run: count zero": (["run", "aa", "--count", "0"], USAGE, r"count"),
    "run: count negative": (["run", "aa", "--count", "-5"], USAGE, r"-5"),
    "run: count too large": (["run", "aa", "--count", "99999999999999999999"], USAGE, r"9999"),
    "run: count and duration": (
        ["run", "aa", "--count", "5", "--duration", "1"],
        USAGE,
        r"count.*duration|duration.*count",
    ),
    "run: bad duration": (["run", "aa", "--duration", "1parsec"], USAGE, r"1parsec"),
    "run: bad rate": (["run", "aa", "--rate", "0"], USAGE, r"rate"),
    "run: CPU list garbage": (["run", "aa", "--cpus", "a-b"], USAGE, r"a-b"),
    "run: CPU twice": (["run", "abba", "--cpus", "0,0"], USAGE, r"0,0|twice"),
    "run: CPU not there": (["run", "aa", "--cpus", "1000"], USAGE, r"1000.*(offline|absent)"),
    "run: too few CPUs": (["run", "abba", "--cpus", "0"], USAGE, r"2|two"),
    "run: no such file": (
        ["run", "/nonexistent/x.bpf.o", "--roles", "a"],
        FAIL,
        r"/nonexistent/x.bpf.o.*No such file",
    ),
    "run: own object without roles": (["run", str(ABBA)], USAGE, r"roles.* abba_0, abba_1$"),
    "run: no object, no roles": (["run", "/nonexistent/x.o"], FAIL, r"No such file"),
    "run: no such role": (["run", str(AA), "--roles", "nope"], FAIL, r"nope"),
    "stat: bad interval": (["stat", "often"], USAGE, r"often"),
    "stat: interval zero": (["stat", "0"], USAGE, r"0"),
    "held: interval after a space": (["held", "-w", "300"], USAGE, r"write -w300"),
    "held: stray argument": (["held", "300"], USAGE, r"no arguments.*300"),
    "held: bad interval": (["held", "--watch=never"], USAGE, r"never"),
    "help of unknown verb": (["help", "nonsense"], USAGE, r"nonsense"),
}


@pytest.mark.parametrize("name", CASES)
def test_arguments(name, nothing_left):
    args, code, says = CASES[name]
    res = rqspin(*args)
    assert res.returncode == code, res.stderr
    assert re.search(says, res.stderr, re.S), res.stderr
    assert res.stdout == ""


def write_truncated(path):
    path.write_bytes(AA.read_bytes()[:3000])


def write_text(path):
    path.write_text("this is no object\n")


def write_empty(path):
    path.write_bytes(b"")


def write_host_elf(path):
    path.write_bytes(RQSPIN.read_bytes())


def write_without_btf(path):
    """Compiled without -g: maps cannot be declared without type information."""
    text = (
        'int m __attribute__((section(".maps")));\n'
        '__attribute__((section("tc"))) int aa(void *c) { return !c; }\n'
    )
    compile_bpf(path.with_suffix(".c"), text, flags=["-target", "bpf", "-O2"])


def prototypes():
    """Type numbers of AA's function prototypes."""
    return [at for kind, _, at in damage.btf_types(AA.read_bytes()) if kind == 13]


def survives(elf, obj):
    obj.write_bytes(elf)
    for args in (["--roles", "aa", "-c", "1"], []):
        res = rqspin("run", obj, *args)
        assert res.returncode in (0, FAIL, USAGE, UNSUPPORTED), (args, res)
        assert res.returncode == 0 or (obj.name in res.stderr and res.stdout == ""), res


def test_prototype_returns_no_type(tmp_path, nothing_left):
    """libbpf 1.4.6 follows the number of a return type that is not there, and crashes."""
    for nth, at in enumerate(prototypes()):
        elf = bytearray(AA.read_bytes())
        elf[at + 9] ^= 0x80
        survives(bytes(elf), tmp_path / f"proto{nth}.bpf.o")


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_damaged_object(first, tmp_path, nothing_left):
    for seed in range(first, first + 10):
        survives(damage.mutate(AA.read_bytes(), seed), tmp_path / f"seed{seed}.bpf.o")


def test_completion_of_a_damaged_object(tmp_path):
    """Opening it is enough for some to crash: they have nothing to complete, others their role."""
    listed = []
    for seed in range(20):
        obj = tmp_path / f"seed{seed}.bpf.o"
        obj.write_bytes(damage.mutate(AA.read_bytes(), seed))
        res = rqspin("--words", f"roles:{obj}")
        assert (res.returncode, res.stderr) == (0, ""), (seed, res)
        listed.append(res.stdout)
    assert set(listed) == {"", "aa\n"}


REFUSED = {
    "infinite loop detected": 'for (;;)\n\t\tasm volatile("");\n\treturn 0;',
    "R7 !read_ok": 'long r;\n\n\tasm volatile("%0 = r7" : "=r"(r));\n\treturn r;',
    "invalid mem access": "return *(volatile int *)8;",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_refusal(reason, tmp_path, nothing_left):
    """The verifier's message and the source line; twice -v ends with the log of this program."""
    skip_without_locks()
    text = '__attribute__((section("tc"))) int mine(void *ctx)\n{\n\t'
    text += REFUSED[reason] + '\n}\nchar _license[] __attribute__((section("license"))) = "GPL";\n'
    obj = compile_bpf(tmp_path / "refused.bpf.c", text)
    res = rqspin("run", obj, "--roles", "mine")
    assert res.returncode == FAIL and len(res.stderr.splitlines()) == 1, res.stderr
    assert re.search(rf"refuses mine: .*{reason}.*; at refused\.bpf\.c:\d: ", res.stderr), (
        res.stderr
    )
    quoted = re.search(r"refuses mine: (.*?); at ", res.stderr)[1]
    log = rqspin("-v", "-v", "run", obj, "--roles", "mine").stderr.splitlines()
    end = max(i for i, line in enumerate(log) if "refuses mine" in line)
    assert log[-1].strip().startswith("processed ")
    assert quoted in [line.strip() for line in log[end + 1 :]]
    assert "libbpf:" not in "".join(log[end:])


@pytest.mark.parametrize("limit", [4, 8, 10, 12, 16, 20])
def test_few_descriptors(limit, nothing_left):
    """Too few are named as the reason, with what to do; where they suffice nothing is said."""
    skip_without_locks()
    cmd = f'ulimit -n {limit}; exec "$0" run aa -c 2'
    res = subprocess.run(["bash", "-c", cmd, RQSPIN], capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == FAIL, res
    assert re.search(rf"too few files.* {limit}[,:].*ulimit -n", res.stderr), res.stderr
    assert len(res.stderr.splitlines()) == 1


def test_soft_limit_is_raised(nothing_left):
    skip_without_locks()
    cmd = 'ulimit -Sn 10; exec "$0" run aa -c 2'
    res = subprocess.run(["bash", "-c", cmd, RQSPIN], capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 0, res.stderr


@pytest.mark.parametrize(
    "write", [write_truncated, write_text, write_empty, write_host_elf, write_without_btf]
)
def test_bad_object(write, tmp_path, nothing_left):
    obj = tmp_path / "bad.bpf.o"
    write(obj)
    res = rqspin("run", obj, "--roles", "aa")
    assert res.returncode == FAIL, res.stderr
    assert "bad.bpf.o" in res.stderr
    assert res.stdout == ""


def test_directory_as_object(tmp_path):
    res = rqspin("run", tmp_path / ".", "--roles", "aa")
    assert res.returncode in (FAIL, USAGE) and str(tmp_path) in res.stderr


def test_samples_not_found(tmp_path):
    env = dict(os.environ, RQSPIN_PROGS_DIR=str(tmp_path))
    res = rqspin("run", "aa", env=env)
    assert res.returncode == FAIL
    assert "aa.bpf.o" in res.stderr and "RQSPIN_PROGS_DIR" in res.stderr


FULL = [
    ["list"],
    ["list", "--json"],
    ["doctor"],
    ["doctor", "--json"],
    ["run", "aa", "--count", "1"],
    ["run", "aa", "--count", "1", "--json"],
    ["held"],
    ["held", "--json"],
    ["errno", "hash", "update"],
    ["errno", "hash", "update", "--json"],
    ["help"],
    ["trace", "--json", "--duration", "0.1"],
    ["stat", "0.1", "2"],
    ["stat", "--json", "0.1", "2"],
    ["held", "-w10", "--count", "2"],
]


@pytest.mark.parametrize("args", FULL, ids=" ".join)
def test_full_disk(args, nothing_left):
    if args[0] == "run":
        skip_without_locks()
    if args[0] == "held":
        skip_without_held_table()
    with open("/dev/full", "w") as full:
        res = subprocess.run(
            [RQSPIN, *args], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT
        )
    assert res.returncode == FAIL, res.stderr
    assert res.stderr.count("No space left on device") == 1, res.stderr
    assert res.stderr.count("standard output") == 1, res.stderr


LIMITED = [
    ["trace", "--json", "--duration", "0.1", "-o"],
    ["trace", "--duration", "0.1", "--ready-file"],
]


@pytest.mark.parametrize("args", LIMITED, ids=" ".join)
def test_limit_of_file_sizes(args, tmp_path, nothing_left):
    """Its signal would end the command without a word."""
    out = tmp_path / "out"
    cmd = ["prlimit", "--fsize=1", "--", RQSPIN, *args, out]
    res = subprocess.run(cmd, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
    assert res.returncode == FAIL, res.stderr
    assert res.stderr.count(f"{out}: File too large") == 1, res.stderr


def test_limit_of_file_sizes_of_a_command(tmp_path):
    """Its own end is its own business: what a shell says of SIGXFSZ."""
    cmd = ["prlimit", "--fsize=100", "--", RQSPIN, "trace", "--"]
    cmd += ["dd", "if=/dev/zero", f"of={tmp_path}/data", "bs=1000", "count=1", "status=none"]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 128 + signal.SIGXFSZ, res.stderr


CLOSED = [["list"], ["run", "aa", "--count", "1"]]


@pytest.mark.parametrize("args", CLOSED, ids=" ".join)
def test_closed_stdout(args):
    if args[0] == "run":
        skip_without_locks()
    cmd = f'exec "$0" {" ".join(args)} >&-'
    res = subprocess.run(
        ["bash", "-c", cmd, RQSPIN], stderr=subprocess.PIPE, text=True, timeout=LIMIT
    )
    assert res.returncode == FAIL, res.stderr
    assert res.stderr


@pytest.mark.parametrize("verb", [["trace"], ["run", "aa"], ["held"], ["stat"]], ids=" ".join)
def test_no_privilege(verb, reachable):
    res = subprocess.run(
        [reachable / "rqspin", *verb],
        user=65534,
        group=65534,
        extra_groups=[],
        env=dict(os.environ, RQSPIN_PROGS_DIR=str(reachable)),
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert res.returncode == UNSUPPORTED, res.stderr
    assert re.search(r"root|CAP_BPF|privilege", res.stderr), res.stderr


def test_broken_pipe_is_quiet():
    """`rqspin trace | head -1` ends without a complaint."""
    cmd = 'set -o pipefail; "$0" list | head -1 >/dev/null'
    res = subprocess.run(["bash", "-c", cmd, RQSPIN], capture_output=True, text=True, timeout=LIMIT)
    assert res.stderr == ""


WATCHING = [["stat", "0.1", "20"], ["stat", "--json", "0.1", "20"], ["held", "-w50"]]
WATCHING += [["top", "-b", "-i", "0.1"], ["top", "-b", "--json", "-i", "0.1"]]


@pytest.mark.parametrize("args", WATCHING, ids=" ".join)
def test_reader_goes_away(args, nothing_left):
    """`rqspin stat 0.1 20 | head -1`"""
    if args[0] == "held":
        skip_without_held_table()
    proc = subprocess.Popen([RQSPIN, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert proc.stdout.readline()
    proc.stdout.close()
    talk = proc.stderr.read().decode()
    assert proc.wait(timeout=LIMIT) == 0, talk
    assert "output" not in talk and "error" not in talk


def test_tracing_blindly_is_no_clean_bill(reachable):
    """What loads programs may still not be allowed to find those of others."""
    caps = "+bpf,+perfmon,+net_admin"
    who = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
    cmd = ["setpriv", *who, "--inh-caps", caps, "--ambient-caps", caps]
    cmd += [reachable / "rqspin", "trace", "--strict", "--json", "--duration", "200ms"]
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    if res.returncode == UNSUPPORTED:
        pytest.skip(res.stderr.strip().splitlines()[-1])
    assert "without CAP_SYS_ADMIN" in res.stderr, res.stderr
    summary = json.loads(res.stdout.splitlines()[-1])
    seen = {"tracepoint", "trampoline"} & set(summary["sources"].split(", "))
    assert summary["lost_unknown"] == (not seen)
    assert res.returncode == (0 if seen else 4)
