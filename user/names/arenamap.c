// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/escape.h"
#include "base/grow.h"
#include "base/suggest.h"
#include "names/arenamap.h"
#include "names/proginfo.h"

#define NAME_MAX_KEPT 15 /* the kernel truncates names of maps */
#define WORD_MAX      4	 /* bytes */

static bool read_arena(__u32 id, struct arenamap *map)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id), err;

	if (fd < 0)
		return false;
	err = bpf_map_get_info_by_fd(fd, &info, &len);
	close(fd);
	map->id = id;
	memcpy(map->name, info.name, sizeof(map->name));
	return !err && info.type == ARENA_MAP_TYPE;
}

static bool is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == 0;
}

static bool is_asked(const struct arenamap *map, const char *asked)
{
	if (is_number(asked) && strtoul(asked, NULL, 10) == map->id)
		return true;
	return !strncmp(map->name, asked, NAME_MAX_KEPT) &&
	       (strlen(map->name) == NAME_MAX_KEPT || strlen(asked) <= NAME_MAX_KEPT);
}

/* Appends to a list of ids for a message; what does not fit is left out. */
static void id_add(char *ids, size_t size, __u32 id)
{
	size_t len = strlen(ids);

	if (len + 16 < size)
		snprintf(ids + len, size - len, "%s%u", len ? ", " : "", id);
}

int arenamap_find(const char *asked, struct arenamap *map, char *why, size_t size)
{
	char ids[128] = "", others[128] = "";
	struct arenamap one;
	unsigned int nr = 0;

	for (__u32 id = 0; !bpf_map_get_next_id(id, &id);) {
		if (!read_arena(id, &one))
			continue;
		if (!is_asked(&one, asked)) {
			id_add(others, sizeof(others), id);
			continue;
		}
		id_add(ids, sizeof(ids), id);
		*map = one;
		nr++;
	}
	if (errno == EPERM) {
		snprintf(why, size, "maps cannot be listed without CAP_SYS_ADMIN");
		return -EPERM;
	}
	if (nr == 1)
		return 0;
	if (nr)
		snprintf(why, size, "several arenas are named '%s': give one of the ids %s",
			 escaped(asked), ids);
	else
		snprintf(why, size, "no loaded map '%s' is an arena; ids of arenas: %s",
			 escaped(asked), *others ? others : "none");
	return nr ? -EEXIST : -ENOENT;
}

/* Programs of one object share their types: adds them once. */
static bool is_done(const struct btf *const *done, size_t nr, const struct btf *btf)
{
	for (size_t i = 0; i < nr; i++)
		if (done[i] == btf)
			return true;
	return false;
}

static int progs_scan(struct proginfos *ps, __u32 map_id, const struct arena *arena,
		      struct arena_locks *locks)
{
	const struct btf **done = NULL;
	size_t nr = 0;
	__u32 section;
	__u64 begin;
	int err = 0;

	for (const struct proginfo *p = proginfos_first(ps); p && !err; p = p->next) {
		if (!p->btf || is_done(done, nr, p->btf) || !proginfo_uses_map(p, map_id))
			continue;
		arenalocks_learn(locks, p->btf);
		if (!arenaname_variables(arena, p->btf, p->arena, &section, &begin))
			continue;
		err = arenalocks_add(locks, p->btf, section, begin) ?:
			      grow_append((void **)&done, &nr, &p->btf, sizeof(p->btf));
	}
	free(done);
	return err;
}

int arenamap_locks(__u32 map_id, const struct arena *arena, struct arena_locks *locks)
{
	struct proginfos *ps = proginfos_open();
	int err;

	if (!ps)
		return -ENOMEM;
	proginfos_scan(ps);
	err = progs_scan(ps, map_id, arena, locks);
	proginfos_close(ps);
	return err;
}

static bool is_offset(const struct arenamap *map, const char *place, __u64 *off)
{
	size_t len = strlen(map->name);
	char *end;

	if (!strncmp(place, map->name, len) && place[len] == '+')
		place += len + 1;
	if (!isdigit((unsigned char)*place))
		return false;
	errno = 0;
	*off = strtoull(place, &end, 0);
	return !*end && !errno;
}

static bool is_path(const struct arena_lock *lock, const char *place)
{
	size_t len = strlen(place);

	return *place && !strncmp(lock->path, place, len) &&
	       (!lock->path[len] || lock->path[len] == '.' || lock->path[len] == '[');
}

/* The lock at an offset has a name if a variable is there. */
static int offset_add(struct arena_locks *to, const struct arena_locks *from, __u64 off)
{
	struct arena_lock lock = { .off = off, .size = WORD_MAX, .layout = from->usual };

	snprintf(lock.path, sizeof(lock.path), "+0x%llx", (unsigned long long)off);
	for (size_t i = 0; i < from->nr; i++)
		if (from->all[i].off == off)
			lock = from->all[i];
	return grow_append((void **)&to->all, &to->nr, &lock, sizeof(lock));
}

static int path_add(struct arena_locks *to, const struct arena_locks *from, const char *place)
{
	int err = -ENOENT;

	for (size_t i = 0; i < from->nr && (!err || err == -ENOENT); i++)
		if (is_path(&from->all[i], place))
			err = grow_append((void **)&to->all, &to->nr, &from->all[i],
					  sizeof(from->all[i]));
	return err;
}

static void say_no_lock(const struct arena_locks *locks, const char *place, char *why, size_t size)
{
	struct suggest s = { .typed = place };

	for (size_t i = 0; i < locks->nr; i++)
		suggest_try(&s, locks->all[i].path);
	if (s.best)
		snprintf(why, size, "no lock of the arena is '%s'; did you mean '%s'?",
			 escaped(place), escaped(s.best));
	else
		snprintf(why, size,
			 "no lock of the arena is '%s': without --word all of them are shown, and "
			 "an offset names any word",
			 escaped(place));
}

static int place_add(const struct arenamap *map, __u64 arena_size, const char *place,
		     struct arena_locks *to, const struct arena_locks *from, char *why, size_t size)
{
	__u64 off;
	int err;

	if (!is_offset(map, place, &off)) {
		err = path_add(to, from, place);
		if (err == -ENOENT)
			say_no_lock(from, place, why, size);
		return err;
	}
	if (off < arena_size && arena_size - off >= WORD_MAX)
		return offset_add(to, from, off);
	snprintf(why, size, "'%s' is outside of the arena, which has 0x%llx bytes", escaped(place),
		 (unsigned long long)arena_size);
	return -ENOENT;
}

int arenamap_choose(const struct arenamap *map, __u64 arena_size, const char *const *places,
		    size_t nr, struct arena_locks *locks, char *why, size_t size)
{
	struct arena_locks chosen = { .usual = locks->usual, .beyond = locks->beyond };
	int err = 0;

	if (!nr)
		return 0;
	for (size_t i = 0; i < nr && !err; i++)
		err = place_add(map, arena_size, places[i], &chosen, locks, why, size);
	arenalocks_free(locks);
	*locks = chosen;
	return err;
}
