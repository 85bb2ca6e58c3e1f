# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check on programs that the verifier refuses: its message, and a fix that fits it.

Linux 7.3 and later explain themselves behind the message: cause, path, a suggestion.
"""

import json
import re

import pytest
from bpfobj import compile_bpf
from conftest import needs_locks, rqspin, validator

FOUND = 10

HEAD = """
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
struct bpf_res_spin_lock a __hidden SEC(".data.a");
struct elem { struct bpf_res_spin_lock lock; __u32 value; };
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__uint(key_size, 4);
	__uint(value_size, sizeof(struct elem));
} by_size SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct elem);
} elems SEC(".maps");
static __always_inline int both(struct elem *from, struct elem *to)
{
	int err = res_spin_lock(&from->lock);
	if (err) return err;
	err = res_spin_lock(&to->lock);
	if (!err) res_spin_unlock(&to->lock);
	res_spin_unlock(&from->lock);
	return err;
}
__noinline int global(int x) { volatile int y = x; return y + 1; }
char _license[] SEC("license") = "GPL";
"""

# Statements, what the message has to contain, and the fix.
REFUSED = {
    "global": (
        "if (res_spin_lock(&a)) return 1;\nglobal(s->len);\nres_spin_unlock(&a);",
        "not allowed while holding a lock, use static function instead",
        "make the function static",
    ),
    "helper": (
        'if (res_spin_lock(&a)) return 1;\nbpf_printk("x");\nres_spin_unlock(&a);',
        "function calls are not allowed while holding a lock",
        "call it before the lock is taken",
    ),
    "aa": (
        "if (res_spin_lock(&a)) return 1;\nif (!res_spin_lock(&a)) res_spin_unlock(&a);\n"
        "res_spin_unlock(&a);",
        "Acquiring the same lock again, AA deadlock detected",
        "locked already",
    ),
    "chosen": (
        "__u32 i = s->hash, k = s->mark;\n"
        "struct elem *x = bpf_map_lookup_elem(&elems, &i);\n"
        "struct elem *y = bpf_map_lookup_elem(&elems, &k);\n"
        "if (!x || !y || i == k) return 1;\nreturn both(i < k ? x : y, i < k ? y : x);",
        "Acquiring the same lock again, AA deadlock detected",
        "if two are chosen by ?:, the verifier takes them for one: branch with if and call twice",
    ),
    "exit": (
        "if (res_spin_lock(&a)) return 1;\nif (s->len == 3) return 5;\nres_spin_unlock(&a);",
        "cannot be used inside bpf_spin_lock-ed region",
        "before this call or exit",
    ),
    "sleeps": (
        "char x[8];\nif (bpf_copy_from_user(x, 8, (void *)8)) return 1;",
        "non-sleepable prog",
        "this program may not",
    ),
    "by_size": (
        "__u32 k = s->len & 3;\nstruct elem *e = bpf_map_lookup_elem(&by_size, &k);\n"
        "if (!e || res_spin_lock(&e->lock)) return 1;\nres_spin_unlock(&e->lock);",
        "map 'by_size' has to have BTF in order to use bpf_res_spin_lock",
        "__type(value, struct ...)",
    ),
}

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]


def refusal(folder, name):
    body = f'SEC("tc") int bad(struct __sk_buff *s)\n{{\n{REFUSED[name][0]}\nreturn 0;\n}}\n'
    obj = compile_bpf(folder / f"{name}.bpf.c", HEAD + body)
    res = rqspin("check", "--json", obj)
    assert res.returncode == FOUND, res.stderr
    out = json.loads(res.stdout)
    validator("check.schema.json").validate(out)
    (found,) = out["findings"]
    return found


def test_fix_of_the_chosen(tmp_path):
    """An order by hand, as the fix has it, is no finding."""
    body = REFUSED["chosen"][0].rpartition("return")[0] + (
        "if (i < k) return both(x, y);\nreturn both(y, x);"
    )
    text = HEAD + f'SEC("tc") int good(struct __sk_buff *s)\n{{\n{body}\n}}\n'
    res = rqspin("check", compile_bpf(tmp_path / "good.bpf.c", text))
    assert res.returncode == 0 and ", 0 findings, 0 notes" in res.stderr, res.stdout


@pytest.mark.parametrize("name", REFUSED)
def test_message_and_fix(name, tmp_path):
    found = refusal(tmp_path, name)
    _, says, fix = REFUSED[name]
    assert (found["kind"], found["severity"]) == ("refused", "error")
    assert says in found["message"] and fix in found["fix"], found


def test_report_of_the_kernel(tmp_path):
    """Cause, where the held lock was taken, and the suggestion, each with its line."""
    found = refusal(tmp_path, "aa")
    if not found["stages"]:
        pytest.skip("this kernel says no more than the message")
    said = [(s["line"], s["message"]) for s in found["stages"]]
    lines = (tmp_path / "aa.bpf.c").read_text().splitlines()
    takes = [n for n, text in enumerate(lines, 1) if "res_spin_lock(&a)" in text]
    assert found["line"] == takes[1]
    assert (takes[0], "the lock that is held was taken here") in said
    assert any(re.match("This path already holds", text) for _, text in said)
    assert any(text.startswith("the kernel suggests: ") for _, text in said)
