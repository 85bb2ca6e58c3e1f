// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ticket lock, plain and with a delay between polls that is proportional to the number of CPUs
 * ahead (Mellor-Crummey and Scott 1991; Rik van Riel, "x86,smp: make ticket spinlock proportional
 * backoff w/ auto tuning", January 2013). Low half of the word: the ticket that is served; high
 * half: the next ticket.
 */
#include "locks/backoff.h"
#include "locks/lock.h"

struct ticket_cpu {
	uint32_t mine;
	struct backoff auto_delay;
};

static void ticket_spin(struct sim_cpu *c, struct sim_lock *l, uint32_t mine)
{
	while ((uint32_t)sim_read(c, &l->word) != mine)
		sim_watch(c, &l->word, SIM_NEVER);
}

/*
 * The owner counts as one of the CPUs ahead, as in the first of these patches: 250x is worse than
 * 50x for two threads, too. Only the auto-tuned form, which came later, lets the next waiter in
 * line spin.
 */
static void poll_fixed(struct sim_cpu *c, struct sim_lock *l, uint32_t mine, uint32_t head)
{
	while (head != mine) {
		sim_pause(c, (uint64_t)l->ops->param * (mine - head));
		head = sim_read(c, &l->word);
	}
}

static void poll_auto(struct sim_cpu *c, struct sim_lock *l, uint32_t mine, uint32_t head)
{
	struct ticket_cpu *me = lock_cpu_state(l, c->id);
	uint32_t ahead;

	while ((ahead = mine - head - 1)) {
		backoff_grow(&me->auto_delay);
		sim_pause(c, backoff_loops(&me->auto_delay, ahead));
		head = sim_read(c, &l->word);
		if (head == mine) {
			backoff_shrink(&me->auto_delay);
			return;
		}
	}
	ticket_spin(c, l, mine);
}

static int ticket_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	struct ticket_cpu *me = lock_cpu_state(l, c->id);
	uint64_t old = sim_add(c, &l->word, 1ULL << 32);
	uint32_t head = old;

	me->mine = old >> 32;
	if (head == me->mine)
		return 0;
	if (!l->ops->param)
		ticket_spin(c, l, me->mine);
	else if (l->ops->param > 0)
		poll_fixed(c, l, me->mine, head);
	else
		poll_auto(c, l, me->mine, head);
	return 0;
}

static void ticket_release(struct sim_cpu *c, struct sim_lock *l)
{
	struct ticket_cpu *me = lock_cpu_state(l, c->id);

	sim_store(c, &l->word, UINT32_MAX, (uint32_t)(me->mine + 1));
}

#define TICKET(id, text, factor)                                         \
	const struct lock_ops id = { .name = text,                       \
				     .source = "Rik van Riel 2013",      \
				     .state = sizeof(struct ticket_cpu), \
				     .param = factor,                    \
				     .acquire = ticket_acquire,          \
				     .release = ticket_release }

TICKET(ticket_lock, "ticket", 0);
TICKET(ticket_10_lock, "ticket-10x", 10);
TICKET(ticket_50_lock, "ticket-50x", 50);
TICKET(ticket_250_lock, "ticket-250x", 250);
TICKET(ticket_auto_lock, "ticket-auto", -1);
