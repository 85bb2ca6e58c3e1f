/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_RUN_SAMPLES_H
#define RQSPIN_RUN_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_ROLES_MAX 64

/* One line of bpf/progs/expected.tsv, or an object's own description (run/described.h). */
struct sample {
	const char *name;		     /* object NAME.bpf.o */
	const char *shows;		     /* one line */
	const char *roles[SAMPLE_ROLES_MAX]; /* program per pinned thread */
	const char *attach[2];		     /* programs that are attached meanwhile */
	const char *type;		     /* program types */
	const char *needs;		     /* of the kernel, beside the locks; "" for nothing */
	bool role_per_cpu;		     /* roles[0] runs on every CPU given */
	bool by_hand;			     /* bpftool has to drive it, not we */
	unsigned int min_cpus;
	uint64_t rounds;    /* unless --count or --duration */
	const char *expect; /* see run/outcome.h */
};

extern const struct sample samples[];
extern const size_t nr_samples;

const struct sample *sample_find(const char *name);
unsigned int sample_nr_roles(const struct sample *s);

/*
 * Path of a sample's object: in $RQSPIN_PROGS_DIR; without that in bpf/progs
 * beside the binary, or where it was installed with the binary. malloc()ed;
 * NULL if there is none.
 */
char *sample_object(const char *name);

#endif
