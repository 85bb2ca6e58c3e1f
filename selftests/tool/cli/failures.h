/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs that make locks fail to order have in common. */
#ifndef RQSPIN_TEST_FAILURES_H
#define RQSPIN_TEST_FAILURES_H

struct bpf_link;
struct bpf_program;
struct maplocks;

#define UNSUPPORTED 3 /* the exit code if this kernel cannot do it */
#define CPU	    0
#define OTHER_CPU   1

void errno_die(const char *what) __attribute__((noreturn));
void place_skip(const char *why) __attribute__((noreturn));

/* Which locks inside maps the running kernel has. */
void maplocks_here(struct maplocks *locks);

/* The program runs whenever this thread writes the kernel's word. */
struct bpf_link *word_watch(unsigned long long word, unsigned int len,
			    const struct bpf_program *prog);

double now_ms(void);

/**
 * struct times - of several waits
 * @shortest: only this one is the lock's, longer ones have other causes; in ms
 * @longest: in ms
 */
struct times {
	double shortest, longest;
};

/* Counts the time since @since, of now_ms(). */
void times_count(struct times *t, double since);

#endif
