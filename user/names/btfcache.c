// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <bpf/btf.h>

#include "names/btfcache.h"

struct entry {
	__u32 id;
	unsigned int users;
	struct btf *btf;
	struct entry *next;
};

static struct entry *entries;

struct btf *btfcache_get(__u32 id)
{
	struct entry *e;

	for (e = entries; e; e = e->next) {
		if (e->id != id)
			continue;
		e->users++;
		return e->btf;
	}
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->btf = btf__load_from_kernel_by_id(id);
	if (!e->btf) {
		free(e);
		return NULL;
	}
	e->id = id;
	e->users = 1;
	e->next = entries;
	entries = e;
	return e->btf;
}

void btfcache_put(struct btf *btf)
{
	for (struct entry **at = &entries; *at; at = &(*at)->next) {
		struct entry *e = *at;

		if (e->btf != btf)
			continue;
		if (--e->users)
			return;
		*at = e->next;
		btf__free(e->btf);
		free(e);
		return;
	}
}
