// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>
#include "sim_state.h"

const struct rule_info rules[NR_RULES + 1] = {
	[R_NONE] = { "accepted", "accepted" },
	[R_HELD] = { "held", "the lock is held already" },
	[R_LOCK_KIND] = { "lock-kind", "no lock of this kind is there" },
	[R_RES_UNDER_PLAIN] = { "res-under-plain", "a resilient lock under a plain one" },
	[R_NOT_LAST] = { "not-last", "not the lock that was taken last, or not in this way" },
	[R_OOO_NOT_HELD] = { "ooo-not-held", "the lock is not held" },
	[R_OOO_IRQ] = { "ooo-irq", "the lock's flags are not restored" },
	[R_FLAG_EMPTY] = { "flag-empty", "the flag holds nothing" },
	[R_FLAG_OTHER] = { "flag-other", "the flag is that of another section" },
	[R_CALL] = { "call", "a call under a lock" },
	[R_SLEEP] = { "sleep", "sleeps with interrupts off or under RCU" },
	[R_ITER] = { "iter", "iterates under a lock or with interrupts off" },
	[R_ROUNDS] = { "rounds", "nested loops that run too long with interrupts off" },
	[R_END_SECTION] = { "end-section", "the program ends in a critical section" },
	[R_END_ITER] = { "end-iter", "the program ends within an iterator" },
	[R_END_RCU] = { "end-rcu", "the program ends in an RCU section" },
	[R_LEAK] = { "leak", "an object is lost" },
	[R_DROP] = { "drop", "a program at function entry drops an object" },
	[R_OWNED] = { "owned", "not an object that the program owns" },
	[R_NOT_OWNED] = { "not-owned", "not an object in a tree" },
	[R_USABLE] = { "usable", "not an object that may be used here" },
	[R_LINK] = { "link", "the object cannot be linked into this" },
	[R_ROOT] = { "root", "the root is not in a map value" },
	[R_ROOT_LOCK] = { "root-lock", "the lock of the root is not held" },
	[R_LESS_VARIABLE] = { "less-variable", "less() does not see the program's variables" },
	[R_LESS_LOCK] = { "less-lock", "less() takes or releases a lock" },
	[R_LESS_ADD] = { "less-add", "less() adds to a tree" },
	[R_RCU_NESTED] = { "rcu-nested", "an RCU section within another" },
	[R_RCU_UNLOCK] = { "rcu-unlock", "no RCU section to end" },
	[R_KPTR] = { "kptr", "nothing protects the pointer" },
	[R_WRITE] = { "write", "writes to a map value with special fields" },
	[R_NO_VERDICT] = { "none", "no verdict: too many states, or no memory" },
};

enum rule find_rule(const char *name)
{
	int i;

	for (i = R_NONE + 1; i < NR_RULES; i++)
		if (!strcmp(rules[i].name, name))
			return (enum rule)i;
	return R_NONE;
}

bool sim_broke(struct sim *sim, enum rule rule)
{
	if (rule == sim->ignored)
		return false;
	if (!sim->verdict.broken)
		sim->verdict.broken = rule;
	return true;
}

struct states *new_states(struct sim *sim)
{
	struct states *set = malloc(sizeof(*set));

	if (set)
		set->n = 0;
	else
		sim_broke(sim, R_NO_VERDICT);
	return set;
}

static void rename_id(unsigned char *id, unsigned char *map, unsigned char *next)
{
	if (*id < ID_FRESH)
		return;
	if (!map[*id])
		map[*id] = (*next)++;
	*id = map[*id];
}

/* Renumber fresh identities: states that differ only in those numbers become equal. */
static void make_canonical(struct state *s)
{
	unsigned char map[256] = { 0 }, next = ID_FRESH;
	int i;

	for (i = 0; i < s->n; i++)
		rename_id(&s->sections[i].id, map, &next);
	for (i = 0; i < NR_VALUES; i++)
		rename_id(&s->value[i], map, &next);
	for (i = 0; i < NR_OBJECTS; i++)
		rename_id(&s->object[i].id, map, &next);
}

void sim_reach(struct sim *sim, struct states *set, const struct state *s)
{
	struct state *new;
	int i;

	if (set->n == MAX_STATES) {
		sim_broke(sim, R_NO_VERDICT);
		return;
	}
	new = &set->all[set->n];
	*new = *s;
	make_canonical(new);
	for (i = 0; i < set->n; i++)
		if (!memcmp(&set->all[i], new, sizeof(*new)))
			return;
	set->n++;
}

unsigned char fresh_id(const struct state *s)
{
	unsigned char max = ID_FRESH - 1;
	int i;

	for (i = 0; i < s->n; i++)
		max = s->sections[i].id > max ? s->sections[i].id : max;
	for (i = 0; i < NR_VALUES; i++)
		max = s->value[i] > max ? s->value[i] : max;
	for (i = 0; i < NR_OBJECTS; i++)
		max = s->object[i].id > max ? s->object[i].id : max;
	return max + 1;
}

bool holds_kind(const struct state *s, enum kind kind)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (s->sections[i].kind == kind)
			return true;
	return false;
}

bool holds_lock(const struct state *s)
{
	return holds_kind(s, RES_LOCK) || holds_kind(s, IRQ_LOCK) || holds_kind(s, PLAIN_LOCK);
}

bool holds_id(const struct state *s, int id)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (s->sections[i].kind != IRQ_OFF && s->sections[i].id == id)
			return true;
	return false;
}
