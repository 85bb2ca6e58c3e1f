// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "check/leak.h"
#include "kernel/nestfree.h"
#include "names/graphtype.h"
#include "names/locktype.h"

static const char *const words[] = { [GRAPH_LIST] = "list", [GRAPH_TREE] = "tree" };

static bool call_adds(const char *name, enum graph_kind *kind)
{
	*kind = strncmp(name, "bpf_rbtree_add", 14) ? GRAPH_LIST : GRAPH_TREE;
	return *kind == GRAPH_TREE || !strncmp(name, "bpf_list_push_", 14) ||
	       !strncmp(name, "bpf_list_add", 12);
}

static bool lock_guards(const struct check_set *set, const struct lock *lock, enum graph_kind kind)
{
	if (lock->kind == LOCK_MAP)
		return locktype_has_graph(set->maps[lock->map].locks, kind);
	return lock->kind == LOCK_OBJECT && lock->type &&
	       graphtype_has(set->progs[lock->prog].btf, lock->type, kind);
}

/*
 * Find the lock of the list or tree: the kernel demands that it is beside the list, and held for
 * each change.
 */
static const struct lock *guard_find(const struct check_set *set, const struct record *record,
				     __u32 prog, enum graph_kind kind)
{
	for (size_t i = 0; i < record->nr_sites; i++) {
		const struct site *s = &record->sites[i];

		if (s->prog == prog && !s->plain && lock_guards(set, &s->lock, kind))
			return &s->lock;
	}
	return NULL;
}

static void leak_add(const struct check_set *set, __u32 prog, __u32 pc, const struct lock *lock,
		     enum graph_kind kind, struct findings *f)
{
	bool map = lock->kind == LOCK_MAP;
	struct finding *one = finding_add(
		f, FINDING_NOTE, "leak", &set->progs[prog], pc,
		"what is in this %s when %s%s goes is never freed: bpf_res_spin_lock guards it, and "
		"this kernel frees %ss under bpf_spin_lock only",
		words[kind], map ? "an element of map " : "its object",
		map ? set->maps[lock->map].name : "", words[kind]);

	if (one)
		one->fix = "take all objects out and drop them before the element, map or object "
			   "goes, or guard it with bpf_spin_lock";
}

void leak_tell(const struct check_set *set, __u32 prog, struct calls *calls,
	       const struct record *record, struct findings *f)
{
	const struct check_prog *p = &set->progs[prog];
	enum nest_free here = NEST_FREE_LEAKS;
	bool told[2] = {}; /* once for a list, once for a tree */
	enum graph_kind kind;

	for (__u32 pc = 0; pc < p->nr_insns && here == NEST_FREE_LEAKS; pc++) {
		const struct bpf_insn *insn = &p->insns[pc];
		const struct lock *lock;

		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg == BPF_PSEUDO_CALL ||
		    !call_adds(calls_of(calls, insn).name, &kind))
			continue;
		lock = guard_find(set, record, prog, kind);
		if (!lock || told[kind])
			continue;
		told[kind] = true;
		here = nest_free_here();
		if (here == NEST_FREE_LEAKS)
			leak_add(set, prog, pc, lock, kind, f);
	}
}
