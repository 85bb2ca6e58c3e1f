/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Glue of the sample programs: counters, latency, failure events and the
 * rendezvous that makes programs on several CPUs deadlock in every round.
 */
#ifndef SAMPLE_BPF_H
#define SAMPLE_BPF_H

/* Without it not all types are there, but a replay needs no bpftool to be compiled. */
#ifdef SAMPLE_NO_VMLINUX_H
#define RQSPIN_NEED_TYPES
#include <linux/bpf.h>
#include <stdbool.h>
/* Headers before Linux 6.4 lack it. */
struct sample_iter_num {
	__u64 opaque;
};
#define bpf_iter_num sample_iter_num
#else
#include "vmlinux.h"
#endif
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <rqspin/res_spin_lock.bpf.h>
#include <rqspin/res_events.bpf.h>
#include "sample.h"

/* A hook has the parameters it has, whether used or not. */
#pragma clang diagnostic ignored "-Wunused-parameter"

#define __unused  __attribute__((unused))
#define ENOMEM	  12
#define EINVAL	  22
#define EDEADLK	  35
#define ETIMEDOUT 110

/* Some 120 ms on a fast CPU; the kernel ends a wait by can_loop after 250 ms anyhow. */
#define SAMPLE_MEET_SPINS (256 << 20)

char _license[] SEC("license") = "Dual BSD/GPL";

struct sample_stats sample_stats[SAMPLE_CPUS] SEC(RQSPIN_ZEROED ".sample");

/* One scope: from before the first lock until after the last unlock. */
struct sample_scope {
	struct res_scope scope;
	__u64 start_ns;
	int err;
};

#ifndef can_loop
#define can_loop                                                        \
	({                                                              \
		__label__ l_break, l_continue;                          \
		bool more = true;                                       \
		asm volatile goto("may_goto %l[l_break]" :: ::l_break); \
		goto l_continue;                                        \
l_break:                                                                \
		more = false;                                           \
l_continue:;                                                            \
		more;                                                   \
	})
#endif

#define sample_begin(s)                             \
	do {                                        \
		(s)->err = 0;                       \
		res_scope_begin(&(s)->scope);       \
		(s)->start_ns = bpf_ktime_get_ns(); \
	} while (0)

/* On the failure branch; locks may still be held. */
#define sample_fail(s, lock, error)                            \
	do {                                                   \
		(s)->err = (error);                            \
		res_scope_fail(&(s)->scope, (lock), (s)->err); \
	} while (0)

static __always_inline void sample_count(__u64 *counter, __u32 *hist, __u64 ns)
{
	__sync_fetch_and_add(counter, 1);
	__sync_fetch_and_add(&hist[sample_bucket(ns) & (SAMPLE_BUCKETS - 1)], 1);
}

/* After the last unlock. Returns what the program is to return: 0 or the negative errno. */
static __always_inline int sample_end(struct sample_scope *s)
{
	__u64 ns = bpf_ktime_get_ns() - s->start_ns;
	struct sample_stats *st = &sample_stats[bpf_get_smp_processor_id() & (SAMPLE_CPUS - 1)];

	if (!s->err)
		sample_count(&st->ok, st->hist_ok, ns);
	else if (s->err == -EDEADLK)
		sample_count(&st->edeadlk, st->hist_fail, ns);
	else if (s->err == -ETIMEDOUT)
		sample_count(&st->etimedout, st->hist_fail, ns);
	else
		sample_count(&st->other, st->hist_fail, ns);
	return s->err;
}

#define SAMPLE_MEETING	    (1ULL << 16)
#define sample_meetings(m)  ((m) / SAMPLE_MEETING)
#define sample_present(m)   ((m) % SAMPLE_MEETING)
#define sample_meet_word(m) (*(volatile __u64 *)(m))

/* Variable, so that the verifier does not follow the loop turn by turn. */
__u32 sample_meet_spins = SAMPLE_MEET_SPINS;

/*
 * None of these is inlined: every function has its own budget of can_loop turns,
 * so an arrival can be taken back even when the wait has used up the caller's.
 */

/* Arrive, *last: as the last of n. Returns the word as it was before. */
static __noinline __unused __u64 sample_arrive(sample_meeting *m, __u32 n, bool *last)
{
	__u64 seen, now = sample_meet_word(m);

	do {
		seen = now;
		*last = sample_present(seen) + 1 >= n;
		now = __sync_val_compare_and_swap(
			m, seen, *last ? (sample_meetings(seen) + 1) * SAMPLE_MEETING : seen + 1);
	} while (now != seen && can_loop);
	return now;
}

/* Take the arrival back; true if everybody came in the meantime after all. */
static __noinline __unused bool sample_leave(sample_meeting *m, __u64 since)
{
	__u64 seen, now = sample_meet_word(m);

	do {
		if (sample_meetings(now) != sample_meetings(since))
			return true;
		seen = now;
		now = __sync_val_compare_and_swap(m, seen, seen - 1);
	} while (now != seen && can_loop);
	return false;
}

/* Wait until n programs are here, possibly with locks held; false if they did not come. */
static __noinline __unused bool sample_meet(sample_meeting *m, __u32 n)
{
	__u32 left = *(volatile __u32 *)&sample_meet_spins;
	bool met = false;
	__u64 since = sample_arrive(m, n, &met);

	while (!met && left-- && can_loop)
		met = sample_meetings(sample_meet_word(m)) != sample_meetings(since);
	return met || sample_leave(m, since);
}

#endif /* SAMPLE_BPF_H */
