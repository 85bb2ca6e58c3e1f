/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the program and the locks of a failure. They are read at once, because program and maps
 * may be gone when a recording is shown. The functions are global, so the verifier checks each of
 * them once for a program, not at each call. They read only memory that the failing program keeps
 * alive, or that is not freed before this program ends. They take no lock, and their loops are
 * bounded.
 */
#ifndef RQSPIN_WITNESS_NAMES_BPF_H
#define RQSPIN_WITNESS_NAMES_BPF_H

#include "witness.bpf.h"
#include "mapaddr.h"

#define NAMES_PROGS   4096 /* looked at, of those that are loaded */
#define NAMES_LINES   4096 /* of one function */
#define NAMES_MAPS    64   /* of one program: as many as the kernel allows */
#define NAMES_MEMBERS 512
#define NAMES_TYPES   16 /* from a map's value to the lock */
#define NAMES_MODS    8
#define NAMES_PREFIX  26	/* "bpf_prog_", tag, "_" */
#define NAMES_SPARSE  (1U << 0) /* BPF_F_NO_PREALLOC */

/* In the kernel's list of programs: a member of a program of ours. 0: names are not sought. */
__u64 names_anchor;

/* Our own views: later and earlier kernels lack some of these. */
struct bpf_ksym___own {
	unsigned long start, end;
	char name[512];
	struct list_head lnode;
	bool prog;
} __attribute__((preserve_access_index));

struct bpf_prog_aux___own {
	struct bpf_prog_aux___own *main_prog_aux;
	struct bpf_ksym___own ksym;
	struct bpf_map **used_maps;
	struct btf *btf;
	struct bpf_line_info *linfo;
	void **jited_linfo;
	__u32 id, used_map_cnt, nr_linfo, linfo_idx;
} __attribute__((preserve_access_index));

struct htab_elem___named {
	char key[0];
} __attribute__((preserve_access_index));

struct bpf_ringbuf_map___named {
	struct bpf_ringbuf *rb;
} __attribute__((preserve_access_index));

/* NULL: nobody asks for names. */
static __always_inline struct witness_names *names_begin(struct witness_place *at)
{
	struct witness_names *n;
	__u32 key = at->key;

	if (!shape.want_names)
		return NULL;
	n = bpf_map_lookup_elem(&names, &key);
	if (!n)
		return NULL;
	__sync_lock_test_and_set(&n->seq, 0);
	n->prog_id = 0;
	n->prog[0] = 0;
	n->line = 0;
	n->file[0] = 0;
	n->map[0] = 0;
	n->nr_locks = 0;
	at->names = n;
	return n;
}

static __always_inline const struct bpf_prog_aux___own *
names_main(const struct bpf_prog_aux___own *aux)
{
	const struct bpf_prog_aux___own *main = NULL;

	if (bpf_core_field_exists(aux->main_prog_aux))
		main = BPF_CORE_READ(aux, main_prog_aux);
	return main ? main : aux;
}

/* The first frame that is in this code. */
static __noinline __u32 names_frame(const __u64 *stack, __s64 len, __u64 start, __u64 end)
{
	__u32 i;

	if (!stack)
		return WITNESS_FRAMES;
	bpf_for(i, 0, WITNESS_FRAMES) {
		__u64 at = stack[i] - 1;

		if ((__s64)(i * sizeof(stack[0])) >= len)
			break;
		if (at >= start && at < end)
			return i;
	}
	return WITNESS_FRAMES;
}

/* The innermost program is the tracer's own; the next one is the interrupted program. */
static __noinline __u64 names_caller(const __u64 *stack, __s64 len, __u32 *frame)
{
	__u64 node = names_anchor, own_at = 0, at = 0;
	__u32 own = WITNESS_FRAMES, caller = WITNESS_FRAMES, i;

	if (!stack || !frame || !node)
		return 0;
	bpf_for(i, 0, NAMES_PROGS) {
		const struct bpf_ksym___own *ks =
			(void *)(node - bpf_core_field_offset(struct bpf_ksym___own, lnode));
		__u32 nth =
			names_frame(stack, len, BPF_CORE_READ(ks, start), BPF_CORE_READ(ks, end));

		if (nth < WITNESS_FRAMES && BPF_CORE_READ(ks, prog)) {
			if (nth < own) {
				caller = own;
				at = own_at;
				own = nth;
				own_at = (__u64)ks;
			} else if (nth < caller) {
				caller = nth;
				at = (__u64)ks;
			}
		}
		node = (__u64)BPF_CORE_READ(ks, lnode.next);
		if (!node || node == names_anchor)
			break;
	}
	*frame = caller;
	return at ? at - bpf_core_field_offset(struct bpf_prog_aux___own, ksym) : 0;
}

static __always_inline void names_file(struct witness_names *n,
				       const struct bpf_prog_aux___own *aux,
				       const struct bpf_line_info *line)
{
	const char *strings = BPF_CORE_READ(aux, btf, strings);

	n->line = BPF_CORE_READ(line, line_col) >> 10;
	bpf_probe_read_kernel_str(n->file, sizeof(n->file),
				  strings + BPF_CORE_READ(line, file_name_off));
}

/* Lines of one function are in the order of their code. */
__noinline int names_line(struct witness_names *n, __u64 of, __u64 ip)
{
	const struct bpf_prog_aux___own *aux = (void *)of;
	__u64 start, end, jited;
	__u32 first, nr, found = 0, i;

	if (!n || !aux)
		return 0;
	start = BPF_CORE_READ(aux, ksym.start);
	end = BPF_CORE_READ(aux, ksym.end);
	jited = (__u64)BPF_CORE_READ(aux, jited_linfo);
	first = BPF_CORE_READ(aux, linfo_idx);
	nr = BPF_CORE_READ(aux, nr_linfo);
	if (!jited)
		return 0;
	bpf_for(i, 0, NAMES_LINES) {
		__u64 at = 0;

		if (first + i >= nr ||
		    bpf_probe_read_kernel(&at, sizeof(at), (void *)(jited + (first + i) * 8ULL)) ||
		    at < start || at >= end || at >= ip)
			break;
		found = first + i + 1;
	}
	if (found)
		names_file(n, aux, BPF_CORE_READ(aux, linfo) + (found - 1));
	return 0;
}

__noinline int names_prog(struct witness_names *n, __u64 of)
{
	const struct bpf_prog_aux___own *aux = (void *)of, *main;
	const char *name;

	if (!n || !aux)
		return 0;
	main = names_main(aux);
	name = (void *)main + bpf_core_field_offset(struct bpf_prog_aux___own, ksym) +
	       bpf_core_field_offset(struct bpf_ksym___own, name);
	n->prog_id = BPF_CORE_READ(main, id);
	n->start = BPF_CORE_READ(aux, ksym.start);
	n->end = BPF_CORE_READ(aux, ksym.end);
	bpf_probe_read_kernel_str(n->prog, sizeof(n->prog), name + NAMES_PREFIX);
	return 0;
}

/* What a type consists of, as it is in BTF. */
struct names_type {
	__u64 at; /* 0: there is none */
	__u32 kind, vlen, name_off, size;
};

__noinline int names_type(struct names_type *t, __u64 btf, __u32 id)
{
	const struct btf *b = (void *)btf;
	const struct btf_type *type = NULL;
	__u32 info, i;

	if (!t)
		return 0;
	t->at = 0;
	/* Skips modifiers, and the variable that has the type. */
	bpf_for(i, 0, NAMES_MODS) {
		bpf_probe_read_kernel(&type, sizeof(type), BPF_CORE_READ(b, types) + id);
		if (!type)
			return 0;
		info = BPF_CORE_READ(type, info);
		t->kind = info >> 24 & 0x1f;
		t->vlen = info & 0xffff;
		t->size = BPF_CORE_READ(type, size);
		if (t->kind != BTF_KIND_TYPEDEF && t->kind != BTF_KIND_CONST &&
		    t->kind != BTF_KIND_VOLATILE && t->kind != BTF_KIND_RESTRICT &&
		    t->kind != BTF_KIND_TYPE_TAG && t->kind != BTF_KIND_VAR)
			break;
		id = t->size;
	}
	t->name_off = BPF_CORE_READ(type, name_off);
	t->at = (__u64)type;
	return 0;
}

/* A member of a struct, or a variable of a section. */
struct names_member {
	__u32 name_off, type, at;
	bool found;
};

__noinline int names_member(struct names_member *m, const struct names_type *t, __u64 btf,
			    __u32 off)
{
	__u32 i;

	if (!m || !t)
		return 0;
	m->found = false;
	bpf_for(i, 0, NAMES_MEMBERS) {
		__u32 entry[3] = {}, at, var;

		if (i >= t->vlen ||
		    bpf_probe_read_kernel(entry, sizeof(entry),
					  (void *)(t->at + sizeof(struct btf_type) + i * 12ULL)))
			break;
		/* {type, offset, size} or {name_off, type, offset in bits} */
		var = t->kind == BTF_KIND_DATASEC;
		at = var ? entry[1] : (entry[2] & 0xffffff) / 8;
		if (at > off || (m->found && at < m->at))
			continue;
		m->found = true;
		m->at = at;
		m->type = var ? entry[0] : entry[1];
		m->name_off = var ? 0 : entry[0];
	}
	if (m->found && t->kind == BTF_KIND_DATASEC) {
		const struct btf *b = (void *)btf;
		const struct btf_type *type = NULL;

		bpf_probe_read_kernel(&type, sizeof(type), BPF_CORE_READ(b, types) + m->type);
		m->name_off = BPF_CORE_READ(type, name_off);
	}
	return 0;
}

/* Which element of an array, and the type of that. */
static __always_inline __u32 names_element(struct witness_lock *l, __u64 btf,
					   const struct names_type *t, __u32 *off)
{
	struct names_type elem = {};
	__u32 id = 0, last;

	bpf_probe_read_kernel(&id, sizeof(id), (void *)(t->at + sizeof(struct btf_type)));
	names_type(&elem, btf, id);
	if (!elem.at || !elem.size || !l->nr_steps ||
	    (elem.kind != BTF_KIND_STRUCT && elem.kind != BTF_KIND_UNION))
		return 0;
	last = (l->nr_steps - 1) & (WITNESS_STEPS - 1);
	l->steps[last].index = *off / elem.size;
	*off %= elem.size;
	return id;
}

static __always_inline bool names_is_lock(const char *name)
{
	static const char lock[] = "bpf_res_spin_lock";
	char text[sizeof(lock)] = {};

	bpf_probe_read_kernel_str(text, sizeof(text), name);
	return !bpf_strncmp(text, sizeof(lock), lock);
}

/* From the map's value to the lock, by the names of its author. */
__noinline int names_path(struct witness_lock *l, __u64 btf, __u32 id)
{
	const struct btf *b = (void *)btf;
	struct names_member m = {};
	struct names_type t = {};
	const char *strings;
	__u32 i;

	if (!l || !btf || !id)
		return 0;
	strings = BPF_CORE_READ(b, strings);
	bpf_for(i, 0, NAMES_TYPES) {
		names_type(&t, btf, id);
		if (!t.at)
			return 0;
		if (t.kind == BTF_KIND_ARRAY) {
			id = names_element(l, btf, &t, &l->rest);
			if (!id)
				return 0;
			continue;
		}
		if (t.kind == BTF_KIND_STRUCT && names_is_lock(strings + t.name_off)) {
			l->whole = 1;
			return 0;
		}
		if (t.kind != BTF_KIND_STRUCT && t.kind != BTF_KIND_UNION &&
		    t.kind != BTF_KIND_DATASEC)
			return 0;
		names_member(&m, &t, btf, l->rest);
		if (!m.found || l->nr_steps >= WITNESS_STEPS)
			return 0;
		l->rest -= m.at;
		id = m.type;
		if (!m.name_off)
			continue;
		bpf_probe_read_kernel_str(l->steps[l->nr_steps & (WITNESS_STEPS - 1)].name,
					  WITNESS_STEP, strings + m.name_off);
		l->steps[l->nr_steps & (WITNESS_STEPS - 1)].index = -1;
		l->nr_steps++;
	}
	return 0;
}

/* Is the lock in this part of the map? */
static __always_inline bool names_part(struct witness_lock *l, __u32 part, __u64 base, __u64 size,
				       __u64 stride)
{
	__u64 off = l->addr - base;

	if (!base || off >= size)
		return false;
	l->part = part;
	l->index = stride ? off / stride : 0;
	l->rest = stride ? off % stride : off;
	return true;
}

static __always_inline void names_value(struct witness_lock *l, const struct bpf_map *map)
{
	names_path(l, (__u64)BPF_CORE_READ(map, btf), BPF_CORE_READ(map, btf_value_type_id));
}

static __always_inline bool names_in_array(struct witness_lock *l, const struct bpf_map *map)
{
	const struct bpf_array *array = (void *)map;
	__u32 stride = BPF_CORE_READ(array, elem_size);

	if (!names_part(l, MAPADDR_VALUES,
			(__u64)array + bpf_core_field_offset(struct bpf_array, value),
			(__u64)stride * BPF_CORE_READ(map, max_entries), stride))
		return false;
	names_value(l, map);
	return true;
}

static __always_inline void names_element_of(struct witness_lock *l, const struct bpf_map *map,
					     __u64 elems, __u32 stride)
{
	__u32 key_off = bpf_core_field_offset(struct htab_elem___named, key), key_size;

	key_size = BPF_CORE_READ(map, key_size);
	l->key_size = key_size;
	bpf_probe_read_kernel(l->key, sizeof(l->key),
			      (void *)(elems + l->index * stride + key_off));
	l->rest -= key_off + ((key_size + 7) & ~7U);
	names_value(l, map);
}

static __always_inline bool names_in_hash(struct witness_lock *l, const struct bpf_map *map)
{
	const struct bpf_htab *htab = (void *)map;
	__u32 bucket = bpf_core_type_size(struct bucket), stride = BPF_CORE_READ(htab, elem_size);
	__u32 spare = l->map_type == BPF_MAP_TYPE_HASH ? nr_cpus : 0;
	__u64 elems;

	if (names_part(l, MAPADDR_BUCKETS, (__u64)BPF_CORE_READ(htab, buckets),
		       (__u64)bucket * BPF_CORE_READ(htab, n_buckets), bucket) ||
	    names_part(l, MAPADDR_SELF, (__u64)htab, bpf_core_type_size(struct bpf_htab), 0))
		return true;
	if (BPF_CORE_READ(map, map_flags) & NAMES_SPARSE)
		return false;
	elems = (__u64)BPF_CORE_READ(htab, elems);
	/* A plain hash has one spare element per CPU, which change places with those in use. */
	if (!names_part(l, MAPADDR_ELEMS, elems,
			(__u64)stride * (BPF_CORE_READ(map, max_entries) + spare), stride))
		return false;
	names_element_of(l, map, elems, stride);
	return true;
}

static __always_inline bool names_in_ringbuf(struct witness_lock *l, const struct bpf_map *map)
{
	const struct bpf_ringbuf_map___named *ring = (void *)map;

	return names_part(l, MAPADDR_RINGBUF, (__u64)BPF_CORE_READ(ring, rb),
			  bpf_core_type_size(struct bpf_ringbuf), 0);
}

static __always_inline bool names_in_self(struct witness_lock *l, const struct bpf_map *map,
					  __u32 size)
{
	return names_part(l, MAPADDR_SELF, (__u64)map, size, 0);
}

__noinline int names_in_map(struct witness_lock *l, __u64 of)
{
	const struct bpf_map *map = (void *)of;

	if (!l || !map)
		return false;
	l->nr_steps = 0;
	l->whole = 0;
	l->key_size = 0;
	l->map_type = BPF_CORE_READ(map, map_type);
	l->map_id = BPF_CORE_READ(map, id);
	switch (l->map_type) {
	case BPF_MAP_TYPE_ARRAY:
		return names_in_array(l, map);
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		return names_in_hash(l, map);
	case BPF_MAP_TYPE_LPM_TRIE:
		return names_in_self(l, map, bpf_core_type_size(struct lpm_trie));
	case BPF_MAP_TYPE_QUEUE:
	case BPF_MAP_TYPE_STACK:
		return names_in_self(l, map, bpf_core_type_size(struct bpf_queue_stack));
	case BPF_MAP_TYPE_RINGBUF:
	case BPF_MAP_TYPE_USER_RINGBUF:
		return names_in_ringbuf(l, map);
	}
	return false;
}

/* Among the maps of the program: it keeps them. */
__noinline int names_lock(struct witness_names *n, __u64 of, __u64 addr)
{
	const struct bpf_prog_aux___own *aux = (void *)of;
	struct bpf_map **maps;
	struct witness_lock *l;
	__u32 nr, i;

	if (!n || !aux || !addr || n->nr_locks >= WITNESS_NAMED)
		return 0;
	aux = names_main(aux);
	maps = BPF_CORE_READ(aux, used_maps);
	nr = BPF_CORE_READ(aux, used_map_cnt);
	l = &n->locks[n->nr_locks & (WITNESS_NAMED - 1)];
	l->addr = addr;
	bpf_for(i, 0, NAMES_MAPS) {
		struct bpf_map *map = NULL;

		if (i >= nr || bpf_probe_read_kernel(&map, sizeof(map), maps + i))
			break;
		if (!names_in_map(l, (__u64)map))
			continue;
		bpf_probe_read_kernel(l->map, sizeof(l->map), (void *)map->name);
		n->nr_locks++;
		break;
	}
	return 0;
}

static __always_inline void names_map(struct witness_names *n, const struct bpf_map *map)
{
	if (!n)
		return;
	n->map_type = BPF_CORE_READ(map, map_type);
	BPF_CORE_READ_STR_INTO(&n->map, map, name);
}

/* This CPU's locks, and those that other CPUs are known to wait for. */
static __always_inline void names_record(struct witness_names *n, __u64 aux,
					 const struct witness *w)
{
	__u32 i;

	if (!n || !aux)
		return;
	names_prog(n, aux);
	names_lock(n, aux, w->lock);
	if (w->kind != WITNESS_FAILURE && w->nr_own == WITNESS_NO_TABLE)
		return;
	bpf_for(i, 0, WITNESS_NEWEST) {
		if (w->locks[i] != w->lock)
			names_lock(n, aux, w->locks[i]);
	}
}

/* For failures whose program is known only by the stack. */
static __always_inline void names_by_stack(struct witness_names *n, const struct witness_told *w)
{
	__u32 frame = WITNESS_FRAMES;
	__u64 aux;

	if (!n)
		return;
	aux = names_caller(w->stack, w->stack_len, &frame);
	if (!aux)
		return;
	names_record(n, aux, &w->w);
	if (frame < WITNESS_FRAMES)
		names_line(n, aux, w->stack[frame]);
}

#endif
