// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Is an object in a list freed when the map goes that the list is in? The object has a second owner
 * here, who reads how many owners there are: prog_tests/list_free.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "graph.h"

extern void *bpf_refcount_acquire_impl(void *kptr, void *meta) __weak __ksym;

struct counted {
	struct bpf_list_node link;
	struct bpf_refcount owners;
};

struct under_resilient {
	struct bpf_res_spin_lock lock;
	struct bpf_list_head head __contains(counted, link);
};

struct under_plain {
	struct bpf_spin_lock lock;
	struct bpf_list_head head __contains(counted, link);
};

struct second {
	struct counted __kptr *object;
};

enum slot { RESILIENT, PLAIN, SLOTS };

#define MAP(map_type, name, nr, of)       \
	struct {                          \
		__uint(type, map_type);   \
		__uint(max_entries, nr);  \
		__type(key, __u32);       \
		__type(value, struct of); \
	} name SEC(".maps")

MAP(BPF_MAP_TYPE_ARRAY, resilient, 1, under_resilient);
MAP(BPF_MAP_TYPE_ARRAY, plain, 1, under_plain);
MAP(BPF_MAP_TYPE_ARRAY, kept, SLOTS, second);

__u32 slot; /* that owners() looks at */

/* A new object with two owners: the one returned, and the map. */
static __always_inline struct counted *object_new(__u32 key)
{
	struct counted *n, *other;
	struct second *k;

	k = bpf_map_lookup_elem(&kept, &key);
	if (!k)
		return NULL;
	n = bpf_obj_new(struct counted);
	if (!n)
		return NULL;
	other = bpf_kptr_xchg(&k->object, bpf_refcount_acquire_impl(n, NULL));
	if (other)
		bpf_obj_drop(other);
	return n;
}

SEC("syscall")
int push_resilient(void *ctx)
{
	struct under_resilient *v;
	struct counted *n;
	__u32 key = 0;

	v = bpf_map_lookup_elem(&resilient, &key);
	if (!v)
		return -1;
	n = object_new(RESILIENT);
	if (!n)
		return -2;
	if (bpf_res_spin_lock(&v->lock)) {
		bpf_obj_drop(n);
		return -3;
	}
	bpf_list_push_front_impl(&v->head, &n->link, NULL, 0);
	bpf_res_spin_unlock(&v->lock);
	return 0;
}

SEC("syscall")
int push_plain(void *ctx)
{
	struct under_plain *v;
	struct counted *n;
	__u32 key = 0;

	v = bpf_map_lookup_elem(&plain, &key);
	if (!v)
		return -1;
	n = object_new(PLAIN);
	if (!n)
		return -2;
	bpf_spin_lock(&v->lock);
	bpf_list_push_front_impl(&v->head, &n->link, NULL, 0);
	bpf_spin_unlock(&v->lock);
	return 0;
}

SEC("syscall")
int owners(void *ctx)
{
	struct second *k;
	__u32 key = slot;
	int nr = -1;

	k = bpf_map_lookup_elem(&kept, &key);
	if (!k || !k->object)
		return -1;
	bpf_probe_read_kernel(&nr, sizeof(nr), &k->object->owners);
	return nr;
}

char _license[] SEC("license") = "Dual BSD/GPL";
