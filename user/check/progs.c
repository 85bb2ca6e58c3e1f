// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/grow.h"
#include "check/progs.h"
#include "names/btfcache.h"
#include "names/locktype.h"

/* User space may still write a map that is read-only for programs, until the map is frozen. */
static bool is_frozen(int fd)
{
	char path[64], line[128];
	unsigned int frozen = 0;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = fopen(path, "re");
	while (info && fgets(line, sizeof(line), info))
		if (sscanf(line, "frozen: %u", &frozen) == 1)
			break;
	if (info)
		fclose(info);
	return frozen;
}

static void read_fixed(struct check_map *m, int fd, __u32 flags)
{
	__u32 zero = 0;

	if (!(flags & BPF_F_RDONLY_PROG) || m->type != BPF_MAP_TYPE_ARRAY || m->max_entries != 1 ||
	    !is_frozen(fd))
		return;
	m->fixed = malloc(m->value_size);
	if (m->fixed && bpf_map_lookup_elem(fd, &zero, m->fixed)) {
		free(m->fixed);
		m->fixed = NULL;
	}
}

static int read_map(struct check_map *m, __u32 id)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);

	if (fd < 0)
		return -errno;
	if (bpf_map_get_info_by_fd(fd, &info, &len)) {
		close(fd);
		return -errno;
	}
	*m = (struct check_map){ .id = id,
				 .type = info.type,
				 .flags = info.map_flags,
				 .key_size = info.key_size,
				 .value_size = info.value_size,
				 .max_entries = info.max_entries };
	m->name = strndup(info.name, sizeof(info.name));
	m->locks = locktype_read(id);
	if (m->type == ARENA_MAP_TYPE)
		arenaname_find(id, &m->arena);
	read_fixed(m, fd, info.map_flags);
	close(fd);
	return m->name ? 0 : -ENOMEM;
}

int check_add_map(struct check_set *set, __u32 id)
{
	struct check_map *maps;
	int err;

	for (size_t i = 0; i < set->nr_maps; i++)
		if (set->maps[i].id == id)
			return i;
	/* A struct val has 16 bits for the number of a map. */
	if (set->nr_maps > UINT16_MAX)
		return -E2BIG;
	maps = realloc(set->maps, (set->nr_maps + 1) * sizeof(*maps));
	if (!maps)
		return -ENOMEM;
	set->maps = maps;
	err = read_map(&maps[set->nr_maps], id);
	return err ?: (int)set->nr_maps++;
}

/* Id of the map that is pinned there, or 0: the object would use that map. */
static __u32 pinned_id(const char *path)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_obj_get(path);

	if (fd < 0)
		return 0;
	if (bpf_map_get_info_by_fd(fd, &info, &len))
		info.id = 0;
	close(fd);
	return info.id;
}

void check_own_map(struct check_set *set, __u32 id, const char *object)
{
	int nr = check_add_map(set, check_real_map(set, id));

	if (nr >= 0 && !set->maps[nr].object)
		set->maps[nr].object = strdup(object);
}

int check_alias_map(struct check_set *set, __u32 id, __u32 of)
{
	struct check_alias alias = { .id = id, .of = check_real_map(set, of) };

	return id == of ?
		       0 :
		       grow_append((void **)&set->aliases, &set->nr_aliases, &alias, sizeof(alias));
}

__u32 check_real_map(const struct check_set *set, __u32 id)
{
	for (size_t i = set->nr_aliases; i > 0; i--)
		if (set->aliases[i - 1].id == id)
			return set->aliases[i - 1].of;
	return id;
}

void check_fix_map(struct check_set *set, __u32 id, void *fixed, unsigned char *known)
{
	int nr = check_add_map(set, check_real_map(set, id));

	if (nr < 0 || !fixed) {
		free(fixed);
		free(known);
		return;
	}
	free(set->maps[nr].fixed);
	free(set->maps[nr].known);
	set->maps[nr].fixed = fixed;
	set->maps[nr].known = known;
}

int check_assume(struct check_set *set, const char *kind, const char *object, const char *prog,
		 const char *text, const char *fix)
{
	struct check_assumed one = { .kind = kind,
				     .fix = fix,
				     .object = strdup(object),
				     .prog = prog ? strdup(prog) : NULL,
				     .text = strdup(text) };

	return grow_append((void **)&set->assumed, &set->nr_assumed, &one, sizeof(one));
}

static bool same_shape(const struct check_map *a, const struct check_map *b)
{
	return a->type == b->type && a->key_size == b->key_size && a->value_size == b->value_size;
}

/* Id of a map like number @nr that is pinned at the path, or will be; else the id of @nr itself. */
static __u32 shared_id(struct check_set *set, int nr, const char *shared)
{
	__u32 id = set->maps[nr].id, pinned = pinned_id(shared);
	int other = pinned ? check_add_map(set, pinned) : -1;

	if (other >= 0 && same_shape(&set->maps[other], &set->maps[nr]))
		return pinned;
	for (size_t i = 0; i < set->nr_maps; i++)
		if (set->maps[i].shared && !strcmp(set->maps[i].shared, shared) &&
		    same_shape(&set->maps[i], &set->maps[nr]))
			return set->maps[i].id;
	return id;
}

static void set_once(char **text, const char *to)
{
	if (to && !*text)
		*text = strdup(to);
}

void check_name_map(struct check_set *set, __u32 id, const char *name, const char *shared,
		    const char *sized)
{
	int nr = check_add_map(set, id);
	__u32 real = nr >= 0 && shared ? shared_id(set, nr, shared) : id;
	char *copy = nr >= 0 ? strdup(name) : NULL;

	if (!copy)
		return;
	if (real != id && !check_alias_map(set, id, real))
		nr = check_add_map(set, real);
	free(set->maps[nr].name);
	set->maps[nr].name = copy;
	set_once(&set->maps[nr].sized, sized);
	set_once(&set->maps[nr].shared, shared);
	if (shared)
		set->maps[nr].pinned = pinned_id(shared);
}

bool check_same_map(const struct check_map *a, const struct check_map *b)
{
	return a->id == b->id || (a->alike && a->alike == b->alike) || a->pinned == b->id ||
	       b->pinned == a->id || (a->shared && b->shared && !strcmp(a->shared, b->shared));
}

/* The second query: @head, from the first one, has the sizes. */
static int read_arrays(struct check_prog *p, int fd, const struct bpf_prog_info *head)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	p->insns = calloc(1, head->xlated_prog_len + 1);
	p->lines = calloc(head->nr_line_info + 1, sizeof(*p->lines));
	p->funcs = calloc(head->nr_func_info + 1, sizeof(*p->funcs));
	if (!p->insns || !p->lines || !p->funcs)
		return -ENOMEM;
	info.xlated_prog_len = head->xlated_prog_len;
	info.xlated_prog_insns = (uintptr_t)p->insns;
	info.nr_line_info = head->nr_line_info;
	info.line_info_rec_size = sizeof(*p->lines);
	info.line_info = (uintptr_t)p->lines;
	info.nr_func_info = head->nr_func_info;
	info.func_info_rec_size = sizeof(*p->funcs);
	info.func_info = (uintptr_t)p->funcs;
	if (bpf_prog_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (!info.xlated_prog_insns || !info.xlated_prog_len)
		p->unreadable = "the kernel does not show its instructions";
	else
		p->nr_insns = info.xlated_prog_len / sizeof(*p->insns);
	p->nr_lines = info.line_info ? head->nr_line_info : 0;
	p->nr_funcs = info.func_info ? head->nr_func_info : 0;
	return 0;
}

static const char *func_name(const struct check_prog *p, __u32 nr)
{
	const struct btf_type *t;

	t = p->btf && nr < p->nr_funcs ? btf__type_by_id(p->btf, p->funcs[nr].type_id) : NULL;
	return t ? btf__name_by_offset(p->btf, t->name_off) : NULL;
}

static int set_names(struct check_prog *p, const struct bpf_prog_info *info, const char *object,
		     const char *section)
{
	const char *name = func_name(p, 0);

	p->name = name ? strdup(name) : strndup(info->name, sizeof(info->name));
	p->object = object ? strdup(object) : NULL;
	p->section = strdup(section ?: "");
	return p->name && p->section && (p->object || !object) ? 0 : -ENOMEM;
}

static void prog_free(struct check_prog *p)
{
	free(p->name);
	free(p->object);
	free(p->section);
	free(p->insns);
	free(p->lines);
	free(p->funcs);
	btfcache_put(p->btf);
}

/* "btf_trace_irq_handler_entry" is the name of a tracepoint's type. */
static void set_attach(struct check_prog *p, const struct bpf_prog_info *info)
{
	struct btf *btf = btfcache_get(info->attach_btf_obj_id);
	const struct btf_type *t = btf ? btf__type_by_id(btf, info->attach_btf_id) : NULL;
	const char *name = t ? btf__name_by_offset(btf, t->name_off) : "";

	if (!strncmp(name, "btf_trace_", strlen("btf_trace_")))
		name += strlen("btf_trace_");
	snprintf(p->attach, sizeof(p->attach), "%s", name);
	btfcache_put(btf);
}

static int read_prog(struct check_prog *p, int fd, const char *object, const char *section)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err;

	memset(p, 0, sizeof(*p));
	if (bpf_prog_get_info_by_fd(fd, &info, &len))
		return -errno;
	p->id = info.id;
	p->type = info.type;
	p->btf = info.btf_id ? btfcache_get(info.btf_id) : NULL;
	err = read_arrays(p, fd, &info);
	if (!info.attach_btf_obj_id || !info.attach_btf_id)
		return err ?: set_names(p, &info, object, section);
	set_attach(p, &info);
	return err ?: set_names(p, &info, object, section);
}

/* Locks in a map that cannot be read are not known, which is counted and reported. */
static int add_maps(struct check_set *set, struct check_prog *p)
{
	for (__u32 i = 0; i + 1 < p->nr_insns; i++) {
		const struct bpf_insn *insn = &p->insns[i];
		int nr = 0;

		if (insn->code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		i++;
		if (insn->src_reg != BPF_PSEUDO_MAP_FD && insn->src_reg != BPF_PSEUDO_MAP_VALUE)
			continue;
		p->insns[i - 1].imm = check_real_map(set, insn->imm);
		nr = check_add_map(set, insn->imm);
		if (nr == -ENOMEM)
			return nr;
		if (nr < 0) {
			p->unread_maps++;
			p->map_error = -nr;
		}
	}
	return 0;
}

int check_add_prog(struct check_set *set, int fd, const char *object, const char *section)
{
	struct check_prog *progs = realloc(set->progs, (set->nr_progs + 1) * sizeof(*progs));
	int err;

	if (!progs)
		return -ENOMEM;
	set->progs = progs;
	err = read_prog(&progs[set->nr_progs], fd, object, section);
	if (!err)
		err = add_maps(set, &progs[set->nr_progs]);
	if (err)
		prog_free(&progs[set->nr_progs]);
	else
		set->nr_progs++;
	return err;
}

void check_free(struct check_set *set)
{
	for (size_t i = 0; i < set->nr_progs; i++)
		prog_free(&set->progs[i]);
	for (size_t i = 0; i < set->nr_maps; i++) {
		free(set->maps[i].name);
		free(set->maps[i].shared);
		free(set->maps[i].sized);
		free(set->maps[i].fixed);
		free(set->maps[i].known);
		free(set->maps[i].object);
		locktype_free(set->maps[i].locks);
	}
	for (size_t i = 0; i < set->nr_assumed; i++) {
		free(set->assumed[i].object);
		free(set->assumed[i].prog);
		free(set->assumed[i].text);
	}
	free(set->progs);
	free(set->maps);
	free(set->aliases);
	free(set->assumed);
	memset(set, 0, sizeof(*set));
}

static const char *line_text(const struct check_prog *prog, __u32 off)
{
	const char *s = btf__name_by_offset(prog->btf, off);

	while (s && (*s == ' ' || *s == '\t'))
		s++;
	return s && *s ? s : NULL;
}

void check_line(const struct check_prog *prog, __u32 pc, struct check_line *line)
{
	const struct bpf_line_info *found = NULL;

	memset(line, 0, sizeof(*line));
	for (__u32 i = 0; prog->btf && i < prog->nr_lines; i++) {
		const struct bpf_line_info *l = &prog->lines[i];

		if (l->insn_off > pc)
			break;
		if (BPF_LINE_INFO_LINE_NUM(l->line_col))
			found = l;
	}
	if (!found)
		return;
	line->file = line_text(prog, found->file_name_off);
	line->text = line_text(prog, found->line_off);
	line->line = BPF_LINE_INFO_LINE_NUM(found->line_col);
	line->column = BPF_LINE_INFO_LINE_COL(found->line_col);
}

const char *check_function(const struct check_prog *prog, __u32 pc)
{
	const char *name = NULL;

	for (__u32 i = 0; i < prog->nr_funcs && prog->funcs[i].insn_off <= pc; i++)
		name = func_name(prog, i);
	return name;
}
