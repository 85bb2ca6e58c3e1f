# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Programs with a known answer: each case is a few of them, with locks of their own.

A case takes locks in an order that can deadlock, or is the twin of such a one that cannot. What a
lock is reached through (an argument, the stack, a map, a callback, ...) is drawn by a seed.
"""

import dataclasses
import random

HEAD = """// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Made by selftests/tool/check/generate.py. */
#include "generated.bpf.h"
"""

# How the pointer x to element {key} of the map {map} is got, in a program with a context.
# sure: the key is known to the programmer, so it may be known to the check, too.
REACHES = {
    "direct": "	struct elem *{x} = elem_of(&{map}, {key});",
    "stack": """	struct keys {x}_s = {{ .pad = {key} + 1, .key = {key} }};
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_s.key);""",
    "bytes": """	union {{ __u32 key; __u8 bytes[4]; }} {x}_u = {{}};

	{x}_u.bytes[0] = {key};
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_u.key);""",
    "argument": "	struct elem *{x} = {map}_get({key});",
    "filled": """	__u32 {x}_k = 0;

	fill(&{x}_k, {key});
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_k);""",
    "branch": """	__u32 {x}_k = noise(ctx) & 8 ? {key} : {other};
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_k);""",
    "sum": """	__u32 {x}_k = {key} - 1;

	for (int i = 0; i < (noise(ctx) & 1); i++)
		{x}_k++;
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_k);""",
    "offset": """	volatile __u32 {x}_a[4] = {{ {other}, {other}, {other}, {other} }};

	{x}_a[noise(ctx) & 3] = {key};
	struct elem *{x} = bpf_map_lookup_elem(&{map}, (void *)&{x}_a[1]);""",
    "helper": """	__u32 {x}_a[4] = {{ {other}, {other}, {other}, {other} }}, {x}_n = {key};

	bpf_probe_read_kernel(&{x}_a[noise(ctx) & 3], 4, &{x}_n);
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_a[1]);""",
    "value": """	__u32 *{x}_v = bpf_map_lookup_elem(&settings, &zero_key);
	__u32 {x}_k = {x}_v ? *{x}_v : 0;
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_k);""",
    "packet": """	__u32 {x}_k = noise(ctx) & 3;
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_k);""",
    "constant": """	__u32 {x}_k = {map}_key;
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_k);""",
    "loop": """	struct keys {x}_s = {{ .key = {other}, .pad = {key} }};

	bpf_loop(1, set_key, &{x}_s, 0);
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_s.key);""",
    "each": """	struct keys {x}_s = {{ .key = {other}, .pad = {key} }};

	bpf_for_each_map_elem(&settings, set_key_each, &{x}_s, 0);
	struct elem *{x} = bpf_map_lookup_elem(&{map}, &{x}_s.key);""",
}
# Through these a key may also be {other}, or anything.
SURE = ("direct", "stack", "bytes", "argument", "filled")

TAKES = {
    "inline": "take_two(&{x}->lock, &{y}->lock)",
    "function": "take_in_function({x}, {y})",
    "irqsave": "take_irqsave(&{x}->lock, &{y}->lock)",
    "irqs_off": "take_irqs_off(&{x}->lock, &{y}->lock)",
    "outer": "take_outer({x}, {y})",
}

SYSCALL = "	__u64 a = ctx->a, b = ctx->b, z __attribute__((unused));\n"
# The order of two keys of 8 bytes: when to leave, and whether two runs may take them both ways.
ORDERS = {
    "key": ("a == b", False),
    "lower": ("a >= b", False),
    "higher": ("a <= b", False),
    "min_max": ("low == high", False),
    "signed": ("(__s64)a >= (__s64)b", False),
    "half": ("a == b || (__u32)a > (__u32)b", True),
    "or_equal": ("a > b", True),
    "hash": ("a == b || a % 61 > b % 61", True),
    "none": ("a == b", True),
}
# What precedes that, and what follows it.
BEFORE = {"min_max": "	__u64 low = a < b ? a : b, high = a < b ? b : a;\n"}
AFTER = {
    "key": "	if (a > b) {\n		z = a;\n		a = b;\n		b = z;\n	}\n",
    "min_max": "	a = low;\n	b = high;\n",
}
PAIRS_OF_ORDERS = [("lower", "higher"), ("key", "higher"), ("signed", "lower"), ("lower", "hash")]


@dataclasses.dataclass
class Case:
    """deadlock: it can happen; each_run: it does, and its twin never fails.

    meets: it does where its two programs run at once. text: of its programs; sides: or of those in
    two objects of their own, which pin the same maps; kind and shape: for people.
    """

    name: str
    kind: str
    shape: str
    deadlock: bool
    text: str
    programs: list
    each_run: bool = False
    meets: bool = False
    sides: tuple = ("", "")


def array(name, hashed):
    kind = "HASH" if hashed else "ARRAY"
    get = f"""
static __noinline struct elem *{name}_get(__u32 key)
{{
	return bpf_map_lookup_elem(&{name}, &key);
}}
const volatile __u32 {name}_key = 0;
"""
    return f"\nMAP_OF({kind}, {name});{get}"


def program(name, body, section="tc", ctx="struct __sk_buff"):
    return f'\nSEC("{section}")\nint {name}({ctx} *ctx)\n{{\n{body}\n}}\n'


def two(map_x, map_y, first, second, reaches, take):
    """Takes one of two elements, then the other: each is (map, key, other key)."""
    body = [
        REACHES[reach].format(x=x, map=m, key=key, other=other)
        for x, reach, (m, key, other) in zip("xy", reaches, (first, second), strict=True)
    ]
    body.append("\n	if (!x || !y)\n		return 0;")
    body.append(f"	return {TAKES[take].format(x='x', y='y')};")
    return "\n".join(body)


def make_abba(rnd, name, deadlock):
    """Two programs, two locks: in two orders, or in one."""
    sections = [rnd.choice(["tc", "tc", "xdp"]) for _ in range(2)]
    maps = rnd.choice(["one", "two"])
    m, n = f"{name}_m", f"{name}_n" if maps == "two" else f"{name}_m"
    text = "".join(array(x, rnd.random() < 0.4) for x in sorted({m, n}))
    lock_x, lock_y = (m, 1, 3), (n, 2, 3)
    programs = []
    reached = []
    for nr in range(2):
        reaches = [rnd.choice(list(REACHES)) for _ in range(2)]
        # Two keys of one map that may be one: AA or not, that is no clean twin.
        if maps == "one" and not deadlock:
            reaches = [rnd.choice(SURE) for _ in range(2)]
        order = (lock_y, lock_x) if nr and deadlock else (lock_x, lock_y)
        body = two(m, n, *order, reaches, rnd.choice(list(TAKES)))
        ctx = "struct xdp_md" if sections[nr] == "xdp" else "struct __sk_buff"
        programs.append(f"{name}_{nr}")
        text += program(programs[-1], body, sections[nr], ctx)
        reached += reaches
    return Case(name, "abba", f"{maps}/{'+'.join(reached)}", deadlock, text, programs)


def make_aa(rnd, name, deadlock):
    """One program, one lock twice by two look-ups, or two locks."""
    m = f"{name}_m"
    text = array(m, rnd.random() < 0.4)
    known = list(REACHES) if deadlock else SURE
    reaches = [rnd.choice(known) for _ in range(2)]
    second = (m, 1, 3) if deadlock else (m, 2, 3)
    take = rnd.choice(list(TAKES))
    body = two(m, m, (m, 1, 3), second, reaches, take)
    text += program(f"{name}_0", body)
    case = Case(name, "aa", "+".join(reaches), deadlock, text, [f"{name}_0"])
    # The elements of a hash have to be made first.
    case.each_run = "MAP_OF(ARRAY" in text and set(reaches) <= set(SURE)
    return case


def one(map_name, reach, irqsave):
    body = REACHES[reach].format(x="x", map=map_name, key=1, other=3)
    take = "take_one_irqsave" if irqsave else "take_one"
    return f"{body}\n\n	return x ? {take}(&x->lock) : 0;"


def make_interrupt(rnd, name, deadlock):
    """A task with interrupts on, and a packet or a timer that wants its lock."""
    m = f"{name}_m"
    text = array(m, rnd.random() < 0.4)
    reaches = [rnd.choice(SURE if not deadlock else list(REACHES)) for _ in range(2)]
    reaches = [r if r != "each" else "direct" for r in reaches]
    text += program(f"{name}_0", one(m, reaches[0], not deadlock), "syscall", "struct pair")
    if rnd.random() < 0.5:
        text += program(f"{name}_1", one(m, reaches[1], False), "xdp", "struct xdp_md")
        return Case(
            name, "interrupt", "+".join(reaches), deadlock, text, [f"{name}_0", f"{name}_1"]
        )
    text = f"\nTIMED({name}_m);\n"
    irq = "" if deadlock else "_irqsave"
    text += f"""
static int {name}_later(void *map, int *key, struct timed *t)
{{
	take_one(&t->lock);
	return 0;
}}
"""
    body = f"""	struct timed *t = elem_of(&{m}, 0);

	if (!t)
		return 0;
	bpf_timer_init(&t->timer, &{m}, 1);
	bpf_timer_set_callback(&t->timer, {name}_later);
	bpf_timer_start(&t->timer, 1000, 0);
	return take_one{irq}(&t->lock);"""
    text += program(f"{name}_0", body, "syscall", "struct pair")
    return Case(name, "interrupt", "timer", deadlock, text, [f"{name}_0"])


def ordered(m, order):
    return (
        SYSCALL
        + BEFORE.get(order, "")
        + f"	if ({ORDERS[order][0]})\n		return 0;\n"
        + AFTER.get(order, "")
        + f"	struct elem *x = bpf_map_lookup_elem(&{m}, &a);\n"
        + f"	struct elem *y = bpf_map_lookup_elem(&{m}, &b);\n\n"
        + "	return x && y ? take_two(&x->lock, &y->lock) : 0;"
    )


def make_order(rnd, name, deadlock):
    """Two keys that only the caller knows, in an order or in what looks like one."""
    m = f"{name}_m"
    if deadlock and rnd.random() < 0.4:
        orders = rnd.choice(PAIRS_OF_ORDERS)
    else:
        orders = [rnd.choice([o for o, (_, bad) in ORDERS.items() if bad == deadlock])]
        if not deadlock and orders[0] in ("key", "lower", "min_max"):
            orders.append(rnd.choice(["key", "lower", "min_max"]))
    text = f"\nWIDE({m});\n"
    programs = [f"{name}_{nr}" for nr in range(len(orders))]
    for prog, order in zip(programs, orders, strict=True):
        text += program(prog, ordered(m, order), "syscall", "struct pair")
    return Case(name, "order", "+".join(orders), deadlock, text, programs)


def make_chain(rnd, name, deadlock):
    """Global locks in a circle of three to five, all through functions or not."""
    length = rnd.randint(2, 5)
    text, programs = "", []
    for n in range(length):
        text += f'\nstruct bpf_res_spin_lock {name}_l{n} __hidden SEC(".data.{name}_l{n}");'
    text += "\n"
    for n in range(length):
        pair = [n, (n + 1) % length]
        if not deadlock:
            pair.sort()
        take = rnd.choice(["take_two", "take_irqsave", "take_locks"])
        body = f"	return {take}(&{name}_l{pair[0]}, &{name}_l{pair[1]});"
        if rnd.random() < 0.3:
            body = f"	if (noise(ctx) == {n})\n		return 0;\n" + body
        programs.append(f"{name}_{n}")
        text += program(programs[-1], body)
    return Case(name, "chain", f"{length} globals", deadlock, text, programs)


def make_inner(rnd, name, deadlock):
    """Elements of a map in a map, for packets or for tasks."""
    m = f"{name}_m"
    text = f"\nINNER({m});\n"
    programs = [f"{name}_{nr}" for nr in range(2)]
    section = rnd.choice([("tc", "struct __sk_buff"), ("syscall", "struct pair")])
    for nr, prog in enumerate(programs):
        keys = (2, 1) if nr and deadlock else (1, 2)
        body = f"	void *inner = elem_of(&{m}, 0);\n\n	if (!inner)\n		return 0;\n"
        for x, key in zip("xy", keys, strict=True):
            body += f"	struct elem *{x} = elem_of(inner, {key});\n"
        take = TAKES[rnd.choice(list(TAKES))].format(x="x", y="y")
        text += program(prog, f"{body}\n	return x && y ? {take} : 0;", *section)
    return Case(name, "inner", section[0], deadlock, text, programs)


def make_object(rnd, name, deadlock):
    """Two references to one object that a map keeps, or to two objects."""
    m = f"{name}_m"
    take = rnd.choice(["take_two", "take_irqsave"])
    same = "x ? bpf_refcount_acquire_impl(x, NULL) : NULL"
    body = f"""	struct object *x = object_get({m}, 0);
	struct object *y = {same if deadlock else f"object_get({m}, 1)"};
	int err = x && y ? {take}(&x->lock, &y->lock) : 0;

	if (x)
		bpf_obj_drop_impl(x, NULL);
	if (y)
		bpf_obj_drop_impl(y, NULL);
	return err;"""
    text = f"\nSLOTS({m});\n" + program(f"{name}_0", body)
    return Case(name, "object", take, deadlock, text, [f"{name}_0"], each_run=True)


def make_shared(rnd, name, deadlock):
    """Two objects, and a map that both of them pin."""
    m = f"{name}_m"
    programs, texts = [f"{name}_0", f"{name}_1"], []
    for nr, prog in enumerate(programs):
        order = ((m, 2, 3), (m, 1, 3)) if nr and deadlock else ((m, 1, 3), (m, 2, 3))
        reaches = [rnd.choice(["direct", "stack", "bytes", "filled"]) for _ in range(2)]
        body = two(m, m, *order, reaches, rnd.choice(list(TAKES)))
        texts.append(f"\nPINNED({m});\n" + program(prog, body))
    return Case(name, "shared", "pinned", deadlock, "", programs, sides=tuple(texts))


def make_meeting(rnd, name, deadlock):
    """Two programs that wait for each other with their first lock held, as long as they may."""
    text = f"\n__u64 {name}_ready, {name}_holding;\n"
    for n in range(2):
        text += f'struct bpf_res_spin_lock {name}_l{n} __hidden SEC(".data.{name}_l{n}");\n'
    programs = [f"{name}_0", f"{name}_1"]
    for nr, prog in enumerate(programs):
        x, y = (1, 0) if nr and deadlock else (0, 1)
        text += program(prog, f"	MEETING({name}, {name}_l{x}, {name}_l{y})")
    return Case(name, "meeting", "globals", deadlock, text, programs, meets=True)


MAKERS = (make_abba, make_abba, make_aa, make_interrupt, make_order, make_chain)
# One in seven is one of these.
RARE = (make_inner, make_object, make_shared, make_meeting)


def cases(seed, count):
    """So many programs at least, each case beside its twin."""
    rnd = random.Random(seed)
    made, nr = [], 0
    while nr < count:
        make = rnd.choice(RARE if rnd.random() < 1 / 7 else MAKERS)
        for deadlock in (True, False):
            made.append(make(rnd, f"c{len(made)}", deadlock))
            nr += len(made[-1].programs)
    return made


def source(some):
    return HEAD + "".join(c.text for c in some)


def side_source(some, side):
    """Of one of the objects beside it; "": nothing is shared."""
    text = "".join(c.sides[side] for c in some)
    return text and HEAD + text
