# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin errno`: the page of the manual, the kernel's types and what the kernel really returns."""

import errno
import json
import os
import re
import subprocess

import pytest
from bpfobj import compile_bpf
from conftest import BPFTOOL, LIMIT, RQSPIN, TOP, cpus, rqspin, validator
from kernelbtf import KERNEL, KERNELS, kernels_btf
from mapfailures import DRIVER, STORAGE, failures

PAGE = TOP / "docs/map-errors.md"
OWN_BTF = "/sys/kernel/btf/vmlinux"
KINDS = ["plain", "later", "series"]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    return kernels_btf(tmp_path_factory.mktemp("kernels"))


def explained(*args):
    res = rqspin("errno", *args, "--json")
    assert res.returncode == 0, res.stderr
    doc = json.loads(res.stdout)
    validator("errno.schema.json").validate(doc)
    return doc


def page_rows():
    """The page's table as somebody reads it: empty cells and words mean the row above."""
    text = PAGE.read_text()
    part = text[text.index("<!-- errors:") : text.index("<!-- end of errors -->")]
    types = ops = None
    for line in part.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) != 6 or cells[0] in ("operation", "---"):
            continue
        where = re.fullmatch(r"(?:\*\*(.*)\*\*: )?(.*)", cells[0])
        types = where[1].split(", ") if where[1] else types
        ops = where[2].split(", ") if where[2] else ops
        yield types, ops, cells[1], dict(zip(KINDS, cells[2:5], strict=True)), cells[5].split(", ")


def page_advice():
    text = PAGE.read_text()
    part = text[text.index("<!-- advice:") : text.index("<!-- end of advice -->")]
    return dict(re.findall(r"^\| ([a-z_]+) \| (.*) \|$", part, re.M))


def bare(text):
    return text.replace("`", "")


def page():
    """By map type and operation: the row of each cause. A row's first pair is in the second set."""
    table, first = {}, set()
    for types, ops, cause, returns, do in page_rows():
        first.add((types[0], ops[0]))
        for key in ((t, o) for t in types for o in ops):
            table.setdefault(key, {})[bare(cause)] = returns, do
    return table, first


def check_cause(got, returns, do, advice):
    text = returns[got["kernel"]]
    assert got["kernels"] == {k: bare(t) for k, t in returns.items()}
    assert got["returns"] == bare(text)
    assert set(got["errors"]) == set(re.findall("`-?(E[A-Z0-9]+|NULL)`", text))
    assert set(got["do"]) <= {bare(advice[word]) for word in do if word != "-"}


@pytest.mark.parametrize("kind", KINDS)
def test_agrees_with_the_page(kernels, kind):
    """Every row on every kind of kernel, on one of them for all its types and operations."""
    advice, (table, first) = page_advice(), page()
    assert len(table) > 60 and len(first) > 15
    for map_type, op in table if kind == "later" else first:
        causes = explained(map_type, op, "--btf", kernels[kind])["causes"]
        rows = table[map_type, op]
        assert sorted(c["cause"] for c in causes) == sorted(rows)
        for cause in causes:
            check_cause(cause, *rows[cause["cause"]], advice)
            # Two locks of these kernels are plain on all of them.
            plain = cause["lock"] in ("storage", "arena")
            assert cause["kernel"] == ("plain" if plain else kind)


def test_knows_what_it_completes(kernels):
    tables = json.loads(rqspin("--dump-tables").stdout)["map_types"]
    on_page = set(page()[0])
    assert {(t["name"], o) for t in tables for o in t["ops"]} == on_page


@pytest.mark.parametrize(
    "kernel, here",
    [("plain", {True}), ("old", {True}), ("later", {False}), ("series", {False, True})],
)
def test_busy_by_kernel(kernels, kernel, here):
    """The question that this verb is for: where does -EBUSY come from, and what is it here?"""
    causes = explained("hash", "update", "EBUSY", "--btf", kernels[kernel])["causes"]
    nested = next(c for c in causes if "same bucket" in c["cause"])
    assert nested["errors"] == (["EBUSY"] if True in here and kernel != "series" else ["EDEADLK"])
    assert {c["here"] for c in causes} >= here
    text = rqspin("errno", "hash", "update", "EBUSY", "--btf", kernels[kernel]).stdout
    assert ("Never on this kernel" in text) == (False in {c["here"] for c in causes})


def test_unknown_locks(tmp_path):
    """A kernel without these structures: all kernels are shown, in both forms."""
    btf = compile_bpf(tmp_path / "other.c", "struct bucket { int n; } b;")
    doc = explained("hash", "update", "EDEADLK", "--btf", btf)
    assert {lock["kernel"] for lock in doc["locks"]} == {None}
    for cause in doc["causes"]:
        assert cause["returns"] is cause["errors"] is cause["here"] is None
    text = rqspin("errno", "hash", "update", "EDEADLK", "--btf", btf).stdout
    assert "unknown" in text and "Perhaps, depending on the kernel" in text
    part = text[text.index("same bucket") :].split("\n\n")[0]
    assert "on Linux 6.12: -EBUSY" in part and "on later kernels: -EDEADLK" in part


def test_same_word_in_many_forms(kernels):
    want = explained("lru_hash", "update", "ENOMEM", "--btf", kernels["later"])
    for map_type in ("LRU_HASH", "lru-hash", "BPF_MAP_TYPE_LRU_HASH"):
        for op in ("bpf_map_update_elem", "BPF_MAP_UPDATE_ELEM", "Update"):
            for err in ("-ENOMEM", "enomem", "12", "-12"):
                assert explained(map_type, op, err, "--btf", kernels["later"]) == want
    longest = explained("hash", "bpf_map_lookup_and_delete_elem", "--btf", kernels["later"])
    assert longest["op"] == "lookup_and_delete"
    assert explained("ringbuf", "reserve", "null", "--btf", kernels["later"])["error"] == "NULL"
    both = [explained("queue", "push", e, "--btf", kernels["plain"]) for e in ("EAGAIN", "11")]
    assert both[0] == both[1] and both[0]["causes"] == []


def test_unsigned_errors(kernels):
    """As bpftool and %u, %llu, %#x of a negative number print them."""
    where = ("percpu_hash", "update_batch")
    want = explained(*where, "ENOMEM", "--btf", kernels["later"])
    numbers = ("4294967284", "18446744073709551604", "0xfffffff4", "0xFFFFFFFFFFFFFFF4", "0xc")
    for number in numbers:
        assert explained(*where, number, "--btf", kernels["later"]) == want
    for number in ("4294967296", "4294963200", "99999999999999999999", "0x", "12x", "0"):
        assert rqspin("errno", *where, number).returncode == 2, number


FUNCTIONS = {
    ("queue", "bpf_map_update_elem"): "push",
    ("queue", "bpf_map_lookup_and_delete_elem"): "pop",
    ("stack", "bpf_map_lookup_and_delete_elem_flags"): "pop",
    ("stack", "BPF_MAP_LOOKUP_ELEM"): "peek",
    ("queue", "bpf_map__update_elem"): "push",
    ("queue", "bpf_map_peek_elem"): "peek",
    ("hash", "bpf_map_lookup_elem_flags"): "lookup",
    ("percpu_hash", "bpf_map_lookup_percpu_elem"): "lookup",
    ("bloom_filter", "bpf_map_push_elem"): "update",
    ("bloom_filter", "bpf_map_peek_elem"): "lookup",
    ("task_storage", "bpf_map_update_elem"): "get",
    ("ringbuf", "bpf_ringbuf_submit_dynptr"): "submit",
    ("ringbuf", "bpf_ringbuf_reserve_dynptr"): "reserve_dynptr",
}


@pytest.mark.parametrize("map_type, function", FUNCTIONS)
def test_functions_of_user_space(kernels, map_type, function):
    doc = explained(map_type, function, "--btf", kernels["later"])
    assert doc["op"] == FUNCTIONS[map_type, function] and doc["causes"]


def test_memory_without_preallocation(kernels):
    """Also by a batch, with what a batch leaves behind."""
    for map_type in ("hash", "percpu_hash", "lpm_trie"):
        causes = explained(map_type, "update_batch", "ENOMEM", "--btf", kernels["later"])["causes"]
        assert any("no memory" in c["cause"] and c["here"] for c in causes)
        (batch,) = (c for c in causes if c["cause"] == "the single operation fails")
        assert batch["here"] and any(d.startswith("Read count") for d in batch["do"])
    assert not explained("hash", "update_batch", "ENOSPC", "--btf", kernels["later"])["causes"]


WATCHED = "__attribute__((used)) static int htab_lru_map_update_elem(void *map) { return 0; }"
WHO_SEES = {  # kernel: what is said of an LRU list, and of a ring buffer
    "later": ("no source on this kernel", "no source on this kernel"),
    "watched": ("where fexit works|and fexit works", "no source on this kernel"),
    "series": ("`?rqspin trace`? shows failed locks", "`?rqspin trace`? shows failed locks"),
}


@pytest.mark.parametrize("kernel", WHO_SEES)
def test_trace_is_promised_where_it_sees(kernels, tmp_path, kernel):
    btf = kernels.get(kernel)
    if not btf:
        text = KERNEL.format(**KERNELS["later"] | {"extra": WATCHED})
        btf = compile_bpf(tmp_path / "watched.c", text)
    ops = (("lru_hash", "update", "ENOMEM"), ("ringbuf", "reserve", "NULL"))
    for words, says in zip(ops, WHO_SEES[kernel], strict=True):
        text = rqspin("errno", *words, "--btf", btf).stdout
        promised = re.findall("rqspin trace[^.]*", text)
        assert promised and all(re.search(says, p) for p in promised), text
        locks = {lock["traced"] for lock in explained(*words, "--btf", btf)["locks"]}
        assert len(locks - {"no"}) <= 1


def test_no_lock_is_the_reason(kernels):
    res = rqspin("errno", "hash", "update", "ENOSPC", "--btf", kernels["later"])
    assert res.returncode == 0 and "no lock is the reason" in res.stdout


BAD = {
    "no map type": ([], r"which map type\? Known: hash, percpu_hash,"),
    "no operation": (["lpm_trie"], r"which operation\? Known: .*update"),
    "slip in the type": (["lru_hahs", "update"], r"'lru_hahs'; did you mean 'lru_hash'\? Known: "),
    "unlike any type": (["floor", "update"], r"no map type 'floor'\. Known: hash, "),
    "slip in the operation": (["queue", "psuh"], r"'psuh'; did you mean 'push'\? Known: push, pop"),
    "operation of others": (["queue", "get_stackid"], r"no operation 'get_stackid'. Known: push"),
    "slip in the error": (["hash", "update", "EDEADLOK"], r"unknown error 'EDEADLOK'.*EDEADLK"),
    "no such number": (["hash", "update", "4000"], r"unknown error '4000'"),
    "unprintable": (["h\x1b[31m", "update"], r"no map type 'h\\x1b\[31m'"),
    "too many": (["hash", "update", "EBUSY", "now"], r"one argument too many: 'now'"),
    "very long": (["h" * 5000, "update"], r"no map type 'hhhh"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_words(name):
    args, says = BAD[name]
    res = rqspin("errno", *args)
    assert (res.returncode, res.stdout) == (2, "") and re.search(says, res.stderr), res.stderr
    assert "\x1b" not in res.stderr


def test_bad_btf(tmp_path, kernels):
    """Also cut off anywhere, which some versions of libbpf do not survive."""
    whole = kernels["later"].read_bytes()
    files = {"missing": None, "text": b"no types\n", "empty": b""}
    files |= {f"cut{n}": whole[: len(whole) * n // 8] for n in range(1, 8)}
    for name, content in files.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        res = rqspin("errno", "hash", "update", "--btf", path)
        assert (res.returncode, res.stdout) == (1, ""), name
        assert f"--btf {path}: no BTF" in res.stderr
    res = rqspin("errno", "hash", "update", "--btf", "x\ny\\z")
    assert res.returncode == 1 and r"--btf x\ny\\z: no BTF" in res.stderr


def test_needs_no_privileges(kernels):
    """As nobody: BTF is readable by all."""
    try:
        res = subprocess.run(
            [RQSPIN, "errno", "hash", "update", "--json"],
            capture_output=True,
            text=True,
            user=65534,
            group=65534,
            extra_groups=[],
            timeout=LIMIT,
        )
    except PermissionError as e:
        pytest.skip(f"cannot become nobody, or nobody cannot run the command: {e}")
    assert res.returncode == 0, res.stderr
    assert json.loads(res.stdout) == explained("hash", "update")


def test_locks_of_this_kernel():
    """As bpftool shows the same types."""
    if not os.path.exists(OWN_BTF):
        pytest.skip("this kernel has no BTF")
    dump = subprocess.run(
        [BPFTOOL, "btf", "dump", "file", OWN_BTF, "format", "c"],
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    ).stdout
    for args, struct in (
        (("lpm_trie", "update"), "lpm_trie"),
        (("queue", "push"), "bpf_queue_stack"),
        (("ringbuf", "output"), "bpf_ringbuf"),
        (("task_storage", "get"), "bpf_local_storage"),
    ):
        body = re.search(rf"^struct {struct} \{{.*?^\}};", dump, re.M | re.S)
        locks = {lock["kernel"] for lock in explained(*args)["locks"]}
        want = re.search(r"\brqspinlock_t \w+;", body[0]) if body else None
        assert len(locks) == 1 and bool(want) == bool(locks & {"later", "series"}), struct


# Place of the driver: the operation that is nested, or waits behind an owner on another CPU, and
# the cause.
NESTED_BUCKET = "program nested in an operation on the same bucket"
BUCKET = "bucket cannot be locked"
NESTED = "nested in an operation on the same map"
SPARE = (
    "replaces an element of a full preallocated map, nested in another replacement on the same CPU"
)
FREE_LISTS = "free lists cannot be locked, no free bucket elsewhere"
UNLOCKED = "lock cannot be taken"
INODE = "lock cannot be taken (no program that has these functions runs on top of the lock's owner)"
ARENA_FREE = "lock cannot be taken; a program that cannot sleep does not try"
MEASURED = {
    "hash": ("hash", "update", NESTED_BUCKET),
    "percpu_hash": ("percpu_hash", "delete", NESTED_BUCKET),
    "replace": ("hash", "update", SPARE),
    "lru_bucket": ("lru_hash", "delete", BUCKET),
    "lru_list": (
        "lru_hash",
        "update",
        "an LRU list cannot be locked (program on top of its owner)",
    ),
    "lookup_batch-batch": ("hash", "lookup_batch", BUCKET),
    "lookup_and_delete_batch-batch": ("hash", "lookup_and_delete_batch", BUCKET),
    "lookup_batch-batch_lru": ("lru_hash", "lookup_batch", BUCKET),
    "lookup_and_delete_batch-batch_lru": ("lru_hash", "lookup_and_delete_batch", BUCKET),
    "lpm": ("lpm_trie", "update", "nested in an operation on the same trie"),
    "ringbuf_output": ("ringbuf", "output", "nested in a reservation"),
    "ringbuf_dynptr": ("ringbuf", "reserve_dynptr", UNLOCKED),
    "behind-ringbuf_dynptr": ("ringbuf", "reserve_dynptr", UNLOCKED),
    "queue": ("queue", "push", NESTED),
    "stack": ("stack", "pop", NESTED),
    "stackid": ("stack_trace", "get_stackid", FREE_LISTS),
    "behind-stackid": ("stack_trace", "get_stackid", FREE_LISTS),
    "stack_delete": ("stack_trace", "delete", "free list cannot be locked"),
    "task": ("task_storage", "delete", UNLOCKED),
    "behind-task": ("task_storage", "get", UNLOCKED),
    "cgrp": ("cgrp_storage", "delete", UNLOCKED),
    "behind-cgrp": ("cgrp_storage", "get", UNLOCKED),
    "sk": ("sk_storage", "delete", UNLOCKED),
    "behind-sk": ("sk_storage", "get", UNLOCKED),
    "behind-inode": ("inode_storage", "get", INODE),
    "arena": ("arena", "alloc_pages", UNLOCKED),
    "behind-arena": ("arena", "alloc_pages", UNLOCKED),
    "behind-arena_free": ("arena", "free_pages", ARENA_FREE),
}
COUNT = 2
# What each of COUNT turns adds, where that is not one error. refused: NULL, or success.
COUNTED = {
    "stack_delete": {"refused": 1},
    "task": {"refused": 1, "edeadlk": 1},
    "cgrp": {"refused": 1, "edeadlk": 1},
    "sk": {"refused": 1, "edeadlk": 1},
    "behind-task": {"etimedout": 2},
    "behind-cgrp": {"etimedout": 2},
    "behind-sk": {"etimedout": 2},
    "behind-inode": {"refused": 1, "etimedout": 3},
    "arena": {"refused": 1},
    "behind-arena": {"refused": 1},
    "behind-arena_free": {},
}
# The bucket that is locked is the last one, and has one of eight elements. The next call gets it.
BATCHES = {"batch_first": 7, "batch_rest": 1, "batch_next": 15}
EXACTLY = {
    # As long as the lock is held there are two pages: the freed one, and that of the lock's owner.
    "behind-arena_free": {"pages_held": 2 * COUNT, "pages_left": 0},
    # Where the lock is free, the program gets its page.
    "arena": {"unlocked_ok": COUNT},
}


def behind(place):
    return place.startswith(("behind-", "lookup_")) or place == "stack_delete"


def provoked(place):
    map_type, op, cause = MEASURED[place]
    row = next(c for c in explained(map_type, op)["causes"] if c["cause"] == cause)
    if row["kernel"] not in ("later", "series"):
        pytest.skip(f"the lock is {row['kernel'] or 'unknown'} here: to nest would hang")
    if os.geteuid():
        pytest.skip("needs root to load programs")
    if behind(place) and cpus() < 2:
        pytest.skip("needs two CPUs")
    driver = STORAGE if map_type.endswith("_storage") or map_type == "arena" else DRIVER
    with failures(place, COUNT, driver) as told:
        return row, told


@pytest.mark.parametrize("place", MEASURED)
def test_measured(place, nothing_left):
    """What the running kernel returns is what it is said to return."""
    row, told = provoked(place)
    seen = {"EDEADLK"} if told["edeadlk"] else set()
    seen |= {"ETIMEDOUT"} if told["etimedout"] else set()
    seen |= {errno.errorcode[-told["other_err"]]} if told["other"] else set()
    seen |= {"NULL"} if told["refused"] and place != "stack_delete" else set()
    assert seen <= set(row["errors"]) and bool(seen) == bool(row["errors"]), told
    results = ("edeadlk", "etimedout", "refused", "other")
    if place in COUNTED:
        want = {r: COUNT * COUNTED[place].get(r, 0) for r in results}
        assert {r: told[r] for r in results} == want, told
    assert told["nested_ok"] == told["missed"] == 0, told
    exactly = BATCHES if place.startswith("lookup_") else EXACTLY.get(place, {})
    assert told.items() >= exactly.items(), told
    if behind(place):
        assert told["ms"] >= 200, told
