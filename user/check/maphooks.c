// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "check/maphooks.h"
#include "check/mapops.h"
#include "check/where.h"

#define BUCKET	 (1U << MAPLOCK_BUCKET)
#define FREELIST (1U << MAPLOCK_FREELIST)
#define LRU	 (1U << MAPLOCK_LRU)
#define LPM	 (1U << MAPLOCK_LPM)
#define QUEUE	 (1U << MAPLOCK_QUEUE)
#define RINGBUF	 (1U << MAPLOCK_RINGBUF)
#define ALL	 (~0U)

/* At which end of a function the lock is held. */
enum end { END_BOTH, END_ENTRY, END_EXIT };

/* When a row holds: depends on the map or the kernel. */
enum only {
	ONLY_ALWAYS,
	ONLY_PLAIN,	   /* for plain locks: resilient ones go another way */
	ONLY_FREELIST,	   /* for operations that take an element from a free list */
	ONLY_FREES,	   /* the same, on kernels that free replaced data under the lock */
	ONLY_ALLOCATES,	   /* for maps that take memory from the BPF allocator */
	ONLY_TRIE_KMALLOC, /* for kernels whose tries take memory from kmalloc() */
	ONLY_PERCPU,
};

/*
 * Functions and tracepoints that operations of maps reach with a lock held. Static functions may be
 * inlined: then nothing can be attached. Newer kernels close the files of tries, queues, ring
 * buffers and lists to tracing, because programs there ran into these locks.
 */
static const struct {
	const char *name;
	unsigned int locks;
	enum end end;
	enum only only;
	bool own;
} hooks[] = {
	/* At contention_end the lock is held; at contention_begin only a lock further out is. */
	{ "contention_end", ALL, END_BOTH, ONLY_ALWAYS, false },
	{ "contention_begin", BUCKET, END_BOTH, ONLY_FREELIST, false },
	{ "contention_begin", LRU, END_BOTH, ONLY_ALWAYS, false },
	{ "native_queued_spin_lock_slowpath", ALL, END_EXIT, ONLY_PLAIN, false },
	{ "__pv_queued_spin_lock_slowpath", ALL, END_EXIT, ONLY_PLAIN, false },
	{ "queued_spin_lock_slowpath", ALL, END_EXIT, ONLY_PLAIN, false },
	{ "_raw_spin_lock", BUCKET | FREELIST | LRU, END_EXIT, ONLY_PLAIN, false },
	{ "_raw_spin_unlock", BUCKET | FREELIST | LRU, END_ENTRY, ONLY_PLAIN, false },
	{ "_raw_spin_lock_irqsave", LRU | LPM | QUEUE | RINGBUF, END_EXIT, ONLY_PLAIN, false },
	{ "_raw_spin_unlock_irqrestore", LRU | LPM | QUEUE | RINGBUF, END_ENTRY, ONLY_PLAIN,
	  false },
	{ "lookup_elem_raw", BUCKET, END_BOTH, ONLY_ALWAYS, true },
	{ "alloc_htab_elem", BUCKET, END_BOTH, ONLY_ALWAYS, true },
	{ "pcpu_init_value", BUCKET, END_BOTH, ONLY_PERCPU, true },
	{ "pcpu_copy_value", BUCKET, END_BOTH, ONLY_PERCPU, true },
	{ "check_and_free_fields", BUCKET, END_BOTH, ONLY_FREES, true },
	{ "check_and_cancel_fields", BUCKET, END_BOTH, ONLY_FREES, true },
	{ "bpf_obj_free_fields", BUCKET, END_BOTH, ONLY_FREES, true },
	{ "bpf_obj_cancel_fields", BUCKET, END_BOTH, ONLY_FREES, true },
	{ "check_and_free_fields", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "check_and_cancel_fields", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "bpf_obj_free_fields", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "bpf_obj_cancel_fields", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "htab_lru_map_delete_node", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__bpf_lru_node_move", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__bpf_lru_node_move_in", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__bpf_lru_node_move_to_free", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__bpf_lru_list_rotate", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__bpf_lru_list_rotate_active", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__bpf_lru_list_rotate_inactive", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__bpf_lru_list_shrink", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__bpf_lru_list_shrink_inactive", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__local_list_add_pending", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__local_list_flush", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__local_list_pop_free", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "__local_list_pop_pending", LRU, END_BOTH, ONLY_ALWAYS, true },
	{ "lpm_trie_node_alloc", LPM, END_BOTH, ONLY_TRIE_KMALLOC, true },
	{ "longest_prefix_match", LPM, END_BOTH, ONLY_ALWAYS, true },
	{ "bpf_map_kmalloc_node", LPM, END_BOTH, ONLY_TRIE_KMALLOC, true },
	/* An allocator that runs low raises an interrupt, to get more memory in it. */
	{ "irq_work_queue", BUCKET | LPM, END_BOTH, ONLY_ALLOCATES, false },
	{ "__irq_work_queue_local", BUCKET | LPM, END_BOTH, ONLY_ALLOCATES, false },
	{ "arch_irq_work_raise", BUCKET | LPM, END_BOTH, ONLY_ALLOCATES, false },
	{ "ipi_send_cpu", BUCKET | LPM, END_BOTH, ONLY_ALLOCATES, false },
	{ "kmalloc", LPM, END_BOTH, ONLY_TRIE_KMALLOC, false },
	{ "kmalloc_node", LPM, END_BOTH, ONLY_TRIE_KMALLOC, false },
	{ "__kmalloc_node", LPM, END_BOTH, ONLY_TRIE_KMALLOC, false },
	{ "__kmalloc_node_noprof", LPM, END_BOTH, ONLY_TRIE_KMALLOC, false },
};

static bool text_begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Is the program at that end of a function? A tracepoint has no ends. */
static bool end_fits(const struct check_prog *p, enum end end)
{
	const char *section = where_section(p);
	bool exit = text_begins(section, "fexit") || text_begins(section, "kretprobe");
	bool both = text_begins(section, "fsession") || text_begins(section, "kprobe.session");

	/* Programs in the kernel have no section, so their end is not known. */
	return end == END_BOTH || (*section && (both || exit == (end == END_EXIT)));
}

/* Also fits "_raw_spin_lock+0x10", and "lookup_elem_raw.isra.0", a variant of the compiler. */
static bool name_fits(const char *hook, const char *name)
{
	size_t len = strcspn(hook, "+.");

	return len == strlen(name) && !strncmp(hook, name, len);
}

bool maphook_is_any(const struct check_set *set, const struct use *inner)
{
	const char *hook = where_hook(&set->progs[inner->at.prog]);

	if (where_of(set, &inner->at).min == LEVEL_NMI)
		return true;
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (inner->at.run == RUN_PROGRAM && name_fits(hook, hooks[i].name))
			return true;
	return false;
}

static bool only_fits(enum only only, const struct check_map *m, const struct maplocks *kernel,
		      unsigned int taken)
{
	switch (only) {
	case ONLY_FREELIST:
		return taken & FREELIST;
	case ONLY_FREES:
		return taken & FREELIST && kernel->kinds[MAPLOCK_BUCKET] != MAPLOCK_SERIES;
	case ONLY_ALLOCATES:
		return mapop_allocates(m) &&
		       !(m->type == BPF_MAP_TYPE_LPM_TRIE && kernel->trie_kmalloc);
	case ONLY_TRIE_KMALLOC:
		return kernel->trie_kmalloc;
	case ONLY_PERCPU:
		return m->type == BPF_MAP_TYPE_PERCPU_HASH ||
		       m->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
	default:
		return true;
	}
}

/* Which of the @taken locks are held at the program's hook? */
static struct ontop ontop_by_hook(const struct check_prog *p, const struct check_map *m,
				  const struct maplocks *kernel, unsigned int taken)
{
	unsigned int plain = ~maplocks_resilient(kernel);
	const char *hook = where_hook(p);
	struct ontop on = { 0 };

	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		unsigned int locks = hooks[i].locks & taken;

		if (!name_fits(hook, hooks[i].name) || !end_fits(p, hooks[i].end) ||
		    !only_fits(hooks[i].only, m, kernel, taken))
			continue;
		on.locks |= hooks[i].only == ONLY_PLAIN ? locks & plain : locks;
		on.own |= hooks[i].own;
	}
	return on;
}

struct ontop maphook_find(const struct check_set *set, const struct maplocks *kernel,
			  const struct use *outer, const struct use *inner)
{
	struct where in = where_of(set, &inner->at), out = where_of(set, &outer->at);
	const struct check_map *m = &set->maps[outer->at.lock.map];
	unsigned int taken = mapop_locks(m, outer->op);

	if (where_excluded(&in, &out, &inner->at, &outer->at))
		return (struct ontop){ 0 };
	/* All of these locks are held with interrupts off. */
	if (in.min == LEVEL_NMI && out.max < LEVEL_NMI)
		return (struct ontop){ .locks = taken, .nmi = true };
	if (inner->at.run != RUN_PROGRAM)
		return (struct ontop){ 0 };
	return ontop_by_hook(&set->progs[inner->at.prog], m, kernel, taken);
}

struct ontop maphook_find_user(const struct check_set *set, const struct maplocks *kernel,
			       __u32 map, const char *op, const struct use *inner)
{
	struct where in = where_of(set, &inner->at);
	unsigned int taken = mapop_locks(&set->maps[map], op);

	/* The kernel does not start such programs on top of an operation of user space. */
	if (in.guard == GUARD_ALL || inner->at.run != RUN_PROGRAM)
		return (struct ontop){ 0 };
	/* An NMI comes on top of all that user space does, as if its hook were there. */
	if (in.min == LEVEL_NMI)
		return (struct ontop){ .locks = taken, .nmi = true, .own = true };
	return ontop_by_hook(&set->progs[inner->at.prog], &set->maps[map], kernel, taken);
}
