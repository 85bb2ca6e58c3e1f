/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A BPF object whose programs are driven: open, choose, load, attach. */
#ifndef RQSPIN_WORKLOAD_H
#define RQSPIN_WORKLOAD_H

#include <bpf/libbpf.h>

#include "driver.h"

#define WORKLOAD_LINKS 8

struct workload {
	const char *path;
	struct bpf_object *obj;
	struct bpf_link *links[WORKLOAD_LINKS];
	unsigned int nr_links;
	const struct sample_stats *stats; /* SAMPLE_CPUS of them; NULL if the object has none */
	char *log;			  /* the verifier's */
};

/* Each prints what is wrong and returns an exit code. */
int workload_open(struct workload *w, const char *path);
int workload_load(struct workload *w, struct role *roles, unsigned int nr,
		  const char *const attach[2]);
void workload_close(struct workload *w);

#endif
