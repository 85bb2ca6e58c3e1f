# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Damaged BPF objects, made by a seeded mutator out of whole ones."""

import random
import struct

# What libbpf reads by its own rules; other sections are opaque to it.
SECTIONS = (".BTF", ".BTF", ".BTF", ".BTF.ext", ".symtab", ".reltc", ".maps", "tc")
# Bytes behind struct btf_type by kind, and for each of vlen.
EXTRA = {1: 4, 3: 12, 14: 4, 17: 4}
EACH = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}


def sections(elf):
    """{name: (offset, size)} of a little-endian ELF file of 64 bits."""
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, nr, names = struct.unpack_from("<HHH", elf, 58)
    heads = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(nr)]
    strings = heads[names][4]

    def name(at):
        return elf[strings + at : elf.index(b"\0", strings + at)].decode()

    return {name(h[0]): (h[4], h[5]) for h in heads}


def btf_types(elf):
    """[(kind, vlen, offset in the file)], the first is type 1."""
    start, _ = sections(elf)[".BTF"]
    head, at, size = struct.unpack_from("<III", elf, start + 4)
    at += start + head
    end, types = at + size, []
    while at < end:
        _, info = struct.unpack_from("<II", elf, at)
        kind, vlen = info >> 24 & 0x1F, info & 0xFFFF
        types.append((kind, vlen, at))
        at += 12 + EXTRA.get(kind, 0) + EACH.get(kind, 0) * vlen
    return types


def mutate(elf, seed):
    """Up to three bytes of one section become others."""
    rng = random.Random(seed)
    there = sections(elf)
    start, size = there[rng.choice([name for name in SECTIONS if name in there])]
    out = bytearray(elf)
    for _ in range(rng.randint(1, 3)):
        at = start + rng.randrange(size)
        out[at] = rng.choice([b for b in (0, 1, 0x7F, 0x80, 0xFF) if b != out[at]])
    return bytes(out)
