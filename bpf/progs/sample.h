/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every sample counts, shared with user space. Include vmlinux.h (BPF) or
 * <linux/types.h> (user space) first.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#define SAMPLE_CPUS	256
#define SAMPLE_SUB_BITS 4 /* sub-buckets per power of two: 16, so at most 6.25 % error */
#define SAMPLE_SUBS	(1 << SAMPLE_SUB_BITS)
#define SAMPLE_BUCKETS	(64 * SAMPLE_SUBS)

/* A role's return value when the other roles did not come: nothing was counted. */
#define SAMPLE_ALONE 1

/**
 * struct sample_stats - results of the scopes that ran on one CPU
 * @ok: scopes in which every lock was acquired
 * @edeadlk: scopes that ended in -EDEADLK
 * @etimedout: scopes that ended in -ETIMEDOUT
 * @other: scopes that ended in any other error
 * @hist_ok: latency histogram of @ok, see sample_bucket()
 * @hist_fail: latency histogram of the failures
 *
 * The latency of a scope is the time in ns from before its first lock until
 * after its last unlock. Element i of the global array sample_stats (section
 * and map ".bss.sample") belongs to CPU i modulo SAMPLE_CPUS.
 */
struct sample_stats {
	__u64 ok;
	__u64 edeadlk;
	__u64 etimedout;
	__u64 other;
	__u32 hist_ok[SAMPLE_BUCKETS];
	__u32 hist_fail[SAMPLE_BUCKETS];
};

/**
 * struct sample_role_args - context of samples that have one program for all roles
 * @role: 0 .. @roles - 1
 * @roles: number of threads driven
 */
struct sample_role_args {
	__u32 role;
	__u32 roles;
};

/*
 * A place where n programs meet. The word holds the number of meetings so far
 * (upper 48 bits) and who is waiting now (lower 16): one word, so that giving up
 * and being met exclude each other and a round is counted by all or by none.
 */
typedef __u64 sample_meeting;

#define SAMPLE_RUN_SECTION ".rodata.run"

/**
 * struct sample_run - how an object wants to be run, in its section SAMPLE_RUN_SECTION
 * @roles: programs, each on a CPU of its own if there are several: "reader,writer"
 * @expect: what must come out, as in expected.tsv
 * @shows: what it shows, in a few words
 * @rounds: unless told otherwise
 *
 * All texts end with a zero byte.
 */
struct sample_run {
	char roles[2048];
	char expect[64];
	char shows[128];
	__u32 rounds;
};

/**
 * sample_bucket() - histogram bucket of a latency
 * @ns: latency
 *
 * Values below SAMPLE_SUBS have a bucket each; above, every power of two is
 * cut into SAMPLE_SUBS equal parts.
 *
 * Return: index below SAMPLE_BUCKETS
 */
static inline __u32 sample_bucket(__u64 ns)
{
	__u32 log = 0;
	__u64 v = ns;

	if (ns < SAMPLE_SUBS)
		return ns;
	for (__u32 step = 32; step; step >>= 1) {
		if (v >> step) {
			v >>= step;
			log += step;
		}
	}
	return (log - SAMPLE_SUB_BITS + 1) * SAMPLE_SUBS +
	       ((ns >> (log - SAMPLE_SUB_BITS)) & (SAMPLE_SUBS - 1));
}

/**
 * sample_bucket_low() - smallest latency that falls into a bucket
 * @bucket: index below SAMPLE_BUCKETS
 *
 * Return: ns
 */
static inline __u64 sample_bucket_low(__u32 bucket)
{
	__u32 group = bucket / SAMPLE_SUBS, sub = bucket % SAMPLE_SUBS;

	if (!group)
		return sub;
	return (__u64)(SAMPLE_SUBS + sub) << (group - 1);
}

#endif /* SAMPLE_H */
