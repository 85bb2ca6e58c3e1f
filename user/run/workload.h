/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A BPF object whose programs are driven: open, choose, load, attach. */
#ifndef RQSPIN_RUN_WORKLOAD_H
#define RQSPIN_RUN_WORKLOAD_H

#include <bpf/libbpf.h>

#include "run/driver.h"

#define WORKLOAD_LINKS 8

struct workload {
	const char *path;
	struct bpf_object *obj;
	struct bpf_link *links[WORKLOAD_LINKS];
	unsigned int nr_links;
	const struct sample_stats *stats; /* SAMPLE_CPUS of them; NULL if the object has none */
	char *log;			  /* the verifier's */
	bool last_try;			  /* the last try to load it */
	bool rehearsal;			  /* pin nothing, and load no program */
	bool maps_only;			  /* load no program */
};

/*
 * Does libbpf survive a foreign object? Loads the object's maps, but no program, and frees them
 * again. Returns 0, or -errno after printing why.
 */
int workload_rehearse(const char *path, struct role *roles, unsigned int nr);

/* 0, or -errno after printing why: -EOPNOTSUPP if this machine or user cannot do it. */
int workload_start(struct workload *w, const char *path, struct role *roles, unsigned int nr,
		   const char *const attach[2]);
void workload_close(struct workload *w);

#endif
