// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "names/arenaname.h"
#include "names/ksyms.h"
#include "names/lockname.h"
#include "names/locktype.h"
#include "base/log.h"
#include "mapaddr.h"
#include "names/proginfo.h"
#include "names/ranges.h"
#include "names/recall.h"
#include "bpf/mapaddr.skel.h"

#define ITER_BATCH 64
#define LOOK_SHARE 50 /* listing all maps may take a fiftieth of the time */

/* Why this machine does not list the elements of a map; 0: it does, or nobody has tried. */
static int elements_err;

struct locknames {
	struct ksyms *ksyms;
	struct mapaddr_bpf *skel;
	struct bpf_link *maps;
	struct ranges ranges;
	struct ranges percpu; /* by per-CPU pointers: each stands for one address per CPU */
	__u64 *cpu_at;	      /* addresses of the ruler's copies, 0 if unknown */
	__u32 nr_cpus;
	__u64 ruler; /* per-CPU pointer, 0: unknown */
	__u32 *ids;
	size_t nr_ids, room_ids;
	__u32 last_map;
	struct recall *recall; /* NULL: all names are those of current maps */
	__u32 newest_map;      /* newest map id when the recording began */
	__u64 before_ns;       /* start of the latest look for new maps */
	__u64 changed_ns;      /* when ranges last changed */
	__u64 next_mapped;     /* when mapped arenas may be looked for again */
	__u64 next_list;       /* when all maps may be listed again */
};

static __u32 id_of(const struct bpf_map *map)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	return bpf_map_get_info_by_fd(bpf_map__fd(map), &info, &len) ? 0 : info.id;
}

/*
 * Finds the address of the ruler map's copy on each CPU. If this fails, locks in per-CPU memory are
 * shown by address.
 */
static void ruler_measure(struct locknames *ln)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	typeof(ln->skel->bss) bss = ln->skel->bss;

	ln->cpu_at = calloc(ln->nr_cpus, sizeof(*ln->cpu_at));
	if (!ln->cpu_at)
		return;
	bss->ruler_id = id_of(ln->skel->maps.ruler);
	for (__u32 cpu = 0; cpu < ln->nr_cpus; cpu++) {
		bss->measured_cpu = cpu;
		if (!bpf_prog_test_run_opts(bpf_program__fd(ln->skel->progs.rqspin_measure), &opts))
			ln->cpu_at[cpu] = bss->measured_at;
	}
}

static int mapaddr_try(struct locknames *ln, bool with_elements)
{
	mapaddr_bpf__destroy(ln->skel);
	ln->skel = mapaddr_bpf__open();
	if (!ln->skel)
		return -errno;
	ln->skel->rodata->nr_cpus = ln->nr_cpus;
	bpf_program__set_autoload(ln->skel->progs.rqspin_elems, with_elements);
	return mapaddr_bpf__load(ln->skel);
}

/*
 * A bpf_map_elem iterator is for one map. It is attached when that map's elements are needed; a
 * machine that refuses such iterators still tells where maps are.
 */
static int mapaddr_load(struct locknames *ln)
{
	int refused = elements_err, err;

	if (!refused) {
		log_trying(true);
		refused = mapaddr_try(ln, true);
		log_trying(false);
		if (!refused)
			return 0;
	}
	err = mapaddr_try(ln, false);
	if (!err)
		elements_err = refused;
	return err;
}

struct locknames *locknames_open(void)
{
	struct locknames *ln = calloc(1, sizeof(*ln));
	int err, nr_cpus = libbpf_num_possible_cpus();

	if (!ln)
		return NULL;
	ln->ksyms = ksyms_open();
	ln->nr_cpus = nr_cpus > 0 ? nr_cpus : 0;
	err = mapaddr_load(ln);
	if (!err) {
		ruler_measure(ln);
		ln->maps = bpf_program__attach_iter(ln->skel->progs.rqspin_maps, NULL);
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
	ksyms_close(ln->ksyms);
	recall_free(ln->recall);
	ranges_free(&ln->ranges);
	ranges_free(&ln->percpu);
	free(ln->cpu_at);
	free(ln->ids);
	bpf_link__destroy(ln->maps);
	mapaddr_bpf__destroy(ln->skel);
	free(ln);
}

int locknames_recall_only(struct locknames *ln, __u32 newest_map)
{
	ln->recall = recall_new();
	ln->newest_map = newest_map;
	return ln->recall ? 0 : -ENOMEM;
}

int locknames_recall(struct locknames *ln, const struct lockname *name, __u64 when_ns)
{
	return recall_add(ln->recall, name, when_ns);
}

static int add_range(struct locknames *ln, const struct mapaddr *at)
{
	switch (at->part) {
	case MAPADDR_RULER:
		ln->ruler = at->base;
		return 0;
	case MAPADDR_CPU_LISTS:
	case MAPADDR_FREE_LISTS:
		return ranges_add(&ln->percpu, at, ln->before_ns);
	}
	return ranges_add(&ln->ranges, at, ln->before_ns);
}

/* Elements that are allocated one by one share the type of their map's buckets. */
static struct locktype *type_of(const struct mapaddr *at)
{
	bool with_type = at->part == MAPADDR_VALUES ||
			 at->part == (at->sparse ? MAPADDR_BUCKETS : MAPADDR_ELEMS);

	return with_type ? locktype_read(at->map_id) : NULL;
}

static void ranges_refresh(struct locknames *ln)
{
	struct mapaddr batch[ITER_BATCH];
	size_t have = 0;
	int err = 0, fd;

	if (!ln->maps)
		return;
	fd = bpf_iter_create(bpf_link__fd(ln->maps));
	if (fd < 0)
		return;
	while (!err) {
		ssize_t n = read(fd, (char *)batch + have, sizeof(batch) - have);
		size_t whole;

		if (n <= 0)
			break;
		have += n;
		whole = have / sizeof(*batch);
		for (size_t i = 0; i < whole && !err; i++)
			err = add_range(ln, &batch[i]);
		have -= whole * sizeof(*batch);
		memmove(batch, batch + whole, have);
	}
	close(fd);
	if (ranges_merge(&ln->ranges, now_ns(), type_of) ||
	    ranges_merge(&ln->percpu, now_ns(), type_of) || err)
		pr_warn("locks of new maps are shown by address: out of memory");
}

/* Reads all map ids, in ascending order. 1 if they have changed, 0 if not, or -ENOMEM. */
static int read_ids(struct locknames *ln)
{
	size_t before = ln->nr_ids;
	bool others = false;
	__u32 id = 0;

	ln->nr_ids = 0;
	while (!bpf_map_get_next_id(id, &id)) {
		if (ln->nr_ids == ln->room_ids) {
			size_t room = ln->room_ids ? ln->room_ids * 2 : 256;
			__u32 *ids = realloc(ln->ids, room * sizeof(*ids));

			if (!ids)
				return -ENOMEM;
			ln->ids = ids;
			ln->room_ids = room;
		}
		others |= ln->nr_ids >= before || ln->ids[ln->nr_ids] != id;
		ln->ids[ln->nr_ids++] = id;
	}
	return others || ln->nr_ids != before;
}

/* Ids grow, until they wrap after 2^31 maps. */
static bool has_new_map(const struct locknames *ln)
{
	__u32 id;

	return !bpf_map_get_next_id(ln->last_map, &id);
}

/*
 * One call finds out if there is a new map. Removed maps are noticed when all maps may be listed
 * again, or at once if there is a new map, which may have reused their memory.
 */
void locknames_scan(struct locknames *ln)
{
	__u64 started = now_ns();
	__u32 newest;
	int others;

	if (started < ln->next_list && !has_new_map(ln)) {
		ln->before_ns = started;
		return;
	}
	others = read_ids(ln);
	if (others < 0)
		return;
	ln->next_list = started + LOOK_SHARE * (now_ns() - started);
	if (others) {
		ranges_keep_maps(&ln->ranges, ln->ids, ln->nr_ids, now_ns());
		ranges_keep_maps(&ln->percpu, ln->ids, ln->nr_ids, now_ns());
		newest = ln->nr_ids ? ln->ids[ln->nr_ids - 1] : 0;
		if (newest != ln->last_map)
			ranges_refresh(ln);
		ln->last_map = newest;
		ln->changed_ns = now_ns();
	}
	ln->before_ns = started;
}

/* Adds the elements that the map has now. */
static void add_elements(struct locknames *ln, const struct range *buckets)
{
	union bpf_iter_link_info info = { .map.map_fd = bpf_map_get_fd_by_id(buckets->at.map_id) };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));
	struct mapaddr at = buckets->at;
	struct bpf_link *link;
	__u64 value;
	int fd;

	if ((int)info.map.map_fd < 0)
		return;
	at.part = MAPADDR_ELEMS;
	at.size = at.stride = at.value_off + at.value_size;
	link = bpf_program__attach_iter(ln->skel->progs.rqspin_elems, &opts);
	fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	if (fd < 0)
		pr_debug("elements of map %u: %s", buckets->at.map_id, strerror(errno));
	while (fd >= 0 && read(fd, &value, sizeof(value)) == sizeof(value)) {
		at.base = value - at.value_off;
		if (ranges_add(&ln->ranges, &at, buckets->born_ns))
			break;
	}
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	close(info.map.map_fd);
}

/* True if there are iterators for them; else says once why not. */
static bool elements_listed(void)
{
	static bool warned;

	if (!elements_err)
		return true;
	if (!warned)
		pr_warn("locks in elements of maps without preallocation are shown by address: "
			"iterators over them do not load: %s",
			strerror(-elements_err));
	warned = true;
	return false;
}

static void scan_elements(struct locknames *ln)
{
	/* Only maps whose values can have locks: such maps carry type information. */
	for (size_t i = 0; i < ln->ranges.nr; i++) {
		const struct range *r = &ln->ranges.items[i];

		if (r->at.part == MAPADDR_BUCKETS && r->at.sparse && !r->gone_ns &&
		    locktype_has_lock(r->at.map_id) && elements_listed())
			add_elements(ln, r);
	}
	ranges_merge(&ln->ranges, now_ns(), type_of);
	ln->changed_ns = now_ns();
}

__u64 locknames_settled(struct locknames *ln, __u64 when_ns)
{
	if (when_ns >= ln->before_ns)
		locknames_scan(ln);
	return ln->changed_ns;
}

static int read_bytes(struct locknames *ln, __u64 addr, struct keytext *key)
{
	typeof(ln->skel->bss->key_request) *req = &ln->skel->bss->key_request;
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	while (key->got < key->size) {
		__u32 left = key->size - key->got;
		int err;

		req->addr = addr + key->got;
		req->size = left < sizeof(req->bytes) ? left : sizeof(req->bytes);
		err = bpf_prog_test_run_opts(bpf_program__fd(ln->skel->progs.rqspin_read_key),
					     &opts);
		if (err || req->err)
			return err ?: -(int)req->err;
		keytext_add(key, req->bytes, req->size);
	}
	return 0;
}

/* If the map is gone, another owner may use its memory: then the key stays unknown. */
static void read_key(struct locknames *ln, const struct range *r, __u64 elem, struct lockname *name)
{
	int fd = bpf_map_get_fd_by_id(r->at.map_id);
	struct keytext key;

	snprintf(name->key, sizeof(name->key), "?");
	if (fd < 0)
		return;
	keytext_begin(&key, r->at.key_size);
	if (!read_bytes(ln, elem + r->at.key_off, &key))
		keytext_print(&key, name->key);
	close(fd);
}

static void name_map(const struct range *r, __u64 nth, struct lockname *name)
{
	name->map_id = r->at.map_id;
	memcpy(name->map, r->at.name, sizeof(name->map));
	name->map[sizeof(name->map) - 1] = 0;
	name->map_type = libbpf_bpf_map_type_str(r->at.type);
	switch (r->at.part) {
	case MAPADDR_VALUES:
		name->index = nth;
		name->own = locktype_own(r->type);
		break;
	case MAPADDR_ELEMS:
		break;
	case MAPADDR_ARENA:
		name->arena = true;
		break;
	case MAPADDR_BUCKETS:
		name->internal = "bucket";
		name->index = nth;
		break;
	case MAPADDR_CPU_LISTS:
		name->internal = "cpu list";
		break;
	case MAPADDR_FREE_LISTS:
		name->internal = "free list";
		break;
	default:
		name->internal = "lock";
	}
}

/* The path of a variable of the program, else the offset in the arena. */
static void name_in_arena(const struct range *r, __u64 addr, const struct proginfo *prog,
			  struct lockname *name)
{
	const struct arena arena = { r->at.base, r->at.size };
	__u64 off;

	if (prog && arenaname_offset(&arena, addr, &off))
		arenaname_path(&arena, off, prog->btf, prog->arena, name->path, sizeof(name->path));
	if (!name->path[0])
		snprintf(name->path, sizeof(name->path), "+0x%llx",
			 (unsigned long long)(addr - r->at.base));
}

static void name_in_range(struct locknames *ln, const struct range *r, __u64 addr,
			  const struct proginfo *prog, struct lockname *name, bool map_only)
{
	__u64 off = addr - r->at.base;
	__u64 nth = r->at.stride ? off / r->at.stride : 0;
	__u64 rest = r->at.stride ? off % r->at.stride : off;

	name_map(r, nth, name);
	if (map_only)
		return;
	if (r->at.part == MAPADDR_ARENA)
		name_in_arena(r, addr, prog, name);
	if (r->at.part == MAPADDR_VALUES)
		locktype_path(r->type, rest, name->path, sizeof(name->path));
	if (r->at.part != MAPADDR_ELEMS)
		return;
	read_key(ln, r, r->at.base + nth * r->at.stride, name);
	locktype_path(r->type ? r->type : ranges_type(&ln->ranges, r->at.map_id),
		      rest - r->at.value_off, name->path, sizeof(name->path));
}

static bool used_by(__u32 map_id, const void *prog)
{
	return prog && proginfo_uses_map(prog, map_id);
}

/* The lock may be in the list of any CPU: tries each CPU's copy of the per-CPU memory. */
static bool name_percpu(struct locknames *ln, __u64 addr, __u64 when, const struct proginfo *prog,
			struct lockname *name, bool map_only)
{
	for (__u32 cpu = 0; ln->ruler && ln->cpu_at && cpu < ln->nr_cpus; cpu++) {
		__u64 pointer = addr - ln->cpu_at[cpu] + ln->ruler;
		const struct range *r;

		r = ranges_find(&ln->percpu, pointer, when, used_by, prog);
		if (!r || !ln->cpu_at[cpu])
			continue;
		name_in_range(ln, r, pointer, prog, name, map_only);
		name->index = cpu;
		return true;
	}
	return false;
}

static bool name_by_id(const struct ranges *rs, __u32 map_id, struct lockname *name)
{
	for (size_t i = 0; i < rs->nr; i++) {
		if (rs->items[i].at.map_id != map_id)
			continue;
		name_map(&rs->items[i], 0, name);
		return true;
	}
	return false;
}

/* For map types whose locks have no range. */
static bool name_by_info(__u32 map_id, struct lockname *name)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(map_id);
	bool ok = fd >= 0 && !bpf_map_get_info_by_fd(fd, &info, &len);

	if (fd >= 0)
		close(fd);
	if (!ok)
		return false;
	snprintf(name->map, sizeof(name->map), "%.15s", info.name);
	name->map_type = libbpf_bpf_map_type_str(info.type);
	return true;
}

static bool name_by_recall(struct locknames *ln, __u32 map_id, struct lockname *name)
{
	const struct lockname *was = ln->recall ? recall_map(ln->recall, map_id) : NULL;

	if (!was)
		return false;
	memcpy(name->map, was->map, sizeof(name->map));
	name->map_type = was->map_type;
	return true;
}

bool locknames_inside(struct locknames *ln, __u32 map_id, struct lockname *name)
{
	memset(name, 0, sizeof(*name));
	if (!map_id || !ln ||
	    (!name_by_id(&ln->ranges, map_id, name) && !name_by_info(map_id, name) &&
	     !name_by_recall(ln, map_id, name)))
		return false;
	name->map_id = map_id;
	name->internal = "unknown";
	name->index = -1;
	return true;
}

__u64 locknames_percpu(const struct locknames *ln, __u32 cpu)
{
	if (!ln->ruler || !ln->cpu_at || cpu >= ln->nr_cpus || !ln->cpu_at[cpu])
		return 0;
	return ln->cpu_at[cpu] - ln->ruler;
}

struct ksyms *locknames_ksyms(struct locknames *ln)
{
	return ln->ksyms;
}

/* "torture_res_side+8" */
static bool name_variable(struct locknames *ln, __u64 addr, struct lockname *name)
{
	const char *symbol;
	bool data;
	__u64 off;

	symbol = ln->ksyms ? ksyms_find(ln->ksyms, addr, &off, &data) : NULL;
	if (!symbol || !data)
		return false;
	snprintf(name->path, sizeof(name->path), off ? "%s+%llu" : "%s", symbol,
		 (unsigned long long)off);
	return true;
}

/* Did the map exist at that time? There is no record of when maps are created. */
static bool recall_trusts(struct locknames *ln, __u32 map_id, __u64 when_ns,
			  const struct proginfo *prog)
{
	return map_id <= ln->newest_map || (prog && proginfo_uses_map(prog, map_id)) ||
	       recall_had_map(ln->recall, map_id, when_ns);
}

/* The lock that has the address now may not be the one that had it at when_ns. */
static bool recall_accept(struct locknames *ln, __u64 addr, __u64 when_ns,
			  const struct proginfo *prog, struct lockname *name)
{
	if (recall_trusts(ln, name->map_id, when_ns, prog))
		return true;
	*name = (struct lockname){ .addr = addr, .index = -1 };
	return false;
}

static bool recall_find(struct locknames *ln, __u64 addr, __u64 when_ns, struct lockname *name)
{
	const struct lockname *was =
		ln && ln->recall ? recall_lock(ln->recall, addr, when_ns) : NULL;

	if (was)
		*name = *was;
	return was;
}

/* Addresses of user space belong to locks in arenas. */
static bool is_user(__u64 addr)
{
	return !(addr >> 63);
}

/* An arena gets its addresses when it is mapped, which may be after the map was first seen. */
static const struct range *find_mapped(struct locknames *ln, __u64 addr,
				       const struct proginfo *prog)
{
	__u64 started = now_ns();

	/* A program may write any address into its ring: that must not keep the reader busy. */
	if (started < ln->next_mapped)
		return NULL;
	ranges_refresh(ln);
	ln->next_mapped = now_ns() + LOOK_SHARE * (now_ns() - started);
	return ranges_find(&ln->ranges, addr, now_ns(), used_by, prog);
}

static bool lockname_find(struct locknames *ln, __u64 addr, __u64 when_ns,
			  const struct proginfo *prog, struct lockname *name, bool map_only)
{
	__u64 when = when_ns ? when_ns : now_ns();
	const struct range *r;

	memset(name, 0, sizeof(*name));
	name->addr = addr;
	name->index = -1;
	if (recall_find(ln, addr, when, name))
		return true;
	if (!ln || name_variable(ln, addr, name))
		return false;
	/* The memory may have been reused since the latest look. */
	if (when >= ln->before_ns)
		locknames_scan(ln);
	r = ranges_find(&ln->ranges, addr, when, used_by, prog);
	if (!r && is_user(addr))
		r = find_mapped(ln, addr, prog);
	if (!r && name_percpu(ln, addr, when, prog, name, map_only))
		return !ln->recall || recall_accept(ln, addr, when, prog, name);
	if (!r && ln->maps && !is_user(addr)) {
		scan_elements(ln);
		r = ranges_find(&ln->ranges, addr, when, used_by, prog);
	}
	if (!r)
		return false;
	name_in_range(ln, r, addr, prog, name, map_only);
	return !ln->recall || recall_accept(ln, addr, when, prog, name);
}

bool locknames_find(struct locknames *ln, __u64 addr, __u64 when_ns, const struct proginfo *prog,
		    struct lockname *name)
{
	return lockname_find(ln, addr, when_ns, prog, name, false);
}

bool locknames_find_inside(struct locknames *ln, __u64 addr, __u64 when_ns,
			   const struct proginfo *prog, __u32 map_id, struct lockname *name)
{
	struct lockname inside;

	if (!addr)
		return locknames_inside(ln, map_id, name);
	if (locknames_find(ln, addr, when_ns, prog, name))
		return true;
	if (name->path[0] || !locknames_inside(ln, map_id, &inside))
		return false;
	inside.addr = addr;
	*name = inside;
	return true;
}

bool locknames_map(struct locknames *ln, __u64 addr, __u64 when_ns, const struct proginfo *prog,
		   struct lockname *name)
{
	return lockname_find(ln, addr, when_ns, prog, name, true);
}

void lockname_text(const struct lockname *name, bool no_addr, char *buf, size_t size)
{
	const char *map = name->map[0] ? name->map : "map";

	if (!name->map_id && name->path[0])
		snprintf(buf, size, "%s", name->path);
	else if (!name->map_id && (no_addr || !name->addr))
		snprintf(buf, size, "lock?");
	else if (!name->map_id)
		snprintf(buf, size, "0x%llx", (unsigned long long)name->addr);
	else if (name->internal && !strcmp(name->internal, "unknown"))
		snprintf(buf, size, "a lock of %s %s", name->map_type ?: "map", map);
	else if (name->internal && name->index >= 0)
		snprintf(buf, size, "%s %s %s %lld", name->map_type, map, name->internal,
			 (long long)name->index);
	else if (name->internal)
		snprintf(buf, size, "%s %s %s", name->map_type, map, name->internal);
	else if (name->arena)
		snprintf(buf, size, "%s%s", name->path[0] == '+' ? map : "", name->path);
	else if (map[0] == '.' && name->path[0])
		snprintf(buf, size, "%s", name->path);
	else if (name->key[0])
		snprintf(buf, size, "%s[key %s].%s", map, name->key, name->path);
	else
		snprintf(buf, size, "%s[%lld].%s", map, (long long)name->index, name->path);
}

void lockname_text_common(const struct lockname *name, char *buf, size_t size)
{
	struct lockname any = *name;

	any.index = -1;
	if (name->map_id && !name->internal && name->map[0] != '.')
		snprintf(buf, size, "%s[].%s", name->map[0] ? name->map : "map", name->path);
	else
		lockname_text(&any, true, buf, size);
}
