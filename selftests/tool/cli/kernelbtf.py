# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""BTF of kernels that are not running: which locks inside their maps are resilient."""

from bpfobj import compile_bpf

# Structures as kernels have them.
KERNEL = """
typedef struct {{ int counter; }} plain_t, rqspinlock_t;
struct map {{ int id; }};
struct bucket {{ void *head; {bucket} }} bucket;
struct pcpu_freelist_head {{ void *first; {lock} lock; }} freelist;
struct bpf_lru_list {{ void *lists[6]; {lock} lock; }} lru;
struct lpm_trie {{ struct map map; {trie} {lock} lock; }} trie;
struct bpf_queue_stack {{ struct map map; {lock} lock; }} queue;
struct bpf_ringbuf {{ int mask; {lock} spinlock; }} ringbuf;
struct bpf_local_storage {{ void *owner; plain_t lock; }} storage;
struct bpf_arena {{ struct map map; }} arena;
{extra}
"""
SERIES = "typedef void (*btf_trace_rqspinlock_failure)(void *); btf_trace_rqspinlock_failure tp;"
MA = "struct map ma;"
KERNELS = {
    "plain": {"bucket": "plain_t raw_lock;", "trie": "", "lock": "plain_t", "extra": ""},
    "old": {
        "bucket": "union { plain_t raw_lock; int lock; };",
        "trie": "",
        "lock": "plain_t",
        "extra": "",
    },
    "later": {"bucket": "rqspinlock_t raw_lock;", "trie": MA, "lock": "rqspinlock_t", "extra": ""},
    "series": {
        "bucket": "rqspinlock_t raw_lock;",
        "trie": MA,
        "lock": "rqspinlock_t",
        "extra": SERIES,
    },
}


def kernels_btf(folder):
    return {
        name: compile_bpf(folder / f"{name}.c", KERNEL.format(**parts))
        for name, parts in KERNELS.items()
    }
