// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Read words of an arena at their addresses in the kernel. A process that maps an arena allocates
 * each page that it touches; a read from here fails where there is no page, and changes nothing.
 */
#include <vmlinux.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "arenawords.h"
#include "own.bpf.h"

const volatile __u32 map_id;
const volatile __u32 half_guard; /* bytes before the arena that are never mapped */
__u64 user_start, user_end, kernel_start;
__u32 nr_words;
struct arena_word words[ARENA_WORDS];

/* Kernels before 6.9 have none. */
struct bpf_arena___words {
	__u64 user_vm_start, user_vm_end;
	struct vm_struct *kern_vm;
} __attribute__((preserve_access_index));

/* Finds the map. User space holds a reference to it, so it stays where it is. */
SEC("iter/bpf_map")
int rqspin_arena(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;
	struct bpf_arena___words *arena = (void *)map;

	if (!map || map->id != map_id || !bpf_core_field_exists(arena->kern_vm))
		return 0;
	user_start = BPF_CORE_READ(arena, user_vm_start);
	user_end = BPF_CORE_READ(arena, user_vm_end);
	kernel_start = (__u64)BPF_CORE_READ(arena, kern_vm, addr) + half_guard;
	return 0;
}

/* As for programs, the lower half of an address in user space is the distance in the kernel. */
static void word_read(struct arena_word *w)
{
	const void *at = (void *)(kernel_start + (__u32)(user_start + w->off));

	__u32 size = w->size;

	if (!size || size > sizeof(w->value))
		size = sizeof(w->value);
	w->value = 0;
	w->err = -bpf_probe_read_kernel(&w->value, size, at);
}

SEC("syscall")
int rqspin_arena_words(void *ctx)
{
	__u32 i;

	bpf_for(i, 0, nr_words)
		if (i < ARENA_WORDS)
			word_read(&words[i]);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
