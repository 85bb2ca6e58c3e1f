# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Maps whose own locks may fail unseen: every verb says so, if a program in question uses one."""

import json

import pytest
from bpfobj import compile_bpf, pinned
from conftest import doctor_check, rqspin

# Of one object: programs that use a hash map, a map of maps, and neither.
PROGRAMS = """
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, int);
} flows SEC(".maps");

struct array {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, int);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, int);
	__array(values, struct array);
} outer SEC(".maps");

SEC("tc") int uses_hash(struct __sk_buff *skb)
{
	int key = 0;

	return !bpf_map_lookup_elem(&flows, &key);
}

SEC("tc") int uses_outer(struct __sk_buff *skb)
{
	int key = 0;

	return !bpf_map_lookup_elem(&outer, &key);
}

SEC("tc") int uses_array(struct __sk_buff *skb)
{
	int key = 0;

	return !bpf_map_lookup_elem(&slots, &key);
}

char _license[] SEC("license") = "GPL";
"""
TIME = ("--duration", "200ms")
VERBS = {
    "trace": ("--json", *TIME),
    "stat": ("--json", "0.2", "1"),
    "top": ("--batch", "--json", *TIME),
    "export": ("--textfile", "metrics.prom", *TIME),
}
SAYS = "NOT all failed locks inside maps of these types are seen: "


@pytest.fixture
def programs(tmp_path, nothing_left):
    if doctor_check("lock")["available"] and not doctor_check("held_table")["available"]:
        pytest.skip("this kernel's locks inside maps tell of themselves, or cannot fail")
    with pinned(compile_bpf(tmp_path / "maps.bpf.c", PROGRAMS)):
        yield


def unseen(res, folder, verb):
    if verb == "export":
        text = (folder / "metrics.prom").read_text()
        return {line.split('"')[1] for line in text.splitlines() if "map_types{" in line}
    return set(json.loads(res.stdout.splitlines()[-1])["map_types_unseen"])


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("prog", ["uses_hash", "uses_outer", "uses_array"])
def test_every_verb_says_what_it_does_not_see(programs, tmp_path, verb, prog):
    """The source ring sees no lock inside a map. Any map may be in a map of maps."""
    args = ("--source", "ring", "--strict", "--prog", prog)
    res = rqspin(verb, *args, *VERBS[verb], cwd=tmp_path)
    assert SAYS + "hash, " in res.stderr, res.stderr
    types = unseen(res, tmp_path, verb)
    assert ("hash" in types) == (prog != "uses_array")
    assert res.returncode == (0 if prog == "uses_array" else 4), res.stderr


def test_the_reason_is_in_the_text(programs):
    res = rqspin("trace", "--source", "ring", "--prog", "uses_hash", *TIME)
    last = res.stderr.splitlines()[-1]
    assert res.returncode == 0
    assert "lost: unknown (not all failed locks inside maps of these types are seen: hash" in last
