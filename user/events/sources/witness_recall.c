// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "counted.h"
#include "mapaddr.h"
#include "names/keytext.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "events/sources/witness_recall.h"
#include "events/failure.h"
#include "witness.h"

static int recall_prog(const struct witness *w, const struct witness_names *n,
		       struct proginfos *progs)
{
	char name[WITNESS_PROG + 1] = "";
	const struct proginfo_was was = { n->prog_id, name, n->start, n->end, w->ts_ns };

	memcpy(name, n->prog, WITNESS_PROG);
	return n->prog_id ? proginfos_recall(progs, &was) : 0;
}

static void set_map(struct lockname *name, __u32 id, __u32 type, const char map[16])
{
	name->map_id = id;
	memcpy(name->map, map, sizeof(name->map));
	name->map[sizeof(name->map) - 1] = 0;
	name->map_type = libbpf_bpf_map_type_str(type);
}

/* "stats.locks[3].lock". An offset that has no name follows as "+8", as without types. */
static void put_path(const struct witness_lock *l, char *buf, size_t size)
{
	__u32 nr = l->nr_steps < WITNESS_STEPS ? l->nr_steps : WITNESS_STEPS;
	FILE *out = fmemopen(buf, size, "w");

	buf[0] = 0;
	if (!out)
		return;
	for (__u32 i = 0; i < nr; i++) {
		fprintf(out, "%s%.*s", i ? "." : "", WITNESS_STEP, l->steps[i].name);
		if (l->steps[i].index >= 0)
			fprintf(out, "[%d]", l->steps[i].index);
	}
	if (!l->whole)
		fprintf(out, "+%u", l->rest);
	fclose(out);
	buf[size - 1] = 0;
}

static void put_key(const struct witness_lock *l, char key[KEYTEXT_SIZE])
{
	struct keytext text;

	snprintf(key, KEYTEXT_SIZE, "?");
	/* Of a longer key only the beginning is known, and many keys may begin so. */
	if (!l->key_size || l->key_size > WITNESS_KEY)
		return;
	keytext_begin(&text, l->key_size);
	keytext_add(&text, l->key, l->key_size);
	keytext_print(&text, key);
}

static void set_part(struct lockname *name, const struct witness_lock *l)
{
	switch (l->part) {
	case MAPADDR_VALUES:
		name->index = l->index;
		put_path(l, name->path, sizeof(name->path));
		break;
	case MAPADDR_ELEMS:
		put_key(l, name->key);
		put_path(l, name->path, sizeof(name->path));
		break;
	case MAPADDR_BUCKETS:
		name->internal = "bucket";
		name->index = l->index;
		break;
	default:
		name->internal = "lock";
	}
}

static int recall_locks(const struct witness *w, const struct witness_names *n,
			struct locknames *locks)
{
	__u32 nr = n->nr_locks < WITNESS_NAMED ? n->nr_locks : WITNESS_NAMED;
	int err = 0;

	for (__u32 i = 0; !err && i < nr; i++) {
		struct lockname name = { .addr = n->locks[i].addr, .index = -1 };

		set_map(&name, n->locks[i].map_id, n->locks[i].map_type, n->locks[i].map);
		set_part(&name, &n->locks[i]);
		err = locknames_recall(locks, &name, w->ts_ns);
	}
	if (!err && w->map_id && n->map[0]) {
		struct lockname name = { .index = -1 };

		set_map(&name, w->map_id, n->map_type, n->map);
		err = locknames_recall(locks, &name, w->ts_ns);
	}
	return err;
}

void witness_recall(const struct witness *w, const struct witness_names *n, struct proginfos *progs,
		    struct locknames *locks)
{
	if (recall_prog(w, n, progs) || recall_locks(w, n, locks))
		pr_warn("out of memory: what is gone is shown without a name");
}

void witness_recall_line(const struct witness_names *n, struct failure *f)
{
	char path[WITNESS_FILE + 1] = "";

	if (f->ev.line || !n->line || !f->prog || !f->prog->recalled)
		return;
	memcpy(path, n->file, WITNESS_FILE);
	/*
	 * The line is in a function that `rqspin run` added: the program's own line is further out.
	 */
	if (!strcmp(base_name(path), COUNTED_FILE))
		return;
	f->ev.line = n->line;
	/* If the path was truncated, its last part is not the name of the file. */
	if (strlen(path) < WITNESS_FILE - 1)
		snprintf(f->file, sizeof(f->file), "%s", base_name(path));
}
