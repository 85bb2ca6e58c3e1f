#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Write the tables of bindings/go, bindings/rust and docs/bindings.md: the error policy from
user/errors/*.tsv, the layout of a program's ring from include/rqspin/event.h. --check compares."""

import json
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
HEADER = TOP / "include/rqspin/event.h"
FROM = "user/errors/*.tsv and include/rqspin/event.h"
STRUCTS = ["rqspin_event", "rqspin_site", "rqspin_group", "rqspin_ring"]
SIZES = {"__u64": 8, "__s64": 8, "__u32": 4, "__s32": 4, "char": 1}
# enum bpf_map_type of the kernel, in its order, as bpftool names them.
MAP_TYPES = """unspec hash array prog_array perf_event_array percpu_hash percpu_array stack_trace
cgroup_array lru_hash lru_percpu_hash lpm_trie array_of_maps hash_of_maps devmap sockmap cpumap
xskmap sockhash cgroup_storage reuseport_sockarray percpu_cgroup_storage queue stack sk_storage
devmap_hash struct_ops ringbuf inode_storage task_storage bloom_filter user_ringbuf cgrp_storage
arena"""


def rows(name):
    columns = None
    for line in (TOP / "user/errors" / f"{name}.tsv").read_text().splitlines():
        if line.startswith("#") and "\t" in line:
            columns = line[1:].split("\t")
        elif line and not line.startswith("#"):
            yield dict(zip(columns, line.split("\t"), strict=True))


def words(text):
    return [] if text == "-" else text.split(",")


def unique(names):
    return list(dict.fromkeys(names))


def aliases():
    """(types, function, operation): user space calls update() to push to a queue."""
    table = (TOP / "user/errors/words.c").read_text()
    return re.findall(r'\{ "([\w,]+)", "(\w+)", "(\w+)" \}', table)


def ops_of(row):
    """As the table names them, and as the functions of libraries do."""
    ops, types = words(row["ops"]), set(words(row["types"]))
    also = [f for of, f, op in aliases() if op in ops and types & set(words(of))]
    return unique(ops + also)


def causes():
    """Each row of errors.tsv on any kernel: which errors it returns, and if trying again helps."""
    advice = {r["id"]: r for r in rows("advice")}
    for r in rows("errors"):
        kernels = " ".join([r["plain"], r["later"], r["series"]])
        retry = {advice[d]["retry"] for d in words(r["do"])}
        # What hangs, or cannot be told from the error alone, is said by rqspin errno.
        texts = [advice[d]["text"] for d in words(r["do"]) if advice[d]["when"] in ("error", "-")]
        yield {
            "types": [MAP_TYPES.split().index(t) for t in words(r["types"])],
            "ops": ops_of(r),
            "errors": unique(re.findall(r"`-(E[A-Z0-9]+)`", kernels)),
            "cause": r["cause"],
            "later": bool(retry & {"later", "resume"}),
            "resume": "resume" in retry,
            "advice": texts,
        }


def retries():
    known = {r["errno"]: (int(r["tries"]), int(r["first_ms"])) for r in rows("retry")}
    needed = {e for c in causes() if c["later"] for e in c["errors"]}
    if needed != set(known):
        odd = ", ".join(sorted(needed ^ set(known)))
        sys.exit(f"user/errors/retry.tsv: not the errors that can be tried again later: {odd}")
    return known


def constants():
    text = HEADER.read_text()
    number = r"\(?(~0U(?:LL)?)?(?: - )?(\d*)\)?(?=\s)"
    found = re.findall(rf"^\s*#define (RQSPIN_\w+)[ \t]+{number}", text, re.M)
    top = {"~0U": 2**32 - 1, "~0ULL": 2**64 - 1}
    return {k: top[t] - int(n or 0) if t else int(n) for k, t, n in found if t or n}


def kinds():
    body = re.search(r"^enum rqspin_kind \{\n(.*?)^\};", HEADER.read_text(), re.M | re.S)[1]
    return re.findall(r"RQSPIN_(\w+),", body)


def members(struct):
    """(type, name, length): of the ring all that comes before the slots, whose number varies."""
    body = re.search(rf"^struct {struct} \{{\n(.*?)^\}};", HEADER.read_text(), re.M | re.S)[1]
    sizes = constants()
    for line in body.splitlines():
        kind, name, length = re.fullmatch(
            r"\t(?:struct )?(\w+) (\w+)(?:\[(\w+)\])?;", line
        ).groups()
        if name == "slots":
            return
        yield kind, name, int(sizes.get(length, length)) if length else 0


def size(kind):
    if kind in SIZES:
        return SIZES[kind]
    total = 0
    for inner, _, length in members(kind):
        if total % min(size(inner), 8):
            sys.exit(f"{HEADER.name}: struct {kind} has a gap, which other languages may not have")
        total += size(inner) * (length or 1)
    return total


GO = {"__u64": "uint64", "__s64": "int64", "__u32": "uint32", "__s32": "int32", "char": "byte"}
RUST = {"__u64": "u64", "__s64": "i64", "__u32": "u32", "__s32": "i32", "char": "u8"}


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def aligned(pairs, indent="\t"):
    """As gofmt does it."""
    wide = max(len(a) for a, _ in pairs)
    return "".join(f"{indent}{a:<{wide}} {b}\n" for a, b in pairs)


def text(words):
    return json.dumps(words, ensure_ascii=False)


def go_type(kind, length):
    name = GO.get(kind) or "raw" + camel(kind.removeprefix("rqspin_"))
    return f"[{length}]{name}" if length else name


def go_struct(struct):
    name = "raw" + camel(struct.removeprefix("rqspin_"))
    fields = aligned(
        [(camel_lower(m), go_type(kind, length)) for kind, m, length in members(struct)]
    )
    return f"type {name} struct {{\n{fields}}}\n"


def go_kind(name):
    return "Kind" + (name if name in ("AA", "ABBA") else camel(name))


def go_cause(c):
    types = ", ".join(map(str, c["types"]))
    ops = ", ".join("Op" + camel(op) for op in c["ops"])
    errors = ", ".join(f"syscall.{e}" for e in c["errors"])
    advice = ", ".join(map(text, c["advice"]))
    flags = f"{str(c['later']).lower()}, {str(c['resume']).lower()}"
    return (
        f"\t{{[]MapType{{{types}}}, []Op{{{ops}}}, []syscall.Errno{{{errors}}},\n"
        f"\t\t{text(c['cause'])}, {flags},\n\t\t[]string{{{advice}}}}},\n"
    )


def all_ops():
    return unique(op for c in causes() for op in c["ops"])


def go():
    c = constants()
    names = [
        "RQSPIN_RING_LAYOUT",
        "RQSPIN_RING_GROUPS",
        "RQSPIN_HELD_UNKNOWN",
        "RQSPIN_TID_UNKNOWN",
        "RQSPIN_WAIT_UNASKED",
    ]
    values = [(n.removeprefix("RQSPIN_").lower(), f"= {c[n]}") for n in names]
    kind = [(go_kind(k), f"Kind = {i}") for i, k in enumerate(kinds())]
    ops = [(f"Op{camel(op)}", f"Op = {text(op)}") for op in all_ops()]
    tries = "".join(
        f"\tsyscall.{e}: {{{n}, {ms} * time.Millisecond}},\n" for e, (n, ms) in retries().items()
    )
    return (
        "// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n"
        f"// Code generated by scripts/bindings-tables.py from {FROM}. DO NOT EDIT.\n\n"
        'package rqspin\n\nimport (\n\t"syscall"\n\t"time"\n)\n\n'
        f"const (\n{aligned([(camel_lower(a), b) for a, b in values])})\n\n"
        "// Kind says why an acquisition failed.\ntype Kind uint32\n\n"
        f"// The kinds of docs/events.md.\nconst (\n{aligned(kind)})\n\n"
        f"var kindNames = []string{{{', '.join(map(text, kinds()))}}}\n\n"
        + "\n".join(map(go_struct, STRUCTS))
        + "\n// Op is an operation on a map, as rqspin errno names it.\ntype Op string\n\n"
        f"// The operations of docs/map-errors.md.\nconst (\n{aligned(ops)})\n\n"
        f"var retries = map[syscall.Errno]again{{\n{align_keys(tries)}}}\n\n"
        f"var causes = []Cause{{\n{''.join(map(go_cause, causes()))}}}\n"
    )


def camel_lower(name):
    return name.split("_")[0] + camel("_".join(name.split("_")[1:]))


def align_keys(lines):
    """As gofmt does it after the colons of a map."""
    pairs = [line.split(": ", 1) for line in lines.splitlines()]
    wide = max(len(k) for k, _ in pairs) + 1
    return "".join(f"{k + ':':<{wide}} {v}\n" for k, v in pairs)


def rust_type(kind, length):
    name = RUST.get(kind) or camel(kind.removeprefix("rqspin_"))
    return f"[{name}; {length}]" if length else name


def rust_struct(struct):
    name = camel(struct.removeprefix("rqspin_"))
    fields = "".join(f"    pub {m}: {rust_type(k, n)},\n" for k, m, n in members(struct))
    return (
        f"#[repr(C)]\n#[derive(Clone, Copy)]\npub(crate) struct {name} {{\n{fields}}}\n"
        f"const _: () = assert!(std::mem::size_of::<{name}>() == {size(struct)});\n"
    )


def rust_cause(c):
    types = ", ".join(map(str, c["types"]))
    ops = ", ".join("Op::" + camel(op) for op in c["ops"])
    errors = ", ".join(f"libc::{e}" for e in c["errors"])
    advice = ", ".join(map(text, c["advice"]))
    return (
        f"    Cause {{ types: &[{types}], ops: &[{ops}], errors: &[{errors}],\n"
        f"        cause: {text(c['cause'])}, later: {str(c['later']).lower()}, "
        f"resume: {str(c['resume']).lower()},\n        advice: &[{advice}] }},\n"
    )


def rust_enum(name, doc, what, derive, words):
    items = "".join(f"    /// `{w}`\n    {camel(w)},\n" for w in words)
    arms = "".join(f"            Self::{camel(w)} => {text(w)},\n" for w in words)
    return (
        f"/// {doc}\n#[derive({derive})]\n#[non_exhaustive]\npub enum {name} {{\n{items}}}\n\n"
        f"impl {name} {{\n    /// Each of them.\n    pub const ALL: &'static [Self] = &["
        + ", ".join(f"Self::{camel(w)}" for w in words)
        + f"];\n\n    /// {what}\n    pub fn name(self) -> &'static str {{\n"
        f"        match self {{\n{arms}        }}\n    }}\n}}\n"
    )


def rust_uint(value):
    return "u32" if value < 2**32 else "u64"


def rust():
    c = constants()
    names = [
        "RQSPIN_RING_LAYOUT",
        "RQSPIN_RING_GROUPS",
        "RQSPIN_HELD_UNKNOWN",
        "RQSPIN_TID_UNKNOWN",
        "RQSPIN_WAIT_UNASKED",
    ]
    values = "".join(
        f"pub(crate) const {n.removeprefix('RQSPIN_')}: {rust_uint(c[n])} = {c[n]};\n"
        for n in names
    )
    derive = "Clone, Copy, Debug, PartialEq, Eq, Hash"
    tries = "".join(f"    (libc::{e}, {n}, {ms}),\n" for e, (n, ms) in retries().items())
    return (
        "// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n"
        f"// Made by scripts/bindings-tables.py from {FROM}.\n"
        "use crate::policy::Cause;\n\n"
        + values
        + "\n"
        + rust_enum(
            "Kind", "Why an acquisition failed.", "As `rqspin trace` calls it.", derive, kinds()
        )
        + "\n"
        + "\n".join(map(rust_struct, STRUCTS))
        + "\n"
        + rust_enum(
            "Op", "An operation on a map.", "As `rqspin errno` names it.", derive, all_ops()
        )
        + "\n/// Error, tries after the first, milliseconds before the first of them.\n"
        f"pub(crate) const RETRIES: &[(i32, u32, u64)] = &[\n{tries}];\n\n"
        f"pub(crate) const CAUSES: &[Cause] = &[\n{''.join(map(rust_cause, causes()))}];\n"
    )


def page():
    """The page with its table of retries."""
    lines = ["| error | tries after the first | pause before the first of them | why |"]
    lines += ["|---|---|---|---|"]
    for r in rows("retry"):
        lines.append(f"| `-{r['errno']}` | {r['tries']} | {r['first_ms']} ms | {r['why']} |")
    part = re.compile(r"(<!-- retries: .*? -->\n).*?(<!-- end of retries -->)", re.S)
    old = (TOP / PAGE).read_text()
    return part.sub(lambda m: m[1] + "\n".join(lines) + "\n" + m[2], old)


PAGE = "docs/bindings.md"
FILES = {"bindings/go/tables.go": go, "bindings/rust/src/tables.rs": rust, PAGE: page}


def main():
    stale = {name for name, make in FILES.items() if read(name) != make()}
    if "--check" in sys.argv[1:]:
        for name in sorted(stale):
            print(f"{name} is stale: run scripts/bindings-tables.py", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (TOP / name).write_text(FILES[name]())
    return 0


def read(name):
    path = TOP / name
    return path.read_text() if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
