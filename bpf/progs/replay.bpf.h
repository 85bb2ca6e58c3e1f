/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What `rqspin replay` makes programs of: the parties of an AA and of a timeout (those of cycles
 * are in cycle.bpf.h), and how `rqspin run` is told which programs there are.
 */
#ifndef REPLAY_BPF_H
#define REPLAY_BPF_H

#include "cycle.bpf.h"

/* Once per object: struct sample_run. */
#define REPLAY_RUN(...) \
	const volatile struct sample_run sample_run SEC(SAMPLE_RUN_SECTION) = { __VA_ARGS__ }

/* The body of a function, like CYCLE_PARTY(): two pointers to one lock, from two look-ups. */
#define AA_PARTY(first, again)                       \
	do {                                         \
		struct sample_scope s;               \
		int err;                             \
                                                     \
		sample_begin(&s);                    \
		err = res_spin_lock(first);          \
		if (err) {                           \
			sample_fail(&s, first, err); \
			return sample_end(&s);       \
		}                                    \
		err = res_spin_lock(again);          \
		if (err)                             \
			sample_fail(&s, again, err); \
		else                                 \
			res_spin_unlock(again);      \
		res_spin_unlock(first);              \
		return sample_end(&s);               \
	} while (0)

#define REPLAY_TURNS 4096 /* times 2^20 spins: more than a second on any CPU */

__u64 replay_given_up;

/* Plain bounded loops: can_loop would end after 250 ms, too early for the waiter to fail. */
static __noinline __unused void replay_hold(__u64 from)
{
	int i, j;

	bpf_for(i, 0, REPLAY_TURNS) {
		bpf_for(j, 0, 1 << 20) {
			if (*(volatile __u64 *)&replay_given_up != from)
				return;
		}
	}
}

/* Takes the lock and keeps it until the waiter has failed. */
#define OWNER_PARTY(lock)                           \
	do {                                        \
		__u64 before = replay_given_up;     \
		struct sample_scope s;              \
		int err;                            \
                                                    \
		sample_begin(&s);                   \
		err = res_spin_lock(lock);          \
		if (err) {                          \
			sample_fail(&s, lock, err); \
			return sample_end(&s);      \
		}                                   \
		if (!sample_meet(&ready, 2)) {      \
			res_spin_unlock(lock);      \
			return SAMPLE_ALONE;        \
		}                                   \
		replay_hold(before);                \
		res_spin_unlock(lock);              \
		return sample_end(&s);              \
	} while (0)

/* Wants the lock while its owner keeps it. */
#define WAITER_PARTY(lock)                                 \
	do {                                               \
		struct sample_scope s;                     \
		int err;                                   \
                                                           \
		if (!sample_meet(&ready, 2))               \
			return SAMPLE_ALONE;               \
		sample_begin(&s);                          \
		err = res_spin_lock(lock);                 \
		if (err)                                   \
			sample_fail(&s, lock, err);        \
		else                                       \
			res_spin_unlock(lock);             \
		__sync_fetch_and_add(&replay_given_up, 1); \
		return sample_end(&s);                     \
	} while (0)

#endif /* REPLAY_BPF_H */
