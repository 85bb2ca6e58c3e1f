// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "check/arena.h"
#include "check/live.h"
#include "check/take.h"
#include "names/arenaname.h"

#define PROBE_ATOMIC 0xe0 /* BPF_ATOMIC on an arena, as the verifier rewrites it */
#define LOAD_ACQUIRE 0x100

static bool is_arena_atomic(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) == PROBE_ATOMIC;
}

/* To take a lock, a program sets a word and gets its old value. */
static bool is_exchange(const struct bpf_insn *insn)
{
	return is_arena_atomic(insn) && (insn->imm == BPF_CMPXCHG || insn->imm == BPF_XCHG ||
					 insn->imm == (BPF_OR | BPF_FETCH));
}

static bool text_ends(const char *s, const char *with)
{
	size_t len = strlen(s), n = strlen(with);

	return len >= n && !strcmp(s + len - n, with);
}

/* A lock function is recognized by the end of its name. */
static const struct {
	const char *end;
	enum arena_act act;
} acts[] = {
	{ "unlock", ARENA_UNLOCK },	{ "unlock_irqrestore", ARENA_UNLOCK },
	{ "trylock", ARENA_TRYLOCK },	{ "lock", ARENA_LOCK },
	{ "lock_irqsave", ARENA_LOCK }, { "lock_slowpath", ARENA_LOCK },
};

/* "spin_lock" and "spinlock" end in the word "lock"; "block" and "clock" do not. */
static bool text_ends_word(const char *s, const char *with)
{
	size_t before = strlen(s) - strlen(with);

	if (!text_ends(s, with))
		return false;
	return !before || s[before - 1] == '_' ||
	       (before >= 4 && !strncmp(s + before - 4, "spin", 4));
}

static enum arena_act act_by_name(const char *name)
{
	if (!name || !strstr(name, "arena"))
		return ARENA_NONE;
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (text_ends_word(name, acts[i].end))
			return acts[i].act;
	return ARENA_NONE;
}

static const char *callee_name(const struct check_prog *p, __u32 pc, __u32 *callee)
{
	const struct bpf_insn *insn = &p->insns[pc];

	*callee = ~0U;
	if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL)
		*callee = live_callee(p, pc);
	return *callee == ~0U ? NULL : check_function(p, *callee);
}

static __u32 function_end(const struct check_prog *p, __u32 begin)
{
	__u32 end = p->nr_insns;

	for (__u32 i = 0; i < p->nr_funcs; i++)
		if (p->funcs[i].insn_off > begin && p->funcs[i].insn_off < end)
			end = p->funcs[i].insn_off;
	return end;
}

/*
 * Does the function, or one that it calls, exchange words in an arena? Without an exchange a
 * function with such a name takes no lock.
 */
static bool arena_exchanges(const struct check_prog *p, __u32 begin, unsigned int depth)
{
	__u32 end = function_end(p, begin), callee;

	for (__u32 pc = begin; pc < end; pc++) {
		if (is_exchange(&p->insns[pc]))
			return true;
		if (depth && callee_name(p, pc, &callee) && arena_exchanges(p, callee, depth - 1))
			return true;
		if (p->insns[pc].code == (BPF_LD | BPF_IMM | BPF_DW))
			pc++;
	}
	return false;
}

enum arena_act arena_call(const struct check_prog *prog, __u32 pc)
{
	__u32 callee;
	enum arena_act act = act_by_name(callee_name(prog, pc, &callee));

	if ((act == ARENA_LOCK || act == ARENA_TRYLOCK) && !arena_exchanges(prog, callee, 2))
		return ARENA_NONE;
	return act;
}

/* The file name is all that is left of an inlined lock function: "bpf_arena_spin_lock.h"; or NULL.
 */
static const char *lock_file(const struct check_prog *p, __u32 pc)
{
	struct check_line line;
	const char *base;

	check_line(p, pc, &line);
	if (!line.file)
		return NULL;
	base = strrchr(line.file, '/') ?: line.file;
	return strstr(base, "arena") && strstr(base, "lock") && text_ends(base, ".h") ? line.file :
											NULL;
}

static bool is_number(const struct val *v, __u64 number)
{
	return v->kind == VAL_NUMBER && v->number == number;
}

bool arena_try(const struct check_prog *prog, const struct state *st)
{
	const struct bpf_insn *insn = &prog->insns[st->pc];

	return is_arena_atomic(insn) && insn->imm == BPF_CMPXCHG &&
	       is_number(state_reg(st, BPF_REG_0), 0) &&
	       !is_number(state_reg(st, insn->src_reg), 0) && lock_file(prog, st->pc);
}

bool arena_writes(const struct check_prog *prog, const struct state *st)
{
	const struct bpf_insn *insn = &prog->insns[st->pc];

	if (prog->arena < 0 || !st->nr_held)
		return false;
	/* The kernel shows plain stores to an arena like stores to other memory. */
	return BPF_CLASS(insn->code) == BPF_ST ||
	       (BPF_CLASS(insn->code) == BPF_STX && insn->imm != LOAD_ACQUIRE);
}

struct val arena_pointer(const struct stepper *s, const struct val *v, int off)
{
	struct val ptr = { .kind = VAL_ARENA, .where = ARENA_ANY };
	const struct check_map *m = s->prog->arena < 0 ? NULL : &s->set->maps[s->prog->arena];
	__u64 at;

	if (v->kind == VAL_NUMBER && m && arenaname_offset(&m->arena, v->number + off, &at)) {
		ptr.where = s->prog->arena;
		ptr.off = at;
		ptr.sym = sym_number(s->syms, 0);
	} else if (v->kind == VAL_SYM) {
		/* The kernel uses only the lower half of an address, as programs sometimes do. */
		at = off;
		ptr.sym = sym_low32(s->syms, sym_base(s->syms, v->sym, &at));
		ptr.off = (__u32)at;
	}
	return ptr;
}

#define KEPT	 1
#define RELEASED 2

void arena_drop(struct state *st, __u8 *seen)
{
	unsigned int nr = st->nr_held, i = 0;
	struct held before[STATE_HELD];

	memcpy(before, st->held, nr * sizeof(before[0]));
	if (!take_release(st))
		return;
	while (i < st->nr_held && before[i].pc == st->held[i].pc)
		i++;
	seen[before[i].pc] |= RELEASED;
}

void arena_end(const struct state *st, __u8 *seen)
{
	for (unsigned int i = 0; i < st->nr_held; i++)
		if (st->held[i].lock.kind == VAL_ARENA)
			seen[st->held[i].pc] |= KEPT;
}

/*
 * Count the instructions whose lock is kept on some path and released on none. Paths that cannot
 * happen may keep a lock, too: the verifier does not track these locks, so it rules out no path.
 */
unsigned long arena_kept(const struct check_prog *prog, const __u8 *seen)
{
	unsigned long nr = 0;

	for (__u32 pc = 0; pc < prog->nr_insns; pc++)
		nr += seen[pc] == KEPT;
	return nr;
}

bool arena_held(const struct state *st, const struct val *ptr)
{
	const struct lockid id = { VAL_ARENA, ptr->where, ptr->off, ptr->sym };

	for (unsigned int i = 0; i < st->nr_held; i++)
		if (lockid_same(&st->held[i].lock, &id))
			return true;
	return false;
}

static bool uses_arena(const struct check_prog *p)
{
	for (__u32 pc = 0; pc < p->nr_insns; pc++) {
		if (is_exchange(&p->insns[pc]))
			return true;
		if (p->insns[pc].code == (BPF_LD | BPF_IMM | BPF_DW))
			pc++;
	}
	return false;
}

/*
 * A program has at most one arena. Arena addresses are plain numbers, so the instructions need not
 * refer to the map.
 */
static int arena_of(struct check_set *set, const __u32 *ids, __u32 nr)
{
	for (__u32 i = 0; i < nr; i++) {
		int map = check_add_map(set, check_real_map(set, ids[i]));

		if (map == -ENOMEM || (map >= 0 && set->maps[map].type == ARENA_MAP_TYPE))
			return map;
	}
	return -ENOENT;
}

int arena_add(struct check_set *set, int fd)
{
	struct check_prog *prog = &set->progs[set->nr_progs - 1];
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info), nr, *ids;
	int map = -ENOENT;

	prog->arena = -1;
	if (!uses_arena(prog) || bpf_prog_get_info_by_fd(fd, &info, &len))
		return 0;
	nr = info.nr_map_ids;
	ids = calloc(nr + 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	memset(&info, 0, sizeof(info));
	info.nr_map_ids = nr;
	info.map_ids = (uintptr_t)ids;
	if (!bpf_prog_get_info_by_fd(fd, &info, &len))
		map = arena_of(set, ids, info.nr_map_ids < nr ? info.nr_map_ids : nr);
	free(ids);
	if (map >= 0)
		prog->arena = map;
	return map == -ENOMEM ? map : 0;
}

/* Exchanges in lock functions do not count: calls of these are followed as lock operations. */
static bool in_lock_function(const struct check_prog *p, __u32 pc)
{
	return act_by_name(check_function(p, pc)) != ARENA_NONE;
}

/* Is this the inlined first try of a lock whose waiting function comes from the same file? */
static bool is_first_try(const struct check_prog *p, __u32 pc)
{
	const char *file = lock_file(p, pc), *other;

	for (__u32 i = 0; file && i < p->nr_insns; i++) {
		other = arena_call(p, i) == ARENA_LOCK ? lock_file(p, i) : NULL;
		if (other && !strcmp(file, other))
			return true;
		if (p->insns[i].code == (BPF_LD | BPF_IMM | BPF_DW))
			i++;
	}
	return false;
}

static bool is_unknown_lock(const struct check_prog *p, __u32 pc)
{
	__u32 callee;
	const char *name = callee_name(p, pc, &callee);

	return name && strstr(name, "arena") && strstr(name, "lock") &&
	       act_by_name(name) == ARENA_NONE && arena_exchanges(p, callee, 2);
}

void arena_find(const struct check_prog *prog, struct bounds *bounds)
{
	for (__u32 pc = 0; pc < prog->nr_insns; pc++) {
		const struct bpf_insn *insn = &prog->insns[pc];

		bounds->arena_locks += is_unknown_lock(prog, pc);
		bounds->arena_atomics +=
			is_exchange(insn) && !in_lock_function(prog, pc) && !is_first_try(prog, pc);
		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW))
			pc++;
	}
}

void arena_text(const struct check_set *set, const struct lock *lock, char *buf, size_t size)
{
	const struct check_prog *p = &set->progs[lock->prog];
	const struct check_map *m = &set->maps[lock->map];
	struct arena_addrs addrs;

	arenaname_addrs_read(&addrs, p->insns, p->nr_insns);
	arenaname_path(&m->arena, (__u32)lock->off, p->btf, &addrs, buf, size);
	if (!*buf)
		snprintf(buf, size, "%s+0x%x", m->name, (__u32)lock->off);
}
