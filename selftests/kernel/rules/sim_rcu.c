// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pointers under RCU, sleeping, and the values that map iterators pass to programs. */
#include "sim_state.h"

static bool is_sleepable(const struct sim *sim)
{
	return sim->program->env == ENV_SYSCALL;
}

static bool is_protected(const struct sim *sim, const struct state *s)
{
	return !is_sleepable(sim) || s->rcu || holds_lock(s) ||
	       (holds_kind(s, IRQ_OFF) && sim->answers->probe[P_RCU_BY_IRQ_OFF]);
}

/* On leaving a section the pointer is lost if only that section protected it. */
void leave_rcu_protection(struct sim *sim, struct state *s, enum kind left)
{
	static const enum probe probes[] = {
		[RES_LOCK] = P_RCU_AFTER_RES,
		[IRQ_LOCK] = P_RCU_AFTER_RES,
		[PLAIN_LOCK] = P_RCU_AFTER_PLAIN,
		[IRQ_OFF] = P_RCU_AFTER_IRQ_OFF,
	};

	if (s->kptr == KPTR_RCU && !is_protected(sim, s) && !sim->answers->probe[probes[left]])
		s->kptr = KPTR_UNTRUSTED;
}

void sim_kptr(struct sim *sim, struct state *s)
{
	if (s->less)
		sim_broke(sim, R_LESS_VARIABLE);
	s->kptr = is_protected(sim, s) ? KPTR_RCU : KPTR_UNTRUSTED;
}

static void rcu_lock(struct sim *sim, struct state *s)
{
	sim_call(sim, s);
	if (s->rcu && !sim->answers->probe[P_RCU_NESTED] && sim_broke(sim, R_RCU_NESTED))
		return;
	if (s->rcu == 16) {
		sim_broke(sim, R_NO_VERDICT);
		return;
	}
	s->rcu++;
}

/* At the end of an RCU section some kernels ignore other protection of the pointer. */
static bool outlives_section(const struct sim *sim, const struct state *s)
{
	enum probe probe =
		is_sleepable(sim) ? P_RCU_OUTLIVES_SECTION_IRQ_OFF : P_RCU_OUTLIVES_SECTION;

	return is_protected(sim, s) && sim->answers->probe[probe];
}

static void rcu_unlock(struct sim *sim, struct state *s)
{
	sim_call(sim, s);
	if (!s->rcu) {
		sim_broke(sim, R_RCU_UNLOCK);
		return;
	}
	s->rcu--;
	if (!s->rcu && s->kptr == KPTR_RCU && !outlives_section(sim, s))
		s->kptr = KPTR_UNTRUSTED;
}

static void may_sleep(struct sim *sim, const struct state *s)
{
	sim_call(sim, s);
	if (s->rcu || holds_kind(s, IRQ_OFF))
		sim_broke(sim, R_SLEEP);
}

static void write_value(struct sim *sim)
{
	enum env env = sim->program->env;

	if (env != ENV_ITER_NUMBER &&
	    !sim->answers->probe[env == ENV_ITER_RES ? P_WRITE_RES : P_WRITE_PLAIN])
		sim_broke(sim, R_WRITE);
}

void sim_rcu_op(struct sim *sim, struct state *s, const struct stmt *st)
{
	switch (st->op) {
	case OP_RCU_LOCK:
		rcu_lock(sim, s);
		break;
	case OP_RCU_UNLOCK:
		rcu_unlock(sim, s);
		break;
	case OP_SLEEP:
		may_sleep(sim, s);
		break;
	case OP_VALUE_WRITE:
		write_value(sim);
		break;
	case OP_VALUE_KEEP:
		s->value[st->value] = 0;
		break;
	case OP_KPTR_USE:
		sim_call(sim, s);
		if (s->kptr != KPTR_RCU)
			sim_broke(sim, R_KPTR);
		break;
	default:
		break;
	}
	if (s->less && st->op != OP_SLEEP && st->op != OP_RCU_LOCK && st->op != OP_RCU_UNLOCK)
		sim_broke(sim, R_LESS_VARIABLE);
}
