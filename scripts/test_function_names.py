# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).with_name("function-names.py")


def check(folder, files, *args):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return subprocess.run(
        [sys.executable, CHECK, *args, *files],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def defined(*names):
    return "\n".join(f"static int {name}(void)\n{{\n\treturn 0;\n}}\n" for name in names)


def areas(res):
    """Of each area that is printed: how many functions, how many with one word."""
    words = [line.split() for line in res.stdout.splitlines()]
    return {w[0].rstrip(":"): (int(w[1]), int(w[3])) for w in words}


def many(nr):
    return [f"lock_take_{i}" for i in range(nr)]


@pytest.mark.parametrize(
    ("area", "limit"), [("user", 2), ("include", 2), ("lab", 4), ("selftests", 4)]
)
def test_an_area_has_its_limit(tmp_path, area, limit):
    files = {f"{area}/a.c": defined(*many(100 - limit), *["run"] * limit)}
    res = check(tmp_path, files)
    assert (res.returncode, areas(res)) == (0, {area: (100, limit)})
    files[f"{area}/b.h"] = defined("put")
    res = check(tmp_path, files)
    assert (res.returncode, areas(res)) == (1, {area: (101, limit + 1)})
    assert f"more than {limit} %" in res.stdout and "noun_verb" in res.stderr


def test_areas_are_counted_apart(tmp_path):
    files = {"user/a.c": defined(*many(50), "run"), "lab/a.c": defined("run")}
    res = check(tmp_path, files)
    assert (res.returncode, areas(res)) == (1, {"user": (51, 1), "lab": (1, 1)})


def test_functions_are_found_whatever_stands_before_them(tmp_path):
    text = """#include "a.h"
/* put(x) { */
static struct table {
	int x;
} table = { 1 };
#define PUT(x) put(x)
__u32 state SEC(".data");
static int put(int x);
__attribute__((format(printf, 2, 3))) static void add(char *text, const char *fmt, ...)
{
	if (text) {
		put(1);
	}
}
static __always_inline struct slot *slot(int (*of)(int i),
                                         int i)
{
}

struct state
_next(void)
{
}
"""
    res = check(tmp_path, {"bpf/a.c": text}, "--list")
    listed = [line for line in res.stdout.splitlines() if line.startswith("bpf/")]
    assert listed == ["bpf/a.c:9: add", "bpf/a.c:16: slot", "bpf/a.c:21: _next"]


NOT_COUNTED = {
    "a program": 'SEC("tc") int packet(struct __sk_buff *ctx)\n{\n}\n',
    "a program's line of its own": 'SEC("tp_btf/x")\nint BPF_PROG(taken, int x)\n{\n}\n',
    "main": "int main(int argc, char **argv)\n{\n}\n",
    "a fuzzer": "int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)\n{\n}\n",
    "a macro's name": "CASES(aa)\n{\n}\n",
}


@pytest.mark.parametrize("name", NOT_COUNTED)
def test_names_that_are_not_ours_to_choose(tmp_path, name):
    res = check(tmp_path, {"bpf/a.c": defined("lock_take") + "\n" + NOT_COUNTED[name]})
    assert (res.returncode, areas(res)) == (0, {"bpf": (1, 0)})


def test_a_function_called_by_a_program_is_counted(tmp_path):
    text = 'SEC("tc") int packet(void)\n{\n}\n\nstatic int BPF_KPROBE(meet, int x)\n{\n}\n'
    assert areas(check(tmp_path, {"selftests/a.bpf.c": text})) == {"selftests": (1, 1)}
