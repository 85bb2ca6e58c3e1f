# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check on objects that were made to be loaded by a command of their own.

Sections of that command's choice, maps that it completes, values that it sets, what other kernels
have: each program is looked at, or the reason is told, and nothing looked at is no success.
"""

import json
import re
import resource
import subprocess

import pytest
from bpfobj import compile_bpf
from conftest import BPFTOOL, needs_locks, rqspin, validator

CLEAN, FAIL, USAGE, UNSUPPORTED, SPENT, FOUND = 0, 1, 2, 3, 4, 10

HEAD = """
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
struct bpf_res_spin_lock a __hidden SEC(".data.a");
struct bpf_res_spin_lock b __hidden SEC(".data.b");
static __always_inline int both(struct bpf_res_spin_lock *x, struct bpf_res_spin_lock *y)
{
	int err = res_spin_lock(x);

	if (err)
		return err;
	err = res_spin_lock(y);
	if (!err)
		res_spin_unlock(y);
	res_spin_unlock(x);
	return err;
}
char _license[] SEC("license") = "GPL";
"""
THERE = 'SEC("tc") int there(struct __sk_buff *s) { return both(&a, &b); }\n'
BACK = 'SEC("tc") int back(struct __sk_buff *s) { return both(&b, &a); }\n'

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]


@pytest.fixture
def build(tmp_path):
    def one(text, name="mine"):
        return compile_bpf(tmp_path / f"{name}.bpf.c", HEAD + text)

    return one


def check(*args):
    """Exit code, findings, messages."""
    res = rqspin("check", "--json", *args)
    assert res.stdout, res.stderr
    out = json.loads(res.stdout)
    validator("check.schema.json").validate(out)
    return res.returncode, out["findings"], res.stderr


def kinds(found):
    return sorted(f["kind"] for f in found)


def message(found, kind):
    (one,) = [f for f in found if f["kind"] == kind]
    return one["message"]


# Section and argument, and what the program is loaded as.
SECTIONS = {
    "xdp_packet_hook": ("struct xdp_md *c", "xdp"),
    "tc_packet_hook0": ("struct __sk_buff *c", "sched_cls"),
    "from-container": ("struct __sk_buff *c", "sched_cls"),
    "my_cgroup/connect": ("struct bpf_sock_addr *c", "cgroup_sock_addr"),
    "kprobe_hook": ("struct pt_regs *c", "kprobe"),
    "xdp-by-name": ("void *c", "xdp"),
}


@pytest.mark.parametrize("section", SECTIONS)
def test_section_of_no_type(section, build):
    argument, kind = SECTIONS[section]
    obj = build(f'SEC("{section}") int odd({argument}) {{ return 0; }}\n')
    code, found, _ = check(obj)
    assert code == CLEAN and kinds(found) == ["assumed"]
    text = message(found, "assumed")
    assert f"odd was loaded as {kind}" in text and section in text


def test_section_that_does_not_tell(build):
    obj = build('SEC("mine") int odd(void *c) { return 0; }\n')
    code, found, err = check(obj)
    assert code == FAIL and kinds(found) == ["not-loaded"]
    assert 'section "mine" tells no type of program' in message(found, "not-loaded")
    assert "--type" in found[0]["fix"] and "none of its programs could be looked at (1)" in err


@pytest.mark.parametrize("how", ["xdp", "odd=xdp", "odd=xdp.frags"])
def test_type_is_given(how, build):
    obj = build(BACK + 'SEC("mine") int odd(void *c) { return both(&a, &b); }\n')
    code, found, _ = check("--type", how, obj)
    assert code == FOUND and kinds(found) == ["cycle"]


def test_type_that_is_none(build):
    res = rqspin("check", "--type", "nonsense", "x.o")
    assert res.returncode == USAGE and "--type nonsense: no type of programs" in res.stderr


def test_type_of_nothing(build):
    res = rqspin("check", "--type", "there=xdp", build(THERE))
    assert res.returncode == FAIL
    assert "--type: no object has a program there whose section" in res.stderr


def test_replacement_without_target(build):
    obj = build(BACK + 'SEC("freplace/f") int odd(struct __sk_buff *s) { return both(&a, &b); }\n')
    code, found, _ = check(obj)
    assert code == FOUND and kinds(found) == ["assumed", "cycle"]
    assert "what it replaces is not known" in message(found, "assumed")


def test_replacement_of_an_unknown_function(build):
    obj = build(THERE + 'SEC("freplace/f") int odd(int n) { return n; }\n')
    code, found, _ = check(obj)
    assert code == CLEAN and kinds(found) == ["not-loaded"]
    assert "odd cannot be loaded here" in found[0]["message"]
    assert "--loaded" in found[0]["fix"]


@pytest.mark.parametrize("kind", ["HASH_OF_MAPS", "ARRAY_OF_MAPS"])
def test_inner_map_of_the_commands_choice(kind, build):
    outer = (
        f"struct {{ __uint(type, BPF_MAP_TYPE_{kind}); __uint(max_entries, 4);"
        ' __uint(key_size, 4); __uint(value_size, 4); } outer SEC(".maps");\n'
        'SEC("xdp") int uses(struct xdp_md *c) { __u64 k = 1; void *m, *v; '
        " m = bpf_map_lookup_elem(&outer, &k); if (!m) return 1;"
        " v = bpf_map_lookup_elem(m, &k); return v ? *(int *)(v + 64) : both(&b, &a); }\n"
    )
    code, found, _ = check(build(outer + THERE))
    assert code == FOUND and kinds(found) == ["assumed", "cycle"]
    assert "map outer has no inner map" in message(found, "assumed")


def test_map_that_cannot_be(build):
    """Programs that do without it are looked at."""
    bad = (
        "struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4);"
        ' __type(key, __u64); __type(value, __u64); } bad SEC(".maps");\n'
        'SEC("tc") int uses(struct __sk_buff *s)'
        " { __u64 k = 1; return !bpf_map_lookup_elem(&bad, &k); }\n"
    )
    code, found, _ = check(build(bad + THERE + BACK))
    assert code == FOUND and kinds(found) == ["cycle", "not-loaded"]
    text = message(found, "not-loaded")
    assert "uses map bad, which cannot be created: the key of an array has 4 bytes" in text
    assert "Invalid argument" in text or "-EINVAL" in text


def test_map_that_is_huge(build):
    huge = (
        "struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 250000000);"
        ' __type(key, __u32); __type(value, __u64); } huge SEC(".maps");\n'
        'SEC("tc") int uses(struct __sk_buff *s)'
        " { __u32 k = 1; return !bpf_map_lookup_elem(&huge, &k); }\n"
    )
    code, found, _ = check(build(huge))
    assert code == CLEAN and kinds(found) == ["incomplete"]
    assert found[0]["stages"][0]["message"] == "map huge: 1024 elements of 8 bytes"


ABSENT = {
    "weak function": "extern void rqspin_none(void) __ksym __weak;",
    "function": "extern void rqspin_none(void) __ksym;",
}


@pytest.mark.parametrize("what", ABSENT)
@pytest.mark.parametrize("locked", [False, True], ids=["", "locked"])
def test_function_of_other_kernels(what, locked, build):
    """It is the kernel's lack, not the program's fault, and the others are looked at."""
    before, after = (
        ("if (res_spin_lock(&a)) return 1; ", "res_spin_unlock(&a); ") if locked else ("", "")
    )
    uses = (
        f'SEC("tc") int uses(struct __sk_buff *s) {{ {before}rqspin_none(); {after}return 0; }}\n'
    )
    code, found, _ = check(build(f"{ABSENT[what]}\n{uses}{THERE}{BACK}"))
    assert code == FOUND and kinds(found) == ["cycle", "not-loaded"]
    assert "uses needs what this kernel lacks (rqspin_none)" in message(found, "not-loaded")


@pytest.fixture(scope="module")
def inlined():
    """A function of the kernel's types that the compiler has inlined everywhere."""
    cmd = [BPFTOOL, "btf", "dump", "file", "/sys/kernel/btf/vmlinux"]
    types = subprocess.run(cmd, capture_output=True, text=True, check=True).stdout
    with open("/proc/kallsyms") as symbols:
        there = {line.split()[2] for line in symbols}
    names = re.findall(r"FUNC '(\w+)' type_id=\d+ linkage=static", types)
    absent = [name for name in names if name not in there]
    if not absent:
        pytest.skip("each function of the kernel's types has an address")
    return absent[0]


def test_hook_without_an_address(inlined, build):
    """Without trampolines the kernel does not come to look for it."""
    hook = f'SEC("fentry/{inlined}") int hook(__u64 *c) {{ return 0; }}\n'
    code, found, _ = check(build(THERE + hook))
    assert code == CLEAN and kinds(found) == ["not-loaded"]
    says = message(found, "not-loaded")
    assert "hook" in says and ("cannot be found" in says or "trampolines" in says)


def test_function_that_may_be_absent(build):
    """Only a program that asks for it depends on it."""
    asks = (
        "extern void rqspin_none(void) __ksym __weak;\n"
        'SEC("tc") int asks(struct __sk_buff *s)'
        " { return bpf_ksym_exists(rqspin_none) ? both(&b, &a) : 0; }\n"
    )
    code, found, _ = check(build(asks + THERE))
    assert code == CLEAN and kinds(found) == ["assumed"]
    text = message(found, "assumed")
    assert text == "asks was looked at without what this kernel does not have: rqspin_none"


@pytest.mark.parametrize("weak", ["", " __weak"], ids=["strong", "weak"])
@pytest.mark.parametrize("kind", ["void", "int"])
def test_variable_of_other_kernels(weak, kind, build):
    reads = (
        f"extern const {kind} rqspin_none __ksym{weak};\n"
        'SEC("tc") int reads(struct __sk_buff *s)'
        " { return (long)&rqspin_none & 4096 ? both(&b, &a) : 0; }\n"
    )
    code, found, _ = check(build(reads + THERE))
    said = [f["message"] for f in found if f["kind"] in ("assumed", "not-loaded")]
    assert code in (CLEAN, FOUND) and len(said) == 1 and "rqspin_none" in said[0], found


CONFIG = (
    "extern bool CONFIG_RQSPIN_NONE __kconfig;\n"
    'SEC("tc") int asks(struct __sk_buff *s) { return CONFIG_RQSPIN_NONE ? both(&b, &a) : 0; }\n'
)


def test_configuration_of_other_kernels(build):
    """Both ways are followed, whatever this kernel's configuration is, and if it can be read."""
    code, found, _ = check(build(CONFIG + THERE))
    assert code == FOUND and kinds(found) == ["cycle"]


def test_version_of_the_kernel(build):
    text = (
        "extern int LINUX_KERNEL_VERSION __kconfig;\n"
        'SEC("tc") int old(struct __sk_buff *s)'
        " { return LINUX_KERNEL_VERSION < 0x50000 ? both(&b, &a) : 0; }\n"
    )
    obj = build(text + THERE)
    code, found, _ = check(obj)
    assert code == FOUND and kinds(found) == ["cycle"]
    code, found, _ = check("--rodata", "LINUX_KERNEL_VERSION=0x60c00", obj)
    assert code == CLEAN and found == []


def test_setting_that_is_given(build):
    """Also where the verifier has to know it."""
    text = (
        "extern int CONFIG_HZ __kconfig;\n"
        'SEC("tc") int told(struct __sk_buff *s) { char x[16] = {};'
        " if (bpf_skb_load_bytes(s, 0, x, CONFIG_HZ & 15)) return x[3]; return both(&b, &a); }\n"
    )
    code, found, _ = check("--rodata", "CONFIG_HZ=1000", build(text + THERE))
    assert code == FOUND and kinds(found) == ["assumed", "cycle"]
    assert "CONFIG_HZ = 1000" in message(found, "assumed")


SWITCH = (
    "const volatile {kind} reverse = {{}};\n"
    'SEC("tc") int told(struct __sk_buff *s) {{ return {asks} ? both(&b, &a) : 0; }}\n'
)


@pytest.mark.parametrize(
    "kind, asks, given",
    [
        ("int", "reverse", "reverse=1"),
        ("bool", "reverse", "reverse=true"),
        ("enum { no, yes }", "reverse == yes", "reverse=1"),
        ("long long", "reverse == -7", "reverse=-7"),
        ("struct { int x, on; }", "reverse.on", None),
    ],
)
def test_value_that_a_command_sets(kind, asks, given, build):
    obj = build(SWITCH.format(kind=kind, asks=asks) + THERE)
    code, found, _ = check(obj)
    assert code == FOUND and kinds(found) == ["cycle"]
    if given:
        assert check("--rodata", given, obj)[0] == FOUND
        assert check("--rodata", "reverse=0", obj)[:2] == (CLEAN, [])


def test_element_that_a_command_sets(build):
    text = (
        "const volatile int reverse[3] = {};\n"
        'SEC("tc") int told(struct __sk_buff *s) { return reverse[1] ? both(&b, &a) : 0; }\n'
    )
    obj = build(text + THERE)
    assert check(obj)[0] == FOUND
    assert check("--rodata", "reverse[1]=0", obj)[0] == CLEAN
    assert check("--rodata", "reverse[2]=0", obj)[0] == FOUND


def test_value_that_the_verifier_needs(build):
    """The values of the file, and a note that names those that the program reads."""
    text = (
        "const volatile int size = 8, reverse = 0, other = 3;\n"
        'SEC("tc") int told(struct __sk_buff *s) { char x[16] = {};'
        " if (bpf_skb_load_bytes(s, 0, x, size)) return x[3];"
        " return reverse ? both(&b, &a) : 0; }\n"
        'SEC("tc") int free(struct __sk_buff *s) { return other ? both(&a, &b) : 0; }\n'
    )
    obj = build(text)
    code, found, _ = check(obj)
    assert code == CLEAN and kinds(found) == ["assumed"]
    text = message(found, "assumed")
    assert "told was looked at only with the values in the file" in text
    assert "size = 8" in text and "reverse = 0" in text and "other" not in text
    # All at once, with maps that are the same ones.
    code, found, _ = check("--rodata", "reverse=1", obj)
    assert code == FOUND and kinds(found) == ["assumed", "cycle"]


def test_value_that_the_verifier_refuses(build):
    """Nothing is wrong with a program whose command sets what it needs."""
    text = (
        "const volatile int size = 0;\n"
        'SEC("tc") int told(struct __sk_buff *s) { char x[16] = {};'
        " return bpf_skb_load_bytes(s, 0, x, size) ?: both(&b, &a); }\n"
    )
    obj = build(text + THERE)
    code, found, _ = check(obj)
    assert code == CLEAN and kinds(found) == ["not-loaded"]
    assert "with the values in the file, size = 0, the verifier refuses it" in found[0]["message"]
    assert "--rodata" in found[0]["fix"]
    assert check("--rodata", "size=8", obj)[0] == FOUND


def test_refusal_whatever_the_values_are(build):
    text = (
        "const volatile int on = 0;\n"
        'SEC("tc") int wrong(struct __sk_buff *s) { if (res_spin_lock(&a)) return on;'
        " res_spin_unlock(&b); return on; }\n"
    )
    code, found, _ = check(build(text))
    assert code == FOUND and kinds(found) == ["refused"]


def test_strings_are_no_values(build):
    """The verifier needs to read a format, which nobody changes."""
    text = (
        'SEC("tc") int prints(struct __sk_buff *s) { static const char fmt[] = "%d";'
        " char out[16]; __u64 args[] = { s->len };"
        " return bpf_snprintf(out, sizeof(out), fmt, args, sizeof(args)); }\n"
    )
    assert check(build(text + THERE))[:2] == (CLEAN, [])


@pytest.mark.parametrize("text", ["reverse", "reverse=", "=1", "reverse=x", "r[=1", "r[1=1"])
def test_value_that_is_none(text):
    res = rqspin("check", "--rodata", text, "x.o")
    assert res.returncode == USAGE and f"--rodata {text.split('[')[0]}" in res.stderr


@pytest.mark.parametrize("value", ["elsewhere=1", "order[9]=1", "order[1]=4294967296"])
def test_value_of_nothing(value, build):
    obj = build("const volatile int order[2] = {};\n" + THERE)
    res = rqspin("check", "--rodata", value, obj)
    name = value.split("=")[0].split("[")[0]
    assert res.returncode == FAIL
    assert f"--rodata {name}: no object has such a constant" in res.stderr


def test_map_that_is_not_frozen(build):
    """User space may write it as long as it likes."""
    text = (
        "struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);"
        " __uint(map_flags, BPF_F_RDONLY_PROG); __type(key, __u32); __type(value, __u32); }"
        ' settings SEC(".maps");\n'
        'SEC("tc") int told(struct __sk_buff *s) { __u32 k = 0;'
        " __u32 *on = bpf_map_lookup_elem(&settings, &k);"
        " return on && *on ? both(&b, &a) : 0; }\n"
    )
    code, found, _ = check(build(text + THERE))
    assert code == FOUND and kinds(found) == ["cycle"]


OPS = """
#include <bpf/bpf_tracing.h>
SEC("struct_ops") void BPF_PROG(mine_init, struct sock *sk) { if (res_spin_lock(&a)) return; }
SEC("struct_ops") __u32 BPF_PROG(mine_ssthresh, struct sock *sk) { both(&a, &b); return 2; }
SEC("struct_ops") __u32 BPF_PROG(mine_undo, struct sock *sk) { both(&b, &a); return 2; }
"""
MEMBERS = ".init = (void *)mine_init, .ssthresh = (void *)mine_ssthresh, "


def ops_supported(found):
    if any("trampolines" in f["message"] or "struct_ops" in f["message"] for f in found):
        pytest.skip("this kernel runs no struct_ops programs")


def test_struct_ops_with_a_refused_program(build):
    """libbpf loads whatever a struct_ops names: the refused one has to be taken out."""
    obj = build(
        f'{OPS}SEC(".struct_ops") struct tcp_congestion_ops mine = {{ {MEMBERS}'
        '.undo_cwnd = (void *)mine_undo, .name = "mine" };\n'
    )
    code, found, err = check("-vv", obj)
    ops_supported(found)
    assert code == FOUND
    assert {"refused", "cycle"} <= set(kinds(found))
    assert "mine_init" in message(found, "refused")
    # One that fails, one with the rest, one with all that are right; and the locks inside maps.
    assert err.count("loaded kernel BTF") <= 5


def test_struct_ops_of_other_kernels(build):
    """An operation that is missing here concerns its program alone."""
    obj = build(
        OPS + "struct tcp_congestion_ops___mine { void (*init)(struct sock *sk);"
        " __u32 (*ssthresh)(struct sock *sk); __u32 (*rqspin_none)(struct sock *sk);"
        ' char name[16]; };\nSEC(".struct_ops") struct tcp_congestion_ops___mine mine ='
        f' {{ {MEMBERS} .rqspin_none = (void *)mine_undo, .name = "mine" }};\n{BACK}'
    )
    code, found, _ = check(obj)
    assert code == FOUND
    assert any("mine_undo" in f["message"] for f in found if f["kind"] == "not-loaded")
    if not any("mine_ssthresh" in f["message"] for f in found if f["kind"] == "not-loaded"):
        assert {"cycle", "refused"} <= set(kinds(found))


def test_struct_ops_that_no_kernel_has(build):
    obj = build(
        OPS + "struct rqspin_none_ops { __u32 (*undo)(struct sock *sk); };\n"
        'SEC(".struct_ops") struct rqspin_none_ops mine = { .undo = (void *)mine_undo };\n'
        f"{THERE}{BACK}"
    )
    code, found, _ = check(obj)
    assert code == FOUND and "cycle" in kinds(found)
    said = [f["message"] for f in found if "mine_undo" in f["message"]]
    assert said and "rqspin_none_ops" in said[0], found


SHARED = (
    "struct elem { struct bpf_res_spin_lock lock; };\n"
    "#define MAP(name) struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4);"
    ' __type(key, __u32); __type(value, struct elem); } name SEC(".maps")\n'
    "MAP(one);\nMAP(two);\n"
    'SEC("tc") int takes(struct __sk_buff *s) { __u32 k = 1;'
    " struct elem *x = bpf_map_lookup_elem(&FIRST, &k), *y = bpf_map_lookup_elem(&SECOND, &k);"
    " return x && y ? both(&x->lock, &y->lock) : 0; }\n"
)


def test_maps_that_a_command_may_share(build):
    """By their descriptors: nothing in the objects tells, so a note does."""
    there = build("#define FIRST one\n#define SECOND two\n" + SHARED, "there")
    back = build("#define FIRST two\n#define SECOND one\n" + SHARED, "back")
    code, found, _ = check(there, back)
    assert code == CLEAN and kinds(found) == ["assumed", "assumed"]
    assert sorted(f["message"].split()[1] for f in found) == ["one", "two"]
    for f in found:
        assert "if their command gives all of them the same" in f["message"]
        assert [s["object"] for s in f["stages"]] == [str(there), str(back)]
    assert check(there, build("#define FIRST one\n#define SECOND two\n" + SHARED, "same"))[1] == []


def test_map_that_is_static(build):
    """libbpf's reason, and not that the object is an old one."""
    res = rqspin("check", build(STATIC + THERE))
    assert res.returncode == FAIL and "libbpf takes no map that is static" in res.stderr


STATIC = """
static struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, int);
} hidden SEC(".maps");
SEC("xdp") int looks(struct xdp_md *c)
{
	int zero = 0;

	return !bpf_map_lookup_elem(&hidden, &zero);
}
"""

# Nearly a million instructions for the verifier; the value of x is another one each time.
SLOW = """
SEC("xdp") int slow(struct xdp_md *c)
{
	__u32 x = c->ingress_ifindex;

	for (int i = 0; i < 140000; i++)
		x = x * 3 ^ i;
	return x & 1;
}
"""


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def slower(name, instructions):
    return SLOW.replace("slow(", f"{name}(").replace("140000", str(instructions // 7))


@pytest.mark.parametrize("before", ["", slower("slowish", 60000)], ids=["first", "behind"])
def test_time_of_the_verifier(before, build):
    """The slow program alone is left out. It takes most of the time, in each of two attempts."""
    obj = build(before + SLOW + THERE)
    used = cpu_seconds()
    assert check(obj)[:2] == (CLEAN, [])
    enough_for_others = f"{(cpu_seconds() - used) / 6:.3f}"
    code, found, _ = check("--load-time", enough_for_others, obj)
    assert code == SPENT
    text = message(found, "not-loaded")
    assert re.match(r"slow cannot be loaded here \(the verifier needs more than \S+ s of CPU", text)


def test_time_of_each_program(build):
    """Together they need twice the limit, and each an eighth of that."""
    obj = build("".join(slower(f"part_{i}", 100000) for i in range(16)) + THERE)
    used = cpu_seconds()
    assert check(obj)[:2] == (CLEAN, [])
    half = f"{(cpu_seconds() - used) / 4:.3f}"
    assert check("--load-time", half, obj)[:2] == (CLEAN, [])


def test_time_of_an_object_that_takes_no_other(build):
    res = rqspin("check", "--load-time", "10ms", build(SLOW))
    assert res.returncode == FAIL
    assert "none of its programs could be looked at (1)" in res.stderr
    res = rqspin("check", "--load-time", "soon", build(SLOW))
    assert res.returncode == USAGE and "--load-time soon: a time such as" in res.stderr


# As clang 21 compiles a switch; "r1" of the table is a place in the program.
BY_TABLE = """
SEC("xdp") int by_table(struct xdp_md *c)
{
	asm volatile("r2 = *(u32 *)(%[c] + 12);"
		"r2 &= 1;"
		"r2 <<= 3;"
		"r1 = jt ll;"
		"r1 += r2;"
		"r1 = *(u64 *)(r1 + 0);"
		".byte 0x0d, 0x01, 0, 0, 0, 0, 0, 0;"
		"L0: r0 = 1; exit;"
		"L1: r0 = 2; exit;"
		".pushsection .jumptables,\\"\\",@progbits;"
		".type jt,@object;"
		"jt: .quad L0 - by_table;"
		".quad L1 - by_table;"
		".size jt, 16;"
		".popsection;" : : [c] "r"(c) : "r0", "r1", "r2");
	return 0;
}
"""


def test_jump_table(build):
    """It is said which program was not looked at; the others are."""
    code, found, said = check(build(BY_TABLE + THERE + BACK))
    (note,) = [f for f in found if f["program"] == "by_table"]
    assert note["severity"] == "note" and note["kind"] in ("not-loaded", "incomplete")
    if note["kind"] == "not-loaded":
        assert "needs what this kernel lacks (jump tables)" in note["message"]
        assert "-fno-jump-tables" in note["fix"]
    else:
        assert "it has a jump table (-fno-jump-tables avoids it)" in note["message"]
    assert code == FOUND and "cycle" in kinds(found)


NAKED = """
SEC("xdp") __attribute__((naked)) int naked(struct xdp_md *c)
{
	asm volatile("r0 = 1; exit;");
}
"""


def test_types_that_the_kernel_refuses(build):
    """Its parameter has no name: without BTF the maps of all programs have no locks."""
    _, found, _ = check(build(NAKED + THERE))
    refused = [f for f in found if "has to have BTF" in f["message"]]
    assert all("this kernel refuses it" in f["fix"] for f in refused)
    assert refused or "refused" not in kinds(found)
