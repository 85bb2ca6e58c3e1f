// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "clock.h"
#include "lockname.h"
#include "locktype.h"
#include "log.h"
#include "mapaddr.h"
#include "bpf/mapaddr.skel.h"

#define ITER_BATCH 64
#define KEEP_NS	   60000000000ULL /* how long the locks of a map that is gone keep their names */

struct range {
	struct mapaddr at;
	struct locktype *type; /* NULL: no type information */
	__u64 seen_ns;	       /* by the latest scan */
};

struct locknames {
	struct mapaddr_bpf *skel;
	struct bpf_link *maps;
	struct range *ranges;
	size_t nr, room;
	__u32 last_map;
};

struct locknames *locknames_open(void)
{
	struct locknames *ln = calloc(1, sizeof(*ln));
	int err;

	if (!ln)
		return NULL;
	ln->skel = mapaddr_bpf__open();
	if (!ln->skel)
		return ln;
	ln->skel->rodata->nr_cpus = libbpf_num_possible_cpus();
	/* bpf_map_elem iterators need a map each and are attached when one is asked about. */
	err = mapaddr_bpf__load(ln->skel);
	if (!err) {
		ln->maps = bpf_program__attach_iter(ln->skel->progs.mapaddr_maps, NULL);
		err = ln->maps ? 0 : -errno;
	}
	if (err)
		pr_warn("locks are shown by address: map addresses cannot be read: %s",
			strerror(-err));
	return ln;
}

void locknames_close(struct locknames *ln)
{
	if (!ln)
		return;
	for (size_t i = 0; i < ln->nr; i++)
		locktype_free(ln->ranges[i].type);
	free(ln->ranges);
	bpf_link__destroy(ln->maps);
	mapaddr_bpf__destroy(ln->skel);
	free(ln);
}

static bool overlap(const struct mapaddr *a, const struct mapaddr *b)
{
	return a->base < b->base + b->size && b->base < a->base + a->size;
}

/* Memory of a map that is gone may belong to a new one now. */
static void drop_overlapped(struct locknames *ln, const struct mapaddr *at)
{
	for (size_t i = 0; i < ln->nr;) {
		if (!overlap(&ln->ranges[i].at, at)) {
			i++;
			continue;
		}
		locktype_free(ln->ranges[i].type);
		ln->ranges[i] = ln->ranges[--ln->nr];
	}
}

static struct range *find_same(struct locknames *ln, const struct mapaddr *at)
{
	for (size_t i = 0; i < ln->nr; i++)
		if (ln->ranges[i].at.map_id == at->map_id && ln->ranges[i].at.base == at->base)
			return &ln->ranges[i];
	return NULL;
}

static void add_range(struct locknames *ln, const struct mapaddr *at)
{
	struct range *r;

	r = find_same(ln, at);
	if (r) {
		r->seen_ns = now_ns();
		return;
	}
	drop_overlapped(ln, at);
	if (ln->nr == ln->room) {
		size_t room = ln->room ? ln->room * 2 : 64;

		r = realloc(ln->ranges, room * sizeof(*r));
		if (!r)
			return;
		ln->ranges = r;
		ln->room = room;
	}
	r = &ln->ranges[ln->nr++];
	r->at = *at;
	r->seen_ns = now_ns();
	r->type = NULL;
	if (at->part == MAPADDR_VALUES || at->part == MAPADDR_ELEMS)
		r->type = locktype_read(at->map_id);
}

/* Map ids count up, so a scan happens whenever something could pile up. */
static void forget(struct locknames *ln, __u64 started)
{
	for (size_t i = 0; i < ln->nr;) {
		struct range *r = &ln->ranges[i];

		if (started < r->seen_ns + KEEP_NS) {
			i++;
			continue;
		}
		locktype_free(r->type);
		*r = ln->ranges[--ln->nr];
	}
}

static void refresh(struct locknames *ln)
{
	struct mapaddr batch[ITER_BATCH];
	__u64 started = now_ns();
	size_t have = 0;
	int fd;

	if (!ln->maps)
		return;
	fd = bpf_iter_create(bpf_link__fd(ln->maps));
	if (fd < 0)
		return;
	for (;;) {
		ssize_t n = read(fd, (char *)batch + have, sizeof(batch) - have);
		size_t whole;

		if (n <= 0)
			break;
		have += n;
		whole = have / sizeof(*batch);
		for (size_t i = 0; i < whole; i++)
			add_range(ln, &batch[i]);
		have -= whole * sizeof(*batch);
		memmove(batch, batch + whole, have);
	}
	close(fd);
	forget(ln, started);
}

void locknames_scan(struct locknames *ln)
{
	__u32 id = ln->last_map;

	while (!bpf_map_get_next_id(id, &id))
		;
	if (id == ln->last_map)
		return;
	ln->last_map = id;
	refresh(ln);
}

/* Elements that are allocated one by one: look at those there are now. */
static void add_elements(struct locknames *ln, const struct mapaddr *buckets)
{
	union bpf_iter_link_info info = { .map.map_fd = bpf_map_get_fd_by_id(buckets->map_id) };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));
	struct mapaddr at = *buckets;
	struct bpf_link *link;
	__u64 value;
	int fd;

	if ((int)info.map.map_fd < 0)
		return;
	at.part = MAPADDR_ELEMS;
	at.size = at.stride = at.value_off + at.value_size;
	link = bpf_program__attach_iter(ln->skel->progs.mapaddr_elems, &opts);
	fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	while (fd >= 0 && read(fd, &value, sizeof(value)) == sizeof(value)) {
		at.base = value - at.value_off;
		add_range(ln, &at);
	}
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	close(info.map.map_fd);
}

static void scan_elements(struct locknames *ln)
{
	size_t nr = ln->nr;

	/* Only maps whose values can have locks: such maps carry type information. */
	for (size_t i = 0; i < nr && i < ln->nr; i++) {
		struct mapaddr at = ln->ranges[i].at;

		if (at.part == MAPADDR_BUCKETS && at.sparse && locktype_has_lock(at.map_id))
			add_elements(ln, &at);
	}
}

static void key_text(const unsigned char *key, __u32 size, char *buf, size_t room)
{
	__u64 num = 0;

	if (size == 4 || size == 8) {
		memcpy(&num, key, size); /* keys are in the kernel's byte order, ours */
		snprintf(buf, room, "%llu", (unsigned long long)num);
		return;
	}
	for (__u32 i = 0; i < size && 2 * i + 3 < room; i++)
		snprintf(buf + 2 * i, room - 2 * i, "%02x", key[i]);
}

/* Of a map that is gone the memory is somebody else's: then the key stays unknown. */
static void read_key(struct locknames *ln, const struct range *r, __u64 elem, struct lockname *name)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	typeof(ln->skel->bss->key_request) *req = &ln->skel->bss->key_request;
	int fd = bpf_map_get_fd_by_id(r->at.map_id);

	snprintf(name->key, sizeof(name->key), "?");
	if (fd < 0)
		return;
	req->addr = elem + r->at.key_off;
	req->size = r->at.key_size;
	if (r->at.key_size <= sizeof(req->bytes) &&
	    !bpf_prog_test_run_opts(bpf_program__fd(ln->skel->progs.mapaddr_read_key), &opts) &&
	    !req->err)
		key_text(req->bytes, r->at.key_size, name->key, sizeof(name->key));
	close(fd);
}

static void name_in_range(struct locknames *ln, const struct range *r, __u64 addr,
			  struct lockname *name)
{
	__u64 off = addr - r->at.base;
	__u64 nth = r->at.stride ? off / r->at.stride : 0;
	__u64 rest = r->at.stride ? off % r->at.stride : off;

	name->map_id = r->at.map_id;
	memcpy(name->map, r->at.name, sizeof(name->map));
	name->map[sizeof(name->map) - 1] = 0;
	name->map_type = libbpf_bpf_map_type_str(r->at.type);
	switch (r->at.part) {
	case MAPADDR_VALUES:
		name->index = nth;
		locktype_path(r->type, rest, name->path, sizeof(name->path));
		break;
	case MAPADDR_ELEMS:
		read_key(ln, r, r->at.base + nth * r->at.stride, name);
		locktype_path(r->type, rest - r->at.value_off, name->path, sizeof(name->path));
		break;
	case MAPADDR_BUCKETS:
		name->internal = "bucket";
		name->index = nth;
		break;
	default:
		name->internal = "lock";
	}
}

static const struct range *find_range(struct locknames *ln, __u64 addr)
{
	for (size_t i = 0; i < ln->nr; i++)
		if (addr - ln->ranges[i].at.base < ln->ranges[i].at.size)
			return &ln->ranges[i];
	return NULL;
}

bool locknames_find(struct locknames *ln, __u64 addr, struct lockname *name)
{
	const struct range *r;

	memset(name, 0, sizeof(*name));
	name->addr = addr;
	name->index = -1;
	r = find_range(ln, addr);
	if (!r) {
		locknames_scan(ln);
		r = find_range(ln, addr);
	}
	if (!r && ln->maps) {
		scan_elements(ln);
		r = find_range(ln, addr);
	}
	if (!r)
		return false;
	name_in_range(ln, r, addr, name);
	return true;
}

void lockname_text(const struct lockname *name, bool no_addr, char *buf, size_t size)
{
	const char *map = name->map[0] ? name->map : "map";

	if (!name->map_id && (no_addr || !name->addr))
		snprintf(buf, size, "lock?");
	else if (!name->map_id)
		snprintf(buf, size, "0x%llx", (unsigned long long)name->addr);
	else if (name->internal && name->index >= 0)
		snprintf(buf, size, "%s %s %s %lld", name->map_type, map, name->internal,
			 (long long)name->index);
	else if (name->internal)
		snprintf(buf, size, "%s %s %s", name->map_type, map, name->internal);
	else if (map[0] == '.' && name->path[0])
		snprintf(buf, size, "%s", name->path);
	else if (name->key[0])
		snprintf(buf, size, "%s[key %s].%s", map, name->key, name->path);
	else
		snprintf(buf, size, "%s[%lld].%s", map, (long long)name->index, name->path);
}
